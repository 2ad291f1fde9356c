// What a match teaches: a sentence, where to try again, the mistakes, and how the person mixes.

import { ask, askPatiently } from "./api.js";
import { Board } from "./board.js";
import { address } from "./navigation.js";
import {
  NO_LOSS,
  SEEN,
  button,
  counted,
  either,
  fill,
  h,
  headOf,
  iconOf,
  mixes,
  number,
  points,
  rounded,
  said,
  share,
  sparkline,
  timesIn100,
} from "./parts.js";

export const ALIKE = ", here and where the same mix is right";
const MOST_MIXTURES = 3;
export const NEVER = 1e-6; // a probability
const LEAST_SHOWN = 0.01; // points; what costs less is folded, as in arena/review.py

// It is asked for again until the game is solved. `retry(code)` begins a match at a state.
// `series(found)` is of games that belong together the number of the one that is told, what stands first, and if it is
// another one its match and its review; else empty. A habit is of all of them.
// A match that continues another has the number of moves `before` it.
export function review(about, match, { you, who, current, earlier, retry, series, before: made = 0 }) {
  const section = h("section.panel", { id: "review" }, h("h2", "Review"), h("p.soft", "Measuring every move …"));
  const waits = (text) => section.lastChild.replaceChildren(text);
  const asked = { with: earlier, before: made };
  askPatiently(`/matches/${match.id}/review`, asked, waits, () => current() && section.isConnected)
    .then(async (found) => {
      if ("solving" in found) return; // the page shows something else
      const { number, games = [], other } = await series(found);
      if (other) [match, found] = other;
      fill(section, games, parts(found, number ? `Game ${number}: ` : ""));
    })
    .catch((problem) => section.replaceChildren(h("h2", "Review"), h("p", problem.message)));

  const before = (step) => match.steps[step - 1].before,
    practice = (code) => address("practise", { game: about.game, code, player: you, from: location.hash.slice(1) });

  function parts(found, which) {
    hideArbitrary(found);
    const costly = found.moves.filter(isCostly),
      own = costly.filter((move) => move.player === (you ?? move.player)),
      real = own.filter((move) => move.loss >= LEAST_SHOWN),
      shown = real.length > 1 ? real : [], // one alone is told above
      others = found.moves.filter((move) => !shown.includes(move)),
      mixed = [...found.mixtures].sort((a, b) => isHabit(b) - isHabit(a) || b.price - a.price).slice(0, MOST_MIXTURES),
      { worst, expected } = found,
      [short, ...rest] = found.headline.split(/(?<=\.) /),
      again = () => retry(before(worst), move.action, made + worst - 1),
      [move] = own.filter((one) => one.step === worst).sort((a, b) => b.loss - a.loss);
    return [
      worst && pictured(about, you, before(worst), expected ? undefined : you, move),
      h(
        "h2",
        !worst && (mixed[0]?.order || (mixed[0]?.uneven && mixed[0].price > NO_LOSS)) ? "" : which,
        worst ? found.headline : short,
      ),
      !worst && rest.length > 0 && h("p", rest.join(" ")),
      worst && retry && button({ class: "primary", id: "mistake", click: again }, "Retry from there"),
      worst &&
        h(
          "div.marks",
          judged(move).flatMap(([kind, name], k) => [
            ...(k === 1 && move.mixes ? [h("hr"), free(move)] : []),
            h("span", { class: kind }, iconOf(about, move.player, about.labels.indexOf(name)), name),
          ]),
        ),
      ...(worst && !expected ? hiddenFrom(move) : []),
      ...mixed.map((one, k) =>
        mixture(you, one, true, {
          title: k || worst ? habitOf(one) : null, // else the headline
          says: k || worst ? undefined : one.order ? sentences(followed(one.order).slice(1)) : "",
          picture: mixed.length > 1 ? pictured(about, you, one.code, you) : null,
          practice: !one.order && about.offers.includes("practice") && practice(one.code),
        }),
      ),
      rivalMix(found.mixtures),
      expected?.length > 3 &&
        sparkline(
          decided(found),
          (!costly.length && isScore(expected) ? "Points after each move" : "Expected result after each move") +
            (you === undefined ? `, points of ${who(0)}` : "") +
            (real.length ? `; red: ${you === undefined ? "" : "your "}mistakes` : ""),
          real.map((one) => [2 * one.step - 2, one === move && `−${rounded(one.loss)}`]),
        ),
      shown.length > 0 && table(found, shown, move),
      others.length > 0 &&
        (costly.length || !expected) &&
        h(
          "details",
          h("summary", shown.length ? counted(others.length, "other choice") : "All moves"),
          table(found, others, move),
        ),
      h(
        "p.soft",
        h("a", { id: "share", href: link() }, "Link to this game"),
        ...(worst && you !== undefined && about.offers.includes("practice")
          ? [" · ", h("a", { href: practice(before(worst)) }, "Practise it")]
          : []),
      ),
    ];
  }

  // Whether what follows is worth nothing, everywhere.
  function isScore(expected) {
    let sum = 0;
    return expected.every((value, k) => Math.abs(value - (sum += match.steps[k - 1]?.reward ?? 0)) < NO_LOSS);
  }

  // What a move and a better one bring on average; what the player did not see before, by Bayes' rule, and what it
  // really was.
  function hiddenFrom({ step, player, action, brings, better: all, loss }) {
    const shown = h("div"),
      means = `${action}: ${number(brings, 2)}; ${either(all)}: ${number(brings + loss, 2)}.`;
    ask("/solution", { game: about.game, code: before(step), player })
      .then(({ sides: [{ histories, reached }] }) => {
        const real = histories.find(({ code }) => code === before(step)),
          rows = [...Map.groupBy(histories, ({ text }) => said(about, text, you))]
            .map(([text, some]) => ({
              name: [text, some.includes(real) ? h("div.here", "as it was") : ""],
              plays: some.reduce((sum, one) => sum + one.probability, 0),
            }))
            .filter(({ name, plays }) => plays > SEEN || name[1])
            .sort((a, b) => b.plays - a.plays),
          label = "What to expect there, if the opponent plays perfectly";
        if (reached && histories.length > 1) shown.append(h("p", `${label}:`), mixes(1 - player, rows, label));
      })
      .catch(() => {});
    return [h("p", `The points on average: ${means}`), shown];
  }

  // How the other one mixed, and the best answer to it, where all moves had the same choice.
  function rivalMix([own]) {
    if (own?.unit !== "choice" || !own.everywhere || own.games > 1) return null;
    const told = h("p"),
      rival = 1 - you;
    ask(`/matches/${match.id}/mixtures`, { player: rival })
      .then(([its]) => {
        const made = its.actions.filter((one) => one.times).toSorted((a, b) => b.times - a.times),
          keeps = `If it keeps that mix, ${its.answer} wins ${points(its.price)} per choice.`;
        told.append(
          `${who(rival)} played ${made.map((one) => `${one.name} ${one.times}`).join(", ")}. `,
          its.order ? sentences(followed(its.order, false)) : its.uneven && its.answer ? keeps : ofChance(its),
        );
      })
      .catch(() => {});
    return told;
  }

  // What is expected before each move, and once it is chosen, before the other's choice or chance decides the rest.
  function decided({ expected, moves }) {
    const cost = ({ player, loss }) => (you === undefined ? (player ? -loss : loss) : player === you ? loss : 0),
      own = expected.map((value) => (you ? -value : value));
    return own.flatMap((value, k) => {
      const chosen = moves.filter((one) => one.step === k + 1);
      return chosen.length ? [value, chosen.reduce((left, one) => left - cost(one), value)] : [value];
    });
  }

  function table({ expected }, moves, worst) {
    const mixed = moves.some((move) => move.mixes),
      heads = ["move", "player", "played", "cost", ...(mixed ? ["perfect play"] : [])],
      isWorst = ({ player, loss }) => worst && (you ?? player) === player && loss > worst.loss - NO_LOSS,
      seenBy = (move) => (expected ? undefined : move.player),
      there = (move) => address("explore", { game: about.game, code: before(move.step), player: seenBy(move) });
    return h(
      "table",
      mixed && moves.some((move) => move.probability === null) && h("caption", "–: perfect play never gets there."),
      headOf(heads, (k) => k < 3),
      h(
        "tbody",
        moves.map((move) =>
          h(
            "tr",
            { class: isWorst(move) ? "worst" : null },
            h("td.name", h("a", { href: there(move) }, move.step + made)),
            h("td.name", who(move.player)),
            h("td.name", move.action, move === worst ? null : better(move)),
            h("td", move.loss === null ? "–" : rounded(move.loss)),
            mixed && h("td", move.probability === null ? "–" : share(move.probability)),
          ),
        ),
      ),
    );
  }

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

// What a mix, as shares or as numbers of choices, loses to the best reply, points, and this reply; where one player
// moves, what its actions lose.
export function answered(solution, seat, mix) {
  const worth = (pays) => {
    let [sum, all] = [0, 0];
    for (const [i, one] of mix.entries()) [sum, all] = [sum + one * pays(i), all + one];
    return sum / all;
  };
  if (solution.turn_based) return [worth((i) => solution.players[seat][i].loss)];
  const { payoffs, value, players } = solution,
    replies = players[1 - seat].map((_, j) => worth((i) => (seat ? -payoffs[j][i] : payoffs[i][j]))),
    least = Math.min(...replies);
  return [Math.max(0, (seat ? -value : value) - least), players[1 - seat][replies.indexOf(least)].name];
}

// Of moves at which perfect play never gets, where its choice is any: with hidden information.
function hideArbitrary({ moves, expected }) {
  const astray = new Set(); // players who made a move that it never makes
  for (const move of expected ? [] : moves) {
    const { player, loss, probability } = move;
    if (astray.has(player) || loss === null || (isCostly(move) && probability > NEVER)) move.probability = null;
    if (probability <= NEVER) astray.add(player);
  }
}

// What was played in a move, and what was better: right, or where perfect play mixes no more than without a cost.
const judged = (move) => [["wrong", move.action], ...move.better.map((name) => [move.mixes ? "free" : "right", name])];
const free = ({ better: all }) => `${all.length > 1 ? "cost" : "costs"} nothing:`;
const isCostly = (move) => move.loss > NO_LOSS;
// What the moves of a player have cost.
export const lostBy = ({ moves }, you) =>
  moves.reduce((sum, one) => sum + (one.player === you && isCostly(one) ? one.loss : 0), 0);
const better = (move) =>
  !move.better.length
    ? null
    : move.mixes
      ? h("div", `${free(move)} ${either(move.better)}`)
      : h("div.right", `✓ ${either(move.better)}`);

// A small drawing of a state, as a player sees it, with what was wrong and right in a move, where the board has places.
function pictured(about, you, code, player, move) {
  const board = new Board(about, you);
  ask("/state", { game: about.game, code, player })
    .then((state) => {
      board.show(state);
      for (const [kind, name] of move ? judged(move) : []) board.mark(state, kind, name);
    })
    .catch(() => {});
  return board.element;
}

// Whether perfect play is to choose all alike, which tells nothing of the game.
export const isEven = ({ actions }) => actions.every((one) => Math.abs(one.probability - 1 / actions.length) < 1e-6);

// The action that a mix has most too often, how many times, and its perfect share.
export function tooOften({ actions, choices }) {
  const excess = (one) => one.times - choices * one.probability,
    { name: action, times, probability } = actions.reduce((a, b) => (excess(b) > excess(a) ? b : a));
  return { action, times, probability };
}

// What follows an action too often, in words, and the best answer to it; the costliest first.
export const followed = ({ own, after }, yours = true) =>
  after
    .toSorted((a, b) => b.price * b.choices - a.price * a.choices)
    .map((one) => {
      const { action, times } = tooOften(one),
        whose = own ? (yours ? "your own" : "its own") : "the opponent's",
        habit = `After ${whose} ${one.after} ${yours ? "you play" : "it plays"} ${action}: ${times} of ${one.choices}`;
      return [habit, `Best answer: ${one.answer}, ${points(one.price)} more each time.`, one];
    });
const sentences = (rows) => rows.map(([habit, answer]) => `${habit}. ${answer}`).join(" ");
const repliesTo = ([[, answer], ...rest]) => `${answer} ${sentences(rest)}`;

export const isHabit = ({ order, uneven }) => uneven || order !== null;

// What a mix has too much of, in words, and the perfect share of it, if it may be told.
export function habitOf(one, whole = true, yours = true) {
  if (one.order) return followed(one.order, yours)[0][0];
  if (!one.uneven) return "You have no clear habit";
  const excess = ({ plays, probability }) => plays - probability,
    most = Math.max(...one.actions.map(excess)),
    too = one.actions.filter((each) => excess(each) > most - 1e-9),
    never = too.filter(({ probability }) => probability < NEVER),
    [first, ...alike] = never.length ? never : too,
    would = whole ? ` (${isEven(one) ? "even" : "perfect"} would be ${share(first.probability)})` : "",
    names = [first, ...alike].map(({ name }) => name).join(" and ");
  const each = alike.length ? " each" : "";
  if (!never.length) return `You favour ${names}: ${share(first.plays)}${each}${would}`;
  const who = yours ? "you play" : "it plays",
    here = one.everywhere ? "" : " here",
    [are, them] = each ? ["are", "them"] : ["is", "it"];
  return `${names} ${are} never right${here}: ${who} ${them} ${share(first.plays)}${each} of the time`;
}

const priceOf = ({ price, unit, answer }) =>
  price
    ? `An opponent who knows this ${answer ? `plays ${answer} and ` : ""}wins ${points(price)} more per ${unit} ` +
      "than from perfect play. "
    : "";
export const ofChance = ({ chance, choices }) =>
  chance < 1
    ? `A perfect player is this uneven in ${timesIn100(chance)} of 100 cases: no habit seen.`
    : `As close to perfect as ${choices} choices can be.`;
const costOfMix = (one) =>
  one.order ? repliesTo(followed(one.order)) : one.uneven ? priceOf(one) : one.price ? ofChance(one) : "";

// How the person mixes at a state, or at those alike; and with `whole` how the equilibrium does. It `says` what that
// costs, where nothing else does.
export function mixture(you, one, whole, { title, says = costOfMix(one), picture = null, id = null, practice } = {}) {
  const games = one.games > 1 ? ` in ${one.games} games` : "";
  return h(
    "section.panel.mixture",
    { id },
    title && h("h2", title),
    picture,
    says && h("p", says),
    mixes(
      you,
      one.actions
        .filter(({ plays, probability }) => Math.max(plays, whole ? probability : 0) >= SEEN)
        .map((each) => (whole ? each : { ...each, probability: undefined })),
      "Your mix",
    ),
    h(
      "p.soft",
      whole ? [h("span.right", "Green"), " is the perfect mix. "] : "",
      `Counted: your ${counted(one.choices, "choice")}${games}${one.states > 1 && !one.everywhere ? ALIKE : ""}. `,
      practice && h("a", { href: practice }, "Practise this mix"),
    ),
  );
}
