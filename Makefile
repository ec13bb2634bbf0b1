# Everything a newcomer needs: `make demo`, `make test`.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: help demo demo-live test soak kill lint format lock clean
help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Tocsin needs Python 3.11 or newer; say which with: make PYTHON=python3.11 demo"; exit 2; }
	@echo "== making the virtual environment in .venv"
	@$(PYTHON) -m venv .venv
	@echo "== installing the pinned versions of requirements.lock"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install --quiet --compile-bytecode -r requirements.lock
	@VIRTUAL_ENV=.venv $(BIN)/uv pip install --quiet --no-deps --editable .
	@touch $(READY)

demo: $(READY) java  ## detect five patterns in a day of a million events, in Spark
	@echo "== running the demo"
	@$(BIN)/python examples/demo.py

demo-live: $(READY) java  ## the same while it happens, at 1,000 times its speed
	@echo "== running the live demo"
	@$(BIN)/python examples/live.py

test: $(READY) java  ## run all tests
	@echo "== compiling kernels, keeping classes"
	@$(BIN)/tocsin warm
	@echo "== running the tests"
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

.PHONY: java
java:
	@.ci/java

CASES ?= 20000
soak: $(READY) kill  ## kill, and check the engine against the oracle on CASES random cases, from SEED if given
	@echo "== asking the engine and the oracle"
	@PYTHONPATH=tests $(BIN)/python -m engine.soak --cases $(CASES) $(if $(SEED),--seed $(SEED))

KILLS ?= 20
kill: $(READY) java  ## kill a stream KILLS times and compare what it wrote, from SEED if given
	@echo "== killing a stream and starting it again"
	@PYTHONPATH=tests $(BIN)/python -m faults.kills --kills $(KILLS) $(if $(SEED),--seed $(SEED))

lint: $(READY)  ## check style and types
	@echo "== checking style and types"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(READY)  ## bring the code into shape
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lock: $(READY)  ## pin the newest versions that fit pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --upgrade --no-header --no-emit-index-url --extra dev pyproject.toml -o requirements.lock

clean:  ## remove what make made
	rm -rf .venv out
