// Watching: two agents, or a match that was saved, time step by time step.

import { ask, source } from "./api.js";
import { go, tell } from "./app.js";
import { Truth, board, h, log, number, seatChooser } from "./parts.js";

export async function watch(main, about, given, current) {
  const agent = (name) => (name && name !== "human player" ? name : null); // nobody chooses by hand here
  const names = [0, 1].map((player) => agent(given[`p${player}`]) || (about.agents[player] || about.agents[0]).name);
  const seats = [0, 1].map((player) => seatChooser(about, player, names[player], false));
  const seed = h("input", { type: "number", min: 0, value: given.seed || "", placeholder: "random" });
  const file = h("input", { type: "file", accept: ".jsonl", change: load });
  const speed = h("input", { type: "range", min: 0, max: 2000, step: 100, value: 1200, "aria-label": "Speed" });
  const { saved } = await ask("");
  if (!current()) return null;
  const named = h("select", { change: loadNamed }, h("option", { value: "" }, "choose a file"), ...saved.map((one) => h("option", {}, one)));
  const which = h("input", { type: "number", min: 1, value: 1, change: () => (named.value ? loadNamed() : load()) });
  const title = h("summary", {}, `Who plays: ${names.join(" against ")}`);
  const left = h("div"), right = h("div"), truth = new Truth(about);
  let match = null, at = 0, running = false, timer = null, busy = false;

  const form = h("form", { submit: (event) => { event.preventDefault(); go("watch", { game: about.game, p0: seats[0].value(), p1: seats[1].value(), ...(seed.value ? { seed: seed.value } : {}), t: Date.now() % 1e6 }); } },
    ...seats.flatMap((seat) => seat.element), h("label", {}, "Seed", seed), h("button", {}, "New match"));
  const saves = h("form", { submit: (event) => event.preventDefault() }, h("label", {}, "Or a saved match", file), ...(saved.length ? [h("label", {}, "or a file of the server", named)] : []), h("label", {}, "Match", which));
  main.replaceChildren(h("details", { class: "wide" }, title, form, source.records ? saves : null), left, right);

  async function load() {
    if (!file.files.length) return;
    named.value = "";
    const lines = (await file.files[0].text()).split("\n").filter((one) => one.trim());
    which.max = lines.length;
    await see(() => ask("/replay", {}, { record: lines[which.value - 1] || "empty" }));
  }

  async function loadNamed() {
    if (named.value) await see(() => ask("/saved", { file: named.value, match: which.value }));
  }

  async function see(asked) {
    try {
      const found = await asked();
      const other = await ask("/game", { game: found.game });
      match = { ...found, saved: true };
      Object.assign(about, other);
      title.textContent = `A saved match of ${about.name}: ${match.players.join(" against ")}`;
      document.title = `${about.name}: watch · nashzoo`;
      at = 0;
      running = false;
      tell(null);
      draw();
    } catch (problem) {
      tell(problem);
    }
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
      match = { id: match.id, ...(await ask(`/matches/${match.id}/step`, {}, { actions: {} })) };
      at = match.steps.length;
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

  const back = () => { if (at > 0) at -= 1; running = false; draw(); };
  const toggle = () => { running = !running; draw(); run(); };

  async function draw() {
    const code = at ? match.steps[at - 1].after : match.start || (match.steps[0] ? match.steps[0].before : match.state.code);
    const shown = at ? match.steps[at - 1].shown : code, end = at === match.steps.length && match.ended;
    const state = await ask("/state", { game: about.game, code: shown });
    if (!current()) return;
    const points = match.steps.slice(0, at).reduce((sum, step) => sum + step.reward, 0);
    left.replaceChildren(board(about.game, state),
      h("p", { class: "told", role: "status", id: "told" }, at ? `${at}. ${match.steps[at - 1].told}. ` : "The start. ", h("strong", {}, end ? `${{ terminated: "The game is over", truncated: "Cut off", forfeited: "Forfeited", resigned: "Resigned" }[match.ended] || match.ended}; points of ${about.players[0]}: ${number(match.points)}` : "")),
      h("div", { class: "actions" },
        h("button", { type: "button", click: toggle, id: "run" }, h("kbd", {}, "space"), running ? "Pause" : "Run"),
        h("button", { type: "button", disabled: at === 0, click: back }, h("kbd", {}, "←"), "Back"),
        h("button", { type: "button", disabled: Boolean(end), click: () => forward().catch(tell), id: "forward" }, h("kbd", {}, "→"), "Step"),
        h("label", {}, "Speed", speed)),
      h("p", { class: "soft" }, `${match.players[0]} (${about.players[0]}) against ${match.players[1]} (${about.players[1]}); points of ${about.players[0]} so far ${number(points)}` + (match.seed === undefined ? "" : `; seed ${match.seed}`), ...(match.id && source.records ? [" ", h("a", { href: `/api/matches/${match.id}/record`, download: true }, "Save the record")] : [])));
    right.replaceChildren(truth.element, h("section", { class: "panel" }, h("h2", {}, "What happened"), log(match.steps, at, (k) => { at = k; draw(); })));
    truth.show(code);
  }

  function pressed(event) {
    if (event.target.matches("input, select, button, a") && event.key === " ") return;
    if (event.target.matches("input, select") || !current()) return;
    if (event.key === " ") { event.preventDefault(); toggle(); }
    else if (event.key === "ArrowRight") forward().catch(tell);
    else if (event.key === "ArrowLeft") back();
  }

  document.addEventListener("keydown", pressed);
  match = await ask("/matches", {}, { game: about.game, players: names, ...(given.seed ? { seed: Number(given.seed) } : {}) });
  if (current()) await draw();
  return () => { running = false; clearTimeout(timer); document.removeEventListener("keydown", pressed); };
}
