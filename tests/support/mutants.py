"""Faults put into the code, one at a time, each with the tests that must notice it.

python tests/support/mutants.py            # all of them
python tests/support/mutants.py stamps     # those in files with this in their path

The faults are put into a copy.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from packages import ROOT, TOP_LEVEL


class Mutant(NamedTuple):
    """A fault."""

    file: str
    old: str  # stands in the file once
    new: str
    tests: str


RULES, STAMPS = "tests/envs/rules/test_rules.py", "tests/envs/jit/test_stamps.py"
APP, BASELINES = "tests/app", "tests/baselines"
BY_STATE, HIDDEN = "baselines/state_form.py", "baselines/information_form.py"
LEARNING, WORDS, LANGUAGE = "tests/agents/learning", "tests/envs/text", "tests/agents/language"
CHECKER, JOINT = "baselines/certificate/checker.py", "envs/core/joint_steps.py"
LAYERS, PARTS = "baselines/certificate/layers.py", "baselines/certificate/parts.py"
CLAIMS = "tests/baselines/certificate/test_checker.py -k Claims"
NETWORKS, OF_NETWORKS = "baselines/policies/networks.py", "tests/baselines/policies/test_networks.py"
BACKUP, INDEXED = "baselines/solvers/indexed_backup.py", "tests/baselines/states/test_indexed.py"
PLAIN = "tests/baselines/certificate/test_checker.py -k TestThePlainChecker -o addopts="
GUARANTEED = "tests/baselines/certificate/test_checker.py -k Guaranteed"
TABLE = "tests/baselines/certificate/test_checker.py -k TestATable"
PART = "tests/baselines/certificate/test_checker.py -k TestThePart"

MUTANTS = (
    Mutant("envs/rules/codes.py", "sum(bits.values()) > MOST_BITS", "sum(bits.values()) > MOST_BITS + 1", RULES),
    Mutant("envs/rules/codes.py", "{(1 << size) - 1}", "{1 << size}", RULES),
    Mutant("envs/rules/observation.py", "({above} - {least})", "{above}", RULES),
    Mutant("envs/rules/observation.py", "state.{field} >> k & 1", "state.{field} >> k", RULES),
    Mutant("envs/rules/check.py", "len(by_hand) < 3", "len(by_hand) < 2", RULES),
    Mutant("envs/rules/build.py", "+ player == 1:", "== player:", RULES),
    Mutant("envs/jit/stamps.py", "yield from _parts(value.co_consts)", "pass", STAMPS),
    Mutant("envs/jit/stamps.py", "yield value.tobytes()", "pass", STAMPS),
    Mutant("envs/jit/stamps.py", "called.append(part)", "pass", STAMPS),
    Mutant("envs/jit/tables.py", "place + rows].view(np.float64)", "place + rows]",
           "tests/envs/rules/test_plain_rules.py -k kinds"),
    Mutant("agents/learning/registry.py", '"dqn", True, modules=_DQN', '"dqn", False, modules=_DQN',
           f"{LEARNING}/test_maskable_learners.py"),
    Mutant("agents/learning/registry.py", " and entry.masks == masks", "", "tests/app/test_train_settings.py"),
    Mutant("agents/learning/tabular/learner.py", "self.num_games += games", "pass",
           f"{LEARNING}/tabular/test_convergence.py"),
    Mutant("agents/learning/tabular/learner.py", "copy_into(self.tables(), arrays)", "pass",
           f"{LEARNING}/test_learner_contract.py"),
    Mutant("agents/language/interview.py", "needed > left", "needed > left + 1", LANGUAGE),
    Mutant("agents/language/interview.py", " if question not in self.replies", "", LANGUAGE),
    Mutant("agents/language/replies.py", "file.truncate(whole)", "pass", LANGUAGE),
    Mutant("agents/language/agent.py", "relative ** (1 / temperature)", "relative**temperature", LANGUAGE),
    Mutant("agents/language/agent.py", "for _ in range(2)", "for _ in range(3)", LANGUAGE),
    Mutant("agents/language/server.py", "token.token.strip()", "token.token", LANGUAGE),
    Mutant("envs/text/answers.py", "> 1:", "> 2:", f"{WORDS}/test_answers.py"),
    Mutant("envs/text/answers.py", "text)) != 1:", "text)) < 1:", f"{WORDS}/test_answers.py"),
    Mutant("envs/text/answers.py", "(str.strip, _bare, _plain)", "(_plain,)", f"{WORDS}/test_answers.py"),
    Mutant("envs/text/situation.py", "choices[-1] if choices else 0", "0", f"{WORDS}/test_situation.py"),
    Mutant("envs/text/wording.py", "code, [player]), [player])", "code, []), [player])", f"{WORDS}/test_situation.py"),
    Mutant("envs/text/wording.py", "tuple(sorted(vocabulary(game)))", "()", f"{WORDS}/test_wording.py"),
    Mutant("envs/text/wording.py", "new.capitalize() if", "new if", f"{WORDS}/test_wording.py"),
    Mutant("app/text/match.py", "if not self.correction:", "if True:", f"{APP}/test_text_match.py"),
    Mutant("app/text/match.py", "players[1 - seat].rng = rng", "pass", f"{APP}/test_text_match.py"),
    Mutant("app/text/match.py", "live.game.forfeited(code, won, [seat])", "live.points", f"{APP}/test_text_match.py"),
    Mutant("app/text/match.py", "np.nan_to_num(choice.regrets).max()", "-np.inf", f"{APP}/test_text_match.py"),
    Mutant("app/text/text_env.py", "over and not truncated", "over", f"{APP}/test_text_env.py"),
    Mutant("app/text/dataset.py", "one not in known and ", "", f"{APP}/test_text_dataset.py"),
    Mutant("app/commands/text.py", "len(asked) <= states", "len(asked) < states", f"{APP}/test_text_dataset.py"),
    Mutant("app/text/replays.py", "first or 0, second or 0", "second or 0, first or 0", f"{APP}/test_text_kaggle.py"),
    Mutant("baselines/choices.py", "else -stage.value", "else stage.value", "tests/baselines/test_choices.py"),
    Mutant("baselines/practice.py", "2 * (losses", "1 * (losses", "tests/baselines/test_practice.py"),
    Mutant("baselines/stage_game.py", "(1 - 2 * player) * self", "self", "tests/baselines/test_practice.py"),
    Mutant("tests/support/same_game.py", "!= text:", "== '':", f"{WORDS}/test_wording.py -k found"),
    Mutant(CHECKER, "lowest = min(lowest, worth)", "lowest = worth", PLAIN),
    Mutant(CHECKER, "-np.inf)  # type: ignore[no-any-return]", "np.inf)", GUARANTEED),
    Mutant(CHECKER, "average * (1.0 - (most + 2) * ROUNDING)", "average", GUARANTEED),
    Mutant(CHECKER, "return total if exact else np.nextafter(total, -np.inf)", "return total", GUARANTEED),
    Mutant(CHECKER, "            if place == NOWHERE:\n", "            if False:\n", CLAIMS),
    Mutant(CHECKER, "codes[place] == code)", "True)", TABLE),
    Mutant(CHECKER, "0 <= place < count and (len(codes) == 0 or ", "(len(codes) == 0 or ", TABLE),
    Mutant(PARTS, "if place == NOWHERE:", "if False:", PART),
    Mutant(CHECKER, "~place, -1.0, swap", "~place, 1.0, swap", TABLE),
    Mutant(CHECKER, "-1.0, swap_players(params, code)", "-1.0, code", TABLE),
    Mutant(PARTS, "numbered and stored is not None, codes", "False, codes", TABLE),
    Mutant(PARTS, "mixes[mixer ^ image, i]", "mixes[mixer, i]", PLAIN),
    Mutant(PARTS, "lower[player ^ image, k], guarantees", "lower[player, k], guarantees", PLAIN),
    Mutant(PARTS, "quick(copy, m, n,", "quick(matrix, m, n,", TABLE),
    Mutant(PARTS, "valid &= weight >= 0.0", "valid &= True", PART),
    Mutant(PARTS, "if valid and abs(total - 1.0) <= DISTRIBUTION:", "if valid and total > 0.0:", PART),
    Mutant(PARTS, "guarantees[player] = least * inverse", "guarantees[player] = least", PART),
    Mutant(PARTS, "(count + 2) * ROUNDING * largest + TINY", "0.0", PART),
    Mutant(PARTS, "largest = max(largest, abs(matrix[choice]))", "largest = max(largest, matrix[choice])", PART),
    Mutant(PARTS, "least = min(least, sums[reply] if player == 0", "least = min(least, sums[0] if player == 0", PART),
    Mutant(PARTS, "if not abs(matrix[choice]) < np.inf:", "if False:", PART),
    Mutant(PARTS, "0.5 * (guarantees[0] - guarantees[1])", "guarantees[0]", PART),
    Mutant(PARTS, "better = ~(ahead.gaps[left] <= again.gaps)", "better = np.zeros(len(left), bool)", PART),
    Mutant(LAYERS, "return 2 * math.fsum(lost)", "return math.fsum(lost)", PLAIN),
    Mutant(LAYERS, "lost.append(loss)", "lost = [loss]", PLAIN),
    Mutant(LAYERS, "            if not stored:\n", "            if True:\n",
           "tests/baselines/certificate/test_checker.py -k a_file_that_is_wrong"),
    Mutant(CHECKER, "highest + (own > 0.0)", "highest", CLAIMS),
    Mutant(CHECKER, "worth <= own:", "worth < own:", CLAIMS),
    Mutant(CHECKER, "probability >= 0.0 and (probability == 0.0", "(probability == 0.0", CLAIMS),
    Mutant(CHECKER, "abs(total - 1.0) <= DISTRIBUTION", "total >= 0.0", CLAIMS),
    Mutant(CHECKER, " or not abs(reward) < np.inf:", ":", CLAIMS),
    Mutant(CHECKER, "every_action & allowed1[k] if len(allowed1) > 0 else every_action", "every_action",
           "tests/baselines/certificate/test_checker.py -k Restricted"),
    Mutant(CHECKER, "soonest if hurries else latest", "latest if hurries else soonest", CLAIMS),
    Mutant(CHECKER, "return STRAYS + mover, code", "pass", CLAIMS),
    Mutant(CHECKER, "weights[0, i] = i, probabilities[i]", "weights[0, i] = i, 1.0", PLAIN),
    Mutant(CHECKER, "rank = max(rank, highest", "rank = max(0, highest", PLAIN),
    Mutant(CHECKER, "reject(game, codes[lower[:, player] < claimed]", "reject(game, codes[:0]", CLAIMS),
    Mutant(CHECKER, "reject(game, codes[lasting]", "reject(game, codes[:0]", CLAIMS),
    Mutant(JOINT, "played0 >> action0 | played1", "played0 >> action0 & played1", PLAIN),
    Mutant(JOINT, "payoff(numbers, code_after)", "payoff(numbers, code)", PLAIN),
    Mutant(BACKUP, "own[k, rows[i]] == 0.0", "own[k, rows[i]] < 0.0", f"{INDEXED} -k Reaches"),
    Mutant(BACKUP, "other[k, columns[j]] > 0.0)", "other[k, columns[j]] >= 0.0)", f"{INDEXED} -k Reaches"),
    Mutant(BACKUP, "_place(numbers[n * i + j]) ^ mirrored", "_place(numbers[n * i + j])", f"{INDEXED} -k Reaches"),
    Mutant(BACKUP, "swap_players(params, code) == code", "False", f"{INDEXED} -k Measures"),
    Mutant(BACKUP, "ids[k] ^ 1 if symmetric", "ids[k] if symmetric", f"{INDEXED} -k Measures"),
    Mutant(BACKUP, "values[numbers[choice] ^ mirrored]", "values[numbers[choice]]", f"{INDEXED} -k Measures"),
    Mutant(BACKUP, "sign = -1.0 if mirrored", "sign = 1.0 if mirrored", f"{INDEXED} -k Measures"),
    Mutant(BACKUP, "1 - decides if mirrored and", "decides if mirrored and", f"{INDEXED} -k Measures"),
    Mutant(BACKUP, "worth1[j] < worth1[best]", "worth1[j] > worth1[best]", f"{INDEXED} -k Measures"),
    Mutant(BACKUP, "valid &= numbers[choice] < first", "pass", f"{INDEXED} -k RulesThatAreWrong"),
    Mutant(BACKUP, "valid &= abs(rewards[choice]) < np.inf", "pass", f"{INDEXED} -k RulesThatAreWrong"),
    Mutant(NETWORKS, "copy.deepcopy(module, {id(last): copy.copy(last)})", "module",
           f"{OF_NETWORKS} -k Threads"),
    Mutant(NETWORKS, "tanh.__class__ = _FastTanh", "tanh.__class__ = nn.Sigmoid", f"{OF_NETWORKS} -k Threads"),
    Mutant("baselines/policies/outputs.py", "logits[k, a] > top", "logits[k, a] < top", f"{OF_NETWORKS} -k illegal"),
    Mutant("baselines/policies/tabular.py", "masks.argmax(axis=1)", "0", f"{INDEXED} -k TablePolicy"),
    Mutant("envs/core/checks.py", "if check_game(game).hides:", "if False:",
           f"{BASELINES}/test_weak_states.py -k hidden"),
    Mutant("envs/core/game.py", "return self.turn_based and not self.hides", "return self.turn_based",
           "tests/envs/core/test_game.py"),
    Mutant(BY_STATE, "return estimate if player == 0 else estimate.negative()", "return estimate",
           f"{BASELINES}/test_evaluation.py"),
    Mutant(BY_STATE, "first.times(2.0)", "first", f"{BASELINES}/test_evaluation.py"),
    Mutant(BY_STATE, "if winner == 0 else successors.rewards < 0", "", f"{BASELINES}/test_win_probabilities.py"),
    Mutant(BY_STATE, "first if self.game.symmetric else table_of(states, player, 1)", "first",
           f"{BASELINES}/test_measures.py"),
    Mutant(HIDDEN, "best_response(form, weights_of(form, policy, player), 1 - player)[0].negative()",
           "best_response(form, weights_of(form, policy, player), 1 - player)[0]", f"{BASELINES}/information"),
    Mutant(HIDDEN, "(level.rewards > 0, level.rewards < 0)", "(level.rewards < 0, level.rewards < 0)",
           f"{BASELINES}/information"),
    Mutant(HIDDEN, "if roots is not None and not", "if roots is None and not", f"{BASELINES}/information"),
    Mutant("baselines/state_mixes.py", "if len(numbered) > MAX_STATES:", "if False:",
           f"{APP}/test_train_self_play.py -k too_many"),
    Mutant("app/web/solver.py", "if solution.has_values and code", "if code", f"{APP}/test_mcp.py"),
    Mutant("arena/measure.py", "except (NotSeenError, *UNKNOWN):", "except UNKNOWN:",
           f"{APP}/test_train_hidden_information.py"),
    Mutant("app/matches/perfect_play.py", "return None if left is None else 1 + left", "return left",
           f"{APP}/test_play.py"),
)  # fmt: skip


def notices(root: Path, mutant: Mutant) -> bool:
    """Returns whether the tests fail with this fault in the copy ``root``."""
    file = root / mutant.file
    text = file.read_text()
    file.write_text(text.replace(mutant.old, mutant.new))
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutant.tests.split()]
    places = {**os.environ, "PYTHONPATH": str(root / "links")}
    done = subprocess.run(words, cwd=root, env=places, capture_output=True, text=True, check=False)
    file.write_text(text)
    print(f"{'noticed' if done.returncode == 1 else 'NOT NOTICED'}: {mutant.file}: {mutant.old} -> {mutant.new}")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    print(*(f"    {line[:150]}" for line in failed or done.stdout.splitlines()[-1:]), sep="\n", flush=True)
    return done.returncode == 1


def main() -> bool:
    """Returns whether all faults are noticed."""
    missing = [mutant for mutant in MUTANTS if (ROOT / mutant.file).read_text().count(mutant.old) != 1]
    if missing:
        sys.exit("\n".join(f"{mutant.file} has not once: {mutant.old}" for mutant in missing))
    with tempfile.TemporaryDirectory() as name:
        root = Path(name, "nashzoo")
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(".*", "build", "runs"))
        (root / "links" / "nashzoo").mkdir(parents=True)
        for folder in TOP_LEVEL:  # found before the packages that are installed
            (root / "links" / "nashzoo" / folder).symlink_to(root / folder)
        chosen = [mutant for mutant in MUTANTS if all(word in mutant.file for word in sys.argv[1:])]
        return all([notices(root, mutant) for mutant in chosen])


if __name__ == "__main__":
    sys.exit(int(not main()))
