// MENACE's matchboxes. What is known of boxes and states is data of the program; here beads are drawn and changed, as
// in training.py, with the random numbers in the same order, but from a generator of this page.

import { ask, Refused } from "../../api.js";
import { drawn, generator } from "../../random.js";

const sessions = new Map(),
  TAB = "menace boxes", // what a page that is loaded again goes on with
  MOST_MOMENTS = 240, // points of a curve
  COMPARED = 100, // games, at first and at last
  RESULTS = { 1: "won", 0: "drawn", "-1": "lost" }; // by MENACE's points
export const LABELS = {
  alpha: "Beads of a move at first",
  beta: "Added when won",
  gamma: "Taken when lost",
  delta: "Added when drawn",
  floor: "Always kept",
};
export const SETTINGS = ["alpha", "per", "beta", "gamma", "delta", "floor"];
let data = null;

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
const totals = () => ({ won: 0, drawn: 0, lost: 0 });
const countOf = (results) => results.reduce((all, one) => ({ ...all, [one]: all[one] + 1 }), totals());
const gamesOf = (counts) => sum(Object.values(counts));

// Settings as they are typed.
export const texts = (settings) =>
  Object.fromEntries(
    SETTINGS.map((name) => {
      const known = [settings[name]].flat();
      return [name, (new Set(known).size === 1 ? known.slice(0, 1) : known).join(",")];
    }),
  );

export function wholeIn(label, text, least, most) {
  const right = `a whole number from ${least} to ${most.toLocaleString("en")}`,
    value = Number(text);
  if (!text.trim()) throw new Refused(`“${label}” is empty; it must be ${right}`);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new Refused(`“${label}” must be ${right}, not ${text}`);
  return value;
}

// Settings that were typed, or a sentence in the words of the form.
export function settingsIn({ alpha, per, ...others }) {
  const { most_beads: most, per: known } = data.choices;
  const four = (alpha.trim() ? alpha.trim().split(/[ ,]+/) : [""]).map((text) => wholeIn(LABELS.alpha, text, 1, most));
  if (four.length !== 1 && four.length !== 4)
    throw new Refused(`“${LABELS.alpha}” must be one number or 4, one for each move of a side, not ${four.length}`);
  if (!known.includes(per)) throw new Refused(`“for every” must be one of ${known.join(", ")}, not ${per}`);
  const numbers = Object.fromEntries(
    Object.entries(others).map(([name, text]) => [name, wholeIn(LABELS[name], text, 0, most)]),
  );
  if (numbers.floor > Math.min(...four))
    throw new Refused(
      `“${LABELS.floor}” must be at most ${Math.min(...four)}, the fewest beads of a move at first, ` +
        `not ${numbers.floor}`,
    );
  return { alpha: four.length === 1 ? Array(4).fill(four[0]) : four, per, ...numbers };
}

const firstBeads = ({ alpha, per }) =>
  data.once[per].map((row, box) => row.map((once) => once * alpha[data.turns[box]]));

// A MENACE with new boxes, or with those of a file; `draws` is how many random numbers it has used.
export function begun({ file, seed = Math.floor(Math.random() * 1e6), ...settings }) {
  const session = {
    id: Date.now().toString(36),
    seed,
    draws: 0,
    ...(file === undefined ? { settings, beads: firstBeads(settings) } : boxesIn(file)),
    trained: totals(),
    results: [], // of the first games of training and of the last ones
    played: totals(),
    moments: [],
    match: null,
  };
  sessions.set(session.id, session);
  note(session, [0, 1]);
  return progressOf(session);
}

function sessionNamed(id) {
  if (!sessions.has(id)) {
    const kept = JSON.parse(sessionStorage.getItem(TAB));
    if (kept?.id !== id) throw new Refused("there is no such MENACE on this page; begin another");
    sessions.set(id, kept);
  }
  return sessions.get(id);
}

function randomOf(session) {
  const next = generator(session.seed, session.draws);
  return () => {
    session.draws += 1;
    return next();
  };
}

// The weights of the nine moves at a state; all 0 where the box is empty.
function weights(beads, state) {
  const box = data.boxes[state],
    shares = data.shares[state];
  return box < 0 ? shares : data.kinds[state].map((kind, cell) => (kind < 0 ? 0 : beads[box][kind] * shares[cell]));
}

// One game of training: what was marked where, and the points of crosses.
function game({ beads }, learners, errs, trainer, random) {
  const marks = [];
  for (let state = data.start; ;) {
    const mover = data.movers[state],
      learns = (learners >> mover) & 1,
      erring = !learns && random() < errs;
    const moves = learns
      ? weights(beads, state)
      : erring
        ? data.kinds[state].map((kind) => Number(kind >= 0))
        : trainer[state];
    if (!sum(moves)) return { marks, result: 2 * mover - 1 }; // an empty box resigns
    const cell = drawn(moves, random),
      next = data.following[state][cell];
    marks.push([state, cell]);
    if (next < 0) return { marks, result: data.ends[state][cell] };
    state = next;
  }
}

// Changes the beads after a game, by the points of crosses.
function learn({ beads, settings }, marks, learners, result) {
  for (const [state, cell] of marks) {
    const mover = data.movers[state],
      box = data.boxes[state],
      kind = data.kinds[state][cell],
      points = mover ? -result : result;
    if (box < 0 || !((learners >> mover) & 1)) continue;
    if (points < 0) beads[box][kind] -= Math.min(settings.gamma, Math.max(0, beads[box][kind] - settings.floor));
    else beads[box][kind] += points > 0 ? settings.beta : settings.delta;
  }
}

function train(session, { games, opponent, probability = 1, side }) {
  const turns = data.learners[opponent] ?? data.learners[side],
    errs = data.errs[opponent] * (1 - probability),
    random = randomOf(session);
  let learned = 0;
  for (let number = gamesOf(session.trained), end = number + games; number < end; number += 1) {
    const learners = turns[number % 2],
      { marks, result } = game(session, learners, errs, data.trainers[opponent], random);
    learn(session, marks, learners, result);
    const ended = RESULTS[learners === 2 ? -result : result];
    session.trained[ended] += 1;
    session.results.push(ended);
    if (session.results.length > 2 * COMPARED) session.results.splice(COMPARED, 1);
    learned |= learners;
  }
  note(
    session,
    [0, 1].filter((seat) => (learned >> seat) & 1),
  );
}

// What an opponent wins from a seat of MENACE, points per game, if `reply` is what it makes of what its moves win. The
// game is worth 0, so that with the best of them it is the exploitability.
const BEST = (wins) => Math.max(...wins),
  RANDOM = (wins) => sum(wins) / wins.length;
function wonFrom({ beads, settings }, seat, reply) {
  const known = [],
    first = firstBeads(settings),
    sign = seat ? 1 : -1; // an empty box has its first beads: there is no resignation
  const worth = (state) => {
    if (known[state] === undefined) {
      const after = data.following[state].map((next, cell) =>
        next >= 0 ? worth(next) : sign * data.ends[state][cell],
      );
      const legal = after.filter((one, cell) => data.kinds[state][cell] >= 0),
        drawing = weights(beads, state),
        moves = sum(drawing) ? drawing : weights(first, state);
      known[state] =
        data.movers[state] === seat ? sum(after.map((one, cell) => one * moves[cell])) / sum(moves) : reply(legal);
    }
    return known[state];
  };
  return worth(data.start);
}

// Adds a point to the curve, which is thinned.
function note(session, seats) {
  const figures = [...(session.moments.at(-1)?.[1] ?? [0, 0, 0, 0])];
  for (const seat of seats)
    [figures[seat], figures[seat + 2]] = [wonFrom(session, seat, BEST), -wonFrom(session, seat, RANDOM)];
  session.moments.push([gamesOf(session.trained) + gamesOf(session.played), figures]);
  if (session.moments.length > MOST_MOMENTS)
    session.moments = session.moments.filter((one, k, all) => k % 2 === 0 || k === all.length - 1);
}

// A game against a person.
function play(session, seat) {
  session.match = {
    seat,
    state: data.start,
    board: data.boards[data.start],
    ended: null,
    result: 0,
    marks: [],
    changes: [],
  };
  if (seat === 1) answerOf(session);
}

function mark(match, cell) {
  const { state, board } = match,
    next = data.following[state][cell];
  match.marks.push([state, cell]);
  match.board = board.slice(0, cell) + "xo"[data.movers[state]] + board.slice(cell + 1);
  if (next < 0) Object.assign(match, { ended: "terminated", result: data.ends[state][cell] });
  else match.state = next;
}

function answerOf(session) {
  const { match } = session,
    own = 1 - match.seat,
    held = () => opened(session).map(([state, cell]) => session.beads[data.boxes[state]][data.kinds[state][cell]]);
  if (!match.ended) {
    const moves = weights(session.beads, match.state);
    if (sum(moves)) mark(match, drawn(moves, randomOf(session)));
    else Object.assign(match, { ended: "resigned", result: 2 * own - 1 });
  }
  if (match.ended) {
    const before = held();
    learn(session, match.marks, 1 << own, match.result);
    match.changes = held().map((now, k) => now - before[k]);
    session.played[RESULTS[own ? -match.result : match.result]] += 1;
    note(session, [own]);
  }
}

// The states of the match at which MENACE opened a box, and the cells that it marked.
const opened = ({ match }) =>
  match.marks.filter(([state]) => data.movers[state] !== match.seat && data.boxes[state] >= 0);

// The box of a state: for each kind of move its cells, beads, chance and worth; a forced move has no beads.
function boxAt({ beads, settings }, state) {
  const held = beads[data.boxes[state]] ?? null,
    first = held && firstBeads(settings)[data.boxes[state]],
    all = held ? sum(held) : 0,
    kinds = data.kinds[state],
    worth = (kind) => data.worth[state][kinds.indexOf(kind)],
    legal = [...new Set(kinds)].filter((kind) => kind >= 0),
    most = Math.max(...legal.map(worth));
  const moves = legal.map((kind) => ({
    cells: [...kinds.keys()].filter((cell) => kinds[cell] === kind),
    worth: worth(kind),
    best: worth(kind) === most && most >= 0, // no move is best where all lose
    beads: held && held[kind],
    chance: held === null ? 1 : all ? held[kind] / all : 0,
    was: held === null ? 1 : first[kind] / sum(first),
  }));
  return { board: data.boards[state], player: data.movers[state], beads: all, moves };
}

// How far a MENACE is, and the box at a board.
function progressOf(session, board = data.boards[data.start]) {
  const { id, seed, settings, trained, results, played, moments, match } = session,
    isLong = results.length === 2 * COMPARED,
    figuresOf = (...places) => places.map((k) => moments.map((one) => one[1][k]));
  sessionStorage.setItem(TAB, JSON.stringify(session));
  return {
    id,
    seed,
    settings,
    trained,
    played,
    first: isLong && countOf(results.slice(0, COMPARED)),
    last: isLong && countOf(results.slice(-COMPARED)),
    games: { trained: gamesOf(trained), played: gamesOf(played) },
    // As crosses and as noughts what the best reply wins, and what is won from random moves.
    curve: { games: moments.map((one) => one[0]), lost: figuresOf(0, 1), won: figuresOf(2, 3) },
    box: boxAt(session, data.boards.indexOf(board)),
    match: match && {
      ...match,
      result: match.ended && RESULTS[match.seat ? match.result : -match.result],
      opened: opened(session).map(([state, cell]) => ({ ...boxAt(session, state), cell })),
    },
  };
}

// The file of boxes, see boxes.py. Its checksum is that of the text that Python writes, in which numbers keep their
// digits.
const NUMBERS = /("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g,
  DIGITS = "\0";

function pythonText(value) {
  if (Array.isArray(value)) return `[${value.map(pythonText).join(", ")}]`;
  if (value !== null && typeof value === "object")
    return `{${Object.keys(value)
      .sort()
      .map((name) => `${pythonText(name)}: ${pythonText(value[name])}`)
      .join(", ")}}`;
  if (typeof value === "string" && value.startsWith(DIGITS)) return value.slice(1);
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function checksum(content) {
  // CRC-32
  let left = -1;
  for (const one of pythonText(content)) {
    left ^= one.charCodeAt(0);
    for (let bit = 0; bit < 8; bit += 1) left = (left >>> 1) ^ (left & 1 ? 0xedb88320 : 0);
  }
  return ~left >>> 0;
}

export function fileOf(id) {
  const { settings, beads } = sessionNamed(id),
    content = {
      format: data.format,
      settings,
      boxes: Object.fromEntries(data.shelf.map((board, box) => [board, beads[box]])),
    };
  return { ...content, checksum: checksum(content) };
}

function boxesIn(text) {
  let content = null,
    written = null;
  try {
    [content, written] = [
      JSON.parse(text),
      JSON.parse(text.replace(NUMBERS, (all, quoted) => quoted ?? `"\\u0000${all}"`)),
    ];
  } catch {
    throw new Refused("the file holds no boxes of MENACE: it is not JSON");
  }
  if (content?.format !== data.format)
    throw new Refused(`the file holds no boxes of this version of MENACE (its format must be '${data.format}')`);
  const { checksum: stated, ...rest } = written;
  if (stated !== DIGITS + checksum(rest))
    throw new Refused("the file is damaged: it is not what was written; put a copy back, or train anew");
  const settings = settingsIn(texts(content.settings ?? {})),
    boxes = content.boxes ?? {},
    stray = Object.keys(boxes).find((board) => !data.shelf.includes(board));
  if (stray !== undefined) throw new Refused(`the file has a box '${stray}', which is none of MENACE's`);
  const right = (row, box) =>
    Array.isArray(row) &&
    row.length === 9 &&
    row.every(
      (held, cell) => Number.isInteger(held) && held >= 0 && held <= (data.once.kind[box][cell] ? data.most_held : 0),
    );
  data.shelf.forEach((board, box) => {
    if (!right(boxes[board], box))
      throw new Refused(
        `the file: the box ${board} must be 9 whole numbers of beads, 0 where no kind of move has its beads`,
      );
  });
  return { settings, beads: data.shelf.map((board) => boxes[board]) };
}

// What a person chooses among.
export async function choicesOf() {
  data ??= await ask("/menace");
  return data.choices;
}

// What is done with a MENACE, nothing if it is looked at alone.
const DEEDS = {
  train,
  play: (session, { seat }) => play(session, seat),
  mark: (session, { cell }) => {
    mark(session.match, cell);
    answerOf(session);
  },
};

export function act(id, what, body = {}) {
  const session = sessionNamed(id);
  DEEDS[what]?.(session, body);
  return progressOf(session, body.board);
}
