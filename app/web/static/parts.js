// Pieces that all views are made of. They know no game: all words and drawings come from the server.

import { askPatiently, draw } from "./api.js";

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

export const number = (value, digits = 3) => (Math.abs(value) < 0.5 * 10 ** -digits ? "0" : (value > 0 ? "+" : "−") + Math.abs(value).toFixed(digits).replace(/\.?0+$/, ""));
export const share = (value) => (100 * value).toFixed(value > 0 && value < 0.01 ? 2 : 1).replace(/\.0+$/, "") + "\u00a0%";

export const points = (value) => `${number(Math.abs(value)).replace("+", "")} point${Math.abs(value) === 1 ? "" : "s"}`;

// The drawing of a state. Where the game says which part of it stands for which action, that part can be clicked.
export function board(game, state, choose = null) {
  const image = h("img", { class: "board", alt: state.text, "data-game": game, "data-code": state.code });
  draw(image);
  const targets = choose ? state.targets.map(([action, left, top, width, height]) => h("button", { type: "button", "aria-label": String(action), tabindex: -1, "aria-hidden": "true", "data-target": action, style: `left:${left}%;top:${top}%;width:${width}%;height:${height}%`, click: () => choose(action) })) : [];
  return h("div", { class: "boardbox" }, image, ...targets);
}

// The exact solution at a state, beside the board. `follow(action0, action1)` is called when a cell is chosen, and
// `visit(code)` when an outcome of chance or a history is. With hidden information it is that of a player's information
// state, or of all who choose there; `history` is then the state that actions lead on from.
export class Truth {
  constructor(about, follow = null, visit = null) {
    this.about = about;
    this.follow = follow;
    this.visit = visit;
    this.element = h("section", { class: "panel", "aria-label": "Exact solution", tabindex: 0 });
    this.code = this.player = this.history = null;
  }

  async show(code, player) {
    Object.assign(this, { code, player, history: null });
    const current = () => this.code === code && this.player === player;
    try {
      const found = await askPatiently("/solution", { game: this.about.game, code, ...(player === undefined ? {} : { player }) }, (told) => {
        if (current()) this.element.replaceChildren(h("h2", {}, "Exact solution"), h("p", {}, told));
      }, current);
      if (current()) {
        this.element.replaceChildren(...this.parts(found));
        this.element.dataset.code = code;
      }
    } catch (error) {
      if (current()) this.element.replaceChildren(h("h2", {}, "Exact solution"), h("p", {}, error.message));
    }
  }

  parts(found) {
    const parts = [h("h2", {}, "Exact solution")];
    if (found.over) return [...parts, h("p", {}, "The game is over.")];
    if (found.sides) return [...parts, ...this.information(found)];
    const ends = found.distance === null || found.distance === undefined ? "" : `, ends in ${found.distance} moves`;
    if (found.value !== null) parts.push(h("p", {}, `Value to ${this.about.players[0]}: `, h("strong", { id: "value" }, number(found.value, 4)), ` points${ends}`));
    if (found.reached === false) parts.push(h("p", { class: "soft" }, "Play from the start does not lead here; the figures are of play that begins here."));
    if (found.outcomes) {
      const rows = found.outcomes.map((one) => h("tr", {}, h("td", { class: "name" }, this.visit ? h("button", { type: "button", click: () => this.visit(one.code) }, one.text) : one.text), h("td", {}, share(one.probability))));
      return [...parts, h("table", {}, h("caption", {}, "Chance decides"), ...rows)];
    }
    for (const player of [0, 1]) {
      if (found.players[player].length > 1 || !found.turn_based) parts.push(this.side(found, player));
    }
    if (!found.turn_based) parts.push(this.matrix(found));
    parts.push(h("p", { class: "soft" }, `${found.states.toLocaleString()} states; largest gap at any state ${found.certificate ? found.certificate.toExponential(1) : 0} points, proven.`));
    return parts;
  }

  information(found) {
    this.history = found.sides[0]?.history ?? null;
    const sides = found.sides.flatMap(({ player, histories, ...side }) => [
      side.reached ? h("p", {}, h("span", { class: `p${player}name` }, this.about.players[player]), " expects ", h("strong", { id: "value" }, number(side.value, 4)), " points, by what it sees.")
        : h("p", { class: "soft" }, `In equilibrium ${this.about.players[1 - player]} never lets it come to this, so no action has a value; what is hidden is as likely as with uniform play.`),
      ...(side.actions.some((one) => one.probability > 1e-6 && one.loss > 1e-6) ? [h("p", { class: "soft" }, `The equilibrium of ${this.about.players[player]} never leads here, so it may play anything here.`)] : []),
      this.side({ turn_based: found.turn_based, other: side.other, players: { [player]: side.actions } }, player),
      h("table", {}, h("caption", {}, `What ${this.about.players[player]} does not see`, side.num_histories > histories.length ? `: the likeliest ${histories.length} of ${side.num_histories.toLocaleString()}` : ""),
        ...histories.map((one) => h("tr", { class: this.visit && one.code === side.history ? "here" : null }, h("td", { class: "name" }, this.visit ? h("button", { type: "button", click: () => this.visit(one.code) }, one.text) : one.text), h("td", {}, share(one.probability)), h("td", { class: "name" }, bar(player, one.probability))))),
    ]);
    if (!sides.length) sides.push(h("p", {}, `${this.about.players[this.player]} does not choose here.`));
    return [...sides, h("p", { class: "soft" }, `The game is worth ${number(found.start_value, 4)} points to ${this.about.players[0]}; ${found.states.toLocaleString()} information states; both players together could win at most ${found.certificate ? found.certificate.toExponential(1) : 0} points more, proven.`)];
  }

  // With hidden information both may choose at once: then `other` is the likeliest action of the other player.
  side(found, player) {
    const values = found.players[player].some((one) => "value" in one), known = found.players[player].every((one) => one.loss !== null);
    const distances = found.players[player].some((one) => typeof one.optimal === "boolean");
    const rows = [...found.players[player]].sort((a, b) => Math.round(1e6 * (b.probability - a.probability)) || Math.round(1e6 * (a.loss - b.loss)) || a.action - b.action).map((one) => h("tr", {},
      h("td", { class: "name" }, this.follow && (values || found.turn_based) ? h("button", { type: "button", click: () => this.follow(...(player ? [found.other ?? 0, one.action] : [one.action, found.other ?? 0])) }, one.name) : one.name, one.optimal ? " ✓" : ""),
      h("td", {}, share(one.probability)),
      h("td", { class: "name" }, bar(player, one.probability)),
      values && known ? h("td", {}, number(one.value, 4)) : null,
      known ? h("td", {}, one.loss > 5e-5 ? number(one.loss, 4).slice(1) : "0") : null,
      distances ? h("td", {}, one.distance === null ? "draw" : one.distance) : null,
    ));
    const heads = ["action", "plays", "", ...(values && known ? ["expects"] : []), ...(known ? ["regret"] : []), ...(distances ? ["moves to the end"] : [])];
    return h("table", {}, h("caption", {}, h("span", { class: `p${player}name` }, this.about.players[player]), found.players[player].some((one) => one.optimal) ? " in equilibrium; ✓ optimal" : " in equilibrium"),
      h("thead", {}, h("tr", {}, ...heads.map((head, k) => (head ? h("th", { scope: "col", class: k === 0 ? "name" : null }, head) : h("td"))))), h("tbody", {}, ...rows));
  }

  matrix(found) {
    const [zero, one] = found.players;
    const largest = Math.max(...found.payoffs.flat().map(Math.abs), 1e-12);
    const cell = (value, i, j) => h("td", { style: shade(value / largest) },
      this.follow ? h("button", { type: "button", "aria-label": `${zero[i].name} against ${one[j].name}: ${number(value)}`, click: () => this.follow(zero[i].action, one[j].action) }, number(value)) : number(value));
    const rows = found.payoffs.map((row, i) => h("tr", {}, h("th", { scope: "row", class: "name" }, zero[i].name), h("td", { class: "soft" }, share(zero[i].probability)), ...row.map((value, j) => cell(value, i, j))));
    return h("table", { class: one.length > 6 ? "matrix narrow" : "matrix" },
      h("caption", {}, `Reward and value of the next state, points of ${this.about.players[0]}: rows are its actions${this.follow ? "; choose a cell to go there" : ""}`),
      h("thead", {}, h("tr", {}, h("td", {}), h("td", {}), ...one.map((action) => h("th", { scope: "col" }, action.name))),
        h("tr", {}, h("td", {}), h("td", {}), ...one.map((action) => h("td", { class: "soft" }, share(action.probability))))),
      h("tbody", {}, ...rows));
  }
}

export const bar = (player, probability) => h("span", { class: `bar p${player}`, style: `--share:${probability.toFixed(4)}` });

// Blue where player 0 gains, orange where it loses; text keeps its contrast.
export function shade(value) {
  const strength = Math.min(1, Math.abs(value)) * 0.35;
  return `background: color-mix(in srgb, var(${value > 0 ? "--zero" : "--one"}) ${(100 * strength).toFixed(0)}%, transparent)`;
}

export function sparkline(values, label) {
  const low = Math.min(0, ...values), high = Math.max(0, ...values), span = high - low || 1;
  const x = (k) => (100 * k) / Math.max(1, values.length - 1), y = (value) => 38 - (36 * (value - low)) / span;
  return s("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", class: "spark", role: "img", "aria-label": label },
    s("line", { x1: 0, x2: 100, y1: y(0), y2: y(0) }), s("polyline", { points: values.map((value, k) => `${x(k)},${y(value)}`).join(" ") }));
}

export function log(steps, chosen, choose) {
  const list = h("ol", { class: "log" }, ...steps.map((step, k) => h("li", {}, h("button", { type: "button", "aria-current": k + 1 === chosen ? "step" : null, click: () => choose(k + 1) }, step.told))));
  requestAnimationFrame(() => { list.scrollTop = chosen ? list.children[chosen - 1].offsetTop - list.offsetTop - list.clientHeight / 2 : list.scrollHeight; });
  return list;
}

// Who plays a seat: a select, and options in brackets behind it.
export function seatChooser(about, player, chosen, people) {
  const [name, options] = [chosen.split("(")[0], chosen.includes("(") ? chosen.slice(chosen.indexOf("(") + 1, -1) : ""];
  const names = [...(people ? [{ name: "human player", title: "you" }] : []), ...about.agents];
  const select = h("select", {}, ...names.map((one) => h("option", { value: one.name, selected: one.name === name }, one.title === one.name ? one.name : `${one.name}: ${one.title}`)));
  const input = h("input", { value: options, autocomplete: "off" });
  const known = () => Object.entries((names.find((one) => one.name === select.value) || {}).options || {});
  const note = () => { input.placeholder = known().filter(([, value]) => value !== null).map(([option, value]) => `${option}=${value}`).join(", ") || "none"; };
  select.addEventListener("change", () => { input.value = ""; note(); });
  note();
  return {
    element: [h("label", {}, h("span", { class: `p${player}name` }, about.players[player]), select), h("label", {}, "Options", input)],
    value: () => (input.value.trim() ? `${select.value}(${input.value.trim()})` : select.value),
  };
}

// The key that chooses an action: its name where that is a digit, else its number, so that it stays the same.
export function keyOf(about, one, place) {
  if (/^\d$/.test(one.name)) return one.name;
  return String(about.actions.length <= 9 ? one.action + 1 : place + 1);
}
