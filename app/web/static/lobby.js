// All games with their pictures, and the match that goes on.

import { address, baseOf, kept, listed, site } from "./navigation.js";
import { pictureOf } from "./board.js";
import { isNew } from "./hints.js";
import { beatenMark, nextLevel } from "./ladder.js";
import { h } from "./parts.js";
import { choicesOn, streakText, today } from "./practise.js";

export function lobby(main) {
  const { games } = site,
    own = site.offline ? [] : games.filter((one) => ![one.game, one.game.split("(")[0]].includes(one.name)),
    last = kept("continue"),
    begin = listed().find((one) => one.turn_based && one.brief) ?? games[0],
    played = games.find((one) => one.game === baseOf(kept("game"))),
    latest = played ? { ...played, short: kept("game") } : begin, // of the same size
    rival = nextLevel(latest),
    levels = latest.opponents[0].players.map((one) => one.name),
    isEasier = levels.indexOf(rival.name) < levels.indexOf(kept(`rival ${latest.short}`)),
    [href, lead, match] = last
      ? [last.hash, "Go on: ", `${last.title} against ${last.opponent}`]
      : isNew()
        ? [address("play", { game: begin.short }), "Begin here: ", `a game of ${begin.title}, with two hints`]
        : [
            address("play", { game: latest.short, p1: rival.name }),
            isEasier ? "Try an easier opponent: " : "Play: ",
            `${latest.title} against ${rival.title}`,
          ];
  main.replaceChildren(
    h(
      "div.welcome",
      h("h1", "Play, then see exactly what each move cost"),
      h(
        "p",
        "Perfect play is known in every game here. You can also ",
        h("a", { href: "#matrix-game" }, "make a small game of your own"),
        ", or ",
        h("a", { href: "#certificate" }, "check the proof of a solution"),
        ".",
      ),
    ),
    h("a.continue", { href }, h("b", lead), match),
    h(
      "a.continue.spot",
      { href: "#spot" },
      h("b", "Spot of the day: "),
      choicesOn(today()).length ? "played" : "what is right here?",
      streakText() ? `, ${streakText()}` : "",
    ),
    cards(games.filter((one) => !own.includes(one))),
    ...(own.length ? [h("h2.wide", "More games"), cards(own)] : []),
  );
}

function cards(games) {
  return h(
    "ul.cards",
    ...games.map((one) => {
      const learners = one.opponents.find(({ group }) => group === "Learners")?.players ?? [];
      return h(
        "li",
        h(
          "a",
          { href: address("play", { game: one.short }) },
          pictureOf({ ...one, game: one.short, plain: true }, one.picture, 0),
          h("h2", one.title),
          h("p", one.about, parametersOf(one.game)),
        ),
        ...learners.map((rival) =>
          h(
            "a",
            { href: address("play", { game: one.short, p1: rival.name }) },
            `Against ${rival.title.replace(/^The /, "the ")}`,
          ),
        ),
        h("span.soft", "Play against"),
        h(
          "div.levels",
          { role: "group", "aria-label": `${one.title} against` },
          one.opponents[0].players.map((rival) =>
            h(
              "a.button",
              { href: address("play", { game: one.short, p1: rival.name }) },
              h("span", rival.title, beatenMark(one, rival)),
            ),
          ),
        ),
        h("a", { href: address("ladder", { game: one.short }) }, "All opponents"), // last, so that they align
      );
    }),
  );
}

// The parameters in the text of a game, in small print.
function parametersOf(game) {
  const text = /\(([^()]+)\)$/.exec(game)?.[1];
  return text ? h("small", ` (${text.replaceAll(",", ", ").replace(/[=_]/g, " ")})`) : null;
}
