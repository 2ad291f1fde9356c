"""The tutorials: their code does what they say and makes their pictures; the notebooks are in step."""

from pathlib import Path

import nbformat
import pytest

from studies.tutorials import FOLDER, IMAGES, NOTEBOOKS, PAGES, PROMISE, notebook, pictures, run


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in run(page):
        if block.shown is not None:
            assert block.printed == block.shown, f"write it anew: python -m studies.tutorials {page.stem}"
            continue
        lines = [line for line in block.code.splitlines() if line.startswith("print(")]
        for line, output in zip(lines, block.printed.splitlines(), strict=True) if lines else ():
            promised = PROMISE.match(line)
            if promised is not None:
                assert output == promised[1] or float(output) == pytest.approx(float(promised[1]), abs=1e-9), line
    for name in pictures(page):
        assert (tmp_path / name).exists(), f"{page.name} shows {name}, which its code does not make"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_ends_in_a_picture_and_is_listed(page: Path) -> None:
    assert pictures(page)
    for name in pictures(page):
        assert (IMAGES / name).exists(), f"make it: python -m studies.tutorials {page.stem}"
    assert f"]({page.name})" in (FOLDER / "index.md").read_text()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_made_from_its_page(name: str) -> None:
    text = (FOLDER / f"{name}.ipynb").read_text()
    assert text == notebook(FOLDER / f"{name}.md"), "write it anew: python -m studies.tutorials --notebooks"
    made = nbformat.reads(text, as_version=4)
    nbformat.validate(made)
    cells = [cell.source for cell in made.cells if cell.cell_type == "code"]
    assert len(cells) >= 4 and any("savefig" in cell for cell in cells)
    kinds = [output.output_type for cell in made.cells if cell.cell_type == "code" for output in cell.outputs]
    assert {"stream", "display_data"} <= {*kinds}
    assert made.cells[-1].source.strip()  # it ends in words
