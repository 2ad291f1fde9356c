"""How a match went: the states, and what was played and paid between them."""

from typing import NamedTuple

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.kernels import Seeds
from nashzoo.envs.core.rules import CHANCE

SAME_REWARD = 1e-9  # points that a reward may differ by and be the same
MOST_CHANCE_STATES = 100_000  # looked through for a way by which chance leads to a state


class Step(NamedTuple):
    """A time step."""

    before: int  # code of the state in which the players chose
    actions: tuple[int, int]  # 0 for whoever was not to move
    stepped: int  # code of the state this led to
    after: int  # and of that in which somebody chooses again, or the game is over, once chance has decided
    reward: float  # player 0's, points


class Trajectory:
    """A match as far as it went.

    Args:
        game: The game.
        start: Code of the state in which it began; somebody chooses there.

    Attributes:
        steps: The time steps; who takes back moves removes them from the end.
    """

    def __init__(self, game: Game, start: int) -> None:
        self.game = game
        self.start = start
        self.steps: list[Step] = []

    @property
    def code(self) -> int:
        """Code of the last state."""
        return self.steps[-1].after if self.steps else self.start

    @property
    def codes(self) -> list[int]:
        """Codes of all states in which somebody chose, and of the last."""
        return [self.start, *(step.after for step in self.steps)]

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.game.terminal(self.code)

    @property
    def points(self) -> float:
        """What player 0 has been paid, points."""
        return float(sum(step.reward for step in self.steps))

    def act(self, action0: int, action1: int, seeds: Seeds) -> Step:
        """Adds a time step; chance draws with the stream ``seeds`` ``[1]``.

        Raises:
            UsageError: the game is over, or an action is illegal.
        """
        before = self.code
        action0, action1 = self._checked(action0, action1)
        stepped = self.game.step(before, action0, action1)
        after, more = self.game.decided(stepped, seeds)
        return self._add(Step(before, (action0, action1), stepped, after, self.game.payoff(stepped) + more))

    def follow(self, action0: int, action1: int, after: int | None = None, reward: float | None = None) -> Step:
        """Adds a time step of which it is known what chance decided.

        Args:
            action0: What player 0 played; whatever stands there is ignored where it was not to move.
            action1: What player 1 played.
            after: Code of the state once chance had decided; None where it did not.
            reward: What player 0 was paid, points; None for what the rules say.

        Raises:
            UsageError: the rules do not allow it.
        """
        before = self.code
        action0, action1 = self._checked(action0, action1)
        stepped = self.game.step(before, action0, action1)
        rewards = chance_rewards(self.game, stepped, stepped if after is None else after)
        if not rewards:
            known = "is missing" if after is None else f"{self.game.spell(after)} cannot be"
            raise UsageError(f"what chance decided after {self.game.spell(stepped)} {known}")
        found = next((one for one in rewards if reward is None or abs(one - reward) <= SAME_REWARD), None)
        if found is None:
            raise UsageError(f"the reward of player 0 is {rewards[0]:g} by the rules, not {reward:g}")
        return self._add(Step(before, (action0, action1), stepped, stepped if after is None else after, found))

    def told(self, step: Step) -> str:
        """Returns in words what happened in a time step, and what chance made of it."""
        told = self.game.event(step.before, *step.actions, step.stepped)
        return told if step.after == step.stepped else f"{told}; then by chance {self.game.spell(step.after)}"

    def shown(self, number: int) -> int:
        """Returns the code of the state to show after so many time steps, with everything where they left it."""
        if number == 0:
            return self.start
        step = self.steps[number - 1]
        return self.game.view.shown(self.game.params, step.before, step.after)

    def _checked(self, *actions: int) -> tuple[int, int]:
        """Returns the actions, 0 for whoever is not to move."""
        if self.over:
            raise UsageError("the game was over")
        chosen = [0, 0]
        for player in self.game.movers(self.code):
            action, names = actions[player], self.game.actions
            legal = self.game.legal_actions(self.code, player)
            if action not in legal:
                named = names[action] if 0 <= action < len(names) else action
                choices = ", ".join(names[choice] for choice in legal)
                raise UsageError(
                    f"player {player} played {named}, which is not legal there; legal actions are {choices}"
                )
            chosen[player] = action
        return chosen[0], chosen[1]

    def _add(self, step: Step) -> Step:
        self.steps.append(step)
        return step


def chance_rewards(game: Game, stepped: int, after: int) -> list[float]:
    """Returns what player 0 may have been paid between a step and a state; nothing where that cannot follow.

    Args:
        game: The game.
        stepped: Code of the state that the players' actions led to.
        after: Code of the state once chance has decided, or the same.
    """
    found: list[float] = []
    waiting, seen = [(stepped, game.payoff(stepped))], {(stepped, game.payoff(stepped))}
    while waiting and len(seen) <= MOST_CHANCE_STATES:
        code, reward = waiting.pop()
        if game.terminal(code) or game.turn(code) != CHANCE:
            found += [reward] if code == after else []
            continue
        outcomes = [(int(one), reward + game.payoff(int(one))) for one in game.outcomes(code)[0]]
        waiting += [outcome for outcome in outcomes if outcome not in seen]
        seen |= set(outcomes)
    return found
