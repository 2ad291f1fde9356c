// Motion between two drawings: shapes of the same kind move, others come and go. So each game that can be drawn has it.

import { svgOf } from "./api.js";

const LASTS = 260; // milliseconds
const NUMBERS = /="([-\d.e, ]+)"/g;
const numbersOf = (text) => text.split(/[ ,]+/).map(Number);

// What is left of a shape without its numbers: what it is, its colours, its text, and how many numbers it has.
const kindOf = (markup) => markup.replace(NUMBERS, (all, numbers) => `="${numbersOf(numbers).length}"`);

// How far a shape of the same kind is; a thing changes its place, or its size, but not both.
const SIZES = ["width", "height", "r", "stroke-width", "font-size"];
function distance(one, other) {
  let far = 0,
    resized = false;
  for (const { name, value } of one.shape.attributes) {
    const was = other.shape.getAttribute(name);
    if (value === was) continue;
    if (SIZES.includes(name)) resized = true;
    else far += numbersOf(value).reduce((sum, number, k) => sum + Math.abs(number - numbersOf(was)[k]), 0);
  }
  return resized && far ? Infinity : far;
}

function shapesOf(svg) {
  const root = svgOf(svg);
  root.querySelector("title")?.remove();
  return [root, [...root.children].map((shape) => ({ shape, markup: shape.outerHTML }))];
}

// For each shape of a drawing that was there before: that shape. Equal ones first; then those of a kind, in the order
// in which they were drawn, or the nearest ones if some came or went.
function partners(before, after) {
  const pairs = new Map();
  for (const key of [(markup) => markup, kindOf]) {
    const taken = new Set(pairs.values()),
      old = Map.groupBy(
        before.filter((one) => !taken.has(one)),
        (one) => key(one.markup),
      );
    const fresh = Map.groupBy(
      after.filter((one) => !pairs.has(one)),
      (one) => key(one.markup),
    );
    for (const [kind, shapes] of fresh) {
      const left = [...(old.get(kind) ?? [])],
        inOrder = left.length === shapes.length;
      for (const one of left.length ? shapes : []) {
        const chosen = inOrder
          ? left[0]
          : left.reduce((a, b) => (distance(one, b) < distance(one, a) ? b : a), left[0]);
        if (!chosen) break;
        if (distance(one, chosen) < Infinity) pairs.set(one, chosen);
        left.splice(left.indexOf(chosen), 1);
      }
    }
  }
  return pairs;
}

// Shows in `layer` how one drawing becomes another; ends at once when `hurried()`.
export async function move(layer, from, to, hurried) {
  if (!from || from === to || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const [[, before], [root, after]] = [shapesOf(from), shapesOf(to)],
    partner = partners(before, after);
  const stays = new Map([...partner].map(([one, old]) => [old, one.shape]));
  let next = null;
  for (const old of before.toReversed()) {
    // what goes stays in its depth
    if (stays.has(old)) {
      next = stays.get(old);
      continue;
    }
    root.insertBefore(old.shape, next);
    old.shape.classList.add("leaves");
    next = old.shape;
  }
  const changes = after.flatMap((one) => {
    const old = partner.get(one);
    if (!old) one.shape.classList.add("comes");
    return !old || old.markup === one.markup
      ? []
      : [...one.shape.attributes]
          .filter(({ name, value }) => old.shape.getAttribute(name) !== value)
          .map(({ name, value }) => ({
            shape: one.shape,
            name,
            first: numbersOf(old.shape.getAttribute(name)),
            last: numbersOf(value),
          }));
  });
  if (!changes.length && !root.querySelector(".comes, .leaves")) return;
  const begun = performance.now();
  for (let share = 0; share < 1 && !hurried(); share = Math.min(1, (performance.now() - begun) / LASTS)) {
    const eased = share * share * (3 - 2 * share);
    for (const { shape, name, first, last } of changes)
      shape.setAttribute(name, first.map((value, k) => (value + (last[k] - value) * eased).toFixed(2)).join(" "));
    if (!share) layer.replaceChildren(root);
    await new Promise(requestAnimationFrame);
  }
  layer.replaceChildren(shapesOf(to)[0]);
}
