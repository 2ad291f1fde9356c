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
let leave = () => {}, first = "play";

export function address(view, given) {
  return `#${view}?${new URLSearchParams(given)}`;
}

function where() {
  const [view, query = ""] = location.hash.slice(1).split("?");
  return [view in VIEWS || view in further ? view : first, Object.fromEntries(new URLSearchParams(query))];
}

export function tell(problem) {
  error.textContent = problem ? problem.message || String(problem) : "";
  error.hidden = !problem;
}

async function show() {
  leave();
  leave = () => {};
  tell(null);
  const [view, given] = where();
  given.game ||= chooser.value;
  for (const link of document.querySelectorAll("nav a")) {
    link.href = address(link.dataset.view, { game: given.game });
    link.toggleAttribute("aria-current", link.dataset.view === view);
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
  }
  document.getElementById("choice").hidden = view in further;
  try {
    if (view in further) {
      document.title = `${further[view]} · nashzoo`;
      leave = (await (await import(`./pages/${view}/${view}.js`)).show(main, given)) || (() => {});
      return;
    }
    if (!known.has(given.game)) known.set(given.game, await ask("/game", { game: given.game }));
    const about = { ...known.get(given.game) };
    const [, name, options] = /^([^(]*)\(?(.*?)\)?$/.exec(about.game);
    const listed = [...chooser.options].some((one) => one.value === about.game);
    chooser.value = listed ? about.game : name;
    parameters.value = listed ? "" : options;
    parameters.placeholder = Object.entries(about.parameters).map(([one, value]) => `${one}=${value}`).join(", ") || "none";
    document.title = `${about.name}: ${view} · nashzoo`;
    leave = (await VIEWS[view](main, about, given)) || (() => {});
  } catch (problem) {
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
  dress(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  theme.addEventListener("click", () => dress(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
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
  window.addEventListener("hashchange", show);
  await show();
}

start().catch(tell);
