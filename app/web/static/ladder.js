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
  main.replaceChildren(h("div.wide", h("h1", `${about.title}: opponents, by what perfect play wins`), told));
  const rungs = await askPatiently("/ladder", { game }, (text) => told.replaceChildren(text), current);
  if (!current()) return;
  const next = rungs.find((one) => !won.includes(one.name)),
    most = Math.max(...rungs.map((one) => one.wins));
  told.textContent =
    "Weakest first. The figures are exact, or from games played here, with a 95 % interval. Perfect play does not " +
    "exploit mistakes: an opponent that it wins little from may still be easy to beat. " +
    `You have beaten ${rungs.filter((one) => won.includes(one.name)).length} of ${rungs.length}.`;
  const titled = (text) => h("th", { scope: "col" }, text),
    head = h("tr", titled("opponent"), titled("perfect play wins, points a game"), h("td"), h("td"));
  const row = (one) =>
    h(
      "tr",
      h("th.name", { scope: "row" }, one.title, h("span.done", won.includes(one.name) ? " ✓ beaten" : "")),
      h(
        "td",
        one.wins === null ? "not measured" : number(one.wins, 2),
        one.within ? h("small", one.within.map((end) => number(end, 2)).join(" to ")) : null,
      ),
      h("td.name", bar("right", most && Math.max(one.wins, 0) / most)),
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
  main.append(h("section.panel.wide", h("table.ladder", h("thead", head), h("tbody", ...rungs.map(row)))));
}
