// Where a player loses: the worst states as cards.

import { Refused, ask, askPatiently, capital } from "./api.js";
import { address, gameChooser, go, keep, kept, site, tell } from "./navigation.js";
import { Board } from "./board.js";
import { habitOf, mixture } from "./review.js";
import { button, counted, h, mixes, points, seatChooser, sheet, titleOf } from "./parts.js";

const RECORDED = "manual"; // the person's name in records
const MOST_KEPT = 100,
  LARGEST_KEPT = 1e6; // matches of a person in a game, and letters of their records
const SHOWN = 3; // cards; the others are folded
const FIRST_TOLD = 5; // choices from which on a mix is judged
const isFew = (one) => one.decisions < FIRST_TOLD; // of records

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
  return { player: query.player || about.opponents[0].players[0].name };
}

export async function measured(about, who, wait, current) {
  if (!about.offers.includes("practice"))
    throw new Refused("Something is hidden in this game, so that no position has a cost of its own.");
  const own = who.own ? matchesOf(about.game) : null;
  if (own?.length === 0)
    throw new Refused("You have finished no game here in this browser: play some, or add saved ones.");
  const sent = own ? { player: RECORDED, records: own.join("\n") } : who,
    loss = await askPatiently("/weaknesses", {}, wait, current, { game: about.game, ...sent }),
    told = loss.weaknesses?.filter((one) => !isFew(one) || one.right.length); // a wrong move is wrong at once
  if (loss.weaknesses?.length && !told.length)
    throw Object.assign(
      new Refused(`Too early to judge ${who.own ? "you" : "it"}: that takes ${FIRST_TOLD} choices at one position.`),
      { early: loss },
    );
  return { ...loss, weaknesses: told, whole: told?.length === loss.weaknesses?.length };
}

// Whether a state was practised since the window was opened.
export const keptAt = (about, weakness) => `practice ${about.game} ${weakness.code} ${weakness.seat}`;
export const isDone = (about, weakness) => sessionStorage.getItem(keptAt(about, weakness)) !== null;

export async function weaknesses(main, about, query, current) {
  const who = whose(about, query),
    { saved } = await ask("");
  if (!current()) return;
  const called = titleOf(about, who.player ?? "").replace(/^(The|An?) /, (word) => word.toLowerCase());
  const status = h("p", { role: "status" }),
    details = h("p.soft"),
    adding = h("details", { hidden: true }, h("summary.soft", "How they add up")),
    measurable = site.games.filter((one) => one.offers.includes("practice")),
    tools = h(
      "div.tools",
      button({ id: "new", click: choose }, "Another player"),
      gameChooser(about, "weaknesses", measurable),
    ),
    list = h("ol.states");
  main.replaceChildren(
    h(
      "div.wide",
      h("h1", `${who.own ? "Your weaknesses" : `Weaknesses of ${called}`} in ${about.title}`),
      status,
      tools,
    ),
    list,
    h("div.wide", details, adding),
  );

  function choose() {
    const player = seatChooser(
      about,
      "Player",
      who.own || who.file ? about.opponents[0].players[0].name : who.player,
      false,
    );
    const own = h("input", { type: "file", accept: ".jsonl", multiple: true, change: add }),
      file = h("select", ...saved.map((one) => h("option", { selected: one === who.file }, one)));
    const name = h("input", { value: who.file ? who.player : RECORDED, autocomplete: "off" }),
      open = (to) => (event) => {
        event?.preventDefault();
        go("weaknesses", { game: about.game, ...to() });
      };
    const dialog = sheet(
      "Whose weaknesses?",
      h("form", { submit: open(() => ({ player: player.value() })) }, player.element, h("button.primary", "Show")),
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
        button({ click: forget }, "Forget them"),
      ),
      saved.length
        ? h(
            "form",
            { submit: open(() => ({ player: name.value, file: file.value })) },
            h("h2", "A player in saved games"),
            h("label", "A saved file", file),
            h("label", "Name in it", name),
            h("button", "Show"),
          )
        : null,
    );
    function forget() {
      keep(`matches ${about.game}`, []);
      dialog.close();
    }
    async function add() {
      const lines = (await Promise.all([...own.files].map((one) => one.text())))
        .flatMap((text) => text.split("\n"))
        .filter((line) => line.trim());
      dialog.close();
      try {
        for (const record of lines) await ask("/replay", {}, { record }); // one that is refused is not kept
        keepRecords(about.game, lines);
        open(() => ({ own: 1, t: Date.now() % 1e6 }))();
      } catch (problem) {
        tell(problem);
      }
    }
  }

  try {
    const loss = await measured(about, who, (text) => status.replaceChildren(text), current);
    if (!current()) return;
    const worst = [...loss.weaknesses].sort((one, other) => isFew(one) - isFew(other)), // those judged come first
      judged = worst.filter((one) => !isFew(one)),
      records =
        loss.matches === undefined
          ? ""
          : ` Seen in ${counted(loss.matches, "game")}; elsewhere perfect play is assumed.`;
    const sum = judged.reduce((all, one) => all + one.share, 0),
      isWhole = loss.whole && judged.length === worst.length,
      parts = `loses ${points(sum)} per game at positions with ${FIRST_TOLD} choices or more`,
      early = "makes mistakes; what they cost per game is not known yet",
      told = isWhole ? loss.about : judged.length ? parts : early;
    const figures = who.own
      ? told.replace(/^(lose|make)s/, "you $1").replace("it plays (exact)", "you play, if you go on like this")
      : told;
    const [first] = judged,
      [does, their] = who.own ? ["You make", "your"] : ["It makes", "its"],
      most =
        !isWhole || !loss.explained
          ? ""
          : worst.length === 1
            ? ` ${does} one mistake.`
            : first.share < loss.total
              ? ` The worst of ${their} ${worst.length} mistakes costs ${points(first.share)}.`
              : "";
    status.textContent = `${capital(figures)}.${most}`;
    details.textContent = records.trim();
    adding.hidden = !isWhole || !loss.explained;
    adding.append(h("p.soft", loss.explained));
    if (worst.length)
      tools.prepend(
        h(
          "a.button.primary",
          { id: "practise", href: address("practise", { game: about.game, ...who }) },
          worst.length > 1 ? `Practise these ${worst.length}` : "Practise it",
        ),
      );
    const cards = worst.map((one) => card(about, who, one));
    list.replaceChildren(...cards.slice(0, SHOWN));
    if (cards.length > SHOWN)
      list.after(
        h("details.wide", h("summary", `${cards.length - SHOWN} more`), h("ol.states", ...cards.slice(SHOWN))),
      );
  } catch (problem) {
    if (!current()) return;
    const text = capital(problem.message).replace(/\.?$/, ".");
    status.textContent = problem.early ? text : "";
    list.replaceChildren(...(problem.early ? early(about, who, problem.early) : [h("li.panel", text)]));
    if (!who.own) return;
    const last = kept(`rival ${about.game}`) ?? undefined;
    tools.prepend(h("a.button.primary", { href: address("play", { game: about.game, p1: last }) }, "Play on"));
  }
}

// What is known before there are choices enough at one position: at each how many there are, and the mix over those
// where the same mix is right, as in the review.
function early(about, who, { weaknesses: found, matches }) {
  const alike = Map.groupBy(found, ({ seat, best }) =>
      JSON.stringify([seat, best], (_, one) => one.toFixed?.(2) ?? one),
    ),
    choices = (some) => some.reduce((sum, one) => sum + one.decisions, 0),
    [most] = [...alike.values()].sort((a, b) => choices(b) - choices(a)),
    [{ seat, best, plays }] = most,
    times = (name) => most.reduce((sum, one) => sum + (one.plays[name] ?? 0) * one.decisions, 0),
    one = {
      actions: Object.keys(plays).map((name) => ({
        name,
        plays: times(name) / choices(most),
        probability: best[name] ?? 0,
      })),
      ...{ choices: choices(most), games: matches, states: most.length },
    };
  const positions = [...found]
    .sort((a, b) => b.decisions / b.states - a.decisions / a.states)
    .slice(0, SHOWN)
    .map(({ code, state, decisions, states, seat: chooses }) => {
      const board = new Board(about, chooses, who.own ? "you" : "it"),
        seen = Math.ceil(decisions / states);
      board.show(state);
      return h(
        "li.panel",
        board.element,
        h(
          "div",
          h("h2", `${seen} of ${FIRST_TOLD} choices at ${code === about.start ? "the start" : "this position"}`),
          h("progress", { max: FIRST_TOLD, value: seen, "aria-label": "Choices at this position" }),
        ),
      );
    });
  const mix = mixture(seat, one, true, {
    title: who.own ? habitOf(one).replace(/^You/, "So far you") : null,
    says: "",
  });
  return positions.toSpliced(1, 0, h("li", mix));
}

function card(about, who, weakness) {
  const board = new Board(about, weakness.seat, who.own ? "you" : "it");
  const isKnown = weakness.right.length > 0,
    few = isFew(weakness);
  board.show(weakness.state);
  for (const name of weakness.right) board.mark(weakness.state, "right", name);
  return h(
    "li.panel",
    board.element,
    h(
      "div",
      h(
        "h2",
        who.own ? weakness.heading.replace(/^It plays/, "You play") : weakness.heading,
        isDone(about, weakness) ? h("span.done", " ✓ practised") : null,
      ),
      h(
        "p.soft",
        { title: few ? null : weakness.happens },
        about.symmetric ? "" : `${who.own ? "You are" : "It is"} ${about.players[weakness.seat]}. `,
        few ? `Costs ${points(weakness.regret)} each time. ` : `${weakness.happens.replace(/:.*/, ".")} `,
        weakness.states > 1 ? `The same mistake at ${counted(weakness.states - 1, "more position")}. ` : "",
        weakness.decisions === undefined ? "" : `${counted(weakness.decisions, "choice")} seen. `,
      ),
      mixes(
        weakness.seat,
        weakness.mix.map(([name, plays, best]) =>
          isKnown
            ? { name: weakness.right.includes(name) ? `${name} ✓` : name, plays }
            : { name, plays, probability: best },
        ),
        who.own ? "What you play" : "What it plays",
      ),
      isKnown ? null : h("p.soft", h("span.right", "Green"), " is the perfect mix."),
      weakness.punished_by && !few ? h("p", "Punished by ", h("b", weakness.punished_by), ".") : null,
      h("p.links", h("a.button", { href: address("explore", { game: about.game, code: weakness.code }) }, "Explore")),
    ),
  );
}
