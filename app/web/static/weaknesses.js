// Where a player loses: the worst states as cards, and practice there, in turn, until one's own choices lose little.

import { Refused, ask, askPatiently } from "./api.js";
import { address, go, tell } from "./navigation.js";
import { Board, actionButtons, actionOf, frame, keyOf, onBoard, weigh } from "./board.js";
import { bar, counted, h, lost, points, seatChooser, share, sheet, showRules, sparkline, titleOf } from "./parts.js";

const RECORDED = "manual"; // the person's name in records
const MOST_KEPT = 100,
  LARGEST_KEPT = 1e6; // matches of a person in a game, and letters of their records
const SEEN = 0.005; // least probability of an action that is listed
const FEWEST = 5; // choices from which on a mixture is measured

// A person's finished matches, kept in the browser.
const matchesOf = (game) => JSON.parse(localStorage.getItem(`matches ${game}`)) ?? [];

function keepRecords(game, records) {
  const lines = [...new Set([...matchesOf(game), ...records])].slice(-MOST_KEPT);
  while (lines.join().length > LARGEST_KEPT) lines.shift();
  localStorage.setItem(`matches ${game}`, JSON.stringify(lines));
}

export async function keepMatch(about, id) {
  if (about.offers.includes("practice")) keepRecords(about.game, [JSON.stringify(await ask(`/matches/${id}/record`))]);
}

// Whose weaknesses the address asks for: a player's, a player's in a file of the server, or one's own.
function whose(about, query) {
  if (query.file) return { player: query.player, file: query.file };
  if (query.own || (!query.player && matchesOf(about.game).length)) return { own: 1 };
  return { player: query.player || about.opponents[0].players[0].name };
}

async function measured(about, who, wait, current) {
  const own = who.own ? matchesOf(about.game) : null;
  if (own?.length === 0)
    throw new Refused("You have finished no match of this game in this browser: play some, or add saved ones.");
  const sent = own ? { player: RECORDED, records: own.join("\n") } : who;
  return askPatiently("/weaknesses", {}, wait, current, { game: about.game, ...sent });
}

// Figures for people; the exact ones are the title.
const rounded = (text) =>
  text
    .replace(/\d+\.\d{4,}/g, (digits) => String(Number(Number(digits).toPrecision(3))))
    .replace(/(?<![\d.])1 (point|visit|decision)s\b/g, "1 $1");

// What was chosen at a state since the window was opened.
const keptAt = (about, weakness) => `practice ${about.game} ${weakness.code} ${weakness.seat}`;
const practised = (about, weakness) =>
  JSON.parse(sessionStorage.getItem(keptAt(about, weakness))) ?? { choices: [], done: false };

export async function weaknesses(main, about, query, current) {
  const who = whose(about, query),
    { saved } = await ask("");
  if (!current()) return;
  const status = h("p.soft", { role: "status" }),
    tools = h("div.tools", h("button", { type: "button", id: "new", click: choose }, "Another player")),
    list = h("ol.states");
  main.replaceChildren(
    h(
      "div.wide",
      h("h1", `${about.title}: ${who.own ? "your weaknesses" : `weaknesses of ${titleOf(about, who.player)}`}`),
      status,
      tools,
    ),
    list,
  );

  function choose() {
    const player = seatChooser(
      about,
      "Player",
      who.own || who.file ? about.opponents[0].players[0].name : who.player,
      false,
    );
    const own = h("input", { type: "file", accept: ".jsonl", multiple: true, change: add }),
      file = h("select", ...saved.map((one) => h("option", { selected: one === who.file }, one)));
    const name = h("input", { value: who.file ? who.player : RECORDED, autocomplete: "off" }),
      open = (to) => (event) => {
        event?.preventDefault();
        go("weaknesses", { game: about.game, ...to() });
      };
    const dialog = sheet(
      "Whose weaknesses?",
      h("form", { submit: open(() => ({ player: player.value() })) }, player.element, h("button.primary", "Show")),
      h(
        "form",
        { submit: open(() => ({ own: 1 })) },
        h("h2", "Your own"),
        h(
          "p.soft",
          `This browser keeps your last ${MOST_KEPT} matches of each game: ` +
            `${matchesOf(about.game).length} of this one.`,
        ),
        h("label", "Add saved matches", own),
        h("button", { id: "own" }, "Show yours"),
        h(
          "button",
          {
            type: "button",
            click: () => {
              localStorage.removeItem(`matches ${about.game}`);
              dialog.close();
            },
          },
          "Forget them",
        ),
      ),
      saved.length
        ? h(
            "form",
            { submit: open(() => ({ player: name.value, file: file.value })) },
            h("h2", "A player in saved matches"),
            h("label", "A file of the server", file),
            h("label", "Name in it", name),
            h("button", "Show"),
          )
        : null,
    );
    async function add() {
      const lines = (await Promise.all([...own.files].map((one) => one.text())))
        .flatMap((text) => text.split("\n"))
        .filter((line) => line.trim());
      dialog.close();
      try {
        for (const record of lines) await ask("/replay", {}, { record }); // one that is refused is not kept
        keepRecords(about.game, lines);
        open(() => ({ own: 1, t: Date.now() % 1e6 }))();
      } catch (problem) {
        tell(problem);
      }
    }
  }

  try {
    const loss = await measured(
      about,
      who,
      (text) => {
        status.textContent = text;
      },
      current,
    );
    if (!current()) return;
    const worst = loss.weaknesses,
      records =
        loss.matches === undefined
          ? ""
          : ` Seen in ${loss.matches} match${loss.matches === 1 ? "" : "es"}, ` +
            `${counted(loss.decisions, "decision")}; elsewhere the equilibrium is taken to be played.`;
    const figures = `${loss.about.charAt(0).toUpperCase()}${rounded(loss.about.slice(1))}.`;
    status.textContent = `${worst.length ? "" : "No state costs anything. "}${figures}${records}`;
    status.title = loss.about;
    if (worst.length)
      tools.prepend(
        h(
          "a.button.primary",
          { id: "practise", href: address("practise", { game: about.game, ...who }) },
          worst.length > 1 ? `Practise these ${worst.length} states` : "Practise this state",
        ),
      );
    list.replaceChildren(...worst.map((weakness, place) => card(about, who, loss, weakness, place)));
  } catch (problem) {
    if (!current()) return;
    status.textContent = "";
    list.replaceChildren(h("li.panel", problem.message));
  }
}

function card(about, who, loss, weakness, place) {
  const board = new Board(about, who.own ? weakness.seat : undefined),
    names = Object.keys(weakness.plays).filter((name) => Math.max(weakness.plays[name], weakness.best[name]) >= SEEN);
  board.show(weakness.state);
  return h(
    "li.panel",
    board.element,
    h(
      "div",
      h(
        "h2",
        `${share(weakness.share / loss.total)} of the loss`,
        practised(about, weakness).done ? h("span.done", " ✓ practised") : null,
      ),
      h(
        "p.soft",
        `As ${about.players[weakness.seat]}: ${points(weakness.regret)} lost per visit, ` +
          `${counted(lost(weakness.reach), "visit")} per ${loss.unit}`,
        weakness.states > 1 ? `; the same in ${weakness.states - 1} more state${weakness.states === 2 ? "" : "s"}` : "",
        weakness.decisions === undefined ? "" : `; ${counted(weakness.decisions, "decision")} seen`,
        weakness.share > loss.total * (1 + 1e-9)
          ? ". That is more than the whole: a best response gives points up at other states."
          : ".",
      ),
      mixes(
        weakness.seat,
        names.map((name) => ({ name, plays: weakness.plays[name], probability: weakness.best[name] })),
        who.own ? "you play" : "plays",
      ),
      weakness.punished_by ? h("p", "Punished by ", h("b", weakness.punished_by), ".") : null,
      h(
        "div.links",
        h("a.button", { href: address("practise", { game: about.game, ...who, place }) }, "Practise"),
        h("a.button", { href: address("explore", { game: about.game, code: weakness.code }) }, "Explore"),
      ),
    ),
  );
}

// How often actions are played, and how often they should be.
function mixes(seat, rows, head, ...further) {
  return h(
    "table.mixes",
    h(
      "thead",
      h(
        "tr",
        h("th.name", { scope: "col" }, "action"),
        h("th.name", { scope: "col", colspan: 2 }, head),
        h("th.name", { scope: "col", colspan: 2 }, "equilibrium"),
        ...further.map(([title]) => h("th", { scope: "col" }, title)),
      ),
    ),
    h(
      "tbody",
      ...rows.map((one) =>
        h(
          "tr",
          h("td.name", one.name),
          h("td", share(one.plays)),
          h("td.name", bar(seat, one.plays)),
          h("td", share(one.probability)),
          h("td.name", bar("right", one.probability)),
          ...further.map(([, text]) => h("td", text(one))),
        ),
      ),
    ),
  );
}

export async function practise(main, about, query, current) {
  const board = new Board(about),
    view = frame(main, board.element),
    who = whose(about, query),
    single = query.code !== undefined;
  main.classList.add("play"); // the same frame
  view.head.replaceChildren(h("h1", about.title));
  view.message.textContent = "Looking for the states …";
  const worst = single
    ? [await stateAt(about, query)]
    : (
        await measured(
          about,
          who,
          (text) => {
            view.message.textContent = text;
          },
          current,
        )
      ).weaknesses;
  if (!current()) return null;
  let at = (Number(query.place) || 0) % Math.max(worst.length, 1),
    answer = null,
    busy = false;

  const isDone = (weakness) => practised(about, weakness).done;
  const backTo = single ? "Explore it" : "All weaknesses";
  const back = () =>
    single
      ? address("explore", { game: about.game, code: query.code })
      : address("weaknesses", { game: about.game, ...who });

  async function choose(action) {
    if (busy || answer) return;
    busy = true;
    const weakness = worst[at],
      choices = [...practised(about, weakness).choices, action];
    try {
      const answered = await askPatiently(
        "/practice",
        {
          game: about.game,
          code: weakness.code,
          player: weakness.seat,
          choices,
          ...(weakness.regret === undefined ? {} : { lost: weakness.regret }),
        },
        (text) => {
          view.message.textContent = text;
        },
        current,
      );
      if (!current()) return;
      sessionStorage.setItem(
        keptAt(about, weakness),
        JSON.stringify({ choices: choices.slice(-answered.counting - 20), done: answered.done }),
      );
      answer = { ...answered, chosen: action };
      tell(null);
      draw();
    } catch (problem) {
      tell(problem);
    }
    busy = false;
  }

  // The next state that is not done yet; the same one if it is the last, none if all are done.
  const upcoming = () => worst.map((_, k) => (at + 1 + k) % worst.length).find((k) => !isDone(worst[k]));
  function next() {
    at = upcoming() ?? (at + 1) % worst.length;
    answer = null;
    draw();
  }

  // Where both choose at once, a few choices tell nothing of a mixture; the number of those that are missing.
  const isPlayed = (one) => one.probability >= SEEN && one.probability < 1 - SEEN;
  const missing = () =>
    worst[at].state.movers.length > 1 && answer.actions.some(isPlayed)
      ? Math.max(FEWEST - answer.regrets.length, 0)
      : 0;

  function verdict() {
    const one = answer.actions.find((other) => other.action === answer.chosen),
      wrong = one.loss > 5e-5,
      times = Math.min(answer.regrets.length, answer.counting);
    const first = wrong
      ? `${one.name}: loses ${points(one.loss)} to perfect play`
      : `${one.name}: ${isPlayed(one) ? `${share(one.probability)} in equilibrium` : "right"}`;
    const last = times > 1 ? `your last ${times} choices here` : "this choice alone";
    const reply =
      answer.punished_by && !missing()
        ? `; ${answer.punished_by} wins ${points(answer.regrets.at(-1))} a visit from ${last}`
        : "";
    return [
      h("strong", { class: wrong ? "wrong" : "right" }, `${wrong ? "✗" : "✓"} ${first}`),
      `${reply}.`,
      answer.done ? h("strong", " State done.") : "",
    ];
  }

  function draw() {
    const done = worst.filter(isDone).length,
      weakness = worst[at],
      all = done === worst.length && !answer,
      tries = answer ? Math.min(answer.regrets.length, answer.counting) : 0;
    view.head.replaceChildren(
      h("h1", `Practise: ${about.title}`),
      h(
        "p.score",
        single ? "one state" : ["state ", h("b", at + 1), ` of ${worst.length}, `, h("b", done), " done"],
        tries ? `, try ${tries} of ${answer.counting}` : "",
      ),
      h(
        "div.tools",
        h("button", { type: "button", click: () => showRules(about, weakness?.seat) }, "Rules"),
        h(
          "button",
          { type: "button", disabled: !weakness || !practised(about, weakness).choices.length, click: again },
          "Begin anew",
        ),
        h("a.button", { id: "back", href: back() }, backTo),
      ),
    );
    if (!weakness) {
      view.message.textContent = "There is no state at which anything is lost.";
      return;
    }
    const legal = weakness.state.legal[weakness.seat],
      before = practised(about, weakness);
    if (board.you !== weakness.seat) board.element.replaceChildren();
    board.you = weakness.seat;
    board.show(weakness.state, all ? null : choose);
    view.message.replaceChildren(
      ...(all
        ? [h("strong", worst.length > 1 ? `All ${worst.length} states done.` : "Done.")]
        : answer
          ? verdict()
          : [
              `You are ${about.players[weakness.seat]}. `,
              h(
                "strong",
                weakness.state.movers.length > 1 ? "What do you play? Both choose at once." : "What do you play?",
              ),
            ]),
    );
    const buttons = all
      ? []
      : legal
          .map((one, k) => ({ ...one, key: keyOf(about, one, k) }))
          .filter((one) => !onBoard(weakness.state, one.action));
    const onward = answer
      ? [
          h(
            "button.primary",
            { type: "button", id: "next", click: next },
            { undefined: "Finish", [at]: "Once more" }[upcoming()] ?? "Next state",
          ),
        ]
      : [];
    view.bar.replaceChildren(
      ...(all ? [h("a.button.primary", { id: "next", href: back() }, backTo)] : []),
      ...(buttons.length ? [actionButtons(about, weakness.seat, buttons, choose, "Your actions", ...onward)] : onward),
    );
    for (const button of answer ? main.querySelectorAll("[data-action]") : []) {
      button.disabled = true;
      button.classList.toggle("chosen", Number(button.dataset.action) === answer.chosen);
    }
    if (answer) weigh(main, answer.actions, weakness.seat);
    view.side.replaceChildren(...(all ? [summary()] : answer ? [figures(weakness, before)] : []), why());
    main.querySelector(answer || all ? "#next" : "[data-action]")?.focus({ preventScroll: true });
  }

  function again() {
    sessionStorage.removeItem(keptAt(about, worst[at]));
    answer = null;
    draw();
  }

  function figures(weakness, before) {
    const regrets = answer.regrets,
      now = regrets.at(-1),
      rows = answer.actions.filter(
        (one) => Math.max(one.plays, one.probability) >= SEEN || one.action === answer.chosen,
      );
    return h(
      "section.panel",
      { id: "answer" },
      h(
        "h2",
        missing()
          ? `Your mixture is measured after ${counted(missing(), "more choice")}`
          : `Your regret here: ${lost(now)}`,
      ),
      mixes(weakness.seat, rows, "you", ["regret", (one) => lost(one.loss)]),
      regrets.length > 1 && !missing()
        ? sparkline(
            [...(weakness.regret === undefined ? [] : [weakness.regret]), ...regrets],
            `Regret of your choices at this state: ${regrets.map(lost).join(", ")}`,
          )
        : null,
      h(
        "p.soft",
        regrets.length > 1 && !missing() ? "The line is your regret after each choice. " : "",
        weakness.regret === undefined ? "" : `Lost here before practice: ${lost(weakness.regret)}. `,
        `Done when your last ${answer.counting} choices lose ${lost(answer.bound)} at most; ` +
          `${Math.min(before.choices.length, answer.counting)} made.`,
      ),
      h(
        "p.soft",
        h("a", { href: address("explore", { game: about.game, code: weakness.code }) }, "Explore this state"),
      ),
    );
  }

  const why = () =>
    h(
      "p.soft",
      about.turn_based
        ? "Your regret is the mean loss of your last choices here, in points per visit."
        : "Where the equilibrium mixes, one choice proves nothing: what counts is what a best reply wins from " +
            "the mixture of your last choices here, in points per visit.",
    );

  const summary = () =>
    h(
      "section.panel",
      h("h2", "Well done"),
      h("p", "Your last choices lose far less there than was lost before."),
      h(
        "button",
        {
          type: "button",
          click: () => {
            worst.forEach((weakness) => sessionStorage.removeItem(keptAt(about, weakness)));
            next();
          },
        },
        "Practise all again",
      ),
    );

  function pressed(event) {
    if (
      event.target.matches("input, select, dialog *") ||
      event.ctrlKey ||
      event.altKey ||
      event.metaKey ||
      !current() ||
      !worst.length ||
      (answer && upcoming() !== at)
    )
      return;
    const choice = actionOf(about, worst[at].state.legal[worst[at].seat], event);
    if (!choice) return;
    event.preventDefault();
    if (answer) next(); // once more
    choose(choice.action);
  }

  document.addEventListener("keydown", pressed);
  if (worst.length && query.place === undefined && isDone(worst[at])) next();
  else draw();
  return () => document.removeEventListener("keydown", pressed);
}

async function stateAt(about, query) {
  const seat = Number(query.player) || 0;
  return { code: query.code, seat, state: await ask("/state", { game: about.game, code: query.code }) };
}
