// What is in a folder that the command line named: a training run, a tournament, a table of results.

import { ask } from "./api.js";
import { ladder } from "./ladder.js";
import { address, gameChooser, go, kept, site, tell } from "./navigation.js";
import { chart } from "./chart.js";
import { PERSON, chooser, fill, groupRow, h, shade, signed, titleOf } from "./parts.js";

const AGAIN = 2000; // milliseconds after which a run that goes on is looked at again

const MEANING =
  "Exploitability is what an opponent who knows how a player chooses (its policy) wins from it. It is exact. " +
  "Perfect play has none: 0.";
const RECORD = ["won", "drawn", "lost"];
const across = { across: "decisions that it has learned from", x: [0, 6144, 12288, 18432, 20480], told: true };
const learned = (y, line) => ({ ...across, series: [{ name: "the player that learns", y }], lines: [line] });
const EXAMPLES = [
  {
    title: "points won from the Simple-Minded, per game",
    ...learned([0.037, 0.298, 0.409, 0.459, 0.466], ["the most that can be won", 0.5]),
  },
  {
    title: "points lost to one who knows it, per game (exploitability)",
    ...learned([0.3346, 0.554, 0.584, 0.704, 0.671], ["perfect play", 0]),
  },
]; // by the command below, with Stable-Baselines3 2.9

export async function results(main, about, query, current) {
  const { folders } = site;
  if (!folders.length) {
    const known = h("div.wide");
    main.replaceChildren(
      h("h1.wide", `${about.title}: results`),
      record(about),
      known,
      h(
        "div.tools.wide",
        about.offers.includes("practice") &&
          h("a.button", { href: address("weaknesses", { game: about.game }) }, "See where a player loses"),
        h("a.button", { href: address("watch", { game: about.game }) }, "Watch two players"),
        gameChooser(about, "results"),
      ),
      h(
        "section.panel.wide",
        h("h2", "A player that learns: an example from Footsies"),
        h("p", "It learns to win from the Simple-Minded, but one who knows it wins twice as much from it as at first."),
        h("div.charts", ...EXAMPLES.map(chart)),
        h("p.soft", MEANING),
        h(
          "details",
          h("summary", "Results of your own, by commands"),
          h("p", "Train a player; it takes about a minute. Then play against it, here, too:"),
          h(
            "pre",
            "nashzoo train footsies_v0 --opponent counter --timesteps 20000 --run-dir runs/footsies\n" +
              "nashzoo web runs/footsies",
          ),
          h("p", "Or let players meet, for their ratings and who beats whom:"),
          h(
            "pre",
            "nashzoo tournament footsies_v0 --agents nash counter random --out runs/meeting\nnashzoo web runs/meeting",
          ),
        ),
      ),
    );
    await ladder(known, about, query, current, h("h2", "All opponents")).catch((problem) => current() && tell(problem));
    return () => {};
  }
  const folder = query.folder || folders[0].folder;
  const choose = chooser(
    folders.map((one) => [one.folder, `${one.folder}: ${one.kind}`]),
    folder,
    { change: (event) => go("results", { game: about.game, folder: event.target.value }) },
  );
  const body = h("div.wide", { id: "results" });
  const chosen = { game: null, player: "", grouped: true }; // what was chosen; a run that goes on is drawn again
  let timer = null,
    before = "";

  async function show() {
    try {
      const report = await ask("/folder", { folder });
      if (!current()) return;
      tell(null);
      const now = JSON.stringify(report);
      if (now !== before) draw(report);
      before = now;
      if (report.live) timer = setTimeout(show, AGAIN);
    } catch (problem) {
      if (current()) tell(problem);
    }
  }

  // Controls of tables of results: which game, which players, and whether they are grouped.
  function filters(report, redraw) {
    if (!report.tables.some((one) => "group" in one)) return null;
    const titles = report.tables.map((one) => one.title);
    chosen.game ??= titles.find((one) => one.startsWith(about.name)) ?? titles[0];
    const pick = (name, read) => (event) => {
      chosen[name] = read(event.target);
      redraw();
    };
    const games = titles.map((one) => [one, inWords(one)]);
    const search = { type: "search", value: chosen.player, placeholder: "all players", autocomplete: "off" },
      change = pick("grouped", (one) => one.checked);
    return h(
      "form",
      { role: "search" },
      h(
        "label",
        "Game",
        chooser([["", "all games"], ...games], chosen.game, { id: "of", change: pick("game", (one) => one.value) }),
      ),
      h(
        "label",
        "Player",
        h("input", { id: "player", ...search, input: pick("player", (one) => one.value.trim().toLowerCase()) }),
      ),
      h(
        "label.row",
        h("input", { id: "grouped", type: "checkbox", checked: chosen.grouped, change }),
        "grouped by what they learn from",
      ),
    );
  }

  function draw(report) {
    const tables = h("div"),
      redraw = () =>
        tables.replaceChildren(
          ...report.tables
            .filter((one) => !chosen.game || one.title === chosen.game)
            .map((one) => h("section.panel", sortable(one, chosen))),
        );
    const controls = filters(report, redraw),
      titled = report.title.replace(/\w+_v\d.*/, inWords);
    redraw();
    fill(
      body,
      h("h1", { id: "headline" }, report.headline ?? titled),
      h("p.soft", report.headline ? titled : ""),
      report.charts.some((one) => one.title.startsWith("exploitability")) && h("p", MEANING),
      report.live && h("p", { role: "status" }, "Training goes on, or was interrupted; the page follows it."),
      report.play?.map((seats) =>
        h(
          "p.links",
          h("a.button.primary", { href: address("play", { p0: PERSON, p1: PERSON, ...seats }) }, "Play against it"),
          Object.values(seats).some((one) => one.endsWith(".zip")) &&
            h("small.soft", "A .zip runs code when it is loaded: load only what you trust."),
        ),
      ),
      h("div.charts", ...report.charts.filter((one) => one.series.length).map((one) => chart({ ...one, told: true }))),
      controls,
      tables,
      h(
        "details",
        h("summary", "Settings"),
        h(
          "dl.facts",
          ...Object.entries(report.facts).flatMap(([name, one]) => [h("dt", name.replaceAll("_", " ")), h("dd", one)]),
        ),
      ),
    );
  }

  main.replaceChildren(h("form.wide", h("label", "Folder", choose)), body);
  await show();
  return () => clearTimeout(timer);
}

// The games in this browser against each opponent.
function record(about) {
  const rows = Object.entries(kept(`record ${about.name}`) ?? {});
  const cells = (name, counts, cell) =>
    h("tr", h("th.name", { scope: "row" }, name), ...counts.map((one) => h(cell, one)));
  return h(
    "section.panel.wide",
    { id: "record" },
    h("h2", "Your games"),
    rows.length
      ? h(
          "table",
          h("thead", cells("against", RECORD, "th")),
          h(
            "tbody",
            ...rows.map(([name, now]) =>
              cells(
                titleOf(about, name),
                RECORD.map((one) => now[one] ?? 0),
                "td",
              ),
            ),
          ),
        )
      : h("p.soft", "None yet. ", h("a", { href: address("play", { game: about.short }) }, "Play one")),
  );
}

// The title of a table, which is the text of a game, such as footsies_v0(rounds=1), as Footsies: rounds 1.
function inWords(title) {
  const [name, rest = ""] = title.split(/[():]/),
    game = site.games.find((one) => one.name === name);
  return game ? [game.title, rest.replace(/[_=]/g, " ").replaceAll("'", "")].filter(Boolean).join(": ") : title;
}

const GIVEN = {
  transitions: "Learn from the games that they play",
  "a simulator": "May try every move in every state",
  "by hand": "Written by hand",
  "the rules": "Know all the rules",
};

const value = (cell) => (cell !== null && typeof cell === "object" ? cell.value : cell);

function text(cell) {
  if (cell === null || typeof cell !== "object") return [String(cell)];
  if (cell.value === null) return ["–"];
  const figure = (one) => signed(one.toFixed(cell.digits));
  const dash = cell.low < 0 ? " to " : "\u2060–\u2060"; // where no line ends
  return [figure(cell.value), ...(cell.low === null ? [] : [h("small", figure(cell.low) + dash + figure(cell.high))])];
}

// A table whose columns sort it; a second time the other way round. Empty cells are last. In groups, by the first words
// of the column `group`, what it says further and the columns `aside` stand under the first one.
function sortable(table, { player, grouped }) {
  const inGroups = grouped && "group" in table,
    under = inGroups ? [...table.aside, table.group] : [];
  const isIdle = (k) => table.columns[k].startsWith("drawn") && table.rows.every((row) => !value(row[k])),
    columns = table.columns.map((_, k) => k).filter((k) => !under.includes(k) && !isIdle(k));
  const words = (row) => String(row[table.group]).split(", "),
    aside = (row) => (inGroups ? [...table.aside.map((k) => row[k]), ...words(row).slice(1)].join(", ") : "");
  const rowsShown = table.rows.filter((row) => String(value(row[0])).toLowerCase().includes(player));
  const groups = inGroups ? [...new Set(rowsShown.map((row) => words(row)[0]))] : [null];
  const isExtra = (k) => table.extra?.includes(k), // can be left out where it is narrow
    look = (cell, k) => (isExtra(k) ? "extra" : typeof value(cell) === "string" ? "name" : null);
  const extras = columns.filter(isExtra).map((k) => table.columns[k]);
  let column = null,
    down = true;
  const bodies = groups.map(() => h("tbody"));
  const heads = columns.map((k) =>
    h(
      "th",
      { scope: "col", class: look((table.rows[0] || [])[k], k) },
      h("button.sort", { type: "button", click: () => sort(k) }, table.columns[k]),
    ),
  );
  const colour = (cell) =>
    table.shade === undefined || value(cell) === null || typeof value(cell) !== "number"
      ? null
      : shade((value(cell) - table.shade) / table.shade);

  function sort(k) {
    down = k === column ? !down : typeof value(table.rows[0][k]) === "number";
    column = k;
    heads.forEach((head, place) =>
      columns[place] === k
        ? head.setAttribute("aria-sort", down ? "descending" : "ascending")
        : head.removeAttribute("aria-sort"),
    );
    draw();
  }

  function draw() {
    const rows = [...rowsShown];
    if (column !== null)
      rows.sort((a, b) => {
        const [one, other] = [value(a[column]), value(b[column])];
        if (one === null || other === null) return (one === null) - (other === null);
        return (one < other ? -1 : one > other ? 1 : 0) * (down ? -1 : 1);
      });
    groups.forEach((group, place) =>
      fill(
        bodies[place],
        inGroups && groupRow(GIVEN[group] ?? `${table.columns[table.group]}: ${group}`, columns.length),
        ...rows
          .filter((row) => group === null || words(row)[0] === group)
          .map((row) =>
            h(
              "tr",
              ...columns.map((k) =>
                h(
                  k === 0 ? "th" : "td",
                  { scope: k === 0 ? "row" : null, class: look(row[k], k), style: colour(row[k]) },
                  ...text(row[k]),
                  k === 0 && aside(row) ? h("small", aside(row)) : null,
                ),
              ),
            ),
          ),
      ),
    );
  }

  draw();
  return [
    h("h2", inWords(table.title)),
    h(
      "table.results",
      { style: `--columns: ${columns.filter((k) => !isExtra(k)).length - 1}` },
      h(
        "caption",
        `${table.about} Choose a column to sort by it.`,
        extras.length ? h("span.narrow-only", ` On a wider screen also: ${extras.join(", ")}.`) : null,
      ),
      h("thead", h("tr", ...heads)),
      ...bodies,
    ),
    rowsShown.length ? null : h("p.soft", "No player of this name."),
  ];
}
