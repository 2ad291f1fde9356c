// The opponents of a game, the weakest first, and which of them were beaten in this browser.

import { askPatiently } from "./api.js";
import { address, keep, kept } from "./navigation.js";
import { bar, h, number } from "./parts.js";

const beaten = (game) => kept(`beaten ${game}`) ?? [];
export const beat = (game, rival) => keep(`beaten ${game}`, [...new Set([...beaten(game), rival])]);

export async function ladder(main, about, query, current) {
  const told = h("p.soft", { role: "status" }, "Measuring the opponents …"),
    game = about.short,
    won = beaten(game);
  main.replaceChildren(h("div.wide", h("h1", `${about.title}: opponents`), told));
  const rungs = await askPatiently("/ladder", { game }, (text) => told.replaceChildren(text), current);
  if (!current()) return;
  const most = Math.max(...rungs.map((one) => one.wins)),
    alike = rungs.every((one) => one.wins === rungs[0].wins && !one.within),
    groups = alike ? [false, true] : [true, false], // levels, and others; those with habits first
    among = (level) => rungs.filter((one) => one.level === level),
    next = groups.flatMap(among).find((one) => !won.includes(one.name));
  told.textContent =
    (alike
      ? `Perfect play wins ${number(most, 2)} from everybody here. To win more, find an opponent's habit. `
      : "Points a game, the weakest first: exact, or from games played here, with a 95 % interval. ") +
    `You have beaten ${rungs.filter((one) => won.includes(one.name)).length} of ${rungs.length}.`;
  const titled = (text) => h("th", { scope: "col" }, text),
    head = h("tr", titled("opponent"), titled("perfect play wins"), h("td"), h("td"));
  const row = (one) =>
    h(
      "tr",
      h("th.name", { scope: "row" }, one.title, h("span.done", won.includes(one.name) ? " ✓ beaten" : "")),
      h(
        "td",
        one.wins === null ? "not measured" : number(one.wins, 2),
        one.within ? h("small", one.within.map((end) => number(end, 2)).join(" to ")) : null,
      ),
      h("td.name", one.wins > 0 ? bar("right", one.wins / most) : null),
      h(
        "td",
        h(
          "a",
          { class: one === next ? "button primary" : "button", href: address("play", { game, p1: one.name }) },
          "Play",
          h("span.unseen", ` ${one.title}`),
        ),
      ),
    );
  const group = (level) => {
    const title = level ? "By strength" : "Characters and programs",
      rows = among(level).map(row);
    return rows.length ? h("tbody", h("tr", h("th.name.group", { scope: "rowgroup", colspan: 4 }, title)), rows) : "";
  };
  const table = h(alike ? "table.ladder.alike" : "table.ladder", h("thead", head), groups.map(group));
  main.append(h("section.panel.wide", table));
}
