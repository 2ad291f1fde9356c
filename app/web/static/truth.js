// The exact solution at a state, beside the board.

import { askPatiently, capital, source } from "./api.js";
import { pictureOf } from "./board.js";
import { NO_LOSS, SEEN, bar, button, costOf, counted, either, fill, h, headOf, number, said, share } from "./parts.js";

// What a certificate proves, in points, as a sentence: its error, rounded up to a power of ten.
export function proven(certificate) {
  if (!certificate) return "Solved exactly, without any error.";
  let power = Math.floor(Math.log10(certificate));
  while (certificate >= Number(`1e${power}`)) power += 1;
  const written = String(power).replace(/./g, (one) => (one === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[one]));
  return `${power <= MOST_EXACT ? "Solved exactly" : "Solved"}; the error is below 10${written} points, proven.`;
}
const FOLDED = 5; // rows or columns from which on those that perfect play never chooses are folded
const MOST_RANGES = 3; // that are written
const MOST_EXACT = -9; // the power of ten below which an error is no more than rounding, as in certificate/bounds.py

// How perfect play ends after an action, where that is known.
const worthAfter = (solution, player, one) =>
  Math.round(1e4 * ((player ? -solution.value : solution.value) - one.loss));
export const endOf = (solution, player, one) => {
  const worth = worthAfter(solution, player, one);
  return worth ? `${worth > 0 ? "wins" : "loses"} in ${counted(one.distance + 1, "move")}` : "draws";
};

const sure = (title, told) => h("details.sure", h("summary.soft", "How sure?"), h("p.soft", { title }, told));

// Who chooses, and the actions.
export const sidesOf = ({ sides, players = [] }) => sides ?? players.map((actions, player) => ({ player, actions }));

// Actions where perfect play never leads, so that its probabilities are arbitrary: the best are known all the same.
function withBest({ reached, actions }) {
  if (reached && !actions.some((one) => one.probability > 1e-6 && one.loss > NO_LOSS)) return actions;
  return actions.map((one) => ({ ...one, optimal: one.loss <= NO_LOSS, probability: Number(one.loss <= NO_LOSS) }));
}

// Histories that are told alike as one, the likeliest first; its code is that of the likeliest among them.
const alike = (histories) =>
  [...Map.groupBy(histories, (one) => one.text).values()]
    .map((among) => ({
      ...among[0],
      codes: among.map((one) => one.code),
      probability: among.reduce((sum, one) => sum + one.probability, 0),
    }))
    .sort((one, other) => other.probability - one.probability);

// Shows it. `follow(action0, action1)` is called when a cell is chosen, `visit(code)` when an outcome of chance or a
// history is, and `known(actions, player)` with the frequencies and regrets of whoever chooses. With hidden information
// it is that of a player's information state, or of all who choose there; `history` is then the state that actions lead
// on from. A person in seat `you` is spoken to.
export class Truth {
  constructor(about, { you, follow = null, visit = null, known = () => {}, valued = () => {}, locks = () => {} } = {}) {
    Object.assign(this, { about, you, follow, visit, known, valued, locks });
    this.element = h("section.panel", { "aria-label": "Exact solution", tabindex: 0 });
    this.code = this.player = this.history = null;
  }

  name(player) {
    return this.you === undefined ? this.about.players[player] : player === this.you ? "you" : "the opponent";
  }

  async show(code, player) {
    Object.assign(this, { code, player, history: null, other: undefined });
    if (!this.element.hasChildNodes()) this.element.append(h("h2", "Exact solution"), h("p.soft", "Looking it up …"));
    const locks = this.locks(),
      current = () => this.code === code && this.player === player && this.locks() === locks,
      say = (text) => current() && fill(this.element, h("h2", "Exact solution"), h("p", text)),
      asked = { game: this.about.game, code, player, locks };
    try {
      const solution = await askPatiently(locks ? "/locked" : "/solution", asked, say, current);
      if (current()) {
        for (const side of solution.sides ?? []) side.actions = withBest(side);
        fill(this.element, ...this.parts(solution));
        this.element.dataset.code = code;
        this.valued(solution);
        for (const side of sidesOf(solution)) this.known(side.actions, side.player, solution.value);
        const reached = (solution.sides ?? []).every((side) => side.reached); // else any mix is in some equilibrium
        if (!locks && reached && this.element.querySelector("[data-share]") && source.records)
          this.mark(code, player, current);
      }
    } catch (error) {
      say(error.message);
    }
  }

  // Shows on the bars from where to where equilibria go, once it is known, unless they hardly differ.
  async mark(code, player, current) {
    const asked = { game: this.about.game, code, player },
      { sides } = await askPatiently("/ranges", asked, () => {}, current).catch(() => ({ sides: [] })); // too large
    if (!current() || !sides?.some((side) => side.reached)) return;
    const ranged = sides
      .filter((side) => !side.unique)
      .flatMap(({ player, actions }) => actions.map((one) => ({ player, ...one })))
      .map((one) => ({ ...one, ends: [one.lower, one.upper].map(share) }))
      .filter(({ ends: [low, high] }) => low !== high);
    for (const { player, action, name, lower, upper, text } of ranged)
      for (const bar of this.element.querySelectorAll(`[data-share="${player} ${action}"]`)) {
        bar.classList.add("ranged");
        bar.style.setProperty("--low", lower.toFixed(4));
        bar.style.setProperty("--high", upper.toFixed(4));
        bar.title = `perfect players may choose ${name} with probability ${text}`;
      }
    if (!ranged.length) {
      const alike = sides.every((side) => side.unique) ? "All perfect players choose so here." : "";
      this.element.querySelector("details.sure").append(h("p.soft.ranges", alike));
      return;
    }
    const each = (those) => those.map(({ name, ends: [low, high] }) => ` ${name} from ${low} to ${high}`),
      any = "There are many perfect mixes; costs are against the mix shown. The marks show how far a share may go.",
      written = [...Map.groupBy(ranged, (one) => one.player)].map(([player, those]) =>
        h("p", `${capital(this.name(player))}: ${each(those)}.`),
      ),
      many = ranged.length > MOST_RANGES,
      isFree = ranged.every(
        (one) => one.player === ranged[0].player && one.ends.join() === [share(0), share(1)].join(),
      ),
      free = `Equally good here: ${either(ranged.map(({ name }) => name))}, or any mix of them.`;
    this.element
      .querySelector(".ranged")
      .closest("table")
      [many ? "before" : "after"](
        many && !isFree
          ? h("details.soft.ranges", h("summary", any), written)
          : h("p.soft.ranges", isFree ? free : `Marks on the bars: perfect players may choose${each(ranged)}.`),
      );
  }

  parts(solution) {
    const { locked } = solution,
      parts = [h("h2", locked ? "Solution with your locks" : "Exact solution")];
    if (locked) parts.push(h("p", this.worth(locked)), this.changes(this.locks()));
    if (solution.over) return [...parts, h("p", "The game is over.")];
    if (locked && solution.sides)
      return [
        ...parts,
        ...solution.sides.map(({ player, actions }) =>
          this.side({ locked, turn_based: solution.turn_based, players: { [player]: actions } }, player),
        ),
        h("p.soft", "Costs are not shown with locks."),
        sure(null, proven(solution.certificate)),
      ];
    if (solution.sides) return [...parts, ...this.information(solution)];
    const worth = this.figure((this.you ? -solution.value : solution.value) + (solution.half ?? 0)),
      winner = this.name(Number(solution.value < 0)),
      wins = solution.value && solution.distance; // of a draw nothing is counted
    const told = locked && Math.abs(locked.value - solution.value) < 1e-9; // above, as at the start
    if (solution.value !== null && !told)
      parts.push(
        h(
          "p",
          this.you === undefined ? `Value ${locked ? "here " : ""}to ${this.name(0)}: ` : "You can expect ",
          h("strong", { id: "value" }, worth),
          counted(worth, "point").slice(worth.length),
          wins > 0 && `: ${winner} ${/^you$|[^s]s$/.test(winner) ? "win" : "wins"} in ${counted(wins, "move")}`,
          wins > 1 && solution.turn_based && ", counting both players' moves",
        ),
      );
    if (solution.reached === false)
      parts.push(h("p.soft", "Play from the start does not lead here; the figures are of play that begins here."));
    if (solution.outcomes) {
      const rows = solution.outcomes.map((one) =>
        h("tr", h("td.name", this.reached(one)), h("td", share(one.probability))),
      );
      return [...parts, h("table", h("caption", "Chance decides"), ...rows)];
    }
    if (solution.turn_based)
      parts.push(
        ...[0, 1].filter((player) => solution.players[player].length > 1).map((player) => this.side(solution, player)),
      );
    else parts.push(this.diagram(solution));
    parts.push(
      sure(
        `Largest gap at any state: ${solution.certificate} points, proven.`,
        `${solution.states.toLocaleString()} states. ${proven(solution.certificate)}`,
      ),
    );
    return parts;
  }

  // A figure with a sign: for whoever studies, and follows actions, with four digits; else with two.
  figure(value) {
    return number(value, this.follow ? 4 : 2);
  }

  isBrief(one) {
    return !this.follow || "value" in one;
  }

  // What the game is worth with locks, and without.
  worth({ value, free, player, locks }) {
    const [now, before] = [value, free].map((one) => number(one + this.about.half, 4));
    const cost = number(Math.abs(value - free), 4).slice(1);
    return [
      `The game is worth `,
      h("strong", { id: "locked" }, now),
      `${counted(now, "point").slice(now.length)} to ${this.name(0)}; ${before} without locks. `,
      `With perfect play elsewhere, the ${locks.length === 1 ? "lock costs" : "locks cost"} ` +
        `${this.name(player)} ${cost ? counted(cost, "point") : "nothing"}.`,
    ];
  }

  // Where play changes because of locks, each with its picture; the same for all states.
  changes(locks) {
    if (this.changed?.dataset.locks === locks) return this.changed;
    const element = h("div", { id: "changes", "data-locks": locks }),
      tell = (...told) => element.replaceChildren(...told),
      soft = (text) => h("p.soft", text);
    this.changed = element;
    tell(soft("Looking for what changes …"));
    askPatiently(
      "/changes",
      { game: this.about.game, locks },
      (progress) => tell(soft(progress)),
      () => this.changed === element,
    )
      .then((found) =>
        found?.length
          ? tell(
              h("h3", "What changes most"),
              h("ul.changes", { role: "list" }, ...found.map((one) => h("li", this.change(one)))),
              soft("With its old choice there a player would lose points."),
            )
          : tell(found && soft("No other choice has to change.")),
      )
      .catch(() => tell());
    return element;
  }

  change({ code, player, seen, text, name, probability, before }) {
    return button(
      { click: () => this.visit(code, player) },
      pictureOf(this.about, seen, undefined, text),
      h(
        "span",
        h("span", { class: `p${player}name` }, capital(this.name(player))),
        `: ${name} ${share(probability)} (before ${share(before)})`,
        h("small", said(this.about, text).replaceAll("\n", " / ")),
      ),
    );
  }

  // A state, in words, to go to.
  reached({ code, text }) {
    const words = said(this.about, text, this.you);
    return this.visit ? button({ click: () => this.visit(code) }, pictureOf(this.about, code), words) : words;
  }

  information(solution) {
    const { history = null, other } = solution.sides[0] ?? {};
    Object.assign(this, { history, other });
    const isDealt = this.about.chance && /\bcard/.test(this.about.rules),
      best = (side) => side.actions.filter((one) => one.optimal).map((one) => one.name);
    const sides = solution.sides.flatMap(({ player, histories, ...side }) => [
      !side.reached &&
        h(
          "p",
          `Perfect play of ${this.name(1 - player)} never leads here. The figures suppose the fewest ` +
            "mistakes that do, and perfect play after them.",
        ),
      h(
        "p",
        h("span", { class: `p${player}name` }, capital(this.name(player))),
        this.you === player ? " can expect " : " expects ",
        h("strong", { id: "value" }, counted(number(side.value + this.about.half, 2), "point")),
        `, from what ${this.you === player ? "you see" : "it sees"}.`,
      ),
      side.reached &&
        best(side).length > 0 &&
        h("p", `Perfect play never gets here. Against a perfect opponent, ${either(best(side))} is best.`),
      this.side({ turn_based: solution.turn_based, other: side.other, players: { [player]: side.actions } }, player),
      h(
        "table",
        h(
          "caption",
          `What ${this.name(player)} ${this.you === player ? "do" : "does"} not see`,
          side.reached ? `, if ${this.name(1 - player)} ${this.you === 1 - player ? "play" : "plays"} perfectly` : "",
          side.num_histories > histories.length &&
            `: the likeliest ${histories.length} of ${side.num_histories.toLocaleString()}`,
          this.you === undefined ? `; bold: this ${isDealt ? "deal" : "position"}` : "",
        ),
        ...alike(histories)
          .filter((one) => !side.reached || this.visit || one.probability > SEEN || one.codes.includes(side.history))
          .map((one) =>
            h(
              "tr",
              { class: this.you === undefined && one.codes.includes(side.history) ? "here" : null },
              h("td.name", this.reached(one)),
              h("td", share(one.probability)),
              h("td.name", bar(1 - player, one.probability)),
            ),
          ),
      ),
    ]);
    if (!sides.length) sides.push(h("p", `${capital(this.name(this.player))} does not choose here.`));
    const worth = this.figure((this.you ? -solution.start_value : solution.start_value) + this.about.half),
      begins = isDealt ? "Before the cards are dealt" : "At the start";
    return [
      ...sides,
      h("p.soft", `${begins} the game is worth ${worth} points to ${this.you === undefined ? this.name(0) : "you"}.`),
      sure(
        `Both players together could win at most ${solution.certificate} points more, proven.`,
        `${solution.states.toLocaleString()} situations as a player sees them. ${proven(solution.certificate)}`,
      ),
    ];
  }

  // With hidden information both may choose at once: then `other` is the likeliest action of the other player.
  side(solution, player) {
    const actions = solution.players[player],
      values = actions.some((one) => "value" in one),
      mixed = !actions.some((one) => typeof one.optimal === "boolean"), // else there is a best action
      distances = !mixed && actions.every((one) => "distance" in one),
      known = actions.every((one) => one.loss !== null) && !(distances && actions.every((one) => one.loss <= NO_LOSS));
    const other = solution.other ?? 0,
      followed = ({ action }) => this.follow(...(player ? [other, action] : [action, other])),
      named = (one) => button({ click: () => followed(one) }, one.name),
      follows = this.follow && (values || solution.turn_based);
    const columns = [
      ["action", (one) => h("td.name", follows ? named(one) : one.name, one.optimal ? " ✓" : "")],
      mixed && ["plays", (one) => h("td", share(one.probability))],
      mixed && ["", (one) => h("td.name", bar(player, one.probability, one.action))],
      values && known && ["expects", (one) => h("td", number(one.value + this.about.half, 2))],
      known && [
        "cost",
        (one) => h("td", costOf(one, this.isBrief(one), "") ?? (distances && !one.optimal ? "slower" : "0")),
      ],
      distances && ["ends", (one) => h("td", endOf(solution, player, one))],
    ].filter(Boolean);
    const rows = actions.toSorted(
      (a, b) =>
        b.optimal - a.optimal || // where there is a best action
        Math.round(1e6 * (b.probability - a.probability)) ||
        Math.round(1e6 * (a.loss - b.loss)) ||
        Math.sign(worthAfter(solution, player, a)) * (a.distance - b.distance) ||
        a.action - b.action,
    );
    const [first] = actions,
      moves = this.you === player ? "All your moves" : `All moves of ${this.name(player)}`,
      isLost = (one) => endOf(solution, player, one).startsWith("loses"),
      same = (one) => one.loss !== null && one.loss <= NO_LOSS && one.distance === first.distance;
    if (solution.turn_based && !values && !this.follow && rows.length > 1 && actions.every(same))
      return h(
        "p",
        isLost(first) && this.you !== player ? `${capital(this.name(player))} is lost. ` : "",
        `${moves} ${isLost(first) ? "lose equally soon" : "are equally good"}.`,
      );
    return h(
      "table",
      h(
        "caption",
        solution.locked?.here === player ? "Your lock of " : "Perfect play for ",
        h("span", { class: `p${player}name` }, this.name(player)),
        !actions.some((one) => one.optimal) ? "" : actions.every(isLost) ? "; ✓ loses latest" : "; ✓ is best",
      ),
      headOf(columns.map(([head]) => head)),
      h(
        "tbody",
        rows.map((one) =>
          h(
            "tr",
            columns.map(([, cell]) => cell(one)),
          ),
        ),
      ),
    );
  }

  // The matrix game: rows and columns have bars, how often they are played; cells are filled by what they bring the
  // row's player.
  diagram(solution) {
    const own = this.you ?? 0,
      half = solution.half ?? 0,
      [rows, columns] = [solution.players[own], solution.players[1 - own]];
    const brings = (i, j) => (own ? -solution.payoffs[j][i] : solution.payoffs[i][j]);
    // Of a large one only what perfect play chooses, unless that is all alike, until all is asked for.
    const isLarge = Math.max(rows.length, columns.length) > FOLDED,
      plays = (one) => one.probability >= 5e-5,
      written = (value) => number(value + half, isLarge || !this.follow ? 2 : 3);
    const shown = rows.flatMap((row, i) =>
        columns.flatMap((one, j) => (plays(row) && plays(one) ? written(brings(i, j)) : [])),
      ),
      folds = isLarge && new Set(shown).size > 1,
      idle = (one) => folds && !plays(one) && "idle";
    const largest = Math.max(...solution.payoffs.flat().map(Math.abs), 1e-12),
      cost = [...rows, ...columns]
        .filter((one) => !idle(one))
        .map((one) => costOf(one, this.isBrief(one)))
        .find(Boolean),
      here = solution.locked?.here ?? null,
      others = here === null ? "The others cost nothing." : `${capital(this.name(here))} is locked: no costs.`;
    const head = (one, player, scope) =>
      h(
        "th",
        {
          scope,
          class: ["mix", `p${player}`, idle(one)].filter(Boolean).join(" "),
          style: `--share:${one.probability.toFixed(4)}`,
          "data-share": `${player} ${one.action}`,
        },
        h("span", one.name),
        h("small", share(one.probability), costOf(one, this.isBrief(one))),
      );
    const cell = (value, i, j) =>
      h(
        "td",
        {
          class: [`p${value > 0 ? own : 1 - own}`, idle(rows[i]) || idle(columns[j])].filter(Boolean).join(" "),
          style: `--size:${Math.sqrt(Math.abs(value) / largest).toFixed(3)}`,
        },
        this.follow
          ? button(
              {
                "aria-label": `${rows[i].name} against ${columns[j].name}: ${written(value)}`,
                click: () => this.follow(rows[i].action, columns[j].action),
              },
              written(value),
            )
          : written(value),
      );
    const table = h(
      "table",
      { class: columns.length > FOLDED ? "matrix narrow" : "matrix" },
      h(
        "caption",
        this.you === undefined ? `Points of ${this.name(own)}: ` : "Your points: ",
        ...[own, 1 - own].map((player) => h("span", { class: `sign p${player}` }, `good for ${this.name(player)}`)),
        ...[
          `Rows: ${this.name(own)}; columns: ${this.name(1 - own)}.`,
          solution.locked ? "Bar: how often it is chosen, with your locks." : "Bar: how often perfect play chooses it.",
          cost ? [h("span.cost", cost.textContent), `: what choosing it costs. ${others}`] : "",
          this.follow ? "Choose a cell to go there." : "",
        ].map((line) => h("div", line)),
      ),
      h("thead", h("tr", h("td"), ...columns.map((one) => head(one, 1 - own, "col")))),
      h(
        "tbody",
        ...rows.map((one, i) => h("tr", head(one, own, "row"), ...columns.map((_, j) => cell(brings(i, j), i, j)))),
      ),
    );
    if (![...rows, ...columns].some(idle)) return table;
    const all = h("input", { type: "checkbox", checked: this.whole, change: () => (this.whole = all.checked) });
    return h("div", h("label.row", all, "Show what perfect play never chooses, too"), table);
  }
}
