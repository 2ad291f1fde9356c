// Looking states up: set by their fields, reached by actions, on a map. Every state has an address.

import { ask, askPatiently, capital, fetchBoard, source } from "./api.js";
import { address, go, tell } from "./navigation.js";
import { Board, columns, frame } from "./board.js";
import { PERSON, h, number, parameterForm, said, shade, sheet, showRules } from "./parts.js";
import { Truth } from "./truth.js";

const MOST_OF_A_COUNT = 100; // a field with larger numbers is a code, which people do not know
const MOST_PAIRS = 10; // of fields that are tried for a map

export async function explore(main, about, query, current) {
  const behind = [];
  let state = null;
  const board = new Board(about),
    view = frame(main, board.element),
    fields = h("form.panel", {
      submit: (event) => {
        event.preventDefault();
        set();
      },
    });
  const likeliest = []; // of each player, where it chooses
  const truth = new Truth(about, {
    follow,
    visit: (code) => to({ code }),
    known: (actions, player) => {
      likeliest[player] = [...actions].sort((one, other) => other.probability - one.probability)[0]?.action;
    },
    valued: ({ outcomes }) => {
      likeliest.length = 0;
      expected = outcomes?.[0].code;
    },
  });
  let expected;
  const isCount = Math.max(...Object.values(about.fields)) <= MOST_OF_A_COUNT;
  const named = (field) => said(about, about.named[field]);
  const rival = about.opponents[0].players.at(-1);
  const map = mapPanel();

  // A state; where players see parts of it as one of them does, the one who chooses if none is named.
  async function seenOf(whole, player = whole.movers[0]) {
    if (!whole.viewers.length) return { ...whole, history: whole.code };
    return { ...(await ask("/state", { game: about.game, code: whole.code, player })), player: Number(player) };
  }

  const place = () => ({
    code: state.history,
    ...(state.player === undefined ? {} : { player: state.player }),
  });
  const arrive = () => go("explore", { game: about.game, ...place() }, true);

  async function to({ player, ...where }, remember = true) {
    if (where.code && player === undefined && state?.player === undefined) {
      // asked for at once, not after the state
      fetchBoard(about.game, where.code);
      truth.show(where.code);
    }
    try {
      const next = await seenOf(await ask("/state", { game: about.game, ...where }), player);
      if (!current()) return;
      if (remember && state && state.code !== next.code) behind.push(place());
      state = next;
      tell(null);
      arrive();
      draw();
    } catch (problem) {
      if (!state) throw problem;
      tell(problem);
    }
  }

  async function follow(action0, action1) {
    try {
      const step = await ask("/next", { game: about.game, code: truth.history ?? place().code, action0, action1 });
      const after = await seenOf(step.state);
      if (!current()) return;
      behind.push(place());
      state = after;
      arrive();
      draw(said(about, step.told) + (step.reward ? ` (${number(step.reward)} points to ${about.players[0]})` : ""));
    } catch (problem) {
      tell(problem);
    }
  }

  const set = () =>
    to(Object.fromEntries([...fields.querySelectorAll("input")].map((input) => [input.name, input.value])));
  const back = () => {
    const last = behind.pop();
    if (last) to(last, false);
  };

  // One time step on by perfect play; the first outcome of chance.
  const onward = () =>
    truth.element.dataset.code === state.code && !state.over
      ? state.movers.length
        ? follow(likeliest[0] ?? 0, likeliest[1] ?? 0)
        : expected && to({ code: expected })
      : null;

  function draw(event = "") {
    const chooses = state.movers.length === 1 && [undefined, state.movers[0]].includes(state.player);
    view.head.replaceChildren(
      h("h1", about.title),
      h(
        "p.score",
        state.player === undefined ? "every position, exactly solved" : `what ${about.players[state.player]} sees`,
      ),
      h(
        "div.tools",
        h("button", { type: "button", click: () => showRules(about) }, "Rules"),
        source.records && about.settings.length
          ? h("button", { type: "button", id: "new", click: change }, "Another game")
          : null,
        about.offers.includes("practice") && state.movers.length
          ? h(
              "a.button",
              { href: address("practise", { game: about.game, code: state.code, player: state.movers[0] }) },
              "Practise",
            )
          : null,
      ),
    );
    board.show(state, chooses ? (action) => follow(...(state.movers[0] ? [0, action] : [action, 0])) : null);
    view.message.textContent =
      event ||
      (state.over
        ? "The game is over."
        : state.movers.length === 2
          ? "Both choose at once."
          : state.movers.length
            ? `${capital(about.players[state.movers[0]])} to move.`
            : "Chance decides: choose what happens, beside the board.");
    view.bar.replaceChildren(
      h(
        "div.actions",
        { style: columns(state.viewers.length ? 5 : 4) },
        h("button", { type: "button", disabled: behind.length === 0, click: back }, h("kbd", "←"), "Back"),
        h("button", { type: "button", id: "best", disabled: state.over, click: onward }, h("kbd", "→"), "Best play"),
        h("button", { type: "button", click: () => to({ code: about.start }) }, "Start"),
        state.viewers.length
          ? h(
              "button",
              { type: "button", id: "seat", click: () => to({ ...place(), player: 1 - state.player }) },
              `See it as ${about.players[1 - state.player]}`,
            )
          : null,
        state.movers.includes(state.player ?? state.movers[0])
          ? h(
              "a.button",
              {
                href: address("play", {
                  game: about.game,
                  start: state.code,
                  ...(state.player === undefined
                    ? {}
                    : { player: state.player, [`p${state.player}`]: PERSON, [`p${1 - state.player}`]: rival.name }),
                }),
              },
              "Play from here",
            )
          : null,
      ),
    );
    view.side.replaceChildren(truth.element, ...(about.offers.includes("map") ? [map, isCount ? fields : ""] : []));
    const { code, player } = place();
    if (truth.code !== code || truth.player !== player) truth.show(code, player);
    fields.replaceChildren(
      h("h2", "Set up a position"),
      ...Object.entries(state.fields).map(([name, value]) =>
        h(
          "label",
          named(name) + (state.words[name] === String(value) ? "" : `: ${state.words[name]}`),
          h("input", { type: "number", name, value, min: 0, max: about.fields[name] }),
        ),
      ),
      h("button", "Go there"),
    );
  }

  function change() {
    const parameters = parameterForm(about);
    parameters.element.open = true;
    sheet(
      "Another game",
      h(
        "form",
        {
          submit: (event) => {
            event.preventDefault();
            go("explore", { game: parameters.value() });
          },
        },
        parameters.element,
        h("button.primary", "Explore"),
      ),
    );
  }

  function mapPanel() {
    const names = Object.keys(about.fields),
      out = h("div"),
      pick = (first) =>
        h("select", ...names.map((name, k) => h("option", { value: name, selected: k === first }, named(name))));
    const across = pick(0),
      up = pick(1);
    // Of two fields; if none were chosen, the first ones over which values differ.
    let pairs = names.flatMap((one, k) => names.slice(k + 1).map((other) => [one, other])).slice(0, MOST_PAIRS);
    for (const select of [across, up])
      select.addEventListener("change", () => {
        pairs = [[across.value, up.value]];
      });
    async function cellsOf() {
      for (const pair of pairs) {
        const cells = await askPatiently(
          "/map",
          { game: about.game, code: state.code, across: pair[0], up: pair[1] },
          (progress) => out.replaceChildren(h("p", progress)),
          () => true,
        );
        const values = cells.rows.flat().flatMap((cell) => (cell ? [cell.value] : []));
        if (new Set(values.map((value) => number(value, 2))).size < 2 && pair !== pairs.at(-1)) continue;
        [across.value, up.value] = [cells.across, cells.up];
        return { ...cells, largest: Math.max(1e-12, ...values.map(Math.abs)) };
      }
    }
    async function show() {
      try {
        const cells = await cellsOf(),
          [sideways, upwards] = [cells.across, cells.up].map(named);
        const rows = cells.rows
          .map((row, y) =>
            h(
              "tr",
              h("th", { scope: "row" }, y),
              ...row.map((cell, x) =>
                cell
                  ? h(
                      "td",
                      { style: shade(cell.value / cells.largest) },
                      h(
                        "button",
                        {
                          type: "button",
                          "aria-label": `${sideways} ${x}, ${upwards} ${y}: ${number(cell.value + about.half)}`,
                          click: () => to({ code: cell.code }),
                        },
                        number(cell.value + about.half, 2),
                      ),
                    )
                  : h("td"),
              ),
            ),
          )
          .reverse();
        out.replaceChildren(
          h(
            "table.matrix",
            h(
              "caption",
              `What ${about.players[0]} can expect: ${sideways} across, ${upwards} up. Choose a cell to go there.`,
            ),
            h("tbody", ...rows, h("tr", h("td"), ...(cells.rows[0] || []).map((_, x) => h("th", { scope: "col" }, x)))),
          ),
        );
        out.scrollIntoView({ block: "nearest" });
      } catch (problem) {
        out.replaceChildren(h("p", problem.message));
      }
    }
    const sizes = Object.values(about.fields)
      .map((most) => most + 1)
      .sort((a, b) => a - b);
    return names.length < 2 || sizes[0] * sizes[1] > 4000
      ? h("div")
      : h(
          "section.panel",
          h("h2", "Map: two numbers, and who is ahead"),
          h(
            "form",
            {
              submit: (event) => {
                event.preventDefault();
                show();
              },
            },
            h("label", "Across", across),
            h("label", "Up", up),
            h("button", "Draw"),
          ),
          out,
        );
  }

  const pressed = (event) => {
    if (!current() || event.target.matches("input, select, dialog *")) return;
    if (event.key === "ArrowLeft") back();
    if (event.key === "ArrowRight") onward();
  };
  document.addEventListener("keydown", pressed);
  await to({ code: query.code || about.start, player: query.player });
  return () => document.removeEventListener("keydown", pressed);
}
