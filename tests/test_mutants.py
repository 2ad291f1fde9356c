"""The faults of ``tests/support/mutants.py`` can be put into the code as it is."""

import pytest

from mutants import MUTANTS, Mutant
from packages import ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file}: {mutant.old}")
def test_what_a_fault_replaces_stands_in_the_code_once(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text().count(mutant.old) == 1
