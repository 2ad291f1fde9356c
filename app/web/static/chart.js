// Line charts, drawn as SVG.

import { h, s } from "./parts.js";

const SIZE = { width: 640, height: 300, left: 88, right: 14, top: 20, bottom: 52 };
const EDGE = 60; // from the right, in which the middle of a label would let its end be cut off
const COLOURS = ["--zero", "--one", "--good", "--bad", "--soft"];

// Round numbers from low to high, about so many.
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted || 1,
    unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((times) => times * unit >= rough);
  return Array.from(
    { length: Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1 },
    (_, k) => (Math.ceil(low / step - 1e-9) + k) * step,
  );
}

function short(value) {
  const size = Math.abs(value);
  const text =
    size > 0 && size < 1e-3
      ? (+value.toPrecision(6)).toExponential()
      : size >= 1000
        ? `${+(value / 1000).toPrecision(6)}k`
        : String(+value.toPrecision(6));
  return text.replaceAll("-", "−");
}

// x: numbers. series: [{name, y: numbers or null, colour: its number if not its place, class: instead of a colour}].
// lines: [[name, y]], drawn across. within: values that the axis has, too. log: whether x, from 0, is logarithmic.
// told: whether the keys have the first and the last value.
export function chart({ title, across, x, series, lines = [], within = [], log = false, told = false }) {
  const values = [...series.flatMap((one) => one.y), ...lines.map((line) => line[1]), ...within].filter(
    (value) => value !== null,
  );
  const [low, high] = [Math.min(...values), Math.max(...values)],
    margin = 0.06 * (high - low > 1e-9 ? high - low : 1);
  const [bottom, top, first, last] = [low - margin, high + margin, Math.min(...x), Math.max(...x)];
  const { width, height } = SIZE;
  const scale = (value) => (log ? Math.log10(1 + value) : value);
  const px = (value) =>
    SIZE.left + ((width - SIZE.left - SIZE.right) * (scale(value) - scale(first))) / (scale(last) - scale(first) || 1);
  const py = (value) => height - SIZE.bottom - ((height - SIZE.top - SIZE.bottom) * (value - bottom)) / (top - bottom);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img" });
  const ends = series.map((one) => {
    const known = one.y.filter((value) => value !== null).map((value) => short(Number(value.toPrecision(2))));
    return {
      last: `${one.name} ${known.at(-1) ?? "unknown"}`,
      course: `${one.name}: ${[...new Set([known[0], known.at(-1)])].join(" → ")}`,
    };
  });
  svg.setAttribute("aria-label", `${title} over ${across}; at the end: ${ends.map((one) => one.last).join(", ")}`);
  for (const value of ticks(bottom, top, 5)) {
    svg.append(s("line", { x1: SIZE.left, x2: width - SIZE.right, y1: py(value), y2: py(value), class: "grid" }));
    svg.append(s("text", { x: SIZE.left - 8, y: py(value) + 4, "text-anchor": "end" }, short(value)));
  }
  const powers = [0, ...Array.from({ length: 16 }, (_, k) => 10 ** k)].filter(
    (value) => value >= first && value <= last,
  );
  for (const value of log ? powers : ticks(first, last, 6))
    svg.append(
      s(
        "text",
        {
          x: px(value) > width - EDGE ? Math.min(px(value) + SIZE.right, width - 2) : px(value),
          y: height - SIZE.bottom + 20,
          "text-anchor": px(value) > width - EDGE ? "end" : "middle", // where letters are larger, on a telephone, too
        },
        short(value),
      ),
    );
  svg.append(s("text", { x: (SIZE.left + width - SIZE.right) / 2, y: height - 5, "text-anchor": "middle" }, across));
  for (const [, value] of lines)
    svg.append(s("line", { x1: SIZE.left, x2: width - SIZE.right, y1: py(value), y2: py(value), class: "reference" }));
  const coloured = (name, kind) => ({ class: kind, style: `stroke: var(${name}); border-color: var(${name})` });
  const drawn = series.map((one, k) =>
    one.class
      ? { class: one.class }
      : coloured(COLOURS[(one.colour ?? k) % COLOURS.length], k < COLOURS.length ? "" : "dashed"),
  );
  series.forEach((one, k) => {
    const points = one.y
      .map((value, place) => (value === null ? null : `${px(x[place])},${py(value)}`))
      .filter(Boolean);
    svg.append(s("polyline", { points: points.join(" "), ...drawn[k] }));
    if (points.length === 1)
      svg.append(s("circle", { cx: points[0].split(",")[0], cy: points[0].split(",")[1], r: 3, ...drawn[k] }));
  });
  const keys = [
    ...series.map((one, k) => [told ? ends[k].course : one.name, drawn[k]]),
    ...lines.map(([name]) => [name, coloured("--ink", "dashed")]),
  ];
  const spans = keys.map(([name, look]) => h("span", { ...look, class: `key ${look.class}` }, name));
  return h("figure", h("figcaption", title, ...spans), svg);
}
