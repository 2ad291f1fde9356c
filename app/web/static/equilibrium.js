// Matrix games solved exactly, in fractions of whole numbers of any size: {n, d}, in lowest terms, with d > 0.

import { signed } from "./parts.js";

const divisor = (a, b) => (b ? divisor(b, a % b) : a < 0n ? -a : a);
export function fraction(n, d = 1n) {
  const common = divisor(n, d) * (d < 0n ? -1n : 1n);
  return { n: n / common, d: d / common };
}
export const ZERO = fraction(0n);
export const ONE = fraction(1n);
export const plus = (a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a, b) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
export const times = (a, b) => fraction(a.n * b.n, a.d * b.d);
export const over = (a, b) => fraction(a.n * b.d, a.d * b.n);
export const less = (a, b) => a.n * b.d < b.n * a.d;
export const same = (a, b) => a.n === b.n && a.d === b.d;
export const sum = (terms) => terms.reduce(plus, ZERO);
export const least = (terms) => terms.reduce((a, b) => (less(b, a) ? b : a));
export const greatest = (terms) => terms.reduce((a, b) => (less(a, b) ? b : a));
export const written = ({ n, d }) => signed(d === 1n ? n : `${n}/${d}`);
export const decimal = ({ n, d }) => Number((n * 10n ** 15n) / d) / 1e15;

// A whole number, a decimal such as -0.5 or a fraction such as 1/3; null if the text is none.
export function fractionIn(text) {
  const [, sign, whole, point, top, bottom] =
    /^([-+]?)(?:(\d{0,9})(?:\.(\d{1,9}))?|(\d{1,9})\/(\d{1,9}))$/.exec(text) ?? [];
  if (sign === undefined || !(whole || point || Number(bottom))) return null;
  const found = top
    ? fraction(BigInt(top), BigInt(bottom))
    : fraction(BigInt(whole + (point ?? "")), 10n ** BigInt((point ?? "").length));
  return sign === "-" ? minus(ZERO, found) : found;
}

// The same ratios in whole numbers, the smallest ones.
export function wholes(fractions) {
  const scale = fractions.reduce((all, { d }) => (all * d) / divisor(all, d), 1n),
    numbers = fractions.map(({ n, d }) => (n * scale) / d);
  const common = numbers.reduce(divisor, 0n) || 1n;
  return numbers.map((one) => one / common);
}

// What each row pays against a mix of the columns, and each column against a mix of the rows; rows are arrays of
// fractions.
export const paysOf = [
  (payoffs, mixes) => payoffs.map((row) => sum(row.map((one, j) => times(one, mixes[1][j])))),
  (payoffs, mixes) => payoffs[0].map((_, j) => sum(payoffs.map((row, i) => times(row[j], mixes[0][i])))),
];

// The value and an equilibrium mix of each player. It is the linear program max sum(y), A y <= 1, y >= 0, whose optimum
// is 1 / value once a number is added that makes all payoffs positive; the rows' mix is its dual solution. The simplex
// method with Bland's rule ends in every case, and a tableau of whole numbers, each the fraction times the last pivot,
// stays one (Edmonds 1967). Both mixes are corners of the optimal sets, so they are the only ones exactly if they are
// strictly complementary: each row and column either is played or costs something.
export function solveExactly(payoffs) {
  const m = payoffs.length,
    n = payoffs[0].length,
    low = least(payoffs.flat());
  const scale = payoffs.flat().reduce((all, { d }) => (all * d) / divisor(all, d), 1n),
    whole = (one) => (one.n * scale) / one.d;
  const tableau = payoffs.map((row, i) => [
    ...row.map((one) => whole(one) - whole(low) + 1n),
    ...payoffs.map((_, k) => (k === i ? 1n : 0n)),
    1n,
  ]);
  tableau.push([...Array(n).fill(-1n), ...Array(m + 1).fill(0n)]);
  const basis = payoffs.map((_, i) => n + i);
  let last = 1n;
  for (let enters; (enters = tableau[m].findIndex((one) => one < 0n)) >= 0;) {
    let leaves = -1;
    for (let i = 0; i < m; i += 1) {
      if (tableau[i][enters] <= 0n) continue;
      const ahead =
        leaves < 0 ? -1n : tableau[i].at(-1) * tableau[leaves][enters] - tableau[leaves].at(-1) * tableau[i][enters];
      if (ahead < 0n || (ahead === 0n && basis[i] < basis[leaves])) leaves = i;
    }
    const chosen = tableau[leaves],
      pivot = chosen[enters];
    tableau.forEach((row, i) => {
      if (i !== leaves) tableau[i] = row.map((one, j) => (one * pivot - row[enters] * chosen[j]) / last);
    });
    basis[leaves] = enters;
    last = pivot;
  }
  const total = tableau[m].at(-1),
    mixes = [
      payoffs.map((_, i) => fraction(tableau[m][n + i], total)),
      payoffs[0].map((_, j) => (basis.includes(j) ? fraction(tableau[basis.indexOf(j)].at(-1), total) : ZERO)),
    ];
  const value = plus(fraction(last - total, total * scale), low);
  const only = [0, 1].every((player) =>
    paysOf[player](payoffs, mixes).every((one, k) => same(one, value) === mixes[player][k].n > 0n),
  );
  return { value, mixes, only };
}
