// What is in a folder that the command line named: a training run, a tournament, a table of results.

import { ask } from "./api.js";
import { go, tell } from "./app.js";
import { chart } from "./chart.js";
import { h, shade } from "./parts.js";

const AGAIN = 2000; // milliseconds after which a run that goes on is looked at again

export async function results(main, about, given, current) {
  const { folders } = await ask("");
  if (!current()) return null;
  if (!folders.length) {
    main.replaceChildren(h("section", { class: "panel wide" }, h("h1", {}, "Results"),
      h("p", {}, "Name folders on the command line to see training runs, tournaments and tables of results here:"), h("pre", {}, "nashzoo web runs/footsies")));
    return () => {};
  }
  const folder = given.folder || folders[0].folder;
  const choose = h("select", { change: (event) => go("results", { game: about.game, folder: event.target.value }) },
    ...folders.map((one) => h("option", { value: one.folder, selected: one.folder === folder }, `${one.folder}: ${one.kind}`)));
  const body = h("div", { class: "wide", id: "results" });
  let timer = null, gone = false, before = "";

  async function show() {
    try {
      const found = await ask("/folder", { folder });
      if (gone) return;
      tell(null);
      const now = JSON.stringify(found);
      if (now !== before) draw(found);
      before = now;
      if (found.live) timer = setTimeout(show, AGAIN);
    } catch (problem) {
      tell(problem);
    }
  }

  function draw(found) {
    body.replaceChildren(h("h1", {}, found.title),
      ...(found.live ? [h("p", { role: "status" }, "Training goes on, or was interrupted; the page follows it.")] : []),
      h("div", { class: "charts" }, ...found.charts.filter((one) => one.series.length).map(chart)),
      ...found.tables.map((one) => h("section", { class: "panel" }, sortable(one))),
      h("dl", { class: "facts" }, ...Object.entries(found.facts).flatMap(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, value)])));
  }

  main.replaceChildren(h("form", { class: "wide", submit: (event) => event.preventDefault() }, h("label", {}, "Folder", choose)), body);
  await show();
  return () => { gone = true; clearTimeout(timer); };
}

const value = (cell) => (cell !== null && typeof cell === "object" ? cell.value : cell);

function text(cell) {
  if (cell === null || typeof cell !== "object") return [String(cell)];
  if (cell.value === null) return ["–"];
  const figure = (one) => one.toFixed(cell.digits).replace("-", "−");
  return [figure(cell.value), ...(cell.low === null ? [] : [h("small", {}, `${figure(cell.low)} to ${figure(cell.high)}`)])];
}

// A table whose columns sort it; a second time the other way round. Empty cells are last.
function sortable(table) {
  let column = null, down = true;
  const body = h("tbody");
  const heads = table.columns.map((name, k) => h("th", { scope: "col", class: typeof value((table.rows[0] || [])[k]) === "string" ? "name" : null }, h("button", { type: "button", class: "sort", click: () => sort(k) }, name)));
  const colour = (cell) => (table.shade === undefined || value(cell) === null || typeof value(cell) !== "number" ? null : shade((value(cell) - table.shade) / table.shade));

  function sort(k) {
    down = k === column ? !down : typeof value(table.rows[0][k]) === "number";
    column = k;
    heads.forEach((head, place) => (place === k ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
    draw();
  }

  function draw() {
    const rows = [...table.rows];
    if (column !== null) rows.sort((a, b) => {
      const [one, other] = [value(a[column]), value(b[column])];
      if (one === null || other === null) return (one === null) - (other === null);
      return (one < other ? -1 : one > other ? 1 : 0) * (down ? -1 : 1);
    });
    body.replaceChildren(...rows.map((row) => h("tr", {}, ...row.map((cell, k) => h(k === 0 ? "th" : "td", { scope: k === 0 ? "row" : null, class: typeof value(cell) === "string" ? "name" : null, style: colour(cell) }, ...text(cell))))));
  }

  draw();
  return [h("h2", {}, table.title), h("table", { class: "results" }, h("caption", {}, `${table.about} Choose a column to sort by it.`), h("thead", {}, h("tr", {}, ...heads)), body)];
}
