# All tasks of the project; `make help` lists them.
PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes
# More than the number of cores, since many tests wait.
JOBS ?= 5
MINUTES ?= 10
PLAYERS ?= 60
TIMES ?= 5
QUICK ?= tests/rules tests/games/core tests/games/attempts tests/test_imports.py
DEALS ?= 1000
# One target for each game with a search.
SEARCHES := $(patsubst games/solver/%/search.py,search-%,$(wildcard games/solver/*/search.py))
# Every module in benchmarks/ with its own measurement, and the browser's, which the tests' driver plays.
BENCHES ?= $(patsubst benchmarks/%.py,%,$(shell grep -l '__name__ == "__main__"' benchmarks/*.py | grep -v _parts)) browser
export HOST PORT

.DEFAULT_GOAL := help
.PHONY: help run stack test quick $(SEARCHES) lint style types client bench fairplay bots docs soak mutate orders messages lock images release clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

run: $(VENV)/.base ## play in one process with SQLite, no server to install (HOST, PORT)
	@$(BIN)/python -m config.processes.embedded

stack: $(VENV)/.base ## production processes on this machine (DATABASE_URL, REDIS_URL, PORT; SHAPE=wide brings its own servers)
	@$(BIN)/python -m deploy.stack

test: ## lint, types and all tests (JOBS processes)
	@$(MAKE) -s -j --output-sync=line client style $(SEARCHES)
	@nice $(BIN)/mypy & types=$$!; $(BIN)/pytest -n $(JOBS) --folders; tests=$$?; wait $$types && exit $$tests

quick: ## lint and the quick tests of rules and attempts, in a minute (QUICK="tests/accounts" for others)
	@$(MAKE) -s -j --output-sync=line style types
	@$(BIN)/pytest -q -n $(JOBS) -m "not slow and not services and not browser" $(QUICK)

# Compiled before the tests, or else each of their processes would compile the solver for itself, a minute of work.
$(SEARCHES): search-%: $(VENV)/.dev
	@$(BIN)/python -c "from games.rules import open_table; from games.solver import load; load(open_table('$*', bytes(32)))"

lint: ## ruff and mypy, including the tests; form of the templates; types, lint and format of the client code
	@$(MAKE) -s -j --output-sync=line client style types

style: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@found=$$($(BIN)/djhtml --check --tabwidth 2 frontend/templates 2>&1) || \
	  { echo "$$found" "Without --check, it indents them." >&2; exit 1; }
	@! LC_ALL=C.UTF-8 grep -rnE '.{141}' frontend/templates || \
	  { echo "Lines of templates have at most 140 characters." >&2; exit 1; }

types: $(VENV)/.dev
	@$(BIN)/mypy

# Only work on the client needs Node, so this is skipped if npm is missing, except in CI.
client:
	@if command -v npm >/dev/null; then $(MAKE) -s frontend/node_modules/.lock && npm --prefix frontend run --silent check; \
	elif [ "$$CI" = true ]; then echo "required in CI: npm, to check the client's code" >&2; exit 1; \
	else echo "The client's code is not checked: npm is missing."; fi

frontend/node_modules/.lock: frontend/package-lock.json
	@echo "Installing the client's checks ..."
	@npm --prefix frontend ci --no-audit --no-fund --silent
	@touch $@

bench: $(VENV)/.dev ## benchmarks against their targets (DATABASE_URL; BENCHES="rules play" for some of them)
	@failed=; for name in $(BENCHES); do \
	  [ "$$name" = browser ] && module=tests.browser.speed || module="benchmarks.$$name"; \
	  echo "== $$name"; $(BIN)/python -m "$$module" || failed="$$failed $$name"; \
	done; [ -z "$$failed" ] || { echo "Missed:$$failed" >&2; exit 1; }

fairplay: $(VENV)/.dev ## how many honest games are flagged, and how many programs are caught (GAMES=600, SEED=…, VARIANTS="braid plot", MODELS="hands plans")
	@nice $(BIN)/python -m tests.fairplay $(if $(GAMES),--games $(GAMES)) $(if $(SEED),--seed $(SEED)) \
	  $(if $(VARIANTS),--variants $(VARIANTS)) $(if $(MODELS),--models $(MODELS))

bots: $(VENV)/.dev ## how many deals the bots and strong simulated people win (DEALS=100, SEED=…, VARIANTS="labyrinth stonewall")
	@nice $(BIN)/python -m tests.fairplay.bots $(if $(DEALS),--deals $(DEALS)) $(if $(SEED),--seed $(SEED)) $(VARIANTS)

docs: $(VENV)/.dev ## API documentation of the rules and solver libraries, from their docstrings, to var/docs/
	@TALON_NO_NUMBA=1 $(BIN)/python -m pdoc --docformat restructuredtext -o var/docs games.rules games.solver
	@echo "Open var/docs/index.html"

soak: $(VENV)/.dev ## players and racers who lose the network, sleep and hide, while servers are killed (MINUTES=10, PLAYERS=60, SEED=…; HEAT=64 for one scheduled race)
	@$(BIN)/python -m tests.services.soak --minutes $(MINUTES) --players $(PLAYERS) $(if $(SEED),--seed $(SEED)) $(if $(HEAT),--heat $(HEAT))

mutate: $(VENV)/.dev ## mutation tests: small code changes that no test detects (WHERE=games/rules/variants/braid.py, MUTANTS=60 per module; default: all)
	@nice $(BIN)/python -m tests.mutation $(WHERE) $(if $(MUTANTS),--sample $(MUTANTS)) $(if $(SEED),--seed $(SEED))

orders: $(VENV)/.dev ## all tests except the browser's, TIMES=5 times in random order and once under load
	@failed=; for jobs in $$(yes 0 | head -n $(TIMES)) $$((4 * $$(getconf _NPROCESSORS_ONLN))); do \
	  run="$(BIN)/pytest -q -n $$jobs --randomly-seed=$$(shuf -i 0-999999 -n 1) --ignore tests/browser"; \
	  echo "== $$run"; nice timeout 90m $$run || failed="$$failed\n$$run"; \
	done; [ -z "$$failed" ] || { printf "Failed; each again:$$failed\n" >&2; exit 1; }

messages: $(VENV)/.dev ## update the translation catalogues (NEW=fr adds one)
	@$(BIN)/python -m frontend.messages $(NEW)

lock: $(BIN)/uv ## regenerate requirements/*.txt from pyproject.toml
	@cd requirements && PATH="$(CURDIR)/$(BIN):$$PATH" ./lock.sh

images: $(VENV)/.base ## pin the container images to their tags' current digests (needs Docker)
	@$(BIN)/python -m deploy.images

release: $(VENV)/.dev ## check this version, and build its files into var/release/ (and an image, with Docker)
	@$(BIN)/python -m deploy.distribution

clean: ## remove all generated files, including the embedded database
	rm -rf $(VENV) var .mypy_cache .ruff_cache .pytest_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Talon needs Python 3.11 or newer; set PYTHON=python3.12 or like.")'
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "No virtual environment: install Python's venv module (python3-venv)." >&2; exit 1; }

# Installs the other packages five times as fast as pip, on two cores.
$(BIN)/uv: requirements/uv.txt | $(BIN)/python
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r $<
	@touch $@

# The stamps are as new as the lock file they were installed from; the development lock includes the base lock.
$(VENV)/.base: requirements/base.txt | $(BIN)/uv
	@echo "Installing the locked dependencies ..."
	@$(INSTALL) -r $<
	@touch $@

$(VENV)/.dev: requirements/dev.txt | $(BIN)/uv
	@echo "Installing the locked development dependencies ..."
	@$(INSTALL) -r $<
	@touch $@ $(VENV)/.base
