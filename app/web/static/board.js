// The board of a view, and the actions beside it.

import { addressed, draw } from "./api.js";
import { move } from "./motion.js";
import { button, costOf, h, iconOf, share } from "./parts.js";

// The drawing of a state, which moves into the next one. Where the game says which part of it stands for which action,
// that part can be clicked; if it is large enough for a thumb, it is the button of the action.
export class Board {
  constructor(about, you, called) {
    Object.assign(this, {
      about,
      you,
      called,
      layer: h("div.motion", { "aria-hidden": "true" }),
      moves: Promise.resolve(),
      waiting: 0,
    });
    const [top, bottom] = about.rows;
    this.element = h("div.boardbox", {
      style: `--tall: ${(bottom - top) / 100}`,
      click: (event) => this.near(event),
    });
  }

  // Where a part of the drawing is in the element.
  place([, left, top, width, height]) {
    const [first, last] = this.about.rows,
      up = (rows) => (100 * rows) / (last - first);
    return `left:${left}%;top:${up(top - first)}%;width:${width}%;height:${up(height)}%`;
  }

  show(state, choose = null) {
    const now = this.element.querySelector("img.board"),
      game = this.about.game;
    const same = now?.dataset.code === state.code && now.dataset.game === game;
    const image = same ? now : h("img.board", { "data-game": game, "data-code": state.code });
    for (const name of ["you", "called"]) if (this[name] !== undefined) image.dataset[name] = this[name];
    const { players, written, actions, labels, rows, plain } = this.about;
    Object.assign(image, { plain, players, written, rows, keys: actions.filter((name, k) => name !== labels[k]) });
    image.alt = addressed(state.text, this.you, image.players, this.called);
    const targets = choose
      ? state.targets.map(([action, ...part]) =>
          button({
            "data-target": action,
            style: this.place([action, ...part]),
            click: () => choose(action),
            ...(isLarge([action, ...part])
              ? { "aria-label": this.about.labels[action], "data-action": action }
              : { tabindex: -1, "aria-hidden": "true" }),
          }),
        )
      : [];
    if (same) {
      // An image put in anew would fade in again.
      for (const other of [...this.element.children]) if (other !== image && other !== this.layer) other.remove();
      this.element.append(this.layer, ...targets);
      return;
    }
    if (now) Object.assign(now, { className: "past", alt: "" });
    this.element.replaceChildren(...(now ? [now] : []), image, this.layer, ...targets);
    this.follow(now, image, draw(image));
  }

  // Marks the places of an action, by its name, as wrong or right, and as the chosen one.
  mark(state, kind, name, chosen = false) {
    for (const part of state.targets.filter(([one]) => this.about.labels[one] === name))
      this.element.append(h("span", { class: `mark ${kind} ${chosen ? "chosen" : ""}`, style: this.place(part) }));
  }

  // One motion after the other; if more than two wait, they are not shown in full.
  async follow(before, image, drawn) {
    const earlier = this.moves;
    this.waiting += 1;
    this.moves = drawn
      .then(() => earlier)
      .then(() => {
        before?.remove();
        return move(this.layer, before?.svg, image.svg, () => this.waiting > 2 || !this.element.contains(this.layer));
      })
      .then(() => image.decode())
      .catch(() => before?.remove()); // an error is shown with the state
    await this.moves;
    this.waiting -= 1;
    if (!this.waiting) this.layer.replaceChildren();
  }

  // A click beside small parts of the board chooses the nearest one within a thumb's reach.
  near(event) {
    if (event.target.closest("button")) return;
    const far = (one) => {
      const box = one.getBoundingClientRect();
      return Math.hypot(
        Math.max(box.left - event.clientX, 0, event.clientX - box.right),
        Math.max(box.top - event.clientY, 0, event.clientY - box.bottom),
      );
    };
    const [nearest] = [...this.element.querySelectorAll("[data-target]:not([data-action])")].sort(
      (a, b) => far(a) - far(b),
    );
    if (nearest && far(nearest) <= THUMB) nearest.click();
  }

  cover() {
    this.layer.replaceChildren();
    this.element.replaceChildren(h("div.board.covered", { role: "img", "aria-label": "covered" }, "?"));
  }
}

const THUMB = 24; // pixels
const isLarge = ([, , , width, height]) => Math.min(width, height) >= 10; // percent of the board
export const onBoard = (state, action) => state.targets.some((one) => one[0] === action && isLarge(one));

// A small drawing of a state, to whoever it is.
export function pictureOf(about, code, you, text = "") {
  const board = new Board(about, you);
  board.show({ code, text, targets: [] });
  return board.element;
}

// The frame of a view with a board: what stands above it, the board, a message, what can be done, and the side.
export function frame(main, board) {
  const parts = {
    head: h("div.head"),
    message: h("p.told", { role: "status", id: "told" }),
    bar: h("div.actionbar"),
    side: h("div.side"),
  };
  main.style.setProperty("--tall", board.style.getPropertyValue("--tall"));
  main.replaceChildren(parts.head, h("div.stage", board, parts.message), parts.bar, parts.side);
  return parts;
}

// How many columns so many buttons have, on a desk and on a telephone.
export function columns(count, pictured = false) {
  const wide = count <= 5 ? count : pictured && count === 9 ? 3 : Math.ceil(count / (count <= 10 ? 2 : 3)),
    four = count > 9 || (!pictured && count > 6 && count < 9);
  const narrow = count <= 4 ? count : four ? 4 : 3;
  return `--columns: ${Math.min(wide, 8)}; --narrow: ${narrow}`;
}

// Rows and columns of actions on a compass, which are those of a number pad, by their names as for the arrow keys; null
// if there are others.
export function compass(names) {
  const words = names.map((name) => name.toLowerCase().split(/[ _-]/)),
    side = (one, first, last) => (one.includes(first) ? 1 : one.includes(last) ? 3 : 2);
  const places = words.map((one) => `${side(one, "up", "down")} / ${side(one, "left", "right")}`);
  return ["left", "right", "up", "down"].every((name) => words.some((one) => one.join() === name)) &&
    new Set(places).size === places.length
    ? places
    : null;
}

// The buttons of actions, with the game's pictures and on a compass where it has them; what comes first stands before
// them.
export function actionButtons(about, player, choices, choose, label, ...first) {
  const sizes = { ...Array(6).fill("tall"), 9: "nine" };
  const icons = choices.map((one) => iconOf(about, player, one.action)),
    places = compass(about.actions);
  return h(
    "div",
    {
      class: ["actions", icons[0] && "pictured", icons[0] && sizes[choices.length], places && "compass"]
        .filter(Boolean)
        .join(" "),
      role: "group",
      "aria-label": label,
      style: places ? columns(3) : columns(choices.length + first.some(Boolean), Boolean(icons[0])),
    },
    ...first,
    ...choices.map((one, k) =>
      button(
        {
          disabled: one.disabled,
          title: one.title,
          "data-action": one.disabled ? null : one.action,
          style: places && `grid-area: ${places[one.action]}`,
          click: () => choose(one.action),
        },
        one.key.length === 1 && one.key !== one.name && h("kbd", one.key),
        icons[k],
        icons[k] ? h("span", one.name) : one.name,
      ),
    ),
  );
}

// The key that chooses an action: its name where that is a digit, its place on a number pad, else its number, which
// stays the same.
export function keyOf(about, one, place) {
  const name = about.actions[one.action];
  if (/^\d$/.test(name)) return name;
  const [row, column] = compass(about.actions)?.[one.action].split(" / ") ?? [];
  if (row) return String(3 * (3 - row) + Number(column));
  return String(about.actions.length <= 9 ? one.action + 1 : place + 1);
}

const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

// The one of the legal actions that a key chooses: its number, or its letter as in the terminal, or an arrow.
export const actionOf = (about, legal, event) =>
  legal.find(
    (one, k) =>
      keyOf(about, one, k) === event.key ||
      (event.key in ARROWS && about.actions[one.action].toLowerCase() === ARROWS[event.key]),
  ) ?? legal.find((one) => /^[a-z]$/.test(event.key) && one.key === event.key);

// The legal actions of a player that have no button on the board, with their keys.
export const beside = (about, state, player) =>
  state.legal[player]
    .map((one, k) => ({ ...one, key: keyOf(about, one, k) }))
    .filter((one) => !onBoard(state, one.action));

// Whether a key is meant for the page, and not for a field, a sheet or the browser.
export const isForPage = (event) =>
  !event.target.matches("input, select, textarea, dialog *") && !event.ctrlKey && !event.altKey && !event.metaKey;

// Writes on the buttons of actions how often the equilibrium of a player plays them, and what they cost; where one
// player moves and nothing is hidden, the best ones have a tick, as in the table; if all are, only draws and wins do.
export function weigh(main, actions, player, isLost) {
  const allBest = actions.every((one) => one.optimal); // then nothing is tinted
  for (const one of actions) {
    const costs = costOf(one, true),
      mixes = typeof one.optimal !== "boolean";
    for (const button of main.querySelectorAll(`[data-action="${one.action}"]`)) {
      button.style.setProperty("--share", mixes ? one.probability.toFixed(4) : Number(one.optimal && !allBest));
      button.classList.add("weighed", mixes ? `p${player}` : "pright");
      button.querySelector("small")?.remove();
      button.append(
        h(
          "small",
          mixes ? share(one.probability) : one.optimal && !(allBest && isLost) ? "✓" : "",
          costs?.cloneNode(true),
        ),
      );
    }
    for (const place of main.querySelectorAll(`[data-target="${one.action}"]:not([data-action])`))
      place.classList.toggle("pright", !mixes && one.optimal && !allBest);
  }
}
