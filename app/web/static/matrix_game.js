// A matrix game of one's own: its payoffs, two mixes and what they guarantee, the picture, the exact solution.

import { Refused } from "./api.js";
import { go, tell } from "./navigation.js";
import { chart } from "./chart.js";
import {
  ZERO,
  ONE,
  decimal,
  fraction,
  fractionIn,
  greatest,
  least,
  less,
  minus,
  over,
  paysOf,
  plus,
  same,
  solveExactly,
  sum,
  times,
  wholes,
  written,
} from "./equilibrium.js";
import { bar, button, h, headOf, number, share, signed } from "./parts.js";

const MOST = 6,
  PLAYERS = ["Row player", "Column player"];
// As in the address: payoffs by row, names, and where the game is from.
const CLASSICS = [
  {
    title: "Matching pennies",
    m: "1,-1;-1,1",
    rows: "Heads,Tails",
    columns: "Heads,Tails",
    about: "The row player wants the same side of two coins, the column player different ones.",
    x: "3,1", // other than the equilibrium, which is to be found
  },
  {
    title: "Rock-paper-scissors",
    m: "0,-1,1;1,0,-1;-1,1,0",
    rows: "Rock,Paper,Scissors",
    columns: "Rock,Paper,Scissors",
    about: "Rock breaks scissors, scissors cut paper, paper wraps rock.",
    x: "2,1,1",
  },
  {
    title: "Paper wins three points",
    m: "0,-3,1;3,0,-1;-1,1,0",
    rows: "Rock,Paper,Scissors",
    columns: "Rock,Paper,Scissors",
    about: "Rock-paper-scissors in which paper wins three times as much. Which throw becomes the most frequent?",
  },
  {
    title: "Penalty kick",
    m: "0.58,0.95;0.93,0.70",
    rows: "Kick left,Kick right",
    columns: "Dive left,Dive right",
    about:
      "The share of penalties that become goals, of professionals who kick with the right foot; " +
      "right is their natural side. Palacios-Huerta (2003), Professionals play minimax.",
  },
  {
    title: "Bismarck Sea",
    m: "2,2;1,3",
    rows: "Search north,Search south",
    columns: "Sail north,Sail south",
    about:
      "A saddle point: in 1943 one side searched for a convoy in the north or in the south, " +
      "and could bomb it for so many days. Haywood (1954), Military decision and game theory.",
  },
  {
    title: "Dominated strategies",
    m: "3,1,4;2,0,1;5,-1,0",
    rows: "Top,Middle,Bottom",
    columns: "Left,Centre,Right",
    about: "Top always pays more than Middle, so Middle is never played; and then? Made for this page.",
  },
  {
    title: "Colonel Blotto",
    m: "4,0,2,1;0,4,1,2;1,-1,3,0;-1,1,0,3;-2,-2,2,2",
    rows: "4+0,0+4,3+1,1+3,2+2",
    columns: "3+0,0+3,2+1,1+2",
    about:
      "Four regiments against three at two posts. The larger force wins the post and the enemy's regiments " +
      "there, a point for each; equal forces win nothing. Borel (1921) began with games of this kind.",
  },
  {
    title: "Two-finger Morra",
    m: "0,2,-3,0;-2,0,0,3;3,0,0,-4;0,-3,4,0",
    rows: "1 say 1,1 say 2,2 say 1,2 say 2",
    columns: "1 say 1,1 say 2,2 say 1,2 say 2",
    about:
      "Both show one or two fingers and say how many the other shows. Who alone is right wins the number of all " +
      "fingers.",
  },
];

function payoffIn(text) {
  const plain = text
    .trim()
    .replace("−", "-")
    .replace(/^([-+]?\d*),(\d+)$/, "$1.$2");
  if (!fractionIn(plain))
    throw new Refused(
      `“${text.trim()}” is no payoff; a payoff is a whole number, a decimal such as 0.5 or a fraction such as ` +
        "1/3, with at most 9 digits a part",
    );
  return plain;
}

function shareIn(text) {
  const [, plain, percent] = /^(.*?)\s*(%?)$/.exec(text.trim().replace(",", ".")),
    found = fractionIn(plain),
    chosen = found && percent ? over(found, fraction(100n)) : found;
  if (!chosen || chosen.n < 0n || less(ONE, chosen))
    throw new Refused(`“${text.trim()}” is no share; a share is from 0 to 1, such as 1/3, 0.25 or 25 %`);
  return chosen;
}

// A name that a CSV file can hold beside numbers, unlike the others; see read_csv in envs/imported/matrix.py.
function nameIn(text, others) {
  const name = text.trim().replace(/\s+/g, " "),
    asNumber = name.replaceAll("_", "");
  if (
    !name ||
    name.length > 24 ||
    /[,;"]/.test(name) ||
    !Number.isNaN(Number(asNumber)) ||
    /^[-+]?(nan|inf|infinity)$/i.test(asNumber)
  )
    throw new Refused(
      `“${name}” is no name; a name has 1 to 24 characters, is no number, and has no comma, ` +
        "semicolon or quotation mark",
    );
  if (others.includes(name)) throw new Refused(`there is a “${name}” already; names must differ`);
  return name;
}

const uniform = (count) => Array(count).fill(fraction(1n, BigInt(count)));
const mixOf = (weights) => {
  const total = sum(weights);
  return total.n ? weights.map((one) => over(one, total)) : uniform(weights.length);
};

// The game and the mixes in an address. A part that is missing is that of a classic, or has plain names and uniform
// mixes.
function gameIn(given) {
  const { m, ...rest } = given.m ? given : { ...CLASSICS[0], ...given };
  const cells = m.split(";").map((row) => row.split(",").map(payoffIn)),
    counts = [cells.length, cells[0].length];
  if (Math.max(...counts) > MOST || cells.some((row) => row.length !== counts[1]))
    throw new Refused(
      `the matrix must have 1 to ${MOST} rows of equally many payoffs, at most ${MOST}, as in m=1,-1;-1,1, not m=${m}`,
    );
  const [rows, columns] = ["rows", "columns"].map((what, player) => {
    const found =
      rest[what]?.split(",") ?? Array.from({ length: counts[player] }, (_, k) => `${what[0].toUpperCase()}${k + 1}`);
    if (found.length !== counts[player])
      throw new Refused(
        `the names of ${what} must be ${counts[player]} with commas between, ` +
          `as in ${what}=${[..."ABCDEF"].slice(0, counts[player])}, not ${rest[what]}`,
      );
    return found.reduce((all, name) => [...all, nameIn(name, all)], []);
  });
  const mixes = ["x", "y"].map((what, player) => {
    if (!rest[what]) return uniform(counts[player]);
    const weights = rest[what].split(",");
    if (weights.length !== counts[player] || !weights.every((one) => /^\d{1,60}$/.test(one)))
      throw new Refused(
        `the mix of the ${PLAYERS[player].toLowerCase()} must be ${counts[player]} whole numbers with commas ` +
          `between, as in ${what}=${Array(counts[player]).fill(1)}, not ${what}=${rest[what]}`,
      );
    return mixOf(weights.map((one) => fraction(BigInt(one))));
  });
  return { cells, names: [rows, columns], mixes, solved: given.solved === "1" };
}

const rough = (one) => (one.d <= 12n ? written(one) : number(decimal(one)).replace("+", ""));
const both = (one) =>
  one.d === 1n ? written(one) : `${written(one)} ${1000n % one.d ? "≈" : "="} ${number(decimal(one)).replace("+", "")}`;
const percent = (one) => {
  const times100 = times(one, fraction(100n));
  return times100.d === 1n ? `${times100.n} %` : written(one);
};
const named = (player) => h("span", { class: `p${player}name` }, PLAYERS[player]);

export async function matrixGame(main, about, given) {
  let game,
    wrong = null,
    base = null; // base: the mix before a slider was taken
  try {
    game = gameIn(given);
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    [game, wrong] = [
      gameIn({}),
      new Refused(`The address shows no game: ${problem.message}. This is ${CLASSICS[0].title.toLowerCase()}.`),
    ];
  }
  const payoffs = () => game.cells.map((row) => row.map(fractionIn));
  const board = h("section.panel.payoffs", { "aria-label": "Payoffs" }),
    mixing = h("section.panel.mixing", { "aria-label": "Mixes" });
  const pictures = h("div.pictures"),
    solution = h("section.panel.solution", { "aria-label": "Solution", tabindex: 0 }),
    told = h("p.soft");
  const save = h("a.button", { id: "save", download: "matrix.csv" }, "Save as CSV");
  const classics = h(
    "select",
    { id: "classic", change: () => choose(CLASSICS[classics.value]) },
    h("option", { value: "", disabled: true }, "of your own"),
    ...CLASSICS.map((one, k) => h("option", { value: k }, one.title)),
  );

  function choose(classic) {
    game = gameIn(classic);
    history.pushState(null, "", location.href); // Back returns to the game before
    tell(null);
    build();
  }

  // Takes what was typed into a field, or says what is wrong with it and puts back what was there.
  const typed = (take, before) => (event) => {
    try {
      take(event.target.value);
      tell(null);
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      tell(problem);
    }
    event.target.value = before();
    refresh();
  };

  // One share is set, and the others keep their ratios; by a slider all are whole percents.
  function setShare(player, k, wanted, mix, inPercent = false) {
    const others = mix.map((one, i) => (i === k ? ZERO : one)),
      left = mixOf(sum(others).n ? others : mix.map((_, i) => (i === k ? ZERO : ONE)));
    let before = 0n,
      passed = ZERO;
    game.mixes[player] = mix.map((_, i) => {
      if (i === k) return wanted;
      const part = times(minus(ONE, wanted), left[i]);
      if (!inPercent) return part;
      passed = plus(passed, times(part, fraction(100n)));
      const reached = (2n * passed.n + passed.d) / (2n * passed.d),
        whole = reached - before;
      before = reached;
      return fraction(whole, 100n);
    });
  }

  function resize(player, by) {
    const count = game.names[player].length;
    if (by > 0) {
      let name = count + 1;
      while (game.names[player].includes(`${"RC"[player]}${name}`)) name += 1;
      game.names[player].push(`${"RC"[player]}${name}`);
      if (player) game.cells.forEach((row) => row.push("0"));
      else game.cells.push(game.cells[0].map(() => "0"));
      game.mixes[player].push(ZERO);
    } else {
      game.names[player].pop();
      if (player) game.cells.forEach((row) => row.pop());
      else game.cells.pop();
      game.mixes[player] = mixOf(game.mixes[player].slice(0, -1));
    }
    build();
  }

  const nameField = (player, k) =>
    h("input.name", {
      value: game.names[player][k],
      autocomplete: "off",
      "aria-label": `Name of ${player ? "column" : "row"} ${k + 1}`,
      change: typed(
        (text) => (game.names[player][k] = nameIn(text, game.names[player].toSpliced(k, 1))),
        () => game.names[player][k],
      ),
    });
  const head = (player, k) => h("th", { scope: player ? "col" : "row", class: `mix p${player}` }, nameField(player, k));
  const cell = (i, j) =>
    h(
      "td",
      h("input.pay", {
        autocomplete: "off",
        change: typed(
          (text) => (game.cells[i][j] = payoffIn(text)),
          () => signed(game.cells[i][j]),
        ),
      }),
    );
  const pays = (player, k) => h("td.expects", { "data-pays": `${player},${k}` });

  function mixer(player) {
    const disabled = game.names[player].length === 1,
      rows = game.names[player].map((_, k) =>
        h(
          "div",
          { class: `share p${player}` },
          h("span.who"),
          h("input", {
            disabled,
            type: "range",
            min: 0,
            max: 100,
            "data-slider": `${player},${k}`,
            change: () => (base = null),
            input: (event) => {
              base ??= game.mixes[player];
              setShare(player, k, fraction(BigInt(event.target.value), 100n), base, true);
              refresh();
            },
          }),
          h("input", {
            disabled,
            "data-share": `${player},${k}`,
            autocomplete: "off",
            change: typed(
              (text) => setShare(player, k, shareIn(text), game.mixes[player]),
              () => percent(game.mixes[player][k]),
            ),
          }),
        ),
      );
    return h(
      "fieldset",
      h(
        "legend",
        named(player),
        "'s mix ",
        button(
          {
            click: () => {
              game.mixes[player] = uniform(rows.length);
              refresh();
            },
          },
          "All equal",
        ),
      ),
      ...rows,
      h("p.guarantee", { "data-guarantee": player }),
    );
  }

  function build() {
    base = null;
    const [rows, columns] = game.names;
    board.replaceChildren(
      h(
        "table",
        { class: columns.length > 4 ? "matrix many" : "matrix" },
        h(
          "caption",
          "Points of the row player, which the column player loses: ",
          h("span.sign.p0", "good for rows"),
          h("span.sign.p1", "good for columns"),
          "The coloured part of a name is how often the mix plays it.",
        ),
        h(
          "thead",
          h("tr", h("td"), ...columns.map((_, j) => head(1, j)), h("th.soft", { scope: "col" }, "row's average")),
        ),
        h("tbody", ...rows.map((_, i) => h("tr", head(0, i), ...columns.map((_, j) => cell(i, j)), pays(0, i)))),
        h(
          "tfoot",
          h("tr", h("th.soft", { scope: "row" }, "column's average"), ...columns.map((_, j) => pays(1, j)), h("td")),
        ),
      ),
      h(
        "div.tools",
        ...[0, 1].flatMap((player) =>
          [1, -1].map((by) =>
            button(
              {
                disabled: game.names[player].length === (by > 0 ? MOST : 1),
                "aria-label": `${by > 0 ? "Add a" : "Remove the last"} ${player ? "column" : "row"}`,
                click: () => resize(player, by),
              },
              `${by > 0 ? "+" : "−"} ${player ? "column" : "row"}`,
            ),
          ),
        ),
        save,
      ),
    );
    mixing.replaceChildren(mixer(0), mixer(1), h("p", { id: "gap", role: "status" }));
    refresh();
  }

  function refresh() {
    const { names, mixes } = game,
      matrix = payoffs(),
      largest = Math.max(...matrix.flat().map((one) => Math.abs(decimal(one)))) || 1;
    const expected = paysOf.map((of) => of(matrix, mixes)),
      best = [greatest(expected[0]), least(expected[1])];
    board.querySelectorAll("tbody td:not(.expects)").forEach((td, place) => {
      const [i, j] = [Math.floor(place / names[1].length), place % names[1].length],
        value = decimal(matrix[i][j]);
      td.className = `p${value > 0 ? 0 : 1}`;
      td.style.setProperty("--size", Math.sqrt(Math.abs(value) / largest).toFixed(3));
      td.firstChild.setAttribute("aria-label", `${names[0][i]} against ${names[1][j]}`);
      Object.assign(td.firstChild, { value: signed(game.cells[i][j]), title: signed(game.cells[i][j]) });
      td.firstChild.style.setProperty("--long", game.cells[i][j].length);
    });
    for (const player of [0, 1]) {
      board.querySelectorAll(`.mix.p${player}`).forEach((th, k) => {
        th.style.setProperty("--share", decimal(mixes[player][k]).toFixed(4));
        th.firstChild.style.setProperty("--long", names[player][k].length);
        th.firstChild.title = names[player][k];
      });
      names[player].forEach((name, k) => {
        const at = `${player},${k}`,
          slider = mixing.querySelector(`[data-slider="${at}"]`),
          field = mixing.querySelector(`[data-share="${at}"]`),
          isBest = same(expected[player][k], best[player]);
        slider.parentElement.firstChild.textContent = name;
        slider.value = Math.round(100 * decimal(mixes[player][k]));
        slider.setAttribute("aria-label", `Share of ${name}, ${PLAYERS[player].toLowerCase()}`);
        slider.setAttribute("aria-valuetext", percent(mixes[player][k]));
        field.value = percent(mixes[player][k]);
        field.setAttribute("aria-label", `Exact share of ${name}, ${PLAYERS[player].toLowerCase()}`);
        board
          .querySelector(`[data-pays="${at}"]`)
          .replaceChildren(
            h(isBest ? "b" : "span", { class: isBest ? "right" : null }, rough(expected[player][k])),
            ...(isBest ? [h("small", "best reply")] : []),
          );
      });
    }
    const replies = (player) => names[player].filter((_, k) => same(expected[player][k], best[player])).join(" or ");
    for (const player of [0, 1])
      mixing
        .querySelector(`[data-guarantee="${player}"]`)
        .replaceChildren(
          `With this mix the row player gets at ${player ? "most" : "least"} `,
          h("strong", both(best[1 - player])),
          ` on average; the worst case is ${replies(1 - player)}.`,
        );
    const gap = minus(best[0], best[1]);
    mixing
      .querySelector("#gap")
      .replaceChildren(
        "The gap is ",
        h("strong", both(gap)),
        gap.n
          ? ". It is the sum of what each player could gain by the best reply to the other's mix. " +
              `The mean over both, ${both(over(gap, fraction(2n)))}, is called exploitability.`
          : ": no reply wins anything. The two mixes are an equilibrium.",
      );
    pictures.replaceChildren(
      ...[0, 1]
        .filter(
          (player) =>
            names[player].length === 2 &&
            names[1 - player].length > 1 &&
            (player === 0 || names[0].length > 2 || names[1].length === 2),
        )
        .map((player) => picture(player, matrix)),
    );
    show(matrix);
    const text = (one, i, j) => (one.includes("/") ? String(Number(matrix[i][j].n) / Number(matrix[i][j].d)) : one);
    const rows = game.cells.map((row, i) => [names[0][i], ...row.map((one, j) => text(one, i, j))]);
    const csv = [["", ...names[1]], ...rows].map((line) => `${line.join(",")}\n`).join("");
    save.href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`;
    const m = game.cells.map((row) => row.join(",")).join(";"),
      place = CLASSICS.findIndex(
        (one) => one.m === m && one.rows === names[0].join() && one.columns === names[1].join(),
      );
    classics.value = place < 0 ? "" : place;
    told.textContent =
      CLASSICS[place]?.about ?? "A game of your own: its address contains it, so a link shows it to others.";
    go(
      "matrix-game",
      {
        m,
        rows: names[0].join(),
        columns: names[1].join(),
        ...Object.fromEntries(["x", "y"].map((what, player) => [what, wholes(mixes[player]).join()])),
        ...(game.solved ? { solved: 1 } : {}),
      },
      true,
    );
  }

  // What each action of the other player pays, over the share of the second of two actions; the worst case, and where
  // it is best.
  function picture(player, matrix) {
    const lines = game.names[1 - player].map((_, k) => [0, 1].map((own) => (player ? matrix[k][own] : matrix[own][k])));
    const at = ([from, to], p) => plus(from, times(p, minus(to, from))),
      worst = (p) => (player ? greatest : least)(lines.map((line) => at(line, p)));
    const crossings = lines.flatMap((one, k) =>
      lines.slice(k + 1).flatMap((other) => {
        const slope = minus(minus(one[1], one[0]), minus(other[1], other[0])),
          p = slope.n ? over(minus(other[0], one[0]), slope) : ZERO;
        return p.n > 0n && less(p, ONE) ? [p] : [];
      }),
    );
    const mine = game.mixes[player][1],
      x = [ZERO, ONE, mine, ...crossings]
        .sort((a, b) => (less(a, b) ? -1 : less(b, a) ? 1 : 0))
        .filter((one, k, all) => !k || !same(one, all[k - 1]));
    const heights = x.map(worst),
      peak = (player ? least : greatest)(heights);
    const only = (match) => x.map((p, k) => (match(p, k) ? decimal(heights[k]) : null));
    return h(
      "section.panel",
      chart({
        title: `Points of the row player ${player ? "with each row" : "against each column"}`,
        across: `share of ${game.names[player][1]}`,
        x: x.map(decimal),
        series: [
          ...lines.map((line, k) => ({ name: game.names[1 - player][k], y: x.map((p) => decimal(at(line, p))) })),
          { name: "worst case", y: heights.map(decimal), class: "envelope" },
          { name: "your mix", y: only((p) => same(p, mine)), class: "mine" },
          { name: "best worst case", y: only((_, k) => same(heights[k], peak)), class: "peak" },
        ],
      }),
    );
  }

  // The solution and its proof: with both mixes no action of either player pays more than the value.
  function show(matrix) {
    const toggle = button(
      {
        class: "primary",
        id: "solve",
        "aria-expanded": String(game.solved),
        click: () => {
          game.solved = !game.solved;
          refresh();
          solution.querySelector("#solve").focus();
        },
      },
      game.solved ? "Hide the solution" : "Solve",
    );
    if (!game.solved) {
      solution.replaceChildren(
        h("h2", "Solution"),
        h(
          "p",
          "Try it yourself first: make the gap small, what both players could gain by best replies. Or press Solve.",
        ),
        toggle,
      );
      return;
    }
    const found = solveExactly(matrix),
      table = (player) =>
        h(
          "table.mixes",
          h(
            "caption",
            named(player),
            `: against the other mix no ${player ? "column costs less" : "row pays more"} than ${written(found.value)}`,
          ),
          headOf([player ? "column" : "row", "share", "", player ? "costs" : "pays"]),
          h(
            "tbody",
            ...paysOf[player](matrix, found.mixes).map((one, k) =>
              h(
                "tr",
                h("th.name", { scope: "row" }, game.names[player][k]),
                h("td", { title: share(decimal(found.mixes[player][k])) }, percent(found.mixes[player][k])),
                h("td.name", bar(player, decimal(found.mixes[player][k]))),
                h("td", written(one), same(one, found.value) ? "" : ` ${player ? ">" : "<"} ${written(found.value)}`),
              ),
            ),
          ),
        );
    solution.replaceChildren(
      h("h2", "Solution"),
      h(
        "p",
        "The value is ",
        h("strong", { id: "exact" }, both(found.value)),
        " points to the row player. ",
        found.only ? "No other mixes are an equilibrium." : "Other mixes are equilibria too, with the same value.",
      ),
      h("div.proof", table(0), table(1)),
      h(
        "p.soft",
        "This is a proof: with its mix the row player gets at least the value, whatever the other does; and with " +
          "the other mix it gets no more. All figures are exact.",
      ),
      h(
        "div.tools",
        toggle,
        button(
          {
            id: "take",
            click: () => {
              game.mixes = found.mixes;
              refresh();
            },
          },
          "Play these mixes",
        ),
      ),
    );
  }

  main.replaceChildren(
    h(
      "div.wide",
      h("h1", "Matrix game"),
      h("p", "Change any number, name or mix: all figures follow at once, exactly. Solve shows the best mixes."),
      h("div.chooser", h("label", "A classic", classics), told),
    ),
    h("div.half", board, solution),
    h("div.half", mixing, pictures),
  );
  build();
  tell(wrong);
}
