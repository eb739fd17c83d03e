# Bare `make` lists the targets. Each works as the first command on a fresh machine with Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready

.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(READY): pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,demo]'
	touch $@

setup: $(READY)  ## make the virtual environment (.venv) with everything the other targets need

demo: $(READY)  ## run the main job on a real photograph; writes demo-output/
	$(BIN)/python examples/demo.py

test: $(READY)  ## run the tests
	$(BIN)/python -m pytest

check: $(READY)  ## format, lint, types, room rules, generated documents
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/rooms.py
	$(BIN)/python tools/operators_page.py --check

prove: $(READY)  ## prove every theorem that lanewise relies on
	$(BIN)/lanewise prove

docs: $(READY)  ## rewrite the generated documents
	$(BIN)/python tools/operators_page.py

snapshots: docs  ## rewrite the recorded public interface and the generated documents
	LANEWISE_SNAPSHOTS=write $(BIN)/python -m pytest tests/test_public_interface.py

format: $(READY)  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The libraries that lanewise is measured beside are large, so only this target installs them.
$(BENCH_READY): $(READY) pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,demo,bench]'
	touch $@

bench: $(BENCH_READY)  ## measure beside other libraries and plain copies; writes bench-output/
	$(BIN)/python -m benchmarks

.PHONY: help setup demo test check prove docs snapshots format bench
