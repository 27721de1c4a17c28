# Every task of the project; `make help` lists them.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
# Every target that `make help` lists.
.PHONY: $(shell sed -n 's/^\#\# \([a-z-]*\):.*/\1/p' Makefile)
MAKEFLAGS += --no-builtin-rules $(if $(filter 0,$(MAKELEVEL)),-j$(shell nproc))

CC = gcc
CLANG = clang
EMCC = emcc
FUZZ_SECONDS = 60
MUTANTS = 100
SEEDS = 1 2 3
DEMO_PORT = 4173

C_HEADERS := $(wildcard c/*.h c/*/*.h)
C_SOURCES := $(wildcard c/*/*.c)
C_NAMES := $(C_SOURCES:c/%.c=%)
JS_SOURCES := $(wildcard wasm/*.js wasm/*.d.ts wasm/entries/*.js)
WEB_SOURCES := $(shell find web -type f -not -path 'web/dist/*' -not -path 'web/docs/*' -not -path '*/node_modules/*' \
  -not -path 'web/examples/zones/*')
WEB_SOURCES += web/docs/recipes.md # which ?minimal shows
DOCS := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md $(wildcard web/*.png) tests/bench/results/frame.svg \
  $(wildcard web/docs/* web/docs/figures/*)
# The brute force that tests compare with.
BRUTE := tests/c/brute.c
C_UNIT := $(wildcard tests/c/unit/*.c) $(BRUTE)
# The headers of the tests in C.
C_TESTS := $(wildcard tests/c/*.h tests/c/*/*.h)
FUZZ_NAMES := $(notdir $(basename $(wildcard tests/c/fuzz/*.c)))

# -ffp-contract=off: fused multiply-adds would make results differ between machines.
C_FLAGS = -std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror -ffp-contract=off -fno-math-errno

### Build

## all: build everything: the package with its cores, the native library, the demo, the documentation
all: lib build/libcopse.a docs

# ---- Set-up: an order-only prerequisite of the targets that need it; does nothing when complete ----

SETUP = build/.tools node_modules/.package-lock.json

## setup: install missing Debian and npm packages, as root; otherwise print how to
setup: $(SETUP)

## setup-all: the same for make test-all: more engines, processors and tools
setup-all: $(SETUP) build/.tools-all $(ZONES)/node_modules/.package-lock.json

# TOOLS are looked for. If one is missing, PACKAGES are installed.
build/.tools: TOOLS = gcc clang emcc chromium clang-format clang-tidy pkg-config
build/.tools: PACKAGES = gcc clang emscripten chromium clang-format clang-tidy pkgconf
build/.tools-all: TOOLS = redis-server llvm-cov valgrind g++ firefox-esr xvfb-run xauth WebKitWebDriver \
  $(CROSS_CPUS:%=qemu-%) $(CROSS_CPUS:%=%-linux-gnu-gcc) x86_64-w64-mingw32-gcc
build/.tools-all: PACKAGES = redis-server llvm valgrind g++ libnanoflann-dev firefox-esr xvfb xauth webkit2gtk-driver qemu-user \
  $(CROSS_CPUS:%=gcc-%-linux-gnu) libc6-dev-arm64-cross libc6-dev-riscv64-cross gcc-mingw-w64-x86-64
CROSS_CPUS = aarch64 riscv64

INSTALL = apt-get install -y --no-install-recommends
# The sanitizers' runtime is a separate package, named after clang's version.
INSTALL_ALL = $(INSTALL) $(PACKAGES) && $(INSTALL) libclang-rt-$$($(CLANG) -dumpversion | cut -d. -f1)-dev
# Prints the names of missing tools.
MISSING = for tool in $(TOOLS); do command -v $$tool >/dev/null || echo $$tool; done; \
  echo 'int main(void) { return 0; }' | $(CLANG) -fsanitize=address,undefined,fuzzer-no-link \
  -x c - -o build/probe 2>/dev/null || echo clang-sanitizers; rm -f build/probe

build/.tools-all: | build/.tools # one apt-get at a time
build/.tools build/.tools-all: Makefile
	@mkdir -p build
	@missing=$$($(MISSING)); [ -n "$$missing" ] || exit 0; \
	if [ $$(id -u) = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing what is missing:" $$missing; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get update && $(INSTALL_ALL); } >build/apt.log 2>&1 || { tail -5 build/apt.log; exit 1; }; \
	else \
	  echo "missing:" $$missing; echo 'On Debian or Ubuntu, install it with'; \
	  echo '  sudo sh -c '"'"'$(INSTALL_ALL)'"'"; exit 1; \
	fi
	@touch $@

# What the example with zones needs: Redis, and its own packages, which run in a newer Node than this project's oldest.
ZONES = web/examples/zones
$(ZONES)/node_modules/.package-lock.json: $(ZONES)/package-lock.json
	npm ci --prefix $(ZONES) --no-audit --no-fund --ignore-scripts --loglevel error
	node --input-type=module -e "import { modernNode } from './$(ZONES)/node.js'; modernNode()"
	@touch $@

node_modules/.package-lock.json: package-lock.json
	@command -v npm >/dev/null || { echo 'missing: Node.js 20 or later, with npm'; exit 1; }
	npm ci --no-audit --no-fund
	@touch $@

# ---- The cores ----

STACK_BYTES = 262144
# Memory is limited to 2 GB, because the allocator adds a size to an address without checking for overflow.
# The stack comes first, so that a stack overflow traps instead of overwriting data. Newer Emscripten calls
# TOTAL_STACK STACK_SIZE, but still accepts the old name. --reorder-functions is left out: functions of the same
# file compress better side by side.
EMCC_FLAGS = $(C_FLAGS) -mbulk-memory -msign-ext -mnontrapping-fptoint
EMCC_LINK_FLAGS = -Oz --no-entry -sSTANDALONE_WASM -sIMPORTED_MEMORY -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=1MB \
  -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=$(STACK_BYTES) -sGLOBAL_BASE=$(STACK_BYTES) \
  -Wl,--stack-first -sSUPPORT_ERRNO=0 -sMALLOC=emmalloc
# Makes a core smaller. Not done by emcc: that removes debug information last, which undoes a part.
SHRINK = $(shell em-config BINARYEN_ROOT)/bin/wasm-opt --enable-bulk-memory --enable-sign-ext \
  --enable-nontrapping-float-to-int --low-memory-unused -Oz $@ -o $@

# Files are compiled for size, except these, which have hot loops; see c/base/core.h. LLVM does not unroll loops whose
# number of iterations is known only at run time. Unless files are faster with it, LLVM also does not copy expressions
# into other branches to avoid computing them again (PRE). By both, cores are 1.2% smaller.
FAST = boxes/octree_batch boxes/octree_query crowd/crowd_goals crowd/crowd_neighbors crowd/crowd_step crowd/orca2 \
  points/agenttree_query points/batch points/batch_tasks points/grid_batch points/grid_query points/sensors_update \
  walls/obstacle_build walls/obstacle_query walls/obstacle_sight
FASTER_WITH_PRE = $(filter-out points/batch,$(FAST)) points/kdtree_batch points/kdtree_query points/points_query
SMALLER = -mllvm -unroll-runtime=0 $(if $(filter $(FASTER_WITH_PRE),$*),,-mllvm -enable-pre=0)
$(foreach name,$(FAST),build/%/$(name).o): OPTIMIZE = -O2 -fno-vectorize -fno-slp-vectorize $(SMALLER)
# With -Oz, LLVM inlines only where it expects smaller code. The code of boxes becomes larger nevertheless.
OPTIMIZE = -Oz $(SMALLER) $(if $(filter boxes/%,$*),-fno-inline-functions)
WASM_COMPILE = $(WASM_CLANG) $(EMCC_FLAGS) -DCOPSE_ONE_THREAD $(OPTIMIZE)
# The compiler that emcc runs, with emcc's flags for every file. Starting emcc itself takes longer than compiling most
# files. Asked for once, when the first file is compiled: before that, emcc may not be installed.
WASM_CLANG = $(eval WASM_CLANG := $$(or $$(shell $(EMCC) -v -c c/base/core.c -o build/probe.o 2>&1 | \
  sed -n 's/^ *"\?\([^" ]*\)"\? -target.*/\1/p'),$(EMCC)) $$(shell $(EMCC) --cflags))$(WASM_CLANG)

# The families with a core and an entry of their own, wasm/entries/<family>.js, and what each core is linked from.
FAMILIES = points sensors boxes walls crowd paths
CORE_FAMILIES = points boxes walls crowd
FAMILIES_points = points sensors
FAMILIES_boxes = boxes
FAMILIES_walls = walls
FAMILIES_crowd = crowd walls paths

WASM_HEADERS := $(wildcard wasm/*.h)
wasm_objects = $(patsubst %,build/$(1)/%.o,$(C_NAMES))
boundary = $(patsubst %,build/$(1)/wasm/%.o,objects $(2))
LINK = $(EMCC) $(EMCC_FLAGS) $(EMCC_LINK_FLAGS)

build/simd/%.o: c/%.c $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(WASM_COMPILE) -msimd128 -c $< -o $@
build/scalar/%.o: c/%.c $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(WASM_COMPILE) -c $< -o $@
build/simd/wasm/%.o: wasm/%.c $(WASM_HEADERS) $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(WASM_COMPILE) -msimd128 -c $< -o $@

build/core.wasm: $(call wasm_objects,simd) $(call boundary,simd,$(FAMILIES))
	$(LINK) -msimd128 $^ -o $@
	$(SHRINK) --enable-simd
# base comes after the family's own files: it then compresses better.
$(CORE_FAMILIES:%=build/core-%.wasm): build/core-%.wasm: $(call wasm_objects,simd) $(call boundary,simd,$(FAMILIES))
	$(LINK) -msimd128 \
	  $(filter-out build/simd/base/%,$(call wasm_objects,simd)) $(filter build/simd/base/%,$^) \
	  $(call boundary,simd,$(FAMILIES_$*)) -o $@
	$(SHRINK) --enable-simd

# The core with threads: its memory is shared, and its objects are compiled for that.
THREADED = -matomics -msimd128
build/threads/%.o: c/%.c $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(WASM_CLANG) $(EMCC_FLAGS) $(THREADED) $(OPTIMIZE) -c $< -o $@
build/threads/wasm/%.o: wasm/%.c $(WASM_HEADERS) $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(WASM_CLANG) $(EMCC_FLAGS) $(THREADED) $(OPTIMIZE) -c $< -o $@
THREADED_MEMORY = -Wl,--shared-memory,--max-memory=2147483648,--export=stackRestore
build/core-threads.wasm build/test/determinism-threads.wasm: STACK_BYTES = 1048576
build/core-threads.wasm: $(call wasm_objects,threads) $(call boundary,threads,$(FAMILIES) threads)
	$(LINK) $(THREADED) -sINITIAL_MEMORY=2MB $(THREADED_MEMORY) $^ -o $@
	$(SHRINK) --enable-simd --enable-threads

CORES = build/core.wasm build/core-threads.wasm $(CORE_FAMILIES:%=build/core-%.wasm)

## wasm: build the cores, into build/: with all classes, with threads, and of each family
wasm: $(CORES)

# TypeDoc needs TypeScript 6, so that has the plain name.
TSC = node node_modules/typescript-7/bin/tsc

## lib: build the npm package, into dist/
lib: dist/copse.js

# Each core is deflated by itself: in parallel, and only if it changed. RELEASE=1 deflates for half a minute, 5% smaller.
DEFLATED = $(CORES:%=%.deflated)
build/%.wasm.deflated: build/%.wasm wasm/deflate.js | $(SETUP)
	node wasm/deflate.js $< $(RELEASE)

dist/copse.js: $(CORES) $(DEFLATED) $(JS_SOURCES) package.json | $(SETUP)
	node wasm/build.js $(CORE_FAMILIES)
	@touch $@

# ---- The native library: it exports only what copse.h declares ----

build/native/%.o: c/%.c $(C_HEADERS) Makefile
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -O3 -fPIC -c $< -o $@

build/libcopse.a: $(patsubst %,build/native/%.o,$(C_NAMES))
	$(LD) -r $^ -o build/native/copse.o
	objcopy --wildcard --keep-global-symbol='copse_*' build/native/copse.o
	rm -f $@
	$(AR) rcs $@ build/native/copse.o

# What C users get: a header, a library and a pkg-config file.
PREFIX = /usr/local
VERSION = $(shell sed -n 's/.*"version": "\(.*\)".*/\1/p' package.json)

## install: install the native library into PREFIX (/usr/local), with a pkg-config file
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

## docs: build the documentation, into web/dist/docs, beside the demo
docs: web/dist/docs/index.html

# Vite empties web/dist, so the documentation comes after the demo.
web/dist/docs/index.html: web/dist/index.html $(DOCS) $(JS_SOURCES)
	npx typedoc --options web/docs/typedoc.json --logLevel Warn

## pictures: take the pictures of the demo's gallery, in web/pictures
pictures: web/dist/index.html
	node tests/tools/pictures.js

## figures: redraw the documentation's figures, in web/docs/figures
figures: lib
	node web/docs/figures.js

## demo: build everything, serve the demo, and print the address
demo: all
	npx vite preview web --port $(DEMO_PORT)

## example-zones: run a world over two processes with Colyseus and Redis, and print the address of its page
example-zones: lib $(ZONES)/node_modules/.package-lock.json
	node $(ZONES)/start.js

# ---- Tests ----
#
# Test programs are linked from the objects of the package and the native library, and from one more set
# compiled with sanitizers.

# Not -O1: with it, clang 14 takes minutes for some of these files.
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
# In plain C instead of SSE.
COMPILE_PLAIN = @mkdir -p $(@D); $(CLANG) $(C_FLAGS) -O1 $(COUNTED) -DCOPSE_SCALAR -c $< -o $@
build/plain/%.o: c/%.c $(C_HEADERS) | $(SETUP)
	$(COMPILE_PLAIN)
build/plain/tests/%.o: tests/c/%.c $(C_TESTS) $(C_HEADERS) | $(SETUP)
	$(COMPILE_PLAIN)
build/test/unit-plain: $(C_UNIT:tests/c/%.c=build/plain/tests/%.o) $(patsubst %,build/plain/%.o,$(C_NAMES))
	@mkdir -p $(@D); $(CLANG) $^ -lm -o $@
# Not sanitized: it only reads, and would take half of the time.
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
	$(WASM_COMPILE) -c $< -o $@
build/test/determinism-%.wasm: build/test/determinism.o $(call wasm_objects,simd) $(call wasm_objects,scalar)
	$(LINK) $(if $(findstring simd,$*),-msimd128) -sIMPORTED_MEMORY=0 -sINITIAL_MEMORY=16MB $< $(call wasm_objects,$*) -o $@

build/test/determinism-threads.wasm: tests/c/determinism.c $(C_TESTS) $(call wasm_objects,threads) \
  $(call boundary,threads,threads)
	$(LINK) $(THREADED) $(OPTIMIZE) $(THREADED_MEMORY) -sINITIAL_MEMORY=16MB $(filter-out %.h,$^) -o $@

# A core that fails on demand: it traps when this capacity is reserved.
build/test/objects.o: wasm/objects.c $(WASM_HEADERS) $(C_HEADERS) Makefile | $(SETUP)
	@mkdir -p $(@D)
	$(WASM_COMPILE) -msimd128 -DCOPSE_TEST_TRAP=54321 -c $< -o $@

build/test/core-failing.wasm: $(call wasm_objects,simd) build/test/objects.o $(patsubst %,build/simd/wasm/%.o,$(FAMILIES))
	$(LINK) -msimd128 $^ -o $@
	$(SHRINK) --enable-simd

# The examples of the documentation, compiled with the installed library, as C and as C++.
EXAMPLES = $(foreach name,example example_threads,build/test/$(name)-c build/test/$(name)-cpp)
build/test/example-c build/test/example-cpp: tests/c/example.c
build/test/example_threads-c build/test/example_threads-cpp: tests/c/example_threads.c
$(EXAMPLES): build/libcopse.a
	@mkdir -p $(@D)
	$(MAKE) install PREFIX=$(CURDIR)/build/installed/$(@F)
	$(if $(findstring cpp,$@),$(CLANG) -x c++ -std=c++17,$(CC) -std=c11) -Wall -Wextra -Werror $(filter %.c,$^) -x none \
	  $(if $(findstring threads,$@),-pthread) \
	  $$(PKG_CONFIG_PATH=build/installed/$(@F)/lib/pkgconfig pkg-config --cflags --libs copse) -o $@

C_TESTED = build/test/unit $(FUZZ_NAMES:%=build/test/cases-%) build/test/determinism-native $(EXAMPLES)
JS_TESTED = lib build/test/core-failing.wasm $(foreach core,simd threads,build/test/determinism-$(core).wasm)
ZONES_TESTED = $(ZONES)/node_modules/.package-lock.json

### Tests before a commit: make check test

## test: test a change: C under sanitizers, JavaScript in this Node, the demo in Chromium, the package
test: $(C_TESTED) $(JS_TESTED) web/dist/index.html
	node tests/tools/run.js

## test-c: the part in C; ONLY=grid for one noun
test-c: $(C_TESTED)
	node tests/tools/run.js c

## test-js: the part in JavaScript; ONLY=grid for one noun
test-js: $(JS_TESTED)
	node tests/tools/run.js js

## test-browser: the part in Chromium: the package in a page, and every scene of the demo
test-browser: $(JS_TESTED) web/dist/index.html
	node tests/tools/run.js browser

## test-package: the part that installs the packed package in small projects
test-package: lib
	node tests/tools/run.js package

### Tests of everything, weekly: make setup-all test-all

# The targets of test-all, which long.yml runs at the same time, each on a machine of its own.
EVERYTHING = check test analyze reproducible test-plain test-pages test-consumers test-engines determinism test-arm test-mingw \
  sanitize coverage test-long soak soak-threads fuzz

## test-all: test everything below, one after another, for some hours; goes on after a failure
test-all: | setup-all
	@failed=; for target in $(EVERYTHING); do echo "--- make $$target"; $(MAKE) $$target || failed="$$failed $$target"; \
	  done; echo "failed: $${failed:-nothing}"; [ -z "$$failed" ]

## test-plain: run the unit tests in C without SIMD
test-plain: build/test/unit-plain build/test/determinism-sanitized
	node tests/tools/run.js plain

## test-pages: test the demo, its examples and the documentation in Chromium; ONLY=site for one file
test-pages: all $(JS_TESTED) $(ZONES_TESTED)
	node tests/tools/run.js pages

## test-engines: test the package and the demo in Node 20, 22, 24, 26, Chromium, Firefox and WebKit
test-engines: all $(JS_TESTED)
	node tests/tools/engines.js

## test-consumers: test the packed package in all runtimes, bundlers and versions of TypeScript
test-consumers: all
	node tests/tools/run.js consumers

## test-long: play CASES (20,000) drawn cases of every target in C, from SEED on; ONLY=grid for one
test-long: $(FUZZ_NAMES:%=build/test/cases-%) $(JS_TESTED) $(ZONES_TESTED)
	node tests/tools/run.js long

# The same scenario from each compiler and optimization level, with all instructions of this processor (native),
# in plain C instead of SSE (scalar), and for other processors if a cross compiler and qemu are installed.
DETERMINISM = gcc-O0 gcc-O3 native-gcc-O3 clang-O0 clang-O3 native-clang-O3 scalar-O2 ssse3-O3
CROSS = $(foreach cpu,$(CROSS_CPUS),$(if $(shell command -v $(cpu)-linux-gnu-gcc && command -v qemu-$(cpu)),$(cpu)))
determinism_flags = $(if $(findstring O0,$(1)),-O0,$(if $(findstring O2,$(1)),-O2,-O3)) \
  $(if $(findstring native,$(1)),-march=native) $(if $(findstring scalar,$(1)),-DCOPSE_SCALAR) \
  $(if $(findstring ssse3,$(1)),-mssse3) $(if $(filter $(1),$(CROSS)),-static)
determinism_compiler = $(if $(filter $(1),$(CROSS)),$(1)-linux-gnu-gcc,$(if $(findstring clang,$(1)),$(CLANG),$(CC)))

build/determinism/%: tests/c/determinism.c $(C_SOURCES) $(C_HEADERS) $(C_TESTS) | $(SETUP)
	@mkdir -p $(@D)
	$(call determinism_compiler,$*) $(C_FLAGS) $(call determinism_flags,$*) $< $(C_SOURCES) -lm -o $@

## determinism: play the scenes in every build and on emulated processors, and compare their hashes
determinism: $(JS_TESTED) build/test/determinism-scalar.wasm $(patsubst %,build/determinism/%,$(DETERMINISM) $(CROSS))
	node tests/tools/matrix.js $(DETERMINISM) $(CROSS)

## test-arm: run the unit tests on aarch64, in qemu
test-arm: build/aarch64/unit
	node tests/tools/run.js arm
build/aarch64/unit: $(C_SOURCES) $(C_UNIT) $(C_HEADERS) $(C_TESTS)
	@mkdir -p $(@D)
	aarch64-linux-gnu-gcc $(filter-out -Wshadow -Wconversion,$(C_FLAGS)) $(COUNTED) -O2 -fno-tree-vectorize -static \
	  $(C_SOURCES) $(C_UNIT) -lm -o $@ # gcc 12 crashes when it vectorizes flow_open

## test-mingw: compile the library for Windows, without warnings
test-mingw: $(patsubst %,build/mingw/%.o,$(C_NAMES))
build/mingw/%.o: c/%.c $(C_HEADERS)
	@mkdir -p $(@D)
	x86_64-w64-mingw32-gcc $(C_FLAGS) -O3 -c $< -o $@

# The unit tests for MemorySanitizer and ThreadSanitizer, and for valgrind, which needs no flags.
memory_flags = -fsanitize=memory -fsanitize-memory-track-origins -fno-sanitize-recover=all
thread_flags = -fsanitize=thread

build/memory/unit build/thread/unit build/valgrind/unit: $(C_SOURCES) $(C_UNIT) $(C_HEADERS) $(C_TESTS) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) -gdwarf-4 -O1 -fno-omit-frame-pointer $($(notdir $(@D))_flags) \
	  $(COUNTED) -DCOPSE_WATCHED $(C_SOURCES) $(C_UNIT) -lm -o $@

## sanitize: run the unit tests under AddressSanitizer, MemorySanitizer, ThreadSanitizer and valgrind; TOOL=valgrind for one
sanitize: build/test/unit build/memory/unit build/thread/unit build/valgrind/unit
	node tests/tools/sanitize.js $(TOOL)

# A heap so small that garbage shows, and no collections merely because time has passed.
SOAK = node --expose-gc --max-semi-space-size=1 --no-concurrent-recompilation --no-memory-reducer \
  tests/tools/soak.js

KIND = AgentTree Grid KdTree

## soak: play FRAMES (1,000,000) of a game: memory must not grow, nor results change; KIND=Grid for one index
soak: lib
	$(foreach kind,$(KIND),$(SOAK) $(kind) &&) true

## soak-threads: play FRAMES (100,000) of a game with 1, 2 and 8 threads, in many instances; THREADS=2 for one number
soak-threads: lib
	$(foreach threads,$(or $(THREADS),1 2 8),THREADS=$(threads) node --expose-gc tests/tools/soakthreads.js &&) true

# Only c/ is instrumented, not the tests.
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

## coverage: measure how much of c/ and wasm/ the tests reach; reports in build/coverage/
coverage: $(JS_TESTED) $(COVERAGE_TESTS)
	CLANG=$(CLANG) node tests/tools/coverage.js

# Fuzzers need objects that count branches. These would double the time of other tests.
FUZZED = $(patsubst %,build/fuzzed/%.o,$(C_NAMES))

build/fuzzed/%.o: c/%.c $(C_HEADERS) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) $(SANITIZE) $(COUNTED) -fsanitize=fuzzer-no-link -c $< -o $@
build/fuzz/api: $(wildcard wasm/*.[ch])
build/fuzz/%: tests/c/fuzz/%.c $(C_TESTS) $(BRUTE) $(FUZZED) | $(SETUP)
	@mkdir -p $(@D)
	$(CLANG) $(C_FLAGS) $(SANITIZE) $(COUNTED) -fsanitize=fuzzer $< $(BRUTE) $(FUZZED) -lm -o $@

FUZZERS = $(FUZZ_NAMES:%=build/fuzz/%)

## fuzz: run every fuzz target for FUZZ_SECONDS (60); prints runs and coverage
fuzz: $(FUZZERS)
	node tests/tools/fuzz.js $(FUZZ_SECONDS)

## seeds: choose new seeds for the fuzz targets from what fuzzing has found; removes the other seeds
seeds: $(FUZZERS)
	node tests/tools/seeds.js

## mutate: change c/ in MUTANTS (100) ways for each of SEEDS (1 2 3): test-c must notice
mutate: build/test/unit build/test/determinism-sanitized $(FUZZ_NAMES:%=build/test/cases-%)
	CC='$(CC)' CLANG='$(CLANG)' SANITIZE='$(SANITIZE)' node tests/tools/mutate.js $(MUTANTS) $(SEEDS)

### Benchmarks

# The same width as WebAssembly's SIMD, and its shuffles.
NATIVE_SIMD = $(if $(filter x86_64,$(shell uname -m)),-mssse3)
BENCH_NATIVE = build/bench/copse build/bench/crowd $(and $(wildcard /usr/include/nanoflann.hpp), \
  $(shell command -v g++),build/bench/nanoflann) $(if $(RVO2_SOURCE),build/bench/rvo2)
# Other libraries may use all that this machine can do.
PEER_FLAGS = -std=c++17 -Wall -Wextra -O3 -march=native -flto
BENCH = $(NODE_BENCH) tests/bench/bench.js

build/bench/copse build/bench/crowd: build/bench/%: tests/bench/native/%.c tests/bench/native/common.h $(C_SOURCES) $(C_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(C_FLAGS) -O3 $(NATIVE_SIMD) $< $(C_SOURCES) -lm -o $@

build/bench/nanoflann: tests/bench/native/nanoflann.cpp tests/bench/native/common.h
	@mkdir -p $(@D)
	g++ $(PEER_FLAGS) $< -o $@

build/bench/rvo2: tests/bench/native/rvo2.cpp tests/bench/native/common.h
	@mkdir -p $(@D)
	g++ $(PEER_FLAGS) -I$(RVO2_SOURCE)/src $< $(wildcard $(RVO2_SOURCE)/src/*.cc $(RVO2_SOURCE)/src/*.cpp) -o $@

## bench: measure copse and other libraries, comparing results first: the quick form, some minutes
bench: lib $(BENCH_NATIVE)
	$(BENCH) quick

# A checkout of the commit BASE, with its package. It uses the npm packages of this project, which are in a folder
# above: npm must not install any there (-o).
AGAINST = build/against/$(shell git rev-parse --short $(BASE))
NODE_BENCH = node --no-liftoff --expose-gc

## bench-against: measure this build and that of the commit BASE in turn, results compared first; ONLY=crowd
bench-against: lib $(if $(BASE),$(AGAINST)/dist/copse.js)
	$(if $(BASE),,$(error BASE=commit is missing))
	$(NODE_BENCH) tests/bench/against.js $(AGAINST) $(ONLY)

## instructions: count the instructions of hot loops in C, of this build and of the commit BASE; ONLY=crowd
instructions: build/bench/instructions $(if $(BASE),$(AGAINST)/instructions) | build/.tools-all
	$(if $(BASE),,$(error BASE=commit is missing))
	node tests/bench/instructions.js build/bench/instructions $(AGAINST)/instructions $(ONLY)

build/against/%/Makefile:
	@mkdir -p $(@D)
	git archive $* | tar -x -C $(@D)
build/against/%/dist/copse.js: build/against/%/Makefile
	$(MAKE) -C build/against/$* -o node_modules/.package-lock.json lib
INSTRUCTIONS = tests/bench/native/instructions.c
COMPILE_COUNTED = $(CC) $(C_FLAGS) -O3 $(NATIVE_SIMD)
# A commit without this program is measured by that of today.
build/against/%/instructions: build/against/%/Makefile $(INSTRUCTIONS)
	git cat-file -e $*:$(INSTRUCTIONS) 2>/dev/null || cp $(INSTRUCTIONS) build/against/$*/$(INSTRUCTIONS)
	cd build/against/$* && $(COMPILE_COUNTED) $(INSTRUCTIONS) c/*/*.c -lm -o instructions
build/bench/instructions: $(INSTRUCTIONS) $(C_SOURCES) $(C_HEADERS)
	@mkdir -p $(@D)
	$(COMPILE_COUNTED) $< $(C_SOURCES) -lm -o $@

## bench-full: the same with all spreads and up to a million agents: half an hour
bench-full: lib $(BENCH_NATIVE)
	$(BENCH) full

## bench-still: the part for points that stay: the k-d tree
bench-still: lib $(BENCH_NATIVE)
	$(BENCH) quick still

## bench-boxes: the part for boxes that move and overlap: the quadtree
bench-boxes: lib
	$(BENCH) quick boxes

## bench-walls: the part for walls and lines of sight: the obstacle tree
bench-walls: lib
	$(BENCH) quick walls

## bench-paths: the part for paths around walls: flow fields, against the navigation mesh of recast-navigation
bench-paths: lib
	$(BENCH) quick paths

## bench-crowd: the part for crowds, against Recast's crowd and, with RVO2_SOURCE=folder, RVO2 built from its source
bench-crowd: lib $(BENCH_NATIVE)
	$(BENCH) quick crowd

## bench-threads: measure how much faster THREADS (2) threads are than one
bench-threads: lib
	node tests/bench/threads.js $(or $(THREADS),2)

## bench-crossings: measure where the grid, the agent tree and the k-d tree break even
bench-crossings: lib
	node --no-liftoff tests/bench/crossings.js
	node --no-liftoff tests/bench/crossingqueries.js

## bench-leaf: measure an agent tree by its leafSize, axis and split
bench-leaf: lib
	node --no-liftoff tests/bench/leafsizes.js

## bench-degenerate: measure builds of degenerate points: at most 5 times as long as of uniform ones
bench-degenerate: lib
	node --no-liftoff tests/bench/degenerate.js

## bench-goals: compare the last results with the goals
bench-goals:
	@node tests/bench/goals.js

## bench-keep: copy the last results to where the README and the figures show them
bench-keep:
	@mkdir -p tests/bench/results
	cp $(wildcard $(patsubst %,build/bench/%,results.json frame.svg leafsizes.json)) tests/bench/results/

### Style and checks

FORMATTED_C = $(wildcard c/*.[ch] c/*/*.[ch] wasm/*.[ch] tests/c/*.[ch] tests/c/*/*.[ch] tests/bench/native/*)
FORMATTED_JS = package.json wasm web tests README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md '!web/dist' '!tests/data/golden'

## check: check formatting, static analysis, types, imports, and the package as users get it
check: check-c check-js

## check-c: the part for C: formatting, includes, suspicious code
check-c: | $(SETUP)
	grep -q '"$(VERSION)"' c/copse.h && grep -q '^## $(VERSION)' CHANGELOG.md
	clang-format --dry-run -Werror $(FORMATTED_C)
	! grep -n '#include "\.\./' c/base/* | grep -v '"\.\./copse\.h"'
	! grep -n '#include "\.\./' c/points/* c/boxes/* c/walls/* | grep -v '"\.\./base/'
	! grep -n '#include "\.\./' c/crowd/* | grep -vE '"\.\./(base|points|walls)/'
	! grep -n '#include "\.\./' c/paths/* | grep -vE '"\.\./(base|walls|crowd)/'
	$(call tidy,--checks=-clang-analyzer-*)

## analyze: look for faults along the paths through each function in C, for some minutes
analyze: | $(SETUP)
	$(call tidy)

# Runs clang-tidy on all files in C, as many at a time as there are processors.
define tidy
printf '%s\n' $(C_SOURCES) $(filter-out wasm/threads.c,$(wildcard wasm/*.c)) | \
  xargs -P "$$(nproc)" -I {} clang-tidy --quiet $(1) {} -- -std=c11 -Wno-unknown-attributes
clang-tidy --quiet $(1) wasm/threads.c -- -std=c11 --target=wasm32-unknown-emscripten -matomics \
  --sysroot=$(shell em-config CACHE)/sysroot
endef

## check-js: the part for all else: formatting, types, imports, the package
check-js: lib build/libcopse.a
	npx prettier --check --log-level warn $(FORMATTED_JS)
	$(TSC) -p wasm
	! grep -rnE "(from|import|import\() ?['\"][^'\"]*tests/" web wasm --include='*.js' --exclude-dir=dist \
	  --exclude-dir=node_modules
	node tests/tools/prose.js
	node tests/tools/package.js

## reproducible: build the package again, elsewhere and from nothing, and compare the bytes
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

## help: print this list
help:
	@sed -n 's/^### \(.*\)/\n\1/p; s/^## /  /p' $(MAKEFILE_LIST)
