// --- Beside the steps ----------------------------------------------------------------------------------------------
// The source, and the state after the selected step: who holds what, who waits, what values are known.

// What is so after the first `taken` steps: the same as `State::after` of the report.
function state(trace, taken) {
  const holds = new Map(), blocked = new Set(), values = new Map(), known = new Set([0]);
  trace.steps.slice(0, taken).forEach((step, at) => {
    if (step.holds) holds.set(step.thread, step.holds);
    if (step.creates !== undefined && step.creates !== null) known.add(step.creates);
    known.add(step.thread);
    for (const thread of step.blocks || []) blocked.add(thread);
    for (const thread of step.frees || []) blocked.delete(thread);
    const value = step.words.after;
    if (value !== null && value !== undefined && step.object) values.set(step.object, { value, at, changed: values.get(step.object)?.value !== value });
  });
  if (taken >= trace.steps.length) for (const step of trace.last) if (step.waits) blocked.add(step.thread);
  return { holds, blocked, values, known };
}

function panels(view, row) {
  const { trace } = view;
  const of = row.number === "" ? "at the end" : `step ${row.number} of ${trace.steps.length}`;
  view.heading.textContent = `${of}: ${label(trace, row.step.thread)}: ${words(row.step)}`;
  view.why.replaceChildren(...(row.step.after || []).map((cause) =>
    el("div", {}, `follows from step ${cause + 1}: ${label(trace, trace.steps[cause].thread)}: ${words(trace.steps[cause])}`)));
  view.source.replaceChildren(...source(trace, row.step.at));
  const taken = row.number === "" ? trace.steps.length : row.at + 1;
  const now = state(trace, taken);
  const next = (thread) => trace.steps.slice(taken).find((step) => step.thread === thread) || trace.last.find((step) => step.thread === thread);
  const table = (names, lines) => el("table", { class: "state" },
    el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, lines));
  const threads = view.threads.filter((thread) => now.known.has(thread)).map((thread) => {
    const coming = next(thread);
    const ends = taken === trace.steps.length && trace.outcome === "ended" && row.step.thread === thread && row.wrong;
    const doing = ends ? "has ended the process" : !coming ? "has ended" : (now.blocked.has(thread) ? "is blocked: " : "") + words(coming);
    const name = coloured(el("th", { scope: "row" }, el("span", { class: "dot" }), label(trace, thread)), thread);
    return el("tr", { class: now.blocked.has(thread) ? "bad" : null }, name, el("td", {}, (now.holds.get(thread) || []).join(", ")), el("td", {}, doing));
  });
  const values = [...now.values].map(([object, { value, at, changed }]) =>
    el("tr", { class: changed && at === taken - 1 ? "changed" : null }, el("td", {}, object), el("td", { class: "mono" }, value)));
  view.state.replaceChildren(el("h3", {}, "Threads after this step"), table(["thread", "holds", "next"], threads),
    ...(values.length > 0 ? [el("h3", { id: "values" }, "Values after this step"), table(["object", "value"], values)] : []));
}

const WORDS = new Set(("alignas auto bool break case catch char class const constexpr continue default delete do double else enum " +
  "explicit extern false float for friend goto if inline int long mutable namespace new noexcept nullptr operator private " +
  "protected public register return short signed sizeof static static_assert static_cast struct switch template this " +
  "thread_local throw true try typedef typename union unsigned using virtual void volatile while NULL").split(" "));
const TOKEN = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(\b\d[\w.']*)|([A-Za-z_]\w*)|(^\s*#\s*\w+)/g;

// A line of source as text and coloured tokens.
function highlighted(line) {
  const parts = [];
  let at = 0;
  for (const match of line.matchAll(TOKEN)) {
    const kind = match[1] ? "c" : match[2] ? "s" : match[3] ? "d" : match[5] || WORDS.has(match[4]) ? "w" : null;
    if (!kind) continue;
    parts.push(line.slice(at, match.index), el("span", { class: kind }, match[0]));
    at = match.index + match[0].length;
  }
  return [...parts, line.slice(at)];
}

function source(trace, at) {
  if (!at || !at.file || !trace.lines[at.file]) return [el("h3", {}, at ? place(at) || at.function || "no source" : "no source")];
  const items = [];
  let last = null;
  for (const [number, text] of Object.entries(trace.lines[at.file]).map(([n, t]) => [Number(n), t]).sort((a, b) => a[0] - b[0])) {
    if (last !== null && number > last + 1) items.push(el("li", { class: "gap" }, el("span", { class: "n" }, "\u22ee")));
    last = number;
    const here = number === at.line;
    items.push(el("li", { class: here ? "here" : null, id: here ? "here" : null, "aria-current": here ? "true" : null },
      el("span", { class: "n" }, String(number)), highlighted(text)));
  }
  const list = el("ol", { class: "source mono" }, items);
  setTimeout(() => {
    const here = list.querySelector(".here");
    if (here && list.isConnected) list.scrollTop += here.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
  }, 0);
  return [el("h3", {}, `${place(at)}${at.function ? ` in ${at.function}` : ""}`), list];
}

// --- Keys, and the beginning ---------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || /^(select|input|textarea)$/i.test(event.target.tagName || "")) return;
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  move(by);
});
let width = innerWidth;
addEventListener("resize", () => { if (current && width !== innerWidth) { width = innerWidth; draw(current); } });

page.append(header(), counts(data.report));
if (data.traces.length > 0) {
  const [id, step] = decodeURIComponent(location.hash.slice(1)).split("/");
  const index = data.traces.findIndex((trace) => trace.finding.id === id);
  show(Math.max(index, 0), index >= 0 && Number(step) > 0 ? Number(step) - 1 : -1);
}
