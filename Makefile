# The commands people type; CMake does the work.
# SPDX-License-Identifier: MIT
PREFIX ?= /usr/local
BUILD ?= build
JOBS ?= $(shell nproc)
# A make started by CMake must not think that it is a part of this one.
CMAKE = env -u MAKEFLAGS -u MAKELEVEL cmake

.PHONY: all setup configure check demo bench install docs metrics format clean

all: configure
	@$(CMAKE) --build $(BUILD) --parallel $(JOBS)

configure:
	@command -v cmake >/dev/null || { echo "cmake is missing: 'make setup' installs it"; exit 1; }
	@test -e $(BUILD)/CMakeCache.txt -a -z "$(CMAKE_OPTIONS)" || $(CMAKE) -S . -B $(BUILD) $(CMAKE_OPTIONS)

setup:
	@tools/setup.sh

check: setup
	@$(MAKE) --no-print-directory all
	@$(CMAKE) --build $(BUILD) --parallel $(JOBS) --target tests
	@tools/check.sh $(BUILD) $(JOBS)

demo: setup
	@$(MAKE) --no-print-directory all
	@tools/demo.sh $(BUILD)/noether demo

# Peers may have come since the last configuration; those that cannot be installed are skipped.
bench: setup
	@tools/setup.sh --bench || echo "bench: goes on with the peers that are there"
	@$(CMAKE) -S . -B $(BUILD) $(CMAKE_OPTIONS)
	@$(CMAKE) --build $(BUILD) --parallel $(JOBS)
	@$(CMAKE) --build $(BUILD) --parallel $(JOBS) --target bench
	@tools/bench.sh $(BUILD)

install: all
	@$(CMAKE) --install $(BUILD) --prefix $(PREFIX)

docs: all
	@tools/docs.py $(BUILD)/noether

metrics:
	@tools/metrics.sh

format:
	@tools/format.sh --fix

clean:
	@$(CMAKE) -E rm -rf $(BUILD) demo
