// Package differ runs random programs in every engine and holds what they leave against the reference: random blocks that lead to
// one another in any way, structured programs, and sequences of instructions of every set, made from its tables. What it finds it
// makes smaller, and says how to see it again.
//
//	go test ./internal/differ -run TestEngines -v -engine portable -kind gcn -seed 17
//
// make fuzz-engines runs it for an hour, CI for a minute.
package differ
