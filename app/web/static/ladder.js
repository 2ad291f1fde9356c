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
  main.replaceChildren(h("div.wide", h("h1", `${about.title}: how much perfect play wins from each`), told));
  const rungs = await askPatiently("/ladder", { game }, (text) => told.replaceChildren(text), current);
  if (!current()) return;
  const [levels, others] = [true, false].map((is) => rungs.filter((one) => one.level === is)),
    next = rungs.find((one) => !won.includes(one.name)),
    most = Math.max(...rungs.map((one) => one.wins));
  const alike = rungs.every((one) => one.wins === rungs[0].wins && !one.within);
  told.textContent =
    (alike
      ? "Against perfect play all actions are worth the same here: it wins nothing from anybody, and loses to nobody. "
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
  const heading = (title) => h("tr", h("th.name.group", { scope: "rowgroup", colspan: 4 }, title)),
    group = (title, some) => (some.length ? h("tbody", heading(title), ...some.map(row)) : "");
  main.append(
    h(
      "section.panel.wide",
      h("table.ladder", h("thead", head), group("By strength", levels), group("Characters and programs", others)),
    ),
  );
}
