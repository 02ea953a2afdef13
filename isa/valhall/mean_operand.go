package valhall

import "github.com/heddle-gpu/heddle/isa"

// lifted reads sources and writes results as the form of the row says.
var lifted = &isa.Form{Src: readSource, Dst: writeResult}

func readSource(l *isa.Lift, i int) V     { return V{} }
func writeResult(l *isa.Lift, i int, v V) {}
