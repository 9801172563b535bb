# The front door: `make help` lists every target, and each works from a fresh clone.

VENV ?= .venv
# Unless it is told, the interpreter that VENV is of: no target remakes it for another unasked.
ifndef PYTHON
PYTHON := $(or $(shell p=$$(sed -n 's/^executable = //p' $(VENV)/pyvenv.cfg 2>/dev/null); \
	[ -x "$$p" ] && echo "$$p"),python3)
endif
FUZZ_RUNS ?= 100000
FUZZ_STACKS ?= 10000000
FUZZ_SECONDS ?= 600
SECONDS ?= 60
# Processes that run Python tests side by side: a test often waits for a program that it started.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
MUTANTS ?= 300
PROGRAMS ?= 10000
# Those whose profilers' programs `make test-frameworks` runs.
FRAMEWORKS ?= paddle
# Where the core is built for the Check suites, and how; `make san` builds a second one.
CORE_BUILD ?= build/core
CORE_CFLAGS ?= -g -UNDEBUG

export PYTHON
export TRACER_WERROR := 1
# Check allows a test four seconds, too few for the longest on a busy machine.
export CK_TIMEOUT_MULTIPLIER ?= 10
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# pytest keeps the tests that it has compiled, for the next run of them.
unexport PYTHONDONTWRITEBYTECODE

py := $(VENV)/bin/python
about := $(shell '$(PYTHON)' -c 'import platform, sysconfig; \
	print(platform.python_version(), sysconfig.get_config_var("EXT_SUFFIX"))' 2>/dev/null)
version := $(word 1,$(about))
extension := python/tracer/_core$(word 2,$(about))
core_files := $(wildcard ext/core/*/*.[ch])
c_files := $(core_files) $(wildcard ext/*/*.[ch])
all_c_files := $(c_files) $(wildcard tests/*/*.[ch] benchmarks/*/*.[ch])
check_files := $(wildcard tests/core/*.[ch])
c_warnings := -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror
includes := -Iext $(addprefix -I,$(wildcard $(UTHASH_INCLUDE) /opt/homebrew/include /opt/local/include))
san_flags := -g -O1 -UNDEBUG -fno-omit-frame-pointer -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
tsan_flags := -g -O1 -UNDEBUG -fno-omit-frame-pointer -fsanitize=thread
san_venv := .venvs/san-$(version)
san_py := $(san_venv)/bin/python
san_ready := $(san_venv)/.ready
bench_venv := .venvs/bench-$(version)
bench_py := $(bench_venv)/bin/python
bench_ready := $(bench_venv)/.ready
bench_floor := build/bench/floor/bench_floor$(word 2,$(about))
fuzz_flags := -g -O1 -UNDEBUG -fno-omit-frame-pointer -fno-sanitize-recover=all

# A version is named because without one cppcheck reads none of the code behind the version checks.
cppcheck = cppcheck --quiet -j $$(getconf _NPROCESSORS_ONLN) --enable=warning,performance,portability --std=c11 --inline-suppr --error-exitcode=1 \
	--library=posix --library=python --suppress=missingIncludeSystem \
	-D_POSIX_C_SOURCE=200809L -DPY_VERSION_HEX=0x030d0000 -Iext ext tests/core tests/fuzz

# Installs what pyproject.toml names: what building takes, or an extra of the package, without building that as
# pip's .[extra] would. An environment is made anew when the list that it is of is another, whatever else has changed:
# lists stand beside the environment, and stay with it where another tree takes this one's place.
listed := $(VENV)-lists
install_listed = $(1) -m pip install -q --upgrade --requirement $(listed)/$(2)
install_build = $(call install_listed,$(1),build)
install_extra = $(call install_listed,$(1),$(2))
install_editable = $(py) -m pip install -q --no-build-isolation --no-deps --editable .
pytest = -m pytest --workers=$(WORKERS) --once-more
# Tests start some thousand processes, and each would compile the package anew: two thirds of its time.
# A file that this version cannot compile is told by the test that needs it.
compile_all = @$(py) -m compileall -qq python tests/python || true
# TESTS='tests/python/test_x.py -k y': these alone, and other words of pytest's.
# ONLY=package, interpreter, backend, extension or programs: a part of the tests (see tests/README.md).
only = $(addprefix --only=,$(ONLY))

define install_sanitized
	@mkdir -p build/san
	@printf '[build]\nbuild_base = build/san\n' >build/san/setup.cfg
	@find build/san -path '*/lib*/tracer/*.py' -delete # else modules that have moved would be installed, too
	CFLAGS='$(san_flags)' LDFLAGS='-fsanitize=address,undefined' DIST_EXTRA_CONFIG='$(CURDIR)/build/san/setup.cfg' \
		$(san_py) -m pip install -q --no-build-isolation --no-deps --force-reinstall .
endef

# The stamps bear the interpreter's version, so that another PYTHON is never mistaken for it.
ready := $(VENV)/.ready-$(version)
built := $(VENV)/.built-$(version)
testable := $(VENV)/.testable-$(version)

.DELETE_ON_ERROR:
.PHONY: help build demo test test-core test-unwind-arm test-python test-readers test-frameworks test-browser screenshots docs-tables test-versions test-bare test-all quick check lint format regrtest san san-always tsan stress stress-slowdown stress-native stress-programs mutants coverage bench bench-quick bench-added bench-core bench-start bench-page bench-timeline bench-replay bench-timeline-page bench-steps bench-memory bench-memory-replay bench-objects bench-native bench-slowdown bench-first-screen fuzz fuzz-unwind dist clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-19s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo 'PYTHON=... names the interpreter (that of VENV, else python3), VENV=... its virtual environment (.venv).'

build: $(testable) ## build into .venv, with what the tests take; .venv/bin/tracer then works

# One list a file, build or an extra, whose date is that of the last change.
$(listed)/%: pyproject.toml
	@mkdir -p $(@D)
	@new=$@.$$$$; '$(PYTHON)' -c 'import sys, tomllib; given = tomllib.load(open("pyproject.toml", "rb")); \
		extras = given["project"]["optional-dependencies"]; \
		print(*{**extras, "build": given["build-system"]["requires"]}[sys.argv[1]], sep="\n")' $* >$$new && \
		if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

.PRECIOUS: $(listed)/%

$(ready): $(listed)/build
	@tests/tools/need.sh compiler python uthash
	rm -rf $(VENV)
	'$(PYTHON)' -m venv $(VENV)
	$(call install_build,$(py))
	@touch $@

# What makes the console script builds the extension, too: then it is not built before that.
$(extension): setup.py $(c_files) | $(ready)
	@set -x; if [ -e $(VENV)/bin/tracer ]; then $(py) setup.py -q build_ext --inplace; else $(install_editable); fi
	@touch $@

$(built): $(ready) $(extension)
	@[ -e $(VENV)/bin/tracer ] || (set -x; $(install_editable))
	@touch $@

$(testable): $(built) $(listed)/test
	$(call install_extra,$(py),test)
	@touch $@

demo: $(built) ## profile a Julia set; show the first screen, who calls the hottest function, and write the page
	$(py) -m tracer -o profile.out benchmarks/programs/julia.py
	@echo
	$(py) -m tracer show profile.out
	$(py) -m tracer show profile.out --no-header --strip-dirs --callers "$$($(py) tests/tools/hottest.py profile.out)"
	$(py) -m tracer html profile.out

# Chromium, and what reads our exports back, take minutes to fetch: they are used here when they are there.
test: test-core test-python ## run every C and Python test on the python3 at hand
	@if [ -e build/readers/.fetched ]; then $(MAKE) --no-print-directory test-readers; \
	else echo 'tracer: the tests of exports by other programs were SKIPPED; make test-readers fetches those' >&2; fi
	@if tests/tools/need.sh has-chromium; then $(MAKE) --no-print-directory test-browser; \
	else echo 'tracer: the tests of the page were SKIPPED: no Chromium; make test-browser installs it' >&2; fi

test-core: $(CORE_BUILD)/check ## run the Check suites of the core
	$(CORE_BUILD)/check

$(CORE_BUILD)/check: $(CORE_BUILD)/libtracercore.a $(check_files)
	@tests/tools/need.sh compiler check
	$(CC) $(c_warnings) $(CORE_CFLAGS) $(includes) $(filter %.c,$(check_files)) $< -o $@ \
		$$(pkg-config --libs check 2>/dev/null || echo -L/opt/homebrew/lib -lcheck) -pthread

$(CORE_BUILD)/libtracercore.a: $(core_files) setup.py | $(ready)
	CFLAGS='$(CORE_CFLAGS)' $(py) setup.py -q build_clib --build-clib $(CORE_BUILD) --build-temp $(CORE_BUILD)/objects

test-unwind-arm: ## run the Check suites of the unwinder on AArch64, in qemu: a minute; needs root on Debian
	tests/tools/aarch64.sh

test-python: $(testable) ## run the Python tests, once with each back end
	@tests/tools/need.sh testsuite
	$(compile_all)
	tests/tools/each_backend.sh $(py) $(py) $(pytest) $(only) $(TESTS)

test-readers: $(testable) ## read exports back by the programs they are made for, fetched into build/readers
	$(compile_all)
	tests/tools/unless_passed.sh readers $(version) sh -c 'PYTHON=$(py) tests/tools/get_readers.sh && $(py) $(pytest) tests/readers'

test-frameworks: $(testable) ## run programs of Paddle's profiler, and of PyTorch's, under it and under tracer: .8 GB (FRAMEWORKS='paddle torch': 5 GB)
	tests/tools/unless_passed.sh frameworks '$(version) $(FRAMEWORKS)' sh -c 'PYTHON=$(py) tests/tools/get_frameworks.sh $(FRAMEWORKS) && \
		TRACER_NEEDS_FRAMEWORKS=1 $(py) $(pytest) $(patsubst %,tests/frameworks/test_%.py,$(FRAMEWORKS))'

test-browser: $(VENV)/.browser-$(version) ## run the tests of the page in Chromium, installing what is missing
	@tests/tools/need.sh chromium
	$(compile_all)
	tests/tools/unless_passed.sh page $(version) $(py) $(pytest) tests/browser

screenshots: $(VENV)/.browser-$(version) ## make the pictures of README.md anew, of the demo's profile
	@tests/tools/need.sh chromium
	$(py) tests/tools/screenshots.py docs

docs-tables: $(built) ## make the option tables of the manual anew, from the options that make --help
	$(py) tests/tools/docs_tables.py

$(VENV)/.browser-$(version): $(testable) $(listed)/browser
	$(call install_extra,$(py),browser)
	@touch $@

# $(call run_jobs,WHICH): what jobs.sh lists, two at a time.
run_jobs = $(MAKE) --no-print-directory build VENV=.venv && jobs=$$(tests/tools/jobs.sh $(1)) && echo "$$jobs" | tests/tools/lanes.sh build/test-$(1)

test-versions: ## run the tests on every interpreter found, and on 3.14 and 3.15 in a Debian forky root: some
	@$(call run_jobs,versions) # those of the package on the newest; on the others, a part of what a version can change

test-bare: ## make demo and make test as on a bare Debian 12, in a root of it; needs root on Debian (TESTS='...')
	tests/tools/bare_debian.sh demo
	tests/tools/bare_debian.sh test $(TESTS)

test-all: ## run all tests on each of these interpreters, and those of the extension under the sanitizers
	@export LIMIT=2h; $(call run_jobs,all)

quick: $(testable) $(VENV)/.lint-$(version) ## lint and test what a change of these files needs: three minutes at most (SINCE=REVISION)
	$(compile_all)
	$(py) tests/tools/quick.py $(addprefix --since=,$(SINCE))

check: ## run what a change has to pass (.ci/run) on a clean clone of HEAD; build/ci-passed is the tree that did
	@tests/tools/check.sh

regrtest: $(testable) ## run CPython's own tests under tracer too, and list those that notice (MODULES='test_json ...')
	@tests/tools/need.sh testsuite
	$(py) tests/regrtest/regrtest.py $(MODULES)

# TRACER_WERROR has what $(built) builds refuse a warning.
lint: $(VENV)/.lint-$(version) $(built) ## clang-format, gcc -Wall -Wextra -Werror, cppcheck, ruff, mypy --strict, pyright, tsc
	$(VENV)/bin/clang-format --dry-run -Werror $(all_c_files)
	@if tests/tools/need.sh cppcheck; then set -x; $(cppcheck); else echo 'lint: cppcheck was SKIPPED' >&2; fi
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	tests/tools/types.sh $(VENV)
	tests/tools/tsc.sh

format: $(VENV)/.lint-$(version) ## rewrite the sources as lint wants them
	$(VENV)/bin/clang-format -i $(all_c_files)
	$(VENV)/bin/ruff check --fix-only .
	$(VENV)/bin/ruff format .

$(VENV)/.lint-$(version): $(ready) $(listed)/lint
	$(call install_extra,$(py),lint)
	@touch $@

san: ## run the Check suites and the Python tests under ASan and UBSan
	tests/tools/unless_passed.sh sanitized '$(version) $(ONLY) $(BACKENDS)' $(MAKE) --no-print-directory san-always

san-always: $(san_ready)
	$(install_sanitized)
	tests/tools/beside.sh "export CK_TIMEOUT_MULTIPLIER=60; $(MAKE) test-core CORE_BUILD=build/san/core CORE_CFLAGS='$(san_flags)' && \
			$(MAKE) --no-print-directory tsan" \
		"CC='$(CC)' tests/tools/sanitized.sh $(san_py) tests/tools/each_backend.sh $(san_py) $(san_py) $(pytest) $(only)"

tsan: ## run the Check suites whose tests have threads under ThreadSanitizer: what runs without the interpreter
	$(MAKE) --no-print-directory build/tsan/core/check CORE_BUILD=build/tsan/core CORE_CFLAGS='$(tsan_flags)'
	tests/tools/tsan.sh build/tsan/core/check

stress: $(san_ready) ## for SECONDS, threads that meddle with profiles at random, under ASan and UBSan (SEED=...)
	$(install_sanitized)
	CC='$(CC)' tests/tools/sanitized.sh $(san_py) $(san_py) tests/stress/stress.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

stress-slowdown: $(san_ready) ## for SECONDS, samples at the highest rate of threads whose frames change, under ASan and UBSan (SEED=...)
	$(install_sanitized)
	CC='$(CC)' tests/tools/sanitized.sh $(san_py) $(san_py) tests/stress/slowdown.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

stress-native: $(built) ## for SECONDS, threads that take the locks of loader and malloc, come, go and fork, while native code is sampled
	$(py) tests/stress/native.py --seconds $(SECONDS)

stress-programs: $(testable) ## hold PROGRAMS random programs, in threads and greenlets, with filters, under several profiles, against a model (SEED=...)
	$(py) tests/stress/programs.py --count $(PROGRAMS) $(if $(SEED),--seed $(SEED))

$(san_ready): $(listed)/test | $(ready)
	rm -rf $(san_venv)
	'$(PYTHON)' -m venv $(san_venv)
	$(call install_extra,$(san_py),test)
	@touch $@

bench-page: $(VENV)/.browser-$(version) ## how large, how soon ready and how smooth the page is, in Chromium: two minutes
	@tests/tools/need.sh chromium
	$(py) benchmarks/page.py --json build/bench/page.json

bench-core: build/bench/pairs ## count the core's instructions for a call; fails when they have grown (RECORD=1 records them)
	@tests/tools/need.sh valgrind
	'$(PYTHON)' benchmarks/pairs.py $< $(if $(RECORD),--record)

bench-start: $(built) ## count the instructions of `import tracer` and of the command's start; fails as bench-core does (RECORD=1)
	@tests/tools/need.sh valgrind
	$(py) benchmarks/startup.py $(if $(RECORD),--record)

bench-added: $(bench_ready) $(bench_floor) ## count the instructions that the floor and tracer add to a call, a filter, a new context, a thread: three minutes
	@tests/tools/need.sh valgrind
	$(bench_py) benchmarks/added.py

build/bench/pairs: benchmarks/core/pairs.c $(core_files)
	@tests/tools/need.sh compiler uthash
	@mkdir -p build/bench
	$(CC) $(c_warnings) -O2 -g -DNDEBUG $(includes) $(filter %.c,$^) -o $@ -pthread

build/bench/unwound: benchmarks/core/unwound.c $(core_files)
	@tests/tools/need.sh compiler uthash libdw
	@mkdir -p build/bench
	$(CC) $(c_warnings) -O2 -g -DNDEBUG $(includes) $(filter %.c,$^) -o $@ -pthread -ldl -ldw -lelf

build/bench/replay: benchmarks/core/replay.c $(core_files)
	@tests/tools/need.sh compiler uthash
	@mkdir -p build/bench
	$(CC) $(c_warnings) -O2 -g -DNDEBUG $(includes) $(filter %.c,$^) -o $@ -pthread -lm

build/bench/replay_heap: benchmarks/core/replay_heap.c tests/core/heapplay.c tests/core/heapplay.h tests/core/paper.c $(core_files)
	@tests/tools/need.sh compiler uthash
	@mkdir -p build/bench
	$(CC) $(c_warnings) -O2 -g -DNDEBUG $(includes) -Itests/core $(filter %.c,$^) -o $@ -pthread

fuzz: $(testable) build/fuzz/fuzz_reader ## throw FUZZ_RUNS mutated profiles at the readers, in C and in Python
	@mkdir -p build/fuzz/corpus
	ASAN_OPTIONS=quarantine_size_mb=16 build/fuzz/fuzz_reader -runs=$(FUZZ_RUNS) \
		-max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=256 -timeout=5 -artifact_prefix=build/fuzz/ \
		-print_final_stats=1 build/fuzz/corpus $(wildcard tests/fuzz/seeds)
	$(py) tests/tools/mutate_profiles.py $(FUZZ_RUNS)
	$(py) tests/tools/mutate_lprof.py $(FUZZ_RUNS)

# A seed tells the damages; each run has another one unless SEED names it.
fuzz-unwind: ## unwind FUZZ_STACKS damaged stacks, in damaged files, under ASan and UBSan: five minutes (SEED=...)
	$(MAKE) --no-print-directory build/san/core/check CORE_BUILD=build/san/core CORE_CFLAGS='$(san_flags)'
	seed=$(or $(SEED),$$(date +%s)); echo "SEED=$$seed"; TRC_FUZZ_STACKS=$(FUZZ_STACKS) TRC_FUZZ_SEED=$$seed \
		CK_DEFAULT_TIMEOUT=0 CK_RUN_SUITE=damaged build/san/core/check

build/fuzz/fuzz_reader: $(core_files) tests/fuzz/fuzz_reader.c setup.py | $(ready)
	@tests/tools/need.sh clang
	CC=clang CFLAGS='$(fuzz_flags) -fsanitize=fuzzer-no-link,address,undefined' \
		$(py) setup.py -q build_clib --build-clib build/fuzz --build-temp build/fuzz/objects
	clang $(c_warnings) $(fuzz_flags) -fsanitize=fuzzer,address,undefined $(includes) \
		tests/fuzz/fuzz_reader.c build/fuzz/libtracercore.a -o $@

mutants: $(testable) ## change one token of the sources, MUTANTS times: which do the tests not notice? Hours (SEED=..., LAYERS='core recording', AGAIN=1)
	@tests/tools/need.sh check
	nice -n 19 $(py) tests/mutants/mutants.py --count $(MUTANTS) $(if $(SEED),--seed $(SEED)) $(if $(LAYERS),--layers $(LAYERS)) $(if $(AGAIN),--again)

coverage: $(VENV)/.browser-$(version) ## count which lines and branches the tests reach, into tests/coverage/COVERAGE.md: 45 minutes
	@tests/tools/need.sh check
	nice -n 19 $(py) tests/coverage/measure.py --report tests/coverage/COVERAGE.md

bench: $(bench_ready) $(bench_floor) ## measure tracer beside its peers: the whole table, at most 20 minutes
	$(bench_py) benchmarks/run.py

bench-quick: $(bench_ready) $(bench_floor) ## the cost of an event, three programs and the ends: about a minute
	$(bench_py) benchmarks/run.py --quick

bench-timeline: $(bench_ready) $(bench_floor) ## measure what a timeline costs, viztracer beside it, and the next two: at most half an hour (QUICK=1: three minutes)
	$(bench_py) benchmarks/timeline.py $(if $(QUICK),--quick) --json build/bench/timeline-$(version).json
	@$(MAKE) --no-print-directory bench-replay
	@$(MAKE) --no-print-directory bench-timeline-page

bench-replay: build/bench/replay $(built) ## play 10^9 calls of five programs to the core with a timeline: five minutes (QUICK=1: seconds)
	$(py) benchmarks/replay.py $(if $(QUICK),--calls 1e7) --json build/bench/replay.json

bench-timeline-page: $(VENV)/.browser-$(version) ## how soon 10^7 slices are ready and how smooth they are, in Chromium: two minutes (QUICK=1: half)
	@tests/tools/need.sh chromium
	$(py) benchmarks/timeline_page.py $(if $(QUICK),--slices 2e5 --rounds 1) --json build/bench/timeline-page.json

bench-steps: $(built) ## measure what a step costs that is not recorded, and what a loop of a million steps keeps: half a minute
	@tests/tools/need.sh valgrind
	$(py) benchmarks/steps.py --json build/bench/steps.json

bench-memory: $(bench_ready) $(bench_floor) ## measure what memory costs, tracemalloc and memray beside it, and how right it is: ten minutes (QUICK=1: one)
	$(bench_py) benchmarks/memory.py $(if $(QUICK),--quick) --json build/bench/memory-$(version).json

bench-memory-replay: build/bench/replay_heap $(built) ## play 10^10 allocations to the core, and 2^32 epochs: ten minutes (QUICK=1: seconds)
	$(py) benchmarks/replay_heap.py $(if $(QUICK),--allocations 1e7) --json build/bench/replay-heap.json

bench-slowdown: $(bench_ready) ## what --slowdown costs 21 programs, and how true it is, beside cProfile and pyinstrument: two hours (QUICK=1: ten minutes)
	$(bench_py) benchmarks/slowdown.py $(if $(QUICK),--pairs 3 --seconds 1 --long 4) --json build/bench/slowdown-$(version).json

bench-native: $(bench_ready) build/bench/unwound ## native samples beside perf's, their stacks beside libdwfl's, on OpenBLAS's kernels, on threads of libraries, and their cost: six minutes
	$(bench_py) benchmarks/native.py --json build/bench/native-$(version).json

bench-objects: $(bench_ready) ## count 10^6 and 10^7 live objects by tracer.heap(), and by guppy3: a minute (QUICK=1: 10^6 alone)
	$(bench_py) benchmarks/objects.py $(if $(QUICK),--counts 1e6) --json build/bench/objects-$(version).json

bench-first-screen: $(bench_ready) ## score what the first screen says of programs whose answer is known, cProfile and pyinstrument beside it: five minutes
	$(bench_py) benchmarks/first_screen.py --json build/bench/first-screen-$(version).json

$(bench_ready): benchmarks/requirements.txt | $(built)
	rm -rf $(bench_venv)
	'$(PYTHON)' -m venv $(bench_venv)
	$(bench_py) -m pip install -q --requirement benchmarks/requirements.txt 'setuptools>=77'
	$(bench_py) -m pip install -q --no-build-isolation --no-deps --editable .
	@touch $@

$(bench_floor): benchmarks/floor/floor.c benchmarks/floor/counter.c benchmarks/floor/setup.py | $(ready)
	$(py) benchmarks/floor/setup.py -q build_ext --build-lib $(@D) --build-temp $(@D)/objects
	@touch $@

dist: $(VENV)/.dist-$(version) ## make the sdist and a wheel for each interpreter found, and try each
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" tests/tools/dist.sh

$(VENV)/.dist-$(version): $(ready) $(listed)/dist
	$(call install_extra,$(py),dist)
	@touch $@

clean: ## remove everything that the other targets made, the Debian roots excepted
	rm -rf build dist profile.out profile.html .venv .venv-lists .venvs .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find ext python tests benchmarks \( -name __pycache__ -o -name '*.egg-info' \) -prune -exec rm -rf {} +
	rm -f python/tracer/*.so
