package valhall

// Integers. docs/reference/valhall.md 10.2.

func same(a V) V { return a }
