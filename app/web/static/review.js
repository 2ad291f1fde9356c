// What a match teaches: a sentence, where to try again, the mistakes, and how the person mixes.

import { ask, askPatiently } from "./api.js";
import { Board } from "./board.js";
import { address } from "./navigation.js";
import { bar, counted, h, lost, points, share, sparkline } from "./parts.js";

const MOST_MIXTURES = 3;

// It is asked for again until the game is solved. `retry(code)` begins a match at a state.
export function review(about, match, { you, who, current, earlier, retry }) {
  const section = h("section.panel", { id: "review" }, h("h2", "Review"), h("p.soft", "Measuring every move …"));
  const waits = (text) => {
    section.lastChild.textContent = text;
  };
  askPatiently(`/matches/${match.id}/review`, { with: earlier }, waits, () => current() && section.isConnected)
    .then((found) => {
      if (!("solving" in found)) section.replaceChildren(...parts(found)); // else the page shows something else
    })
    .catch((problem) => section.replaceChildren(h("h2", "Review"), h("p", problem.message)));

  const before = (step) => match.steps[step - 1].before;

  function parts(found) {
    const isCostly = (move) => move.loss > 5e-5,
      costly = found.moves.filter(isCostly),
      others = found.moves.filter((move) => !isCostly(move)),
      { worst, expected } = found;
    return [
      h("h2", found.headline),
      worst && you !== undefined
        ? h("button.primary", { type: "button", id: "mistake", click: () => retry(before(worst)) }, "Retry from there")
        : null,
      expected
        ? sparkline(
            expected.map((value) => (you ? -value : value)),
            `Points expected of ${who(you ?? 0)} with perfect play from each move on`,
            worst ? [worst] : [],
          )
        : null,
      ...found.mixtures.slice(0, MOST_MIXTURES).map((one) => mixture(about, you, one, true)),
      costly.length ? table(found, costly) : null,
      others.length
        ? h("details", h("summary", `${counted(others.length, "move")} without a mistake`), table(found, others))
        : null,
      h(
        "p",
        [0, 1].map((player) => `${who(player)} lost ${points(found.totals[player])} by mistakes. `),
      ),
      h(
        "p.soft",
        expected ? "The curve: points so far, and those still expected with perfect play. " : "",
        h("a", { id: "share", href: link() }, "Link to this match"),
        worst && you !== undefined && about.offers.includes("practice")
          ? [
              " · ",
              h(
                "a",
                { href: address("practise", { game: about.game, code: before(worst), player: you }) },
                "Practise it",
              ),
            ]
          : null,
      ),
    ].filter(Boolean);
  }

  const table = ({ expected, worst }, moves) =>
    h(
      "table",
      h(
        "thead",
        h(
          "tr",
          ["move", "player", "played", "better", "cost"].map((head) =>
            h("th", { scope: "col", class: head === "cost" ? null : "name" }, head),
          ),
        ),
      ),
      h(
        "tbody",
        moves.map((move) =>
          h(
            "tr",
            { class: move.step === worst && (you ?? move.player) === move.player ? "worst" : null },
            h(
              "td.name",
              h(
                "a",
                {
                  href: address("explore", {
                    game: about.game,
                    code: before(move.step),
                    ...(expected ? {} : { player: move.player }),
                  }),
                },
                move.step,
              ),
            ),
            h("td.name", who(move.player)),
            h("td.name", move.action),
            h("td.name", move.better.slice(0, 3).join(", ")),
            h("td", move.loss === null ? "–" : lost(move.loss)),
          ),
        ),
      ),
    );

  // An address with all that happened, so that it can be sent to others.
  function link() {
    const moves = match.steps.map((step) =>
      [...step.actions.map((action) => action ?? ""), ...(about.chance ? [step.after] : [])].join("."),
    );
    const [p0, p1] = match.players;
    return address("watch", { game: about.game, p0, p1, start: match.steps[0].before, moves: moves.join("-") });
  }

  return section;
}

// How the person mixes at a state, or at those alike; and with `whole` how the equilibrium does.
export function mixture(about, player, one, whole) {
  const board = one.states === 1 && whole ? new Board(about, player) : null;
  if (board)
    ask("/state", { game: about.game, code: one.code, player })
      .then((state) => board.show(state))
      .catch(() => {});
  const row = (name, kind, value) => [h("td", share(value)), h("td.name", bar(kind, value))];
  return h(
    "section.panel.mixture",
    { "aria-label": "Your mix" },
    h("h2", "Your mix"),
    board?.element,
    h(
      "table.mixes",
      h(
        "thead",
        h(
          "tr",
          h("th.name", { scope: "col" }, "action"),
          h("th.name", { scope: "col", colspan: 2 }, "you"),
          whole ? h("th.name", { scope: "col", colspan: 2 }, "perfect mix") : null,
        ),
      ),
      h(
        "tbody",
        one.actions
          .filter(({ plays, probability }) => Math.max(plays, probability) >= 5e-3)
          .map(({ name, plays, probability }) =>
            h("tr", h("td.name", name), row(name, player, plays), whole ? row(name, "right", probability) : null),
          ),
      ),
    ),
    h(
      "p",
      one.price === null ? "" : `Somebody who reads your mix wins ${points(one.price)} more a ${one.unit}. `,
      h(
        "small.soft",
        `From ${one.choices} choices${one.states > 1 ? ` in ${one.states} states alike` : ""}. `,
        one.uneven ? "" : "By chance alone a perfect mix can look like this.",
      ),
    ),
  );
}
