// Two hints for a first match, one after the other, until they are closed or the match is over.

import { keep, kept } from "./navigation.js";
import { button, h } from "./parts.js";

export const isNew = () => !kept("guided");

export function hints(match, close) {
  if (match.ended) keep("guided", 1); // the review leads on
  if (!isNew()) return [];
  const [place, text] = match.steps.length
    ? [2, "Press “Solution”: what perfect play does, and what a mistake costs."]
    : [1, `Choose: press a ${match.state.targets.length ? "place on the board" : "button"}.`];
  const dismiss = () => {
    keep("guided", 1);
    close();
  };
  return [h("p.hint", h("b", `${place} of 2 `), text, button({ "aria-label": "No hints", click: dismiss }, "×"))];
}
