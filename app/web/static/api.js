// What the server is asked. An address is /api/NAME?game=...; see docs/web.md.

export class Refused extends Error {}

// Who answers: the server, unless the page was exported and asks its own files.
export const source = { ask: askServer, board: boardOfServer, records: true };

export const ask = (path, parameters = {}, body = null) => source.ask(path, parameters, body);

async function askServer(path, parameters, body) {
  const query = new URLSearchParams(parameters).toString();
  const options = body === null ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  };
  const response = await fetch(`/api${path}${query ? "?" + query : ""}`, options).catch(() => {
    throw new Refused("the server does not answer; is nashzoo web still running?");
  });
  const found = await response.json();
  if (!response.ok) throw new Refused(found.error);
  return found;
}

// Asks again until what takes long is there; tells how far it is. Ends when `current()` is false.
export async function askPatiently(path, parameters, tell, current, body = null) {
  for (;;) {
    const found = await ask(path, parameters, body);
    if (!("solving" in found) || !current()) return found;
    tell(found.solving);
    await new Promise((done) => setTimeout(done, 500));
  }
}

// Sets what an image of a state shows, in the theme of the page.
export function draw(image) {
  const { game, code } = image.dataset;
  return source.board(image, game, code, document.documentElement.dataset.theme || "light");
}

// Asks for the drawing of a state before there is an image to show it.
export function fetchBoard(game, code) {
  const image = new Image();
  Object.assign(image.dataset, { game, code });
  Promise.resolve(draw(image)).catch(() => {}); // an error is shown with the state
}

function boardOfServer(image, game, code, theme) {
  image.src = `/api/board.svg?${new URLSearchParams({ game, code, theme })}`;
}
