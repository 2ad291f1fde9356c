# make train   trains an agent in Footsies, compares it with the exact solution, leaves a report with a picture
# make test    runs the tests
# Both make .venv first if it is not there.

PYTHON ?= python3
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(SCRIPTS)
AT_ONCE := auto  # processes of tests; 0 for this one, as two compile the same where nothing is compiled yet
BY_PYTHON := agents/hosted agents/language envs/base envs/jit envs/rules envs/text \
	$(addprefix docs/test_,contributing.py lessons.py listings.py own_game.py tutorials.py words.py) \
	$(addprefix app/test_,app.py app_errors.py imports_what_is_named.py interruption.py mcp.py play.py watch.py web.py) \
	$(addprefix envs/core/test_,files.py first_use_by_threads.py game.py threads.py without_jit.py)
LINKS := $(addprefix .typing/nashzoo/,envs baselines agents arena app)

.PHONY: help train test python firsthand map coverage processors slow lint types dist wheel oldest newest licenses ecosystem lessons browser campaign docs benchmark clean

unexport PYTHONDONTWRITEBYTECODE  # or each command and each process of a test takes two seconds more to import

help:
	@sed -n '/^# /s/^# //p' Makefile

# Python compiles what is imported, which is a small part of what is installed, and sooner done than all of it.
.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "nashzoo needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[dev]'
	touch $@

train: .venv/installed
	$(BIN)/python train.py footsies_v0 --opponent counter --run-dir runs/footsies --resume $(ARGUMENTS)

test: .venv/installed
	$(BIN)/python -m pytest -n $(AT_ONCE) --dist worksteal

# The same with the lines and branches that no test runs; compiled code is not seen.
coverage: .venv/installed
	$(BIN)/python -m pytest -n $(AT_ONCE) --dist worksteal --cov --cov-report=term:skip-covered

# The commands of README.md and of the help as they stand there, at first with nothing compiled: at a terminal, without one,
# in a notebook, interrupted. In one process, since two would compile the same.
firsthand: .venv/installed
	$(BIN)/python -m pytest -q -p no:cacheprovider --durations=20 tests/foreign/firsthand_check.py

# The numeric tests as other processors add and multiply.
processors: .venv/installed
	$(BIN)/python tests/processors.py

# What takes more than half a second of processor time a test.
slow: .venv/installed
	$(BIN)/python -m pytest -m slow -n $(AT_ONCE) --dist worksteal --durations=15

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/oxlint app docs/_static
	$(BIN)/oxfmt --check $(wildcard app/*/static/*.js docs/_static/*.js)

# The packages lie at the top level and are imported as nashzoo.<folder>; mypy finds them through links.
.typing/nashzoo/%:
	mkdir -p .typing/nashzoo
	ln -sfn ../../$* $@

types: .venv/installed $(LINKS)
	$(BIN)/mypy .typing/nashzoo train.py

# Draws the map in CONTRIBUTING.md anew.
map:
	$(PYTHON) tests/support/packages.py

# Builds what is published, in dist: the sources, and from them the wheel.
dist: .venv/installed
	rm -rf dist
	$(BIN)/python -m build --outdir dist

# Builds the wheel, installs it elsewhere, and tests it from another folder; then once more without Numba.
wheel: dist
	rm -rf .wheel
	$(PYTHON) -m venv .wheel
	.wheel/$(SCRIPTS)/python -m pip install --quiet --upgrade pip
	.wheel/$(SCRIPTS)/python -m pip install --quiet --no-compile --constraint constraints.txt "$$(ls dist/*.whl)" pytest
	mkdir .wheel/elsewhere
	touch .wheel/elsewhere/pytest.ini  # keeps the settings in pyproject.toml away
	cp tests/foreign/wheel_check.py .wheel/elsewhere/test_wheel.py
	cp tests/foreign/typed_script.py .wheel/elsewhere
	cd .wheel/elsewhere && ../../$(BIN)/mypy --config-file= --strict --python-executable ../$(SCRIPTS)/python typed_script.py
	cd .wheel/elsewhere && ../$(SCRIPTS)/python typed_script.py
	cd .wheel/elsewhere && ../$(SCRIPTS)/python -m pytest -q test_wheel.py
	.wheel/$(SCRIPTS)/python -m pip uninstall --quiet --yes numba llvmlite
	cp tests/foreign/without_numba_check.py .wheel/elsewhere/test_without_numba.py
	cd .wheel/elsewhere && ../$(SCRIPTS)/python -m pytest -q test_without_numba.py

# The lowest versions that pyproject.toml allows, and the newest that there are. PyTorch stays at its pin, for its newest
# is gigabytes, and so do the tools that run the tests.
.oldest/installed .newest/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(@D)
	grep -E '^(torch|pytest|pytest-xdist|hypothesis|pexpect)==' constraints.txt > $(@D)/constraints.txt
	[ $(@D) = .newest ] || sed -n '/^dependencies/,/^docs/p' pyproject.toml | grep -Eo '[A-Za-z0-9_-]+>=[0-9.]+' \
		| sed '/^torch>/d; s/>=/==/' >> $(@D)/constraints.txt
	$(@D)/$(SCRIPTS)/python -m pip install --quiet --upgrade pip
	$(@D)/$(SCRIPTS)/python -m pip install --quiet --no-compile --constraint $(@D)/constraints.txt --editable '.[all,llm,openspiel,ray]' \
		pytest pytest-xdist hypothesis pexpect
	touch $@

# The quick tests of the library with these versions, whose warnings are not ours to mend.
oldest: .oldest/installed
newest: .newest/installed
oldest newest:
	NUMBA_CACHE_DIR='$(CURDIR)/.$@/compiled' .$@/$(SCRIPTS)/python -m pytest -W default -n $(AT_ONCE) --dist worksteal \
		tests/envs tests/baselines tests/agents tests/arena

# The quick tests of what depends on Python itself, commands and pages, with the newest Python that pyenv or the path has, and
# without PyTorch, which brings gigabytes there: modules of tests that import it are skipped.
python: .venv/installed
	@running=$$($(BIN)/python -c 'import sys; print(sys.version_info[:2])'); \
	newest=$$(for python in $(foreach minor,12 13 14,"$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.$(minor).*/bin/python python3.$(minor)); \
		do "$$python" -c "import ensurepip, sys; sys.version_info[:2] > $$running and sys.version_info.releaselevel == 'final' and print(sys.executable)" 2>/dev/null; done | tail -n 1); \
	if [ -z "$$newest" ]; then echo "there is no Python here that is newer than $$running, with which the tests run"; \
	else $(MAKE) --no-print-directory .python/installed PYTHON="$$newest" && \
		.python/$(SCRIPTS)/python -m pytest -n $(AT_ONCE) --dist worksteal $(addprefix tests/,$(BY_PYTHON)); fi

.python/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .python
	.python/$(SCRIPTS)/python -m pip install --quiet --upgrade pip
	.python/$(SCRIPTS)/python -m pip install --quiet --no-compile --constraint constraints.txt \
		--editable '.[render,web,llm,mcp,openspiel,ray]' pytest pytest-xdist hypothesis pexpect httpx2 jinja2 jupytext matplotlib playwright
	touch $@

# Writes the table of licences in docs/development/licenses.md.
licenses: .venv/installed
	$(BIN)/python -m studies.licenses

# RLlib, TorchRL, Tianshou and verifiers demand versions of their own, so they have an environment of their own.
.ecosystem/installed: pyproject.toml constraints.txt examples/requirements.txt
	$(PYTHON) -m venv .ecosystem
	grep -v -e '^gymnasium==' -e '^mcp==' -e '^openai==' constraints.txt > .ecosystem/constraints.txt
	.ecosystem/bin/python -m pip install --quiet --upgrade pip
	.ecosystem/bin/python -m pip install --quiet --no-compile --constraint .ecosystem/constraints.txt \
		--requirement examples/requirements.txt --editable '.[rllib,openspiel]' pytest
	touch $@

# Runs the examples with other libraries; pytest's settings are kept away, for their warnings are not ours to mend.
ecosystem: .ecosystem/installed
	OMP_NUM_THREADS=1 PYTHONPATH=.:examples:tests/support .ecosystem/bin/python -m pytest -q -c /dev/null --rootdir . --noconftest --disable-warnings \
		-p no:cacheprovider --durations=0 $(addprefix tests/foreign/,rllib_check.py tianshou_check.py learners_check.py openspiel_check.py verifiers_check.py)

# Otter-Grader brings what nobody else needs, so it is installed here and not with the rest.
.venv/class: .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[class]'
	touch $@

# Makes the notebooks of the lessons and their graders; solutions pass, stubs and wrong answers do not.
lessons: .venv/class
	$(BIN)/python -m pytest -q -p no:cacheprovider -W ignore tests/foreign/lessons_check.py

.venv/chromium: .venv/installed
	command -v chromium-headless-shell || \
		{ apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium-headless-shell; } || \
		command -v chromium || command -v chromium-browser || command -v google-chrome
	touch $@

# The pages of nashzoo web and of the documentation in Chromium. Its program without a window, which takes a third of the
# time, is installed where the system is Debian.
browser: docs .venv/chromium
	$(BIN)/python -m pytest -q -p no:cacheprovider -n auto --dist worksteal tests/foreign/browser*_check.py

# Tries to break the library at its edges; ARGUMENTS=--long tries much more, for more than an hour.
campaign: .venv/installed
	$(BIN)/python -m studies.campaign $(ARGUMENTS)

# What builds the site of the documentation is installed here and not with the rest, so that `make test` needs none of it.
.venv/docs: .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[docs]'
	touch $@

# The documentation as a site, in build/site; every warning, such as of a link that leads nowhere, is an error.
docs: .venv/docs
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet --jobs auto \
		--doctree-dir build/doctrees docs build/site

benchmark: .venv/installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --requirement benchmarks/requirements.txt
	$(BIN)/python -m benchmarks

# Also removes what Numba compiled.
clean:
	rm -rf .venv .wheel .oldest .newest .python .ecosystem .typing build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .coverage* docs/reference/generated
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
