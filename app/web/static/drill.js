// Where a player loses: the worst states as cards, and practice there, in turn, until one's own choices lose little.

import { Refused, addressed, ask, askPatiently, source } from "./api.js";
import { address, go, tell } from "./app.js";
import { Board, actionOf, bar, columns, frame, h, keyOf, lost, onBoard, points, seatChooser, share, sheet, showRules, sparkline, titleOf, weigh } from "./parts.js";

const RECORDED = "manual"; // the person's name in records
const MOST_KEPT = 100, LARGEST_KEPT = 1e6; // matches of a person in a game, and letters of their records
const SEEN = 0.005; // least probability of an action that is listed

// A person's finished matches, kept in the browser.
const matchesOf = (game) => JSON.parse(localStorage.getItem(`matches ${game}`)) ?? [];

function keepRecords(game, records) {
  const lines = [...new Set([...matchesOf(game), ...records])].slice(-MOST_KEPT);
  while (lines.join().length > LARGEST_KEPT) lines.shift();
  localStorage.setItem(`matches ${game}`, JSON.stringify(lines));
}

export async function keepMatch(about, id) {
  if (!about.hides && source.records) keepRecords(about.game, [JSON.stringify(await ask(`/matches/${id}/record`))]);
}

// Whose weaknesses the address asks for: a player's, a player's in a file of the server, or one's own.
function whose(about, given) {
  if (given.file) return { player: given.player, file: given.file };
  if (given.own || (!given.player && matchesOf(about.game).length)) return { own: 1 };
  return { player: given.player || about.opponents[0].players[0].name };
}

async function weakSpots(about, who, wait, current) {
  const own = who.own ? matchesOf(about.game) : null;
  if (own?.length === 0) throw new Refused("You have finished no match of this game in this browser: play some, or add saved ones.");
  const sent = own ? { player: RECORDED, records: own.join("\n") } : who;
  return askPatiently("/weaknesses", {}, wait, current, { game: about.game, ...sent });
}

const spotsOf = (count) => `${count} spot${count === 1 ? "" : "s"}`;

// What was chosen at a spot since the window was opened.
const practised = (about, spot) => JSON.parse(sessionStorage.getItem(`practice ${about.game} ${spot.code} ${spot.seat}`)) ?? { choices: [], done: false };

export async function weaknesses(main, about, given, current) {
  const who = whose(about, given), { saved } = await ask("");
  if (!current()) return;
  const told = h("p", { class: "soft", role: "status" }), tools = h("div", { class: "tools" }, h("button", { type: "button", id: "new", click: choose }, "Another player")), list = h("ol", { class: "spots" });
  main.replaceChildren(h("div", { class: "wide" }, h("h1", {}, `${about.title}: ${who.own ? "your weaknesses" : `weaknesses of ${titleOf(about, who.player)}`}`), told, tools), list);

  function choose() {
    const player = seatChooser(about, "Player", who.own || who.file ? about.opponents[0].players[0].name : who.player, false);
    const own = h("input", { type: "file", accept: ".jsonl", multiple: true, change: add }), file = h("select", {}, ...saved.map((one) => h("option", { selected: one === who.file }, one)));
    const name = h("input", { value: who.file ? who.player : RECORDED, autocomplete: "off" }), open = (to) => (event) => { event?.preventDefault(); go("weaknesses", { game: about.game, ...to() }); };
    const dialog = sheet("Whose weaknesses?", h("form", { submit: open(() => ({ player: player.value() })) }, player.element, h("button", { class: "primary" }, "Show")),
      h("form", { submit: open(() => ({ own: 1 })) }, h("h2", {}, "Your own"), h("p", { class: "soft" }, `This browser keeps your last ${MOST_KEPT} matches of each game: ${matchesOf(about.game).length} of this one.`), h("label", {}, "Add saved matches", own), h("button", { id: "own" }, "Show yours"), h("button", { type: "button", click: () => { localStorage.removeItem(`matches ${about.game}`); dialog.close(); } }, "Forget them")),
      saved.length ? h("form", { submit: open(() => ({ player: name.value, file: file.value })) }, h("h2", {}, "A player in saved matches"), h("label", {}, "A file of the server", file), h("label", {}, "Name in it", name), h("button", {}, "Show")) : null);
    async function add() {
      const lines = (await Promise.all([...own.files].map((one) => one.text()))).flatMap((text) => text.split("\n")).filter((line) => line.trim());
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
    const found = await weakSpots(about, who, (text) => { told.textContent = text; }, current);
    if (!current()) return;
    const seen = found.matches === undefined ? "" : ` Seen in ${found.matches} match${found.matches === 1 ? "" : "es"}, ${found.decisions} decisions; elsewhere the equilibrium is taken to be played.`;
    told.textContent = `${found.spots.length ? "" : "No state costs anything. "}${found.about.charAt(0).toUpperCase()}${found.about.slice(1)}.${seen}`;
    if (found.spots.length) tools.prepend(h("a", { class: "button primary", id: "practise", href: address("drill", { game: about.game, ...who }) }, `Practise ${found.spots.length > 1 ? "these" : "this"} ${spotsOf(found.spots.length).replace(/^1 /, "")}`));
    list.replaceChildren(...found.spots.map((spot, k) => card(about, who, found, spot, k)));
  } catch (problem) {
    if (!current()) return;
    told.textContent = "";
    list.replaceChildren(h("li", { class: "panel" }, problem.message));
  }
}

function card(about, who, found, spot, place) {
  const board = new Board(about, who.own ? spot.seat : undefined), names = Object.keys(spot.plays).filter((name) => Math.max(spot.plays[name], spot.best[name]) >= SEEN);
  board.show(spot.state);
  return h("li", { class: "panel" }, board.element, h("div", {},
    h("h2", {}, `${share(spot.share / found.total)} of the loss`, practised(about, spot).done ? h("span", { class: "done" }, " ✓ practised") : null),
    h("p", { class: "soft" }, `As ${about.players[spot.seat]}: ${points(spot.regret)} lost per visit, ${lost(spot.reach)} visits per ${found.unit}`, spot.states > 1 ? `; the same in ${spot.states - 1} more state${spot.states === 2 ? "" : "s"}` : "", spot.decisions === undefined ? "" : `; ${spot.decisions} decision${spot.decisions === 1 ? "" : "s"} seen`, "."),
    h("pre", {}, spot.state.text),
    mixes(spot.seat, names.map((name) => ({ name, plays: spot.plays[name], probability: spot.best[name] })), who.own ? "you play" : "plays"),
    spot.punished_by ? h("p", {}, "Punished by ", h("b", {}, spot.punished_by), ".") : null,
    h("div", { class: "links" }, h("a", { class: "button", href: address("drill", { game: about.game, ...who, spot: place }) }, "Practise"), h("a", { class: "button", href: address("explore", { game: about.game, code: spot.code }) }, "Explore"))));
}

// How often actions are played, and how often they should be.
function mixes(seat, rows, head, ...further) {
  return h("table", { class: "mixes" }, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "name" }, "action"), h("th", { scope: "col", class: "name", colspan: 2 }, head), h("th", { scope: "col", class: "name", colspan: 2 }, "equilibrium"), ...further.map(([title]) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, ...rows.map((one) => h("tr", {}, h("td", { class: "name" }, one.name), h("td", {}, share(one.plays)), h("td", { class: "name" }, bar(seat, one.plays)), h("td", {}, share(one.probability)), h("td", { class: "name" }, bar("right", one.probability)), ...further.map(([, text]) => h("td", {}, text(one)))))));
}

export async function drill(main, about, given, current) {
  const board = new Board(about), view = frame(main, board.element), who = whose(about, given), single = given.code !== undefined;
  main.classList.add("play"); // the same frame
  view.head.replaceChildren(h("h1", {}, about.title));
  view.told.textContent = "Looking for the spots …";
  const spots = single ? [await single_(about, given)] : (await weakSpots(about, who, (text) => { view.told.textContent = text; }, current)).spots;
  if (!current()) return null;
  let at = (Number(given.spot) || 0) % Math.max(spots.length, 1), found = null, busy = false;

  const isDone = (spot) => practised(about, spot).done;
  const backTo = single ? "Explore it" : "All weaknesses";
  const back = () => (single ? address("explore", { game: about.game, code: given.code }) : address("weaknesses", { game: about.game, ...who }));

  async function choose(action) {
    if (busy || found) return;
    busy = true;
    const spot = spots[at], choices = [...practised(about, spot).choices, action];
    try {
      const answer = await askPatiently("/practice", { game: about.game, code: spot.code, player: spot.seat, choices, ...(spot.regret === undefined ? {} : { lost: spot.regret }) }, (text) => { view.told.textContent = text; }, current);
      if (!current()) return;
      sessionStorage.setItem(`practice ${about.game} ${spot.code} ${spot.seat}`, JSON.stringify({ choices: choices.slice(-answer.counting - 20), done: answer.done }));
      found = { ...answer, chosen: action };
      tell(null);
      draw();
    } catch (problem) {
      tell(problem);
    }
    busy = false;
  }

  // The next spot that is not done yet; the same one if it is the last.
  function next() {
    const order = spots.map((_, k) => (at + 1 + k) % spots.length), open = order.find((k) => !isDone(spots[k]));
    at = open ?? order[0];
    found = null;
    draw();
  }

  function verdict(spot) {
    const one = found.actions.find((other) => other.action === found.chosen), wrong = one.loss > 5e-5, times = Math.min(found.regrets.length, found.counting);
    const first = wrong ? `${one.name}: loses ${points(one.loss)} to perfect play` : `${one.name}: right${one.probability >= SEEN && one.probability < 1 - SEEN ? `, ${share(one.probability)} in equilibrium` : ""}`;
    const last = times > 1 ? `your last ${times} choices here` : "this choice alone";
    const reply = found.punished_by ? `; ${found.punished_by} wins ${points(found.regrets.at(-1))} a visit from ${last}` : "";
    return [h("strong", { class: wrong ? "wrong" : "right" }, `${wrong ? "✗" : "✓"} ${first}`), `${reply}.`, found.done ? h("strong", {}, " Spot done.") : ""];
  }

  function draw() {
    const done = spots.filter(isDone).length, spot = spots[at], all = done === spots.length && !found;
    view.head.replaceChildren(h("h1", {}, `Practice: ${about.title}`), h("p", { class: "score" }, single ? "one position" : ["spot ", h("b", {}, at + 1), ` of ${spots.length}, `, h("b", {}, done), " done"]),
      h("div", { class: "tools" }, h("button", { type: "button", click: () => showRules(about, spot?.seat) }, "Rules"), h("button", { type: "button", disabled: !spot || !practised(about, spot).choices.length, click: again }, "Begin anew"), h("a", { class: "button", id: "back", href: back() }, backTo)));
    if (!spot) { view.told.textContent = "There is no state at which anything is lost."; return; }
    const legal = spot.state.legal[spot.seat], before = practised(about, spot);
    if (board.you !== spot.seat) board.element.replaceChildren();
    board.you = spot.seat;
    board.show(spot.state, all ? null : choose);
    view.told.replaceChildren(...(all ? [h("strong", {}, `All ${spotsOf(spots.length)} done.`)] : found ? verdict(spot) : [`You are ${about.players[spot.seat]}. `, h("strong", {}, spot.state.movers.length > 1 ? "What do you play? Both choose at once." : "What do you play?")]));
    const buttons = all ? [] : legal.map((one, k) => ({ ...one, key: keyOf(about, one, k) })).filter((one) => !onBoard(spot.state, one.action));
    view.bar.replaceChildren(...(all ? [h("a", { class: "button primary", id: "next", href: back() }, backTo)] : []),
      ...(found ? [h("button", { type: "button", class: "primary", id: "next", click: next }, done === spots.length ? "Finish" : spots.some((one) => one !== spot && !isDone(one)) ? "Next spot" : "Once more")] : []),
      ...(buttons.length ? [h("div", { class: "actions", role: "group", "aria-label": "Your actions", style: columns(buttons.length) }, ...buttons.map((one) => h("button", { type: "button", "data-action": one.action, click: () => choose(one.action) }, one.key.length === 1 && one.key !== one.name ? h("kbd", {}, one.key) : null, one.name)))] : []));
    for (const button of found ? main.querySelectorAll("[data-action]") : []) {
      button.disabled = true;
      button.classList.toggle("chosen", Number(button.dataset.action) === found.chosen);
    }
    if (found) weigh(main, found.actions, spot.seat);
    view.side.replaceChildren(...(all ? [summary()] : found ? [figures(spot, before)] : []), h("section", { class: "panel" }, h("h2", {}, "Situation"), h("pre", {}, addressed(spot.state.text, spot.seat))), why());
    main.querySelector(found || all ? "#next" : "[data-action]")?.focus({ preventScroll: true });
  }

  function again() {
    sessionStorage.removeItem(`practice ${about.game} ${spots[at].code} ${spots[at].seat}`);
    found = null;
    draw();
  }

  function figures(spot, before) {
    const regrets = found.regrets, now = regrets.at(-1), rows = found.actions.filter((one) => Math.max(one.plays, one.probability) >= SEEN || one.action === found.chosen);
    return h("section", { class: "panel", id: "answer" }, h("h2", {}, `Your regret here: ${lost(now)}`),
      mixes(spot.seat, rows, "you", ["regret", (one) => lost(one.loss)]),
      regrets.length > 1 ? sparkline([...(spot.regret === undefined ? [] : [spot.regret]), ...regrets], `Regret of your choices at this spot: ${regrets.map(lost).join(", ")}`) : null,
      h("p", { class: "soft" }, regrets.length > 1 ? "The line is your regret after each choice. " : "", spot.regret === undefined ? "" : `Lost here before practice: ${lost(spot.regret)}. `, `Done when your last ${found.counting} choices lose ${lost(found.bound)} at most; ${Math.min(before.choices.length, found.counting)} made.`),
      h("p", { class: "soft" }, h("a", { href: address("explore", { game: about.game, code: spot.code }) }, "Explore this position")));
  }

  const why = () => h("p", { class: "soft" }, about.turn_based ? "Your regret is the mean loss of your last choices here, in points per visit." : "Where the equilibrium mixes, one choice proves nothing: what counts is what a best reply wins from the mixture of your last choices here, in points per visit.");

  const summary = () => h("section", { class: "panel" }, h("h2", {}, "Well done"), h("p", {}, "Your last choices lose far less there than was lost before."), h("button", { type: "button", click: () => { spots.forEach((spot) => sessionStorage.removeItem(`practice ${about.game} ${spot.code} ${spot.seat}`)); next(); } }, "Practise all again"));

  function pressed(event) {
    if (event.target.matches("input, select, dialog *") || event.ctrlKey || event.altKey || event.metaKey || !current() || !spots.length || found) return;
    const choice = actionOf(about, spots[at].state.legal[spots[at].seat], event);
    if (choice) { event.preventDefault(); choose(choice.action); }
  }

  document.addEventListener("keydown", pressed);
  if (spots.length && given.spot === undefined && isDone(spots[at])) next();
  else draw();
  return () => document.removeEventListener("keydown", pressed);
}

async function single_(about, given) {
  const seat = Number(given.player) || 0;
  return { code: given.code, seat, state: await ask("/state", { game: about.game, code: given.code }) };
}
