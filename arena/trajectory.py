"""The trajectory of a match: states, actions and rewards."""

from collections.abc import Sequence
from typing import NamedTuple

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Game
from nashzoo.envs.core.kernels import Seeds
from nashzoo.envs.rules.pieces import CHANCE

SAME_REWARD = 1e-9  # points: rewards that differ by no more are equal
MOST_CHANCE_STATES = 100_000  # searched for a path of chance outcomes to a state


class Step(NamedTuple):
    """A time step."""

    before: int  # code of the state in which the players chose
    actions: tuple[int, int]  # 0 for a player who was not to move
    stepped: int  # code of the next state, before chance
    after: int  # code of the state after chance, in which a player chooses or which is terminal
    reward: float  # player 0's, points


class Trajectory:
    """The trajectory of a match so far.

    Args:
        game: The game.
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
        before = self.code
        action0, action1 = self._checked(action0, action1)
        stepped = self.game.step(before, action0, action1)
        after, more = self.game.resolve_chance(stepped, seeds)
        return self._add(Step(before, (action0, action1), stepped, after, self.game.payoff(stepped) + more))

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
        before = self.code
        action0, action1 = self._checked(action0, action1)
        stepped = self.game.step(before, action0, action1)
        rewards = chance_rewards(self.game, stepped, stepped if after is None else after)
        if not rewards:
            known = "is missing" if after is None else f"{self.game.spell(after)} cannot be"
            raise UsageError(f"what chance decided after {self.game.spell(stepped)} {known}")
        paid = next((one for one in rewards if reward is None or abs(one - reward) <= SAME_REWARD), None)
        if paid is None:
            raise UsageError(f"the reward of player 0 is {rewards[0]:g} by the rules, not {reward:g}")
        return self._add(Step(before, (action0, action1), stepped, stepped if after is None else after, paid))

    def event(self, step: Step, seats: Sequence[int] = ()) -> str:
        """Returns a description of a time step and of its outcome of chance, in words.

        Args:
            step: The time step.
            seats: The players for whom it is described: it has only what all of them see, and is empty where they see
                nothing happen; all that happened if there are none.
        """
        game = self.game
        before, stepped, after = (seen_by(game, code, seats) for code in (step.before, step.stepped, step.after))
        if seats and before == after and not set(seats) & set(game.movers(step.before)):
            return ""
        text = moves(game, step, seats)
        return text if after == stepped else f"{text}; then by chance {game.changes(stepped, after, seats)}"

    def shown(self, number: int, seats: Sequence[int] = ()) -> int:
        """Returns the code of the state to show after ``number`` time steps, as the last move left it.

        With ``seats`` it is what all these players see.
        """
        if number == 0:
            return seen_by(self.game, self.start, seats)
        step = self.steps[number - 1]
        return seen_by(self.game, self.game.view.shown(self.game.params, step.before, step.after), seats)

    def _checked(self, *actions: int) -> tuple[int, int]:
        """Returns the actions, 0 for a player who is not to move."""
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


def seen_by(game: Game, code: int, seats: Sequence[int]) -> int:
    """Returns the code of a state with what all players in ``seats`` see of it; the state itself if there are none."""
    for seat in seats:
        code = game.information_state(code, seat)
    return code


def moves(game: Game, step: Step, seats: Sequence[int]) -> str:
    """Returns what the players did in a time step, before chance, as all players in ``seats`` see it, in words."""
    actions, movers = visible_actions(game, step, seats), game.movers(step.before)
    if all(actions[player] is not None for player in movers):
        return game.event(seen_by(game, step.before, seats), *step.actions, seen_by(game, step.stepped, seats))
    names = ["moved" if action is None else f"played {game.actions[action]}" for action in actions]
    return ", ".join(f"{game.view.PLAYERS[player]} {names[player]}" for player in movers)


def visible_actions(game: Game, step: Step, seats: Sequence[int]) -> list[int | None]:
    """Returns the actions of a time step that all players in ``seats`` know; None for those that one does not know.

    A player knows the own action, and another's if it alone leads to what the player sees after the step.
    """
    known: list[int | None] = list(step.actions)
    for seat, other in ((seat, 1 - seat) for seat in seats if 1 - seat in game.movers(step.before)):
        before, stepped = (game.information_state(code, seat) for code in (step.before, step.stepped))
        pairs = [list(step.actions) for _ in range(game.num_actions)]
        for action, pair in enumerate(pairs):
            pair[other] = action
        alike = [pair[other] for pair in pairs if _leads(game, before, pair, seat) == stepped]
        if alike != [step.actions[other]]:
            known[other] = None
    return known


def _leads(game: Game, before: int, pair: Sequence[int], seat: int) -> int:
    return game.information_state(game.rules.step(game.params, before, *pair), seat)


def chance_rewards(game: Game, stepped: int, after: int) -> list[float]:
    """Returns the possible rewards of player 0 between two states; empty if the second cannot follow.

    Args:
        game: The game.
        stepped: Code of the next state, before chance.
        after: Code of the state after chance; the same without chance.
    """
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
