"""``nashzoo text dataset``: choices with the equilibrium, the value and the regret of each action, as JSON lines.

If the game has no more choices than asked for, all are written; else those of self-play, each once, in the order in
which they are met. Only choices between several actions count. A line has the same fields in every game, with lists in
the order of the actions, and a conversation of a question and an answer that is drawn from the equilibrium.
"""

import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import rich

from nashzoo.agents.basic.nash import NashAgent
from nashzoo.agents.language.agent import Decision
from nashzoo.agents.language.server import message
from nashzoo.app.shared.parsing import game_of
from nashzoo.arena.live_match import LiveMatch
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.solution import Solution
from nashzoo.baselines.store import solution_of
from nashzoo.envs.base.files import check_file, written_whole
from nashzoo.envs.base.json_text import finite
from nashzoo.envs.base.words import counted
from nashzoo.envs.core.agent import uniform_over
from nashzoo.envs.core.checks import check_count, check_one_of, check_seed
from nashzoo.envs.core.game import Features, Floats, Mask
from nashzoo.envs.text.prompts import Prompts

PLAY = {"equilibrium": 0.25, "uniform": 1.0}  # the share of actions that are drawn from all legal ones alike
DIGITS = 9  # of figures, after the point
VAIN = 1000  # matches without a new choice, after which no more are played


def main(
    game: str, param: tuple[str, ...], states: int, out: Path, seed: int, prompt: str, disguise: int | None, play: str
) -> None:
    """Writes the data set, whole or not at all.

    Raises:
        UsageError: there is no such game, or an option has a value it cannot have.
    """
    check_count("states", states)
    check_seed(seed)
    check_file(out)
    explored = PLAY[check_one_of("play", play, PLAY)]
    chosen = game_of(game, param)
    prompts = Prompts(chosen, prompt, disguise)
    solution, rng = solution_of(chosen), np.random.default_rng(seed)
    asked = list(itertools.islice(all_choices(solution), states + 1))
    whole = len(asked) <= states
    if not whole:
        asked = list(itertools.islice(played_choices(solution, explored, rng), states))
    with written_whole(out) as temporary, temporary.open("w", encoding="utf-8") as file:
        for one in asked:
            line = finite(_line(solution, prompts, one, rng))
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
    source = "all that there are" if whole else f"of self-play ({play})"
    more = "" if whole or len(asked) == states else f"; {VAIN:,} more matches met no other"
    rich.print(f"Written to {out}: {counted(len(asked), 'choice')}, {source}{more}.")


def all_choices(solution: Solution) -> Iterator[Decision]:
    """Yields all choices between several actions of a solved game."""
    game = solution.game
    if isinstance(solution, InformationSolution):
        choices: Iterable[Decision] = (
            Decision(code, player) for player in (0, 1) for code in solution.form.treeplexes[player].codes.tolist()
        )
    else:
        states: Any = solution.states
        codes = (int(states.codes_at(np.array([number]))[0]) for number in range(len(states)))
        choices = (Decision(code, player) for code in codes for player in game.movers(code))
    return (one for one in choices if len(game.legal_actions(*one)) > 1)


def played_choices(solution: Solution, explored: float, rng: np.random.Generator) -> Iterator[Decision]:
    """Yields choices between several actions that players of the equilibrium meet, each once.

    With the probability ``explored`` an action is drawn from all legal ones alike.
    """
    game, known, vain = solution.game, set[Decision](), 0
    player = _Explorer(solution, explored)
    player.rng = rng
    while vain < VAIN:
        before = len(known)
        match = LiveMatch(game, (player, player), rng)
        while match.ended is None:
            for seat in match.movers:
                one = Decision(game.information_state(match.code, seat), seat)
                if one not in known and len(game.legal_actions(*one)) > 1:
                    known.add(one)
                    yield one
            match.step()
        vain = vain + 1 if len(known) == before else 0


class _Explorer(NashAgent):
    def __init__(self, solution: Solution, explored: float) -> None:
        super().__init__(solution.game, solution=solution)
        self.explored = explored

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        nash = super().action_probabilities(observations, action_masks)
        return (1 - self.explored) * nash + self.explored * uniform_over(action_masks)


def _line(solution: Solution, prompts: Prompts, asked: Decision, rng: np.random.Generator) -> dict[str, Any]:
    """Returns the fields of a choice."""
    choice = choice_at(solution, *asked)
    names = [prompts.wording.actions[action] for action in choice.actions]
    drawn = rng.choice(len(names), p=choice.probabilities / choice.probabilities.sum())
    return {
        "game": str(solution.game),
        "state": solution.game.spell(asked.code, [asked.player]),
        "player": asked.player,
        "prompt": [message("user", prompts.read(*asked))],
        "completion": [message("assistant", names[drawn])],
        "actions": names,
        "equilibrium": _plain(choice.probabilities),
        "value": choice.value,
        "regrets": _plain(choice.regrets),
    }


def _plain(figures: Floats) -> list[float]:
    """Returns figures without the rounding of their last digits, and 0 without a sign."""
    return [round(figure, DIGITS) + 0.0 for figure in figures.tolist()]
