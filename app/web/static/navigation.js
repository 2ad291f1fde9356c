// Where views lead: what there is, the address behind #, and the message when something fails.

import { queryOf } from "./api.js";
import { chooser, h } from "./parts.js";

const error = document.getElementById("error");
export const site = {}; // what there is: games, folders, saved matches

export const baseOf = (game) => game?.split("(")[0];

// The games that everybody has, and whose states have values.
export const listed = () =>
  site.games.filter((one) => one.offers.includes("values") && [one.game, one.game.split("(")[0]].includes(one.name));

// A list of the games, of which one is opened in the same view.
export const gameChooser = (about, view, games = site.games) =>
  chooser(
    [
      ["", "Another game"],
      ...games.filter((one) => ![one.game, one.short].includes(about.game)).map((one) => [one.game, one.title]),
    ],
    "",
    { "aria-label": "Another game", change: (event) => go(view, { game: event.target.value }) },
  );

// What the browser keeps; where it may not, until the page is closed.
const unkept = {};
export function keep(name, value) {
  unkept[name] = value;
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {} // a private window
}
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? unkept[name];
  } catch {
    return unkept[name];
  }
}

export function address(view, query) {
  // , / and ; can be read.
  return `#${view}?${queryOf(query).replace(/%2[CF]|%3B/g, decodeURIComponent)}`;
}

export function tell(problem) {
  error.hidden = !problem;
  error.replaceChildren(
    problem ? problem.message || String(problem) : "",
    h("button", { type: "button", "aria-label": "Close", click: () => tell(null) }, "×"),
  );
}

export function go(view, query, quietly = false) {
  const target = address(view, query);
  if (quietly && !location.hash.includes("code=")) history.replaceState(null, "", target);
  else if (quietly) {
    if (location.hash !== target) history.pushState(null, "", target);
  } else location.hash = target;
}
