// Practice at states: where the equilibrium mixes, a person's last choices count as one mix, and what is told is what
// an opponent who knows this mix wins more. The spot of the day is such a state, with one try.

import { Refused, ask, askPatiently } from "./api.js";
import { address, keep, kept, listed } from "./navigation.js";
import { Board, actionButtons, actionOf, beside, frame, isForPage, weigh } from "./board.js";
import { PERSON, counted, h, points, rulesOf, showRules } from "./parts.js";
import { mixture } from "./review.js";
import { FIRST_TOLD, SEEN, keptAt, measured, practised, whose } from "./weaknesses.js";

const EACH = 2, // choices that count, for each action that the equilibrium plays
  LEAST_COUNTED = 6,
  MOST_COUNTED = 12;
const PART = 0.25; // of what always the mildest action loses, which is near enough
const NOTHING = 5e-5; // points, which are shown as 0

// What a mix loses to the best reply, points; where one player moves, what its actions lose.
export function exploited(solution, seat, mix) {
  const worth = (pays) => mix.reduce((sum, one, i) => sum + one * pays(i), 0);
  if (solution.turn_based) return worth((i) => solution.players[seat][i].loss);
  const { payoffs, value, players } = solution,
    replies = players[1 - seat].map((_, j) => worth((i) => (seat ? -payoffs[j][i] : payoffs[i][j])));
  return Math.max(0, (seat ? -value : value) - Math.min(...replies));
}

// Whole numbers nearest to so many times shares. Source: Hamilton's method, by the largest remainders.
function apportioned(shares, total) {
  const whole = shares.map((one) => Math.floor(total * one + NOTHING)),
    rest = (k) => total * shares[k] - whole[k],
    order = [...shares.keys()].sort((a, b) => rest(b) - rest(a));
  for (let missing = total - whole.reduce((sum, one) => sum + one, 0), k = 0; k < missing; k += 1) whole[order[k]] += 1;
  return whole;
}

// The last choices at a state that count, as a mix, and what it loses.
function measure(solution, seat, choices) {
  const actions = solution.players[seat],
    shares = actions.map((one) => one.probability),
    mixes = !solution.turn_based && Math.max(...shares) < 1 - SEEN;
  const counting = mixes
      ? Math.min(Math.max(EACH * shares.filter((one) => one >= SEEN).length, LEAST_COUNTED), MOST_COUNTED)
      : 1,
    last = choices.slice(-counting),
    tries = last.length,
    times = actions.map((one) => last.filter((action) => action === one.action).length);
  const loses = (numbers, all) =>
    exploited(
      solution,
      seat,
      numbers.map((one) => one / all),
    );
  const regret = tries ? loses(times, tries) : 0,
    best = apportioned(shares, Math.max(tries, 1)),
    alone = actions.map((one) =>
      loses(
        actions.map((other) => Number(other === one)),
        1,
      ),
    ),
    bound = Math.max(
      PART * Math.min(...alone.filter((one) => one > NOTHING)),
      loses(apportioned(shares, counting), counting),
    );
  return {
    actions: actions.map((one, k) => ({ ...one, loss: alone[k] })), // what each alone loses
    ...{ mixes, counting, tries, times, regret, best },
    isNearest: tries > 0 && regret <= loses(best, tries) + NOTHING,
    done: tries === counting && (regret <= NOTHING || (mixes && regret <= bound + NOTHING)),
  };
}

function sentence(about, { actions, mixes, tries, times, best, regret, isNearest, done }, chosen) {
  const name = actions.find((one) => one.action === chosen).name;
  if (!mixes) {
    if (regret <= NOTHING) return [h("strong.right", `✓ ${name} is right.`)];
    const right = actions.filter((one) => one.loss <= NOTHING).map((one) => one.name),
      who = about.turn_based ? `costs ${points(regret)}` : `loses ${points(regret)} to an opponent who knows it`;
    return [h("strong.wrong", `✗ ${name} ${who}.`), ` Better: ${right.slice(0, 3).join(" or ")}.`];
  }
  const over = times.map((one, k) => one - best[k]),
    much = over.indexOf(Math.max(...over)),
    right = best[much] ? `${best[much]} of ${tries}` : "never";
  const mix = isNearest
    ? `With ${tries} choices you cannot come nearer to the best mix.`
    : `You choose ${actions[much].name} ${counted(times[much], "time")} of ${tries}; best is ${right}.`;
  return [
    h("strong", { class: done ? "right" : "wrong" }, regret <= NOTHING ? "✓ Your mix is right." : mix),
    ` An opponent who knows it wins ${regret <= NOTHING ? "nothing" : points(regret)} more.`,
    done && regret > NOTHING ? h("strong.right", " ✓ Near enough.") : "",
  ];
}

export async function practise(main, about, query, current) {
  const board = new Board(about),
    view = frame(main, board.element),
    { day } = query,
    single = query.code !== undefined,
    who = single ? {} : whose(about, query);
  const wait = (text) => view.message.replaceChildren(text);
  main.classList.add("play", "practise"); // the same frame
  view.head.replaceChildren(h("h1", about.title));
  if (!about.offers.includes("map")) {
    const other = h("a", { href: "#lobby" }, "Choose another game");
    view.message.replaceChildren(`${about.title} cannot be practised, since something is hidden in it. `, other);
    return null;
  }
  wait("Looking for the states …");
  const places = single
    ? [
        {
          code: query.code,
          seat: Number(query.player) || 0,
          state: await ask("/state", { game: about.game, code: query.code }),
        },
      ]
    : (await measured(about, who, wait, current)).weaknesses;
  if (!current()) return null;
  let at = (Number(query.place) || 0) % Math.max(places.length, 1),
    begun = false, // whether something was chosen since the state came
    solution = null;

  const backTo = day ? "All games" : single ? "Explore it" : "All weaknesses";
  const back = () => (day ? "#lobby" : single ? exploring() : address("weaknesses", { game: about.game, ...who }));
  const exploring = () => address("explore", { game: about.game, code: places[at].code });
  const isDone = (place) => practised(about, place).done;
  const choicesHere = () => (day ? choicesOn(day) : practised(about, places[at]).choices);
  const upcoming = () => places.map((_, k) => (at + 1 + k) % places.length).find((k) => !isDone(places[k]));

  async function enter(place) {
    if (place !== at) solution = null;
    at = place;
    begun = Boolean(day) && choicesHere().length > 0;
    view.side.replaceChildren(); // what leads on from the state before
    if (places.length)
      solution ??= await askPatiently("/solution", { game: about.game, code: places[at].code }, wait, current);
    if (current()) draw();
  }

  const isOver = (found) => begun && (day ? found.tries === found.counting : found.done || !found.mixes);

  function choose(action) {
    const anew = !day && !begun && isDone(places[at]),
      choices = [...(anew ? [] : choicesHere()), action],
      found = solution && measure(solution, places[at].seat, choices);
    if (!found || isOver(measure(solution, places[at].seat, choicesHere()))) return;
    begun = true;
    if (day) {
      keep("spot", { day, choices });
      if (isOver(found)) count(day, found.done);
    } else
      sessionStorage.setItem(
        keptAt(about, places[at]),
        JSON.stringify({ choices: choices.slice(-MOST_COUNTED), done: found.done }),
      );
    draw();
  }

  function draw() {
    const place = places[at],
      done = places.filter(isDone).length;
    const found = solution && measure(solution, place.seat, choicesHere()),
      over = found && isOver(found),
      told = over || (found?.mixes && begun && !day && found.tries >= FIRST_TOLD),
      all = !day && places.length > 0 && done === places.length && !begun;
    view.head.replaceChildren(
      h("h1", day ? `Spot of the day: ${about.title}` : `Practise: ${about.title}`),
      h(
        "p.score",
        day
          ? streakText()
          : single
            ? "one state"
            : ["state ", h("b", at + 1), ` of ${places.length}, `, h("b", done), " done"],
      ),
      h(
        "div.tools",
        h("button", { type: "button", click: () => showRules(about, place?.seat) }, "Rules"),
        h("a.button", { id: "back", href: place ? back() : "#lobby" }, backTo),
      ),
    );
    if (!place) {
      wait("This player loses nothing anywhere.");
      return;
    }
    if (board.you !== place.seat) board.element.replaceChildren();
    board.you = place.seat;
    board.show(place.state, all ? null : choose);
    view.message.replaceChildren(...(all ? [h("strong", "All done.")] : message(place, found, told)));
    const buttons = all ? [] : beside(about, place.state, place.seat);
    view.bar.replaceChildren(
      ...(buttons.length ? [actionButtons(about, place.seat, buttons, choose, "Your actions")] : []),
    );
    const last = choicesHere().at(-1);
    for (const button of main.querySelectorAll("[data-action]")) {
      button.disabled = Boolean(over);
      button.classList.toggle("chosen", begun && Number(button.dataset.action) === last);
    }
    if (over && !found.mixes) weigh(main, found.actions, place.seat);
    const shared = address("practise", { game: about.game, code: place.code, player: place.seat }),
      chosen = begun && found?.mixes;
    view.side.replaceChildren(
      ...(all ? [h("a.button.primary", { id: "next", href: back() }, backTo)] : told ? [onward()] : []),
      ...(chosen ? [mixture(place.seat, made(found), told, { title: "Your mix", id: "answer" })] : []),
      told
        ? h(
            "p",
            h("a", { href: exploring() }, "Explore this state"),
            " · ",
            h("a", { id: "share", href: shared }, "Link to this state"),
          )
        : h("section.panel", h("h2", "The rules"), ...rulesOf(about, place.seat)),
    );
    const focused = over || all ? main.querySelector("#next") : main.querySelector(`[data-action="${last}"]`);
    (focused ?? main.querySelector("[data-action]"))?.focus({ preventScroll: true });
  }

  function message(place, found, told) {
    if (told) return sentence(about, found, choicesHere().at(-1));
    const mixes = found?.mixes,
      counts = "How often you choose each is what counts.";
    if (begun) return [`${found.tries} of ${found.counting} chosen. ${counts}`];
    return [
      about.symmetric ? "" : `You are ${about.players[place.seat]}. `,
      h("strong", "What do you play?"),
      mixes ? ` The best play here is a mix. Choose ${found.counting} times. ${counts}` : "",
    ];
  }

  function onward() {
    if (day) return h("a.button.primary", { id: "next", href: address("play", playing()) }, "Play on from here");
    const title = { undefined: "Finish", [at]: "Once more" }[upcoming()] ?? "Next state";
    return h("button.primary", { type: "button", id: "next", click: () => enter(upcoming() ?? at) }, title);
  }
  function playing() {
    const rival = about.opponents[0].players.at(-1).name,
      { code, seat } = places[at];
    return {
      game: about.game,
      ...(seat ? { p0: rival, p1: PERSON } : { p0: PERSON, p1: rival }),
      start: code,
      player: seat,
    };
  }

  function pressed(event) {
    const choice =
      isForPage(event) && current() && places.length && actionOf(about, places[at].state.legal[places[at].seat], event);
    if (!choice) return;
    event.preventDefault();
    choose(choice.action);
  }

  document.addEventListener("keydown", pressed);
  const first = query.place === undefined && places.length && isDone(places[at]) ? (upcoming() ?? at) : at;
  await enter(first);
  return () => document.removeEventListener("keydown", pressed);
}

// The choices that count, as a mixture of a review.
const made = ({ actions, tries, times, best }) => ({
  choices: tries,
  uneven: true,
  actions: actions.map((one, k) => ({ ...one, plays: times[k] / tries, counts: [times[k], best[k]] })),
});

// The spot of the day, by the date in Greenwich, so that it is the same everywhere.
export const today = () => new Date().toISOString().slice(0, 10);
export const choicesOn = (day) => (kept("spot")?.day === day ? kept("spot").choices : []);
const dayBefore = (day) => new Date(Date.parse(day) - 864e5).toISOString().slice(0, 10);

// Days in succession whose spot was solved.
const streak = () => {
  const { day, length } = kept("streak") ?? {};
  return day === today() || day === dayBefore(today()) ? length : 0;
};
export function streakText() {
  const { day, ended } = kept("streak") ?? {};
  return streak() ? `streak ${streak()}` : ended && day === today() ? `your streak of ${ended} has ended` : "";
}
const count = (day, solved) => keep("streak", { day, length: solved ? streak() + 1 : 0, ended: solved ? 0 : streak() });

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
