// The application: which view is shown, of which game. All of it is in the address behind #.

import { ask, draw } from "./api.js";
import { explore } from "./explore.js";
import { h } from "./parts.js";
import { play } from "./play.js";
import { results } from "./results.js";
import { watch } from "./watch.js";

const VIEWS = { play, explore, watch, results };
const main = document.getElementById("main"), error = document.getElementById("error");
const chooser = document.getElementById("game"), parameters = document.getElementById("parameters");
const further = {}; // titles of the pages that others add, by name; see app/web/pages.py
const known = new Map();
let leave = () => {}, first = "play", latest = 0;

export function address(view, given) {
  return `#${view}?${new URLSearchParams(given)}`;
}

function where() {
  const [view, query = ""] = location.hash.slice(1).split("?");
  return [view in VIEWS || view in further ? view : first, Object.fromEntries(new URLSearchParams(query))];
}

export function tell(problem) {
  error.hidden = !problem;
  error.replaceChildren(problem ? problem.message || String(problem) : "", h("button", { type: "button", "aria-label": "Close", click: () => tell(null) }, "×"));
}

async function show() {
  const mine = ++latest, current = () => mine === latest; // a view that is left before it has loaded does nothing more
  leave();
  leave = () => {};
  tell(null);
  const [view, given] = where();
  given.game ||= chooser.value;
  const link = (game) => {
    for (const one of document.querySelectorAll("nav a")) {
      one.href = address(one.dataset.view, { game });
      one.toggleAttribute("aria-current", one.dataset.view === view);
      if (one.dataset.view === view) one.setAttribute("aria-current", "page");
    }
  };
  link(given.game);
  document.getElementById("choice").hidden = view in further;
  try {
    if (view in further) {
      document.title = `${further[view]} · nashzoo`;
      const left = (await (await import(`./pages/${view}/${view}.js`)).show(main, given, current)) || (() => {});
      if (current()) leave = left;
      else left();
      return;
    }
    if (!known.has(given.game)) known.set(given.game, await ask("/game", { game: given.game }));
    if (!current()) return;
    const about = { ...known.get(given.game) };
    const [, name, options] = /^([^(]*)\(?(.*?)\)?$/.exec(about.game);
    const listed = [...chooser.options].some((one) => one.value === about.game);
    chooser.value = listed ? about.game : name;
    parameters.value = listed ? "" : options;
    parameters.placeholder = Object.entries(about.parameters).map(([one, value]) => `${one}=${value}`).join(", ") || "none";
    document.title = `${about.name}: ${view} · nashzoo`;
    const left = (await VIEWS[view](main, about, given, current)) || (() => {});
    if (current()) leave = left;
    else left();
  } catch (problem) {
    if (!current()) return;
    if (!known.has(given.game)) given.game = chooser.options[0].value;
    link(given.game);
    main.replaceChildren(document.createElement("p"));
    const begin = document.createElement("a");
    begin.href = address(view, { game: given.game });
    begin.textContent = "Begin at the start";
    main.firstChild.append(begin);
    tell(problem);
  }
}

export function go(view, given, quietly = false) {
  const target = address(view, given);
  if (quietly && !location.hash.includes("code=")) history.replaceState(null, "", target);
  else if (quietly) { if (location.hash !== target) history.pushState(null, "", target); }
  else location.hash = target;
}

function chosen() {
  const given = parameters.value.trim();
  go(where()[0], { game: given ? `${chooser.value}(${given})` : chooser.value });
}

async function start() {
  const theme = document.getElementById("theme");
  const dress = (name) => {
    document.documentElement.dataset.theme = name;
    theme.textContent = name === "dark" ? "Light" : "Dark";
    document.querySelectorAll("img.board").forEach(draw);
  };
  dress(sessionStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  theme.addEventListener("click", () => {
    dress(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    sessionStorage.setItem("theme", document.documentElement.dataset.theme);
  });
  const home = await ask("");
  for (const page of home.offline ? [] : await ask("/pages")) {
    further[page.name] = page.title;
    document.querySelector("nav").append(h("a", { href: `#${page.name}`, "data-view": page.name }, page.title));
  }
  if (home.folders.length) first = "results";
  if (home.offline) document.querySelectorAll("[data-view=results], #parameters-label").forEach((one) => one.remove());
  chooser.replaceChildren(...home.games.map((game) => new Option(game.game.split("/").at(-1), game.game)));
  chooser.addEventListener("change", () => { parameters.value = ""; chosen(); });
  parameters.addEventListener("change", chosen);
  document.getElementById("choice").addEventListener("submit", (event) => { event.preventDefault(); chosen(); });
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  window.addEventListener("hashchange", show);
  await show();
}

start().catch(tell);
