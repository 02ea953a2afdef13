# make check is what CI runs.

GO ?= go
FUZZTIME ?= 30s

FUZZENGINES ?= 1h

PROFILE = cmd/heddle/default.pgo

SET = gcn

# What ranges over the rows of all sets.
ROWTESTS = ./internal/sets ./internal/digest ./internal/gen ./internal/layering ./internal/linter ./internal/manual ./internal/reference ./internal/spec ./internal/vectors

.PHONY: check test test-isa trial sets race bench bench-engines bench-sanitizer profile fuzz fuzz-engines long gen wasm lib vectors

check:
	bash .ci/run

test:
	$(GO) test ./...

# What a change of one set's tables can break: make test-isa SET=valhall.
test-isa:
	$(GO) test ./isa/$(SET)/... ./internal/$(SET)run $(ROWTESTS)

# Follows CONTRIBUTING.md with an invented instruction of each set, in a copy of the tree; SET=gcn,rogue for some.
trial:
	HEDDLE_TRIAL=$(if $(filter command line,$(origin SET)),$(SET),1) $(GO) test -v -count 1 -timeout 2h -run '^TestAdding$$' ./internal/trial

# What passes of the full sets without being required, and which required shares could be raised.
sets:
	$(GO) test -v -run 'AllCases$$|^TestCorpus(Pairs)?$$' ./object ./casefile ./internal/check | sed -n 's/^ *[a-z_]*_test.go:[0-9]*: \(.*required.*\)/\1/p'

race:
	$(GO) test -race ./exec/... ./internal/ref ./internal/lower ./internal/portable ./internal/lanewise ./internal/jit/... ./launch/... ./internal/platforms/... ./draw/... ./mem ./isa
	$(GO) test -race -short ./internal/check
	HEDDLE_CAPI_RACE=1 $(GO) test -count 1 -run '^TestPrograms$$' ./cmd/libheddle

# Decode, print, assemble, lift and run real kernels; 0 allocs per decoded instruction.
bench:
	$(GO) test -run '^$$' -bench . . ./internal/bench ./cmd/libheddle

# The library for C and what can call it: docs/capi.md.
lib:
	$(GO) build -buildmode=c-shared -o libheddle.so ./cmd/libheddle

# Kernels, programs and scenes on every engine, and natively where PoCL is installed: a table, docs/engines.json and .png, and the
# figures in README.md and docs/engines.md.
bench-engines:
	$(GO) run -pgo=$(PROFILE) ./internal/benchengines -json docs/engines.json -png docs/engines.png -docs

# What checks of the sanitizer cost, and on the same kernels Oclgrind, where that is installed: docs/sanitizer.json, and the figures in
# docs/sanitize.md.
bench-sanitizer:
	$(GO) run -pgo=$(PROFILE) ./internal/benchengines -sanitize 'init race lds wait memory all' -groups 'tuned on|held out' -workers 1 -json docs/sanitizer.json -docs

# What the Go compiler is told of the fastest engine at work, for the command.
profile:
	$(GO) run -pgo=off ./internal/benchengines -native=false -engines '^jit$$' -groups 'tuned on|programs|scenes' -rounds 1 -time 4s -workers 1 -cpuprofile $(PROFILE)

fuzz:
	bash .ci/fuzz $(FUZZTIME)

# Random programs in every engine, for an hour or FUZZENGINES=5m: what one leaves otherwise than the reference is shown with the
# smallest program that shows it and how to run that again. With HEDDLE_FUZZ_EMULATED=1 code of 512 bits is among them, in an emulator.
fuzz-engines:
	HEDDLE_FUZZ_ENGINES=$(FUZZENGINES) $(GO) test -v -timeout 0 -run '^TestEngines$$' ./internal/differ

# The random and exhaustive tests, widened.
long:
	HEDDLE_LONG=1 $(GO) test -timeout 2h ./...

# The generated pages of docs/ and the table of README.md.
gen:
	$(GO) run ./internal/gen

# What runs instructions in pages, for binaries to hold: build them after it.
wasm:
	$(GO) run ./internal/live/make
# Test vectors of all instruction sets and variants into build/vectors, compressed: docs/vectors.md says how many and how large.
vectors:
	$(GO) build -o build/heddle ./cmd/heddle
	for isa in $$(build/heddle isas | awk 'NR > 1 {print $$1}'); do \
		build/heddle vectors --isa $$isa --gzip -o build/vectors/$$(echo $$isa | tr : -) || exit 1; \
	done
