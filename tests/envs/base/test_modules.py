"""Modules by the paths of their files.

Compiled code that is kept on disk imports the module that it was compiled in, by its name.
"""

import importlib
import sys
from pathlib import Path

import pytest

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import failing_line, module_at


def written(file: Path, text: str = "") -> str:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return str(file)


def test_no_file_of_a_folder_is_imported_by_the_name_of_a_module_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = module_at(written(tmp_path / "named" / "lonely_rules.py"))
    written(tmp_path / "here" / "lonely_rules.py", "raise AssertionError('nobody named this file')\n")
    monkeypatch.syspath_prepend(tmp_path / "here")
    monkeypatch.syspath_prepend(tmp_path / "named")
    assert importlib.import_module(module.__name__) is module  # as long as it is loaded
    monkeypatch.delitem(sys.modules, module.__name__)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(module.__name__)


def test_a_file_is_loaded_once_even_if_its_package_is_imported_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    path = written(tmp_path / "package_of_rules" / "rules.py")
    module = module_at(path)
    importlib.import_module("package_of_rules.rules")
    assert module_at(path) is module


def test_a_file_does_not_take_the_name_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "first" / "twice_there.py", "folder = 'first'\n")
    second = written(tmp_path / "second" / "twice_there.py", "folder = 'second'\n")
    monkeypatch.syspath_prepend(tmp_path / "first")
    by_path, by_name = module_at(second), importlib.import_module("twice_there")
    assert (by_path.folder, by_name.folder) == ("second", "first")
    assert module_at(second) is by_path


def test_a_files_name_may_have_dots(tmp_path: Path) -> None:
    assert module_at(written(tmp_path / "rules.of.1990.py", "year = 1990\n")).year == 1990
    with pytest.raises(UsageError, match="line 1, in <module>: ImportError: attempted relative import"):
        module_at(written(tmp_path / "rules.of.1991.py", "from . import year\n"))


def test_code_that_is_no_python_is_named_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "helper_of_rules.py", "one = 1\ntwo = = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    for place in (written(tmp_path / "asks_the_helper.py", "\n\n\nimport helper_of_rules\n"), "helper_of_rules"):
        with pytest.raises(UsageError, match=r"helper_of_rules\.py, line 2: invalid syntax"):
            module_at(place)


def test_a_line_of_named_code_is_told_and_what_our_code_raises_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "named_games").mkdir()
    written(tmp_path / "named_games" / "__init__.py")
    written(tmp_path / "named_games" / "inner.py", "def lost():\n    return {}['cards']\n")
    faults = (
        "from nashzoo.envs.base.words import counted\nfrom nashzoo.envs import make_game\n"
        "from named_games.inner import lost\ndef ours():\n    counted('x', 'state')\ndef wrong():\n    make_game('x')\n"
    )
    written(tmp_path / "named_games" / "first.py", faults)
    for place in ("named_games.first", written(tmp_path / "first_of_all.py", faults)):
        told = {}
        for name in ("lost", "ours", "wrong"):
            with pytest.raises((KeyError, ValueError)) as error:
                getattr(module_at(place), name)()
            told[name] = failing_line(error.value)
        assert told["ours"] is None  # a text is no number, and our function does not say so
        assert "line 7, in wrong" in str(told["wrong"])
        assert "inner.py, line 2, in lost" in str(told["lost"])
