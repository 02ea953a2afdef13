// Package differ runs random programs in every engine and compares the results with the reference: random blocks with
// arbitrary control flow, structured programs, and sequences of instructions of every set, made from its tables. It
// reduces programs that show a difference, and prints how to reproduce it.
//
//	go test ./internal/differ -run TestEngines -v -engine portable -kind gcn -seed 17
//
// make fuzz-engines runs it for an hour, CI for a minute.
package differ
