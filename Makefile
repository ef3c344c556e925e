# Two commands on a bare machine (Python 3.11 or newer and make): `make preview` and `make test`.
# Nothing is written outside .venv, .state and the user's cache folder; no tracked file is changed.

STACK ?= demo
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
# Two cores are what continuous integration has.
WORKERS ?= 2

ifndef PYTHON
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)
endif

.PHONY: help preview test check static unit engine bench lock clean environment

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

preview: environment ## preview STACK (default demo; `all`: every stack) with the policy pack on the real engine
	@$(BIN)/python scripts/preview.py "$(STACK)" $(ARGS)

test: static engine ## every check: format, lint, types, doors, unit tests and real previews
	@$(BIN)/pytest -n $(WORKERS)

check: static unit ## the fast part: no engine needed

unit: environment
	@$(BIN)/pytest -n $(WORKERS) -m "not engine"

static: environment
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy && $(BIN)/mypy __main__.py
	@$(BIN)/lint-imports --no-logo

engine: environment ## find, fetch or build the Pulumi engine, and say where it is
	@$(BIN)/python scripts/engine.py

bench: environment engine ## the figures to beat, one JSON line each
	@missed=0; for one in cold_plan warm_plan scale rules_resources fabric sweep real_preview; do $(BIN)/python benchmarks/$$one.py || missed=1; done; exit $$missed

lock: environment ## write the lock file anew from pyproject.toml (ARGS=--upgrade: newest versions)
	@$(BIN)/python scripts/compile_lock.py $(ARGS)

clean: ## remove what was made in the checkout; the engine in the cache folder stays
	@rm -rf $(VENV) $(VENV).lock .state .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# Does nothing when the lock file and pyproject.toml are as they were; safe to run twice at once.
environment:
	@if [ -z "$(PYTHON)" ]; then echo "tierplan needs Python 3.11 or newer on PATH (or make PYTHON=/path/to/python3)" >&2; exit 3; fi
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "tierplan needs Python 3.11 or newer; $(PYTHON) is older or does not start" >&2; exit 3; }
	@"$(PYTHON)" scripts/environment.py $(VENV)
