package gcn

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Values of fields of MODE.
var (
	roundings = []string{"rne", "rtp", "rtn", "rtz"}
	denormals = []string{"flush", "flush-out", "flush-in", "keep"} // of sources and results, or of one of them
	switched  = []string{"off", "on"}
)

const modeSource = "docs/reference/gcn.md 3.3"

// modeFields are the fields of MODE that change numeric results.
var modeFields = []isa.ModeField{
	{Name: "round", Of: "f32", At: bits.Span(modeRound32, modeRound32+1), Values: roundings, Source: modeSource,
		Doc: "How f32 results are rounded: to nearest even, up, down, toward zero."},
	{Name: "round", Of: "f64", At: bits.Span(modeRound64, modeRound64+1), Values: roundings, Source: modeSource, Doc: "The same for f64 and f16."},
	{Name: "denorm", Of: "f32", At: bits.Span(modeDenorm32, modeDenorm32+1), Values: denormals, Source: modeSource,
		Doc: "Denormals of f32: sources and results are flushed to 0, or one of them, or none."},
	{Name: "denorm", Of: "f64", At: bits.Span(modeDenorm64, modeDenorm64+1), Values: denormals, Source: modeSource, Doc: "The same for f64 and f16."},
	{Name: "dx10_clamp", At: bits.Span(modeDX10Clamp, modeDX10Clamp), Values: switched, Source: modeSource, Doc: "clamp makes 0 of a NaN."},
	{Name: "ieee", At: bits.Span(modeIEEE, modeIEEE), Values: switched, Source: modeSource,
		Doc: "Signalling NaNs are quieted where they are read; omod has no effect."},
}
