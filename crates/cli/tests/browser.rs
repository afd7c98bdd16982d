//! The page in a real browser. `./x test` installs Chromium; without it these tests are skipped.
//!
//! A script of the test's own is put at the end of the page: it presses keys as a person would and writes down what it
//! sees; the browser prints the page as it is then.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Session, can_use, installed};
use serde_json::Value;

/// What the test's script says after doing `script` in the page, which has a function `say(value)`. None without a browser.
fn browse(session: &Session, page: &Path, script: &str) -> Option<Vec<Value>> {
    browse_at(session, page, (1280, 900), false, script)
}

/// [`browse`] in a window of this size, in the dark or not.
fn browse_at(session: &Session, page: &Path, size: (u32, u32), dark: bool, script: &str) -> Option<Vec<Value>> {
    let browser = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| installed(name));
    can_use("browser", browser.is_some());
    let browser = browser?;
    let html = std::fs::read_to_string(page).expect("the page");
    let probe = format!(
        "<script>\nconst said = [];\nconst say = (value) => said.push(value);\n\
         const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key, bubbles: true, cancelable: true }}));\n\
         const here = () => document.querySelector('#here')?.textContent ?? null;\n\
         const heading = () => document.querySelector('#step')?.textContent ?? null;\n\
         try {{ {script} }} catch (error) {{ say('failed: ' + error); }}\n\
         const out = document.createElement('pre'); out.id = 'said';\n\
         out.textContent = 'BEGIN' + btoa(unescape(encodeURIComponent(JSON.stringify(said)))) + 'END';\n\
         document.body.append(out);\n</script></body>"
    );
    assert_eq!(html.matches("</body>").count(), 1, "the page has one end");
    let probed = session.write("probed.html", html.replace("</body>", &probe));
    let profile = session.path("profile");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("--window-size={},{}", size.0, size.1))
        .args(dark.then_some("--force-dark-mode"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", probed.display()))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .expect("the browser runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, rest) = text.split_once("id=\"said\">BEGIN").unwrap_or_else(|| panic!("the script did not run:\n{text}"));
    let (said, _) = rest.split_once("END").expect("the end");
    Some(serde_json::from_slice(&decode(said)).expect("what was said is JSON"))
}

/// From Base64.
fn decode(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for digit in text.bytes().filter(|digit| *digit != b'=') {
        bits = bits << 6 | DIGITS.iter().position(|known| *known == digit).expect("a digit") as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

#[test]
fn the_page_opens_and_steps_forward_and_back() {
    let session = Session::new();
    let page = session.path("x.html");
    session.run(["check", "examples/abba.c", "--quiet", "--html", &page.display().to_string()]);
    let script = "press('Home'); say(heading()); for (let i = 0; i < 4; i++) press('ArrowDown'); say(heading()); say(here()); \
                  say(document.querySelector('#state').textContent); press('ArrowUp'); say(heading()); press('End'); say(heading()); \
                  say(here()); press('Home'); say(heading()); document.querySelector('#forward').click(); say(heading()); say(here()); \
                  say(document.querySelectorAll('svg.arrows path[data-to]').length); \
                  say(document.querySelectorAll('tr[aria-selected=true]').length); \
                  const select = document.querySelector('#object'); select.value = [...select.options].find((o) => o.value.includes('`a`')).value; \
                  select.dispatchEvent(new Event('change')); say([...document.querySelectorAll('table.steps tbody tr[data-step]')].map((r) => r.dataset.step).filter(Boolean)); \
                  say(document.querySelector('.verdict').textContent); say(document.querySelectorAll('th[data-thread]').length); \
                  document.querySelector('fieldset input').click(); say(document.querySelectorAll('th[data-thread]').length);";
    let Some(said) = browse(&session, &page, script) else { return };
    let text = |index: usize| said[index].as_str().unwrap_or_else(|| panic!("{said:#?}"));
    assert_eq!(text(0), "step 1 of 7: thread 0 (main): begin");
    assert_eq!(text(1), "step 5 of 7: thread 1 (forward): lock mutex `a`");
    assert!(text(2).contains("18") && text(2).contains("pthread_mutex_lock(&a);"), "{said:#?}");
    assert!(text(3).contains("thread 1 (forward)mutex `a`"), "who holds what\n{said:#?}");
    assert!(text(3).contains("is blocked: join thread 1 (forward)"), "who waits\n{said:#?}");
    assert_eq!(text(4), "step 4 of 7: thread 1 (forward): begin");
    assert_eq!(text(5), "at the end: thread 2 (backward): lock mutex `a`");
    assert!(text(6).contains("29"), "{said:#?}");
    assert_eq!(text(7), "step 1 of 7: thread 0 (main): begin");
    assert_eq!(text(8), "step 2 of 7: thread 0 (main): create thread 1 (forward)");
    assert!(text(9).contains("39"), "{said:#?}");
    assert_eq!(said[10], 2, "two threads are created: two arrows\n{said:#?}");
    assert_eq!(said[11], 1, "{said:#?}");
    assert_eq!(said[12], serde_json::json!(["5"]), "the steps of mutex `a`\n{said:#?}");
    assert_eq!(text(13), "found: 1 finding in 2 executions");
    assert_eq!((said[14].as_u64(), said[15].as_u64()), (Some(3), Some(2)), "a thread can be hidden\n{said:#?}");
}

#[test]
fn hostile_sources_and_names_stay_text() {
    let session = Session::new();
    let hostile = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><!--";
    let source = std::fs::read_to_string(crate::common::root().join("examples/abba.c")).expect("the example is there");
    let source = source.replace("pthread_mutex_lock(&a);", &format!("pthread_mutex_lock(&a); // {hostile}"));
    let file = session.write("a<img src=x onerror=alert(1)>&amp;'\".c", source).display().to_string();
    let page = session.path("x.html");
    let run = session.run(["check", &file, "--quiet", "--html", &page.display().to_string()]);
    assert_eq!(run.code, 1, "{run}");
    let script = "press('Home'); for (let i = 0; i < 4; i++) press('ArrowDown'); say(here()); say(document.title); \
                  say(document.querySelectorAll('img').length); say(document.querySelector('.side').textContent);";
    let Some(said) = browse(&session, &page, script) else { return };
    assert!(said[0].as_str().expect("a line").contains(hostile), "{said:#?}");
    assert_eq!(said[1], "Heddle: deadlock: threads 1 and 2 wait for each other", "{said:#?}");
    assert_eq!(said[2], 0, "{said:#?}");
    assert!(said[3].as_str().expect("a panel").contains("a<img src=x onerror=alert(1)>&amp;'\".c:18"), "{said:#?}");
}

#[test]
fn a_run_without_findings_has_a_page() {
    let session = Session::new();
    let page = session.path("x.html");
    session.run(["check", "examples/abba-fixed.c", "--quiet", "--html", &page.display().to_string()]);
    let script =
        "say(document.querySelector('.verdict').textContent); say(document.querySelectorAll('section').length);";
    let Some(said) = browse(&session, &page, script) else { return };
    let verdict = said[0].as_str().unwrap_or_default();
    assert_eq!(verdict.lines().next(), Some("safe: all 2 executions, sequential consistency, unbounded"), "{verdict}");
    assert!(verdict.contains("not covered: uninitialised memory"), "{verdict}");
    assert_eq!(said[1], 0);
}

/// What somebody sees who opens the page, on a desk and in a hand, in the light and in the dark.
#[test]
fn the_page_is_laid_out_for_its_reader() {
    let session = Session::new();
    let page = session.path("x.html");
    session.run(["check", "examples/queue.c", "--cc", "gcc", "--quiet", "--html", &page.display().to_string()]);
    let script = "
        const box = (node) => node.getBoundingClientRect();
        const lanes = document.querySelector('.lanes'), wrong = document.querySelector('tr.wrong .what');
        const across = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
        const within = (inner, outer) => across(inner, outer) && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
        say(heading());
        say(within(box(wrong), box(lanes)) && box(wrong).left >= box(document.querySelector('tr.wrong .where')).right - 1);
        say(document.documentElement.scrollWidth <= innerWidth);
        const order = ['.program', 'h1', '.replay', '#copy', '.tools', '.lanes', 'footer'].map((name) => document.querySelector(name));
        say(order.every((node, at) => at === 0 || order[at - 1].compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING));
        const heads = [...document.querySelectorAll('th[data-thread]')];
        say(new Set(heads.map((head) => Math.round(head.offsetWidth))).size);
        say(new Set([...document.querySelectorAll('tr:not(.wrong) .what')].map((cell) => getComputedStyle(cell.firstChild).borderLeftColor)).size);
        const texts = [...document.querySelectorAll('.what span')];
        say(texts.filter((text) => !heads.some((head) => box(text).left >= box(head).left && box(text).right <= box(head).right + 1)).length);
        const edge = box(document.querySelector('svg.arrows'));
        let crossed = 0, arrows = 0;
        for (const path of document.querySelectorAll('svg.arrows path[data-to]')) {
            arrows++;
            for (let at = 0; at < path.getTotalLength(); at += 3) {
                const point = path.getPointAtLength(at), x = point.x + edge.left, y = point.y + edge.top;
                if (texts.some((text) => { const b = box(text); return x > b.left + 1 && x < b.right - 1 && y > b.top + 1 && y < b.bottom - 1; })) crossed++;
            }
        }
        say([arrows > 0, crossed]);
        lanes.scrollTop = 60;
        say(Math.abs(box(document.querySelector('.steps thead')).top - box(lanes).top) < 3);
        say(document.querySelectorAll('.source .w').length > 0 && document.querySelector('.source .n').textContent !== '');
        say(matchMedia('(prefers-color-scheme: dark)').matches);
        say(getComputedStyle(document.body).backgroundColor);";
    for (size, dark) in [((1280, 900), false), ((390, 844), true), ((390, 844), false), ((1280, 900), true)] {
        let Some(said) = browse_at(&session, &page, size, dark, script) else { return };
        let case = format!("{size:?}, dark: {dark}: {said:#?}");
        assert_eq!(said[0], "step 17 of 17: thread 1 (consume): assertion fails", "it opens where it failed: {case}");
        assert_eq!(said[1], true, "the cell is in view in both directions: {case}");
        assert_eq!(said[2], true, "the page does not scroll sideways: {case}");
        assert_eq!(said[3], true, "what happened first, counts last: {case}");
        assert_eq!(said[4], 1, "equal columns: {case}");
        assert_eq!(said[5], 4, "a colour for each thread: {case}");
        assert_eq!(said[6], 0, "text stays in its column: {case}");
        assert_eq!(said[7], serde_json::json!([true, 0]), "arrows do not cross text: {case}");
        assert_eq!(said[8], true, "the header stays: {case}");
        assert_eq!(said[9], true, "line numbers and syntax colours: {case}");
        let back = if dark { "rgb(21, 24, 28)" } else { "rgb(255, 255, 255)" };
        assert_eq!((&said[10], &said[11]), (&Value::Bool(dark), &Value::String(back.to_owned())), "{case}");
    }
}

/// Twenty threads and two thousand steps: all are there, stepping is quick, and the values of variables are told.
#[test]
fn a_long_execution_of_many_threads_stays_usable() {
    let session = Session::new();
    let page = session.path("x.html");
    let program = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nstatic _Atomic int total;\nstatic void *work(void *u)\n{\n    \
                   for (int i = 0; i < 103; i++)\n        atomic_fetch_sub(&total, 1);\n    return u;\n}\nint main(void)\n{\n    pthread_t t[19];\n    \
                   for (int i = 0; i < 19; i++)\n        pthread_create(&t[i], NULL, work, NULL);\n    for (int i = 0; i < 19; i++)\n        \
                   pthread_join(t[i], NULL);\n    assert(total == 0);\n}\n";
    let file = session.write("many.c", program).display().to_string();
    let run = session.run(["check", &file, "--minimise", "off", "--quiet", "--html", &page.display().to_string()]);
    assert_eq!(run.code, 1, "{run}");
    let script = "
        say(document.querySelectorAll('th[data-thread]').length);
        document.querySelector('.tools > label input')?.checked || document.querySelector('.tools > label input')?.click();
        say(document.querySelectorAll('tbody tr[data-step]').length);
        press('Home'); const began = performance.now(); for (let i = 0; i < 60; i++) press('ArrowDown');
        say(performance.now() - began);
        const selected = document.querySelector('tr[aria-selected=true]'), lanes = document.querySelector('.lanes').getBoundingClientRect();
        const cell = selected.querySelector('.what').getBoundingClientRect();
        say(cell.left >= lanes.left && cell.right <= lanes.right + 1 && cell.top >= lanes.top && cell.bottom <= lanes.bottom);
        say(document.querySelector('#values + table').textContent);";
    let Some(said) = browse_at(&session, &page, (390, 844), false, script) else { return };
    assert_eq!(said[0], 20, "{said:#?}");
    assert!(said[1].as_u64() > Some(1900), "{said:#?}");
    // Some milliseconds each; many times that where other work has the processors.
    assert!(said[2].as_f64() < Some(40_000.0), "stepping is slow: {said:#?}");
    assert_eq!(said[3], true, "the cell is in view: {said:#?}");
    let values = said[4].as_str().unwrap_or_default();
    assert!(values.contains("atomic `total`-"), "a signed value: {said:#?}");
}
