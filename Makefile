# Everything sets itself up: a virtual environment in .venv, with the versions pinned in constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.honeyguide-set-up
JOBS ?= 2
# Some tests wait, for a process or a clock: one more than there are cores keeps them busy.
TESTERS := $(shell expr $(JOBS) + 1)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
COMMA := ,

.PHONY: demo test test-python dist check-dist docker install-ray test-cluster lint lint-deploy types examples pywb wordnet wordnet-or-not bench mutants fuzz clean

KERNEL := $(wildcard src/honeyguide/kernel/*.pyx)

$(STAMP): pyproject.toml constraints.txt setup.py $(KERNEL)
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable ".[dev]"
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/honeyguide demo

# What only some tests need, which are skipped without it. It is installed at once, for each call of pip takes seconds,
# and again when pyproject.toml or constraints.txt has changed; where that fails, one by one, and at the next run again.
EXTRAS := cluster,export-tests,deploy-lint$(if $(shell command -v chromium),$(COMMA)browser)
WITH_EXTRAS := $(VENV)/.with-$(EXTRAS)
$(WITH_EXTRAS): $(STAMP)
	@if $(PIP) --editable ".[$(EXTRAS)]"; then touch $@; else for extra in $(subst $(COMMA), ,$(EXTRAS)); do \
	  $(PIP) --editable ".[$$extra]" || echo "$$extra cannot be installed: the tests that need it are skipped"; done; fi

pywb:
	@test -x $(VENV)/pywb/bin/wb-manager || { $(PYTHON) -m venv $(VENV)/pywb \
	  && $(VENV)/pywb/bin/python -m pip install --quiet --disable-pip-version-check pywb==2.10.0; } \
	  || echo "pywb cannot be installed: its test is skipped"

wordnet-or-not: $(STAMP)
	@$(BIN)/honeyguide wordnet || echo "the tests that need the real WordNet are skipped"

test: $(WITH_EXTRAS)
	@command -v chromium > /dev/null || echo "there is no chromium: the tests in a browser are skipped"
	@# The first time, mypy takes as long as all the others together.
	@$(MAKE) --no-print-directory --jobs=$(JOBS) --output-sync=target types lint lint-deploy pywb wordnet-or-not
	@# Each process begins with a run of neighbouring tests, so that what the tests of a file share is made once, and
	@# takes over half of what the other has left when it is done: no core is idle at the end.
	$(BIN)/python -m pytest -n $(TESTERS) --dist worksteal --hypothesis-profile=ci

install-ray: $(STAMP)
	$(PIP) --editable ".[dev,cluster]"

# The tests with another Python: make test-python PYTHON=python3.13. Those in a browser and on Ray are skipped.
OTHER = .venv-$(notdir $(PYTHON))
test-python:
	$(PYTHON) -m venv $(OTHER)
	$(OTHER)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	$(OTHER)/bin/python -m pytest -n $(TESTERS) --dist worksteal --hypothesis-profile=ci

# The wheel and the source distribution, and whether they are what they should be.
dist: $(STAMP)
	$(PIP) --editable ".[dist]"
	rm -rf build dist
	$(BIN)/python -m build --outdir dist > /dev/null

check-dist: dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(PYTHON) -m venv build/installed
	build/installed/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt dist/*.whl
	cd build && installed/bin/honeyguide doctor > /dev/null && installed/bin/honeyguide --version

# The container, built and run: it crawls the demo web, as no root, into a volume.
docker:
	docker build --quiet --file deploy/Dockerfile --tag honeyguide .
	docker run --rm honeyguide doctor
	docker run --rm --entrypoint sh honeyguide -c 'test "$$(id -u)" != 0 && honeyguide demo --pages 300 --budget 60 && honeyguide doctor --full crawls/*'

# On real clusters of Ray, with two nodes, one of which is killed; takes minutes.
test-cluster: install-ray
	$(BIN)/python -m pytest tests/cluster -m "cluster or not cluster"

lint: $(STAMP)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/lint-imports --no-cache --no-logo > /dev/null || $(BIN)/lint-imports --no-cache --no-logo

# The files of deploy/: the container, and clusters of them.
$(VENV)/.deploy-lint: $(STAMP)
	@test -x $(BIN)/hadolint -a -x $(BIN)/yamllint -a -x $(BIN)/check-jsonschema || $(PIP) --editable ".[deploy-lint]"
	@touch $@

lint-deploy: $(VENV)/.deploy-lint
	$(BIN)/hadolint deploy/Dockerfile
	$(BIN)/yamllint --strict --config-file deploy/.yamllint.yaml deploy
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec deploy/compose.yaml

types: $(STAMP)
	$(BIN)/mypy --no-error-summary

# The packages of examples/, installed into a fresh environment and used. Part of the tests, too.
examples: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) tests/examples

wordnet: $(STAMP)
	$(BIN)/honeyguide wordnet

bench: $(STAMP)
	$(PIP) --editable ".[dev,bench]"
	$(BIN)/python -m benchmarks

# A sample of each package of pyproject.toml takes hours; stopped and started again, it goes on.
mutants: $(STAMP)
	$(PIP) --editable ".[dev,mutants]"
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.mutants --jobs $(JOBS) --out results/mutants.md

# A million inputs for each reader of outside bytes takes an hour or two; stopped and started again, it goes on.
fuzz: $(STAMP)
	$(PIP) --editable ".[dev,fuzz]"
	$(BIN)/python -m benchmarks.fuzz --out results/fuzz.md

clean:
	rm -rf $(VENV) .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
