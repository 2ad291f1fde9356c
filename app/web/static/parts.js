// Pieces that all views are made of. They know no game: all words and drawings come from the server.

import { addressed, askPatiently, draw, source, svgOf } from "./api.js";
import { move } from "./motion.js";

// Returns an element: h("p", {class: "told"}, "text", child, ...). Functions are listeners: {click: ...}.
export function h(tag, attributes = {}, ...children) {
  const element = typeof tag === "string" ? document.createElement(tag) : tag;
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// The same for the elements of a drawing.
export const s = (tag, ...rest) => h(document.createElementNS("http://www.w3.org/2000/svg", tag), ...rest);

// The game's own picture of an action, or null. Its colours are roles, which the theme of the page has.
export function iconOf(about, player, action) {
  if (!about.icons.length) return null;
  const drawings = about.icons[player].map((text) => svgOf(text.replace(/(fill|stroke)="([a-z][\w-]*)"/g, (all, what, role) => (role === "none" ? all : `${what}="var(--role-${role}, ${role})"`))));
  const key = `${about.game} ${player}`;
  if (!frames.has(key)) { // what all of them fill, so that they have one scale
    const hidden = h("div", { class: "measured" }, ...drawings);
    document.body.append(hidden);
    const boxes = drawings.map((one) => one.getBBox()), [left, top] = ["x", "y"].map((name) => Math.min(...boxes.map((one) => one[name])) - 3);
    hidden.remove();
    frames.set(key, `${left} ${top} ${Math.max(...boxes.map((one) => one.x + one.width)) + 3 - left} ${Math.max(...boxes.map((one) => one.y + one.height)) + 3 - top}`);
  }
  drawings[action].setAttribute("viewBox", frames.get(key));
  return h("span", { class: "icon", "aria-hidden": "true" }, drawings[action]);
}
const frames = new Map();

export const number = (value, digits = 3) => (Math.abs(value) < 0.5 * 10 ** -digits ? "0" : (value > 0 ? "+" : "−") + Math.abs(value).toFixed(digits).replace(/\.?0+$/, ""));
export const share = (value) => (100 * value).toFixed(value > 0 && value < 0.01 ? 2 : 1).replace(/\.0+$/, "") + "\u00a0%";

export const lost = (loss) => (loss > 5e-5 ? number(loss, 4).slice(1) : "0");
const costOf = (one) => (one.loss > 5e-5 ? h("span", { class: "cost" }, ` −${lost(one.loss)}`) : null);
export const counted = (text, noun) => `${text} ${noun}${String(text) === "1" ? "" : "s"}`;
export const points = (value) => counted(number(Math.abs(value)).replace("+", ""), "point");

export const PERSON = "human player"; // in the place of an agent's name

// What the person in seat `you` is told: its own name becomes "you".
export function said(about, text, you) {
  if (you === undefined) return text;
  const own = about.players[you].replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const words = addressed(text.replace(new RegExp(`\\b${own}\\b`, "g"), "you"), you).replace(/(?<!the )\bopponent\b/g, "the opponent");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// The name of an opponent for people.
export function titleOf(about, name) {
  const listed = about.opponents.flatMap((one) => one.players).find((one) => one.name === name);
  return listed ? listed.title : about.agents.find((one) => one.name === name.split("(")[0])?.title ?? name;
}

// The drawing of a state, which moves into the next one. Where the game says which part of it stands for which action,
// that part can be clicked; if it is large enough for a thumb, it is the button of the action.
export class Board {
  constructor(about, you) {
    Object.assign(this, { about, you, layer: h("div", { class: "motion", "aria-hidden": "true" }), moves: Promise.resolve(), waiting: 0 });
    this.element = h("div", { class: "boardbox", click: (event) => this.near(event) });
  }

  show(state, choose = null) {
    const now = this.element.querySelector("img.board"), game = this.about.game;
    const same = now?.dataset.code === state.code && now.dataset.game === game;
    const image = same ? now : h("img", { class: "board", "data-game": game, "data-code": state.code, "data-you": this.you });
    image.alt = addressed(state.text, this.you);
    const targets = choose ? state.targets.map(([action, left, top, width, height]) => h("button", { type: "button", "data-target": action, style: `left:${left}%;top:${top}%;width:${width}%;height:${height}%`, click: () => choose(action),
      ...(isLarge([action, left, top, width, height]) ? { "aria-label": this.about.actions[action], "data-action": action } : { tabindex: -1, "aria-hidden": "true" }) })) : [];
    if (same) {
      for (const other of [...this.element.children]) if (other !== image && other !== this.layer) other.remove(); // an image put in anew would fade in again
      this.element.append(this.layer, ...targets);
      return;
    }
    if (now) Object.assign(now, { className: "past", alt: "" });
    this.element.replaceChildren(...(now ? [now] : []), image, this.layer, ...targets);
    this.follow(now, image, draw(image));
  }

  // One motion after the other; if more than two wait, they are not shown in full.
  async follow(before, image, drawn) {
    const earlier = this.moves;
    this.waiting += 1;
    this.moves = drawn.then(() => earlier).then(() => {
      before?.remove();
      return move(this.layer, before?.svg, image.svg, () => this.waiting > 2 || !this.element.contains(this.layer));
    }).then(() => image.decode()).catch(() => before?.remove()); // an error is shown with the state
    await this.moves;
    this.waiting -= 1;
    if (!this.waiting) this.layer.replaceChildren();
  }

  // A click beside small parts of the board chooses the nearest one within a thumb's reach.
  near(event) {
    if (event.target.closest("button")) return;
    const far = (one) => { const box = one.getBoundingClientRect(); return Math.hypot(Math.max(box.left - event.clientX, 0, event.clientX - box.right), Math.max(box.top - event.clientY, 0, event.clientY - box.bottom)); };
    const [nearest] = [...this.element.querySelectorAll("[data-target]:not([data-action])")].sort((a, b) => far(a) - far(b));
    if (nearest && far(nearest) <= THUMB) nearest.click();
  }

  cover() {
    this.layer.replaceChildren();
    this.element.replaceChildren(h("div", { class: "board covered", role: "img", "aria-label": "covered" }, "?"));
  }
}

const THUMB = 24; // pixels
const isLarge = ([, , , width, height]) => Math.min(width, height) >= 10; // percent of the board
export const onBoard = (state, action) => state.targets.some((one) => one[0] === action && isLarge(one));

// The frame of a view with a board: what stands above it, the board, a message, what can be done, and the side.
export function frame(main, board) {
  const parts = { head: h("div", { class: "head" }), message: h("p", { class: "told", role: "status", id: "told" }), bar: h("div", { class: "actionbar" }), side: h("div", { class: "side" }) };
  main.replaceChildren(parts.head, h("div", { class: "stage" }, board, parts.message), parts.bar, parts.side);
  return parts;
}

// How many columns so many buttons have, on a desk and on a telephone.
export function columns(count, pictured = false) {
  const wide = count <= 5 ? count : Math.ceil(count / (count <= 10 ? 2 : 3)), four = count > 9 || (!pictured && count > 6 && count < 9);
  const narrow = count <= 4 ? count : four ? 4 : 3;
  return `--columns: ${Math.min(wide, 8)}; --narrow: ${narrow}`;
}

// Rows and columns of actions on a compass, by their names as for the arrow keys; null if there are others.
export function compass(names) {
  const words = names.map((name) => name.toLowerCase().split(/[ _-]/)), side = (one, first, last) => (one.includes(first) ? 1 : one.includes(last) ? 3 : 2);
  const places = words.map((one) => `${side(one, "up", "down")} / ${side(one, "left", "right")}`);
  return ["left", "right", "up", "down"].every((name) => words.some((one) => one.join() === name)) && new Set(places).size === places.length ? places : null;
}

// The buttons of actions, with the game's pictures and on a compass where it has them; what comes first stands before them.
export function actionButtons(about, player, choices, choose, label, ...first) {
  const icons = choices.map((one) => iconOf(about, player, one.action)), places = compass(about.actions);
  return h("div", { class: ["actions", icons[0] && "pictured", icons[0] && choices.length <= 5 && "tall", places && "compass"].filter(Boolean).join(" "), role: "group", "aria-label": label, style: places ? columns(3) : columns(choices.length + first.some(Boolean), Boolean(icons[0])) }, ...first,
    ...choices.map((one, k) => h("button", { type: "button", disabled: one.disabled, "data-action": one.disabled ? null : one.action, style: places && `grid-area: ${places[one.action]}`, click: () => choose(one.action) }, one.key.length === 1 && one.key !== one.name ? h("kbd", {}, one.key) : null, icons[k], icons[k] ? h("span", {}, one.name) : one.name)));
}

// A sheet over the page; Escape, or a click beside it, closes it.
export function sheet(title, ...content) {
  const dialog = h("dialog", { "aria-label": title, close: () => dialog.remove(), click: (event) => event.target === dialog && dialog.close() },
    h("div", { class: "sheet" }, h("h2", {}, title), h("button", { type: "button", "aria-label": "Close", click: () => dialog.close() }, "×"), ...content));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export function rulesOf(about) {
  const lines = about.rules.split("\n").filter(Boolean);
  return lines.length ? lines.map((line) => h("p", { class: line.startsWith("- ") ? "item" : null }, line.replace(/^- /, "• "))) : [h("p", {}, about.about)];
}

export function showRules(about, you) {
  sheet(`${about.title}: the rules`, h("p", {}, said(about, about.introduction[you ?? 0], you).replace(/^You are you\b/, `You are ${about.players[you]}`).replace(/^You are player [01]\. ?/, "")), ...rulesOf(about));
}

// A form of the parameters of a game; `value()` is the game with those that are not the default, or not a person's.
export function parameterForm(about) {
  const inputs = about.settings.map(({ name, default: usual }) => {
    const now = about.parameters[name] ?? "";
    if (typeof usual === "boolean") return h("input", { type: "checkbox", name, checked: now === true });
    return h("input", { type: typeof usual === "number" ? "number" : "text", step: "any", name, value: now, placeholder: usual ?? "as the others say", autocomplete: "off" });
  });
  const chosen = (input) => (input.type === "checkbox" ? String(input.checked) : input.value.trim());
  return {
    element: source.records && inputs.length ? h("details", {}, h("summary", {}, "Rules of your own"), ...about.settings.map((one, k) => h("label", { class: "setting" }, h("span", {}, h("b", {}, one.name.replaceAll("_", " ")), ` ${one.meaning}`), inputs[k]))) : null,
    value: () => {
      const changed = inputs.map((input, k) => [input.name, chosen(input), about.settings[k]]).filter(([, text, one]) => text !== "" && (one.short || text !== String(one.default)));
      const name = about.game.split("(")[0];
      return changed.length ? `${name}(${changed.map(([one, text]) => `${one}=${text}`).join(",")})` : name;
    },
  };
}

// What a certificate proves, in points, as a sentence: its error, rounded up to a power of ten.
export function proven(certificate) {
  if (!certificate) return "Solved exactly, without any error.";
  let power = Math.floor(Math.log10(certificate));
  while (certificate >= Number(`1e${power}`)) power += 1;
  const written = String(power).replace(/./g, (one) => (one === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[one]));
  return `${power <= MOST_EXACT ? "Solved exactly" : "Solved"}; the error is below 10${written} points, proven.`;
}
const MOST_EXACT = -9; // the power of ten below which an error is no more than rounding, as in certificate/bounds.py

// The exact solution at a state, beside the board. `follow(action0, action1)` is called when a cell is chosen,
// `visit(code)` when an outcome of chance or a history is, and `known(actions, player)` with the frequencies and regrets
// of whoever chooses. With hidden information it is that of a player's information state, or of all who choose there;
// `history` is then the state that actions lead on from. A person in seat `you` is spoken to.
export class Truth {
  constructor(about, { you, follow = null, visit = null, known = () => {} } = {}) {
    Object.assign(this, { about, you, follow, visit, known });
    this.element = h("section", { class: "panel", "aria-label": "Exact solution", tabindex: 0 });
    this.code = this.player = this.history = null;
  }

  name(player) {
    return this.you === undefined ? this.about.players[player] : player === this.you ? "you" : "the opponent";
  }

  async show(code, player) {
    Object.assign(this, { code, player, history: null });
    if (!this.element.hasChildNodes()) this.element.append(h("h2", {}, "Exact solution"), h("p", { class: "soft" }, "Looking it up …"));
    const current = () => this.code === code && this.player === player;
    try {
      const solution = await askPatiently("/solution", { game: this.about.game, code, ...(player === undefined ? {} : { player }) }, (progress) => {
        if (current()) this.element.replaceChildren(h("h2", {}, "Exact solution"), h("p", {}, progress));
      }, current);
      if (current()) {
        this.element.replaceChildren(...this.parts(solution));
        this.element.dataset.code = code;
        for (const side of solution.sides ?? solution.players?.map((actions, k) => ({ player: k, actions })) ?? []) this.known(side.actions, side.player);
      }
    } catch (error) {
      if (current()) this.element.replaceChildren(h("h2", {}, "Exact solution"), h("p", {}, error.message));
    }
  }

  parts(solution) {
    const parts = [h("h2", {}, "Exact solution")];
    if (solution.over) return [...parts, h("p", {}, "The game is over.")];
    if (solution.sides) return [...parts, ...this.information(solution)];
    const ends = solution.distance === null || solution.distance === undefined ? "" : `, ends in ${solution.distance} moves`;
    if (solution.value !== null) parts.push(h("p", {}, this.you === undefined ? `Value to ${this.about.players[0]}: ` : "You can expect ", h("strong", { id: "value" }, number(this.you ? -solution.value : solution.value, 4)), ` points${ends}`));
    if (solution.reached === false) parts.push(h("p", { class: "soft" }, "Play from the start does not lead here; the figures are of play that begins here."));
    if (solution.outcomes) {
      const rows = solution.outcomes.map((one) => h("tr", {}, h("td", { class: "name" }, this.visit ? h("button", { type: "button", click: () => this.visit(one.code) }, one.text) : one.text), h("td", {}, share(one.probability))));
      return [...parts, h("table", {}, h("caption", {}, "Chance decides"), ...rows)];
    }
    if (solution.turn_based) parts.push(...[0, 1].filter((player) => solution.players[player].length > 1).map((player) => this.side(solution, player)));
    else parts.push(this.diagram(solution));
    parts.push(h("p", { class: "soft", title: `Largest gap at any state: ${solution.certificate} points, proven.` }, `${solution.states.toLocaleString()} states. ${proven(solution.certificate)}`));
    return parts;
  }

  information(solution) {
    this.history = solution.sides[0]?.history ?? null;
    const sides = solution.sides.flatMap(({ player, histories, ...side }) => [
      side.reached ? h("p", {}, h("span", { class: `p${player}name` }, this.name(player)), this.you === player ? " can expect " : " expects ", h("strong", { id: "value" }, number(side.value, 4)), " points, by what can be seen.")
        : h("p", { class: "soft" }, `In equilibrium ${this.name(1 - player)} never lets it come to this, so no action has a value; what is hidden is as likely as with uniform play.`),
      ...(side.actions.some((one) => one.probability > 1e-6 && one.loss > 1e-6) ? [h("p", { class: "soft" }, `The equilibrium of ${this.name(player)} never leads here, so anything may be played here.`)] : []),
      this.side({ turn_based: solution.turn_based, other: side.other, players: { [player]: side.actions } }, player),
      h("table", {}, h("caption", {}, `What ${this.name(player)} ${this.you === player ? "do" : "does"} not see`, side.num_histories > histories.length ? `: the likeliest ${histories.length} of ${side.num_histories.toLocaleString()}` : ""),
        ...histories.map((one) => h("tr", { class: this.visit && one.code === side.history ? "here" : null }, h("td", { class: "name" }, this.visit ? h("button", { type: "button", click: () => this.visit(one.code) }, one.text) : one.text), h("td", {}, share(one.probability)), h("td", { class: "name" }, bar(player, one.probability))))),
    ]);
    if (!sides.length) sides.push(h("p", {}, `${this.name(this.player)} does not choose here.`));
    return [...sides, h("p", { class: "soft", title: `Both players together could win at most ${solution.certificate} points more, proven.` }, `The game is worth ${number(solution.start_value, 4)} points to ${this.about.players[0]}; ${solution.states.toLocaleString()} information states. ${proven(solution.certificate)}`)];
  }

  // With hidden information both may choose at once: then `other` is the likeliest action of the other player.
  side(solution, player) {
    const values = solution.players[player].some((one) => "value" in one), known = solution.players[player].every((one) => one.loss !== null);
    const distances = solution.players[player].some((one) => typeof one.optimal === "boolean");
    const rows = [...solution.players[player]].sort((a, b) => Math.round(1e6 * (b.probability - a.probability)) || Math.round(1e6 * (a.loss - b.loss)) || a.action - b.action).map((one) => h("tr", {},
      h("td", { class: "name" }, this.follow && (values || solution.turn_based) ? h("button", { type: "button", click: () => this.follow(...(player ? [solution.other ?? 0, one.action] : [one.action, solution.other ?? 0])) }, one.name) : one.name, one.optimal ? " ✓" : ""),
      ...(distances ? [] : [h("td", {}, share(one.probability)), h("td", { class: "name" }, bar(player, one.probability))]),
      values && known ? h("td", {}, number(one.value, 4)) : null,
      known ? h("td", {}, lost(one.loss)) : null,
      distances ? h("td", {}, one.distance === null ? "draw" : one.distance) : null,
    ));
    const [first] = solution.players[player], same = (one) => one.loss !== null && one.loss <= 5e-5 && one.distance === first.distance;
    if (solution.turn_based && !values && !this.follow && rows.length > 1 && solution.players[player].every(same)) return h("p", {}, "All moves keep the value.");
    const heads = ["action", ...(distances ? [] : ["plays", ""]), ...(values && known ? ["expects"] : []), ...(known ? ["regret"] : []), ...(distances ? ["moves to the end"] : [])];
    return h("table", {}, h("caption", {}, h("span", { class: `p${player}name` }, this.name(player)), solution.players[player].some((one) => one.optimal) ? " in equilibrium; ✓ optimal" : " in equilibrium"),
      h("thead", {}, h("tr", {}, ...heads.map((head, k) => (head ? h("th", { scope: "col", class: k === 0 ? "name" : null }, head) : h("td"))))), h("tbody", {}, ...rows));
  }

  // The matrix game: rows and columns are filled as often as they are played, cells by what they bring the row's player.
  diagram(solution) {
    const own = this.you ?? 0, [rows, columns] = [solution.players[own], solution.players[1 - own]];
    const brings = (i, j) => (own ? -solution.payoffs[j][i] : solution.payoffs[i][j]);
    const largest = Math.max(...solution.payoffs.flat().map(Math.abs), 1e-12);
    const head = (one, player, scope) => h("th", { scope, class: `mix p${player}`, style: `--share:${one.probability.toFixed(4)}` }, one.name, h("small", {}, share(one.probability), costOf(one)));
    const cell = (value, i, j) => h("td", { class: `p${value > 0 ? own : 1 - own}`, style: `--size:${Math.sqrt(Math.abs(value) / largest).toFixed(3)}` },
      this.follow ? h("button", { type: "button", "aria-label": `${rows[i].name} against ${columns[j].name}: ${number(value)}`, click: () => this.follow(rows[i].action, columns[j].action) }, number(value)) : number(value));
    return h("table", { class: columns.length > 5 ? "matrix narrow" : "matrix" },
      h("caption", {}, this.you === undefined ? `Points of ${this.name(own)}: ` : "Your points: ", ...[own, 1 - own].map((player) => h("span", { class: `sign p${player}` }, `good for ${this.name(player)}`)), ` Rows: ${this.name(own)}; columns: ${this.name(1 - own)}. The coloured part of a name is how often the equilibrium plays it; the red figure is what it costs.${this.follow ? " Choose a cell to go there." : ""}`),
      h("thead", {}, h("tr", {}, h("td", {}), ...columns.map((one) => head(one, 1 - own, "col")))),
      h("tbody", {}, ...rows.map((one, i) => h("tr", {}, head(one, own, "row"), ...columns.map((_, j) => cell(brings(i, j), i, j))))));
  }
}

export const bar = (player, probability) => h("span", { class: `bar p${player}`, style: `--share:${probability.toFixed(4)}` });

// Blue where player 0 gains, orange where it loses; text keeps its contrast.
export function shade(value) {
  const strength = Math.min(1, Math.abs(value)) * 0.35;
  return `background: color-mix(in srgb, var(${value > 0 ? "--zero" : "--one"}) ${(100 * strength).toFixed(0)}%, transparent)`;
}

// A curve over few points. Its values are those that the page prints, so that rounding errors are no steps.
export function sparkline(exact, label, marks = []) {
  const values = exact.map((value) => Math.round(1e4 * value) / 1e4);
  const low = Math.min(0, ...values), high = Math.max(0, ...values), flat = low === high;
  const x = (k) => (100 * k) / Math.max(1, values.length - 1), y = (value) => (flat ? 20 : 38 - (36 * (value - low)) / (high - low));
  return s("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", class: "spark", role: "img", "aria-label": label },
    s("line", { x1: 0, x2: 100, y1: y(0), y2: y(0) }), ...marks.map((k) => s("line", { class: "mark", x1: x(k), x2: x(k), y1: 0, y2: 40 })), s("polyline", { points: values.map((value, k) => `${x(k)},${y(value)}`).join(" ") }));
}

export function log(steps, chosen, choose) {
  const list = h("ol", { class: "log" }, ...steps.map((step, k) => h("li", {}, h("button", { type: "button", "aria-current": k + 1 === chosen ? "step" : null, click: () => choose(k + 1) }, step.told))));
  requestAnimationFrame(() => { list.scrollTop = chosen ? list.children[chosen - 1].offsetTop - list.offsetTop - list.clientHeight / 2 : list.scrollHeight; });
  return list;
}

// Who plays a seat: by strength, by character, or a model; and the options of that player.
export function seatChooser(about, label, chosen, people) {
  const [base, text] = [chosen.split("(")[0], chosen.includes("(") ? chosen.slice(chosen.indexOf("(") + 1, -1) : ""];
  const listed = about.opponents.some((group) => group.players.some((one) => one.name === chosen));
  const option = (name, title) => h("option", { value: name, selected: name === (listed ? chosen : base) }, title);
  const select = h("select", { change: ask }, ...about.opponents.map((group) => h("optgroup", { label: group.group }, ...group.players.map((one) => option(one.name, one.title)))), ...(people ? [h("optgroup", { label: "People" }, option(PERSON, "somebody beside you"))] : []));
  const options = h("div");
  function ask(event) {
    const known = Object.entries(about.agents.find((one) => one.name === select.value)?.options ?? {});
    const values = new Map(event || listed ? [] : text.split(",").map((one) => one.split("=").map((part) => part.trim())));
    const labels = known.map(([name, usual]) => h("label", {}, name.replaceAll("_", " "), h("input", { name, value: values.get(name) ?? "", placeholder: usual, autocomplete: "off" })));
    options.replaceChildren(...(labels.length ? [h("details", { open: values.size > 0 }, h("summary", {}, "Options of this player"), h("div", { class: "options" }, ...labels))] : []));
  }
  ask();
  return {
    element: h("div", {}, h("label", {}, label, select), options),
    value: () => {
      const filled = [...options.querySelectorAll("input")].filter((one) => one.value.trim()).map((one) => `${one.name}=${one.value.trim()}`);
      return filled.length ? `${select.value}(${filled.join(",")})` : select.value;
    },
  };
}

// The key that chooses an action: its name where that is a digit, else its number, so that it stays the same.
export function keyOf(about, one, place) {
  if (/^\d$/.test(one.name)) return one.name;
  return String(about.actions.length <= 9 ? one.action + 1 : place + 1);
}

const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

// The one of the legal actions that a key chooses.
export const actionOf = (about, legal, event) => legal.find((one, k) => keyOf(about, one, k) === event.key || (event.key in ARROWS && one.name.toLowerCase() === ARROWS[event.key]));

// Writes on the buttons of actions how often the equilibrium of a player plays them, and what they cost; where one player
// moves and nothing is hidden, all that cost nothing are as good.
export function weigh(main, actions, player) {
  const allFree = actions.every((one) => !costOf(one)); // then nothing is tinted
  for (const one of actions) {
    const costs = costOf(one), mixes = typeof one.optimal !== "boolean";
    for (const button of main.querySelectorAll(`[data-action="${one.action}"]`)) {
      button.style.setProperty("--share", mixes ? one.probability.toFixed(4) : costs || allFree ? 0 : 1);
      button.classList.add("weighed", `p${player}`);
      button.querySelector("small")?.remove();
      button.append(h("small", {}, mixes ? share(one.probability) : costs ? "" : "✓", costs?.cloneNode(true)));
    }
  }
}
