package gcn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A row's signature is "results = sources | more" in words of the vocabulary below. Operands precede the bar. After
// it come flags, the option that selects the semantics (opt=NAME), another mnemonic that assembles to the row
// (also=NAME), and cells that no operand names (r:vcc, w:exec, rw:mode). Each family knows some of the words; any
// other is an error.

// An opnd is a word for a result or source.
type opnd uint8

const (
	oNone opnd = iota
	// Registers and constants of a type.
	oB16
	oF16
	oB32
	oF32
	oB64
	oF64
	oB96
	oB128
	oB256
	oB512
	oMask // a lane mask in scalar registers
	// Vector instructions.
	oCout // a lane mask written: vcc in short forms, an SGPR pair in VOP3
	oCin  // a lane mask read, likewise
	oAcc  // the destination read as a source, without text
	oK    // a mandatory literal constant
	oSgpr // a scalar register in the field of a vector register
	oVgpr // a vector register and nothing else
	oLane // the number of a lane, in a scalar register or as a constant
	oSsrc // a scalar register or constant
	// Scalar instructions.
	oSCC  // the scalar condition, without text
	oD32  // the register in the destination's field, read
	oD64  // two of them
	oSimm // the constant of 16 bits, sign-extended
	oUimm // the same, zero-extended
	oHex
	oBranch
	oHWReg
	oWaitcnt
	oMsg
	oGPRIdx   // the operands of indexed access in a source's field
	oGPRIdx16 // and in the constant
	oEndCode
	// Memory.
	oAddr // the address: one vector register, or two of FLAT
	oPair // an address in scalar registers
	oQuad // a buffer resource in scalar registers
	oImm7 // a constant in place of data
	// Images.
	oTexel   // data of as many registers as DMASK has ones, at least one
	oGather  // data of four registers
	oCoord1  // an address of at least one register
	oCoord2  // of two
	oCoord3  // of three
	oCoord4  // of four
	oSampler // a sampler in scalar registers
	// Interpolation.
	oCoord // the coordinate in a vector register
	oParam // one of the constants p10, p20 and p0
	oAttr  // the attribute and its component
	oOld   // P0 or the destination of the previous step
	numOpnds
)

// opnds are their texts and types.
var opnds = [numOpnds]struct {
	text string
	t    typ
}{
	oB16: {"b16", b16}, oF16: {"f16", f16}, oB32: {"b32", b32}, oF32: {"f32", f32}, oB64: {"b64", b64}, oF64: {"f64", f64},
	oB96: {"b96", b96}, oB128: {"b128", b128}, oB256: {"b256", b256}, oB512: {"b512", b512}, oMask: {"mask", mask},
	oCout: {"cout", mask}, oCin: {"cin", mask}, oAcc: {"acc", none}, oK: {"K", none},
	oSgpr: {"sgpr", b32}, oVgpr: {"vgpr", b32}, oLane: {"lane", b32}, oSsrc: {"ssrc", b32},
	oSCC: {"scc", none}, oD32: {"d32", b32}, oD64: {"d64", b64}, oSimm: {"simm", b32}, oUimm: {"uimm", b32}, oHex: {"hex", b32},
	oBranch: {"branch", none}, oHWReg: {"hwreg", none}, oWaitcnt: {"waitcnt", none}, oMsg: {"msg", none},
	oGPRIdx: {"gpridx", none}, oGPRIdx16: {"gpridx16", none}, oEndCode: {"endcode", none},
	oAddr: {"a", none}, oPair: {"pair", b64}, oQuad: {"quad", b128}, oImm7: {"imm", none},
	oTexel: {"x", none}, oGather: {"g", none}, oCoord1: {"1", none}, oCoord2: {"2", none}, oCoord3: {"3", none}, oCoord4: {"4", none},
	oSampler: {"s", none}, oCoord: {"v", f32}, oParam: {"p", none}, oAttr: {"attr", none}, oOld: {"d", f32},
}

// A flag is a word after the bar.
type flag uint64

const (
	fNoSDWA    flag = 1 << iota // no SDWA form
	fNoDPP                      // no DPP form
	fClamp                      // clamp: also an integer result, which saturates
	fOmod                       // omod although the result is no float
	fMods                       // abs and neg although the sources are no floats
	fBare                       // printed without suffix in every form
	fIndexSrc                   // M0 is added to the number of the register that is read
	fIndexDst                   // M0 is added to the number of the register that is written
	fNoExec                     // does not even read exec
	fNoM0                       // does not read m0
	fNone                       // no operands at all
	fOffset                     // an offset, and no gds
	fOffset2                    // two offsets in place of one
	fGDS                        // gds is always set
	fSwizzle                    // the offset is a pattern
	fLDS                        // the data can go to local memory instead
	fFromLDS                    // the data comes from local memory
	fD16                        // the modifier d16
	fHigh                       // the modifier high
	fComparand                  // half of an atomic's data is the comparand
	fE64                        // there is a short form, too
	fUndefined                  // named by the sources, not described
	fApprox                     // hardware is within a bound of the results of the ops, which are exact: docs/reference/gcn.md 3.6
	fQuarter                    // a quarter of the full rate
	fConvert                    // a conversion between 32 bits or less
	fFMA                        // full or a quarter of the rate, as the chip
	fMul64                      // of 64 bits: the rate of products
	fTrans64                    // that of reciprocals
	fJumps                      // goes on at an address in registers
)

// flags are the flags and their texts.
var flags = [...]struct {
	text string
	flag flag
}{
	{"nosdwa", fNoSDWA}, {"nodpp", fNoDPP}, {"clamp", fClamp}, {"omod", fOmod},
	{"mods", fMods}, {"bare", fBare}, {"idxsrc", fIndexSrc}, {"idxdst", fIndexDst}, {"no:exec", fNoExec}, {"no:m0", fNoM0},
	{"none", fNone}, {"off", fOffset}, {"off2", fOffset2}, {"gds!", fGDS}, {"swizzle", fSwizzle}, {"lds", fLDS},
	{"fromlds", fFromLDS}, {"d16", fD16}, {"high", fHigh}, {"comparand", fComparand}, {"e64", fE64}, {"undefined", fUndefined}, {"approx", fApprox},
	{"quarter", fQuarter}, {"convert", fConvert}, {"fma", fFMA}, {"mul64", fMul64}, {"trans64", fTrans64}, {"jumps", fJumps},
}

// flagOf returns the flag of that text, 0 if there is none.
func flagOf(w string) flag {
	for _, f := range flags {
		if f.text == w {
			return f.flag
		}
	}
	return 0
}

// A sig is a parsed signature.
type sig struct {
	dst, src []opnd
	flags    flag
	option   string // that selects the semantics
	also     string // another mnemonic
	touches  []touch
}

// A touch is a cell that an instruction uses without an operand that names it.
type touch struct {
	cell hidden
	role isa.Role
}

func (s *sig) has(f flag) bool    { return s.flags&f != 0 }
func (s *sig) reads(o opnd) bool  { return slices.Contains(s.src, o) }
func (s *sig) writes(o opnd) bool { return slices.Contains(s.dst, o) }
func (s *sig) result() typ        { return s.dstType(0) }
func (s *sig) float() bool        { return s.result().float() }
func (s *sig) compares() bool     { return len(s.dst) > 0 && s.dst[0] == oMask }
func (s *sig) indexed() bool      { return s.has(fIndexSrc | fIndexDst) }
func (s *sig) atomic() bool       { return len(s.dst) > 0 && len(s.src) > 1 }

// dstType returns the type of result i, none if there are fewer.
func (s *sig) dstType(i int) typ {
	if i >= len(s.dst) {
		return none
	}
	return opnds[s.dst[i]].t
}

// srcType returns the type of source i. The destination and the constant K are of the type of the result.
func (s *sig) srcType(i int) typ {
	if o := s.src[i]; o != oAcc && o != oK {
		return opnds[o].t
	}
	return s.result()
}

// inType returns the type whose denormal rule applies to the inputs: that of the first float source.
func (s *sig) inType() typ {
	for i := range s.src {
		if t := s.srcType(i); t.float() {
			return t
		}
	}
	return none
}

// A lexicon is the words that the signatures of a family may use.
type lexicon struct {
	opnds []opnd
	flags flag
}

// parse parses a signature. The error names a word that the family does not know.
func (x *lexicon) parse(text string, options []isa.Option) (s sig, err error) {
	front, more, _ := strings.Cut(text, "|")
	results, sources, found := strings.Cut(front, "=")
	if !found && strings.TrimSpace(front) != "" {
		return s, fmt.Errorf("signature %q: no = between results and sources", text)
	}
	if s.dst, err = x.operands(results); err == nil {
		s.src, err = x.operands(sources)
	}
	for _, w := range strings.Fields(more) {
		if err == nil {
			err = x.word(&s, w, options)
		}
	}
	if err != nil {
		return s, fmt.Errorf("signature %q: %w", text, err)
	}
	return s, nil
}

func (x *lexicon) operands(text string) (os []opnd, err error) {
	for _, w := range strings.Fields(text) {
		i := slices.IndexFunc(x.opnds, func(o opnd) bool { return opnds[o].text == w })
		if i < 0 {
			return nil, fmt.Errorf("the family has no operand %q", w)
		}
		os = append(os, x.opnds[i])
	}
	return os, nil
}

// word reads a word after the bar.
func (x *lexicon) word(s *sig, w string, options []isa.Option) error {
	if f := flagOf(w); f&x.flags != 0 {
		s.flags |= f
		return nil
	}
	if name, ok := strings.CutPrefix(w, "opt="); ok {
		s.option = name
		if !slices.ContainsFunc(options, func(o isa.Option) bool { return o.Name == name }) {
			return fmt.Errorf("there is no option %q", name)
		}
		return nil
	}
	if name, ok := strings.CutPrefix(w, "also="); ok && name != "" {
		s.also = name
		return nil
	}
	t, err := parseTouch(w)
	s.touches = append(s.touches, t)
	return err
}

// parseTouch reads a word such as r:exec.
func parseTouch(w string) (touch, error) {
	role, cell, _ := strings.Cut(w, ":")
	roles := map[string]isa.Role{"r": isa.Use, "w": isa.Define, "rw": isa.UseDef}
	for h := range numHidden {
		if r := roles[role]; r != isa.NoRole && hiddenCells[h].name == cell {
			return touch{h, r}, nil
		}
	}
	return touch{}, fmt.Errorf("the family has no word %q", w)
}
