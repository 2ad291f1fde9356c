// What the server is asked. An address is /api/NAME?game=...; see docs/reference/http.md.

export const whySlow = async () =>
  (await ask("/compiling").catch(() => false)) ? " The first use is slow: nashzoo compiles itself once." : "";
export class Refused extends Error {}

// Who answers: the server, unless the page was exported and asks its own files.
export const source = {
  ask: askServer,
  board: boardOfServer,
  page: (name) => import(`./pages/${name}/${name}.js`),
  records: true,
};

export const ask = (path, parameters = {}, body = null) => source.ask(path, parameters, body);

// What follows ? in an address, without what is undefined.
export const queryOf = (given) =>
  String(new URLSearchParams(Object.entries(given).filter(([, value]) => value !== undefined)));

async function askServer(path, parameters, body) {
  const query = queryOf(parameters);
  const options =
    body === null
      ? {}
      : {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        };
  const response = await fetch(`/api${path}${query ? "?" + query : ""}`, options).catch(() => {
    throw new Refused("the server does not answer; is nashzoo web still running?");
  });
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer.error);
  return answer;
}

// Asks again until what takes long is there. Each second it tells what is waited for, and how long. Ends when
// `current()` is false.
export async function askPatiently(path, parameters, tell, current, body = null, doing = "Waiting for the answer") {
  const begun = Date.now();
  let [told, waits] = [false, true];
  const say = async () => {
    const seconds = Math.round((Date.now() - begun) / 1000),
      why = !told && seconds > 2 ? await whySlow() : "";
    if (waits && current()) tell(`${capital(doing)}, ${seconds} s so far.${why}`);
  };
  const clock = setInterval(say, 1000);
  try {
    for (;;) {
      const answer = await ask(path, parameters, body);
      if (!("solving" in answer) || !current()) return answer;
      [doing, told] = [answer.solving, true]; // which says whether it compiles
      say();
      await new Promise((done) => setTimeout(done, 500));
    }
  } finally {
    waits = false;
    clearInterval(clock);
  }
}

const VERBS = { leads: " lead", is: " are", has: " have" };

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// A text of the game, to the person in seat `you`, or on another player in it, who is `called` so; when nobody is, the
// players have their names for people.
export function addressed(text, you, players, called = "you") {
  if (you === undefined || you === "")
    return text.replace(/\b(p)layer ([01])\b/gi, (all, p, k) => (p === "P" ? capital(players[k]) : players[k]));
  const own = (player) => player === String(you),
    [whose, verbs] = called === "you" ? ["your", VERBS] : ["its", {}];
  return text
    .replace(/\bplayer ([01])'s\b/g, (all, player) => (own(player) ? whose : "the opponent's"))
    .replace(/\bplayer ([01]) wins\b/g, (all, player) =>
      called !== "you" ? all : own(player) ? "you win" : "you lose",
    )
    .replace(/\bplayer ([01])( (?:leads|is|has)\b)?/g, (all, player, verb = "") =>
      own(player) ? `${called}${verbs[verb.trim()] ?? verb}` : `opponent${verb}`,
    );
}

const theme = () => document.documentElement.dataset.theme || "light";

// A drawing without the numbers of its places, where these have names for people.
const withoutKeys = (svg, keys) =>
  svg.replace(/<text\b[^>]*>(\w+)<\/text>/g, (all, text) => (keys.includes(text) ? "" : all));

// Sets what an image of a state shows, in the theme of the page.
export async function draw(image) {
  const { game, code, you, called } = image.dataset;
  const whole = await source.board(game, code, theme()),
    [top, bottom] = image.rows,
    svg = whole.replace('viewBox="0 0 100 100"', `viewBox="0 ${top} 100 ${bottom - top}"`);
  image.svg = withoutKeys(addressed(svg, you, image.players, called), image.keys ?? []);
  if (you !== undefined && !called)
    // whoever has another name in drawings
    image.svg = image.svg
      .replace(new RegExp(`(?<=>[^<]*)\\b${image.written[you]}\\b`, "g"), "you")
      .replace(">you has", ">you have")
      .replace(", you has", ", you have");
  if (image.plain) image.svg = image.svg.replace(/<text\b[^>]*font-size="[0-6](\.\d+)?"[^>]*>[^<]*<\/text>/g, "");
  image.src = `data:image/svg+xml,${encodeURIComponent(image.svg)}`;
}

// A drawing as an element.
export const svgOf = (text) =>
  document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);

// Asks for the drawing of a state before there is an image to show it.
export function fetchBoard(game, code) {
  source.board(game, code, theme()).catch(() => {}); // an error is shown with the state
}

async function boardOfServer(game, code, name) {
  const response = await fetch(`/api/board.svg?${new URLSearchParams({ game, code, theme: name })}`);
  if (!response.ok) throw new Refused((await response.json()).error);
  return response.text();
}
