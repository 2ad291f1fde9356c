// MENACE's matchboxes: looked into, trained while one watches, and played against.

import { Refused, whySlow } from "../../api.js";
import { LABELS, SETTINGS, act, begun, choicesOf, fileOf, settingsIn, texts, wholeIn } from "./boxes.js";
import { go, tell } from "../../navigation.js";
import { chart } from "../../chart.js";
import { button, h, headOf, number, rounded, s, share } from "../../parts.js";

const EMPTY = ".........",
  LESSON = 500, // games
  ONE_BY_ONE = 5, // of these, at first
  PAUSE = 900,
  PULSE = 200; // milliseconds that a drawn bead is shown, and between parts of a training
const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"].map((cells) => [...cells].map(Number));
const BEADS = ["#f6f3ea", "#b597d9", "#a9b2bc", "#33343a", "#dcae2d", "#2f9e5e", "#ee8130", "#cc3b3b", "#ef93ba"];
const WORTH = { 1: "a win", 0: "a draw", "-1": "a loss" };
const SIDES = ["crosses", "noughts"];
let CELLS = []; // their names
let kept = { id: null, loaded: false }; // the MENACE that was looked at last, and whether it is from a file

const wait = (time) => new Promise((done) => setTimeout(done, time));
const many = (value, word) => `${value.toLocaleString("en")} ${word}${value === 1 ? "" : "s"}`;
const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");
const short = (value) => (value < 10000 ? String(value) : `${(value / 1000).toPrecision(3)}k`);
const three = (board) => LINES.find(([a, b, c]) => board[a] !== "." && board[a] === board[b] && board[a] === board[c]);
const place = (cell) => [7 + 38 * (cell % 3), 7 + 38 * Math.floor(cell / 3)];
const mover = (board) => (board.match(/[xo]/g) || []).length % 2;
const after = (path) =>
  path.reduce((board, cell) => board.slice(0, cell) + "xo"[mover(board)] + board.slice(cell + 1), EMPTY);

const typed = (input) => (input.validity.badInput ? "this" : input.value);

// A box: {board, moves: [{cells, beads}]}, or a board without beads. Beads of equal moves lie in the first cell of
// them.
function matchbox({ board, moves = [] }, { drawn = null, changes = {}, small = false, label }) {
  const parts = [
    s("rect", { class: "sleeve", width: 126, height: 134, rx: 6 }),
    s("rect", { class: "striker", x: 6, y: 125, width: 114, height: 5, rx: 2 }),
    s("rect", { class: "tray-floor", x: 4, y: 4, width: 118, height: 118, rx: 3 }),
  ];
  for (let cell = 0; cell < 9; cell += 1) {
    const [x, y] = place(cell),
      move = moves.find((one) => one.cells.includes(cell)),
      first = move && move.cells[0] === cell;
    parts.push(
      s("rect", {
        class: move && move.cells.includes(drawn) && (first || cell === drawn) ? "cell drawn" : "cell",
        x,
        y,
        width: 36,
        height: 36,
        rx: 3,
      }),
    );
    if (board[cell] === "x") parts.push(s("path", { class: "cross", d: `M${x + 9} ${y + 9}l18 18m0 -18l-18 18` }));
    else if (board[cell] === "o") parts.push(s("circle", { class: "nought", cx: x + 18, cy: y + 18, r: 9.6 }));
    else if (first && move.beads !== null)
      parts.push(
        ...beads(cell, move.beads, x + 18, y + (small ? 18 : 15)),
        ...(small ? [] : [counts(x + 18, y + 34, move.beads, changes[cell])]),
      );
    else if (move && move.beads !== null) parts.push(s("circle", { class: "alike", cx: x + 18, cy: y + 18, r: 4 }));
    if (small && changes[cell])
      parts.push(
        s(
          "text",
          { ...changed(changes[cell]), x: x + 35, y: y + 12, "font-size": 13, style: "text-anchor: end" },
          signed(changes[cell]),
        ),
      );
  }
  const line = three(board);
  if (line)
    parts.push(
      s("path", {
        class: "three",
        d: [line[0], line[2]]
          .map((cell, k) => `${k ? "L" : "M"}${place(cell)[0] + 18} ${place(cell)[1] + 18}`)
          .join(""),
      }),
    );
  return s("svg", { class: "matchbox", viewBox: "0 0 126 134", role: "img", "aria-label": label }, ...parts);
}

const changed = (by) => ({ class: `change ${by > 0 ? "more" : "fewer"}` });

// How many beads there are, and, if they have changed, how many there were.
function counts(x, y, held, by) {
  const was = by ? ` (was ${short(held - by)})` : "",
    size = Math.min(6, 58 / (short(held) + was).length);
  return s("text", { x, y, "font-size": size }, short(held), was && s("tspan", changed(by), was));
}

function beads(cell, held, x, y) {
  const shown = Math.min(held, 60),
    pitch = Math.min(3.7, 10.8 / Math.sqrt(shown)); // clear of the number in the corner
  return Array.from({ length: shown }, (_, k) => [
    x + pitch * Math.sqrt(k + 0.5) * Math.cos(2.39996 * k),
    y + pitch * Math.sqrt(k + 0.5) * Math.sin(2.39996 * k),
  ]).map(([cx, cy]) =>
    s("circle", {
      class: "bead",
      cx: cx.toFixed(2),
      cy: cy.toFixed(2),
      r: (0.84 * pitch).toFixed(2),
      fill: BEADS[cell],
    }),
  );
}

const told = (board) => [0, 3, 6].map((k) => board.slice(k, k + 3).replaceAll(".", "-")).join(" ");
const holds = (move) => `${CELLS[move.cells[0]]} ${move.beads === null ? "forced" : many(move.beads, "bead")}`;
const described = (box) => `Box of ${told(box.board)}: ${box.moves.map(holds).join(", ")}`;

async function dressed() {
  if (document.getElementById("menace-style")) return;
  const link = h("link", { id: "menace-style", rel: "stylesheet", href: "pages/menace/menace.css" });
  document.head.append(link);
  await new Promise((done) => Object.assign(link, { onload: done, onerror: done }));
}

export async function show(main, given, stays) {
  const waits = h("p.wide", { role: "status" }, "The boxes are being filled.");
  main.replaceChildren(waits);
  setTimeout(async () => waits.append(await whySlow()), 2000);
  const [choices] = await Promise.all([choicesOf(), dressed()]);
  CELLS = choices.cells;
  if (!stays()) return null;
  let session = null,
    path = [],
    board = EMPTY,
    turn = Promise.resolve(),
    playing = false,
    drawing = false,
    busy = false,
    running = false,
    timer = null,
    gone = false,
    changes = {},
    since = null; // the box before the training, from which the changes are

  // What is shown of the boxes.
  const tray = h("div"),
    status = h("p.told", { role: "status", id: "told" }),
    actions = h("div.actions"),
    opened = h("section.panel", { hidden: true });
  const cells = CELLS.map((name, cell) =>
    button({
      "aria-label": name,
      "data-cell": cell,
      style: `left:${(place(cell)[0] / 1.26).toFixed(2)}%;top:${(place(cell)[1] / 1.34).toFixed(2)}%`,
      click: () => choose(cell),
    }),
  );
  const table = h("section.panel", { id: "moves" }),
    tallies = h("div", { id: "tallies" }),
    curve = h("div", { id: "curve" });

  // What trains it.
  const opponent = h(
    "select",
    ...Object.entries(choices.opponents).map(([name, title]) => h("option", { value: name }, title)),
  );
  const probability = h("input", { type: "number", min: 0, max: 100, step: 5, value: 70 }),
    erring = h("label", "Best moves, %", probability);
  const side = h("select", ...choices.sides.map((name) => h("option", name)));
  const speed = h("input", { id: "menace-speed", type: "range", min: 0, max: 4, step: 0.1, value: 1, input: paced }),
    pace = h("span", { id: "pace" });
  const start = button({ id: "train", click: () => train(!running) }),
    once = button({ id: "once", click: single }, "One game"),
    lesson = button({ id: "lesson", class: "primary", click: study }, `Train ${many(LESSON, "game")}`);
  const axis = h("input", { type: "checkbox", id: "logarithmic", checked: true, change: drawCurve });
  opponent.addEventListener("change", paced);

  // What new boxes are filled with.
  const preset = h(
    "select",
    { change: () => fill(texts(choices.presets[preset.value])) },
    ...Object.keys(choices.presets).map((name) => h("option", name)),
    h("option", { value: "", disabled: true }, "of its own"),
  );
  const alpha = h("input", { autocomplete: "off", size: 10 }),
    per = h("select", ...choices.per.map((name) => h("option", name)));
  const numbers = Object.fromEntries(
    ["beta", "gamma", "delta", "floor"].map((name) => [name, h("input", { type: "number", min: 0, name })]),
  );
  const seed = h("input", { type: "number", min: 0, placeholder: "random" }),
    file = h("input", { type: "file", accept: ".json", change: load });
  const save = button({ id: "save", click: () => download().catch(tell) }, "Save boxes.json");
  const form = h(
    "form.filling",
    { novalidate: true, submit: () => begin(filling), input: () => tell(null) },
    h("label", "Preset", preset),
    h("label", LABELS.alpha, alpha),
    h("label", "for every", per),
    ...Object.entries(numbers).map(([name, input]) => h("label", LABELS[name], input)),
    h("label", "Seed", seed),
    h("button", { id: "fill" }, "New boxes"),
    h("label", "or those of a file", file),
    save,
  );

  main.replaceChildren(
    h(
      "div.wide",
      h("h1", "MENACE"),
      h(
        "p",
        "Matchboxes that learn tic-tac-toe, by Donald Michie, 1961. Each box is a position. MENACE shakes it " +
          "and draws a bead, whose colour is its move. After a game it adds beads to the moves that won, and takes " +
          "beads from those that lost.",
      ),
    ),
    h("div", h("div.tray", tray, ...cells), status, actions, tallies, opened, table),
    h(
      "div",
      h(
        "section.panel",
        h("h2", "Training"),
        h(
          "form.train",
          { input: () => tell(null) },
          h("label", "Against", opponent),
          erring,
          h("label", "MENACE plays", side),
          h("label", pace, speed),
          start,
          once,
        ),
      ),
      h("section.panel", curve, h("label.row", axis, "Logarithmic axis")),
      h("details.panel", h("summary", "Other beads, or saved boxes"), form),
    ),
  );

  function fill(chosen) {
    alpha.value = chosen.alpha.replaceAll(",", ", ");
    per.value = chosen.per;
    for (const [name, input] of Object.entries(numbers)) input.value = chosen[name];
  }

  function filling() {
    const given = {
      alpha: alpha.value,
      per: per.value,
      ...Object.fromEntries(Object.entries(numbers).map(([name, input]) => [name, typed(input)])),
    };
    return {
      ...settingsIn(given),
      ...(typed(seed) ? { seed: wholeIn("Seed", typed(seed), 0, Number.MAX_SAFE_INTEGER) } : {}),
    };
  }

  async function load() {
    const text = file.files.length ? await file.files[0].text() : null;
    file.value = "";
    if (text !== null) begin(() => ({ file: text }));
  }

  async function download() {
    const text = JSON.stringify(fileOf(session.id)),
      link = h("a", {
        download: "boxes.json",
        href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
      });
    link.click();
  }

  const attempt = (asking) => (turn = turn.then(() => tried(asking))); // one after the other

  async function tried(asking) {
    tell(null);
    try {
      const found = await asking();
      if (gone) return false;
      session = { id: session && session.id, loaded: session && session.loaded, ...found };
      return true;
    } catch (problem) {
      if (!gone) {
        train(false);
        tell(problem);
      }
      return false;
    }
  }

  async function begin(body) {
    train(false);
    let loaded = false;
    const asking = async () => {
      const wanted = body();
      loaded = "file" in wanted;
      return { ...begun(wanted), loaded };
    };
    if (!(await attempt(asking))) return false;
    train(false);
    [path, board, playing, changes] = [[], EMPTY, false, {}];
    remember();
    draw();
    return true;
  }

  // The address has the preset, and the settings that are not the preset's.
  function remember() {
    const { id, seed, loaded } = session,
      own = texts(session.settings),
      others = (name) => SETTINGS.filter((one) => own[one] !== texts(choices.presets[name])[one]);
    const names = Object.keys(choices.presets),
      nearest = names.reduce((best, name) => (others(name).length < others(best).length ? name : best)),
      differing = others(nearest);
    kept = { id, loaded };
    fill(own);
    preset.value = differing.length ? "" : nearest;
    go(
      "menace",
      {
        id,
        seed,
        preset: nearest,
        ...Object.fromEntries(differing.map((name) => [name, own[name]])),
        ...(loaded ? { loaded: 1 } : {}),
      },
      true,
    );
  }

  // Training, in parts, as many games at once as the slider says for the time that has passed.
  let owed = 0,
    last = 0;
  const rate = () => Math.round(10 ** Number(speed.value));
  function paced() {
    pace.textContent = `Speed: ${many(rate(), "game")} a second`;
    speed.setAttribute("aria-valuetext", pace.textContent);
    erring.hidden = opponent.value !== "human";
    side.disabled = opponent.value === "self";
    lesson.textContent = `Train ${many(LESSON, "game")} against ${opponent.selectedOptions[0].text.split(",")[0]}`;
  }

  async function part(games) {
    const chance = () => {
      const value = typed(probability),
        right = "a number from 0 to 100";
      if (!value) throw new Refused(`“Best moves, %” is empty; it must be ${right}`);
      if (!(value >= 0 && value <= 100)) throw new Refused(`“Best moves, %” must be ${right}, not ${value}`);
      return { probability: value / 100 };
    };
    const alone = opponent.value === "self" ? {} : { side: side.value };
    const asking = async () =>
      act(session.id, "train", {
        games,
        opponent: opponent.value,
        board: looked(),
        ...(opponent.value === "human" ? chance() : {}),
        ...alone,
      });
    if (!(await attempt(asking))) return;
    changes = difference(since, session.box);
    draw();
  }

  function single() {
    since = session.box;
    return part(1);
  }

  // So many games at once, in parts, for a curve.
  async function study() {
    train(false);
    lesson.disabled = true;
    since = session.box;
    for (let left = LESSON; left > 0 && !gone;) {
      const done = LESSON - left,
        games = Math.min(left, done < ONE_BY_ONE ? 1 : done, LESSON / 10);
      await part(games);
      left -= games;
      if (games < LESSON / 10) await wait(PULSE);
    }
    lesson.disabled = false;
    if (curve.getBoundingClientRect().top > innerHeight) tallies.scrollIntoView(); // on a telephone
  }

  const difference = (before, now) =>
    Object.fromEntries(
      before.board !== now.board ? [] : now.moves.map((move, k) => [move.cells[0], move.beads - before.moves[k].beads]),
    );

  async function run() {
    const now = performance.now();
    owed = Math.min(owed + (rate() * (now - last)) / 1000, choices.most_games);
    last = now;
    // Doubling at first, for a curve without gaps.
    const games = Math.min(Math.floor(owed), 1 + session.curve.games.at(-1));
    owed -= games;
    if (games) await part(games);
    if (running && !gone) timer = setTimeout(run, owed >= 1 ? 0 : Math.max(0, PULSE - (performance.now() - now)));
  }

  function train(on) {
    clearTimeout(timer);
    [running, owed, last] = [on && session !== null, 1, performance.now()];
    start.replaceChildren(h("kbd", "t"), running ? "Stop" : "Train");
    once.disabled = lesson.disabled = running || session === null;
    if (running) {
      since = session.box;
      run();
    }
  }

  // Playing, and looking into boxes.
  const over = (marks) => Boolean(three(marks)) || !marks.includes(".");
  const looked = () => (over(board) ? EMPTY : board);
  const match = () => session.match;
  const current = () => (playing ? match().board : board);

  async function look(cells) {
    [path, board] = [cells, after(cells)];
    [playing, drawing, changes] = [false, false, {}];
    if (await attempt(() => act(session.id, "look", { board: looked() }))) draw();
  }

  async function play(seat) {
    if (!busy) await answered("play", { seat }, 0);
  }

  // Sends a move or the wish to play, and shows the bead that MENACE draws; so many boxes were open before.
  async function answered(what, body, before) {
    busy = true;
    for (const one of cells) one.disabled = true;
    if (await attempt(() => act(session.id, what, body))) {
      playing = true;
      if (match().opened.length > before) {
        drawing = true;
        draw();
        await wait(PAUSE);
        drawing = false;
      }
    }
    busy = false;
    if (!gone) draw();
  }

  function choose(cell) {
    if (!free(cell)) return;
    if (playing) answered("mark", { cell }, match().opened.length);
    else look([...path, cell]);
  }

  const hasLearned = (seat) => session.curve.won[seat].at(-1) !== session.curve.won[seat][0],
    isUntaught = (seat) => hasLearned(1 - seat) && !hasLearned(seat) && !session.loaded;
  const free = (cell) =>
    !busy && !drawing && current()[cell] === "." && !over(current()) && !(playing && match().ended);
  const back = () => {
    if (!busy && (playing || path.length)) look(playing ? [] : path.slice(0, -1));
  };

  function words() {
    if (!playing) {
      if (over(board)) return three(board) ? "The game is over: three in a row." : "The game is over: a draw.";
      const { moves, beads } = session.box;
      const held = beads === 0 ? "is empty: MENACE resigns here" : `holds ${many(beads, "bead")}`;
      const box = moves[0].beads === null ? "The last cell takes no box" : `This box ${held}`;
      return `${mover(board) ? "Noughts" : "Crosses"} to move. ${box}. Press cells to look into other boxes.`;
    }
    const { ended, result, opened: boxes, seat, changes: learned } = match(),
      box = boxes.at(-1);
    if (drawing) return `MENACE draws a bead: ${CELLS[box.cell]}.`;
    const untaught = isUntaught(1 - seat) ? `MENACE is not trained as ${SIDES[1 - seat]}. ` : "";
    if (!ended)
      return `${untaught}${box ? `MENACE marked ${CELLS[box.cell]}. ` : ""}You are ${SIDES[seat]}; mark a cell.`;
    const how = ended === "resigned" ? "Its box is empty: MENACE resigns. " : "";
    return `${how}MENACE has ${result}. ${taught(learned.filter(Boolean))}`;
  }

  // What a game changed in so many boxes.
  function taught(by) {
    if (!by.length) return "No beads change.";
    const most = Math.max(...by.map(Math.abs)),
      beads = `${new Set(by).size > 1 ? "Up to " : ""}${most === 1 ? "One bead was" : `${most} beads were`}`;
    const boxes = by.length > 1 ? `each of ${by.length} boxes` : "one box";
    return `${beads} ${by[0] > 0 ? "added in" : "taken from"} ${boxes}.`;
  }

  function draw() {
    const boxes = playing ? match().opened : [],
      box = boxes.at(-1);
    const shown = drawing ? box : playing ? { board: match().board } : over(board) ? { board } : session.box;
    const named = shown.moves ? described(shown) : `The board: ${told(shown.board)}`;
    tray.replaceChildren(
      matchbox(shown, {
        drawn: drawing ? box.cell : null,
        changes: playing ? {} : changes,
        label: named,
      }),
    );
    for (const [cell, one] of cells.entries()) one.disabled = !free(cell);
    if (status.textContent !== words()) status.textContent = words();
    const deed = (id, key, text, click) => button({ id, disabled: busy, click }, h("kbd", key), text);
    lesson.className = hasLearned(0) || hasLearned(1) ? "" : "primary"; // then play against the side that has learned
    actions.replaceChildren(
      ...(playing ? [] : [lesson]),
      ...SIDES.map((name, seat) => deed(name, "xo"[seat], `Play ${name}`, () => play(seat))),
      ...(playing || path.length ? [deed("back", "b", playing ? "Look into boxes" : "Back", back)] : []),
    );
    for (const seat of [0, 1])
      if (isUntaught(seat) && !playing) actions.querySelector(`#${SIDES[seat]}`).className = "primary";
    drawOpened(boxes);
    drawTable(playing ? box : over(board) ? null : session.box);
    drawTallies();
    drawCurve();
  }

  function drawOpened(boxes) {
    opened.hidden = boxes.length === 0;
    opened.replaceChildren(
      h("h2", "Boxes opened in this game"),
      h(
        "ol.strip",
        ...boxes.map((box, k) => {
          const change = match().changes[k],
            kind = box.moves.find((move) => move.cells.includes(box.cell));
          const learned = change === undefined ? "" : change ? ` (${signed(change)})` : " (as before)";
          const note = `${CELLS[box.cell]}, ${many(kind.beads, "bead")}${learned}`;
          return h(
            "li",
            matchbox(box, {
              drawn: box.cell,
              changes: { [kind.cells[0]]: change },
              small: true,
              label: `${described(box)}; drawn: ${note}`,
            }),
            note,
          );
        }),
      ),
    );
  }

  function drawTable(box) {
    if (!box) {
      table.replaceChildren(
        h("h2", "Box"),
        h(
          "p",
          !playing
            ? "No box here."
            : match().ended
              ? "The first box that it opened is empty."
              : "MENACE has opened no box yet.",
        ),
      );
      return;
    }
    const rows = [...box.moves]
      .sort((a, b) => b.chance - a.chance)
      .map((move) =>
        h(
          "tr",
          h(
            "td.name",
            h("span.kind", h("span.swatch", { style: `background:${BEADS[move.cells[0]]}` }), CELLS[move.cells[0]]),
            move.cells.length > 1 ? h("span.soft", ` and ${move.cells.length - 1} like it`) : null,
          ),
          h("td", move.beads === null ? "no box" : move.beads.toLocaleString("en")),
          h(
            "td",
            share(move.chance),
            share(move.was) === share(move.chance) ? null : h("small.soft", ` was ${share(move.was)}`),
          ),
          h("td.name", h("span.bar.chance", { style: `--chance:${move.chance.toFixed(4)}` })),
          h("td", { class: `name ${move.best ? "kept" : "lets"}` }, `${WORTH[move.worth]}${move.best ? " ✓" : ""}`),
        ),
      );
    table.replaceChildren(
      h("h2", playing ? "The box of its last move" : "What is in this box"),
      h(
        "table",
        h(
          "caption",
          `How often ${SIDES[box.player]} choose each move, and how perfect play ends after it` +
            (box.moves.some((move) => move.best) ? "; ✓ is best." : ". Every move loses.") +
            (box.moves.some((move) => move.cells.length > 1) ? " Mirrored moves share their beads." : ""),
        ),
        headOf(["move", "beads", "chance", "", "ends in"], (k) => k === 0 || k > 2),
        h("tbody", ...rows),
      ),
    );
  }

  function drawTallies() {
    const row = (counts, kind) => [
      h(
        "div",
        `${kind}: `,
        h(
          "strong",
          `${counts.won.toLocaleString("en")} won, ${counts.drawn.toLocaleString("en")} drawn, ` +
            `${counts.lost.toLocaleString("en")} lost`,
        ),
      ),
      h(
        "div.tally",
        { "aria-hidden": "true" },
        ...["won", "drawn", "lost"].map((name) => h("span", { class: name, style: `flex-grow:${counts[name]}` })),
      ),
    ];
    const { trained, played, games, first, last } = session,
      after = session.loaded ? " after loading" : "",
      whole = row(trained, `MENACE in ${many(games.trained, "game")} of training${after}`),
      against = games.played ? row(played, `MENACE in ${many(games.played, "game")} against you`) : [];
    tallies.replaceChildren(
      ...(first
        ? [...row(first, "Its first 100 games"), ...row(last, "Its last 100 games"), ...learned(), whole[0], ...against]
        : [...whole, ...against, ...learned()]),
    );
  }

  // What the numbers in the box count, and whether it got better.
  function learned() {
    const { won } = session.curve,
      more = won.map((y) => y.at(-1) - y[0]),
      learnedMost = Number(Math.abs(more[1]) > Math.abs(more[0])),
      seat = playing ? 1 - match().seat : learnedMost,
      [before, now] = [won[seat][0], won[seat].at(-1)].map((value) => number(value, 2)),
      [most] = [...session.box.moves].sort((a, b) => b.chance - a.chance),
      [was, chance] = [most.was, most.chance].map((value) => share(value));
    if (session.curve.games.length === 1) return [];
    const first = before === now ? "" : `, ${before} at the beginning`,
      verdict = !first ? "No change yet" : more[seat] > 0 ? "It got better" : "It got worse";
    return [
      h(
        "p.soft",
        { id: "learned" },
        `${verdict}: as ${SIDES[seat]} it wins ${now} points a game against random moves${first}.` +
          (playing || was === chance
            ? ""
            : ` In this box it chooses ${CELLS[most.cells[0]]} most: ${was} → ${chance}.`) +
          (!playing && Object.values(changes).some(Boolean) ? " “Was” in the box: before this training." : ""),
      ),
    ];
  }

  // Against random moves it is seen to learn early; an opponent who knows it finds the worst box.
  function drawCurve() {
    const { games, lost, won } = session.curve,
      moved = [0, 1].filter((seat) => [won, lost].some((all) => all[seat].at(-1) !== all[seat][0])),
      shown = moved.length ? moved : [0, 1], // a side that has not learned is flat
      figure = (title, written, series, line, end) =>
        chart({
          title,
          across: "games that it has learned from",
          x: games,
          log: axis.checked,
          lines: [[line, end]],
          within: [0],
          series: shown.map((seat) => {
            const y = series[seat];
            return { name: `as ${SIDES[seat]} ${written(y.at(-1))}`, y, colour: seat };
          }),
        });
    const figures = [
      figure("Points a game against random moves", (value) => number(value, 2), won, "1: it wins every game", 1),
      figure("Points a game that an opponent who knows it wins", rounded, lost, "0: perfect play", 0),
    ];
    axis.parentElement.hidden = games.length === 1;
    if (games.length === 1)
      for (const one of figures) one.lastChild.replaceWith(h("p.soft", "Train it, and its curve begins here."));
    curve.replaceChildren(...figures);
  }

  function pressed(event) {
    if (
      event.target.matches("select, textarea, input:not([type=range]):not([type=checkbox])") ||
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      !session
    )
      return;
    if (/^[0-8]$/.test(event.key)) choose(Number(event.key));
    else if (event.key === "t") train(!running);
    else if (event.key === "x" || event.key === "o") play("xo".indexOf(event.key));
    else if (event.key === "b") back();
  }

  // What the address says; sentences on what it says wrongly.
  const wrong = [],
    base = Object.hasOwn(choices.presets, given.preset ?? "classroom") ? (given.preset ?? "classroom") : "classroom";
  if (given.preset !== undefined && base !== given.preset)
    wrong.push(`There is no preset “${given.preset}”; there are ${Object.keys(choices.presets).join(", ")}.`);
  const inAddress = SETTINGS.filter((name) => name in given);
  let body = settingsIn(texts(choices.presets[base]));
  try {
    body = settingsIn({
      ...texts(choices.presets[base]),
      ...Object.fromEntries(inAddress.map((name) => [name, given[name]])),
    });
    if (given.seed !== undefined) body.seed = wholeIn("Seed", given.seed, 0, Number.MAX_SAFE_INTEGER);
  } catch (problem) {
    wrong.push(`In the address ${problem.message}.`);
  }
  paced();
  const fresh = "seed" in given || "preset" in given || inAddress.length > 0; // with a seed and no id it begins anew
  const known = given.id || (fresh ? null : kept.id),
    loaded = given.id ? given.loaded === "1" : kept.loaded;
  if (known && (await attempt(() => ({ ...act(known, "look"), loaded })))) {
    remember();
    train(false);
    draw();
  } else {
    if (!(await begin(() => body))) wrong.length = 0; // it was told why
    else if (given.id)
      status.prepend(
        `The boxes of this address are not here: they stay where they were ${loaded ? "loaded" : "trained"}. ` +
          "These are new ones, with its settings. ",
      );
  }
  if (wrong.length && !gone) tell(wrong.join(" "));
  document.addEventListener("keydown", pressed);
  return () => {
    gone = true;
    clearTimeout(timer);
    document.removeEventListener("keydown", pressed);
  };
}
