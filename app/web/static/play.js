// Playing: against an agent in either seat, or two people at one screen.

import { ask, askPatiently, source, whySlow } from "./api.js";
import { address, go, keep, kept, site, tell } from "./navigation.js";
import { hints } from "./hints.js";
import { beat, habitsOf, nextLevel } from "./ladder.js";
import { keepMatch } from "./weaknesses.js";
import { Board, actionButtons, actionOf, beside, frame, isForPage, keyOf, onBoard, weigh } from "./board.js";
import {
  NO_LOSS,
  PERSON,
  button,
  chooser,
  counted,
  either,
  fill,
  h,
  iconOf,
  log,
  mixes,
  number,
  opponentOf,
  parameterForm,
  points,
  rounded,
  rulesOf,
  said,
  seatChooser,
  seatOf,
  sheet,
  showRules,
  titleOf,
} from "./parts.js";
import { habitOf, isEven, isHabit, lostBy, mixture, review } from "./review.js";
import { Truth, sidesOf } from "./truth.js";
import { isLoud, setLoud, sound } from "./sound.js";

const MOST_PLACES = 9,
  MOST_RECENT = 10; // steps

export async function play(main, about, query, current) {
  const names = [query.p0 || PERSON, query.p1 || about.opponents[0].players[0].name];
  const you = names.filter((name) => name === PERSON).length === 1 ? names.indexOf(PERSON) : undefined;
  const board = new Board(about, you),
    view = frame(main, board.element),
    mixing = h("div"),
    truth = new Truth(about, { you, known: (...told) => weighAsked(...told) });
  // A try at a position again, in which an action was wrong: it does not count.
  const retried = you === undefined ? undefined : query.than,
    before = retried ? Number(query.before) : 0; // moves
  // Of a series, which ends it; 0 if games just follow each other. Where it is for points, the number of its games.
  const wins = you === undefined || retried ? 0 : Number(query.wins || (about.graded ? 5 : about.brief ? 2 : 0));
  const scored = `score ${about.game} ${names} ${wins}`;
  const been = [new Set(), new Set()]; // each player's actions that have been legal
  let match = null,
    chosen = {},
    showsTruth = query.truth === "1",
    busy = false,
    waited = [], // what was said while the opponent chooses
    advised = "",
    judged = null, // the first move of a retry, and what it costs
    began = null, // the state in which it was made
    goesOn = false, // after it was right
    right = [], // the moves of a retry that cost nothing, once they are asked for
    costs = []; // of all its moves

  const begin = (players, more = {}) =>
    go("play", {
      ...query,
      ...{ game: about.game, p0: players[0], p1: players[1], match: undefined, at: undefined, only: undefined },
      truth: showsTruth && !more.than ? 1 : undefined,
      ...more,
      t: Date.now() % 1e6,
    });
  const LEAVE = { start: undefined, player: undefined, than: undefined, before: undefined, from: undefined };

  function choose() {
    const opponent = seatChooser(about, "Opponent", names[you === undefined ? 1 : 1 - you], true),
      parameters = parameterForm(about);
    const seat = chooser(
      about.players.map((name, k) => [
        k,
        name.replace(/^player [01]$/, k ? "the second player" : "the first player") +
          (k || !about.turn_based ? "" : ", who begins"),
      ]),
      you,
    );
    const seed = h("input", { type: "number", min: 0, value: query.seed || "", placeholder: "random" });
    const length = chooser(
      [
        ["0", "one game after the other"],
        ...(about.graded
          ? [5, 10].map((count) => [count, `${count} games, for points`])
          : [2, 3].map((count) => [count, `first to ${count} wins`])),
      ],
      wins,
    );
    sheet(
      "New game",
      h(
        "form",
        {
          submit: () => {
            const players = seat.value === "1" ? [opponent.value(), PERSON] : [PERSON, opponent.value()],
              game = parameters.value();
            begin(players, {
              game,
              seed: seed.value,
              wins: length.value,
              ...(game === about.game && !retried ? {} : LEAVE),
            });
          },
        },
        opponent.element,
        h("label", "You are", seat),
        h("label", "Match", length),
        parameters.element,
        h(
          "details",
          { open: Boolean(query.seed) },
          h("summary", "A game that can be repeated"),
          h("label", "A number: the same number brings the same chance", seed),
        ),
        h("button.primary", "Play"),
      ),
    );
  }

  const asks = async (what, ...given) => {
    match = { id: match.id, ...(await ask(`/matches/${match.id}${what}`, ...given)) };
  };

  async function act(player, action) {
    if (busy || !match || match.ended || !asking().includes(player) || covered(player)) return;
    chosen[player] = action;
    main
      .querySelectorAll(`[data-action="${action}"], [data-target="${action}"]`)
      .forEach((button) => button.classList.add("chosen"));
    if (people().every((one) => one in chosen)) await advance();
    else if (match.seats.length) await see();
    else draw();
  }

  // With hidden information nothing is shown to two people at one screen, until one of them asks for the own view.
  const covered = (player) => match.seats.length > 0 && match.seats.join() !== String(player);
  const see = (player) => asks("", { player }).then(draw).catch(tell);
  const people = () => match.state.movers.filter((player) => match.players[player] === PERSON);
  const isHeld = () => judged && !goesOn; // after the answer to a retry
  const asking = () => (match.ended || isHeld() ? [] : people().filter((player) => !(player in chosen)));

  // The moves of a retry, and what they cost.
  async function rated() {
    const asked = { game: about.game, code: query.start, player: you },
      solution = await askPatiently("/solution", asked, () => {}, current);
    return sidesOf(solution).find(({ player }) => player === you)?.actions ?? [];
  }
  const isRight = (one) => one.loss <= NO_LOSS;
  async function judge(action) {
    judged = (await rated()).find((one) => one.action === action);
    began = await ask("/state", { game: about.game, code: query.start, player: match.seats.length ? you : undefined });
  }
  async function answer() {
    costs = await rated();
    right = costs.filter(isRight).map((one) => one.name);
    if (current()) draw();
  }

  function verdict() {
    const told = right.length ? ` Best: ${either(right)}.` : "";
    if (!judged) return [h("strong", `Better than ${retried}?`), told, h("br")];
    const [{ reward }] = match.steps,
      beaten = !about.turn_based && !about.chance && (you ? -reward : reward) < 0,
      but = beaten ? " This time the opponent chose what beats it." : "";
    if (isRight(judged)) return [h("strong.right", `✓ Right: ${judged.name} costs nothing.`), but, h("br")];
    return [h("strong.wrong", `✗ Wrong: ${judged.name} costs ${points(judged.loss)}.`), told, h("br")];
  }

  // What a retry leads to; it stands where it does not come and go with the actions.
  function onward() {
    const done = judged && isRight(judged),
      playOn = () => {
        goesOn = true;
        draw();
      };
    return h(
      "div.onward",
      done && !goesOn && !match.ended
        ? button({ click: playOn }, "Play on")
        : judged && button({ class: done ? null : "primary", click: () => begin(match.players) }, "Try again"),
      !done && !right.length && button({ click: () => answer().catch(tell) }, "Show the answer"),
      query.from
        ? h("a", { class: done ? "button primary" : "button", href: `#${query.from}&at=review` }, "Back to the review")
        : button({ click: () => begin(match.players, LEAVE) }, "Next game"),
    );
  }

  async function advance() {
    busy = true;
    if (retried && !match.steps.length) await judge(chosen[you]).catch(tell);
    waited = [];
    const say = (why, time) =>
        setTimeout(async () => {
          waited.push(await why());
          if (!busy) return;
          view.message.querySelector(".asks")?.remove();
          view.message.append(waited.at(-1));
        }, time),
      patience = [say(() => " The opponent is choosing …", 500), say(whySlow, 3000)];
    try {
      await asks("/step", {}, { actions: chosen });
      if (!current()) return;
      tell(null);
      if (!match.ended) sound("hit");
      while (!match.ended && people().length === 0 && match.players.includes(PERSON)) {
        draw();
        await asks("/step", {}, { actions: {} });
      }
    } catch (problem) {
      tell(problem);
    }
    patience.forEach(clearTimeout);
    if (!current()) return;
    chosen = {};
    busy = false;
    if (match.ended) {
      const own = you ? -match.points : match.points;
      if (you !== undefined && !retried) count(own);
      sound(own === 0 ? "draw" : you === undefined || own > 0 ? "win" : "loss");
    }
    draw();
  }

  // The score against this opponent, which goes on to the end of a series, or as long as the window is open; each game
  // counts once, by its last end.
  function score() {
    const { games } = JSON.parse(sessionStorage.getItem(scored)) ?? { games: [] },
      times = (result) => games.filter((one) => one.result === result).length;
    return {
      ...{ games, won: times("won"), drawn: times("drawn"), lost: times("lost"), last: games.at(-1) ?? {} },
      gained: games.reduce((sum, { own }) => sum + own + about.half, 0),
    };
  }
  const keepScore = (games) => sessionStorage.setItem(scored, JSON.stringify({ games }));
  const lead = ({ won, lost, games } = score()) =>
    about.graded ? games.reduce((sum, { own }) => sum + own, 0) : won - lost;
  const isOver = ({ won, lost, games } = score()) =>
    wins > 0 && (about.graded ? games.length : Math.max(won, lost)) >= wins;
  const gameNumber = () => (isOver() ? 1 + score().games.findIndex(({ id }) => id === match.id) : 0); // or none
  const isWon = () => (wins ? isOver() && lead() > 0 : score().last.result === "won");
  // All games in this browser, by opponent.
  function tally(result, by) {
    const all = kept(`record ${about.name}`) ?? {},
      rival = names[1 - you];
    keep(`record ${about.name}`, { ...all, [rival]: { ...all[rival], [result]: (all[rival]?.[result] ?? 0) + by } });
  }
  function count(own) {
    const { games, last } = score(),
      result = own > 0 ? "won" : own < 0 ? "lost" : "drawn";
    if (last.id === match.id) return;
    keepScore([...games, { id: match.id, result, own, cost: null }]);
    tally(result, 1);
    if (isWon()) beat(about.game, names[1 - you]);
    keep(`rival ${about.game}`, names[1 - you]);
    keepMatch(about, match.id).catch(tell);
  }
  function uncount() {
    const { games, last } = score();
    if (last.id !== match.id) return;
    keepScore(games.slice(0, -1));
    tally(last.result, -1);
  }

  // The games of a series that is over, by the review of this one; that of the costliest comes first.
  async function series(found) {
    const now = score(),
      games = now.games.map((one) => (one.id === match.id ? { ...one, cost: lostBy(found, you) } : one)),
      reviewed = (id) => ask(`/matches/${id}/review`, { with: earlier(id) }),
      late = ({ id }) =>
        reviewed(id).then(
          (its) => lostBy(its, you),
          () => null,
        ),
      place = games.findIndex(({ id }) => id === match.id),
      row = (head, cells, all) =>
        h(
          "tr",
          h("th.name", { scope: "row" }, head),
          [...cells, all].map((one) => h("td", one)),
        );
    if (place < 0) return {};
    if (isOver()) for (const one of games) one.cost ??= await late(one); // the next game had begun before its review
    keepScore(games);
    if (!isOver()) return {};
    const dearest = games.reduce((a, b) => (b.cost > a.cost ? b : a)),
      opens = !query.only && dearest.cost > games[place].cost,
      told = opens ? games.indexOf(dearest) : place,
      link = ({ id }, k) =>
        k === told
          ? h("b", k + 1)
          : h("a", { href: address("play", { ...query, match: id, at: "review", only: 1 }) }, k + 1),
      unknown = games.some((one) => one.cost === null);
    return {
      number: told + 1,
      other: opens && [{ id: dearest.id, ...(await ask(`/matches/${dearest.id}`)) }, await reviewed(dearest.id)],
      games: [
        h("h2", "The match, game by game"),
        h(
          "div.scroll",
          h(
            "table.series",
            row("game", games.map(link), "all"),
            row(
              "you",
              games.map((one) => (about.graded ? number(one.own) : one.result)),
              about.graded ? number(lead()) : `${now.won}\u00a0:\u00a0${now.lost}`,
            ),
            row(
              "points lost by mistakes",
              games.map((one) => (one.cost === null ? "–" : rounded(one.cost))),
              unknown ? "–" : rounded(games.reduce((sum, one) => sum + one.cost, 0)),
            ),
          ),
        ),
        found.mixtures.some((one) => one.price && isHabit(one)) && h("p", "Your habit can cost points too: see below."),
      ],
    };
  }

  // After a win against a level the next one; after a loss the one below.
  function otherLevel() {
    const now = score(),
      levels = about.opponents[0].players,
      place = levels.findIndex((one) => one.name === names[1 - you]),
      next = nextLevel(about);
    if (!match.ended || place < 0 || (wins && !isOver())) return null;
    if (isWon()) return next === levels[place] ? null : next;
    return (wins ? lead() < 0 : now.last.result === "lost") && place ? levels[place - 1] : null;
  }

  const undoable = () =>
    !match.revealed &&
    (Object.keys(chosen).length > 0 ||
      match.steps.some((step) =>
        step.actions.some((action, seat) => action !== null && match.players[seat] === PERSON),
      ));

  async function undo() {
    const isChosen = Object.keys(chosen).length > 0;
    chosen = {};
    if (isChosen) return draw();
    await asks("/undo", {}, {});
    uncount();
    if (!match.steps.length) [judged, goesOn] = [null, false];
    tell(null);
    draw();
  }

  const who = (player) =>
    you === undefined ? about.players[player] : player === you ? "You" : titleOf(about, names[player]);

  // How the game ended, and the match.
  function ending() {
    const how =
      { truncated: "Cut off. ", forfeited: `Forfeited: ${match.reason}. `, resigned: "Resigned. " }[match.ended] || "";
    const winner = Number(match.points < 0),
      named = you === undefined || winner === you ? who(winner) : "The opponent";
    const { won, lost } = score(),
      by = about.graded ? points(Math.abs(lead())) : `${Math.max(won, lost)}\u00a0:\u00a0${Math.min(won, lost)}`,
      whole = !isOver()
        ? ""
        : !lead()
          ? " The match is a draw."
          : ` ${lead() > 0 ? "You have" : "The opponent has"} won the match, ${by}.`;
    const game = match.points === 0 ? "A draw." : `${named} won, ${points(Math.abs(match.points) + about.half)}.`;
    return [(gameNumber() ? `Game ${gameNumber()}: ` : "") + how + game, whole];
  }

  function message(last, asked, isEnd = true) {
    const kind = (own) => (you !== undefined && own ? (own > 0 ? "right" : "wrong") : "even"),
      gained = [you ? -match.points : match.points, lead()],
      told = match.ended && isEnd && !isHeld() ? ending().filter(Boolean) : [],
      results = told.map((text, k) => h("span", { class: kind(gained[k]) }, text)),
      ends = results.length ? h("strong.result", results) : "";
    const turn = asked.length ? h("strong.asks", about.turn_based ? " Your move." : " Choose.") : "";
    if (last && you !== undefined) return [`${said(about, last.told, you)}. `, turn, ends];
    const waits = Object.keys(chosen).map((player) => `${about.players[player]} has chosen. `);
    if (last) return [`${said(about, last.told)}. `, ...waits, ends];
    if (you === undefined)
      return [
        match.players.includes(PERSON)
          ? about.turn_based
            ? "Two people play in turn. "
            : "Two people play; choices stay hidden until both have chosen. "
          : "",
        ...waits,
      ];
    return [
      query.start
        ? `${about.symmetric ? "" : `You are ${about.players[you]}. `}${retried ? `It is move ${1 + before}. ` : ""}`
        : seatOf(about, you) ||
          (about.turn_based ? `You are ${about.players[you]}${asked.length ? " and act first" : ""}.` : about.about),
      turn,
      query.hint ? ` Here ${query.hint} punishes how the opponent plays.` : "",
    ];
  }

  function draw() {
    const last = match.steps.at(-1);
    const asked = asking().slice(0, 1);
    const hidden = match.seats.length > 0,
      seat = match.seats.length === 1 ? match.seats[0] : undefined,
      tells = match.ended && (!retried || right.length > 0 || (judged && isRight(judged)));
    const here = { code: match.state.code, player: seat };
    const focused = document.activeElement?.dataset.action;
    drawHead();
    if (match.seats.length > 1) board.cover();
    else
      board.show(
        match.ended && last ? { ...match.state, code: last.shown } : match.state,
        asked.length ? (action) => act(asked[0], action) : null,
      );
    if (isHeld()) {
      board.mark(began, isRight(judged) ? "right" : "wrong", judged.name, true);
      for (const name of right) board.mark(began, "right", name);
    }
    const strip = recent(),
      since = before ? ` from move ${1 + before} on` : "",
      other = you !== undefined && otherLevel(),
      measures = you !== undefined && !(wins && !isOver()) && about.offers.includes("practice") && !site.offline;
    fill(view.message, retried && !goesOn && verdict(), message(last, asked), busy && waited);
    fill(
      view.bar,
      match.ended &&
        !retried && [
          button(
            { class: "primary", click: () => begin(match.players) },
            wins && !isOver() ? "Next game" : wins ? "New match" : "Play again",
          ),
          other && button({ click: () => begin(match.players.with(1 - you, other.name)) }, `Against ${other.title}`),
          measures && h("a.button", { href: address("weaknesses", { game: about.game, own: 1 }) }, "Your weaknesses"),
          you !== undefined &&
            (!wins || isOver()) &&
            h("a.button", { href: address("ladder", { game: about.game }) }, "All opponents"),
        ],
      asked.map((player) => actions(player, beside(about, match.state, player))).filter((one) => one.children.length),
    );
    if (focused !== undefined)
      (main.querySelector(`[data-action="${focused}"]`) ?? main.querySelector("[data-action], .primary"))?.focus();
    const does = you === undefined ? [] : habitsOf(opponentOf(about, names[1 - you])),
      rules = () => [
        does.length > 0 && h("p", h("b", `${titleOf(about, names[1 - you])}: `), does),
        h("h2", "The rules"),
        ...rulesOf(about, you),
      ];
    const shows = showsTruth && !match.ended && (!hidden || match.state.movers.includes(seat));
    const aside = retried && been[you].size > 0 && asked.length > 0; // in the bar are actions
    if (retried && !aside) view.bar.append(onward());
    const again = (start, than, made) =>
        begin(match.players, { start, player: you, than, before: made, from: location.hash.slice(1) }),
      isBelow = retried && !(judged && isRight(judged)), // the board
      retry = you === undefined || isBelow ? null : again;
    fill(
      view.side,
      aside && onward(),
      strip,
      shows && truth.element,
      mixing,
      tells &&
        review(about, match, {
          ...{ you, who, current, retry, before, earlier: earlier() },
          series: retried || you === undefined || !wins ? () => ({}) : series,
        }),
      h(
        "section.panel",
        ...(match.steps.length
          ? [
              h("h2", "What happened", gameNumber() ? ` in game ${gameNumber()}` : since),
              log(
                match.steps.map((step) => said(about, step.told, you)),
                0,
                match.ended && ((k) => look(k).catch(tell)),
                1 + before,
              ),
            ]
          : retried
            ? [
                h("h2", "A retry"),
                h("p", `Find a better move than ${retried}.`, hidden ? " What is hidden is dealt anew." : ""),
              ]
            : rules()),
        h(
          "p.soft",
          hidden ? "What is hidden is shown when the game is over. " : "",
          ...(source.records && !hidden && match.steps.length
            ? [h("a", { href: `/api/matches/${match.id}/record`, download: true }, "Save the record"), " · "]
            : []),
          match.seats.length < 2 &&
            h("a", { id: "explore", href: address("explore", { game: about.game, ...here }) }, "Explore from here"),
        ),
      ),
      shows ? adviser() : match.steps.length > 0 && !match.ended && h("section.panel", ...rules()),
    );
    if (shows) truth.show(match.state.code, seat);
    const best = asked.length && !match.steps.length ? costs : [];
    if (best.length)
      weigh(
        main,
        best.map((one) => ({ ...one, optimal: isRight(one) })),
        you,
      );
    showMixture();
    const opponent = titleOf(about, names[1 - (you ?? 0)]);
    if (match.ended) keep("continue", null);
    else if (match.steps.length) keep("continue", { hash: location.hash, title: about.title, opponent });
  }

  // Shows a move of a game that is over.
  async function look(number) {
    const { shown: code, before: start } = match.steps[number - 1];
    board.show({ ...(await ask("/state", { game: about.game, code })), code });
    view.message.replaceChildren(...message(match.steps[number - 1], [], number === match.steps.length));
    main.querySelector("#explore").href = address("explore", { game: about.game, code: start });
    for (const [k, one] of main.querySelectorAll("ol.log button").entries())
      one.setAttribute("aria-current", k + 1 === number ? "step" : "false");
  }

  // The last actions of both as pictures, where they choose at once; that of the winner is lit.
  function recent() {
    const steps = match.steps.filter(({ actions: both }) => both.every((one) => one !== null)).slice(-MOST_RECENT);
    if (match.ended || you === undefined || about.turn_based || !about.icons.length || !steps.length) return null;
    const row = (player) =>
      h(
        "tr",
        h("th.name", { class: `p${player}name` }, player === you ? "You" : "Opponent"),
        steps.map(({ actions: both, reward }) =>
          h("td", { class: (player ? -reward : reward) > 0 ? "lit" : null }, iconOf(about, player, both[player])),
        ),
      );
    return h("section.panel.recent", { "aria-hidden": "true" }, h("table", row(you), row(1 - you))); // as the log
  }

  // Few actions have one place each, where they stay when they are no longer legal; those that the game tells a reason
  // of are always there.
  function actions(player, legal) {
    const stays =
      legal.length &&
      about.actions.length <= MOST_PLACES &&
      !match.state.targets.some((one) => onBoard(match.state, one[0]));
    for (const one of legal) been[player].add(one.action);
    for (const action in match.state.forbidden) been[player].add(Number(action));
    const choices = stays
      ? [...been[player]]
          .sort((a, b) => a - b)
          .map(
            (action) =>
              legal.find((one) => one.action === action) ?? {
                action,
                name: about.labels[action],
                key: keyOf(about, { action }),
                disabled: true,
                title: match.state.forbidden?.[action],
              },
          )
      : legal;
    return actionButtons(
      about,
      player,
      choices,
      (action) => act(player, action),
      you === undefined ? `Actions of ${about.players[player]}` : "Your actions",
      you === undefined && h("span", { class: `p${player}name` }, about.players[player] + ":"),
      covered(player) &&
        button({ id: "see", click: () => see(player) }, h("kbd", "s"), `Show what ${about.players[player]} sees`),
    );
  }

  function drawHead() {
    const { won, drawn, lost: beaten, gained, games } = score(),
      rival = 1 - (you ?? 0),
      over = Boolean(match.ended),
      paid = match.steps.reduce((sum, step) => sum + step.half, you ? -match.points : match.points),
      graded = gained !== won - beaten || (!over && match.steps.some((step) => step.reward)), // not each game is for 1
      all = gained + (over ? 0 : paid),
      sum = lead() + (over ? 0 : you ? -match.points : match.points),
      after = ` points after ${wins ? `${games.length} of ` : ""}${counted(String(wins || games.length), "game")}`,
      title = over && "The game is over. Choose a move in the list, then “Explore from here”.",
      lit = String(showsTruth && !over);
    const tool = (key, name, attributes) => button(attributes, key && h("kbd", key), name);
    fill(
      view.head,
      h("h1", about.title),
      you === undefined
        ? h(
            "p.score",
            about.players.map((name, k) => h("span", { class: `p${k}name` }, k ? ` – ${name}` : name)),
          )
        : retried
          ? h("p.score", "A retry: it does not count")
          : h(
              "p.score",
              h("span", { class: `p${you}name` }, "You "),
              h("b", about.graded ? `${number(sum)} : ${number(-sum)}` : `${won} : ${beaten}`),
              h(
                `span.p${rival}name`,
                ` ${titleOf(about, names[rival])}`,
                !about.symmetric && h("small", ` (${about.players[rival]})`),
              ),
              h(
                "small",
                about.graded
                  ? after
                  : [
                      wins && ` first to ${wins}`,
                      drawn && ` ${drawn} drawn`,
                      graded && !wins && ` this game ${number(paid)}`,
                      graded &&
                        (wins || all !== paid) &&
                        ` ${wins ? "" : "all games "}${counted(number(all), "point")}`,
                    ]
                      .filter(Boolean)
                      .join(","),
              ),
            ),
      h(
        "div.tools",
        tool("n", !wins ? "Again" : over ? "Next" : "Restart", {
          title: wins && !over && "This game from its start; it does not count so far.",
          click: () => begin(match.players),
        }),
        tool("u", "Undo", { disabled: !undoable(), click: () => undo().catch(tell) }),
        tool("t", "Solution", { id: "truth", title, "aria-pressed": lit, disabled: over, click: toggleTruth }),
        tool("", "Rules", { click: () => showRules(about, you) }),
        tool("", "New game", { id: "new", click: choose }),
        tool("", isLoud() ? "♪ on" : "♪ off", {
          id: "sound",
          "aria-label": "Sound",
          "aria-pressed": String(isLoud()),
          click: () => {
            setLoud(!isLoud());
            drawHead();
            main.querySelector("#sound").focus();
          },
        }),
      ),
      you !== undefined && hints(match, drawHead),
    );
  }

  function toggleTruth() {
    showsTruth = !showsTruth;
    keep("guided", 1); // as its hint says
    draw();
    main.querySelector("#truth").focus({ preventScroll: true });
  }

  // Weighs the actions of the one who is asked.
  function weighAsked(actions, player, value) {
    if (showsTruth && !match.ended && player === asking()[0])
      weigh(main, actions, player, (player ? -value : value) < -NO_LOSS);
  }

  function adviser() {
    const out = h("div"),
      agents = about.opponents.flatMap((group) => group.players.map((one) => [one.name, one.title])),
      select = chooser([["", "choose a player"], ...agents], advised, { change: show });
    async function show() {
      const parts = [],
        agent = (advised = select.value);
      out.textContent = agent && "Asking …"; // a model of another game may take long to say so
      try {
        for (const player of agent ? match.state.movers.filter((one) => !covered(one)) : []) {
          const advice = await ask(`/matches/${match.id}/advice`, { agent, player });
          const rows = Object.entries(advice.probabilities).map(([name, plays]) => ({ name, plays })),
            how = advice.sampled ? `sampled ${advice.sampled} times` : "exact",
            label = `${titleOf(about, agent)} ${player === you ? "here" : `as ${about.players[player]}`}, ${how}`;
          parts.push(h("p.soft", label), mixes(player, rows, label));
        }
      } catch (problem) {
        parts.push(h("p", problem.message));
      }
      if (agent === advised) out.replaceChildren(...parts);
    }
    if (advised) show();
    return h("section.panel", h("label", "What would another player do here?", select), out);
  }

  // How the person mixes, so far; the server solves the game meanwhile, so that the review is there at the end.
  async function showMixture() {
    const asked = match,
      found = await ask(`/matches/${match.id}/mixtures`, { player: you ?? 0, with: earlier() }).catch(() => []);
    const [latest] = Array.isArray(found) && you !== undefined && !retried && !match.ended ? found : [];
    if (!current() || match !== asked) return;
    const whole = latest && (showsTruth || isEven(latest));
    mixing.replaceChildren(latest ? mixture(you, latest, whole, { title: habitOf(latest, whole) }) : "");
  }

  // The matches of this window in which the person had this seat.
  const seated = `seated ${about.game} ${you}`;
  const earlier = (than = match.id) =>
    (JSON.parse(sessionStorage.getItem(seated)) ?? []).filter((id) => id !== than).join();

  function pressed(event) {
    if (!isForPage(event) || !match || !current()) return;
    const [asked] = asking();
    const choice = asked === undefined ? null : actionOf(about, match.state.legal[asked], event);
    if (choice) {
      event.preventDefault();
      act(asked, choice.action);
    } else if (event.key === "s" && asked !== undefined && covered(asked)) see(asked);
    else if (event.key === "u" && undoable()) undo().catch(tell);
    else if (event.key === "n") begin(match.players);
    else if (event.key === "t" && !match.ended) toggleTruth();
  }

  const wanted = {
    game: about.game,
    players: names,
    start: query.start || undefined,
  };
  view.head.replaceChildren(h("h1", about.title));
  view.message.textContent = "The game begins …";
  if (query.match)
    match = await ask(`/matches/${query.match}`).then(
      (saved) => ({ id: query.match, ...saved }),
      () => null,
    ); // a page that is loaded again goes on
  if (!match && isOver()) sessionStorage.removeItem(scored);
  if (query.seed) wanted.seed = Number(query.seed) + (wins ? score().games.length : 0); // each game of a series anew
  match ??= await askPatiently(
    "/matches",
    query.start && query.player ? { player: query.player } : {},
    (solving) => {
      view.message.replaceChildren(solving);
      if (about.offers.includes("values")) board.show({ code: query.start ?? about.start, text: "", targets: [] });
    },
    current,
    wanted,
  );
  if (!current()) return null;
  go("play", { ...query, match: match.id }, true);
  if (you !== undefined && !retried)
    sessionStorage.setItem(seated, JSON.stringify([...earlier().split(","), match.id].slice(-20)));
  document.addEventListener("keydown", pressed);
  if (retried && match.steps.length) await judge(match.steps[0].actions[you]).catch(tell);
  if (people().length === 0 && !match.ended) await advance();
  else draw();
  if (query.at) document.getElementById(query.at)?.scrollIntoView();
  return () => document.removeEventListener("keydown", pressed);
}
