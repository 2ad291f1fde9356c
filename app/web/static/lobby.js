// All games with their pictures, and the match that goes on.

import { ask } from "./api.js";
import { address } from "./app.js";
import { Board, h } from "./parts.js";

export async function lobby(main, about, given, current) {
  const { games } = await ask("");
  if (!current()) return;
  const own = games.filter((one) => one.game !== one.name), last = JSON.parse(localStorage.getItem("continue"));
  main.replaceChildren(h("div", { class: "welcome" }, h("h1", {}, "Play a game whose perfect play is known"), h("p", {}, "Learn what it is: every move has its exact worth.")),
    ...(last ? [h("a", { class: "continue", href: last.hash }, h("b", {}, "Go on: "), `${last.title} against ${last.opponent}`)] : []),
    cards(games.filter((one) => one.game === one.name)), ...(own.length ? [h("h2", { class: "wide" }, "Games of your own"), cards(own)] : []));
}

function cards(games) {
  return h("ul", { class: "cards" }, ...games.map((one) => {
    const board = new Board(one, 0);
    board.show({ code: one.picture, text: "", targets: [] });
    return h("li", {}, h("a", { href: address("play", { game: one.short }) }, board.element, h("h2", {}, one.title), h("p", {}, one.about)));
  }));
}
