# Everything sets itself up: a virtual environment in .venv, with the versions pinned in constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.honeyguide-set-up
JOBS ?= 2

.PHONY: demo test lint types wordnet bench clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/honeyguide demo

test: $(STAMP) lint types
	@$(BIN)/honeyguide wordnet || echo "the tests that need the real WordNet are skipped"
	$(BIN)/python -m pytest -n $(JOBS)

lint: $(STAMP)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/lint-imports --no-cache --no-logo > /dev/null || $(BIN)/lint-imports --no-cache --no-logo

types: $(STAMP)
	$(BIN)/mypy --no-error-summary

wordnet: $(STAMP)
	$(BIN)/honeyguide wordnet

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev,bench]"
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
