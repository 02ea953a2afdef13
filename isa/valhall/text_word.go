package valhall

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Kinds whose texts are words after a dot. docs/reference/valhall.md 3 and 5.

// none is the text of a value that no instruction has.
const none = "?"

// words is a kind with a text for each value, in order; "" prints nothing.
func words(name string, texts ...string) *isa.Kind {
	k := &isa.Kind{Name: name, Table: texts, Reserved: make([]bool, len(texts)), First: "."}
	for v, text := range texts {
		switch text {
		case "":
		case none:
			k.Reserved[v], texts[v] = true, ""
		default:
			k.Spell = append(k.Spell, isa.Spelling{Text: text, Value: uint64(v)})
		}
	}
	return longFirst(k)
}

// dotted is words with a dot before each.
func dotted(name, texts string) *isa.Kind {
	list := strings.Fields(texts)
	for i, t := range list {
		switch t {
		case none:
		case "-":
			list[i] = ""
		default:
			list[i] = "." + t
		}
	}
	return words(name, list...)
}

// also adds spellings that are read and never printed.
func also(k *isa.Kind, spellings ...isa.Spelling) *isa.Kind {
	k.Spell = append(k.Spell, spellings...)
	return longFirst(k)
}

// again adds spellings that are only read, each with its value: those of Mesa of 2026.
func again(k *isa.Kind, spellings ...string) *isa.Kind {
	n := *k
	n.Spell = slices.Clone(k.Spell)
	for _, sp := range spellings {
		text, value, _ := strings.Cut(sp, " ")
		v, err := strconv.ParseUint(value, 10, 8)
		if err != nil {
			panic(err)
		}
		n.Spell = append(n.Spell, isa.Spelling{Text: text, Value: v})
	}
	return longFirst(&n)
}

// kraid sets the texts of kraid, in the order of values; "?" and missing ones are those of the first dialect.
func kraid(k *isa.Kind, texts string) *isa.Kind {
	if k.Other == nil {
		k.Other = make([][]string, len(dialects)-1)
	}
	k.Other[Kraid-1] = inDialect(k, texts)
	return k
}

// mesa26 sets the texts of Mesa of 2026.
func mesa26(k *isa.Kind, texts string) *isa.Kind {
	k.Other = slices.Clone(k.Other)
	if k.Other == nil {
		k.Other = make([][]string, len(dialects)-1)
	}
	k.Other[Mesa26-1] = inDialect(k, texts)
	return k
}

func inDialect(k *isa.Kind, texts string) []string {
	list := slices.Clone(k.Table)
	for v, text := range strings.Fields(texts) {
		switch text {
		case none:
		case "-":
			list[v] = ""
		default:
			list[v] = "." + text
		}
	}
	return list
}

// longFirst sorts spellings so that none hides a longer one.
func longFirst(k *isa.Kind) *isa.Kind {
	slices.SortStableFunc(k.Spell, func(a, b isa.Spelling) int { return cmp.Compare(len(b.Text), len(a.Text)) })
	return k
}

// flag is a word that is present if its bit is set.
func flag(text string) *isa.Kind {
	k := words(`"`+text+`"`, "", "."+text)
	for i := range kraidFlags {
		if f := &kraidFlags[i]; f.flag == text {
			kraid(k, f.texts)
		}
	}
	return k
}

// kraidFlags are kraid's texts for flags that have another name, or a text if the bit is clear.
var kraidFlags = [...]struct{ flag, texts string }{
	{"saturate", "- sat"},
	{"not_result", "- not"},
	{"eq", "- not"},
	{"rhadd", "round_down round_up"},
	{"wide_indices", "- wide"},
	{"array_enable", "- array"},
	{"shadow", "- compare"},
	{"integer_coordinates", "float_coordinates integer_coordinates"},
	{"src_f16", "src_f32 src_f16"},
	{"lod_bias_disable", "- disable_lod_bias"},
	{"lod_clamp_disable", "- disable_lod_clamp"},
	{"absolute", "relative absolute"},
	{"unsigned", "sext zext"},
	{"z_last_read", "- last_read"},
}

// Modifiers of the mnemonic.
var flow, clamp, round, condition, truth, slot, vector, format, sourceFormat, sampleMode, updateMode, access, access3, subgroup, laneOp, inactive,
	atomic, atomicWide, atomicOne, roundAny, nanSense, flushNaN, flogMode, flogPrecision, fexpAdjust, sinCos, powKind, flatFormat, vertexID, laneSelect, multiple, clock, stack, footprint, regType, regWidth, channels, dimension, lodMode, lodFlags, gather, sampleUpdate, varWidth, mux *isa.Kind

// loadLanes are the destination lanes of narrow loads, by width.
var loadLanes map[string]*isa.Kind

// storeBytes and storeHalves are the parts of a register that narrow stores write to memory.
var storeBytes, storeHalves *isa.Kind

// Conditions.
const (
	condEq = iota
	condGt
	condGe
	condNe
	condLt
	condLe
	condGtLt  // ordered and not equal
	condTotal // ordered
)

// sizesOfMany are the sizes of LD_MULTI and ST_MULTI.
func sizesOfMany() *isa.Kind {
	texts := make([]string, NumR)
	for i := range texts {
		texts[i] = ".i" + strconv.Itoa(32*(i+1))
	}
	return words("a size", texts...)
}

// fillWords makes the kinds of modifiers of the mnemonic.
func fillWords() {
	flow = also(dotted("a flow", "- wait0 wait1 wait01 wait2 wait02 wait12 wait012 wait0126 wait reconverge ? wait_resource discard continue end"),
		isa.Spelling{Text: ".return", Value: flowEnd}, isa.Spelling{Text: ".td", Value: flowDiscard}, isa.Spelling{Text: ".barrier", Value: flowWait})
	clamp = dotted("a clamp", "- clamp_0_inf clamp_m1_1 clamp_0_1")
	roundAny = kraid(again(dotted("a rounding mode", "- rtp rtn rtz rtna ? ? ?"), ".round_up 1", ".round_down 2", ".round_zero 3", ".round_na 4"), "- round_up round_down round_zero round_na")
	round = kraid(again(dotted("a rounding mode", "- rtp rtn rtz"), ".round_up 1", ".round_down 2", ".round_zero 3"), "- round_up round_down round_zero")
	nanSense = kraid(again(dotted("what of NaNs", "- nan_propagate ? ?"), ".nan_suppress 0"), "nan_suppress nan_propagate")
	flushNaN = dotted("what of NaNs", "- flush_nan quiet_nan ?")
	flogMode = kraid(again(dotted("a step", "- base2 natural ?"), ".red 0"), "red")
	flogPrecision = dotted("a precision", "- high low ?")
	fexpAdjust = dotted("an adjustment", "- ? low ?")
	sinCos = dotted("a function", "cos sin")
	powKind = dotted("a function", "pow powr ? ?")
	clock = dotted("a clock", "? ? ? ? ? ? cycle_counter system_timestamp")
	stack = dotted("what the stack does", "return call - replace")
	footprint = dotted("a footprint", "footprint_2x2 ? ? ?")
	condition = dotted("a condition", "eq gt ge ne lt le gtlt total")
	truth = kraid(again(dotted("a type of result", "i1 f1 m1 u1"), ".c 3"), "? ? ? c")
	slot = dotted("a slot", "slot0 slot1 slot2 ? ? ? ? slot7")
	vector = dotted("a vector size", "- v2 v3 v4")
	format = kraid(again(dotted("a register format", "auto ? f32 f16 s32 s16 u32 u16"), ".auto32 0"), "auto32")
	sourceFormat = dotted("a source format", "src_flat32 src_flat16 src_f32 src_f16 ? ? ? ? ? ? ? ? ? ? ? ?")
	sampleMode = dotted("a sample mode", "center centroid sample explicit")
	updateMode = dotted("an update mode", "store retrieve ? clobber")
	access = also(dotted("a memory access", "- istream estream force"), isa.Spelling{Text: ".global"}, isa.Spelling{Text: ".pos", Value: 1}, isa.Spelling{Text: ".vary", Value: 2}, isa.Spelling{Text: ".tl", Value: 3})
	access3 = dotted("a memory access", "- istream estream force ? ? ? ?")
	subgroup = kraid(dotted("a subgroup size", "subgroup2 subgroup4 subgroup8 - ? ? ? ? ? ? ? ? ? ? ? ?"), "? ? ? subgroup16")
	laneOp = dotted("a lane operation", "- xor accumulate shift rotate low low_alt prefix ? ? ? ? ? ? ? ?")
	inactive = kraid(dotted("a result of inactive lanes", "- umax i1 v2i1 smin smax v2smin v2smax v4smin v4smax f1 v2f1 infn inf v2infn v2inf"), "zero")
	atomic = dotted("an atomic operation", "? ? aadd ? ? ? ? ? asmin asmax aumin aumax aand aor axor axchg")
	atomicWide = dotted("an atomic operation", "aaddu aadds aadd ? ? ? ? ? asmin asmax aumin aumax aand aor axor axchg")
	atomicOne = dotted("an atomic operation", "ainc adec aumax1 asmax1 aor1 ? ? ? ? ? ? ? ? ? ? ?")
	regType = dotted("a register type", "- f u s")
	regWidth = kraid(dotted("a register width", "16 32"), "dst16 dst32")
	channels = kraid(dotted("a write mask", "? r g rg b rb gb rgb a ra ga rga ba rba gba -"), "? ? ? ? ? ? ? ? ? ? ? ? ? ? ? rgba")
	dimension = kraid(dotted("a dimension", "1d 2d 3d cube"), "tex1d tex2d tex3d")
	lodMode = kraid(again(dotted("a level of detail", "zero computed ? computed_force_delta explicit computed_bias grdesc computed_bias_force_delta"), ".none 0"), "- ? ? computed_force_delta ? ? ? computed_bias_force_delta")
	flatFormat = mesa26(dotted("a register format", "? ? flat32 flat16"), "? ? f32 f16")
	vertexID = dotted("a vertex", "- vertex_id1 vertex_id2 vertex_id3")
	laneSelect = dotted("lanes", "lanes04 lanes15 lanes26 lanes37 lanes8C lanes9D lanesAE lanesBF")
	multiple = sizesOfMany()
	lodFlags = words("a level of detail", "", ".lod_mode", "", ".lod_mode.lod_mode")
	lodFlags.Table[2] = ".lod_mode"
	kraid(lodFlags, "- disable_lod_bias disable_lod_clamp disable_lod_bias.disable_lod_clamp")
	lodFlags.Canon = func(v uint64) uint64 { return [...]uint64{0, 1, 1, 3}[v] } // text does not express which of its two bits is set
	gather = dotted("a component", "gather4_r gather4_g gather4_b gather4_a")
	sampleUpdate = kraid(dotted("a sample and update mode", "center_store centroid_store sample_store explicit_store center_clobber ? sample_clobber retrieve"), "center.store centroid.store sample.store explicit.store center.clobber ? sample.clobber")
	varWidth = dotted("register widths", "16 32 16.32 32.32")
	mux = kraid(dotted("a selector", "neg - fp_zero bit"), "? int_zero")
	loadLanes = map[string]*isa.Kind{
		"i8": kraid(dotted("a lane", "- b1 b2 b3 h0 h1 w0 d0"), "b0"), "i16": kraid(dotted("a lane", "- h1 w0 d0 ? ? ? ?"), "h0"), "i24": dotted("a lane", "- ? ? ? ? ? ? ?"),
		"i32": dotted("a lane", "- d0 ? ? ? ? ? ?"), "i48": dotted("a lane", "? ? ? ? - ? ? ?"), "i64": dotted("a lane", "? ? ? ? ? ? ? -"),
		"i96": dotted("a lane", "? ? ? ? ? ? - ?"), "i128": dotted("a lane", "? ? ? ? ? ? ? -")}
	storeBytes, storeHalves = kraid(dotted("a lane", "- b1 b2 b3"), "b0"), kraid(dotted("a lane", "- h1"), "h0")
	fillParts()
}

// Parts of operands.
var negate, absolute, invert, widen2, swizzle16, widen8, widen16, widen32, widen64, widenEither, shiftLanes, shiftLane, shiftBytes, someHalf, clperLane, byteLane, halfBytes, halfLane, matrixPart, combine, halves, narrow *isa.Kind

// Values of update_mode, and of sample_and_update_mode, that leave the interpolation state unchanged.
const (
	updateRetrieve       = 1
	sampleUpdateRetrieve = 7
)

// Values of the swizzles of 16-bit sources: low half first.
const (
	swz00 = iota
	swz10
	swz01
	swz11
)

// fillParts makes the kinds of modifiers of operands.
func fillParts() {
	negate, absolute, invert = flag("neg"), flag("abs"), flag("not")
	widen2 = dotted("a half", "- h0 h1 ?")
	swizzle16 = kraid(dotted("a swizzle", "h00 h10 - h11"), "? ? h01")
	widen8 = kraid(dotted("a swizzle", "- b3210 b0101 b2323 b0000 b1111 b2222 b3333 b2301 b1032 b0011 b2233 ? ? ? ?"), "b0123")
	widen16 = kraid(dotted("a swizzle", "h00 h10 - h11 b00 b20 b02 b22 b11 b31 b13 b33 b01 b23 ? ?"), "? ? h01")
	widen32 = dotted("a half or byte", "- ? h0 h1 b0 b1 b2 b3 ? ? ? ? ? ? ? ?")
	widen64 = dotted("a word, half or byte", "- ? h0 h1 b0 b1 b2 b3 w0 ? ? ? ? ? ? ?")
	widenEither = dotted("a word, half or byte", "- ? h0 h1 b0 b1 b2 b3 w0 w1 ? ? ? ? ? ?")
	shiftLanes = dotted("bytes", "b02 ? ? ? b00 b11 b22 b33 ? ? b01 b23 ? ? ? ?")
	shiftLane = kraid(again(shiftLanes, ".b0 4", ".b1 5", ".b2 6", ".b3 7"), "? ? ? ? b0 b1 b2 b3")
	shiftBytes = kraid(again(dotted("bytes", "b02 b3210 b0101 b2323 b00 b11 b22 b33 b2301 b1032 b01 b23 ? ? ? ?"), ".b0123 0", ".b0000 4", ".b1111 5", ".b2222 6", ".b3333 7", ".b0011 10", ".b2233 11"), "b0123 ? ? ? b0000 b1111 b2222 b3333 ? ? b0011 b2233")
	someHalf = kraid(mesa26(again(swizzle16, ".h0 0", ".h1 1"), "h0 h1"), "h0 h1 -")
	clperLane = mesa26(again(widen32), "? ? ? ? b00 b11 b22 b33")
	byteLane = dotted("a byte", "b0 b1 b2 b3")
	halfBytes = also(dotted("two bytes", "b00 b10 b20 b30 b01 b11 b21 b31 b02 b12 b22 b32 b03 b13 b23 b33"),
		isa.Spelling{Text: ".b0", Value: 0}, isa.Spelling{Text: ".b1", Value: 1}, isa.Spelling{Text: ".b2", Value: 2}, isa.Spelling{Text: ".b3", Value: 3})
	halfLane, matrixPart = dotted("a half", "h0 h1"), dotted("a part of a matrix", "f0 f1 ? ?")
	combine = dotted("what is tested", "- h0 h1 and lowbits ? ? ?")
	halves = words("halves", "", ".h0", ".h1", "")
	halves.Table[0] = ".h1"
	halves.Canon = func(v uint64) uint64 { // an empty mask prints as the upper half
		if v == 0 {
			return 2
		}
		return v
	}
	narrow = words("halves", ".h01", ".h0", ".h1", "")
}
