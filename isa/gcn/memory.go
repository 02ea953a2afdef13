package gcn

import (
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A memRow is the row of a memory, export or interpolation instruction: opcodes, mnemonic, signature, meaning and
// one-line doc. The signature is "results = sources | more": types such as b64 are registers of that many bits, the
// other words and what follows the bar are explained where the family builds its operands.
//
// In docs a is the address, d and e the data operands, and m the element of memory at the address.
type memRow struct {
	op6, op7, op8 int
	name          string
	sig           string
	mean          isa.Meaning
	doc           string
}

// memoryDefs are the rows of SMEM, DS, FLAT, MUBUF, MTBUF, MIMG, EXP and VINTRP.
func memoryDefs() (ds []isa.Def) {
	for _, f := range []struct {
		rows  []memRow
		lack  isa.Lack // of rows without meaning
		build func(r *memRow) []isa.Def
	}{
		{smemRows, isa.LackUnbuilt, smemForms},
		{dsRows, isa.LackUnbuilt, dsForms},
		{dsUndescribed, isa.LackUndefined, dsForms},
		{flatRows, isa.LackUnbuilt, flatForms},
		{mubufRows, isa.LackUnbuilt, mubufForms},
		{mubufUndescribed, isa.LackUndefined, mubufForms},
		{mtbufRows, isa.LackUnbuilt, mtbufForms},
		{mimgRows, isa.LackGraphics, mimgForms},
		{expRows, isa.LackGraphics, expForms},
		{vintrpRows, isa.LackGraphics, vintrpForms},
		{vop3Interp, isa.LackGraphics, vop3InterpForms},
	} {
		for i := range f.rows {
			if r := &f.rows[i]; r.op8 >= 0 {
				ds = append(ds, r.finish(f.build(r), f.lack)...)
			}
		}
	}
	return ds
}

// familyCells are the cells that the rows of a family touch although no operand names them.
var familyCells = map[string][]string{"DS": {"r:exec", "r:m0"}, "FLAT": {"r:exec", "r:flat_scratch_hi", "r:aperture"}, "MUBUF": {"r:exec"}}

// implicit is the cells of the family, without those that the row says it does not touch: no:m0, no:exec after the bar.
func (r *memRow) implicit(family string) []isa.Implicit {
	words := strings.Fields(r.sig)
	return implicit(slices.DeleteFunc(slices.Clone(familyCells[family]), func(w string) bool {
		return slices.Contains(words, "no"+strings.TrimPrefix(w, "r"))
	})...)
}

// finish fills in what all forms of a row share.
func (r *memRow) finish(forms []isa.Def, lack isa.Lack) []isa.Def {
	for i := range forms {
		d := &forms[i]
		if d.Name == "" {
			d.Name = r.name
		}
		d.Variants, d.Op, d.Doc, d.Source, d.Data = 1<<gfx8, uint64(r.op8), r.doc, d.Enc.Source, r
		d.Implicit = append(d.Implicit, r.implicit(d.Enc.Name)...)
		if r.mean == nil {
			d.Lack = lack
		}
		switch o := r.option(); {
		case d.Lack != isa.LackNone: // also of a single form
			d.Fidelity = ir.NotRunnable
		case o != "":
			d.Meaning, d.Fidelity, d.Option = r.mean, ir.Modelled, o
		default:
			d.Meaning, d.Fidelity = r.mean, ir.Exact
		}
	}
	return forms
}

// parts splits the row's signature.
func (r *memRow) parts() (dst, src []string, more string) {
	sig, more, _ := strings.Cut(r.sig, "|")
	l, rest, _ := strings.Cut(sig, "=")
	more, _, _ = strings.Cut(more, "no:")
	return strings.Fields(l), strings.Fields(rest), strings.TrimSpace(more)
}

// option is the option that chose the row's meaning, from a word opt=NAME behind the bar.
func (r *memRow) option() string {
	_, o, _ := strings.Cut(r.sig, "opt=")
	o, _, _ = strings.Cut(o, " ")
	return o
}

// regs is the number of 32-bit registers of a type such as b96, 0 for other words.
func regs(typ string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(typ, "b"))
	if err != nil {
		return 0
	}
	return n / 32
}

// vregs are the kinds of VGPR tuples by number of registers.
var vregs = func() (ks [6]*isa.Kind) {
	for n := 1; n < len(ks); n++ {
		ks[n] = vgprs(n)
	}
	return ks
}()

// vgprArg is an operand of n vector registers.
func vgprArg(name string, n int, role isa.Role) isa.Arg {
	return isa.Arg{Name: name, Kind: vregs[n], Role: role, Width: 32 * n}
}

// wordArg is an operand or modifier that is one word and stands for no bits.
func wordArg(w string, mod bool) isa.Arg {
	if mod {
		return isa.Arg{Name: w, Kind: present(w), At: bits.Ranges{}, Place: isa.Required}
	}
	return isa.Arg{Name: w, Kind: keyword(w), At: bits.Ranges{}}
}

// present is the kind of a modifier that the row itself implies: it always prints.
func present(w string) *isa.Kind {
	k := flag(w)
	return &isa.Kind{Name: w, Table: []string{" " + w}, Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		_, ok := k.Parse(s, in, a)
		return 0, ok
	}}
}

// modArgs are modifiers whose kinds the layout gives.
func modArgs(names ...string) (as []isa.Arg) {
	for _, n := range names {
		as = append(as, isa.Arg{Name: n, Place: isa.Modifier})
	}
	return as
}

// number10 is a modifier name:N that prints in decimal unless it is 0.
func number10(name string) *isa.Kind {
	pre := " " + name + ":"
	return &isa.Kind{Name: name, Samples: []uint64{0, 1, 4, 255, 256, 4095, 65535},
		Text: func(_ *isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
			if v == 0 {
				return dst
			}
			return strconv.AppendUint(append(dst, pre...), v, 10)
		},
		Parse: func(s *isa.Scan, _ *isa.Inst, a *isa.Arg) (uint64, bool) {
			if !acceptMod(s, pre[1:]) {
				return 0, false
			}
			return upTo(s, 1<<a.At.Len()-1)
		}}
}

// upTo reads a number from 0 to limit. It reports one out of range where it stands, beyond the modifier's name, so
// that the report is not lost among those of other modifiers.
func upTo(s *isa.Scan, limit uint64) (uint64, bool) {
	s.Space()
	at := s.Pos
	v, ok := s.Expr()
	if ok && uint64(v) > limit {
		return 0, s.Failf(at, isa.ErrRange, "a number from 0 to %d is expected", limit)
	}
	return uint64(v), ok
}

// alignedSGPRs is the kind of a field that names scalar registers aligned as memory needs them: pairs to 2, larger
// tuples to 4. shift is 1 or 2 if the field holds the number divided by 2 or 4. docs/reference/gcn.md 2.
//
// Like LLVM's disassembler it also names tuples that end in s103 or ttmp15, which other generations have.
func alignedSGPRs(words, shift int) *isa.Kind {
	align := min(words, 4)
	k := *scalars(words, shift)
	k.Samples = append([]uint64{}, k.Samples...)
	var more []uint64
	for v := range k.Table {
		code := v << shift
		text := k.Table[v]
		switch {
		case code%align != 0:
			text = ""
		case text != "" || words < 4:
		case code < numSGPR && code+words <= numSGPR+2:
			text = tuple("s", code, words)
			more = append(more, uint64(v))
		case code >= codeTTMP && code < codeTTMP+numTTMP && code+words <= codeTTMP+16:
			text = tuple("ttmp", code-codeTTMP, words)
			more = append(more, uint64(v))
		}
		k.Table[v], k.Reserved[v] = text, text == ""
	}
	parse := k.Parse
	k.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		for _, v := range more {
			if acceptMod(s, k.Table[v]) {
				return v, true
			}
		}
		at := s.Pos
		v, ok := parse(s, in, a)
		if ok && int(v)<<shift%align != 0 {
			return 0, s.Failf(at, isa.ErrOperand, "the first register must be a multiple of %d", align)
		}
		return v, ok
	}
	return &k
}

// noEffect is the meaning of what only matters to caches and timing.
func noEffect(*isa.Lift) {}

// An access is what one lane moves to or from memory: elements of some bytes each, narrow ones extended to 32 bits.
type access struct {
	elem, count uint8
	signed      bool
}

var (
	byteU  = access{elem: 1, count: 1}
	byteS  = access{elem: 1, count: 1, signed: true}
	halfU  = access{elem: 2, count: 1}
	halfS  = access{elem: 2, count: 1, signed: true}
	dword1 = access{elem: 4, count: 1}
	dword2 = access{elem: 4, count: 2}
	dword3 = access{elem: 4, count: 3}
	dword4 = access{elem: 4, count: 4}
)

func (a access) bytes() uint32 { return uint32(a.elem) * uint32(a.count) }

// load is the access as a load, touch as a store or a check.
func (a access) load(s ir.SpaceID) ir.Mem {
	return ir.Mem{Space: s, Elem: a.elem, Count: a.count, Signed: a.signed}
}

// volatile is a load as it is if the instruction says glc: past caches that others' stores do not reach.
func volatile(l *isa.Lift, m ir.Mem) ir.Mem {
	m.Volatile = l.In.Opt(nameGLC) != 0
	return m
}

func (a access) touch(s ir.SpaceID) ir.Mem { return ir.Mem{Space: s, Elem: a.elem, Count: a.count} }

// one is a single element of the access.
func (a access) one() access { a.count = 1; return a }

// atomicMem is an atomic access to size bytes; host atomics ask for natural alignment.
func atomicMem(s ir.SpaceID, op uint8, size int) ir.Mem {
	return ir.Mem{Space: s, Elem: uint8(size), Count: 1, Align: uint8(size), Atomic: op}
}

// getWords reads n vector registers from first on.
func getWords(l *isa.Lift, first, n int) []V {
	vs := make([]V, n)
	for i := range vs {
		vs[i] = l.Get(VGPR(first+i), ir.I32)
	}
	return vs
}

// setWords writes vector registers from first on in the lanes of the mask.
func setWords(l *isa.Lift, first int, vs []V, m V) {
	for i, v := range vs {
		l.Set(VGPR(first+i), v, m)
	}
}

// getSized is one or two vector registers as an integer of size bytes, 4 or 8.
func getSized(l *isa.Lift, first, size int) V {
	if size == 8 {
		return vgpr(l, first, b64)
	}
	return vgpr(l, first, b32)
}

// field is a field of the instruction as a register number.
func field(l *isa.Lift, name isa.Name) int { return int(l.In.Get(name)) }
