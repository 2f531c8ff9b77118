# What a contributor types; `make` alone lists it. Needs Python 3.11 or newer, pip with a registry, git and make.

PYTHON ?= python3
DURATION ?=
BENCHES ?= saddle

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed.stamp
READY := $(VENV)/kernels.stamp
KERNELS := $(wildcard src/typeover/kernels/*.py)

.DEFAULT_GOAL := help
.PHONY: help setup run test check fix slow docs bench lint

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST) | expand -t 14

setup: $(READY) ## make .venv with everything in requirements.lock, and compile the kernels

run: $(READY) ## set up, then the live demo (DURATION=60: end by itself after a minute)
	@$(BIN)/typeover demo $(if $(DURATION),--duration $(DURATION))

test: lint ## set up, then every test that ends within 15 minutes in all, with coverage
	$(BIN)/python -m pytest --cov --cov-report=term

check: lint ## format, lint, types, layers, docs drift and the fast tests, in under 2 minutes
	$(BIN)/python -m pytest -q -m "not slow and not thorough"

fix: $(READY) ## format and auto-fix
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

slow: $(READY) ## rates, kills, load, full studies
	$(BIN)/python -m pytest -m slow

docs: $(READY) ## build docs/_build and run every snippet
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build
	@echo "docs/_build/index.html is built"
	$(BIN)/python -m pytest README.md docs

bench: $(READY) ## run all benchmarks; fails if a bar is missed (BENCHES=saddle: only these)
	@status=0; for name in $(BENCHES); do $(BIN)/typeover bench $$name || status=$$?; done; exit $$status

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --no-logo

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Typeover needs Python 3.11 or newer, $(PYTHON) is %d.%d; run: make PYTHON=python3.12" % sys.version_info[:2])'
	@echo "setting up $(VENV): once, and again when requirements.lock or pyproject.toml changes"
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) \
		|| { $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install -q pip; }
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(READY): $(INSTALLED) $(KERNELS)
	@echo "compiling the kernels: once, and again when one of them changes"
	@$(BIN)/python -m typeover.kernels
	@touch $@
