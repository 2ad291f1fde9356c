"""Checks of training functions for self-play, on tiny games whose right play is known.

A training function is ``train(game, decisions, seed)``, where ``game`` may be an environment, see
``arena/trainer_forms.py``. It returns a policy, or a pair of policies for the two seats:
a ``torch.nn.Module`` that returns logits, a model of Stable-Baselines3, or anything else that the exact measures take,
see :class:`nashzoo.baselines.Policy`; or nothing, but it saves a model of Stable-Baselines3 in the working directory.
If it also takes ``opponents``, a list of policies of which one is drawn for
every game, the probes with opponents are run, too.

What a policy loses in a seat is computed exactly: to a best response in self-play, and against opponents what a best
response to them would win more. The probes that fail show what is wrong, see ``arena/trainer_suspects.py``.

Sources: Osband et al. (2020), "Behaviour Suite for Reinforcement Learning", and Jones (2021), "Debugging RL, Without
the Agonizing Pain", have such probes for single agents.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nashzoo.agents import as_agent
from nashzoo.agents.learning.own_class import check_training
from nashzoo.arena.measure import measure
from nashzoo.arena.trainer_forms import form_of
from nashzoo.arena.trainer_probes import PROBES, Probe
from nashzoo.arena.trainer_suspects import SUSPECTS
from nashzoo.baselines.evaluation import best_response, evaluate
from nashzoo.baselines.policies.tabular import tabulate
from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import failing_line
from nashzoo.envs.base.words import suggestion
from nashzoo.envs.core.game import Floats, Game

Trainer = Callable[..., Any]
SEATS = (0, 1)
NEAR = 0.4  # of the loss of uniform play: untrained networks are no farther from it
GROWTH, MOST_TIMES = 4.0, 16.0  # of the decisions, for slow learners
MOST_SECONDS = 120.0  # of processor time, a probe
SAVED = "*.zip"  # models of Stable-Baselines3
NOISE = 0.1  # of the failures that a mistake may have, the share that differs from seed to seed
LEAST = 0.05  # probability of a mistake that is named


@dataclass(frozen=True)
class Finding:
    """What a training function reached in a probe.

    Attributes:
        probe: The probe.
        losses: The points a game that its policy loses in each seat; none after an error.
        error: What went wrong, in a sentence; empty if nothing did.
        seconds: The time of training and measuring.
        decisions: Those that it was given.
    """

    probe: Probe
    losses: tuple[float, ...]
    error: str
    seconds: float
    decisions: int = 0

    @property
    def failed_seats(self) -> tuple[int, ...]:
        """The seats in which the policy loses too much; both after an error."""
        if not self.losses:
            return SEATS
        return tuple(seat for seat in SEATS if not self.losses[seat] <= self.probe.most)

    @property
    def passed(self) -> bool:
        """Whether the policy loses little, and no error occurred."""
        return not self.failed_seats and not self.error

    @property
    def slow(self) -> bool:
        """Whether both seats lose too much, but neither more than an untrained policy may."""
        return len(self.failed_seats) == 2 and bool(self.losses) and max(self.losses) <= (1 + NEAR) * self.probe.uniform


def check_trainer(
    train: Trainer, seed: int = 0, names: Sequence[str] = (), factor: float | None = None, form: str = ""
) -> Iterator[Finding]:
    """Yields what a training function reaches in each probe.

    Args:
        train: The training function.
        seed: Its seed.
        names: The names of the probes; all when empty.
        factor: Multiplies the numbers of decisions. When None it is 1, or, for learners that are slower than most, the
            smaller of 4 and 16 with which the first probe is learned in a seat; and no probe takes much longer than two
            minutes of processor time.
        form: The form in which the function is given games; when empty its first parameter says it.

    Raises:
        UsageError: the function cannot be called as above, there is no such probe, or the probe has opponents and the
            function takes none.
    """
    parameters = check_training(train).parameters
    probes = {probe.name: probe for probe in PROBES}
    possible = [name for name in probes if "opponents" in parameters or probes[name].opponents is None]
    for name in names:
        if name not in probes:
            raise UsageError(f"there is no probe {name!r}{suggestion(name, probes)}; they are {', '.join(probes)}")
        if name not in possible:
            raise UsageError(f"the probe {name!r} needs a training function with a parameter named opponents")
    made = form_of(train, form).make

    def trained(game: Game, *rest: Any, **named: Any) -> Any:
        saved = set(Path().glob(SAVED))
        learned = train(made(game), *rest, **named)
        new = sorted(set(Path().glob(SAVED)) - saved, key=lambda file: file.stat().st_mtime)
        return as_agent(str(new[-1]), game) if learned is None and new else learned

    return _findings(trained, [probes[name] for name in names or possible], seed, factor)


def _findings(train: Trainer, probes: Sequence[Probe], seed: int, factor: float | None) -> Iterator[Finding]:
    """Yields what is reached in each probe; without a factor, with one that is found in the first."""
    settled, times, most = factor is not None, factor or 1.0, np.inf
    for probe in probes:
        while True:
            began = time.process_time()
            finding = _finding(train, probe, seed, int(min(round(times * probe.decisions), most)))
            seconds = max(time.process_time() - began, 1e-9)
            if settled or not finding.slow or times == MOST_TIMES or seconds * GROWTH > MOST_SECONDS:
                break
            times *= GROWTH
        if factor is None:
            most = max(finding.decisions * MOST_SECONDS / seconds, 1)
            if not settled and finding.slow:
                times = 1.0  # more are of no use
        settled = settled or probe.uniform > probe.most
        yield finding


def _finding(train: Trainer, probe: Probe, seed: int, decisions: int) -> Finding:
    began = time.perf_counter()
    losses: tuple[float, ...] = ()
    try:
        losses, error = _learned(train, probe, seed, decisions)
    except (Exception, SystemExit) as raised:  # another's code can raise anything
        place = failing_line(raised)
        said = next(iter(str(raised).splitlines()), "")
        kind = "" if isinstance(raised, UsageError) else f"{type(raised).__name__}: "
        error = f"{'' if place is None else f'{place}: '}{kind}{said}"
    return Finding(probe, losses, error, time.perf_counter() - began, decisions)


def _learned(train: Trainer, probe: Probe, seed: int, decisions: int) -> tuple[tuple[float, ...], str]:
    """Returns what a new policy loses in each seat, and what went wrong."""
    game = probe.game()
    if probe.opponents is None:
        policies = _of_seats(train(game, decisions, seed))
        found = (measure(game, policies[seat], seats=(seat,), table=policies[seat]) for seat in SEATS)
        return tuple(one.exploitability.known for one in found), ""
    opponents = probe.opponents(train, game, seed + 1)
    before = [_start_probabilities(game, opponent) for opponent in opponents]
    policies = _of_seats(train(game, decisions, seed, opponents=list(opponents)))
    after = [_start_probabilities(game, opponent) for opponent in opponents]
    changed = not np.array_equal(before, after)
    losses = (max(_lost(game, policies, opponent, seat) for opponent in opponents) for seat in SEATS)
    return tuple(losses), "the opponent's probabilities changed while the learner trained" * changed


def _of_seats(learned: Any) -> tuple[Any, Any]:
    """Returns the policies of the two seats."""
    if learned is None:
        raise UsageError(
            f"the training function returned None, not a policy, and saved no {SAVED} in the working directory"
        )
    if isinstance(learned, tuple | list) and not (isinstance(learned, tuple) and len(learned) == 2):
        kind = type(learned).__name__
        raise UsageError(
            f"the training function returned a {kind} of length {len(learned)}, not a policy or a tuple of two"
        )
    return learned if isinstance(learned, tuple) else (learned, learned)


def _start_probabilities(game: Game, learned: Any) -> Floats:
    """Returns the probabilities of both seats at the start ``[2, starts, actions]``."""
    policies = _of_seats(learned)
    return np.stack([tabulate(game, policies[seat], game.start_codes, seat) for seat in SEATS])


def _lost(game: Game, policies: tuple[Any, Any], opponent: Any, seat: int) -> float:
    """Returns what a policy in a seat wins less from an opponent than a best response does."""
    others = _of_seats(opponent)
    most = best_response(game, others[1 - seat], seat).value
    if seat == 0:
        return most - evaluate(game, policies[0], others[1])
    return most + evaluate(game, others[0], policies[1])


def failures(findings: Iterable[Finding]) -> set[str]:
    """Returns in which probes and seats a policy loses too much, as in ``SUSPECTS``, but with all seats."""
    failed = set()
    for finding in findings:
        if finding.losses:
            parts: list[object] = list(finding.failed_seats)
            parts += ["opposite"] * (max(finding.losses) > finding.probe.opposite) + ["changed"] * bool(finding.error)
            failed |= {f"{finding.probe.name}:{part}" for part in parts}
    return failed


def nothing_learned(findings: Iterable[Finding]) -> bool:
    """Returns whether the losses are about those of uniform play, in all probes that uniform play fails."""
    measured = [finding for finding in findings if finding.losses and finding.probe.uniform > finding.probe.most]
    return bool(measured) and all(
        abs(loss - finding.probe.uniform) <= NEAR * finding.probe.uniform
        for finding in measured
        for loss in finding.losses
    )


def suspects(findings: Iterable[Finding], in_turn: bool = True) -> dict[str, float]:
    """Returns the known mistakes that the failures look like, the likeliest first; none if nothing failed.

    With each is how sure it is: its probability, if one of the known mistakes was made, and each failure differs from
    that of its pattern with probability ``NOISE``. Those below ``LEAST`` are left out, and those of loops that take the
    players ``in_turn``, if this is none. Probes that ended in an error tell nothing.
    """
    findings = list(findings)
    failed, names = failures(findings), {finding.probe.name for finding in findings if finding.losses}
    if not failed:
        return {}
    likelihoods = {}
    for mistake, suspect in SUSPECTS.items():
        if in_turn or not suspect.in_turn:
            patterns = map(expanded, suspect.failed.split(" or "))
            seen = [{failure for failure in pattern if failure.partition(":")[0] in names} for pattern in patterns]
            likelihoods[mistake] = (NOISE / (1 - NOISE)) ** min(len(failed ^ each) for each in seen)
    every = sum(likelihoods.values())
    sure = {mistake: likelihood / every for mistake, likelihood in likelihoods.items()}
    return {
        mistake: sure[mistake] for mistake in sorted(sure, key=sure.__getitem__, reverse=True) if sure[mistake] > LEAST
    }


def expanded(pattern: str) -> set[str]:
    """Returns the failures of a pattern of ``SUSPECTS``.

    >>> sorted(expanded("seats:1 cycle"))
    ['cycle:0', 'cycle:1', 'seats:1']
    """
    words = pattern.split()
    return {word for word in words if ":" in word} | {
        f"{word}:{seat}" for word in words if ":" not in word for seat in SEATS
    }
