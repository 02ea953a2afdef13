package valhall

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Conversions. docs/reference/valhall.md 10.1. Sources come extended to as many bits as their kind has; the round mode of the
// mnemonic is that of the instruction.

func toS32(a V) V    { return a.SExt(ir.I32) }
func toU32(a V) V    { return a.ZExt(ir.I32) }
func intToF32(a V) V { return a.SToF(ir.F32) }
func natToF32(a V) V { return a.UToF(ir.F32) }
func floatToS(a V) V { return a.FToS(ir.I32) }
func floatToU(a V) V { return a.FToU(ir.I32) }
func toF32(a V) V    { return a.FCvt(ir.F32) }

func halvesToS(a V) V { return eachHalf(a, ir.F16, func(a V) V { return a.FToS(ir.I16) }) }
func halvesToU(a V) V { return eachHalf(a, ir.F16, func(a V) V { return a.FToU(ir.I16) }) }
func intsToF16(a V) V { return eachHalf(a, ir.I16, func(a V) V { return a.SToF(ir.F16) }) }
func natsToF16(a V) V { return eachHalf(a, ir.I16, func(a V) V { return a.UToF(ir.F16) }) }

func toHalves(a, b V) V {
	return a.FCvt(ir.F16).As(ir.I16).Pack(b.FCvt(ir.F16).As(ir.I16), ir.I32).As(ir.V2F16)
}

// roundMeans round to a whole number by the values of round modes.
var roundMeans = [...]func(a V) V{V.FRndne, V.FCeil, V.FFloor, V.FTrunc}

func fround(l *isa.Lift) { l.Dst(0, roundMeans[l.In.Opt(nameRound)](l.Src(0))) }
