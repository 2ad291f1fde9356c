// Where a player loses: the worst states as cards.

import { Refused, ask, askPatiently, capital } from "./api.js";
import { address, gameChooser, go, keep, kept, site, tell } from "./navigation.js";
import { Board } from "./board.js";
import { habitsOf, lastRival } from "./ladder.js";
import { ALIKE, followed, habitOf, ofChance } from "./review.js";
import {
  PERSON,
  SEEN,
  button,
  calledOf,
  counted,
  either,
  h,
  mixes,
  opponentOf,
  points,
  said,
  seatChooser,
  share,
  sheet,
} from "./parts.js";

const RECORDED = "manual"; // the person's name in records
const MOST_KEPT = 100,
  LARGEST_KEPT = 1e6; // matches of a person in a game, and letters of their records
const SHOWN = 3; // cards; the others are folded
const LEAST_GIVEN = 5e-3; // points that are told
const DIFFERING = 3; // fields, at most, by which cards with the same heading are told apart
const FIRST_TOLD = 5; // choices from which on a mix is judged, as in arena/review.py
const MOST_MARKED = 4; // right actions that are named beside wrong ones
const SHORT = 14; // letters of a name that fits on a board
const isFew = ({ choices }) => choices < FIRST_TOLD;

// A person's finished matches, kept in the browser.
const matchesOf = (game) => kept(`matches ${game}`) ?? [];

function keepRecords(game, records) {
  const lines = [...new Set([...matchesOf(game), ...records])].slice(-MOST_KEPT);
  while (lines.join().length > LARGEST_KEPT) lines.shift();
  keep(`matches ${game}`, lines);
}

export async function keepMatch(about, id) {
  if (about.offers.includes("practice")) keepRecords(about.game, [JSON.stringify(await ask(`/matches/${id}/record`))]);
}

// Whose weaknesses the address asks for: a player's, a player's in a file of the server, or one's own.
export function whose(about, query) {
  if (query.file) return { player: query.player, file: query.file };
  if (query.own || (!query.player && matchesOf(about.game).length)) return { own: 1 };
  return { player: query.player || usual(about) };
}

const usual = (about) => about.opponents.flatMap((one) => one.players).find((one) => !one.unlisted).name;

export async function measured(about, who, wait, current) {
  if (!about.offers.includes("practice"))
    throw new Refused("Something is hidden in this game. For such games there is no list of weaknesses yet.");
  const own = who.own ? matchesOf(about.game) : null;
  if (own?.length === 0)
    throw new Refused("You have finished no game here in this browser: play some, or add saved ones.");
  const sent = own ? { player: RECORDED, records: own.join("\n") } : who;
  const found = await askPatiently("/weaknesses", {}, wait, current, { game: about.game, ...sent });
  if (found?.refused) throw new Refused(found.refused);
  return found;
}

// Whether a state was practised since the window was opened.
export const keptAt = (about, weakness) => `practice ${about.game} ${weakness.code} ${weakness.seat}`;
export const isPractised = ({ order }) => !order; // as a mix, in which the order does not count
export const isDone = (about, weakness) => sessionStorage.getItem(keptAt(about, weakness)) !== null;

export async function weaknesses(main, about, query, current) {
  const who = whose(about, query),
    scripted = !who.own && !who.file,
    { saved } = await ask("");
  if (!current()) return;
  const called = calledOf(about, who.player ?? "");
  const status = h("p", { role: "status" }),
    details = h("p.soft"),
    listed = about.offers.includes("practice"),
    habits = listed && scripted ? habitsOf(opponentOf(about, who.player)) : [],
    measurable = site.games.filter((one) => one.offers.includes("practice")),
    tools = h(
      "div.tools",
      listed && button({ id: "new", click: choose }, "Another player"),
      gameChooser(about, "weaknesses", measurable),
    ),
    list = h("ol.states");
  main.replaceChildren(
    h(
      "div.wide",
      h("h1", `${who.own ? "Your weaknesses" : listed ? `Weaknesses of ${called}` : "Weaknesses"} in ${about.title}`),
      habits.length > 0 && h("p", ...habits),
      status,
      details,
      tools,
    ),
    list,
  );

  function choose() {
    const player = seatChooser(
      about,
      "Player",
      who.own || who.file ? usual(about) : who.player,
      false,
      ({ unlisted }) => unlisted,
    );
    const grey = about.opponents.some((group) => group.players.some((one) => one.unlisted));
    const own = h("input", { type: "file", accept: ".jsonl", multiple: true, change: () => add().catch(tell) }),
      file = h("select", ...saved.map((one) => h("option", { selected: one === who.file }, one)));
    const name = h("input", { value: who.file ? who.player : RECORDED, autocomplete: "off" }),
      open = (to) => () => go("weaknesses", { game: about.game, ...to() }),
      openOwn = open(() => ({ own: 1, t: Date.now() % 1e6 }));
    const dialog = sheet(
      "Whose weaknesses?",
      h(
        "form",
        { submit: open(() => ({ player: player.value() })) },
        player.element,
        grey && h("p.soft", "Where a grey player loses is not computed."),
        h("button.primary", "Show"),
      ),
      h(
        "form",
        { submit: open(() => ({ own: 1 })) },
        h("h2", "Your own"),
        h(
          "p.soft",
          `This browser keeps your last ${MOST_KEPT} games of ${about.title}: ${matchesOf(about.game).length} now.`,
        ),
        h("label", "Add saved games", own),
        h("button", { id: "own" }, "Show yours"),
        matchesOf(about.game).length > 0 && button({ click: forget }, "Forget them"),
      ),
      saved.length > 0 &&
        h(
          "form",
          { submit: open(() => ({ player: name.value, file: file.value })) },
          h("h2", "A player in saved games"),
          h("label", "A saved file", file),
          h("label", "Name in it", name),
          h("button", "Show"),
        ),
    );
    function forget() {
      keep(`matches ${about.game}`, []);
      dialog.close();
      openOwn();
    }
    async function add() {
      const lines = (await Promise.all([...own.files].map((one) => one.text())))
        .flatMap((text) => text.split("\n"))
        .filter((line) => line.trim());
      dialog.close();
      for (const record of lines) await ask("/replay", {}, { record }); // one that is refused is not kept
      keepRecords(about.game, lines);
      openOwn();
    }
  }

  try {
    const loss = await measured(about, who, (text) => status.replaceChildren(text), current);
    if (!current()) return;
    const worst = loss.weaknesses,
      mixed = worst.filter(isPractised).length;
    status.textContent = loss.mixes ? recorded(who, loss) : `${capital(loss.about)}.`;
    details.replaceChildren(...(loss.mixes ? [] : inAll(loss)));
    if (mixed && !scripted)
      tools.prepend(
        h(
          "a.button.primary",
          { id: "practise", href: address("practise", { game: about.game, ...who }) },
          mixed < worst.length ? "Practise" : mixed > 1 ? `Practise these ${mixed}` : "Practise it",
        ),
      );
    else if (who.own) tools.prepend(playOn());
    const even = loss.mixes ?? [],
      told = worst.length ? worst : isFew(even[0] ?? {}) ? even.slice(0, SHOWN) : even.filter((one) => !isFew(one)),
      cards = told.map((one) => card(about, who, called, one, told));
    list.replaceChildren(...cards.slice(0, SHOWN));
    if (cards.length > SHOWN)
      list.after(
        h("details.wide", h("summary", `${cards.length - SHOWN} more`), h("ol.states", ...cards.slice(SHOWN))),
      );
  } catch (problem) {
    if (!current()) return;
    status.textContent = "";
    const why = capital(problem.message).replace(/\.?$/, ".");
    list.replaceChildren(
      h("li.panel", why, listed ? "" : " Play a match: the review after it shows what your moves cost."),
    );
    if (who.own || !listed) tools.prepend(playOn("Play"));
    if (!listed) tools.firstChild.after(opponents("Opponents"));
  }

  function inAll({ explained, total, perfect, weaknesses: [first] }) {
    if (!first || total < LEAST_GIVEN || perfect === undefined) return [explained];
    const wins = perfect === null ? `at most ${points(total)}` : points(perfect);
    return [explained, " ", opponents("Perfect play"), `, which does not know how it plays, wins ${wins} per game.`];
  }

  function opponents(...text) {
    return h(scripted && listed ? "a" : "a.button", { href: address("ladder", { game: about.game }) }, ...text);
  }

  function playOn(text = "Play on") {
    return h("a.button.primary", { href: address("play", { game: about.game, p1: lastRival(about).name }) }, text);
  }
}

const together = (sentences) => sentences.filter(Boolean).join(" ");

// What is said of the choices in recorded games together.
function recorded(who, { habits, loses, mistakes, cost, matches, mixes: [first] }) {
  const [They, lose, has, their, go] = who.own
      ? ["You", "You lose", "You have", "your", "you go"]
      : ["It", "It loses", "It has", "its", "it goes"],
    made = `${They} made ${counted(mistakes, "mistake")} in ${counted(matches, "game")}`,
    each = `${mistakes > 1 ? "on average one" : "it"} cost ${points(cost / mistakes)} against perfect play`,
    said = [
      loses && `${lose} ${points(loses)} per game to an opponent who knows what is told here, if ${go} on like this.`,
      habits && loses === null && `${has} ${counted(habits, "habit")} that an opponent can use.`,
      habits &&
        loses === 0 &&
        `Who knows ${their} ${counted(habits, "habit")} wins no more: to come there costs as much.`,
      mistakes && `${made}: ${each}.`,
    ];
  if (habits || mistakes) return together(said);
  if (!first) return `${They} made no mistake in ${counted(matches, "game")}.`;
  return isFew(first)
    ? `Too few choices yet (${first.choices} of ${FIRST_TOLD}).`
    : `No mistake in ${counted(matches, "game")}, and no clear habit yet.`;
}

// A mistake, or in records a habit or a mix without one; of few choices what was chosen, no shares.
function card(about, who, called, one, told) {
  const board = new Board(about, one.seat, who.own ? "you" : called.length < SHORT ? capital(called) : "it"),
    { actions, right = [], choices: seen = one.decisions } = one,
    few = seen < FIRST_TOLD,
    perfect = Object.entries(one.best ?? {}).filter(([, probability]) => probability >= SEEN),
    isMix = perfect.length > 1, // then no right action alone is best
    chosen = few && !actions ? Object.keys(one.plays).filter((name) => one.plays[name] > 0) : [],
    kind = (name) => (!right.includes(name) ? "wrong" : isMix ? "free" : "right"),
    named = [...chosen, ...right.filter((name) => !isMix && !chosen.includes(name))],
    seenAt = one.everywhere
      ? ""
      : one.states > 1
        ? ALIKE
        : one.code === about.start
          ? " at the start"
          : " at this position",
    heading =
      one.heading?.replace(/(: (missed|played))? 1 time of 1$/, "").replace(": it ", who.own ? ": you " : ": it ") ??
      habitOf({ ...one, uneven: one.share }, true, who.own),
    where = apart(about, who, one, told);
  board.show(one.state);
  for (const name of named) board.mark(one.state, kind(name), name);
  const links = h(
      "p.links",
      !who.file && !(who.own && one.everywhere) && playFrom(about, who, one),
      h("a.button", { href: address("explore", { game: about.game, code: one.code }) }, "Explore"),
    ),
    follows = one.order ? followed(one.order, who.own) : [],
    practised = isPractised(one) && isDone(about, one) ? h("span.done", " ✓ practised") : null;
  if (few && actions)
    return h(
      "li.panel",
      board.element,
      h(
        "div",
        h("h2", `${seen} of ${FIRST_TOLD} choices${seenAt}`, practised),
        h("progress", { max: FIRST_TOLD, value: seen, "aria-label": "Choices at this position" }),
        links,
      ),
    );
  const isPure = right.length > 0 && !isMix,
    bars = (each) =>
      mixes(
        one.seat,
        each.actions?.filter(({ plays, probability }) => Math.max(plays, probability) >= SEEN) ??
          each.mix.map(([name, plays, probability]) =>
            isPure ? { name: right.includes(name) ? `${name} ✓` : name, plays } : { name, plays, probability },
          ),
        who.own ? "What you play" : "What it plays",
      );
  return h(
    "li.panel",
    !one.everywhere && board.element,
    h(
      "div",
      h("h2", heading.replace(/^(It|You)/, who.own ? "You" : "It"), practised),
      ...follows.flatMap(([habit, answer, after], k) => [h("p", k ? `${habit}. ` : "", answer), bars(after)]),
      h("p.soft", saidOf(about, who, one)),
      where && h("p.soft", where),
      few && !actions
        ? h(
            "p.marks",
            ...(right.length > MOST_MARKED ? chosen : named).map((name) => h("span", { class: kind(name) }, name)),
          )
        : !one.order && bars(one),
      few && isMix
        ? h("p", `A perfect mix: ${perfect.map(([name, probability]) => `${name} ${share(probability)}`).join(", ")}.`)
        : !isPure && h("p.soft", h("span.right", "Green"), " is a perfect mix."),
      one.answered && h("p", `The right answer to ${one.answered[0]}: `, h("b", one.answered[1].join(" or ")), "."),
      one.punished_by && h("p", "Punished by ", h("b", one.punished_by), who.own || who.file ? "." : ": try it."),
      links,
    ),
  );
}

const fieldOf = (about, { own }, { seat }, { title }) =>
  said(about, title, seat)
    .replace(/\byour\b/gi, own ? "your" : "its")
    .replace(/^./, (first) => first.toLowerCase());

// What differs in the positions of cards with the same heading, in words.
function apart(about, who, one, told) {
  if (who.own) return null; // the board tells it
  const same = told.filter((each) => !each.actions && each.heading === one.heading && each.seat === one.seat),
    differing = about.fields.filter(({ name }) => new Set(same.map(({ state }) => state.fields[name])).size > 1),
    words = differing.map(
      (field) => `${fieldOf(about, who, one, field)}: ${said(about, field.values[one.state.fields[field.name]])}`,
    );
  return same.includes(one) && words.length <= DIFFERING && words.length ? `Here: ${words.join(", ")}.` : null;
}

function playFrom(about, { own, player }, { code, seat, punished_by: hint }) {
  const [there, other] = own ? [PERSON, lastRival(about).name] : [player, PERSON],
    to = { game: about.game, [`p${seat}`]: there, [`p${1 - seat}`]: other, start: code, hint: own ? "" : hint };
  return h(own ? "a.button" : "a.button.primary", { href: address("play", to) }, "Play from here");
}

// In what the positions of one mistake differ.
function apartBy(about, who, one) {
  const names = about.fields
    .filter(({ name }) => one.differing?.includes(name))
    .map((field) => fieldOf(about, who, one, field));
  if (!names.length || names.length > DIFFERING) return "";
  return ` They differ only in ${either(names, "and")}.`;
}

// Who chooses there, what it costs, and where it was seen.
function saidOf(about, who, one) {
  const { seat, actions, share, price, answer, gift, regret, states, games, choices, decisions, times, cost } = one;
  const side = about.symmetric ? "" : `${who.own ? "You are" : "It plays as"} ${about.players[seat]}.`;
  if (actions)
    return together([
      side,
      one.order && one.per_game && `Together ${points(one.per_game)} per game.`,
      share &&
        !one.order &&
        `An opponent who knows this plays ${answer} and wins ${points(price)} more each time than from perfect play` +
          (one.per_game ? `, ${points(one.per_game)} per game.` : "."),
      !share && price && ofChance(one),
      `Counted: ${counted(choices, "choice")}${games > 1 ? ` in ${games} games` : ""}` +
        `${states > 1 && !one.everywhere ? ALIKE : ""}.`,
      times && `Mistakes among them: ${times}, which cost ${points(cost)} together.`,
    ]);
  return together([
    side,
    gift === undefined
      ? one.happens
      : decisions > 1
        ? `Costs ${points(regret)} each time. ${counted(decisions, "choice")} seen.`
        : `It cost ${points(regret)}.`,
    states > 1 && `The same mistake at ${counted(states - 1, "more position")}.${apartBy(about, who, one)}`,
    gift && `${who.own ? "You" : "It"} got there only after a mistake of the opponent.`,
  ]);
}
