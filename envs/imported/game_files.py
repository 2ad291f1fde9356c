"""Files with games: by their suffix, who reads them."""

from collections.abc import Callable
from pathlib import Path

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.files import text_in
from nashzoo.envs.imported.efg import read_efg
from nashzoo.envs.imported.gambit import inside
from nashzoo.envs.imported.graph_rules import GraphRules
from nashzoo.envs.imported.liteefg import read_liteefg
from nashzoo.envs.imported.matrix import MatrixRules, read_csv
from nashzoo.envs.imported.nfg import read_nfg
from nashzoo.envs.imported.trees import tree_rules


def _gbt(text: str, name: str) -> GraphRules:
    suffix, game = inside(text)
    return READERS[suffix](game, name)


# Return the rules of the game in a text, with a name.
READERS: dict[str, Callable[[str, str], GraphRules]] = {
    ".nfg": lambda text, name: MatrixRules(**read_nfg(text), name=name),
    ".efg": lambda text, name: tree_rules(name, read_efg(text)),
    ".gbt": _gbt,
    ".game": lambda text, name: tree_rules(name, read_liteefg(text)),
}


def rules_in(path: Path) -> GraphRules:
    """Returns the rules of the game in a file.

    Raises:
        UsageError: it is no such file, or its game is not of two players with a constant sum and perfect recall.
        OSError: it cannot be read.
    """
    if path.suffix in (".csv", ".tsv"):
        return MatrixRules(**read_csv(path), name=path.stem)
    try:
        return READERS[path.suffix](text_in(path), path.stem)
    except UsageError as error:
        raise UsageError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from None
