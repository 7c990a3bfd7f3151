# Rapport. `make` alone says what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
# Linking the Swift libraries statically makes the program start in a third of the time, and lets
# it run where Swift is not installed.
RELEASE := -c release --static-swift-stdlib -Xswiftc -use-ld=lld --disable-local-rpath
PACKAGES := libcurl4-openssl-dev libsqlite3-dev libedit-dev zlib1g-dev

.PHONY: help chat test build install format soak bench train test-spark test-interop docs \
	interop-clients dependencies clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

chat: build ## Build what is needed and talk with the coach
	@.build/release/rapport chat

# One at a time: a busy machine must not starve a test of the thread its peer runs on.
test: dependencies ## Run all tests
	swift test --no-parallel

build: dependencies ## Build the optimised program
	@echo "Building rapport (the first time takes a few minutes) …"
	@swift build $(RELEASE) --product rapport

install: build ## Install the program under PREFIX (default /usr/local)
	install -D -s -m 755 .build/release/rapport $(DESTDIR)$(PREFIX)/bin/rapport

format: ## Format the sources
	swift format --in-place --recursive Package.swift Sources Tests Plugins Benchmarks

soak: dependencies ## Run the long forms of the fuzz and kill tests
	RAPPORT_SOAK=1 swift test --no-parallel

bench: build ## Measure against the limits of this machine
	$(MAKE) -C Benchmarks

train: dependencies ## Make the offline scorer's model anew from Lexicon/ and the labelled text
	swift build -c release --product train-scorer
	.build/release/train-scorer train --all $(wildcard Training/*.jsonl) $(wildcard Training/*.txt)
	touch Sources/CScorerModel/CScorerModel.c

SPARK_VENV := .build/spark-venv

test-spark: build $(SPARK_VENV)/installed ## Score on a Spark cluster that loses a worker (needs Java 17)
	$(SPARK_VENV)/bin/python Examples/spark/test_cluster.py .build/release/rapport

$(SPARK_VENV)/installed: Examples/spark/requirements.txt
	@echo "Installing PySpark into $(SPARK_VENV) (about 500 MB) …"
	@command -v java >/dev/null || { echo "Spark needs Java 17 or later."; exit 1; }
	@python3 -m venv $(SPARK_VENV)
	@$(SPARK_VENV)/bin/pip install --quiet --requirement Examples/spark/requirements.txt
	@touch $@

INTEROP_VENV := .build/interop-venv

test-interop: dependencies interop-clients ## Let the vendors' own Python clients talk to `rapport mock`
	swift build --product rapport
	$(INTEROP_VENV)/bin/python Tests/interop/test_clients.py .build/debug/rapport

interop-clients: $(INTEROP_VENV)/installed

$(INTEROP_VENV)/installed: Tests/interop/requirements.txt
	@echo "Installing the openai and anthropic packages into $(INTEROP_VENV) …"
	@python3 -m venv $(INTEROP_VENV)
	@$(INTEROP_VENV)/bin/pip install --quiet --disable-pip-version-check \
	  --requirement Tests/interop/requirements.txt
	@touch $@

SYMBOLS := .build/symbols

docs: dependencies ## Make the documentation of RapportTesting in .build/documentation
	swift build --scratch-path .build/docs --target RapportTesting -Xswiftc -emit-symbol-graph \
	  -Xswiftc -emit-symbol-graph-dir -Xswiftc $(abspath $(SYMBOLS))
	@mkdir -p $(SYMBOLS)/only && cp $(SYMBOLS)/RapportTesting*.json $(SYMBOLS)/Cassettes*.json \
	  $(SYMBOLS)/MockServer*.json $(SYMBOLS)/WireFormats*.json $(SYMBOLS)/only
	docc convert Sources/RapportTesting/RapportTesting.docc --fallback-display-name RapportTesting \
	  --additional-symbol-graph-dir $(SYMBOLS)/only --output-dir .build/documentation

clean: ## Remove what was built
	rm -rf .build

# Installs only what is missing, and says so.
dependencies:
	@command -v swift >/dev/null || { \
	  echo "Rapport needs Swift 6.2 or later: https://www.swift.org/install/linux/"; exit 1; }
	@missing=; if ! command -v dpkg-query >/dev/null; then \
	  pkg-config --exists libcurl sqlite3 libedit 2>/dev/null || missing="$(PACKAGES)"; \
	else for package in $(PACKAGES); do \
	  dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' \
	    || missing="$$missing $$package"; \
	done; fi; \
	if [ -n "$$missing" ]; then \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  if ! command -v apt-get >/dev/null; then \
	    echo "Please install the development files of libcurl, SQLite, libedit and zlib."; exit 1; fi; \
	  echo "Installing$$missing with apt-get …"; \
	  $$sudo apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq $$missing >/dev/null; \
	fi
