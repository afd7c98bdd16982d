"use strict";
// A page of two levels: the run (verdict, counts, findings), and one finding: the steps as a table with a column for each
// thread, arrows for what follows from what, and beside it the source and the state after the selected step. Text goes
// in as text nodes only. The selection is in the address (#deadlock-1/5), so that it can be linked to.

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}
const svg = (name, attributes) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};
const place = (at) => (!at || !at.file ? "" : at.line ? `${at.file}:${at.line}` : at.file);
const words = (step) => [step.words.operation, step.object, step.words.result].filter(Boolean).join(" ");
const brief = (step) => (step.waits ? "waits: " : "") + step.words.brief;
const label = (trace, thread) => `thread ${thread}` + (trace.threads[thread] ? ` (${trace.threads[thread]})` : "");

// --- The run -------------------------------------------------------------------------------------------------------

function summary() {
  const run = data.report;
  const count = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value)));
  const counts = [
    count("executions", run.executions), ...(run.samples ? [count("samples", run.samples)] : []), count("redundant", run.blocked), count("operations", run.events),
    count("threads", run.threads), count("seconds", run.seconds.toFixed(3)),
  ];
  if (run.algorithm) counts.push(count("algorithm", run.algorithm));
  if (run.coverage) {
    counts.push(count("exhaustive", run.coverage.exhaustive ? "yes" : "no"), count("restart", run.coverage.restart),
      count("data races", run.coverage.races));
  }
  const findings = data.traces.map((trace, index) => el("li", {}, el("button", {
    type: "button", "data-finding": index, onclick: () => show(index, 0),
  }, `${trace.finding.kind}: ${trace.finding.message}`), ` ${place(trace.finding.location)}, ${trace.finding.count === 1 ? "once" : `${trace.finding.count} times`}`));
  return el("header", {},
    el("h1", {}, "Heddle"),
    el("p", { class: `verdict ${run.verdict}` }, data.verdict),
    el("dl", { class: "counts" }, counts),
    findings.length > 0 ? el("h2", {}, "Findings") : null,
    findings.length > 0 ? el("ol", { class: "findings" }, findings) : null,
    run.notes ? el("h2", {}, "Notes") : null,
    run.notes ? el("ul", { class: "notes" }, run.notes.map((note) => el("li", {},
      `${note.message} (${note.standard})`, note.location ? el("code", {}, ` ${place(note.location)}`) : null))) : null);
}

// --- A finding -----------------------------------------------------------------------------------------------------

let current = null;

function open(index) {
  const trace = data.traces[index];
  const rows = trace.steps.map((step, at) => ({ step, at, number: at + 1 }));
  const focus = new Set(trace.focus.map((at) => trace.steps[at].thread));
  // What threads were doing at the end, where the end is no step.
  if (trace.outcome !== "ended") {
    for (const step of trace.last) rows.push({ step, at: trace.steps.length, number: "", wrong: focus.has(step.thread) });
  }
  if (trace.outcome === "ended" && rows.length > 0) rows[rows.length - 1].wrong = true;
  const threads = [...new Set(rows.map((row) => row.step.thread))].sort((a, b) => a - b);
  const objects = [...new Set(trace.steps.map((step) => step.object).filter(Boolean))].sort();
  const view = { index, trace, rows, threads, hidden: new Set(), object: "", all: rows.length <= 60, selected: 0 };
  view.node = el("section", { "aria-label": trace.finding.id },
    el("h2", { class: "bad" }, `${trace.finding.kind}: ${trace.finding.message}`),
    (trace.finding.inputs ?? []).length > 0 ? el("p", {}, "Inputs: ", trace.finding.inputs.map((input, at) => [at > 0 ? ", " : "", el("code", {}, input.at ? `${place(input.at)} ` : ""), `thread ${input.thread} = ${input.value}`]).flat()) : null,
    el("ul", {}, trace.finding.notes.map((note) => el("li", {}, note.message, note.location ? el("code", {}, ` ${place(note.location)}`) : null))),
    tools(view, objects),
    el("div", { class: "split" },
      view.lanes = el("div", { class: "lanes", tabindex: "0", role: "group", "aria-label": "interleaving, time downwards; arrow keys step" }),
      el("div", { class: "side" },
        el("div", { class: "panel", "aria-live": "polite" }, view.heading = el("h3", { id: "step" }), view.why = el("div", { class: "hint" })),
        view.source = el("div", { class: "panel" }), view.state = el("div", { class: "panel", id: "state" }),
        trace.output ? el("div", { class: "panel" }, el("h3", {}, "Output of the program"), el("pre", { class: "output" }, trace.output)) : null)),
    el("p", { class: "hint" }, trace.finding.trace ? `Replay: heddle replay ${trace.finding.trace}` : ""));
  return view;
}

function tools(view, objects) {
  const box = (text, checked, change) => el("label", {}, el("input", { type: "checkbox", checked: checked ? "" : null, onchange: (e) => { change(e.target.checked); draw(view); } }), " ", text);
  return el("div", { class: "tools" },
    el("span", {},
      el("button", { type: "button", id: "back", onclick: () => move(-1) }, "\u2190 back"), " ",
      el("button", { type: "button", id: "forward", onclick: () => move(1) }, "forward \u2192")),
    el("fieldset", {}, el("legend", { class: "hint" }, "threads"), view.threads.map((thread) =>
      box(label(view.trace, thread), true, (on) => { if (on) view.hidden.delete(thread); else view.hidden.add(thread); }))),
    el("label", {}, "object ", el("select", { id: "object", onchange: (e) => { view.object = e.target.value; draw(view); } },
      el("option", { value: "" }, "all"), objects.map((object) => el("option", { value: object }, object)))),
    box("also steps that do not matter", view.all, (on) => { view.all = on; }),
    el("span", { class: "hint" }, "arrow keys step, Home and End jump"));
}

const shown = (view) => view.rows.filter((row) =>
  !view.hidden.has(row.step.thread) && (!view.object || row.step.object === view.object || row.number === "") &&
  (view.all || row.number === "" || view.trace.matters[row.at]));

function draw(view) {
  const rows = shown(view);
  const threads = view.threads.filter((thread) => !view.hidden.has(thread));
  const head = el("tr", {}, el("th", { scope: "col" }, ""), el("th", { scope: "col" }, "#"), threads.map((thread) =>
    el("th", { scope: "col", "data-thread": thread }, `${thread} ${view.trace.threads[thread] || ""}`)), el("th", { scope: "col" }, "where"));
  let before = null, looping = false;
  const body = rows.map((row) => {
    const step = row.step;
    const change = row.number !== "" && before !== null && before !== step.thread;
    before = row.number === "" ? before : step.thread;
    const mark = change ? (step.preempts ? "\u00bb" : "\u203a") : "";
    const classes = [change ? "switch" : "", row.wrong ? "wrong" : "", row.number !== "" && !view.trace.matters[row.at] ? "faint" : ""].filter(Boolean).join(" ");
    const title = change ? (step.preempts ? "preemption" : "switch") : null;
    row.node = el("tr", { class: classes || null, "aria-selected": "false", "data-step": row.number, onclick: () => select(view, view.rows.indexOf(row)) },
      el("td", { class: "mark", title, "aria-label": title }, mark), el("td", { class: "number" }, String(row.number)),
      threads.map((thread) => el("td", {}, thread === step.thread ? brief(step) : "")), el("td", {}, place(step.at)));
    const cycle = view.trace.finding.cycle;
    if (cycle && looping === false && row.number !== "" && row.number >= cycle.first) {
      looping = true;
      return [el("tr", { class: "forever" }, el("td", { colspan: threads.length + 3 }, "and then for ever:")), row.node];
    }
    return row.node;
  });
  view.table = el("table", { class: "steps" }, el("thead", {}, head), el("tbody", {}, body));
  view.lanes.replaceChildren(view.table, view.arrows = svg("svg", { class: "arrows", "aria-hidden": "true" }));
  arrows(view, rows);
  select(view, view.selected);
}

function arrows(view, rows) {
  const width = view.table.offsetWidth, height = view.table.offsetHeight;
  view.arrows.setAttribute("width", width);
  view.arrows.setAttribute("height", height);
  const marker = svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  marker.append(svg("path", { d: "M0 0 8 4 0 8z" }));
  const defs = svg("defs", {});
  defs.append(marker);
  view.arrows.append(defs);
  const column = {};
  for (const th of view.table.querySelectorAll("th[data-thread]")) column[th.dataset.thread] = th.offsetLeft + 4;
  const nodes = new Map(rows.filter((row) => row.number !== "").map((row) => [row.at, row]));
  for (const row of rows) {
    for (const cause of row.step.after || []) {
      const from = nodes.get(cause);
      if (!from || row.number === "") continue;
      const y = (node) => node.offsetTop + node.offsetHeight / 2;
      const [x1, y1, x2, y2] = [column[from.step.thread], y(from.node), column[row.step.thread], y(row.node)];
      const path = svg("path", { d: `M${x1} ${y1} C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`, "marker-end": "url(#head)" });
      path.dataset.from = cause;
      path.dataset.to = row.at;
      view.arrows.append(path);
    }
  }
}

// What is so after the first `taken` steps: the same as `State::after` of the report.
function state(trace, taken) {
  const holds = new Map(), blocked = new Set();
  for (const step of trace.steps.slice(0, taken)) {
    if (step.holds) holds.set(step.thread, step.holds);
    for (const thread of step.blocks || []) blocked.add(thread);
    for (const thread of step.frees || []) blocked.delete(thread);
  }
  if (taken >= trace.steps.length) for (const step of trace.last) if (step.waits) blocked.add(step.thread);
  return { holds, blocked };
}

function select(view, index) {
  view.selected = Math.max(0, Math.min(view.rows.length - 1, index));
  const row = view.rows[view.selected];
  if (!row) return;
  const { trace } = view;
  for (const other of view.rows) if (other.node) other.node.setAttribute("aria-selected", String(other === row));
  for (const path of view.arrows.querySelectorAll("path[data-to]")) {
    path.classList.toggle("near", row.number !== "" && (Number(path.dataset.to) === row.at || Number(path.dataset.from) === row.at));
  }
  const of = row.number === "" ? "at the end" : `step ${row.number} of ${trace.steps.length}`;
  view.heading.textContent = `${of}: ${label(trace, row.step.thread)}: ${words(row.step)}`;
  view.why.replaceChildren(...(row.step.after || []).map((cause) =>
    el("div", {}, `follows from step ${cause + 1}: ${label(trace, trace.steps[cause].thread)}: ${words(trace.steps[cause])}`)));
  view.source.replaceChildren(...source(trace, row.step.at));
  const taken = row.number === "" ? trace.steps.length : row.at + 1;
  const now = state(trace, taken);
  const next = (thread) => trace.steps.slice(taken).find((step) => step.thread === thread) || trace.last.find((step) => step.thread === thread);
  view.state.replaceChildren(el("h3", {}, "Threads after this step"), el("table", { class: "state" },
    el("thead", {}, el("tr", {}, ["thread", "holds", "next"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, view.threads.map((thread) => {
      const coming = next(thread);
      const doing = !coming ? "has ended" : (now.blocked.has(thread) ? "is blocked: " : "") + words(coming);
      return el("tr", { class: now.blocked.has(thread) ? "bad" : null }, el("th", { scope: "row" }, label(trace, thread)),
        el("td", {}, (now.holds.get(thread) || []).join(", ")), el("td", {}, doing));
    }))));
  if (row.node) row.node.scrollIntoView({ block: "nearest" });
  try { history.replaceState(null, "", `#${encodeURIComponent(trace.finding.id)}/${view.selected + 1}`); } catch { /* a page without an address */ }
}

function source(trace, at) {
  if (!at || !at.file || !trace.lines[at.file]) return [el("h3", {}, at ? place(at) || at.function || "no source" : "no source")];
  const items = [];
  let last = null;
  for (const [number, text] of Object.entries(trace.lines[at.file]).map(([n, t]) => [Number(n), t]).sort((a, b) => a[0] - b[0])) {
    if (last !== null && number > last + 1) items.push(el("li", { class: "gap" }, el("span", { class: "n" }, "\u22ee")));
    last = number;
    const here = number === at.line;
    items.push(el("li", { class: here ? "here" : null, id: here ? "here" : null, "aria-current": here ? "true" : null }, el("span", { class: "n" }, String(number)), text));
  }
  const list = el("ol", { class: "source mono" }, items);
  setTimeout(() => { const here = list.querySelector(".here"); if (here && here.isConnected) here.scrollIntoView({ block: "nearest" }); }, 0);
  return [el("h3", {}, `${place(at)}${at.function ? ` in ${at.function}` : ""}`), list];
}

function show(index, selected) {
  if (current) current.node.remove();
  current = open(index);
  page.append(current.node);
  for (const button of document.querySelectorAll("[data-finding]")) button.setAttribute("aria-current", String(Number(button.dataset.finding) === index));
  current.selected = selected;
  draw(current);
}

function move(by) {
  if (!current) return;
  const rows = shown(current);
  const at = rows.indexOf(current.rows[current.selected]);
  const to = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by));
  if (rows[to]) select(current, current.rows.indexOf(rows[to]));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || /^(select|input|textarea)$/i.test(event.target.tagName || "")) return;
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  move(by);
});
addEventListener("resize", () => { if (current) draw(current); });

page.append(summary());
if (data.traces.length > 0) {
  const [id, step] = decodeURIComponent(location.hash.slice(1)).split("/");
  const index = data.traces.findIndex((trace) => trace.finding.id === id);
  show(Math.max(index, 0), index >= 0 && Number(step) > 0 ? Number(step) - 1 : 0);
}
