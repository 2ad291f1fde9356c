"""Choices with the equilibrium, the value and the regret of each action, as JSON lines.

If the game has no more choices than asked for, all are written; else those of self-play, each once, in the order in
which they are met. Only choices between several actions count. A line has the same fields in every game, with lists in
the order of the actions, and a conversation of a question and an answer that is drawn from the equilibrium.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from nashzoo.agents.basic.nash import NashAgent
from nashzoo.agents.language.agent import Decision
from nashzoo.agents.language.server import message
from nashzoo.app.matches.word_match import rounded
from nashzoo.arena.live_match import LiveMatch
from nashzoo.baselines.choices import choice_at
from nashzoo.baselines.information_solution import InformationSolution
from nashzoo.baselines.solution import Solution
from nashzoo.envs.text.prompts import Prompts

PLAY = {"equilibrium": 0.25, "uniform": 1.0}  # the share of actions that are drawn from all legal ones alike
VAIN = 1000  # matches without a new choice, after which no more are played


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
    player = NashAgent(game, mistakes=explored, solution=solution)
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


def line_of(solution: Solution, prompts: Prompts, asked: Decision, rng: np.random.Generator) -> dict[str, Any]:
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
        "equilibrium": [*map(rounded, choice.probabilities.tolist())],
        "value": solution.game.points(choice.value, asked.code),
        "regrets": [*map(rounded, choice.regrets.tolist())],
    }
