// Practice at states: where the equilibrium mixes, a person's choices count as one mix, and what is told is what an
// opponent who knows this mix wins more. The spot of the day is such a state, with one try.

import { Refused, ask, askPatiently } from "./api.js";
import { address, keep, kept, listed } from "./navigation.js";
import { Board, actionButtons, actionOf, beside, frame, isForPage, onBoard, weigh } from "./board.js";
import {
  NO_LOSS,
  PERSON,
  SEEN,
  button,
  counted,
  either,
  fill,
  h,
  mixes,
  points,
  rounded,
  rulesPanel,
  share,
  showRules,
} from "./parts.js";
import { NEVER, answered } from "./review.js";
import { lastRival } from "./ladder.js";
import { endOf } from "./truth.js";
import { isDone, isPractised, keptAt, measured, whose } from "./weaknesses.js";

const EACH = 2, // choices that count, for each action that the equilibrium plays
  LEAST_COUNTED = 6,
  MOST_COUNTED = 12;
const CLOSE = 0.1; // of what the worst mix loses

// What an opponent who knows it wins from a mix, and by which reply; with hidden information in a whole game.
const exploited = (solution, seat, mix) =>
  solution.prices ? [solution.prices[mix] ?? 0] : answered(solution, seat, mix);

const asGood = (one) => (one.optimal === false ? { ...one, optimal: one.loss <= NO_LOSS } : one); // if not as soon
const largest = (values) => values.indexOf(Math.max(...values));
const total = (counts) => counts.reduce((sum, one) => sum + Number(one), 0);

// Whole numbers nearest to so many times shares. Source: Hamilton's method, by the largest remainders.
function apportioned(shares, total) {
  const counts = shares.map(() => 0);
  for (let k = 0; k < total; k += 1)
    counts[largest(shares.map((one, i) => Math.round((total * one - counts[i]) / NO_LOSS)))] += 1;
  return counts;
}

// These counts, or with hidden information others that cost less.
function cheapest({ prices = {} }, counts) {
  const mix = Object.keys(prices).reduce(
    (one, other) => (prices[other] < prices[one] - NO_LOSS ? other : one),
    `${counts}`,
  );
  return mix.split(",").map(Number);
}

// The action whose excess pays the reply most, or else whose lack does.
function paying({ payoffs, value, players }, seat, name, excess) {
  const reply = players[1 - seat].findIndex((one) => one.name === name),
    pays = excess.map((one, k) => one * (seat ? payoffs[reply][k] - value : value - payoffs[k][reply])),
    over = pays.map((one, k) => (excess[k] > 0 ? one : -Infinity));
  return largest(over.some((one) => one > NO_LOSS) ? over : pays);
}

// The choices at a state, as a mix, and what it loses.
function measure(solution, seat, choices) {
  const actions = solution.players[seat],
    shares = actions.map((one) => one.probability),
    isMixed = !solution.turn_based && Math.max(...shares) < 1 - SEEN,
    most = solution.prices
      ? total(Object.keys(solution.prices)[0].split(","))
      : Math.min(Math.max(EACH * shares.filter((one) => one >= SEEN).length, LEAST_COUNTED), MOST_COUNTED),
    counting = isMixed ? most : 1,
    last = choices.slice(-counting),
    tries = last.length,
    times = actions.map((one) => last.filter((action) => action === one.action).length),
    best = cheapest(solution, apportioned(shares, tries)),
    loses = (mix) => exploited(solution, seat, mix)[0],
    [regret, reply] = tries ? exploited(solution, seat, times) : [0],
    alone = actions.map((one) => ({
      ...one,
      ends: typeof one.optimal === "boolean" ? `it ${endOf(solution, seat, one)}` : "",
      loss: loses(actions.map((other) => (other === one ? counting : 0))),
    })),
    excess = times.map((one, k) => one - best[k]),
    done = tries === counting && regret <= loses(best) + NO_LOSS,
    missing = actions.map((_, k) => k).filter((k) => best[k] && !times[k]),
    isLacking = missing.length === 1 && times.filter(Boolean).length > 1;
  return {
    actions: alone,
    isMixed,
    counting,
    tries,
    times,
    regret,
    reply,
    more: Math.abs(solution.value) > NO_LOSS ? " more" : "", // than if you mix perfectly
    blind: solution.prices ? 0 : total(times.map((one, k) => one * actions[k].loss)) / tries, // to perfect play
    best,
    never: actions.map((_, k) => k).filter((k) => shares[k] < NEVER && times[k]),
    much: isLacking ? missing[0] : !reply ? largest(excess) : isMixed ? paying(solution, seat, reply, excess) : 0,
    excess,
    done,
  };
}

// The same for positions with the same choice, at which their picture tells nothing.
const choiceAt = ({ payoffs, value, players }) =>
  payoffs &&
  String([
    ...payoffs.flat().map((one) => Math.round((one - value) / NO_LOSS)),
    players.flat().map((one) => one.action),
  ]);

function sentence(about, { isMixed, tries, regret, done, ...found }, chosen) {
  const { actions, times, best, never, much, excess, reply, more, blind } = found,
    { name, ends } = actions.find((one) => one.action === chosen),
    isFree = regret <= NO_LOSS;
  if (!isMixed) {
    const others = actions.filter((one) => one.loss <= NO_LOSS && one.action !== chosen).map((one) => one.name),
      good = others.length ? ` ${isFree ? "Just as good" : "Better"}: ${either(others)}.` : "";
    if (isFree) return [h("strong.right", `✓ Correct: ${name} loses nothing${ends && `; ${ends}`}.`), good];
    const how = about.turn_based ? ends && `; ${ends}` : ` if the opponent plays ${reply}`;
    return [h("strong.wrong", `✗ Wrong: ${name} costs ${points(regret)}${how}.`), good];
  }
  const wins = `${reply ? `plays ${reply} and ` : ""}wins ${points(regret)}${more} from you`,
    perfect =
      points(blind) === points(regret)
        ? "; perfect play, which does not know it, wins as much"
        : blind > NO_LOSS
          ? `; perfect play, which does not know it, wins ${points(blind)}${more}`
          : "",
    near = reply ? `as good as the perfect mix rounded to ${tries} choices` : `no ${tries} choices lose less`,
    known = ` An opponent who knows this ${done ? "still " : ""}${wins} ${reply ? "each time" : "per game"}${perfect}.`;
  if (done && isFree) return [h("strong.right", "✓ Correct: your mix is perfect.")];
  if (done) return [h("strong.right", `✓ Correct: ${near}.`), known];
  const isClose = regret < CLOSE * Math.max(...actions.map((one) => one.loss)),
    too = excess[much] > 0 ? "much" : "little",
    { probability } = actions[much],
    plays = best[much] || (probability >= SEEN ? share(probability) : "hardly ever"),
    [are, them] = never.length > 1 ? ["are", "them"] : ["is", "it"],
    names = either(
      never.map((k) => actions[k].name),
      "and",
    ),
    habits = [
      never.length > 0 &&
        `${names} ${are} never right here: you played ${them} ` +
          `${counted(`${total(never.map((k) => times[k]))}`, "time")} of ${tries}.`,
      !never.includes(much) &&
        (!never.length || excess[much] > 0) &&
        `Too ${too} ${actions[much].name}: ${times[much]} of ${tries}; perfect play ${plays}.`,
    ],
    [first, ...rest] = habits.filter(Boolean);
  return [
    isClose ? h("strong", `≈ Close. ${first}`) : h("strong.wrong", `✗ Wrong. ${first}`),
    ...rest.map((one) => ` ${one}`),
    known,
  ];
}

export async function practise(main, about, query, current) {
  const board = new Board(about),
    view = frame(main, board.element),
    { day, code, from } = query, // the address of a match
    hides = !about.offers.includes("values"),
    who = code ? {} : whose(about, query),
    wait = (text) => view.message.replaceChildren(text),
    refuse = (...why) => main.replaceChildren(h("div.wide", h("h1", about.title), h("p", { id: "told" }, why)));
  main.classList.add("play", "practise"); // the same frame
  view.head.replaceChildren(h("h1", about.title));
  wait("Looking for positions …");
  const places = code && !hides ? [{ code, seat: Number(query.player) || 0 }] : await lookedFor();
  if (!current()) return null;
  if (hides && !places.length)
    return refuse("No mix is worth practising here. ", h("a", { href: "#lobby" }, "Choose another game"), ".");
  const upcoming = () => places.map((_, k) => (at + 1 + k) % places.length).find((k) => !isDone(about, places[k])),
    exploring = () => address("explore", asked());
  let at = places.length - 1,
    state = null,
    solution = null,
    atStart = null, // its solution
    choices = [];

  // Of a state, or of what a player sees.
  function asked() {
    const { code, seat } = places[at];
    return { game: about.game, code, player: hides ? seat : undefined };
  }

  async function spotsOf(tell) {
    const spots = await askPatiently("/spots", { game: about.game }, tell, current);
    return spots.map((one) => ({ ...one, seat: one.player }));
  }

  // A player's weaknesses; else states that are worth it, or the start, so that a bare address leads somewhere.
  async function lookedFor() {
    const ofPlayer = !hides && (query.player || who.own),
      weak = ofPlayer ? (await measured(about, who, wait, current)).weaknesses.filter(isPractised) : [];
    if (weak.length || (ofPlayer && query.player)) return weak;
    const spots = await spotsOf(wait);
    if (spots.length || hides) return spots;
    const { turn } = await ask("/state", { game: about.game, code: about.start });
    return [{ code: about.start, seat: turn === 1 ? 1 : 0 }];
  }

  // From a position that was explored: to those that are worth it, and at once where no choice loses.
  async function goesOn() {
    places.push(...(await spotsOf(() => {})).filter((one) => one.code !== code));
    if (!current() || !solution) return;
    if (places.length === 1 || choices.length || measuredHere().actions.some((one) => one.loss > NO_LOSS))
      return draw();
    places.shift();
    [at, solution] = [places.length - 1, null];
    await enter(upcoming() ?? 0);
  }

  async function enter(place) {
    if (place !== at || !solution) {
      [at, solution] = [place, null];
      state = await ask("/state", asked());
      if (current()) drawBoard();
      solution = await askPatiently("/solution", asked(), wait, current);
      if (hides) solution = ofSeat(solution, places[at]);
      const start = { game: about.game, code: about.start };
      if (solution.payoffs) atStart ??= await askPatiently("/solution", start, wait, current);
      if (current() && solution.payoffs && choiceAt(solution) === choiceAt(atStart)) {
        state = await ask("/state", start);
        board.element.replaceChildren();
      }
    }
    choices = day ? choicesOn(day) : [];
    if (current()) draw();
  }

  function drawBoard(chooses = null) {
    const { seat } = places[at];
    if (board.you !== seat) board.element.replaceChildren();
    board.you = seat;
    board.show(state, chooses);
  }

  const measuredHere = () => measure(solution, places[at].seat, choices),
    isOver = (found) => found.tries === found.counting;

  function choose(action) {
    if (!solution || isOver(measuredHere())) return;
    choices = [...choices, action];
    const found = measuredHere();
    if (day) {
      keep("spot", { day, choices });
      if (isOver(found)) keep("streak", { day, length: found.done ? streak() + 1 : 0 });
    } else if (isOver(found)) {
      const [first] = triedAt(places[at]) ?? [found.regret];
      sessionStorage.setItem(`tried ${keptAt(about, places[at])}`, JSON.stringify([first, found.regret]));
      if (found.done) sessionStorage.setItem(keptAt(about, places[at]), "done");
    }
    draw();
  }

  // What the first answer at a place lost, and the latest one.
  const triedAt = (place) => JSON.parse(sessionStorage.getItem(`tried ${keptAt(about, place)}`));

  const isRight = (place) => isDone(about, place),
    isAnswered = () => !day && places.every(triedAt);

  // Once each place has an answer: which are right, and what the answers lost at first and lose now.
  function summary() {
    const tried = places.map(triedAt),
      count = places.length,
      [first, now] = [0, 1].map((k) => total(tried.map((one) => one[k])) / count),
      cost = `${count > 1 ? "On average an" : "Your"} answer cost ${points(first)} at first, now ${rounded(now)}`,
      to = solution.turn_based ? "." : ", to an opponent who knows it.",
      costs = Math.abs(first - now) > NO_LOSS && h("p", cost + to),
      look = (place) => (isRight(place) ? ["right", "✓"] : ["wrong", "✗"]);
    return h(
      "section.panel",
      { id: "summary", hidden: count === 1 && !costs },
      count > 1 && h("h2", `${places.filter(isRight).length} of ${count} positions are right`),
      count > 1 &&
        h(
          "div.tools",
          places.map((place, k) =>
            button({ class: look(place)[0], click: () => enter(k) }, `${k + 1} ${look(place)[1]}`),
          ),
        ),
      costs,
    );
  }

  function undo() {
    if (!solution || isOver(measuredHere())) return;
    choices = choices.slice(0, -1);
    if (day) keep("spot", { day, choices });
    draw();
  }

  function draw() {
    const { seat } = places[at],
      found = measuredHere(),
      over = isOver(found),
      [back, backTo] =
        code && !day
          ? from
            ? [`#${from}`, "Back to the match"]
            : [exploring(), "Explore it"]
          : day || !about.offers.includes("practice")
            ? ["#lobby", "All games"]
            : [address("weaknesses", { game: about.game, ...who }), "All weaknesses"];
    view.head.replaceChildren(
      h("h1", day ? `Spot of the day: ${about.title}` : `Practise: ${about.title}`),
      h(
        "p.score",
        day ? streakText() : `position ${at + 1} of ${places.length}, ${places.filter(isRight).length} right`,
      ),
      h(
        "div.tools",
        button({ click: () => showRules(about, seat) }, "Rules"),
        found.isMixed && button({ id: "undo", disabled: over || !choices.length, click: undo }, h("kbd", "u"), "Undo"),
        h("a.button", { id: "back", href: back }, backTo),
      ),
    );
    drawBoard(choose);
    view.message.replaceChildren(...(over ? sentence(about, found, choices.at(-1)) : question(found, seat)));
    const told = over && (found.isMixed || state.targets.length), // by the mix, or on the board
      buttons = told ? [] : beside(about, state, seat),
      small = found.actions.filter((one) => over && !found.isMixed && !onBoard(state, one.action)); // on the board
    for (const { action, name, loss } of small)
      board.mark(state, loss <= NO_LOSS ? "right" : "wrong", name, action === choices.at(-1));
    fill(
      view.bar,
      over && onward(found, seat, back, backTo),
      buttons.length > 0 && actionButtons(about, seat, buttons, choose, "Your actions"),
    );
    for (const button of main.querySelectorAll("[data-action]")) {
      const chosen = Number(button.dataset.action) === choices.at(-1);
      button.disabled = over;
      button.classList.toggle("chosen", chosen);
      button.classList.toggle("wrong", chosen && over && !found.isMixed && !found.done);
    }
    if (over && !found.isMixed) weigh(main, found.actions.map(asGood), seat);
    fill(
      view.side,
      over && isAnswered() && summary(),
      over && day && h("p", "A new spot tomorrow."),
      choices.length > 0 &&
        found.isMixed &&
        h(
          "section.panel.mixture",
          { id: "answer" },
          h("h2", "Your mix"),
          mixes(seat, made(found, over), "Your mix"),
          over &&
            h(
              "p.soft",
              h("span.right", "Green"),
              solution.prices
                ? ` is the best mix of ${found.counting} choices, with perfect play elsewhere.`
                : ` is the perfect mix, rounded to ${found.counting} choices.`,
            ),
        ),
      over && back !== exploring() && h("p", h("a", { href: exploring() }, "Explore this position")),
      !(over && found.isMixed) && rulesPanel(about, seat),
    );
    // Before the first choice none has the focus, whose ring would look like advice.
    main.querySelector(over ? "#next" : `[data-action="${choices.at(-1)}"]`)?.focus({ preventScroll: true });
  }

  function question({ isMixed, tries, counting }, seat) {
    const counts = "How often you choose each counts, not the order.";
    if (choices.length) return [`${tries} of ${counting} chosen. ${counts}`];
    return [
      about.symmetric ? "" : `You are ${about.players[seat]}. `,
      h("strong", "What do you play?"),
      isMixed ? ` The best play here is a mix. Choose ${counting} times. ${counts}` : "",
    ];
  }

  // Where it goes on, the likeliest first.
  function onward({ done }, seat, back, backTo) {
    const rival = day ? about.opponents[0].players.at(-1) : lastRival(about),
      players = { [`p${seat}`]: PERSON, [`p${1 - seat}`]: rival.name },
      match = [`Play against ${rival.title}`, address("play", { game: about.game, ...players })],
      next = upcoming() ?? at,
      again = ["Once more", () => enter(at)],
      wrong = places.filter((one) => !isRight(one)).length,
      ahead = isAnswered() ? (wrong > 1 ? `Practise the ${wrong} missed` : "Practise the missed one") : "Next position",
      on = next === at ? [] : [[ahead, () => enter(next)]];
    const ways = day
      ? [["Play on from here", address("play", { game: about.game, ...players, start: code, player: seat })]]
      : done
        ? from
          ? [[backTo, back], match]
          : [...on, match] // not the same for ever
        : [again, ...(on.length ? on : [match])];
    return h(
      "div.onward",
      ways.map(([text, way], k) => {
        const look = { id: k ? "more" : "next", class: k ? null : "primary" };
        return typeof way === "string"
          ? h("a", { ...look, class: k ? "button" : "button primary", href: way }, text)
          : button({ ...look, click: way }, text);
      }),
    );
  }

  function pressed(event) {
    if (!isForPage(event) || !current() || !state) return;
    const choice = actionOf(about, state.legal[places[at].seat], event);
    if (!choice && event.key === "u") undo();
    if (!choice) return;
    event.preventDefault();
    choose(choice.action);
  }

  if (!places.length) {
    const other = h("a", { href: address("weaknesses", { game: about.game, ...who }) }, "Choose another player");
    return refuse("Nothing is lost anywhere: there is nothing to practise. ", other, ".");
  }
  document.addEventListener("keydown", pressed);
  const wanted = places.findIndex((one) => one.code === code);
  await enter(wanted < 0 ? (upcoming() ?? 0) : wanted);
  if (code && !hides && !from && !day) goesOn().catch(() => {});
  return () => document.removeEventListener("keydown", pressed);
}

// The solution of what a player sees.
const ofSeat = ({ sides, start_value }, { seat, prices }) => ({
  players: { [seat]: sides[0].actions },
  turn_based: false,
  value: start_value,
  prices,
});

// The choices that count, beside perfect play in as many where the answer is `told`.
const made = ({ actions, tries, times, best }, told) =>
  actions
    .map(({ name }, k) => ({ name, plays: times[k] / tries, counts: [times[k], best[k]], perfect: best[k] / tries }))
    .filter(({ counts: [own, perfect] }) => own || (told && perfect))
    .map(({ perfect, ...one }) => (told ? { ...one, probability: perfect } : one));

// The spot of the day, by the date in Greenwich, so that it is the same everywhere.
export const today = () => new Date().toISOString().slice(0, 10);
export const choicesOn = (day) => (kept("spot")?.day === day ? kept("spot").choices : []);
const dayBefore = (day) => new Date(Date.parse(day) - 864e5).toISOString().slice(0, 10);

// Days in succession whose spot was solved.
const streak = () => {
  const { day, length } = kept("streak") ?? {};
  return day === today() || day === dayBefore(today()) ? length : 0;
};
export const streakText = () => (streak() ? `streak ${streak()}` : "");

// Source: Fowler, Noll and Vo, FNV-1a.
const hash = (text) => [...text].reduce((sum, one) => Math.imul(sum ^ one.codePointAt(0), 16777619) >>> 0, 2166136261);

export async function spot(main, _, query, current) {
  const day = today(),
    order = ({ name }) => hash(`${day} ${name.split("(")[0]}`),
    told = h("p.wide", { role: "status" }, "Looking for the spot of the day …");
  const wait = (text) => told.replaceChildren(text);
  main.replaceChildren(told);
  for (const { short } of listed().sort((a, b) => order(a) - order(b))) {
    const spots = await askPatiently("/spots", { game: short }, wait, current);
    if (!current()) return null;
    const found = spots[hash(`${short} ${day}`) % spots.length];
    if (found) return practise(main, await ask("/game", { game: short }), { ...found, day }, current);
  }
  throw new Refused("None of these games has a spot of the day.");
}
