"""The games of the exported pages that checks of pages share."""

from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"
PIG = f"{EXAMPLES / 'pig.py'}(target=5)"
KUHN, LEDUC, GOOFSPIEL = (str(EXAMPLES / name) for name in ("kuhn.py", "leduc.py", "hidden_goofspiel.py(cards=3)"))
EXPORTED = ("footsies_v0", "tictactoe_v0", "roshambo_v0(rounds=20)", PIG, KUHN, LEDUC, GOOFSPIEL)
