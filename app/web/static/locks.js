// Locks: decisions at which a player is fixed, while the rest of the game is solved, see /api/locked. Each is a player,
// a state, and a share for each action, as in 1,34,50,50.

import { capital } from "./api.js";
import { pictureOf } from "./board.js";
import { button, h, said, share } from "./parts.js";

// What becomes of percentages whose sum is not 100.
function scaled(percents) {
  const sum = percents.reduce((all, one) => all + one / 100, 0),
    parts = percents.map((one) => share(one / 100 / sum)).join(", ");
  if (share(sum) === share(1)) return "";
  return `These add to ${share(sum)}${sum ? `: scaled to ${parts.replace(/, ([^,]*)$/, " and $1")}` : ""}`;
}

export class Locks {
  constructor(about, text, changed) {
    Object.assign(this, { about, changed });
    this.held = text ? text.split(";") : [];
    const where =
      /\bcard/.test(about.rules) && about.chance ? "for this very card and these moves" : "in this position";
    this.list = h("ul.locks", { role: "list" });
    this.intro = h("p.soft");
    this.habit =
      "What if a player has a habit? Say how often it takes each action here. Both players know it, and play as " +
      `well as they can with it. The lock holds ${where} alone; everywhere else the player is free.`;
    this.element = h(
      "details.panel",
      { id: "locks", open: this.held.length > 0 },
      h("summary", "Lock a decision"),
      this.intro,
      this.list,
    );
  }

  get text() {
    return this.held.join(";") || undefined;
  }

  // The locks, each with the position where it holds and its words, and no form yet.
  show(told = []) {
    this.intro.textContent = "Nobody chooses here. Go to a decision first.";
    this.element.querySelectorAll("form").forEach((form) => form.remove());
    this.list.replaceChildren(
      ...this.held.map((lock, k) =>
        h(
          "li",
          ...(told[k] ? [pictureOf(this.about, told[k].code), capital(said(this.about, told[k].text))] : [lock]),
          h("small.wrong", scaled(lock.split(",").slice(2).map(Number))),
          button({ click: () => this.hold(this.held.filter((one) => one !== lock)) }, "Release"),
        ),
      ),
    );
  }

  // A form to lock a player who chooses at a state.
  offer(code, player, actions) {
    if (actions.length < 2) return;
    this.intro.textContent = this.habit;
    const inputs = [...actions]
      .sort((one, other) => one.action - other.action)
      .map(({ name, probability }) => [
        name,
        h("input", { type: "number", min: 0, max: 100, step: "any", value: +(100 * probability).toFixed(1) }),
        +(100 * probability).toFixed(4),
      ]);
    // What is left as it was is not rounded.
    const percents = () =>
      inputs.map(([, input, exact]) => (input.value === input.defaultValue ? exact : Number(input.value)));
    const submit = () => {
      const key = `${player},${code},`,
        kept = this.held.filter((one) => one.startsWith(`${player},`) && !one.startsWith(key));
      if (percents().some(Boolean)) this.hold([...kept, key + percents().join(",")]);
    };
    const [own, other] = [player, 1 - player].map((one) => this.about.players[one]),
      releases = this.held.some((one) => !one.startsWith(`${player},`)),
      total = h("output.wrong"),
      add = () => (total.textContent = scaled(percents()));
    add();
    this.element.append(
      h(
        "form",
        { submit, input: add },
        h(`strong.p${player}name`, capital(own)),
        ...inputs.map(([name, input]) => h("label", `${name}, %`, input)),
        total,
        h("button", `Lock ${own}`),
        releases && h("small", `Only one player can be locked. Locking ${own} releases ${other}.`),
      ),
    );
  }

  hold(locks) {
    this.held = locks;
    this.changed();
  }
}
