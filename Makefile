# Every verb of the project; `make help` lists them.
PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# More than there are cores: many tests wait.
JOBS ?= 3
MINUTES ?= 10
TIMES ?= 5
DEALS ?= 1000
# Every module of benchmarks/ with a measurement of its own.
BENCHES ?= $(patsubst benchmarks/%.py,%,$(shell grep -l '__name__ == "__main__"' benchmarks/*.py | grep -v _parts))
export HOST PORT

.DEFAULT_GOAL := help
.PHONY: help run stack test lint style types client bench docs proof soak mutate orders messages lock images clean

help: ## list the verbs
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

run: $(VENV)/.base ## play: one process, SQLite, no server to install (HOST, PORT)
	@$(BIN)/python -m config.embedded

stack: $(VENV)/.base ## the production shape on this machine (DATABASE_URL, REDIS_URL, PORT; or SHAPE=wide, with servers of its own)
	@$(BIN)/python -m deploy.stack

test: lint ## lint, types and all tests (JOBS processes)
	@$(BIN)/pytest -n $(JOBS) --dist loadgroup

lint: $(VENV)/.dev ## ruff and mypy, the tests included; types, habits and form of the client's code
	@$(MAKE) -s -j --output-sync=target style types client

style:
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .

types:
	@$(BIN)/mypy

# Node is needed by those alone who work on the client: where it is missing this is passed over, but not in CI.
client:
	@if command -v npm >/dev/null; then $(MAKE) -s frontend/node_modules/.lock && npm --prefix frontend run --silent check; \
	elif [ "$$CI" = true ]; then echo "required in CI: npm, to check the client's code" >&2; exit 1; \
	else echo "The client's code is not checked: npm is missing."; fi

frontend/node_modules/.lock: frontend/package-lock.json
	@echo "Installing the client's checks ..."
	@npm --prefix frontend ci --no-audit --no-fund --silent
	@touch $@

bench: $(VENV)/.dev ## measurements against their targets (DATABASE_URL; BENCHES="rules play" for some of them)
	@failed=; for name in $(BENCHES); do \
	  echo "== $$name"; $(BIN)/python -m "benchmarks.$$name" || failed="$$failed $$name"; \
	done; [ -z "$$failed" ] || { echo "Missed:$$failed" >&2; exit 1; }

docs: $(VENV)/.dev ## the pages of the rules and the solver as a library, from their docstrings, to var/docs/
	@TALON_NO_NUMBA=1 $(BIN)/python -m pdoc --docformat restructuredtext -o var/docs games.rules games.solver
	@echo "Open var/docs/index.html"

proof: $(VENV)/.dev ## many deals solved and replayed, their counts to docs/winnability.md (DEALS=1000, VARIANTS="labyrinth stonewall" for some)
	@nice $(BIN)/python -m tests.solver.proof $(VARIANTS) --deals $(DEALS)

soak: $(VENV)/.dev ## 40 players while everything is killed in turn (MINUTES=10, SEED=…)
	@$(BIN)/python -m tests.services.soak --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

mutate: $(VENV)/.dev ## small changes of the code that no test notices (WHERE=games/rules/braid.py, MUTANTS=60 of each module; all without)
	@nice $(BIN)/python -m tests.mutation $(WHERE) $(if $(MUTANTS),--sample $(MUTANTS)) $(if $(SEED),--seed $(SEED))

orders: $(VENV)/.dev ## all tests but the browser's, TIMES=5 times in random order and once under load
	@nice $(BIN)/python -m tests.orders --times $(TIMES)

messages: $(VENV)/.dev ## bring the catalogues of other languages up to date (NEW=fr begins one)
	@$(BIN)/python -m frontend.messages $(NEW)

lock: ## write requirements/*.txt anew from pyproject.toml (needs uv)
	@cd requirements && PYTHON="$(PYTHON)" ./lock.sh

images: $(VENV)/.base ## pin the container images to the digests that their tags have now (needs Docker)
	@$(BIN)/python -m deploy.images

clean: ## remove everything made, the embedded database included
	rm -rf $(VENV) var .mypy_cache .ruff_cache .pytest_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Talon needs Python 3.11 or newer; set PYTHON=python3.12 or like.")'
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "No virtual environment: install Python's venv module (python3-venv)." >&2; exit 1; }

# The stamps are as new as the lock they were installed from; the development lock holds the other one.
$(VENV)/.base: requirements/base.txt | $(VENV)/bin/python
	@echo "Installing the locked dependencies ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(VENV)/.dev: requirements/dev.txt | $(VENV)/bin/python
	@echo "Installing the locked development dependencies ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r $<
	@touch $@ $(VENV)/.base
