// Pieces that all views are made of. They know no game: all words and drawings come from the server.

import { addressed, capital, source, svgOf } from "./api.js";

// Returns an element: h("p.told", { id: "result" }, "text", child, ...). What follows a point in the name is a class;
// attributes may be left out; functions among them are listeners: { click: ... }. No form leaves the page.
export function h(name, ...content) {
  const [tag, ...classes] = typeof name === "string" ? name.split(".") : [],
    attributes = content[0]?.constructor === Object ? content.shift() : {};
  const element = tag ? document.createElement(tag) : name;
  element.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  if (tag === "form") element.addEventListener("submit", (event) => event.preventDefault());
  element.append(...content.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// The same of an element that is there, with this content alone.
export function fill(element, ...content) {
  element.replaceChildren();
  return h(element, ...content);
}

export const button = (attributes, ...content) => h("button", { type: "button", ...attributes }, ...content);

// A select of pairs of a value and its name.
export const chooser = (pairs, chosen, attributes = {}) =>
  h(
    "select",
    attributes,
    ...pairs.map(([value, name]) => h("option", { value, selected: String(value) === String(chosen) }, name)),
  );

// The head of a table, with the names of its columns; those of words begin at the left.
export const headOf = (names, isOfWords = (k) => k === 0) =>
  h(
    "thead",
    h(
      "tr",
      names.map((name, k) => (name ? h("th", { scope: "col", class: isOfWords(k) ? "name" : null }, name) : h("td"))),
    ),
  );

// The row above a group of rows.
export const groupRow = (title, columns) => h("tr", h("th.name.group", { scope: "rowgroup", colspan: columns }, title));

// The same as h for the elements of a drawing.
export const s = (tag, ...rest) => h(document.createElementNS("http://www.w3.org/2000/svg", tag), ...rest);

export const signed = (text) => String(text).replace("-", "−");
export const number = (value, digits = 3) =>
  Math.abs(value) < 0.5 * 10 ** -digits
    ? "0"
    : (value > 0 ? "+" : "−") +
      Math.abs(value)
        .toFixed(digits)
        .replace(/\.?0+$/, "");
export const NO_LOSS = 5e-5; // points, which are shown as 0, as in arena/review.py
export const SEEN = 0.005; // least probability that is listed
export const share = (value) =>
  (100 * value).toFixed(value > 0 && value < 0.01 ? 2 : 1).replace(/\.0+$/, "") + "\u00a0%";

export const counted = (text, noun) => `${text} ${noun}${/^[+−]?1$/.test(text) ? "" : "s"}`;
// At most two digits after the decimal point; where these are 0, one that is not, as in envs/base/words.py.
export const rounded = (value) => {
  const size = Math.abs(value);
  return size > NO_LOSS ? number(size, Math.max(2, Math.ceil(-Math.log10(size)))).slice(1) : "0";
};
// What an action costs, where it is `brief` with two digits; as a change of what it brings, it has a sign.
export const costOf = ({ loss }, brief, sign = " −") =>
  loss > NO_LOSS ? h("span.cost", sign, brief ? rounded(loss) : number(loss, 4).slice(1)) : null;
export const points = (value) => counted(rounded(value), "point");

// As a choice; of more than four names three, and how many others there are.
export const either = (names, word = "or") =>
  (names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} others`] : names)
    .join(", ")
    .replace(/, ([^,]*)$/, ` ${word} $1`);

const range = (count) => [...Array(count).keys()];

// How often perfect play is as uneven as a mix, as in arena/review.py.
export const timesIn100 = (chance) => Math.min(99, Math.round(100 * chance));

export const PERSON = "human player"; // in the place of an agent's name

// What the person in seat `you` is told: its own name becomes "you"; or, without one, what anybody is.
export function said(about, text, you) {
  const words = addressed(text.replace(/; by chance (?=the )/, "; "), you, about.players);
  if (you === undefined) return words;
  const own = about.written[you].replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return capital(
    words
      .replace(new RegExp(`\\b${own}\\b('s)?`, "g"), (_, whose) => (whose ? "your" : "you"))
      .replace(/(?<!the )\bopponent\b/g, "the opponent"),
  );
}

// An opponent that is listed, and the name of any one for people.
export const opponentOf = (about, name) =>
  about.opponents.flatMap(({ players }) => players).find((one) => one.name === name);
export const titleOf = (about, name) =>
  (opponentOf(about, name) ?? about.agents.find((one) => one.name === name.split("(")[0]))?.title ??
  (name === PERSON ? "A person" : name);
// The same within a sentence.
export const calledOf = (about, name) => titleOf(about, name).replace(/^(The|An?) /, (word) => word.toLowerCase());

// A sheet over the page; Escape, or a click beside it, closes it.
export function sheet(title, ...content) {
  const dialog = h(
    "dialog",
    { "aria-label": title, close: () => dialog.remove(), click: (event) => event.target === dialog && dialog.close() },
    h("div.sheet", h("h2", title), button({ "aria-label": "Close", click: () => dialog.close() }, "×"), ...content),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// The game's own picture of an action, or null. Its colours are roles, which the theme of the page has.
export function iconOf(about, player, action) {
  if (!about.icons.length) return null;
  const drawings = about.icons[player].map((text) =>
    svgOf(
      text.replace(/(fill|stroke)="([a-z][\w-]*)"/g, (all, what, role) =>
        role === "none" ? all : `${what}="var(--role-${role}, ${role})"`,
      ),
    ),
  );
  for (const one of drawings) one.querySelector("title")?.remove(); // the game's name
  const key = `${about.game} ${player}`;
  if (!frames.has(key)) {
    // what all of them fill, so that they have one scale
    const hidden = h("div.measured", ...drawings);
    document.body.append(hidden);
    const boxes = drawings.map((one) => one.getBBox()),
      [left, top] = ["x", "y"].map((name) => Math.min(...boxes.map((one) => one[name])) - 3);
    hidden.remove();
    frames.set(
      key,
      `${left} ${top} ${Math.max(...boxes.map((one) => one.x + one.width)) + 3 - left} ` +
        `${Math.max(...boxes.map((one) => one.y + one.height)) + 3 - top}`,
    );
  }
  drawings[action].setAttribute("viewBox", frames.get(key));
  return h("span.icon", { "aria-hidden": "true" }, drawings[action]);
}
const frames = new Map();

// As a short picture, where the game has one, in which names of actions have their icons; the whole text is below it.
// Where they name the person's side, they begin with it.
export function rulesOf(about, you) {
  const rules = said(about, about.rules),
    lines = rules.split("\n").filter(Boolean),
    named = (part) =>
      about.actions.includes(part) ? [iconOf(about, 0, about.actions.indexOf(part)), h("b", part)] : part;
  const whole = lines.length
    ? lines.map((line) => h("p", { class: line.startsWith("- ") ? "item" : null }, line.replace(/^- /, "• ")))
    : [h("p", about.about)];
  if (rules.toLowerCase().includes(about.players[you])) whole.unshift(h("p", `You are ${about.players[you]}.`));
  if (!about.in_short.length) return whole;
  return [
    ...about.in_short
      .filter((line) => !line.includes("\n")) // no drawing in letters
      .map((line) => h("p.short", ...line.split(/\[([^\]]+)\]/).flatMap(named))),
    h("details", h("summary", "All rules in detail"), ...whole),
  ];
}

export const rulesPanel = (about, you) => h("section.panel", h("h2", "The rules"), ...rulesOf(about, you));

// What a person in a seat is told of it first.
export function seatOf(about, you) {
  const whole = said(about, about.introduction[you ?? 0].replace(/^You are player [01]\. ?/, ""), you);
  return whole
    .replace(/^You are you\b/, `You are ${about.players[you]}`)
    .split(/(?<=[.;])\s/)[0]
    .replace(/;$/, ". ");
}

export function showRules(about, you) {
  sheet(`${about.title}: the rules`, you !== undefined && h("p", seatOf(about, you)), ...rulesOf(about));
}

// Words in quotes are values of a parameter, those in brackets behind them what people call them.
const VALUES = /"(\w+)"(?: \(([^)]+)\))?/g;
const calledSo = (_, value, title) => title ?? value.replaceAll("_", " ");

// What a parameter is: its title, and the rest of what is said of it, where that is not what one chooses from.
function settingLabel({ name, default: usual, meaning }, input) {
  const plain = (meaning || name.replaceAll("_", " ")).replace(VALUES, calledSo).replace(/\.$/, ""),
    [title] = typeof usual === "boolean" ? [plain] : plain.split(/[,.:;]/);
  return h("span", h("b", title), input.matches("select") ? "" : plain.slice(title.length));
}

// A form of the parameters of a game; `value()` is the game with those that are not the default, or not a person's.
export function parameterForm(about) {
  const inputs = about.settings.map(({ name, default: usual, meaning }) => {
    const now = about.parameters[name] ?? "";
    if (typeof usual === "boolean") return h("input", { type: "checkbox", name, checked: now === true });
    const values = Array.from(meaning.matchAll(VALUES), (one) => [one[1], calledSo(...one)]);
    if (typeof usual === "string" && values.length > 1) return chooser([...new Map(values)], now, { name });
    return h("input", {
      type: typeof usual === "number" ? "number" : "text",
      step: "any",
      name,
      value: now,
      placeholder: usual ?? "as the others say",
      autocomplete: "off",
    });
  });
  const chosen = (input) => (input.type === "checkbox" ? String(input.checked) : input.value.trim());
  return {
    element:
      source.records &&
      inputs.length > 0 &&
      h(
        "details",
        h("summary", "Rules of your own"),
        ...about.settings.map((one, k) => h("label.setting", settingLabel(one, inputs[k]), inputs[k])),
      ),
    value: () => {
      const changed = inputs
        .map((input, k) => [input.name, chosen(input), about.settings[k]])
        .filter(([, text, one]) => text !== "" && (one.short || text !== String(one.default)));
      const name = about.game.split("(")[0];
      return changed.length ? `${name}(${changed.map(([one, text]) => `${one}=${text}`).join(",")})` : name;
    },
  };
}

export const bar = (player, probability, action) =>
  h("span", {
    class: `bar p${player}`,
    style: `--share:${probability.toFixed(4)}`,
    "data-share": action === undefined ? null : `${player} ${action}`,
  });

// How often actions are played, and in green, where it is known, how often perfect play does.
export const mixes = (player, rows, label) =>
  h(
    "table.mixes",
    { "aria-label": label },
    rows.map(({ name, plays, probability: best, counts: [own, perfect] = [share(plays), share(best)] }) =>
      h(
        "tr",
        h("th.name", { scope: "row" }, name),
        h("td", own, best !== undefined && h("small", perfect)),
        h("td.name", bar(player, plays), best !== undefined && bar("right", best)),
      ),
    ),
  );

// Blue where player 0 gains, orange where it loses; text keeps its contrast.
export function shade(value) {
  const strength = Math.min(1, Math.abs(value)) * 0.35;
  return (
    `background: color-mix(in srgb, var(${value > 0 ? "--zero" : "--one"}) ${(100 * strength).toFixed(0)}%, ` +
    "transparent)"
  );
}

// A curve over few points, beneath its title, with the values of its lines at the edge; null if it is flat. Its values
// are those that the page prints, so that rounding errors are no steps. `marks` are places from which the curve goes on
// in red, and what is written there.
export function sparkline(exact, label, marks = []) {
  const values = exact.map((value) => Math.round(1e4 * value) / 1e4);
  const low = Math.min(0, ...values),
    high = Math.max(0, ...values);
  if (values.every((value) => value === values[0])) return null;
  const x = (k) => (100 * k) / (values.length - 1),
    y = (value) => 38 - (36 * (value - low)) / (high - low);
  // The middle of a label, where it is nearest to its piece of the curve and does not touch the curve.
  const curve = values
    .slice(1)
    .flatMap((_, k) => range(21).map((i) => [x(k + i / 20), y(values[k] + (i / 20) * (values[k + 1] - values[k]))]));
  const unit = Math.min(5.3, (innerWidth - 105) / 100); // pixels
  const beside = ([left, top], [right, bottom], text) => {
    const half = (3.5 * text.length) / unit,
      far = ([along, up]) => Math.hypot((along - (left + right) / 2) * unit, (up - (top + bottom) / 2) * 1.8);
    return range(101)
      .flatMap((along) => range(15).map((j) => [Math.min(100 - half, Math.max(half, along)), 6 + 2 * j]))
      .filter(([along, up]) => !curve.some(([a, b]) => Math.abs(a - along) < half + 1 && Math.abs(b - up) < 6))
      .concat([[right, 20]])
      .sort((one, other) => far(one) - far(other))[0];
  };
  const levels = [0, ...[low, high].filter((value) => Math.abs(y(value) - y(0)) > 9)]; // others would overlap
  return h(
    "figure.curve",
    h("figcaption", label),
    levels.map((value) => h("small", { style: `--up: ${y(value) / 40}` }, number(value, 2))),
    s(
      "svg",
      { viewBox: "0 0 100 40", preserveAspectRatio: "none", class: "spark", role: "img", "aria-label": label },
      ...levels.map((value) => s("line", { x1: 0, x2: 100, y1: y(value), y2: y(value) })),
      s("polyline", { points: values.map((value, k) => `${x(k)},${y(value)}`).join(" ") }),
      ...marks.map(([k]) =>
        s("line", { class: "mark", x1: x(k), x2: x(k + 1), y1: y(values[k]), y2: y(values[k + 1]) }),
      ),
    ),
    marks
      .filter(([, text]) => text)
      .map(([k, text]) => {
        const [along, up] = beside([x(k), y(values[k])], [x(k + 1), y(values[k + 1])], text);
        return h("small.mark", { style: `--along: ${along / 100}; --up: ${up / 40}` }, text);
      }),
  );
}

// What happened, in words; with `choose` a step can be pressed.
export function log(steps, chosen, choose, start = 1) {
  const pressed = (told, k) =>
    button({ "aria-current": k + 1 === chosen ? "step" : null, click: () => choose(k + 1) }, told);
  const list = h(
    "ol.log",
    { start },
    steps.map((told, k) => h("li", choose ? pressed(told, k) : told)),
  );
  requestAnimationFrame(() => {
    const up = (one) => one.offsetTop - list.offsetTop;
    list.scrollTop = chosen ? up(list.children[chosen - 1]) - list.clientHeight / 2 : list.scrollHeight;
    const whole = [...list.children].find((one) => up(one) >= list.scrollTop - 1);
    if (chosen || !list.scrollTop || !whole) return;
    list.style.maxHeight = `${list.clientHeight - up(whole) + list.scrollTop}px`; // no line is cut
    list.scrollTop = list.scrollHeight;
  });
  return list;
}

// Who plays a seat: by strength, by character, or a model; and the options of that player. Of one that cannot be chosen
// `unfit` says why.
export function seatChooser(about, label, chosen, people, unfit = () => null) {
  const [base, text] = [chosen.split("(")[0], chosen.includes("(") ? chosen.slice(chosen.indexOf("(") + 1, -1) : ""];
  const listed = opponentOf(about, chosen) !== undefined;
  const option = (name, title, why = null) =>
    h(
      "option",
      { value: name, selected: name === (listed ? chosen : base), disabled: !!why },
      title,
      why && `: ${why}`,
    );
  const select = h(
    "select",
    { change: ask },
    ...about.opponents.map((group) =>
      h("optgroup", { label: group.group }, ...group.players.map((one) => option(one.name, one.title, unfit(one)))),
    ),
    people && h("optgroup", { label: "People" }, option(PERSON, "somebody beside you")),
  );
  const options = h("div"),
    levels = people ? about.opponents[0].players : [],
    does = h("p.soft");
  const buttons = levels.map(({ name, title }) => {
    const click = () => {
      select.value = name;
      ask(true);
    };
    return button({ value: name, click }, title);
  });
  function ask(event) {
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.value === select.value));
    does.textContent = opponentOf(about, select.value)?.does ?? "";
    const known = Object.entries(about.agents.find((one) => one.name === select.value)?.options ?? {});
    const values = new Map(
      event || listed ? [] : text.split(",").map((one) => one.split("=").map((part) => part.trim())),
    );
    const labels = known.map(([name, usual]) =>
      h(
        "label",
        name.replaceAll("_", " "),
        h("input", { name, value: values.get(name) ?? "", placeholder: usual, autocomplete: "off" }),
      ),
    );
    fill(
      options,
      labels.length > 0 &&
        h("details", { open: values.size > 0 }, h("summary", "Options of this player"), h("div.options", ...labels)),
    );
  }
  ask();
  return {
    element: h(
      "div",
      buttons.length > 0 && h("div.levels", { role: "group", "aria-label": "Strength" }, buttons),
      h("label", label, select),
      people && does,
      options,
    ),
    value: () => {
      const filled = [...options.querySelectorAll("input")]
        .filter((one) => one.value.trim())
        .map((one) => `${one.name}=${one.value.trim()}`);
      return filled.length ? `${select.value}(${filled.join(",")})` : select.value;
    },
  };
}
