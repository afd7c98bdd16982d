// --- The steps -----------------------------------------------------------------------------------------------------
// A row for each step, a column for each thread, and arrows for what follows from what. An arrow runs along the edges of rows and in the
// margins of columns, where there is no text.

// With more rows than this, only the arrows of the selected step are drawn.
const ALL_ARROWS = 150;

const shown = (view) => view.rows.filter((row) =>
  !view.hidden.has(row.step.thread) && (!view.object || row.step.object === view.object || row.number === "") &&
  (view.all || row.number === "" || view.trace.matters[row.at]));

function draw(view) {
  const rows = shown(view);
  const threads = view.threads.filter((thread) => !view.hidden.has(thread));
  const column = new Map(threads.map((thread, at) => [thread, at + 4]));
  const cell = (kind, content, title) => el("td", { class: kind, role: "cell", title, "aria-label": title }, content);
  const none = (text) => el("th", { class: "none", scope: "col", role: "columnheader" }, text);
  const one = view.files.size < 2;
  const head = el("tr", { role: "row" }, none(""), none("#"), none(one ? "line" : "where"), threads.map((thread) => coloured(
    el("th", { scope: "col", role: "columnheader", "data-thread": thread }, `${thread} ${view.trace.threads[thread] || ""}`), thread)));
  const where = (at) => (!at || !at.line ? "" : one ? String(at.line) : `${at.file.split("/").pop()}:${at.line}`);
  let before = null, looping = false;
  for (const row of view.rows) row.node = null;
  const body = rows.map((row) => {
    const step = row.step;
    const change = row.number !== "" && before !== null && before !== step.thread;
    before = row.number === "" ? before : step.thread;
    const mark = change ? (step.preempts ? "\u00bb" : "\u203a") : "";
    const faint = row.number !== "" && !view.trace.matters[row.at];
    const kinds = { switch: change, preempts: change && step.preempts, wrong: row.wrong, faint };
    const classes = Object.keys(kinds).filter((kind) => kinds[kind]).join(" ");
    const attributes = { class: classes || null, role: "row", "aria-selected": "false", "data-step": row.number };
    row.what = coloured(cell("what", el("span", { title: words(step) }, brief(step))), step.thread);
    row.what.style.gridColumn = column.get(step.thread);
    row.node = el("tr", { ...attributes, onclick: () => select(view, view.rows.indexOf(row)) },
      cell("mark", mark, change ? (step.preempts ? "preemption" : "switch") : null), cell("number", String(row.number)),
      cell("where", where(step.at), place(step.at) || null), row.what);
    const cycle = view.trace.finding.cycle;
    if (cycle && looping === false && row.number !== "" && row.number >= cycle.first) {
      looping = true;
      return [el("tr", { class: "forever" }, el("td", {}, "and then for ever:")), row.node];
    }
    return row.node;
  });
  view.table = el("table", { class: threads.length > 6 ? "steps dense" : "steps", role: "table" }, el("thead", {}, head), view.body = el("tbody", {}, body));
  view.table.style.setProperty("--threads", threads.length);
  if (!one) view.table.style.setProperty("--place", "8.5rem");
  view.lanes.replaceChildren(view.table);
  for (const th of head.querySelectorAll("[data-thread]")) {
    const rule = el("div", { class: "rule" });
    rule.style.left = `${th.offsetLeft}px`;
    view.body.append(rule);
  }
  view.body.append(view.arrows = svg("svg", { class: "arrows", "aria-hidden": "true", width: view.body.offsetWidth, height: view.body.offsetHeight }));
  const marker = svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" });
  marker.append(svg("path", { d: "M0 0 8 4 0 8z" }));
  const defs = svg("defs", {});
  defs.append(marker);
  view.arrows.append(defs);
  view.column = new Map([...head.querySelectorAll("[data-thread]")].map((th) => [Number(th.dataset.thread), th.offsetLeft]));
  view.byStep = new Map(rows.filter((row) => row.number !== "").map((row) => [row.at, row]));
  view.listed = rows;
  if (rows.length <= ALL_ARROWS) for (const row of rows) arrowsTo(view, row);
  select(view, view.selected);
}

// Draws the arrows from the causes of a step to it: down from the cause's margin to the edge below its row, along that to the margin of the
// step's column, down there, and to the step.
function arrowsTo(view, row) {
  if (row.number === "" || !row.node) return;
  (row.step.after || []).forEach((cause, number) => {
    const from = view.byStep.get(cause);
    if (!from || !from.node) return;
    const shift = 5 + (cause * 3 + number) % 3 * 4;
    const [x1, x2] = [view.column.get(from.step.thread) + 16, view.column.get(row.step.thread) + shift];
    const y1 = from.node.offsetTop + from.node.offsetHeight / 2, edge = from.node.offsetTop + from.node.offsetHeight;
    const y2 = row.node.offsetTop + Math.min(12, row.node.offsetHeight / 2);
    const path = svg("path", { d: `M${x1 + 4} ${y1}H${x1}V${edge}H${x2}V${y2}H${view.column.get(row.step.thread) + 20}`, "marker-end": "url(#head)" });
    path.dataset.from = cause;
    path.dataset.to = row.at;
    view.arrows.append(path);
  });
}

function near(view, row) {
  const concerns = (path) => row.number !== "" && (Number(path.dataset.to) === row.at || Number(path.dataset.from) === row.at);
  if (view.listed.length > ALL_ARROWS) {
    for (const path of view.arrows.querySelectorAll("path[data-to]")) path.remove();
    arrowsTo(view, row);
    for (const other of view.listed) if ((other.step.after || []).includes(row.at) && row.number !== "") arrowsTo(view, other);
  }
  for (const path of view.arrows.querySelectorAll("path[data-to]")) path.classList.toggle("near", concerns(path));
}

function select(view, index) {
  const before = view.rows[view.selected];
  if (before?.node) before.node.setAttribute("aria-selected", "false");
  view.selected = Math.max(0, Math.min(view.rows.length - 1, index));
  const row = view.rows[view.selected];
  if (!row) return;
  if (!row.node && (view.all || view.hidden.size === 0) && !view.object) {
    // A step that does not matter was asked for.
    if (!view.all && row.number !== "" && !view.trace.matters[row.at]) { view.all = true; draw(view); return; }
  }
  if (row.node) row.node.setAttribute("aria-selected", "true");
  near(view, row);
  panels(view, row);
  if (row.node) reveal(view.lanes, row);
  try { history.replaceState(null, "", `#${encodeURIComponent(view.trace.finding.id)}/${view.selected + 1}`); } catch { /* a page without an address */ }
}

// Scrolls the lanes, not the page, until the cell of the row is in view in both directions.
function reveal(lanes, row) {
  const [all, cell] = [lanes.getBoundingClientRect(), row.what.getBoundingClientRect()];
  const head = lanes.querySelector("thead").offsetHeight, fixed = row.node.querySelector(".where").getBoundingClientRect().right - all.left;
  const margin = 12;
  if (cell.top < all.top + head + margin) lanes.scrollTop -= all.top + head + margin - cell.top;
  else if (cell.bottom > all.bottom - margin) lanes.scrollTop += cell.bottom - all.bottom + margin;
  if (cell.left < all.left + fixed) lanes.scrollLeft -= all.left + fixed - cell.left;
  else if (cell.right > all.right) lanes.scrollLeft += cell.right - all.right;
}

function move(by) {
  if (!current) return;
  const rows = current.listed;
  const at = rows.indexOf(current.rows[current.selected]);
  const to = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by));
  if (rows[to]) select(current, current.rows.indexOf(rows[to]));
}
