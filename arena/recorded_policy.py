"""The policy of a player in recorded matches: how often it chose each action at each state."""

from collections.abc import Iterable, Sequence

import numpy as np

from nashzoo.agents.basic.nash import NashAgent
from nashzoo.agents.notation import split_options
from nashzoo.arena.records import Record
from nashzoo.baselines.solution import Solution
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.core.game import Features, Floats, Game, Ints, Mask
from nashzoo.envs.text.steps import Step


class RecordedPolicy(NashAgent):
    """Plays the actions that a player chose in recorded matches as often as it did; elsewhere the equilibrium.

    So it loses nothing at states where the player was not seen. Where it was seen a few times, the frequencies are more
    uneven than the player, and lose more.

    Args:
        game: The game; matches of other games are left out.
        player: The name of the player in the records, with or without its options.
        records: The matches.
        solution: The game's solution, if it is at hand; looked up or computed when None.

    Attributes:
        matches: The number of matches.
        played: The steps of each, with the player's seat; twice where it took both.
        counts: By state and seat the number of times that it chose each action ``[actions]``. In a symmetric game all
            states are as seen from seat 0.

    Raises:
        UsageError: the player chose in none of the matches.
    """

    def __init__(self, game: Game, player: str, records: Iterable[Record], solution: Solution | None = None) -> None:
        super().__init__(game, solution=solution)
        self.matches = 0
        self.played: list[tuple[Sequence[Step], int]] = []
        self.counts: dict[tuple[int, int], Floats] = {}
        names: set[str] = set()
        for record in records:
            if record.game == game:
                names.update(record.players)
                seats = seats_of(record, player)
                self.matches += bool(seats)
                for seat in seats:
                    self.played.append((record.trajectory.steps, seat))
                    self._count(record, seat)
        if not self.counts:
            known = f"the players are {', '.join(sorted(names))}" if names else "there are no matches of this game"
            raise UsageError(f"{player} chose in no recorded match of {game}: {known}")

    @property
    def decisions(self) -> int:
        """The number of choices that were recorded."""
        return sum(map(self.decisions_at, self.counts))

    def decision(self, code: int, seat: int) -> tuple[int, int]:
        """Returns a state and a seat as they are counted, in a symmetric game from seat 0."""
        if self.game.symmetric and seat == 1:
            return int(self.game.swap_players(np.array([code]))[0]), 0
        return code, seat

    def decisions_at(self, decision: tuple[int, int]) -> int:
        """Returns the number of choices that were recorded at a state in a seat."""
        return int(self.counts[decision].sum()) if decision in self.counts else 0

    def sample_counts(self, observations: Features, action_masks: Mask) -> Ints:
        """Returns how often each action was chosen ``[B, actions]``."""
        codes, players = self.states_of(observations)
        counts = np.zeros((len(codes), self.game.num_actions), np.int64)
        for row, decision in zip(counts, zip(codes.tolist(), players.tolist(), strict=True), strict=True):
            if decision in self.counts:
                row[:] = self.counts[decision]
        return counts

    def action_probabilities(self, observations: Features, action_masks: Mask) -> Floats:
        """Returns frequencies ``[B, actions]``, and equilibrium probabilities at states without any."""
        probabilities = super().action_probabilities(observations, action_masks)
        counts = self.sample_counts(observations, action_masks)
        seen = counts.any(axis=1)
        probabilities[seen] = counts[seen] / counts[seen].sum(axis=1, keepdims=True)
        return probabilities

    def _count(self, record: Record, seat: int) -> None:
        for step in record.trajectory.steps:
            if seat in self.game.movers(step.before):
                decision = self.decision(step.before, seat)
                self.counts.setdefault(decision, np.zeros(self.game.num_actions))[step.actions[seat]] += 1


def seats_of(record: Record, player: str) -> list[int]:
    """Returns the seats of a player, who is named with or without its options, in a recorded match."""
    return [seat for seat, name in enumerate(record.players) if player in (name, split_options(name)[0])]
