// The application: which view is shown, of which game. All of it is in the address behind #.

import { ask, draw, source } from "./api.js";
import { certificate } from "./certificate.js";
import { ladder } from "./ladder.js";
import { practise, spot } from "./practise.js";
import { weaknesses } from "./weaknesses.js";
import { explore } from "./explore.js";
import { lobby } from "./lobby.js";
import { matrixGame } from "./matrix_game.js";
import { address, baseOf, keep, kept, site, tell } from "./navigation.js";
import { h } from "./parts.js";
import { play } from "./play.js";
import { results } from "./results.js";
import { watch } from "./watch.js";

const VIEWS = {
  lobby,
  play,
  explore,
  watch,
  weaknesses,
  practise,
  spot,
  ladder,
  results,
  certificate,
  "matrix-game": matrixGame,
};
// Of views that are not about one game.
const TITLES = {
  lobby: "nashzoo",
  spot: "Spot of the day · nashzoo",
  certificate: "Certificate · nashzoo",
  "matrix-game": "Matrix game · nashzoo",
};
const SERVED = ["results", "weaknesses"]; // views that need a server
const main = document.getElementById("main");
const further = {}; // titles of the pages that others add, by name; see app/web/pages.py
const known = new Map();
let leave = () => {},
  first = "lobby",
  game = "",
  latest = 0;

function where() {
  const [view, query = ""] = location.hash.slice(1).split("?");
  return [view in VIEWS || view in further ? view : first, Object.fromEntries(new URLSearchParams(query))];
}

async function described(text) {
  if (!known.has(text)) known.set(text, await ask("/game", { game: text }));
  return known.get(text);
}

async function show() {
  const mine = ++latest,
    current = () => mine === latest; // a view that is left before it has loaded does nothing more
  leave();
  leave = () => {};
  tell(null);
  document.querySelectorAll("dialog").forEach((one) => one.remove());
  const [view, query] = where(),
    asked = location.hash.slice(1).split("?")[0];
  if (asked && asked !== view)
    tell(SERVED.includes(asked) ? `“${asked}” needs nashzoo web.` : `There is no page “${asked}”; choose one above.`);
  query.game ||= game;
  const link = () => {
    for (const one of document.querySelectorAll("nav [data-view]")) {
      const to =
        one.matches(".brand") || one.dataset.view in further
          ? `#${one.dataset.view}`
          : address(one.dataset.view, { game: query.game });
      // Whole: where it is scrolled out of sight, a checker takes # alone for a place on this page.
      one.href = new URL(to, location);
      const practised = query.from ? "play" : query.code ? "explore" : "weaknesses";
      const here = one.dataset.view === (view === "practise" ? practised : view);
      if (here) one.setAttribute("aria-current", "page");
      else one.removeAttribute("aria-current");
    }
  };
  link();
  main.className = view;
  try {
    let left;
    if (view in further) {
      document.title = `${further[view]} · nashzoo`;
      left = await (await source.page(view)).show(main, query, current);
    } else {
      const whole = await described(query.game),
        short =
          (["play", "watch"].includes(view) && !query.start && !query.match) || // a match or a state has its game
          (["weaknesses", "practise"].includes(view) && !query.player && !query.code);
      const about = { ...(short ? await described(whole.short) : whole) };
      if (!current()) return;
      game = query.game = about.game;
      if (view === "play") keep("game", about.game); // for the next visit
      link();
      document.title = TITLES[view] ?? `${about.name}: ${view} · nashzoo`;
      left = await VIEWS[view](main, about, query, current);
    }
    if (current()) leave = left || leave;
    else left?.();
  } catch (problem) {
    if (!current()) return;
    if (!known.has(query.game)) query.game = game;
    link();
    main.replaceChildren(
      h(
        "p",
        h("a", { href: address(view, { game: query.game }) }, "Begin at the start"),
        " or ",
        h("a", { href: "#lobby" }, "choose a game"),
      ),
    );
    tell(problem);
  }
}

async function start() {
  const theme = document.getElementById("theme");
  let themes = {};
  const dress = (name) => {
    document.documentElement.dataset.theme = name;
    for (const [role, colour] of Object.entries(themes[name] ?? {}))
      document.documentElement.style.setProperty(`--role-${role}`, colour);
    theme.textContent = name === "dark" ? "Light" : "Dark";
    document.querySelectorAll("img.board").forEach(draw);
  };
  dress(sessionStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  theme.addEventListener("click", () => {
    dress(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    sessionStorage.setItem("theme", document.documentElement.dataset.theme);
  });
  Object.assign(site, await ask(""));
  for (const one of site.games) known.set(one.game, one);
  themes = site.themes;
  dress(document.documentElement.dataset.theme);
  for (const page of site.pages) {
    further[page.name] = page.title;
    document.querySelector("nav").append(h("a", { href: `#${page.name}`, "data-view": page.name }, page.title));
  }
  if (site.folders.length) first = "results";
  if (site.offline)
    for (const view of SERVED) {
      document.querySelector(`[data-view=${view}]`).remove();
      delete VIEWS[view];
    }
  game = known.has(baseOf(kept("game"))) ? baseOf(kept("game")) : site.games[0].game;
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  const menu = document.getElementById("menu"), // on a telephone
    open = (all) => menu.setAttribute("aria-expanded", String(all));
  menu.addEventListener("click", () => open(menu.getAttribute("aria-expanded") === "false"));
  document.querySelector("nav").addEventListener("click", () => open(false)); // also on the page that is shown
  window.addEventListener("hashchange", () => {
    open(false);
    show();
  });
  await show();
}

start().catch(tell);
