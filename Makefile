# Everything runs from a virtual environment of this checkout's own (.venv): nothing is installed anywhere else.
# Written for make 3.81 (macOS) and Python's own pip; no other tool is assumed.

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet
ROOTS := engine services client protos

# `make play ARGS="--players 3"`; `make test ARGS="-x tests/engine"`.
ARGS ?=

# Where protoc writes; `check-protos` sends it elsewhere to compare.
PROTOS_OUT ?= protos

.DEFAULT_GOAL := help
.PHONY: help bundle play host test soak check bench train strength protos protos-baseline pictures messages screenshots clean distclean dev runtime \
        check-style check-types check-imports check-buf check-protos check-wheel try-wheel

help: ## This list
	@echo 'make TARGET [ARGS="…"], where TARGET is one of'
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | \
	  while IFS='|' read -r name text; do printf '  %-18s %s\n' "$$name" "$$text"; done

bundle: runtime ## One file to install from on laptops without the internet (build/genial-bundle.zip)
	@mkdir -p build
	@$(BIN)/genial bundle build/genial-bundle.zip $(ARGS)

play: runtime ## Play against a bot, at once; sets everything up the first time
	@$(BIN)/genial play $(ARGS)

host: runtime ## Host games for the LAN, without a screen
	@$(BIN)/genial host $(ARGS)

test: dev ## Run all tests; sets everything up the first time
	$(PY) -m pytest $(ARGS)

# `make soak ARGS="--evenings 5000"` for less of the first part. What is done of it is kept in build/soak,
# so a run that was stopped goes on where it was, as long as the code is the same.
soak: dev ## Run the long tests: 100,000 simulated evenings, 100,000 inputs of rubbish, 50 games at killed hosts (hours)
	$(PY) -m tests.simulation.run --evenings 100000 --go-on $(ARGS)
	GENIAL_SOAK=1000 $(PY) -m pytest tests/fuzz tests/e2e/killing

check: check-style check-types check-imports check-buf check-protos check-wheel ## Lint, types, import rules, contract, wheel
	@echo 'make check: all good'

bench: dev ## Measure the speed, as ratios taken side by side in one run
	$(PY) -m tests.benchmarks.run $(ARGS)

train: dev ## Make the bots' models anew by self-play (hours)
	$(PY) -m genial.lab.train $(ARGS)

strength: dev ## Measure the levels against each other (hours; goes on where it was stopped)
	$(PY) -m tests.strength.run $(ARGS)

protos: dev ## Generate the Python code of the contract (protos/genial/v1)
	@$(generate)

protos-baseline: dev ## Accept today's contract as the one that later versions must stay compatible with
	$(BIN)/buf build protos -o protos/baseline.binpb

pictures: dev ## Draw the pictures of docs/rules.md again
	$(PY) -m docs.pictures.draw

messages: dev ## Bring the catalogues of all languages up to date and compile them
	$(PY) tools/messages.py

screenshots: dev ## Draw every screen into docs/screens, from the real rendering
	$(PY) -m tests.client.screen.screenshots docs/screens

clean: ## Remove caches and build results; the virtual environment stays
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .benchmarks
	find $(ROOTS) tests -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## Remove the virtual environment too
	rm -rf $(VENV)

# --- the parts of `make check`, each runs alone as well ---

check-style: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

check-types: dev
	$(PY) -m mypy

check-imports: dev
	$(BIN)/lint-imports --no-logo

check-buf: dev
	@test -f protos/baseline.binpb || { \
	  echo 'make check: protos/baseline.binpb is missing, so nobody can tell whether the contract still fits older' >&2; \
	  echo 'clients. Get it back from git, or make the first one with: make protos-baseline' >&2; exit 1; }
	$(BIN)/buf lint protos
	$(BIN)/buf breaking protos --against protos/baseline.binpb

# Only names that end in _pb2… are compared: what people wrote beside them is no business of the generator.
check-protos: dev
	@rm -rf build/protos && mkdir -p build/protos
	@$(MAKE) --no-print-directory protos PROTOS_OUT=build/protos
	@mkdir -p build/protos-committed/genial && rm -rf build/protos-committed/genial/v1 && \
	  mkdir build/protos-committed/genial/v1 && \
	  cp protos/genial/v1/*_pb2*.py* build/protos-committed/genial/v1/ && \
	  diff -r build/protos-committed build/protos || { \
	  echo 'make check: the generated code is not what the .proto files give; run: make protos' >&2; exit 1; }
	@echo 'The generated code is what the .proto files give.'

check-wheel: dev
	@rm -rf build/wheel
	$(PIP) wheel --no-deps --wheel-dir build/wheel .
	$(BIN)/check-wheel-contents build/wheel/*.whl

# The development environment holds protobuf at the generator's version, players get the newest: so the wheel is
# installed as a player would get it, and everything in it imported.
try-wheel: check-wheel ## Install the built wheel on its own, with the newest libraries, and import all of it
	@rm -rf build/try && $(PY) -m venv build/try
	build/try/bin/python -m pip --disable-pip-version-check --quiet install build/wheel/*.whl
	build/try/bin/genial --version
	cd build/try && bin/python -W error::UserWarning -c "$$TRY_WHEEL"

define TRY_WHEEL
import importlib, pkgutil
import genial, google.protobuf, grpc
trainers = {'genial.lab.fit', 'genial.lab.train'}  # need numpy (extra train), which playing never does
found = [m.name for m in pkgutil.walk_packages(genial.__path__, 'genial.')]
names = [name for name in found if not name.endswith('__main__') and name not in trainers]
for name in names:
    importlib.import_module(name)
print(f'{len(names)} modules import with grpcio {grpc.__version__}, protobuf {google.protobuf.__version__}')
endef
export TRY_WHEEL

# Paths of the .proto files mirror the Python packages, because imports in the generated code are absolute.
define generate
set -e; cd $(CURDIR); export PATH="$(CURDIR)/$(BIN):$$PATH"; \
find $(PROTOS_OUT)/genial/v1 -name '*_pb2*.py*' -exec rm {} + 2>/dev/null || true; \
python -m grpc_tools.protoc -I protos --python_out=$(PROTOS_OUT) --grpc_python_out=$(PROTOS_OUT) \
  --mypy_out=quiet:$(PROTOS_OUT) --mypy_grpc_out=quiet,only_async:$(PROTOS_OUT) \
  $$(cd protos && find genial -name '*.proto' | LC_ALL=C sort); \
echo "Generated $$(find $(PROTOS_OUT)/genial -name '*_pb2*.py*' | wc -l | tr -d ' ') files below $(PROTOS_OUT)/genial."
endef

# --- the virtual environment; the stamps make the second time instant ---

runtime: $(VENV)/.runtime
dev: $(VENV)/.dev

$(VENV)/.runtime: pyproject.toml
	@$(make-venv)
	@echo 'Installing Genial and the libraries it plays with into $(VENV) ...'
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml
	@$(make-venv)
	@echo 'Installing Genial and the tools to develop it into $(VENV) (a minute or two) ...'
	@$(PIP) install --editable . --group dev
	@touch $(VENV)/.runtime $@

# Every candidate is run, since version managers put names on the PATH that exist and yet fail; and Debian's python3
# comes without the modules that make a virtual environment. pip is renewed because the one that came with
# Python 3.11 does not know dependency groups.
PYTHONS := $(if $(PYTHON),$(PYTHON),python3.13 python3.12 python3.11 python3 python)
define make-venv
set -e; \
if $(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && $(PY) -m pip --version >/dev/null 2>&1; then exit 0; fi; \
found=; old=; \
for p in $(PYTHONS); do \
  v=$$($$p -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue; \
  if ! $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then old="$$old, $$p is $$v"; \
  elif ! $$p -c 'import venv, ensurepip' 2>/dev/null; then old="$$old, $$p lacks the module venv (Debian: apt install python3-venv)"; \
  else found=$$p; break; fi; \
done; \
if [ -z "$$found" ]; then \
  echo "Genial needs Python 3.11 or newer, and none was found (tried: $(PYTHONS)$$old)." >&2; \
  echo 'Install one, or say where it is: make PYTHON=/path/to/python3 …' >&2; exit 1; \
fi; \
echo "Making a virtual environment in $(VENV) with $$found ($$v); nothing is installed outside of it."; \
$$found -m venv --clear $(VENV); \
$(PIP) install --upgrade 'pip>=25.1'
endef
