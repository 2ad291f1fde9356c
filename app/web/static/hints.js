// Two hints for a first match, one after the other, until they are closed or the match is over.

import { keep, kept } from "./navigation.js";
import { button, h } from "./parts.js";

export const isNew = () => !kept("guided");

export function hints(match, close) {
  if (match.ended) keep("guided", 1); // the review leads on
  if (!isNew()) return [];
  const [place, text] = match.steps.length
    ? [2, "Press “Solution”: a red number is what an action costs you."]
    : [
        1,
        match.state.targets.length
          ? "Choose: press a place on the board or a key."
          : "Choose: press a button or its key.",
      ];
  const dismiss = () => {
    keep("guided", 1);
    close();
  };
  return [h("p.hint", h("b", `${place} of 2 `), text, button({ "aria-label": "No hints", click: dismiss }, "×"))];
}
