// Package exectest tests an engine against the contract of package exec: every pure op with every
// type and operand scope against its meaning, cross-lane ops, cells, memory, faults, stops,
// divergence policies, random programs. An engine's own tests call Test with it, and Bench:
//
//	func TestConform(t *testing.T) { exectest.Test(t, ref.New()) }
//
// Expected results never come from an engine: they are computed here, from meanings of ops or by
// formulas of the test.
package exectest
