"""The trajectory of a match: states, actions and rewards."""

from collections.abc import Sequence

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.kernels import Seeds
from nashzoo.envs.rules.pieces import CHANCE
from nashzoo.envs.text.steps import Step, described, seen_by

SAME_REWARD = 1e-9  # points: rewards that differ by no more are equal
MOST_CHANCE_STATES = 100_000  # searched for a path of chance outcomes to a state


class Trajectory:
    """The trajectory of a match so far.

    Args:
        start: Code of the first state, in which a player chooses.

    Attributes:
        steps: The time steps; to take back moves, remove them from the end.
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
        """Codes of all states in which a player chose, and of the last."""
        return [self.start, *(step.after for step in self.steps)]

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.game.terminal(self.code)

    @property
    def points(self) -> float:
        """The sum of player 0's rewards, points."""
        return float(sum(step.reward for step in self.steps))

    def act(self, action0: int, action1: int, seeds: Seeds) -> Step:
        """Adds a time step; chance draws with the stream ``seeds`` ``[1]``.

        Raises:
            UsageError: the game is over, or an action is illegal.
        """
        before, actions, stepped = self._stepped(action0, action1)
        after, more = self.game.resolve_chance(stepped, seeds)
        return self._add(Step(before, actions, stepped, after, self.game.payoff(stepped) + more))

    def follow(self, action0: int, action1: int, after: int | None = None, reward: float | None = None) -> Step:
        """Adds a time step whose outcome of chance is known.

        Args:
            action0: Player 0's action; ignored if it was not to move.
            action1: Player 1's action, likewise.
            after: Code of the state after chance; None without chance.
            reward: Player 0's reward, points; None to take it from the rules.

        Raises:
            UsageError: the rules do not allow it.
        """
        before, actions, stepped = self._stepped(action0, action1)
        rewards = chance_rewards(self.game, stepped, stepped if after is None else after)
        if not rewards:
            known = "is missing" if after is None else f"{self.game.spell(after)} cannot be"
            raise UsageError(f"what chance decided after {self.game.spell(stepped)} {known}")
        paid = next((one for one in rewards if reward is None or abs(one - reward) <= SAME_REWARD), None)
        if paid is None:
            raise UsageError(f"the reward of player 0 is {rewards[0]:g} by the rules, not {reward:g}")
        return self._add(Step(before, actions, stepped, stepped if after is None else after, paid))

    def event(self, step: Step, seats: Sequence[int] = ()) -> str:
        """Returns a description of a time step and of its outcome of chance, in words.

        Args:
            step: The time step.
            seats: The players for whom it is described: it has only what all of them see, and is empty where they see
                nothing happen; all that happened if there are none.
        """
        return described(self.game, step, seats)

    def shown(self, number: int, seats: Sequence[int] = ()) -> int:
        """Returns the code of the state to show after ``number`` time steps, as the last move left it.

        With ``seats`` it is what all these players see.
        """
        if number == 0:
            return seen_by(self.game, self.start, seats)
        step = self.steps[number - 1]
        return seen_by(self.game, self.game.view.shown(self.game.params, step.before, step.after), seats)

    def _stepped(self, *actions: int) -> tuple[int, tuple[int, int], int]:
        """Returns the state, the actions, 0 for a player who is not to move, and the state before chance decides."""
        if self.over:
            raise UsageError("the game was over")
        chosen = [0, 0]
        for player in self.game.movers(self.code):
            action, legal = actions[player], self.game.legal_actions(self.code, player)
            if action not in legal:
                choices = ", ".join(self.game.actions[choice] for choice in legal)
                raise UsageError(f"{offence(self.game, player, action)}; legal actions are {choices}")
            chosen[player] = action
        return self.code, (chosen[0], chosen[1]), self.game.step(self.code, *chosen)

    def _add(self, step: Step) -> Step:
        self.steps.append(step)
        return step


def offence(game: Game, player: int, action: int) -> str:
    """Returns a sentence on an illegal action."""
    named = game.actions[action] if 0 <= action < len(game.actions) else action
    return f"player {player} played {named}, which is not legal there"


def chance_rewards(game: Game, stepped: int, after: int) -> list[float]:
    """Returns player 0's possible rewards between the state before chance and that after; empty if it cannot follow."""
    rewards: list[float] = []
    waiting, seen = [(stepped, game.payoff(stepped))], {(stepped, game.payoff(stepped))}
    while waiting and len(seen) <= MOST_CHANCE_STATES:
        code, reward = waiting.pop()
        if game.terminal(code) or game.turn(code) != CHANCE:
            rewards += [reward] if code == after else []
            continue
        outcomes = [(int(one), reward + game.payoff(int(one))) for one in game.outcomes(code)[0]]
        waiting += [outcome for outcome in outcomes if outcome not in seen]
        seen |= set(outcomes)
    return rewards
