# Every task of the project; `make help` lists them.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
# All that `make help` lists.
.PHONY: $(shell sed -n 's/^\#\# \([a-z-]*\):.*/\1/p' Makefile)
MAKEFLAGS += --no-builtin-rules $(if $(filter 0,$(MAKELEVEL)),-j$(shell nproc))

CC = gcc
CLANG = clang
EMCC = emcc
FUZZ_SECONDS = 60
MUTANTS = 100
SEEDS = $(shell git rev-parse HEAD | sed 's/^\(.\{8\}\)\(.\{8\}\)\(.\{8\}\).*/0x\1 0x\2 0x\3/')
DEMO_PORT = 4173

C_HEADERS := $(wildcard c/*.h c/*/*.h)
C_SOURCES := $(wildcard c/*/*.c)
C_NAMES := $(C_SOURCES:c/%.c=%)
JS_SOURCES := $(wildcard wasm/*.js wasm/*.d.ts wasm/entries/*.js)
WEB_SOURCES := $(shell find web -type f -not -path 'web/dist/*' -not -path 'web/docs/*')
DOCS := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md web/picture.png tests/bench/results/frame.svg \
  $(wildcard web/docs/* web/docs/figures/*)
# With brute force, which tests compare with.
BRUTE := tests/c/brute.c
C_UNIT := $(wildcard tests/c/unit/*.c) $(BRUTE)
# What tests in C include.
C_TESTS := $(wildcard tests/c/*.h tests/c/*/*.h)
FUZZ_NAMES := $(notdir $(basename $(wildcard tests/c/fuzz/*.c)))

# Contracted multiply-adds would change results from machine to machine.
C_FLAGS = -std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror -ffp-contract=off -fno-math-errno

### Build

## all: build everything: both cores, the package, the native library, the demo, its documentation
all: lib build/libcopse.a docs

# ---- Set-up: order-only for what needs it, and free once everything is there ----

SETUP = build/.tools node_modules/.package-lock.json

## setup: as root, installs what is missing (Debian packages, npm packages); else says how
setup: $(SETUP)

TOOLS = gcc clang emcc chromium clang-format clang-tidy pkg-config
# The sanitizers' runtime is a package of its own, named after clang's version.
INSTALL = apt-get install -y --no-install-recommends
INSTALL_TOOLS = $(INSTALL) gcc clang emscripten chromium clang-format clang-tidy pkgconf
INSTALL_SANITIZERS = $(INSTALL) libclang-rt-$$($(CLANG) -dumpversion | cut -d. -f1)-dev
# Exits with 0 when nothing is missing, else names it.
MISSING = for tool in $(TOOLS); do command -v $$tool >/dev/null || echo $$tool; done; \
  echo 'int main(void) { return 0; }' | $(CLANG) -fsanitize=address,undefined,fuzzer-no-link \
  -x c - -o build/probe 2>/dev/null || echo clang-sanitizers; rm -f build/probe

build/.tools: Makefile
	@mkdir -p build
	@missing=$$($(MISSING)); [ -n "$$missing" ] || exit 0; \
	if [ $$(id -u) = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing what is missing:" $$missing; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get update && $(INSTALL_TOOLS) && $(INSTALL_SANITIZERS); } >build/apt.log 2>&1 || \
	    { tail -5 build/apt.log; exit 1; }; \
	else \
	  echo "missing:" $$missing; echo 'On Debian or Ubuntu, install it by'; \
	  echo '  sudo sh -c '"'"'$(INSTALL_TOOLS) && $(INSTALL_SANITIZERS)'"'"; exit 1; \
	fi
	@touch $@

node_modules/.package-lock.json: package-lock.json
	@command -v npm >/dev/null || { echo 'please install Node.js 20 or later, with npm'; exit 1; }
	npm ci --no-audit --no-fund
	@touch $@

# ---- The cores ----

STACK_BYTES = 262144
# No address is beyond 2 GB: the allocator adds a size to one without looking for an overflow.
# The stack comes first, so that an overflow traps instead of overwriting data. Current Emscripten
# calls TOTAL_STACK STACK_SIZE, and knows the old name. Functions that are called most come first, where
# their numbers are short: that compresses better.
EMCC_FLAGS = $(C_FLAGS) -mbulk-memory -msign-ext -mnontrapping-fptoint
# Twice: until nothing shrinks any more (--converge) takes more than twice as long, and compresses no better.
SHRINK = --flatten,--rereloop,-Oz,-Oz
EMCC_LINK_FLAGS = -Oz --no-entry -sSTANDALONE_WASM -sIMPORTED_MEMORY -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=1MB \
  -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=$(STACK_BYTES) -sGLOBAL_BASE=$(STACK_BYTES) \
  -Wl,--stack-first -sSUPPORT_ERRNO=0 -sMALLOC=emmalloc \
  -sBINARYEN_EXTRA_PASSES=$(SHRINK),$(SHRINK),--reorder-functions

# For size, but files whose head says that they are compiled for speed; see c/base/core.h.
FAST := $(patsubst c/%.c,%,$(shell grep -l 'Compiled for speed' c/*/*.c))
$(foreach name,$(FAST),build/%/$(name).o): OPTIMISE = -O2 -fno-vectorize -fno-slp-vectorize
OPTIMISE = -Oz
EMCC_COMPILE = $(EMCC) $(EMCC_FLAGS) $(OPTIMISE)

# The classes that have a SIMD core and an entry of their own, wasm/entries/<noun>.js: the families that
# it is linked from, and what it can create.
CLASS_CORES = agenttree grid kdtree octree obstacle crowd
FAMILIES = points boxes walls crowd
FAMILIES_agenttree = points
FAMILIES_grid = points
FAMILIES_kdtree = points
FAMILIES_octree = boxes
FAMILIES_obstacle = walls
FAMILIES_crowd = crowd walls
CREATED_crowd = crowd obstacle

WASM_HEADERS := $(wildcard wasm/*.h)
wasm_objects = $(patsubst %,build/$(1)/%.o,$(C_NAMES))
boundary = $(patsubst %,build/$(1)/wasm/%.o,objects $(2))
creators = $(foreach noun,$(1),-Wl,--export=$(noun)_create)
LINK = $(EMCC) $(EMCC_FLAGS) $(EMCC_LINK_FLAGS)

build/simd/%.o: c/%.c $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(EMCC_COMPILE) -msimd128 -c $< -o $@
build/scalar/%.o: c/%.c $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(EMCC_COMPILE) -c $< -o $@
build/simd/wasm/%.o: wasm/%.c $(WASM_HEADERS) $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(EMCC_COMPILE) -msimd128 -c $< -o $@
build/scalar/wasm/%.o: wasm/%.c $(WASM_HEADERS) $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(EMCC_COMPILE) -c $< -o $@

build/core.wasm: $(call wasm_objects,simd) $(call boundary,simd,$(FAMILIES))
	$(LINK) -msimd128 $(call creators,$(CLASS_CORES)) $^ -o $@
build/core-scalar.wasm: $(call wasm_objects,scalar) $(call boundary,scalar,$(FAMILIES))
	$(LINK) $(call creators,$(CLASS_CORES)) $^ -o $@
$(CLASS_CORES:%=build/core-%.wasm): build/core-%.wasm: $(call wasm_objects,simd) $(call boundary,simd,$(FAMILIES))
	$(LINK) -msimd128 $(call creators,$(or $(CREATED_$*),$*)) $(call wasm_objects,simd) \
	  $(call boundary,simd,$(FAMILIES_$*)) -o $@

CORES = build/core.wasm build/core-scalar.wasm $(CLASS_CORES:%=build/core-%.wasm)

## wasm: the cores, in build/: SIMD, scalar, and SIMD for one class each
wasm: $(CORES)

# TypeDoc needs TypeScript 6 and gets the plain name.
TSC = node node_modules/typescript-7/bin/tsc

## lib: the npm package, in dist/
lib: dist/copse.js

dist/copse.js: $(CORES) $(JS_SOURCES) package.json | $(SETUP)
	node wasm/build.js $(CLASS_CORES)
	@touch $@

# ---- The native library: only what copse.h declares is visible in it ----

build/native/%.o: c/%.c $(C_HEADERS) Makefile
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -O3 -fPIC -c $< -o $@

build/libcopse.a: $(patsubst %,build/native/%.o,$(C_NAMES))
	$(LD) -r $^ -o build/native/copse.o
	objcopy --wildcard --keep-global-symbol='copse_*' build/native/copse.o
	rm -f $@
	$(AR) rcs $@ build/native/copse.o

# As C users get it: a header, a library and what pkg-config reads.
PREFIX = /usr/local
VERSION = $(shell sed -n 's/.*"version": "\(.*\)".*/\1/p' package.json)

## install: the native library into PREFIX (/usr/local), for pkg-config
install: build/libcopse.a
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 c/copse.h $(DESTDIR)$(PREFIX)/include
	install -m 644 build/libcopse.a $(DESTDIR)$(PREFIX)/lib
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: copse' 'Version: $(VERSION)' \
	  'Description: Spatial trees and crowd avoidance for many moving agents' \
	  'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -lcopse -lm' \
	  >$(DESTDIR)$(PREFIX)/lib/pkgconfig/copse.pc

# ---- The demo ----

web/dist/index.html: dist/copse.js $(WEB_SOURCES) | $(SETUP)
	npx vite build web --logLevel warn
	@touch $@

## docs: the documentation, in web/dist/docs, beside the demo
docs: web/dist/docs/index.html

# Vite empties web/dist, so this comes after it.
web/dist/docs/index.html: web/dist/index.html $(DOCS) $(JS_SOURCES)
	npx typedoc --options web/docs/typedoc.json --logLevel Warn

## figures: draws the documentation's figures anew, into web/docs/figures
figures: lib
	node web/docs/figures.js

## demo: build everything and serve the demo; prints the address
demo: all
	npx vite preview web --port $(DEMO_PORT)

# ---- Tests ----
#
# Test programs are linked from objects that exist already: those of the package and the native library,
# and one more set under sanitizers.

# By -O1, clang 14 needs minutes for some of these files.
SANITIZE = -g -O2 -fno-omit-frame-pointer -fsanitize=address,undefined,float-cast-overflow \
  -fno-sanitize-recover=all
COUNTED = -DCOPSE_COUNT_WORK

SANITIZED = $(patsubst %,build/sanitized/%.o,$(C_NAMES))

build/sanitized/%.o: c/%.c $(C_HEADERS) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) $(SANITIZE) $(COUNTED) -c $< -o $@
build/sanitized/tests/%.o: tests/c/%.c $(C_TESTS) $(C_HEADERS) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) $(SANITIZE) $(COUNTED) -c $< -o $@
build/sanitized/tests/fuzz/api.o: $(wildcard wasm/*.[ch])

LINK_SANITIZED = @mkdir -p $(@D); $(CLANG) $(SANITIZE) $^ -lm -o $@

build/test/unit: $(C_UNIT:tests/c/%.c=build/sanitized/tests/%.o) $(SANITIZED)
	$(LINK_SANITIZED)
# It only reads, and would take half of the time.
build/sanitized/tests/brute.o: SANITIZE = -g -O2
build/test/cases-%: build/sanitized/tests/fuzz/%.o build/sanitized/tests/cases.o \
  build/sanitized/tests/brute.o $(SANITIZED)
	$(LINK_SANITIZED)
build/test/determinism-sanitized: build/sanitized/tests/determinism.o $(SANITIZED)
	$(LINK_SANITIZED)
build/test/determinism-native: tests/c/determinism.c $(C_TESTS) build/libcopse.a
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -O3 $< build/libcopse.a -lm -o $@

build/test/determinism.o: tests/c/determinism.c $(C_TESTS) $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(EMCC_COMPILE) -c $< -o $@
build/test/determinism-%.wasm: build/test/determinism.o $(call wasm_objects,simd) $(call wasm_objects,scalar)
	$(LINK) $(if $(findstring simd,$*),-msimd128) -sIMPORTED_MEMORY=0 -sINITIAL_MEMORY=16MB $< $(call wasm_objects,$*) -o $@

# A core that fails on demand: it traps where this capacity is reserved.
build/test/objects.o: wasm/objects.c $(WASM_HEADERS) $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(EMCC_COMPILE) -msimd128 -DCOPSE_TEST_TRAP=54321 -c $< -o $@

build/test/core-failing.wasm: $(call wasm_objects,simd) build/test/objects.o $(patsubst %,build/simd/wasm/%.o,$(FAMILIES))
	$(LINK) -msimd128 $(call creators,$(CLASS_CORES)) $^ -o $@

# The README's program against the installed library, in C and in C++.
build/test/example-c build/test/example-cpp: tests/c/example.c build/libcopse.a
	@mkdir -p $(@D)
	$(MAKE) install PREFIX=$(CURDIR)/build/installed/$(@F)
	$(if $(findstring cpp,$@),$(CLANG) -x c++ -std=c++17,$(CC) -std=c11) -Wall -Wextra -Werror $< -x none \
	  $$(PKG_CONFIG_PATH=build/installed/$(@F)/lib/pkgconfig pkg-config --cflags --libs copse) -o $@

C_TESTED = build/test/unit $(FUZZ_NAMES:%=build/test/cases-%) build/test/determinism-native \
  build/test/determinism-sanitized build/test/example-c build/test/example-cpp
JS_TESTED = lib build/test/core-failing.wasm build/test/determinism-simd.wasm build/test/determinism-scalar.wasm

### Tests before a commit: make check test

## test: all tests for a change: C under sanitizers, JavaScript in Node 20, 26 and Chromium, the demo, the package
test: all $(C_TESTED) $(JS_TESTED)
	node tests/tools/run.js

## test-c: its part for C; ONLY=grid for one noun
test-c: $(C_TESTED)
	node tests/tools/run.js c

## test-js: its part for JavaScript, in this Node; ONLY=grid for one noun
test-js: $(JS_TESTED)
	node tests/tools/run.js js

## test-nodes: its part in the oldest and the newest Node, 20 and 26, which npm brings
test-nodes: $(JS_TESTED)
	node tests/tools/run.js nodes

## test-browser: its part in Chromium: the package and the demo; ONLY=site for one file
test-browser: all $(JS_TESTED)
	node tests/tools/run.js browser

## test-package: its part for the packed package, in small projects of users
test-package: lib
	node tests/tools/run.js package

### Tests for every week

## test-engines: the package and the demo in Node 20, 22, 24, 26, Chromium, Firefox and WebKit
test-engines: all $(JS_TESTED)
	node tests/tools/engines.js

## test-consumers: the packed package in all runtimes, bundlers and versions of TypeScript
test-consumers: lib
	COPSE_CONSUMERS=all node tests/consumers/consumers.test.js

## test-long: CASES (1,000,000) of every structure, drawn from SEED on by PROCESSES; goes on where it was
test-long: $(JS_TESTED) $(FUZZ_NAMES:%=build/test/cases-%)
	node tests/tools/long.js

# The same scenario by each compiler and optimization, with all that this processor has, in plain C
# instead of SSE, and on other processors where a compiler and qemu are installed.
DETERMINISM = gcc-O0 gcc-O3 native-gcc-O3 clang-O0 clang-O3 native-clang-O3 scalar-O2 ssse3-O3
CROSS = $(foreach cpu,aarch64 riscv64,$(if $(shell command -v $(cpu)-linux-gnu-gcc && command -v qemu-$(cpu)),$(cpu)))
determinism_flags = $(if $(findstring O0,$(1)),-O0,$(if $(findstring O2,$(1)),-O2,-O3)) \
  $(if $(findstring native,$(1)),-march=native) $(if $(findstring scalar,$(1)),-DCOPSE_SCALAR) \
  $(if $(findstring ssse3,$(1)),-mssse3) $(if $(filter $(1),$(CROSS)),-static)
determinism_compiler = $(if $(filter $(1),$(CROSS)),$(1)-linux-gnu-gcc,$(if $(findstring clang,$(1)),$(CLANG),$(CC)))

build/determinism/%: tests/c/determinism.c $(C_SOURCES) $(C_HEADERS) $(C_TESTS) | $(SETUP)
	@mkdir -p $(@D)
	$(call determinism_compiler,$*) $(C_FLAGS) $(call determinism_flags,$*) $< $(C_SOURCES) -lm -o $@

## determinism: six scenes by every build, and on emulated processors, and the hashes of each
determinism: $(JS_TESTED) $(patsubst %,build/determinism/%,$(DETERMINISM) $(CROSS))
	node tests/tools/matrix.js $(DETERMINISM) $(CROSS)

## test-arm: the unit tests on aarch64, by qemu
test-arm: build/aarch64/unit
	node tests/tools/run.js arm
build/aarch64/unit: $(C_SOURCES) $(C_UNIT) $(C_HEADERS) $(C_TESTS)
	@mkdir -p $(@D)
	aarch64-linux-gnu-gcc $(filter-out -Wshadow -Wconversion,$(C_FLAGS)) $(COUNTED) -O2 -static $(C_SOURCES) $(C_UNIT) -lm -o $@

## test-mingw: the library compiled for Windows, without a warning
test-mingw: $(patsubst %,build/mingw/%.o,$(C_NAMES))
build/mingw/%.o: c/%.c $(C_HEADERS)
	@mkdir -p $(@D)
	x86_64-w64-mingw32-gcc $(C_FLAGS) -O3 -c $< -o $@

# The unit tests for MemorySanitizer, and for valgrind, which brings its own checks.
memory_flags = -fsanitize=memory -fsanitize-memory-track-origins -fno-sanitize-recover=all

build/memory/unit build/valgrind/unit: $(C_SOURCES) $(C_UNIT) $(C_HEADERS) $(C_TESTS) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) -gdwarf-4 -O1 -fno-omit-frame-pointer $($(notdir $(@D))_flags) \
	  $(COUNTED) -DCOPSE_WATCHED $(C_SOURCES) $(C_UNIT) -lm -o $@

## sanitize: all of the unit tests under AddressSanitizer, MemorySanitizer and valgrind; TOOL=valgrind for one
sanitize: build/test/unit build/memory/unit build/valgrind/unit
	node tests/tools/sanitize.js $(TOOL)

# So small a heap that garbage would show, and nothing collected only because of the time that has passed.
SOAK = node --expose-gc --max-semi-space-size=1 --no-concurrent-recompilation --no-memory-reducer \
  tests/tools/soak.js

KIND = AgentTree Grid KdTree

## soak: FRAMES (1,000,000) of a game, in which neither memory nor time may grow; KIND=Grid for one index
soak: lib
	$(foreach kind,$(KIND),$(SOAK) $(kind) &&) true

# Only c/ is instrumented: what the tests themselves run is of no interest.
COVERAGE_OBJECTS = $(patsubst %,build/coverage/c/%.o,$(C_NAMES))
COVERAGE_TESTS = $(patsubst %,build/coverage/%,unit determinism $(FUZZ_NAMES:%=cases-%))

build/coverage/c/%.o: c/%.c $(C_HEADERS) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) -O1 $(COUNTED) -fprofile-instr-generate -fcoverage-mapping -c $< -o $@
build/coverage/tests/%.o: tests/c/%.c $(C_TESTS) $(C_HEADERS) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) -O1 $(COUNTED) -c $< -o $@

build/coverage/unit: $(C_UNIT:tests/c/%.c=build/coverage/tests/%.o)
build/coverage/determinism: build/coverage/tests/determinism.o
$(FUZZ_NAMES:%=build/coverage/cases-%): build/coverage/cases-%: build/coverage/tests/fuzz/%.o \
  build/coverage/tests/cases.o build/coverage/tests/brute.o
$(COVERAGE_TESTS): $(COVERAGE_OBJECTS)
	$(CLANG) -fprofile-instr-generate $^ -lm -o $@

## coverage: how much of c/ and wasm/ the tests reach; what they don't, in build/coverage/
coverage: $(JS_TESTED) $(COVERAGE_TESTS)
	CLANG=$(CLANG) node tests/tools/coverage.js

# The fuzzers' objects count which branches are taken, which doubles the time of all other tests.
FUZZED = $(patsubst %,build/fuzzed/%.o,$(C_NAMES))

build/fuzzed/%.o: c/%.c $(C_HEADERS) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) $(SANITIZE) $(COUNTED) -fsanitize=fuzzer-no-link -c $< -o $@
build/fuzz/api: $(wildcard wasm/*.[ch])
build/fuzz/%: tests/c/fuzz/%.c $(C_TESTS) $(BRUTE) $(FUZZED) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) $(SANITIZE) $(COUNTED) -fsanitize=fuzzer $< $(BRUTE) $(FUZZED) -lm -o $@

FUZZERS = $(FUZZ_NAMES:%=build/fuzz/%)

## fuzz: every fuzz target for FUZZ_SECONDS (60), and what each ran and reached
fuzz: $(FUZZERS)
	node tests/tools/fuzz.js $(FUZZ_SECONDS)

## seeds: chooses the fuzz targets' seeds anew, of what fuzzing has found; the other seeds are removed
seeds: $(FUZZERS)
	node tests/tools/seeds.js

## mutate: changes c/ in MUTANTS (100) ways for each of SEEDS, by default three of the commit: test-c must notice
mutate: build/test/unit build/test/determinism-sanitized $(FUZZ_NAMES:%=build/test/cases-%)
	CC='$(CC)' CLANG='$(CLANG)' SANITIZE='$(SANITIZE)' node tests/tools/mutate.js $(MUTANTS) $(SEEDS)

### Benchmarks

# As wide as WebAssembly's SIMD, and with its shuffles.
NATIVE_SIMD = $(if $(filter x86_64,$(shell uname -m)),-mssse3)
BENCH_NATIVE = build/bench/copse build/bench/crowd $(and $(wildcard /usr/include/nanoflann.hpp), \
  $(shell command -v g++),build/bench/nanoflann)
BENCH = node --no-liftoff --expose-gc tests/bench/bench.js

build/bench/copse build/bench/crowd: build/bench/%: tests/bench/native/%.c tests/bench/native/common.h $(C_SOURCES) $(C_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -O3 $(NATIVE_SIMD) $< $(C_SOURCES) -lm -o $@

build/bench/nanoflann: tests/bench/native/nanoflann.cpp tests/bench/native/common.h
	@mkdir -p $(@D)
	g++ -std=c++17 -Wall -Wextra -O3 $< -o $@

## bench: ours against other libraries, results compared first: the quick form, some minutes
bench: lib $(BENCH_NATIVE)
	$(BENCH) quick

## bench-full: the same with all spreads and up to a million agents, half an hour
bench-full: lib $(BENCH_NATIVE)
	$(BENCH) full

## bench-still: only points that stay: the k-d tree against others
bench-still: lib $(BENCH_NATIVE)
	$(BENCH) quick still

## bench-boxes: only boxes that move and overlap: the quadtree against others
bench-boxes: lib
	$(BENCH) quick boxes

## bench-walls: only walls, and what can be seen past them: the obstacle tree against brute force
bench-walls: lib
	$(BENCH) quick walls

## bench-crowd: only crowds that must not collide, against Recast's
bench-crowd: lib build/bench/crowd
	$(BENCH) quick crowd

## bench-crossings: where the grid, the agent tree and the k-d tree cross
bench-crossings: lib
	node --no-liftoff tests/bench/crossings.js
	node --no-liftoff tests/bench/crossingqueries.js

## bench-degenerate: builds of degenerate points against uniform ones: at most 5 times as long
bench-degenerate: lib
	node --no-liftoff tests/bench/degenerate.js

## bench-goals: compares what was measured last with the goals
bench-goals:
	@node tests/bench/goals.js

## bench-keep: makes the last results those that the README shows
bench-keep:
	@mkdir -p tests/bench/results
	cp build/bench/results.json build/bench/frame.svg tests/bench/results/

### Style and checks

FORMATTED_C = $(wildcard c/*.[ch] c/*/*.[ch] wasm/*.[ch] tests/c/*.[ch] tests/c/*/*.[ch] tests/bench/native/*)
FORMATTED_JS = package.json wasm web tests README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md '!web/dist' '!tests/data/golden'

## check: formatting, static analysis, types, imports, and the package as users get it
check: check-c check-js reproducible

## check-c: its part for C: formatting, what includes what, static analysis
check-c: | $(SETUP)
	grep -q '"$(VERSION)"' c/copse.h && grep -q '^## $(VERSION)' CHANGELOG.md
	clang-format --dry-run -Werror $(FORMATTED_C)
	! grep -nE '#include "\.\./(points|boxes|walls|crowd)/' c/base/* c/points/* c/boxes/* c/walls/*
	printf '%s\n' $(C_SOURCES) | xargs -P "$$(nproc)" -I {} clang-tidy --quiet {} -- -std=c11
	printf '%s\n' $(wildcard wasm/*.c) | xargs -P "$$(nproc)" -I {} clang-tidy --quiet {} -- -std=c11 \
	  -Wno-unknown-attributes

## check-js: its part for all else: formatting, types, what imports what, the package
check-js: lib build/libcopse.a
	npx prettier --check --log-level warn $(FORMATTED_JS)
	$(TSC) -p wasm
	! grep -rnE "(from|import|import\() ?['\"][^'\"]*tests/" web wasm --include='*.js' --exclude-dir=dist
	node tests/tools/package.js

## reproducible: builds the package again, elsewhere and from nothing: the same bytes
reproducible: lib
	rm -rf build/again
	@mkdir -p build/again
	cp -a Makefile package.json package-lock.json c wasm README.md LICENSE CHANGELOG.md build/again
	ln -s $(CURDIR)/node_modules build/again/node_modules
	$(MAKE) -s -C build/again lib >build/again.log 2>&1
	diff -r dist build/again/dist

## format: format all C and JavaScript
format: | $(SETUP)
	clang-format -i $(FORMATTED_C)
	npx prettier --write --log-level warn $(FORMATTED_JS)

## clean: remove everything that was built
clean:
	rm -rf build dist web/dist

## help: this list
help:
	@sed -n 's/^### \(.*\)/\n\1/p; s/^## /  /p' $(MAKEFILE_LIST)
