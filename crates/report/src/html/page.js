"use strict";
// The page of a run: what was checked and what happened, the findings to choose from if there are several, one finding to step through
// (steps.js), and the counts at the foot. Text goes in as text nodes only. The selection is in the address (#deadlock-1/5), so that it
// can be linked to.

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
const arrowed = (text) => text.replaceAll(" -> ", " \u2192 ");
const place = (at) => (!at || !at.file ? "" : at.line ? `${at.file}:${at.line}` : at.file);
const words = (step) => arrowed([step.words.operation, step.object, step.words.result].filter(Boolean).join(" "));
const brief = (step) => (step.waits ? "waits: " : "") + arrowed(step.words.brief);
const label = (trace, thread) => `thread ${thread}` + (trace.threads[thread] ? ` (${trace.threads[thread]})` : "");
// Neighbours on the golden angle look different, however many there are. Red is for what is wrong.
const hue = (thread) => Math.round(25 + (185 + thread * 118.4) % 310);
const coloured = (node, thread) => { node.style.setProperty("--hue", hue(thread)); return node; };

// --- The run -------------------------------------------------------------------------------------------------------

function counts(run) {
  const grouped = (value) => (typeof value === "number" ? value.toLocaleString("en") : value);
  const count = (name, value) => el("div", {}, el("dt", {}, name), el("dd", {}, grouped(value)));
  const all = [count("executions", run.executions), count("operations", run.events), count("threads", run.threads)];
  all.push(count("seconds", run.seconds.toFixed(3)));
  if (run.samples) all.push(count("samples", run.samples));
  if (run.blocked) all.push(count("redundant", run.blocked));
  if (run.algorithm) all.push(count("algorithm", run.algorithm));
  if (run.coverage) {
    all.push(count("exhaustive", run.coverage.exhaustive ? "yes" : "no"), count("restart", run.coverage.restart), count("data races", run.coverage.races));
  }
  return el("footer", {}, el("dl", { class: "counts" }, all),
    run.notes ? el("h2", {}, "Notes") : null,
    run.notes ? el("ul", { class: "notes" }, run.notes.map((note) => el("li", {},
      `${note.message} (${note.standard})`, note.location ? el("code", {}, ` ${place(note.location)}`) : null))) : null,
    el("p", {}, `Heddle ${data.version}`));
}

// A picture of an interleaving, small enough to compare: a column for each thread, time downwards, red where it failed.
function thumbnail(trace) {
  const rows = [...trace.steps, ...(trace.outcome === "ended" ? [] : trace.last)];
  const threads = [...new Set(rows.map((step) => step.thread))].sort((a, b) => a - b);
  const [width, height] = [84, 64];
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  const column = width / threads.length, row = height / rows.length;
  rows.forEach((step, at) => {
    const x = (threads.indexOf(step.thread) + .12) * column;
    const bar = svg("rect", { x, y: at * row, width: column * .76, height: Math.max(row * .8, .7), rx: 1 });
    const wrong = at >= trace.steps.length || (at === rows.length - 1 && trace.outcome === "ended");
    bar.style.fill = wrong ? "var(--bad)" : `hsl(${hue(step.thread)} var(--ink) var(--light))`;
    picture.append(bar);
  });
  return picture;
}

function header() {
  const run = data.report;
  const findings = data.traces.length < 2 ? null : el("ol", { class: "findings" }, data.traces.map((trace, index) => el("li", {}, el("button", {
    type: "button", "data-finding": index, onclick: () => show(index, -1),
  }, thumbnail(trace), el("span", {}, el("span", { class: "kind" }, trace.finding.kind), el("span", { class: "said" }, trace.finding.message),
    el("span", { class: "hint" }, `${place(trace.finding.location)} ${trace.finding.count === 1 ? "" : `${trace.finding.count} times`}`))))));
  return el("header", {},
    el("div", { class: "program" }, el("b", {}, data.program || "Heddle"), el("p", { class: `verdict ${run.verdict}` }, data.verdict)), findings);
}

// A command, and a button that copies it.
function command(text) {
  const code = el("code", {}, text);
  const button = el("button", { type: "button", class: "plain", id: "copy", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  } }, "copy");
  return el("div", { class: "replay" }, code, button);
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
  const files = new Set(rows.map((row) => row.step.at?.file).filter(Boolean));
  const objects = [...new Set(trace.steps.map((step) => step.object).filter(Boolean))].sort();
  const view = { index, trace, rows, threads, files, hidden: new Set(), object: "", all: rows.length <= 60, selected: 0 };
  const inputs = trace.finding.inputs ?? [];
  // What the sentence says already is not said again.
  const reasons = trace.finding.notes.filter((note) => note.location || !trace.finding.message.includes(note.message));
  const go = (note) => {
    const at = rows.findLastIndex((row) => place(row.step.at) === place(note.location) && note.message.startsWith(label(trace, row.step.thread)));
    return at < 0 ? null : at;
  };
  view.node = el("section", { "aria-label": trace.finding.id },
    el("h1", {}, trace.finding.message.startsWith(trace.finding.kind) ? null : [el("span", { class: "kind" }, trace.finding.kind), " "], trace.finding.message),
    trace.finding.trace ? command(`heddle replay ${trace.finding.trace}`) : null,
    inputs.length > 0 ? el("p", {}, "Inputs: ", inputs.map((input, at) =>
      [at > 0 ? ", " : "", el("code", {}, input.at ? `${place(input.at)} ` : ""), `thread ${input.thread} = ${input.value}`]).flat()) : null,
    reasons.length > 0 ? el("ul", { class: "reasons" }, reasons.map((note) => el("li", {}, note.message,
      note.location ? el("code", { title: go(note) === null ? null : "show this step", style: go(note) === null ? null : "cursor: pointer",
        onclick: () => { if (go(note) !== null) select(view, go(note)); } }, ` ${place(note.location)}`) : null))) : null,
    tools(view, objects),
    el("div", { class: "split" },
      view.lanes = el("div", { class: "lanes", tabindex: "0", role: "group", "aria-label": "interleaving, time downwards; arrow keys step" }),
      el("div", { class: "side" },
        el("div", { class: "panel", "aria-live": "polite" }, view.heading = el("h3", { id: "step" }), view.why = el("div", { class: "hint" })),
        view.source = el("div", { class: "panel" }), view.state = el("div", { class: "panel", id: "state" }),
        trace.output ? el("div", { class: "panel" }, el("h3", {}, "Output of the program"), el("pre", { class: "output" }, trace.output)) : null)));
  return view;
}

function tools(view, objects) {
  const changed = (change) => (event) => { change(event.target.checked); draw(view); };
  const box = (text, checked, change) =>
    el("label", {}, el("input", { type: "checkbox", checked: checked ? "" : null, onchange: changed(change) }), " ", text);
  const matter = view.trace.matters.every(Boolean);
  return el("div", { class: "tools" },
    el("span", {},
      el("button", { type: "button", class: "plain", id: "back", onclick: () => move(-1) }, "\u2190 back"), " ",
      el("button", { type: "button", class: "plain", id: "forward", onclick: () => move(1) }, "forward \u2192")),
    el("details", {}, el("summary", {}, "threads"), el("fieldset", {}, view.threads.map((thread) => {
      const line = box(label(view.trace, thread), true, (on) => { if (on) view.hidden.delete(thread); else view.hidden.add(thread); });
      line.insertBefore(coloured(el("span", { class: "dot" }), thread), line.lastChild);
      return line;
    }))),
    el("label", {}, "object ", el("select", { id: "object", onchange: (e) => { view.object = e.target.value; draw(view); } },
      el("option", { value: "" }, "all"), objects.map((object) => el("option", { value: object }, object)))),
    matter ? null : box("also steps that do not matter", view.all, (on) => { view.all = on; }),
    el("span", { class: "hint" }, "\u203a switch, \u00bb preemption; arrow keys step, Home and End jump"));
}

function show(index, selected) {
  if (current) current.node.remove();
  current = open(index);
  page.insertBefore(current.node, page.querySelector("footer"));
  for (const button of document.querySelectorAll("[data-finding]")) button.setAttribute("aria-current", String(Number(button.dataset.finding) === index));
  // It opens where the execution failed.
  const failed = current.rows.findIndex((row) => row.wrong);
  current.selected = selected >= 0 ? selected : failed >= 0 ? failed : Math.max(0, current.rows.length - 1);
  draw(current);
}
