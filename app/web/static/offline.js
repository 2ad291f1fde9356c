// The answers of a server that is not there, from the files of an exported page. The addresses are the server's.

import { Refused, source } from "./api.js";
import { points, timesIn100 } from "./parts.js";
import { answered, tooOften } from "./review.js";
import { drawn, generator } from "./random.js";

const ONLY = "this page has only the states that play reaches from the start";
const files = new Map(),
  waiting = new Map(),
  matches = new Map();
let home = null;
const pages = {}; // further ones, by name; see app/web/pages.py

// Each file calls this with its name and a value, as JSON, compressed and in base 64.
globalThis.nashzooData = (name, packed) => {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  waiting.get(name).resolve(new Response(stream).json());
};

function load(name) {
  if (!files.has(name)) {
    files.set(
      name,
      new Promise((resolve, reject) => {
        waiting.set(name, { resolve });
        const script = document.createElement("script");
        script.src = `data/${name}.js`;
        script.addEventListener("error", () => reject(new Refused(`${script.src} is missing`)));
        document.head.append(script);
      }),
    );
  }
  return files.get(name);
}

function gameNamed(text) {
  const game = home.games.find((one) => one.game === text);
  if (!game) throw new Refused(`this page has no game ${text}; it has ${home.games.map((one) => one.game).join(", ")}`);
  return game;
}

// What is taken off from each player's payoffs in play from a state, see Library.about.
const left = (game, { state, solution }) => (state.over ? 0 : (solution?.half ?? game.half));

// Everything about a state: files hold states in the order of their codes.
async function entry(game, code) {
  let wanted;
  try {
    wanted = BigInt(code);
  } catch {
    throw new Refused(`${code} is no code of a state`);
  }
  const file = game.first.findLastIndex((first) => BigInt(first) <= wanted);
  const { states, boards, lines } = await load(`${game.number}-${Math.max(file, 0)}`),
    found = states[code];
  if (!found) throw new Refused(ONLY);
  found.board ??= boards[code].map((line) => lines[line]).join("\n");
  return found;
}

// Everything about what a player sees of a state; a code may also be that of what a player sees, and of no state.
async function seenBy(game, found, player) {
  const seen = found.seen ? await entry(game, found.seen[player]) : found;
  if (seen.views && !seen.views[player]) throw new Refused(ONLY);
  return seen;
}

// A state; with hidden information and a player what that player sees of it.
async function stateOf(game, found, player) {
  if (found.state && !(found.seen && player !== undefined)) return found.state;
  if (player === undefined) return Object.values(found.views)[0];
  const state = (await seenBy(game, found, player)).views[player];
  return found.state ? { ...state, turn: found.state.turn, movers: found.state.movers, over: found.state.over } : state;
}

// The information state of a player, with the likeliest action of the other one if both choose.
async function side(game, found, code, player) {
  const { sides } = await seenBy(game, found, player);
  if (!sides[player]) throw new Refused(`player ${player} does not choose there`);
  const { histories } = sides[player],
    history = (histories.find((one) => one.code === code) ?? histories[0]).code;
  const likely = await entry(game, history),
    rival = likely.state.turn === "both" ? (await seenBy(game, likely, 1 - player)).sides[1 - player] : null;
  const other = rival ? rival.actions.reduce((a, b) => (b.probability > a.probability ? b : a)).action : 0;
  return { ...sides[player], history, histories: histories.slice(0, home.most_histories), other };
}

async function codeIn(game, given) {
  if (given.code !== undefined) return given.code;
  const { codes, fields } = await load(`${game.number}-table`),
    place = fields.findIndex((row) =>
      game.fields.every(({ name }, k) => !(name in given) || row[k] === Number(given[name])),
    );
  if (place < 0) throw new Refused(ONLY);
  return codes[place];
}

const plays = (game, agent) =>
  [game.agents, ...game.opponents.map(({ players }) => players)].flat().some(({ name }) => name === agent);

async function probabilities(game, found, agent, player) {
  if (agent.includes("(") && !plays(game, agent))
    throw new Refused("players have no options on a page without a server");
  const shares = found.next && (await seenBy(game, found, player)).policies[agent]?.[player];
  if (!shares)
    throw new Refused(
      `${agent} cannot be asked here; the players are ${game.agents.map((one) => one.name).join(", ")}`,
    );
  return shares;
}

class Match {
  constructor(game, players, seed) {
    Object.assign(this, { game, players, seed, random: generator(seed), steps: [], ended: null });
  }

  // With hidden information a start is what `player` sees, and what is hidden is drawn.
  async begin(start, player) {
    for (const name of this.players)
      if (name !== home.person && !plays(this.game, name)) await probabilities(this.game, {}, name, 0);
    if (start === undefined) [this.start] = await this.decided(this.one(this.game.starts).code);
    else {
      const { sides } = await seenBy(this.game, await entry(this.game, start), player);
      if (sides && !sides[player]) throw new Refused(`player ${player} does not choose there`);
      this.start = sides ? this.one(sides[player].histories).code : start;
    }
    const { seen, state } = await entry(this.game, this.start);
    if (state.over) throw new Refused("the game is over there; choose a state in which it goes on");
    if (!state.movers.length) throw new Refused("chance decides there; choose a state where a player does");
    this.hiddenFrom = seen ? [0, 1].filter((seat) => this.players[seat] === home.person) : [];
    return this;
  }

  // One of these, drawn with its probability.
  one(among) {
    const shares = among.map((one) => one.probability);
    return among[drawn(shares, this.random)];
  }

  get code() {
    return this.steps.length ? this.steps.at(-1).after : this.start;
  }

  // Where chance has decided what it has to, as it did if that is known; what that paid, what happened, and what each
  // player sees of it.
  async decided(code, known, paid = 0, told = "", seen = ["", ""]) {
    const found = await entry(this.game, code);
    if (found.state.turn !== "chance") return !known || known === code ? [code, paid, told, seen] : null;
    const { outcomes } = found.solution,
      by = (text) => (text ? `; by chance ${text}` : "");
    for (const outcome of known ? outcomes : [this.one(outcomes)]) {
      const reached = await this.decided(
        outcome.code,
        known,
        paid + (await entry(this.game, outcome.code)).payoff,
        told + by(outcome.text),
        seen.map((text, player) => text + by(outcome.seen?.[player])),
      );
      if (reached) return reached;
    }
    return null;
  }

  // The seats from which something is hidden now, as on the server: one person's, or those of two people.
  seats(player) {
    const people = this.hiddenFrom;
    if (this.ended || !people.length) return [];
    if (player === undefined) return people;
    if (!people.includes(Number(player)))
      throw new Refused(`what player ${player} sees is shown when the game is over`);
    return [Number(player)];
  }

  async step(chosen) {
    const found = await entry(this.game, this.code),
      actions = [null, null];
    for (const player of found.state.movers) {
      if (this.players[player] === home.person) actions[player] = chosen[player];
      else actions[player] = drawn(await probabilities(this.game, found, this.players[player], player), this.random);
    }
    await this.make(found, actions);
    if (this.seats().length === 1 && !(await entry(this.game, this.code)).state.movers.includes(this.seats()[0]))
      await this.step({});
  }

  async make(found, actions, known) {
    const before = this.code,
      [stepped, told, shown, ...views] = found.next?.[`${actions[0] ?? 0},${actions[1] ?? 0}`] ?? [];
    const reached = stepped && (await this.decided(stepped, known, (await entry(this.game, stepped)).payoff));
    if (!reached) throw new Refused("the rules do not allow these moves");
    const [after, paid, more, changes] = reached,
      next = await entry(this.game, after),
      seen = next.state.over
        ? []
        : views.map(([moved, known, end], player) => ({
            before: found.seen[player],
            actions: known,
            told: moved + changes[player],
            reward: null,
            half: null,
            after: next.seen[player],
            shown: after === stepped ? end : next.seen[player],
          }));
    this.steps.push({
      before,
      actions,
      told: told + more,
      reward: paid,
      half: left(this.game, found) - left(this.game, next),
      after,
      shown: after === stepped ? shown : after,
      seen,
    });
    if (next.state.over) this.ended = "terminated";
    else if (this.steps.length >= this.game.max_cycles) this.ended = "truncated";
  }

  // Follows the moves of a link.
  async follow(start, moves) {
    Object.assign(this, { start, hiddenFrom: [] });
    for (const move of moves.split("-")) {
      const [first, second, known] = move.split("."),
        found = await entry(this.game, this.code);
      const actions = [first, second].map((one, player) => (found.state.movers.includes(player) ? Number(one) : null));
      await this.make(found, actions, known);
    }
    this.ended ??= "unfinished";
    return { ...(await this.json()), start };
  }

  undo() {
    const people = [0, 1].filter((player) => this.players[player] === home.person);
    this.steps.length = this.steps.findLastIndex((step) => people.some((player) => step.actions[player] !== null));
    this.ended = null;
  }

  async json(player) {
    const seats = this.seats(player),
      [seat] = seats,
      covered = seats.length > 1 && { code: "", fields: {}, text: "", targets: [], legal: [[], []] },
      state = await stateOf(this.game, await entry(this.game, this.code), covered ? undefined : seat),
      seen = (step) => step.before !== step.after || step.actions[seat] !== null;
    return {
      game: this.game.game,
      players: this.players,
      ended: this.ended,
      seats,
      revealed: this.ended !== null && this.hiddenFrom.length > 0,
      seed: this.seed,
      points: seats.length ? null : this.steps.reduce((sum, step) => sum + step.reward, 0),
      state: { ...state, ...covered },
      steps: covered ? [] : seats.length ? this.steps.map((step) => step.seen[seat]).filter(seen) : [...this.steps],
    };
  }

  // What a player chose: its entry, those of all actions, and what is the same wherever the same is at stake.
  async choice(step, player) {
    const { seen, solution } = await entry(this.game, step.before),
      code = seen ? seen[player] : step.before,
      side = seen && (await entry(this.game, code)).sides[player],
      actions = seen ? side.actions : solution.players[player],
      scaled = (one) => Math.round((one - solution.value) * 10 ** home.review.same);
    return {
      ...actions.find((one) => one.action === step.actions[player]),
      ...(side?.reached === false ? { loss: null } : {}), // as in arena/review.py
      ...{ code, solution, actions },
      mixes: !solution?.turn_based && actions.filter((one) => one.probability > home.played).length > 1,
      kind: seen
        ? code
        : JSON.stringify([actions.map((one) => one.action), solution.payoffs.map((row) => row.map(scaled))]),
    };
  }

  // As on the server, see arena/review.py.
  async review(earlier, before) {
    const people = [0, 1].filter((player) => this.players[player] === home.person),
      you = people.length === 1 ? people[0] : undefined,
      isFree = (one) => one.loss <= home.review.no_loss,
      valueAt = async (code) => (await entry(this.game, code)).solution?.value ?? 0,
      moves = [],
      expected = [await valueAt(this.start)];
    let paid = 0;
    for (const [k, step] of this.steps.entries()) {
      for (const player of [0, 1].filter((one) => step.actions[one] !== null)) {
        const { name, loss, value, actions, mixes, probability } = await this.choice(step, player),
          better = isFree({ loss }) ? [] : actions.filter(isFree).map((one) => one.name);
        moves.push({ step: k + 1, player, action: name, loss, brings: value, better, mixes, probability });
      }
      paid += step.reward;
      expected.push(paid + (await valueAt(step.after)));
    }
    const costly = moves.filter((move) => (you ?? move.player) === move.player && !isFree(move)),
      most = Math.max(...costly.map((move) => move.loss)),
      worst = most >= home.review.real ? costly.find((move) => move.loss > most - home.review.no_loss) : undefined,
      told = worst && { ...worst, step: worst.step + before },
      mixtures = you === undefined ? [] : await this.mixtures(you, earlier);
    return {
      moves,
      totals: [0, 1].map((seat) => moves.reduce((sum, one) => sum + (one.player === seat ? one.loss : 0), 0)),
      mixtures,
      worst: worst?.step,
      headline: headline(this.game, told, mixtures, you, you ? -paid : paid, costly.length ? "real " : ""),
      ...(this.game.solution ? {} : { expected }),
    };
  }

  async mixtures(player, earlier) {
    const mine = (one) => one !== this && one.game === this.game && one.players[player] === home.person,
      made = [];
    // The latest first.
    for (const match of [...earlier.filter(mine), this])
      for (const [k, step] of match.steps.entries())
        if (step.actions[player] !== null)
          made.unshift({ match, k, reply: step.actions[1 - player], ...(await match.choice(step, player)) });
    const kinds = Map.groupBy(
      made.filter((one) => one.mixes),
      (one) => one.kind,
    );
    const counting = (all) => {
      const own = all.filter(({ match }) => match === this);
      return own.length >= home.review.alone ? own : all;
    };
    const everywhere = kinds.size === 1 && made.every((one) => one.mixes);
    return [...kinds.values()]
      .map(counting)
      .filter((all) => all.length >= home.review.fewest)
      .map((all) => {
        const [{ code, solution }] = all,
          mix = mixMade(all, player),
          uneven = mix.chance < home.review.rare;
        return {
          ...mix,
          ...{ code, everywhere },
          states: new Set(all.map((one) => one.code)).size,
          games: new Set(all.map((one) => one.match)).size,
          unit: solution ? "choice" : "game",
          uneven,
          order: uneven || !solution ? null : followedOf(all, player),
        };
      });
  }
}

// How often a player chose each action, and what the best answer to that wins.
function mixMade(chosen, player) {
  const [{ actions, solution }] = chosen,
    rows = actions.map(({ action, name, probability }) => {
      const times = chosen.filter((one) => one.action === action).length;
      return { name, times, plays: times / chosen.length, probability };
    }),
    plays = rows.map((one) => one.plays),
    [price, answer] = solution ? answered(solution, player, plays) : [null];
  return { choices: chosen.length, actions: rows, price, answer, chance: chanceOf(rows) };
}

// What a player chose after an action, the latest choices first, as in arena/review.py.
function followedOf(all, player) {
  const [{ solution }] = all,
    { fewest, rare } = home.review,
    pairs = all.slice(1).map((before, i) => [before, all[i]]),
    next = pairs.filter(([before, one]) => before.match === one.match && before.k + 1 === one.k);
  const found = [true, false].map((own) => {
    const of = ([before]) => (own ? before.action : before.reply),
      name = (action) => solution.players[own ? player : 1 - player].find((one) => one.action === action).name,
      rows = [...Map.groupBy(next, of)].map(([first, then]) => ({
        after: name(first),
        ...mixMade(
          then.map(([, one]) => one),
          player,
        ),
      })),
      product = rows.reduce((left, one) => left * one.chance, 1);
    let [sum, term] = [0, product];
    for (const k of rows.keys()) [sum, term] = [sum + term, (term * -Math.log(product)) / (k + 1)];
    const after = rows.filter((one) => one.chance < rare && one.choices >= fewest);
    return { own, chance: product && rows.length ? 2 * sum : 2 * product, after };
  });
  const [surest] = found.sort((a, b) => a.chance - b.chance);
  return surest.after.length && surest.chance < rare ? surest : null;
}

// How often choices with these probabilities are at least as far from them, as in arena/review.py.
function chanceOf(rows) {
  const played = rows.filter((one) => one.probability || one.times),
    number = played.reduce((sum, one) => sum + one.times, 0),
    logs = [0];
  if (played.some((one) => !one.probability)) return 0;
  for (let count = 1; count <= number; count += 1) logs.push(logs[count - 1] + Math.log(count));
  const far = (count, mean) => Math.floor((home.review.fine * (count - mean) ** 2) / mean + 0.5),
    poisson = (count, mean) => Math.exp(count * Math.log(mean) - mean - logs[count]),
    most = played.reduce((sum, one) => sum + far(one.times, number * one.probability), 0),
    left = (made) => number - Math.floor(made / most);
  let nearer = new Map(most ? [[0, 1]] : []); // keys: choices so far, times `most`, and their distance
  for (const [place, { probability }] of played.entries()) {
    const before = [...nearer],
      mean = number * probability;
    nearer = new Map();
    for (const [made, weight] of before)
      for (let count = place === played.length - 1 ? left(made) : 0; count <= left(made); count += 1) {
        const key = made + count * most + far(count, mean);
        if ((made % most) + far(count, mean) < most)
          nearer.set(key, (nearer.get(key) ?? 0) + weight * poisson(count, mean));
        else if (count > mean) break;
      }
  }
  return 1 - [...nearer.values()].reduce((sum, one) => sum + one, 0) / poisson(number, number);
}

function headline(game, worst, mixtures, you, own, real) {
  const { sentences, whose, results, no_loss: noLoss } = home.review,
    holds = [!game.turn_based, game.solution, game.chance],
    reason = home.review.reasons.find((_, k) => holds[k]),
    average = reason ? home.review.average : "";
  const fill = (name, words) => sentences[name].replace(/\{(\w+)\}/g, (all, word) => words[word]);
  if (worst)
    return fill("worst", { ...worst, average, whose: you === undefined ? "The" : "Your", loss: points(worst.loss) });
  const order = mixtures.find((one) => one.order)?.order;
  if (order) {
    const row = order.after.reduce((a, b) => (b.price * b.choices > a.price * a.choices ? b : a));
    return fill("order", { ...row, ...tooOften(row), whose: whose[Number(order.own)], loss: points(row.price) });
  }
  const [read] = mixtures.filter((one) => one.price > noLoss).sort((a, b) => b.uneven - a.uneven || b.price - a.price);
  const [result, , key] = results.at(Math.sign(own));
  if (read) {
    const never = read.uneven && !tooOften(read).probability,
      where = read.games > 1 ? ` in ${read.games} games` : "";
    const words = {
      ...read,
      ...tooOften(read),
      where,
      result,
      loss: points(read.price),
      times_in_100: timesIn100(read.chance),
      plays: read.answer && !never ? `play ${read.answer} and ` : "",
    };
    return fill(never ? "never" : read.uneven ? "read" : read.chance < 1 ? "even" : "near", words);
  }
  if (you === undefined) return fill("both", { real });
  return fill("right", { real, result }) + (key === "loss" && reason ? fill("even_so", { reason }) : "");
}

const answers = {
  "": () => home,
  "/certificate": () => home.certificate,
  "/compiling": () => false,
  "/game": (given) => gameNamed(given.game),
  "/spots": (given) => gameNamed(given.game).spots,
  "/ladder": (given) => gameNamed(given.game).ladder,
  "/state": async (given) => {
    const game = gameNamed(given.game),
      code = await codeIn(game, given);
    return { ...(await stateOf(game, await entry(game, code), given.player)), history: code };
  },
  "/solution": async (given) => {
    const game = gameNamed(given.game),
      found = await entry(game, given.code);
    if (found.solution || found.state?.over) return found.solution ?? { over: true };
    const { turn, movers } = await stateOf(game, found, given.player),
      players = given.player === undefined ? movers : movers.filter((player) => player === Number(given.player));
    return {
      ...game.solution,
      turn_based: turn !== "both",
      sides: await Promise.all(players.map((player) => side(game, found, given.code, player))),
    };
  },
  "/next": async (given) => {
    const game = gameNamed(given.game),
      found = await entry(game, given.code),
      [after, told] = found.next[`${given.action0},${given.action1}`],
      next = await entry(game, after);
    return { state: next.state, told, reward: next.payoff + left(game, found) - left(game, next) };
  },
};

async function advice(match, given) {
  match.seats(given.player); // refuses the advice on what is hidden
  const found = await entry(match.game, match.code),
    shares = await probabilities(match.game, found, given.agent, given.player);
  return {
    sampled: 0,
    probabilities: Object.fromEntries(found.state.legal[given.player].map((one) => [one.name, shares[one.action]])),
  };
}

async function answer(path, given, body) {
  home ??= await load("home");
  if (path in answers) return answers[path](given);
  const [, name, id, what] = path.split("/");
  if (name in pages) return load(name);
  if (name === "replay") {
    const linked = new Match(gameNamed(body.game), body.players),
      shown = await linked.follow(body.start, body.moves);
    return body.review ? linked.review([], 0) : shown;
  }
  if (id === undefined) {
    const seed = body.seed ?? Math.floor(Math.random() * 1e6);
    const match = await new Match(gameNamed(body.game), body.players, seed).begin(body.start, given.player),
      number = String(matches.size);
    matches.set(number, match);
    return { id: number, ...(await match.json()) };
  }
  const match = matches.get(id);
  const earlier = (given.with ?? "").split(",").flatMap((one) => matches.get(one) ?? []);
  if (what === "review") return match.review(earlier, Number(given.before));
  if (what === "mixtures") return match.mixtures(Number(given.player), earlier);
  if (what === "advice") return advice(match, given);
  if (what === "step") await match.step(body.actions);
  if (what === "undo") match.undo();
  return match.json(given.player);
}

async function boardHere(game, code, name) {
  home ??= await load("home");
  const { board } = await entry(gameNamed(game), code),
    colours = home.themes[name];
  return board.replace(/(fill|stroke)="([\w-]+)"/g, (all, what, role) =>
    role in colours ? `${what}="${colours[role]}"` : all,
  );
}

Object.assign(source, { ask: answer, board: boardHere, page: (name) => pages[name], records: false });
