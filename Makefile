# The commands people type; CMake does the work.
# SPDX-License-Identifier: MIT
PREFIX ?= /usr/local
BUILD ?= build
JOBS ?= $(shell nproc)
# A make started by CMake must not think that it is a part of this one.
CMAKE = env -u MAKEFLAGS -u MAKELEVEL cmake

.PHONY: all setup configure check demo bench fuzz install docs metrics format clean

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

# SECONDS=3600 fuzzes every target for an hour.
SECONDS ?= 60
fuzz:
	@$(CMAKE) -S . -B build-fuzz -DNOE_FUZZ=ON -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	    -DNOE_QUAD=OFF -DNOE_MPI=OFF -DNOE_TESTS=OFF >/dev/null
	@$(CMAKE) --build build-fuzz --parallel $(JOBS) --target fuzz >/dev/null
	@tools/fuzz.sh build-fuzz $(SECONDS)

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
