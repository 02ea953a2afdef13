# make check is what CI runs.

GO ?= go
FUZZTIME ?= 30s

.PHONY: check test race bench fuzz long gen

check:
	bash .ci/run

test:
	$(GO) test ./...

race:
	$(GO) test -race ./exec/... ./launch/... ./internal/check ./mem ./isa

# Decode, print, assemble, lift and run real kernels; 0 allocs per decoded instruction.
bench:
	$(GO) test -run '^$$' -bench . ./internal/bench

fuzz:
	bash .ci/fuzz $(FUZZTIME)

# The random and exhaustive tests, widened.
long:
	HEDDLE_LONG=1 $(GO) test -timeout 2h ./...

# The generated pages of docs/ and the table of README.md.
gen:
	$(GO) run ./internal/gen
