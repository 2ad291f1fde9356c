// In which order Sphinx' search shows what it finds: pages for people first, then names of Python, then lists.
const FIRST = {
  // By what a newcomer looks for, the page or section that says what it is.
  "best response": "theory/exploitability#best-response",
  exploitability: "theory/exploitability",
  gambit: "bring_your_game",
  install: "index#install",
  kuhn: "theory/hidden_information",
  menace: "menace",
  minimax: "minimax_q",
  nash: "theory/markov_games",
  openspiel: "reference/openspiel",
  ppo: "tutorials/train_ppo",
  regret: "theory/exploitability",
};
const BEHIND = /^(development|results|reference\/generated)\//;
globalThis.Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([page, title, section, , score, , kind]) => {
    const asked = new URLSearchParams(location.search).get("q").toLowerCase().trim();
    if (FIRST[asked] === page + section) return score + 100;
    const named = /[._]/.test(asked); // as names of Python are
    return (
      score + 10 * title.toLowerCase().includes(asked) - 20 * BEHIND.test(page) + 30 * (named && kind === "object")
    );
  },
};
