// The opponents of a game, the weakest first, and against which of them somebody has won in this browser.

import { askPatiently } from "./api.js";
import { address, keep, kept, site } from "./navigation.js";
import { bar, calledOf, groupRow, h, headOf, rounded } from "./parts.js";

const LEVELS = "Levels, the easiest first";
// In a column.
const aligned = (value) => (Math.abs(value) < 0.005 ? "0" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`);

const beaten = (game) => kept(`beaten ${game}`) ?? [];
export const beat = (game, rival) => keep(`beaten ${game}`, [...new Set([...beaten(game), rival])]);

// The level above the strongest one that was beaten; the last one when it is that.
export const nextLevel = ({ short, opponents: [{ players }] }) =>
  players[players.findLastIndex((one) => beaten(short).includes(one.name)) + 1] ?? players.at(-1);

// Whom somebody played last; before the first match the first level.
export function lastRival(about) {
  const name = kept(`rival ${about.game}`);
  return name ? { name, title: calledOf(about, name) } : nextLevel(about);
}

export const beatenMark = ({ short }, { name }, word = "") =>
  beaten(short).includes(name) ? h("span.done", ` ✓${word}`) : null;

// What an opponent does, and the page that shows how, where there is one.
export function habitsOf(one) {
  const page = site.pages.find(({ name }) => name === one?.name);
  return one?.does ? [one.does, ...(page ? [" See how: ", h("a", { href: `#${page.name}` }, page.title)] : [])] : [];
}

export async function ladder(main, about, query, current, heading = h("h1", `${about.title}: opponents`)) {
  const told = h("p.soft", { role: "status" }, "Measuring the opponents …"),
    game = about.short,
    won = beaten(game);
  const list = h("section.panel.wide");
  main.replaceChildren(h("div.wide", heading, told), list);
  show([[LEVELS, about.opponents[0].players]]); // the others come in an order that is not known yet
  const rungs = await askPatiently(
    "/ladder",
    { game },
    (text) => told.replaceChildren(text, " More opponents follow."),
    current,
  );
  if (!current()) return;
  const alike = "best" in rungs[0], // perfect play wins the same from all
    figure = (one) => (alike ? one.best : one.wins),
    hasHabit = (one) => one.best > one.wins,
    groups = [
      [LEVELS, (one) => one.level],
      [
        `${alike ? "With a habit" : "Characters and programs"}, the easiest first`,
        (one) => !one.level && (!alike || hasHabit(one)),
      ],
      ["Without a fixed habit", (one) => !one.level && alike && !hasHabit(one)],
    ].map(([title, belongs]) => [title, rungs.filter(belongs)]),
    most = Math.max(...rungs.map(figure)),
    next = [nextLevel(about), ...groups.slice(1).flatMap(([, some]) => some)].find((one) => !won.includes(one.name));
  told.textContent =
    "The bar is what " +
    (alike
      ? "you can win per game if you know its habit, in points. " +
        "Perfect play looks for no habit, and wins as much as it loses. "
      : "perfect play wins from each per game, in points, on average over both sides. " +
        "Players who watch your moves may be harder for you. " +
        (rungs.some((one) => one.within) ? "Figures with ± are from games; the others are exact. " : "")) +
    `You have won against ${rungs.filter((one) => won.includes(one.name)).length} of ${rungs.length}.`;
  show(groups, alike, figure, most);

  function show(groups, alike, figure, most) {
    const measured = !figure ? "points" : alike ? "points to win if you know the habit" : "perfect play wins";
    const unknown = (one) => h("small", one.learns ? "learns from you" : one.unlisted),
      written = (one) => (!figure ? "" : figure(one) !== null ? aligned(figure(one)) : unknown(one)),
      margin = ({ within: [low, high] }) => `± ${rounded((high - low) / 2)}`;
    const row = (one) =>
      h(
        "tr",
        h("th.name", { scope: "row" }, h("b", one.title), beatenMark(about, one, " won"), h("small", habitsOf(one))),
        h("td", written(one), one.within && h("small", margin(one))),
        h("td.name", bar("right", figure?.(one) > 0 ? figure(one) / most : 0)), // rows keep their height
        h(
          "td",
          h(
            "a",
            {
              class: figure && one.name === next?.name ? "button primary" : "button",
              href: address("play", { game, p1: one.name }),
            },
            "Play",
            h("span.unseen", ` ${one.title}`),
          ),
        ),
      );
    const group = ([title, some]) => some.length > 0 && h("tbody", groupRow(title, 4), some.map(row));
    list.replaceChildren(h("table.ladder", headOf(["opponent", measured, "", ""]), groups.map(group)));
  }
}
