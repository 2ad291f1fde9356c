"""Modules by the paths of their files.

Compiled code that is kept on disk imports the module that it was compiled in, by its name.
"""

import importlib
import sys
from pathlib import Path

import pytest

from nashzoo.envs.base.errors import UsageError
from nashzoo.envs.base.modules import module_at


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
