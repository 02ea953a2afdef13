package gen

import (
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/internal/jit/emit"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A form is a way to execute a step. Selection chooses one for each step; forms says how it is emitted.
type form uint8

const (
	formNone form = iota // there is no code

	formCopy    // a row or a uniform value to a row
	formMerge   // the same under a mask
	formShuffle // reads other lanes
	formLogic   // on conditions
	formWide64  // on values of 64 bits
	formSubword // moves parts of words
	formCarry   // addition or subtraction with carry
	formProduct // both halves of products
	formHalves  // an op of package emit on each half of words
	formVector  // an op of package emit
	formTernary // several bitwise ops in one instruction

	formAffine      // a load or store of consecutive lanes, checked on entry
	formUniformLoad // a load of all lanes, or of some, from one address, checked on entry

	formReadLane
	formGetWord
	formGetPair // two adjacent registers
	formSetWord
	formSetPair
	formGetMask
	formSetMask
	formGetExec
	formSetExec
	formCount // counts the bytes of a load that has been hoisted
	formTally
	formLogKnown // a probe that is logged, of an address that was checked on entry
	formUniformFloat
	formUniform

	formLoadOnce // a load once per wave
	formAtomic
	formVectors // an access by iterations of 16 lanes, with vectors of 512 bits
	formLanes   // any other access
	formGuard
	formLogged // a probe that is logged

	formIndexed // a register with a uniform index
	formProbe   // the caller executes the step, if there is a lane
	formCaller  // the caller executes the step
)

// A class says where the code of a form is.
type class uint8

const (
	classNone    class = iota
	classLane          // in loops
	classUniform       // in general registers, before or after a loop
	classMemory        // between segments of a whole block, with an exit before it
	classCaller        // likewise
)

// forms are the properties of forms.
var forms = [...]struct {
	name   string
	class  class
	settle bool // it may hold values in the emitter's registers: see flushForScratch
	emit   func(c *compiler, s *lower.Step)
}{
	formNone: {name: "none"},

	formCopy:    {"copy", classLane, false, (*compiler).copyRow},
	formMerge:   {"merge", classLane, false, (*compiler).mergeRow},
	formShuffle: {"shuffle", classLane, true, (*compiler).shuffle},
	formLogic:   {"logic", classLane, false, (*compiler).logic},
	formWide64:  {"wide64", classLane, true, (*compiler).wide64},
	formSubword: {"subword", classLane, true, (*compiler).subword},
	formCarry:   {"carry", classLane, true, (*compiler).carry},
	formProduct: {"product", classLane, true, (*compiler).wideProduct},
	formHalves:  {"halves", classLane, true, (*compiler).halves},
	formVector:  {"vector", classLane, false, (*compiler).op},
	formTernary: {"ternary", classLane, false, (*compiler).ternary},

	formAffine:      {"affine", classLane, false, (*compiler).affine},
	formUniformLoad: {"uniform load", classLane, false, (*compiler).uniformLoad},

	formReadLane:     {"read lane", classUniform, false, (*compiler).readLane},
	formGetWord:      {"get word", classUniform, false, (*compiler).getWord},
	formGetPair:      {"get pair", classUniform, false, (*compiler).getPair},
	formSetWord:      {"set word", classUniform, false, (*compiler).setWord},
	formSetPair:      {"set pair", classUniform, false, (*compiler).setPair},
	formGetMask:      {"get mask", classUniform, false, (*compiler).getMask},
	formSetMask:      {"set mask", classUniform, false, (*compiler).setMask},
	formGetExec:      {"get exec", classUniform, false, (*compiler).getExec},
	formSetExec:      {"set exec", classUniform, false, (*compiler).setExec},
	formCount:        {"count", classUniform, false, (*compiler).countHoisted},
	formTally:        {"tally", classUniform, false, (*compiler).tally},
	formLogKnown:     {"log known", classUniform, false, (*compiler).logKnown},
	formUniformFloat: {"uniform float", classUniform, false, (*compiler).floatWord},
	formUniform:      {"uniform", classUniform, false, (*compiler).compute},

	formLoadOnce: {"load once", classMemory, false, (*compiler).access},
	formAtomic:   {"atomic", classMemory, false, (*compiler).access},
	formVectors:  {"vectors", classMemory, false, (*compiler).access},
	formLanes:    {"lanes", classMemory, false, (*compiler).access},
	formGuard:    {"guard", classMemory, false, (*compiler).guard},
	formLogged:   {"logged", classMemory, false, (*compiler).logged},

	formIndexed: {"indexed", classCaller, false, (*compiler).indexed},
	formProbe:   {"probe", classCaller, false, (*compiler).probe},
	formCaller:  {"caller", classCaller, false, (*compiler).exitForCaller},
}

func (f form) class() class { return forms[f].class }

// tells reports whether steps of the form only tell an observer something.
func (f form) tells() bool { return f == formTally || f == formLogKnown }

// laneForms are the forms of per-lane ops, in the order in which they are tried.
var laneForms = [...]struct {
	form form
	fits func(p *plan, s *lower.Step) bool
}{
	{formLogic, (*plan).isLogic},
	{formWide64, func(p *plan, s *lower.Step) bool { return p.wide64Code(s) != nil }},
	{formSubword, (*plan).isSubword},
	{formCarry, (*plan).isCarry},
	{formProduct, (*plan).isProduct},
	{formHalves, (*plan).isHalves},
	{formVector, (*plan).isVector},
}

// cellForms are the forms of steps that only read or write registers, by kind.
var cellForms = [...]form{
	lower.CopyRow: formCopy,
	lower.GetWord: formGetWord,
	lower.SetWord: formSetWord,
	lower.GetMask: formGetMask,
	lower.SetMask: formSetMask,
	lower.GetExec: formGetExec,
	lower.SetExec: formSetExec,
}

// formOf returns the form of a step by itself; later parts of selection replace some by better ones.
func (p *plan) formOf(s *lower.Step) form {
	f := formNone
	switch s.Kind {
	case lower.SetRow:
		if f = formMerge; s.Mask.Kind == 0 || s.MayWriteAll {
			f = formCopy
		}
	case lower.MemoryAccess:
		f = p.accessForm(s)
	case lower.Expect:
		f = formGuard
	case lower.Fallback:
		switch {
		case s.Op == ir.Live:
			f = formUniform
		case s.Op == ir.Tally:
			f = formTally
		case s.Op == ir.Probe && p.isLogged(s):
			f = formLogged
		case s.Op == ir.Probe:
			f = formProbe
		case p.readsLane(s):
			f = formReadLane
		case p.shuffles(s):
			f = formShuffle
		case p.isIndexed(s):
			f = formIndexed
		}
	case lower.Compute:
		f = p.opForm(s)
	default:
		f = cellForms[s.Kind]
	}
	if f == formNone && s.MayExit {
		f = formCaller
	}
	return f
}

// opForm returns the form of an op.
func (p *plan) opForm(s *lower.Step) form {
	switch _, ok := wordOpOf(s); {
	case p.isUniformFloat(s):
		return formUniformFloat
	case ok:
		return formUniform
	case s.Wave:
		return formNone
	}
	for _, l := range laneForms {
		if l.fits(p, s) {
			return l.form
		}
	}
	return formNone
}

// isLogic reports whether the step is an op with code on lane masks.
func (p *plan) isLogic(s *lower.Step) bool {
	if s.Type != ir.I1 || len(s.Res) != 1 || s.Res[0].Kind != lower.InMask {
		return false
	}
	switch s.Op {
	case ir.And, ir.Or, ir.Xor, ir.Not, ir.Select:
		return true
	}
	return false
}

// isVector reports whether package emit has code for the step.
func (p *plan) isVector(s *lower.Step) bool {
	if n := s.Type.Bits(); len(s.Res) != 1 || len(s.Args) > 3 || n != 32 && n != 16 || s.Res[0].Kind != lower.InRow && s.Res[0].Kind != lower.InMask {
		return false
	}
	for i, a := range s.Args {
		mask := s.Op == ir.Select && i == 0
		if a.Kind != lower.InWord && a.Kind != lower.InRow && !mask || mask && a.Kind == lower.InRow {
			return false
		}
	}
	return emit.Check(p.bits, p.set, opCall(s), len(s.Args)) == nil
}

// readsLane reports whether the step reads a number from one lane of a row.
func (p *plan) readsLane(s *lower.Step) bool {
	if s.Op != ir.ReadLane && s.Op != ir.ReadFirst || bits.OnesCount(uint(p.b.Lanes)) != 1 {
		return false
	}
	which := lower.InWord
	if s.Op == ir.ReadFirst {
		which = lower.InMask
	}
	return s.Args[0].Kind == lower.InRow && s.Args[1].Kind == which && s.Res[0].Kind == lower.InWord
}

// shuffles reports whether the step reads a row with a source lane per lane.
func (p *plan) shuffles(s *lower.Step) bool {
	return s.Op == ir.Shuffle && s.Type != ir.I1 && s.Args[0].Kind == lower.InRow && s.Args[1].Kind != lower.InMask &&
		s.Args[2].Kind != lower.InRow && s.Res[0].Kind == lower.InRow && s.Res[1].Kind == lower.InMask
}

// isSubword reports whether the step moves parts of a word: extracts, extends or packs them.
func (p *plan) isSubword(s *lower.Step) bool {
	if !all(s.Res, lower.InRow) {
		return false
	}
	to, from := s.Type.Bits(), s.From.Bits()
	if s.Op == ir.Insert {
		return to <= 32 && from > 1 && !slices.ContainsFunc(s.Args, func(p lower.Place) bool { return p.Kind != lower.InRow && p.Kind != lower.InWord })
	}
	if s.Op == ir.ZExt && s.From == ir.I1 {
		return to <= 32 && s.Args[0].Kind == lower.InMask
	}
	if !all(s.Args, lower.InRow) {
		return false
	}
	switch s.Op {
	case ir.Extract:
		return from <= 32 && to > 1 && int(s.Imm)+to <= from
	case ir.Trunc:
		return from <= 32 && to > 1
	case ir.ZExt, ir.SExt:
		return from > 1 && from < to && to <= 32 && s.Type.Elems() == 1 && s.From.Elems() == 1
	case ir.Pack:
		return to <= 32 && from > 1
	case ir.Unpack:
		return from <= 32 && to > 1
	}
	return false
}

// isCarry reports whether the step is an addition or subtraction with carry.
func (p *plan) isCarry(s *lower.Step) bool {
	return (s.Op == ir.AddC || s.Op == ir.SubB) && s.Type == ir.I32 && s.Res[0].Kind == lower.InRow &&
		all(s.Args[:2], lower.InRow) && s.Args[2].Kind != lower.InRow
}

// isProduct reports whether the step is a product of words with both halves used.
func (p *plan) isProduct(s *lower.Step) bool {
	return (s.Op == ir.MulWideU || s.Op == ir.MulWideS) && s.Type == ir.I32 &&
		all(s.Args, lower.InRow) && s.Res[0].Kind == lower.InRow && s.Res[1].Kind == lower.InRow
}

// isHalves reports whether a step applies an op for which package emit has code to both halves of words.
func (p *plan) isHalves(s *lower.Step) bool {
	if s.Type.Elems() != 2 || s.Type.Bits() != 32 || s.From != s.Type || len(s.Args) > 3 || len(s.Res) != 1 ||
		s.Res[0].Kind != lower.InRow || s.Op.Info().Flags&ir.HasImm != 0 {
		return false
	}
	if slices.ContainsFunc(s.Args, func(p lower.Place) bool { return p.Kind != lower.InRow && p.Kind != lower.InWord }) {
		return false
	}
	switch s.Op {
	case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe, ir.FEq, ir.FLt, ir.FLe, ir.FUnord, ir.Select:
		return false
	}
	return emit.Check(p.bits, p.set, halfCall(s), len(s.Args)) == nil
}

// isUniformFloat reports whether a step is a uniform op on floats with code in package emit.
func (p *plan) isUniformFloat(s *lower.Step) bool {
	if !s.Wave || len(s.Res) != 1 || s.Res[0].Kind != lower.InWord || len(s.Args) > 3 {
		return false
	}
	for _, a := range s.Args {
		if a.Kind != lower.InWord {
			return false
		}
	}
	float := s.Op.Info().Flags&ir.HasMode != 0 || s.Op == ir.FNeg || s.Op == ir.FAbs
	return float && emit.Check(p.bits, p.set, opCall(s), len(s.Args)) == nil
}

// all reports whether all places are of the kind or uniform.
func all(ps []lower.Place, k lower.Kind) bool {
	for _, p := range ps {
		if p.Kind != k && p.Kind != lower.InWord {
			return false
		}
	}
	return true
}

// opCall returns the op of a step in the form of package emit, without operands.
func opCall(s *lower.Step) *emit.Call {
	return &emit.Call{Op: s.Op, Type: s.Type, From: s.From, Mode: s.Mode, Imm: s.Imm}
}

// halfCall is opCall for one half of the operands.
func halfCall(s *lower.Step) *emit.Call {
	c := opCall(s)
	c.Type, c.From = s.Type.Elem(), s.Type.Elem()
	return c
}
