// Playing: against an agent in either seat, or two people at one screen.

import { ask, askPatiently, source } from "./api.js";
import { go, tell } from "./app.js";
import { Truth, bar, board, h, keyOf, log, number, points, seatChooser, share, sparkline } from "./parts.js";

const PERSON = "human player";

export async function play(main, about, given, current) {
  const rival = about.agents.find((one) => one.name === "nash") || about.agents[0];
  const names = [given.p0 || PERSON, given.p1 || rival.name];
  const seats = [0, 1].map((player) => seatChooser(about, player, names[player], true));
  const seed = h("input", { type: "number", min: 0, value: given.seed || "", placeholder: "random" });
  const left = h("div"), right = h("div"), truth = new Truth(about);
  let match = null, chosen = {}, shownTruth = given.truth === "1", busy = false, advised = "";

  const begin = (players) => go("play", { game: about.game, p0: players[0], p1: players[1], ...(seed.value ? { seed: seed.value } : {}), ...(shownTruth ? { truth: 1 } : {}), ...(given.start ? { start: given.start } : {}), ...(given.player ? { player: given.player } : {}), t: Date.now() % 1e6 });
  const form = h("form", { submit: (event) => { event.preventDefault(); begin(seats.map((seat) => seat.value())); } },
    ...seats.flatMap((seat) => seat.element), h("label", {}, "Seed", seed), h("button", {}, "New match"),
    h("button", { type: "button", click: () => begin(seats.map((seat) => seat.value()).reverse()) }, "Swap seats"));
  main.replaceChildren(h("details", { class: "wide" }, h("summary", {}, `Who plays: ${names.join(" against ")}`), form), left, right);

  async function act(player, action) {
    if (busy || !match || match.ended || !people().includes(player) || player in chosen || covered(player)) return;
    chosen[player] = action;
    if (people().every((one) => one in chosen)) await advance();
    else if (about.hides) await see();
    else draw();
  }

  // With hidden information nothing is shown to two people at one screen, until one of them asks for the own view.
  const covered = (player) => match.seats.length > 0 && match.seats.join() !== String(player);
  async function see(player) {
    try {
      match = { id: match.id, ...(await ask(`/matches/${match.id}`, player === undefined ? {} : { player })) };
      draw();
    } catch (problem) {
      tell(problem);
    }
  }
  const people = () => match.state.movers.filter((player) => match.players[player] === PERSON);

  async function advance() {
    busy = true;
    const patience = setTimeout(() => document.getElementById("told")?.append(" The other player is choosing …"), 500);
    try {
      match = { id: match.id, ...(await ask(`/matches/${match.id}/step`, {}, { actions: chosen })) };
      if (!current()) return;
      tell(null);
      while (!match.ended && people().length === 0 && match.players.includes(PERSON)) {
        draw();
        match = { id: match.id, ...(await ask(`/matches/${match.id}/step`, {}, { actions: {} })) };
      }
    } catch (problem) {
      tell(problem);
    }
    clearTimeout(patience);
    if (!current()) return;
    chosen = {};
    busy = false;
    draw();
  }

  const undoable = () => !(about.hides && match.ended) && (Object.keys(chosen).length > 0 || match.steps.some((step) => step.actions.some((action, seat) => action !== null && match.players[seat] === PERSON)));

  async function undo() {
    if (Object.keys(chosen).length) { chosen = {}; draw(); return; }
    try {
      match = { id: match.id, ...(await ask(`/matches/${match.id}/undo`, {}, {})) };
      chosen = {};
      tell(null);
      draw();
    } catch (problem) {
      tell(problem);
    }
  }

  function result() {
    const who = (player) => (match.players[player] === PERSON && match.players[1 - player] !== PERSON ? "You" : about.players[player]);
    if (!match.ended) return "";
    const how = { truncated: "Cut off. ", forfeited: `Forfeited: ${match.reason}. `, resigned: "Resigned. " }[match.ended] || "";
    const winner = Math.sign(match.points);
    const whose = winner === 0 ? "A draw." : `${who(winner > 0 ? 0 : 1)} won, ${points(match.points)}.`;
    return how + whose;
  }

  function told(last) {
    const waits = Object.keys(chosen).map((player) => `${about.players[player]} has chosen. `).join("");
    if (last) return [`${last.told}. `, waits];
    const both = match.players.every((one) => one === PERSON);
    return [both ? (about.turn_based ? "Two people play in turn. " : "Two people play; choices stay hidden until both have chosen. ") : about.introduction[match.players.indexOf(PERSON)] ?? "", " ", waits];
  }

  function draw() {
    const last = match.steps.at(-1);
    const asked = match.ended ? [] : people().filter((player) => !(player in chosen)).slice(0, 1);
    const hidden = match.seats.length > 0, seat = match.seats.length === 1 ? match.seats[0] : undefined;
    const here = { code: match.state.code, ...(seat === undefined ? {} : { player: seat }) };
    left.replaceChildren(match.seats.length > 1 ? h("div", { class: "board covered", role: "img", "aria-label": "covered" }, "?") : board(about.game, match.ended && last ? { ...match.state, code: last.shown } : match.state, asked.length ? (action) => act(asked[0], action) : null),
      h("p", { class: "told", role: "status", id: "told" }, ...told(last), h("strong", {}, result())),
      ...asked.map((player) => h("div", { class: "actions", role: "group", "aria-label": `Actions of ${about.players[player]}` },
        h("span", { class: `p${player}name` }, about.players[player] + ":"),
        covered(player) ? h("button", { type: "button", id: "see", click: () => see(player) }, h("kbd", {}, "s"), `Show what ${about.players[player]} sees`) : null,
        ...match.state.legal[player].map((one, k) => h("button", { type: "button", "data-action": one.action, click: () => act(player, one.action) }, keyOf(about, one, k).length === 1 ? h("kbd", {}, keyOf(about, one, k)) : null, one.name)))),
      h("div", { class: "actions" },
        h("button", { type: "button", disabled: !undoable(), click: undo }, h("kbd", {}, "u"), "Undo"),
        h("button", { type: "button", click: () => begin(match.players) }, h("kbd", {}, "n"), "Again"),
        source.records && !hidden ? h("a", { href: `/api/matches/${match.id}/record`, download: true }, "Save the record") : null,
        match.seats.length < 2 ? h("a", { href: `#explore?${new URLSearchParams({ game: about.game, ...here })}` }, "Explore from here") : null),
      h("p", { class: "soft" }, hidden ? "What is hidden is shown when the match is over." : `Seed ${match.seed}, ${match.steps.length} time step${match.steps.length === 1 ? "" : "s"}, points of ${about.players[0]} so far ${number(match.points)}`));
    const toggle = h("label", { class: "row" }, h("input", { type: "checkbox", id: "truth", checked: shownTruth, change: (event) => { shownTruth = event.target.checked; draw(); } }), "Show the exact solution");
    const shows = shownTruth && !match.ended && (!hidden || match.state.movers.includes(seat));
    right.replaceChildren(toggle, ...(shows ? [truth.element, adviser()] : []),
      h("section", { class: "panel" }, h("h2", {}, "What happened"), log(match.steps, 0, (k) => match.seats.length < 2 && go("explore", { game: about.game, ...here, code: match.steps[k - 1].before }))),
      ...(match.ended ? [review()] : []));
    if (shows) truth.show(match.state.code, seat);
  }

  function adviser() {
    const out = h("div"), select = h("select", { change: show }, h("option", { value: "" }, "choose an agent"), ...about.agents.map((one) => h("option", { selected: one.name === advised }, one.name)));
    async function show() {
      advised = select.value;
      out.replaceChildren();
      for (const player of select.value ? match.state.movers.filter((one) => !covered(one)) : []) {
        try {
          const found = await ask(`/matches/${match.id}/advice`, { agent: select.value, player });
          const rows = Object.entries(found.probabilities).map(([name, probability]) => h("tr", {}, h("td", { class: "name" }, name), h("td", {}, share(probability)), h("td", { class: "name" }, bar(player, probability))));
          out.append(h("table", {}, h("caption", {}, `${select.value} as ${about.players[player]}` + (found.sampled ? `, sampled ${found.sampled} times` : ", exact")), ...rows));
        } catch (problem) {
          out.append(h("p", {}, problem.message));
          return;
        }
      }
    }
    if (advised) show();
    return h("section", { class: "panel" }, h("label", {}, "What would an agent do here?", select), out);
  }

  function review() {
    const section = h("section", { class: "panel", id: "review" }, h("h2", {}, "Review"), h("p", {}, "…"));
    ask(`/matches/${match.id}/review`).then((found) => {
      if ("solving" in found) { section.replaceChildren(h("h2", {}, "Review"), h("p", {}, found.solving), h("button", { type: "button", click: draw }, "Look again")); return; }
      const worst = Math.max(...found.moves.map((move) => move.loss));
      const rows = found.moves.map((move) => h("tr", { class: move.loss > 5e-5 && move.loss > worst - 5e-5 ? "worst" : null }, h("td", {}, move.step), h("td", { class: "name" }, about.players[move.player]), h("td", { class: "name" }, move.action), h("td", {}, move.loss === null ? "–" : move.loss > 5e-5 ? number(move.loss, 4).slice(1) : "0")));
      section.replaceChildren(h("h2", {}, "Review"),
        h("p", {}, ...[0, 1].map((player) => [h("span", { class: `p${player}name` }, about.players[player]), ` lost ${points(found.totals[player])} against perfect play. `]).flat()),
        ...(found.expected ? [sparkline(found.expected, `Points expected of ${about.players[0]} with perfect play from each time step on`),
          h("p", { class: "soft" }, `points of ${about.players[0]} so far plus the value, after each time step`)] : [h("p", { class: "soft" }, "Regret by what the player saw; – where the equilibrium of the other player never leads. Choose a time step above to explore it.")]),
        h("table", {}, h("thead", {}, h("tr", {}, ...["step", "player", "action", "regret"].map((head, k) => h("th", { scope: "col", class: k === 1 || k === 2 ? "name" : null }, head)))), h("tbody", {}, ...rows)));
    }).catch((problem) => section.replaceChildren(h("h2", {}, "Review"), h("p", {}, problem.message)));
    return section;
  }

  function pressed(event) {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.altKey || event.metaKey || !match || !current()) return;
    const asked = match.ended ? undefined : people().find((player) => !(player in chosen));
    const choice = asked === undefined ? null : match.state.legal[asked].find((one, k) => keyOf(about, one, k) === event.key);
    if (choice) act(asked, choice.action);
    else if (event.key === "s" && asked !== undefined && covered(asked)) see(asked);
    else if (event.key === "u" && undoable()) undo();
    else if (event.key === "n") begin(match.players);
    else if (event.key === "t") { shownTruth = !shownTruth; draw(); }
  }

  document.addEventListener("keydown", pressed);
  const wanted = { game: about.game, players: names, ...(given.seed ? { seed: Number(given.seed) } : {}), ...(given.start ? { start: given.start } : {}) };
  left.replaceChildren(h("p", { role: "status" }, "The match begins. An opponent who needs the exact solution waits for it."));
  match = await askPatiently("/matches", given.start && about.hides ? { player: given.player } : {}, (told) => left.replaceChildren(h("p", { role: "status" }, told)), current, wanted);
  if (!current()) return () => document.removeEventListener("keydown", pressed);
  if (people().length === 0 && !match.ended) await advance();
  draw();
  return () => document.removeEventListener("keydown", pressed);
}
