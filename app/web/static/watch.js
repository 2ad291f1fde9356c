// Watching: two agents, or a match that was saved, time step by time step.

import { ask, askPatiently, capital, source } from "./api.js";
import { address, gameChooser, go, site, tell } from "./navigation.js";
import { Board, columns, frame } from "./board.js";
import {
  NO_LOSS,
  PERSON,
  SEEN,
  button,
  chooser,
  counted,
  either,
  fill,
  h,
  log,
  mixes,
  number,
  parameterForm,
  points,
  rulesOf,
  rulesPanel,
  said,
  seatChooser,
  sheet,
  showRules,
  sparkline,
  titleOf,
} from "./parts.js";
import { NEVER } from "./review.js";
import { Truth } from "./truth.js";

const ENDS = { terminated: "The game is over", truncated: "Cut off", forfeited: "Forfeited", resigned: "Resigned" };
const inThousand = (chance) => (chance > NEVER && chance < 0.0005 ? "less than 1" : String(Math.round(1000 * chance)));

export async function watch(main, about, query, current) {
  const agent = (name) => (name && name !== PERSON ? name : null); // nobody chooses by hand here
  const usual = about.opponents[0].players.map((one) => one.name);
  const names = [0, 1].map((player) => agent(query[`p${player}`]) || usual.at(player - 1));
  const file = h("input", { type: "file", accept: ".jsonl", change: load });
  const speed = h("input", { type: "range", min: 0, max: 2000, step: 100, value: 1200, "aria-label": "Speed" });
  const { saved } = site;
  const named = chooser([["", "choose a file"], ...saved.map((one) => [one, one])], "", { change: loadNamed });
  const which = h("input", { type: "number", min: 1, value: 1, change: () => (named.value ? loadNamed() : load()) });
  const board = new Board(about),
    view = frame(main, board.element),
    truth = new Truth(about, { valued: (solution) => valued(solution), known: point }),
    kept = `watched ${about.game} ${names}`,
    waits = (text) => view.message.replaceChildren(text),
    waitFor = (path, body, doing) => askPatiently(path, {}, waits, current, body, doing);
  view.head.append(h("h1", about.title));
  view.side.append(rulesPanel(about));
  if (!query.moves) board.show({ code: about.start, text: "", targets: [] }); // until it is known who begins where
  waits("The game is being prepared …");
  let match = null,
    at = 0,
    looked = 0, // the time step whose value is shown; at the end the solution is of the one before
    isOver = false,
    running = false,
    timer = null,
    busy = false;

  // The exact value after each time step that was shown, with the points until then.
  const worth = new Map(),
    course = h("section.panel", { hidden: true });
  const rewards = (count) => match.steps.slice(0, count).reduce((total, step) => total + step.reward, 0),
    sum = (count) =>
      match.ended && count === match.steps.length
        ? match.points + about.half
        : match.steps.slice(0, count).reduce((total, step) => total + step.half, rewards(count));
  function valued({ value }) {
    if (isOver || typeof value === "number")
      worth.set(looked, isOver ? sum(looked) : rewards(looked) + value + about.half);
    const values = [...worth].sort(([one], [other]) => one - other).map(([, total]) => total);
    const now = number(worth.get(looked) ?? 0, 4),
      title = `What ${about.players[0]} can expect, after each move that was shown. Now: ${now}`;
    const curve = sparkline(values, title);
    course.hidden = !curve;
    if (curve) course.replaceChildren(h("h2", "Who is ahead"), curve);
  }

  // Marks the best moves on the board, where it has places for them, unless all are.
  let state = null;
  const best = h("span.soft"); // in words
  const plays = h("section.panel", { hidden: true }),
    taught = h("section.panel", { id: "review", hidden: true }),
    often = h("p");
  function point(actions, player, value) {
    if (!match.saved) showPlays(actions, player, looked).catch(() => {});
    const names = actions.filter((one) => one.optimal).map((one) => one.name),
      lost = (player ? -value : value) < -NO_LOSS ? `${capital(about.players[player])} is lost. ` : "";
    if (isOver || !state.targets.length || !names.length || names.length === actions.length) return;
    for (const name of names) board.mark(state, "right", name);
    best.textContent = `${lost}✓ ${lost ? "loses latest" : "is best"}: ${either(names)}.`;
  }

  // How a player chooses there, beside perfect play, if it has a policy.
  async function showPlays(actions, player, then) {
    const agent = match.players[player],
      code = isOver ? match.steps.at(-1).before : (state.code ?? match.start),
      asked = { game: about.game, code, player, agent },
      { sampled, probabilities } = await ask("/policy", asked),
      rows = actions.map(({ name, probability }) => ({ name, plays: probabilities[name] ?? 0, probability })),
      title = `What ${titleOf(about, agent)} plays, ${about.players[player]}`;
    if (sampled || looked !== then || !current()) return;
    if (rows.every((one) => Math.abs(one.plays - one.probability) < SEEN)) return; // as the solution says
    plays.hidden = false;
    plays.append(
      h("h2", title),
      mixes(player, rows, title),
      h("p.soft", h("span.right", "Green"), " is perfect play."),
    );
  }

  // What the players would win in many games: one game is chance.
  async function showOften() {
    const asked = { game: about.game, p0: match.players[0], p1: match.players[1] },
      found = await askPatiently("/chances", asked, () => {}, current),
      [won, drawn, lost] = [found.win, found.draw, found.loss].map(inThousand),
      mean = found.points - about.half,
      rival = ["wins", "loses"][Number(mean < 0)],
      more = mean > 0 ? ["loses", "wins"] : ["wins", "loses"],
      pays =
        (found.win - found.loss) * mean < 0
          ? `: it ${more[0]} more often, but ${more[1]} more points when it ${more[1]}`
          : "",
      name = `${titleOf(about, match.players[0])} (${about.players[0]})`;
    often.textContent =
      `Of 1,000 such games ${name} wins ${won}${found.draw > NEVER ? `, draws ${drawn}` : ""} and loses ${lost}. ` +
      `On average it ${rival} ${points(Math.abs(found.points))} a game${pays}.`;
  }

  // Of a link: what the match taught, and its worst move.
  async function showReview(linked) {
    const { headline, worst } = await askPatiently("/replay", {}, () => {}, current, { ...linked, review: true }),
      people = linked.players.filter((one) => one === PERSON),
      look = () => {
        at = worst - 1;
        draw();
      };
    fill(
      taught,
      match.ended && h("p", h("strong", `${capital(winner(match.points))}.`)),
      h("h2", people.length === 1 ? `What ${about.players[linked.players.indexOf(PERSON)]} was told` : "The review"),
      h("p", people.length === 1 ? `“${headline}”` : headline),
      worst && button({ click: look }, "Show the position before it"),
    );
    taught.hidden = false;
  }

  const begin = (players, more = {}) =>
    go("watch", { game: about.game, p0: players[0], p1: players[1], ...more, t: Date.now() % 1e6 });

  function choose() {
    const seats = [0, 1].map((player) => seatChooser(about, about.players[player], names[player], false)),
      parameters = parameterForm(about);
    const seed = h("input", { type: "number", min: 0, value: query.seed || "", placeholder: "random" });
    const begun = () =>
      begin(
        seats.map((seat) => seat.value()),
        { game: parameters.value(), seed: seed.value || undefined },
      );
    const saves = h(
      "form",
      h("h2", "Or a saved game"),
      h("label", "A file", file),
      saved.length > 0 && h("label", "A saved file", named),
      h("label", "Which game", which),
    );
    sheet(
      "Who plays",
      h(
        "form",
        { submit: begun },
        ...seats.map((seat) => seat.element),
        h("label", "Seed, to repeat a game", seed),
        parameters.element,
        h("button.primary", "Watch"),
      ),
      source.records ? saves : null,
    );
  }

  async function load() {
    if (!file.files.length) return;
    named.value = "";
    const lines = (await file.files[0].text()).split("\n").filter((one) => one.trim());
    which.max = lines.length;
    await ask("/replay", {}, { record: lines[which.value - 1] || "empty" })
      .then(see)
      .catch(tell);
  }

  async function loadNamed() {
    if (named.value) await ask("/saved", { file: named.value, match: which.value }).then(see).catch(tell);
  }

  async function see(saved) {
    const other = await ask("/game", { game: saved.game });
    match = { ...saved, saved: true };
    worth.clear();
    Object.assign(about, other);
    document.querySelector("dialog")?.close();
    document.title = `${about.name}: watch · nashzoo`;
    at = 0;
    running = false;
    tell(null);
    draw();
  }

  async function forward() {
    if (busy) return;
    busy = true;
    try {
      await step();
    } finally {
      busy = false;
      if (current()) draw();
    }
  }

  async function step() {
    if (at < match.steps.length) at += 1;
    else if (!match.saved && !match.ended) {
      match = { id: match.id, ...(await waitFor(`/matches/${match.id}/step`, { actions: {} }, "The players choose")) };
      at = match.steps.length;
      if (match.ended) sessionStorage.setItem(kept, JSON.stringify([...watched(), match.points]));
    } else running = false;
  }

  async function run() {
    clearTimeout(timer);
    if (!running) return;
    try {
      await forward();
    } catch (problem) {
      running = false;
      tell(problem);
      draw();
    }
    if (running) timer = setTimeout(run, 2000 - Number(speed.value));
  }

  const back = () => {
    if (at > 0) at -= 1;
    running = false;
    draw();
  };
  const toggle = () => {
    running = !running;
    draw();
    run();
  };

  const winner = (won) =>
    won ? `${about.players[Number(won < 0)]} won ${points(Math.abs(won) + about.half)}` : "a draw";

  const seat = (player) =>
    h(`span.p${player}name`, titleOf(about, match.players[player]), h("small", ` (${about.players[player]})`));

  // The points of the matches of these players that have been watched to the end.
  const watched = () => JSON.parse(sessionStorage.getItem(kept)) ?? [];

  async function draw() {
    const code = at
      ? match.steps[at - 1].after
      : match.start || (match.steps[0] ? match.steps[0].before : match.state.code);
    const pictured = at ? match.steps[at - 1].shown : code,
      end = at === match.steps.length && match.ended;
    const now = await ask("/state", { game: about.game, code: pictured });
    if (!current()) return;
    state = now;
    const before = match.saved ? [] : watched();
    const tally = [1, -1].map((sign) =>
      about.graded
        ? number(sign * before.reduce((total, one) => total + one, 0))
        : before.filter((one) => one * sign > 0).length,
    );
    view.head.replaceChildren(
      h("h1", match.saved ? `A saved game of ${about.title}` : about.title),
      h(
        "p.score",
        seat(0),
        h("b", before.length ? ` ${tally[0]} : ${tally[1]} ` : " against "),
        seat(1),
        about.graded && before.length > 0 && h("small", ` points after ${counted(String(before.length), "game")}`),
      ),
      h(
        "div.tools",
        button({ click: () => showRules(about) }, "Rules"),
        button({ id: "new", click: choose }, "Who plays"),
        gameChooser(about, "watch"),
      ),
    );
    board.show({ ...state, code: pictured });
    view.message.replaceChildren(
      at ? `${at}. ${capital(said(about, match.steps[at - 1].told))}. ` : "The start. ",
      h("strong", end ? `${ENDS[match.ended] || match.ended}: ${winner(match.points)}.` : ""),
      best,
    );
    best.replaceChildren();
    view.bar.replaceChildren(
      h(
        "div.actions",
        { style: columns(4) },
        end && !match.saved
          ? button({ id: "next", class: "primary", click: () => begin(names) }, "Next game")
          : button(
              { click: toggle, id: "run", class: running || end ? null : "primary", disabled: Boolean(end) },
              h("kbd", "space"),
              running ? "Pause" : "Run",
            ),
        button({ disabled: at === 0, click: back }, h("kbd", "←"), "Back"),
        button({ disabled: Boolean(end), click: () => forward().catch(tell), id: "forward" }, h("kbd", "→"), "Step"),
        h("label", "Speed", speed),
      ),
    );
    fill(
      view.side,
      end &&
        match.id &&
        h(
          "section.panel",
          often,
          h(
            "a.button",
            { href: address("play", { game: about.game, p1: names[1] }) },
            `Play ${titleOf(about, names[1])} yourself`,
          ),
        ),
      taught,
      end && h("p.soft", "Before the last move:"),
      truth.element,
      plays,
      course,
      h(
        "section.panel",
        ...(match.steps.length
          ? [
              h("h2", "What happened"),
              log(
                match.steps.map((step) => capital(said(about, step.told))),
                at,
                (k) => {
                  at = k;
                  draw();
                },
              ),
            ]
          : [h("h2", "The rules"), ...rulesOf(about)]),
        h(
          "p.soft",
          end && "Choose a move to see the solution after it. ",
          match.steps.length > 0 &&
            match.id &&
            source.records &&
            h("a", { href: `/api/matches/${match.id}/record`, download: true }, "Save the record"),
        ),
      ),
    );
    [looked, isOver] = [at, Boolean(end)];
    plays.hidden = true;
    plays.replaceChildren();
    truth.show(end ? match.steps.at(-1).before : code);
  }

  function pressed(event) {
    if (event.target.matches("input, select, button, a") && event.key === " ") return;
    if (event.target.matches("input, select, dialog *") || !current()) return;
    if (event.key === " ") {
      event.preventDefault();
      toggle();
    } else if (event.key === "ArrowRight") forward().catch(tell);
    else if (event.key === "ArrowLeft") back();
  }

  const { start, moves } = query, // of a link to a match
    linked = { game: about.game, players: [query.p0, query.p1], start, moves };
  match = moves
    ? { saved: true, ...(await ask("/replay", {}, linked)) }
    : await waitFor(
        "/matches",
        { game: about.game, players: names, decided: true, ...(query.seed ? { seed: Number(query.seed) } : {}) },
        "The game is being prepared",
      );
  document.addEventListener("keydown", pressed); // there is nothing to step through before
  if (!match.saved) showOften().catch(() => {});
  if (moves) showReview(linked).catch(() => {});
  if (current()) await draw();
  return () => {
    running = false;
    clearTimeout(timer);
    document.removeEventListener("keydown", pressed);
  };
}
