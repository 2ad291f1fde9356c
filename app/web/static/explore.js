// Looking states up: set by their fields, reached by actions. Every state has an address.

import { ask, capital, fetchBoard, source } from "./api.js";
import { address, gameChooser, go, tell } from "./navigation.js";
import { Board, columns, frame } from "./board.js";
import { PERSON, button, chooser, fill, h, number, parameterForm, said, sheet, showRules } from "./parts.js";
import { Locks } from "./locks.js";
import { Truth } from "./truth.js";

const FEW = 8; // fields that are shown at once

export async function explore(main, about, query, current) {
  const behind = [];
  let state = null;
  const board = new Board(about),
    view = frame(main, board.element),
    fields = h("form.panel", { submit: () => set() });
  const setting = about.fields.length > FEW ? h("details.panel", h("summary", "Set up a position"), fields) : fields;
  const likeliest = []; // of each player, where it chooses
  const locks = new Locks(about, source.records && query.locks, async () => {
    arrive();
    await truth.show(truth.code, truth.player);
    document.getElementById("locked")?.scrollIntoView({ block: "center" });
  });
  const truth = new Truth(about, {
    follow,
    locks: () => locks.text,
    visit: (code, player) => to({ code, player }),
    known: (actions, player) => {
      likeliest[player] = [...actions].sort((one, other) => other.probability - one.probability)[0]?.action;
      locks.offer(truth.code, player, actions);
    },
    valued: ({ outcomes, locked }) => {
      likeliest.length = 0;
      locks.show(locked?.locks);
      expected = outcomes?.[0].code;
      if (state) best.disabled = !isKnown();
    },
  });
  let [expected, best] = [null, {}];
  const rival = about.opponents[0].players.at(-1);

  // A state; where players see parts of it as one of them does, the one who chooses if none is named.
  async function seenOf(whole, player = whole.movers[0]) {
    if (!whole.viewers.length) return { ...whole, history: whole.code };
    return { ...(await ask("/state", { game: about.game, code: whole.code, player })), player: Number(player) };
  }

  const place = () => ({ code: state.history, player: state.player });
  const arrive = () => go("explore", { game: about.game, ...place(), locks: locks.text }, true);

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

  function follow(...actions) {
    return step(...actions).catch(tell);
  }
  async function step(action0, action1) {
    const code = truth.history ?? state.history,
      { state: next, told, reward } = await ask("/next", { game: about.game, code, action0, action1 }),
      after = await seenOf(next);
    if (!current()) return;
    behind.push(place());
    state = after;
    arrive();
    draw(said(about, told) + (reward ? ` (${number(reward)} points to ${about.players[0]})` : ""));
  }

  const set = () => to(Object.fromEntries([...fields.querySelectorAll("select")].map((one) => [one.name, one.value])));
  const back = () => {
    const last = behind.pop();
    if (last) to(last, false);
  };

  // Who chooses, where it is not the one whose view is shown, who does not know what is played.
  const other = () => state.viewers.length && !state.movers.includes(state.player) && about.players[state.movers[0]];
  // One time step on by perfect play; the first outcome of chance.
  const isKnown = () => truth.element.dataset.code === state.history && !state.over && !other();
  const onward = () =>
    isKnown() &&
    (state.movers.length
      ? follow(likeliest[0] ?? truth.other ?? 0, likeliest[1] ?? truth.other ?? 0)
      : expected && to({ code: expected }));

  function draw(event = "") {
    const chooses = state.movers.length === 1 && [undefined, state.movers[0]].includes(state.player),
      { player: sees } = state,
      seats = sees === undefined ? {} : { player: sees, [`p${sees}`]: PERSON, [`p${1 - sees}`]: rival.name },
      title = other() ? `See it as ${other()}, who chooses.` : null;
    view.head.replaceChildren(
      h("h1", about.title),
      h(
        "p.score",
        state.player === undefined ? "every position, exactly solved" : `what ${about.players[state.player]} sees`,
      ),
      h(
        "div.tools",
        button({ click: () => showRules(about) }, "Rules"),
        source.records && about.settings.length > 0 && button({ id: "new", click: change }, "Other rules"),
        (about.offers.includes("practice") ? state.movers.length > 0 : !about.offers.length) &&
          h(
            "a.button",
            { href: address("practise", { game: about.game, code: state.code, player: state.movers[0] }) },
            "Practise",
          ),
        gameChooser(about, "explore"),
      ),
    );
    best = button(
      { id: "best", title, disabled: !isKnown(), click: onward },
      h("kbd", "→"),
      state.movers.length || state.over ? "Best play" : /\bcard/.test(state.text) ? "Deal" : "First outcome",
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
            : "Chance decides: choose one of its outcomes in the list.");
    view.bar.replaceChildren(
      h(
        "div.actions",
        { style: columns(state.viewers.length ? 5 : 4) },
        button({ disabled: behind.length === 0, click: back }, h("kbd", "←"), "Back"),
        best,
        button({ click: () => to({ code: about.start }) }, "Start"),
        state.viewers.length > 0 &&
          button(
            { id: "seat", click: () => to({ ...place(), player: 1 - state.player }) },
            `See it as ${about.players[1 - state.player]}`,
          ),
        state.movers.includes(state.player ?? state.movers[0]) &&
          h("a.button", { href: address("play", { game: about.game, start: state.code, ...seats }) }, "Play from here"),
      ),
    );
    fill(view.side, truth.element, source.records && locks.element, about.fields.length > 0 && setting);
    const { code, player } = place();
    if (truth.code !== code || truth.player !== player) truth.show(code, player);
    fill(
      fields,
      setting === fields && h("h2.wide", "Set up a position"),
      about.fields.map(({ name, title, values }) =>
        h(
          "label",
          said(about, title),
          chooser(
            values.map((text, value) => [value, said(about, text)]),
            state.fields[name],
            { name },
          ),
        ),
      ),
      h("button", "Go there"),
    );
  }

  function change() {
    const parameters = parameterForm(about);
    parameters.element.open = true;
    sheet(
      "Other rules",
      h(
        "form",
        { submit: () => go("explore", { game: parameters.value() }) },
        parameters.element,
        h("button.primary", "Explore"),
      ),
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
