"""Files with games: by their suffix, who reads them."""

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

TREES = {".efg": read_efg, ".game": read_liteefg}


def rules_in(path: Path) -> GraphRules:
    """Returns the rules of the game in a file.

    Raises:
        UsageError: it is no such file, or its game is not of two players with a constant sum and perfect recall.
        OSError: it cannot be read.
    """
    if path.suffix in (".csv", ".tsv"):
        return MatrixRules(**read_csv(path), name=path.stem)
    try:
        kind, text = path.suffix, text_in(path)
        if kind == ".gbt":
            kind, text = inside(text)
        if kind == ".nfg":
            return MatrixRules(**read_nfg(text), name=path.stem)
        return tree_rules(path.stem, TREES[kind](text)).told()
    except UsageError as error:
        raise UsageError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from None
