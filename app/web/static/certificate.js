// A certificate that `nashzoo solve --certificate` wrote, checked in fractions without a server. What is in such a file
// is written in baselines/certificate/check_certificate.py, which does the same.

import { ask } from "./api.js";
import { decimal, fraction, greatest, less, minus, ONE, plus, same, sum, times, written, ZERO } from "./equilibrium.js";
import { button, h, headOf, number, signed } from "./parts.js";

const FORMAT = "nashzoo-certificate 1",
  LETTERS = 2000, // of a certificate that are shown
  SEATS = ["first player", "second player"];

function demand(holds, objection) {
  if (!holds) throw new Error(objection);
}

function numberIn(text) {
  const [, top, bottom] = /^(-?\d+)(?:\/([1-9]\d*))?$/.exec(String(text)) ?? [];
  demand(top && (typeof text === "string" || Number.isSafeInteger(text)), `${text} is no number`);
  return fraction(BigInt(top), BigInt(bottom ?? 1));
}

function distribution(numbers) {
  const shares = numbers.map(numberIn);
  demand(!shares.some((one) => less(one, ZERO)) && same(sum(shares), ONE), `no probabilities: ${numbers}`);
  return shares;
}

function checkStates(start, lines) {
  const bounds = new Map([[null, [ZERO, ZERO].map((value) => ({ value, rank: ZERO }))]]);
  const states = lines.filter((line) => "state" in line);
  for (const { state, bounds: own } of states) {
    demand(!bounds.has(state), `state ${state} is there twice`);
    const [lower, upper] = own.map(([value, rank]) => ({ value: numberIn(value), rank: numberIn(rank) }));
    bounds.set(state, [lower, { ...upper, value: minus(ZERO, upper.value) }]);
  }
  states.forEach((line) => checkState(line, bounds));
  const chances = distribution(start.map(([, chance]) => chance));
  const secured = [0, 1].map((who) => sum(start.map(([state], k) => times(chances[k], bounds.get(state)[who].value))));
  return [secured[0], minus(ZERO, secured[1])];
}

function checkState(line, bounds) {
  const { state, next, strategy } = line,
    chance = "chance" in line && distribution(line.chance);
  const columns = next[0].map((_, j) => next.map((row) => row[j]));
  demand(
    next.every((row) => row.length === columns.length),
    `state ${state} is no table`,
  );
  bounds.get(state).forEach(({ value, rank }, who) => {
    const mix = chance || distribution(strategy[who]);
    demand(!less(rank, ZERO) && (chance ? columns.length === 1 : columns.length), `state ${state} has no actions`);
    for (const reply of who === 0 || chance ? columns : next) {
      demand(reply.length === mix.length, `state ${state}: an action has no probability`);
      let slack = minus(ZERO, value),
        lasts = true;
      mix.forEach((share, k) => {
        if (!share.n) return;
        const [after, paid] = reply[k],
          ahead = bounds.get(after)[who],
          reward = who ? minus(ZERO, numberIn(paid)) : numberIn(paid);
        slack = plus(slack, times(share, plus(reward, ahead.value)));
        lasts &&= !less(rank, less(ZERO, value) ? plus(ahead.rank, ONE) : ahead.rank);
      });
      demand(slack.n > 0n || (!slack.n && lasts), `player ${who} is not sure of more at state ${state}`);
    }
  });
}

function checkSequences(lines) {
  const weights = [[ONE], [ONE]],
    sets = [[], []];
  for (const { player, parent, strategy } of lines.filter((line) => "player" in line)) {
    const own = Number.isInteger(player) && weights[player],
      mix = distribution(strategy);
    demand(own && Number.isInteger(parent) && own[parent], "an information state before its parent");
    sets[player].push({ parent, first: own.length, last: own.length + mix.length });
    own.push(...mix.map((share) => times(own[parent], share)));
  }
  const gains = weights.map((own) => own.map(() => ZERO));
  for (const { payoff } of lines.filter((line) => "payoff" in line)) {
    const [i, j, paid] = payoff;
    gains[0][i] = plus(gains[0][i], times(numberIn(paid), weights[1][j]));
    gains[1][j] = minus(gains[1][j], times(numberIn(paid), weights[0][i]));
  }
  gains.forEach((won, player) => {
    for (const { parent, first, last } of sets[player].reverse())
      won[parent] = plus(won[parent], greatest(won.slice(first, last)));
  });
  return [minus(ZERO, gains[1][0]), gains[0][0]];
}

const orderOf = ({ player, sees }) => [player, ...sees.toReversed()].join(); // by what was played, then by cards

function lineIn(line) {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error("it is no certificate, or it is damaged");
  }
}

// The game's name and the value's bounds; an error says what does not hold. `hash` is that of all but the last line.
export function proved(text, hash) {
  const [head, ...lines] = text.trimEnd().split("\n").map(lineIn);
  demand(head.format === FORMAT, "it is no certificate");
  const { sha256 } = lines.pop();
  demand(sha256 && (!hash || hash === sha256), "the file is damaged, or not whole");
  const kinds = head.start ? ["state"] : ["player", "payoff"];
  demand(
    lines.every((line) => kinds.some((kind) => kind in line)),
    "a line is of no kind",
  );
  const [lower, upper] = head.value.map(numberIn),
    [secured, conceded] = head.start ? checkStates(head.start, lines) : checkSequences(lines);
  const [least, most] = head.value.map(signed);
  demand(
    !less(secured, lower),
    `it claims ${least}, but the first player's strategy guarantees only ${written(secured)}`,
  );
  demand(!less(upper, conceded), `it claims ${most}, but the second player's strategy concedes ${written(conceded)}`);
  return { ...head, lower, upper };
}

const file = (text) => h("pre", text.slice(0, LETTERS), text.length > LETTERS ? " …" : "");

// Who chooses in each information state, what that player sees, and how often it takes each action.
function strategies(text, states) {
  const lines = text
    .trimEnd()
    .split("\n")
    .map(lineIn)
    .filter((line) => "player" in line);
  return h(
    "table",
    headOf(["player", "sees", "plays"], () => true),
    h(
      "tbody",
      lines
        .map(({ player, strategy }, k) => {
          const [seen, names] = states[k],
            plays = names.map((name, i) => (strategy[i] === 1 ? name : `${name} ${strategy[i]}`)),
            sees = seen
              .split("\n")
              .filter((line) => !line.includes("?"))
              .map((line) => line.replace(/^player \d: /, ""));
          return { player, sees, plays: plays.filter((_, i) => strategy[i]) };
        })
        .sort((a, b) => orderOf(a).localeCompare(orderOf(b)))
        .map(({ player, sees, plays }) =>
          h(
            "tr",
            h(`td.name.p${player}name`, SEATS[player]),
            h("td.name", sees.join("; ")),
            h("td.name", plays.join(", ")),
          ),
        ),
    ),
  );
}

async function hashOf(text) {
  if (!globalThis.crypto?.subtle) return null; // not by http from another machine
  const end = text.trimEnd().lastIndexOf("\n") + 1,
    hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text.slice(0, end)));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function certificate(main) {
  const told = h("h2", { role: "status" }),
    exactly = h("div");
  async function check(name, reading, hashed = true) {
    told.className = "";
    exactly.replaceChildren();
    told.textContent = "Checking …";
    try {
      const { text, title, told: states } = await reading,
        { game, value, lower, upper } = proved(text, hashed && (await hashOf(text)));
      told.className = "right";
      const [low, high] = [lower, upper].map(decimal),
        digits = Math.max(0, Math.floor(-Math.log10(Math.max(high - low, 1e-9)))),
        about = number((low + high) / 2, digits),
        worth = value[0] === value[1] ? `exactly ${signed(value[0])}` : about;
      const within = value[0] === value[1] ? "" : `, to ${digits} digits after the point`;
      told.textContent = `✓ Proven: ${title ?? game} is worth ${worth} points to the first player${within}.`;
      exactly.replaceChildren(
        h(
          "p",
          value[0] === value[1] ? `${signed(value[0])} is about ${about}.` : `From ${value.map(signed).join(" to ")}.`,
        ),
        h(
          "details",
          h("summary", "What is in it"),
          states ? [strategies(text, states), h("details", h("summary", "The file"), file(text))] : file(text),
        ),
      );
    } catch (problem) {
      told.className = "wrong";
      told.textContent = `✗ Not proven: ${problem.message}.`;
      exactly.replaceChildren(name);
    }
  }
  const sample = () => ask("/certificate"),
    // The value is another, and nothing else.
    falsified = async () => ({ text: (await sample()).text.replace(/"value":\[.*?\]/, '"value":["0","0"]') }),
    textOf = async (file) => ({ text: await file.text() });
  const read = ({ target: { files } }) => files.length && check(files[0].name, textOf(files[0]));
  main.replaceChildren(
    h(
      "section.panel.wide",
      h("h1", "Check a certificate"),
      h(
        "p",
        "A certificate is a file that proves how much a game is worth: it has the game as a table, and a strategy of ",
        "each player. This page checks, without rounding, that neither can win more.",
      ),
      h(
        "div.tools",
        button({ id: "sample", class: "primary", click: () => check("", sample()) }, "Try one: Kuhn poker"),
        button({ id: "false", click: () => check("", falsified(), false) }, "Try a false one"),
      ),
      told,
      exactly,
      h("h2", "One of your own"),
      h("p", h("label", "The file stays on this machine. ", h("input", { type: "file", change: read }))),
      h(
        "details",
        h("summary", "How to make one"),
        h("p", "In a terminal:"),
        h("pre", "nashzoo solve roshambo_v0 --certificate roshambo.certificate"),
      ),
    ),
  );
}
