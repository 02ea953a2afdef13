package x86

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// A row is one instruction, for all its sizes: those of general registers, or those of vectors.
//
// enc is "pp.map.W opcode" with the words of the manual: np 66 f3 f2; 1b 0f 0f38 0f3a m5 m6; w0 w1, we for W1 in EVEX
// and W0 in VEX, wy for W1 with operands of 64 bits. W is left out where there is neither VEX nor EVEX. After the
// opcode comes /0 to /7 if ModRM.reg extends it, or + if it has a register in its low bits.
//
// args are the operands, as in the opcode maps: a letter for the place, one for the size.
//
//	E R M   in ModRM: general register or memory, register only, memory only
//	G B Z   general register in ModRM.reg, VEX.vvvv, opcode
//	A C     the accumulator; cl
//	W U     in ModRM: vector register or memory, register only
//	V H L   vector register in ModRM.reg, VEX.vvvv, immediate
//	J       memory with a vector as index; its size is that of the index
//	P Q O   mask register in ModRM.reg, in VEX.vvvv, in ModRM
//	I       immediate: b w d q by size, z of the operand size up to 32 bits, s a byte that is extended
//	1 T     the number 1; place to jump to
//
// Sizes of general registers are b w d q, v for 16, 32 and 64, y for 32 and 64. Sizes of vectors are x for the whole
// length, h q e for a half, quarter and eighth of it, o for 128 bits. Bytes of memory follow after a slash if they are
// not the register's. M has the same sizes, or bytes, 0 for any.
//
// The tuple type of the manual, which scales displacements of 8 bits, is the memory's size, and n for those that
// compress; of broadcasts and gathers it is the element's.
//
// opts are words: k kz k! mask allowed, also with zeroing, required; b2 b4 b8 broadcast of that many bytes; er sae;
// n1 n2 n4 n8 the unit of displacements; 128 256 512 the lengths that exist, with + also those above; d64 no prefix for
// 64 bits.
type row struct {
	name, enc, args, opts string
	vex, evex             cpu.Set // features of either form; 0: there is none; neither: legacy
}

// Encodings of instructions.
const (
	legacy = iota
	vex
	evex
)

// A place is where an operand is encoded.
type place uint8

const (
	inReg place = iota
	inRM
	inVVVV
	inImm
	inIs4
	inOpcode
	inNothing
	inRel
)

// A pattern is the set of operands that are accepted at a position.
type pattern struct {
	kinds kind
	place place
	mem   uint8 // bytes of a memory operand, 0: any
	imm   uint8 // bytes of an immediate
	fixed uint8 // the only register, or none; for an immediate without bytes the number itself
}

// maxArgs is the largest number of operands of an instruction, without rounding.
const maxArgs = 4

// An inst is a row in one size and encoding.
type inst struct {
	enc, pp, opmap, w, l uint8
	opcode, ext          uint8 // ext: 0 to 7 in ModRM.reg, or none
	n                    uint8 // operands
	osize                uint8 // bytes of general operands, to which immediates are normalised; 0: they have no size
	bcst                 uint8 // bytes of an element in memory, 0: no broadcast
	unit                 uint8 // unit of 8-bit displacements, without broadcast
	mask, zero, must     bool
	er, sae              bool
	modrm                bool
	d64                  bool // 64 bits without a prefix
	prefix16             bool
	sized                bool // another inst differs only in the size of memory, which therefore must be given
	imms                 uint8
	need                 cpu.Set
	args                 [maxArgs]pattern
}

// A table is all rows, compiled. Names are in order of their first rows; the insts of an op are first[op] to
// first[op+1].
type table struct {
	names []string
	first []int
	insts []inst
	keys  []key // of insts
}

// compileRows makes the table. Rows of one name need not be adjacent. It panics if a row is wrong, which is a bug of
// this package.
func compileRows(rows []row) *table {
	t := &table{}
	of := map[string][]inst{}
	for _, r := range rows {
		if _, ok := of[r.name]; !ok {
			t.names = append(t.names, r.name)
		}
		of[r.name] = append(of[r.name], r.compile()...)
	}
	for _, n := range t.names {
		list := of[n]
		for i := range list {
			list[i].sized = ambiguous(list, i)
		}
		t.first = append(t.first, len(t.insts))
		t.insts = append(t.insts, list...)
	}
	t.first = append(t.first, len(t.insts))
	for i := range t.insts {
		t.keys = append(t.keys, t.insts[i].key())
	}
	return t
}

// ambiguous reports whether another inst accepts the same operands except for the size of memory.
func ambiguous(list []inst, i int) bool {
	for j := range list {
		if i != j && list[i].n == list[j].n && sameButMemory(&list[i], &list[j]) {
			return true
		}
	}
	return false
}

func sameButMemory(a, b *inst) bool {
	other := false
	for k := range a.args[:a.n] {
		p, q := a.args[k], b.args[k]
		switch both := p.kinds & q.kinds; {
		case both&anyMem != 0:
			if p.mem == q.mem {
				return false
			}
			other = true
		case both == 0:
			return false
		case both&anyReg != 0 && p.fixed != q.fixed && p.fixed != none && q.fixed != none:
			return false
		}
	}
	return other
}

func (r row) fail(what string) {
	panic(fmt.Sprintf("x86: row %s %q %q %q: %s", r.name, r.enc, r.args, r.opts, what))
}

// compile returns the insts of a row: VEX before EVEX, small before large.
func (r row) compile() (list []inst) {
	if r.vex == 0 && r.evex == 0 {
		for _, size := range r.generalSizes() {
			list = append(list, r.build(legacy, size, 0))
		}
		return list
	}
	for _, enc := range []uint8{vex, evex} {
		need := r.vex
		if enc == evex {
			need = r.evex
		}
		if need == 0 {
			continue
		}
		for _, l := range r.lengths(enc) {
			for _, size := range r.generalSizes() {
				in := r.build(enc, size, l)
				in.need = r.needs(enc, need, l)
				list = append(list, in)
			}
		}
	}
	return list
}

// needs returns the features for one length: vectors of less than 512 bits need AVX512VL with EVEX; integers with VEX
// need AVX with 128 bits, AVX2 with 256.
func (r row) needs(enc uint8, need cpu.Set, l uint8) cpu.Set {
	switch {
	case enc == evex && l < 2 && (r.whole() || r.word("128") || r.word("256")):
		need |= cpu.AVX512VL
	case enc == vex && need == avxInt && l == 0:
		need = cpu.AVX
	case enc == vex && need == avxInt:
		need = cpu.AVX2
	}
	return need
}

// avxInt marks vector instructions on integers: AVX with 128 bits, AVX2 with 256.
const avxInt = cpu.AVX | cpu.AVX2

func (r row) word(w string) bool {
	for _, o := range strings.Fields(r.opts) {
		if o == w {
			return true
		}
	}
	return false
}

// whole reports whether an operand has the length of the instruction.
func (r row) whole() bool {
	for _, a := range strings.Fields(r.args) {
		if strings.ContainsRune("VHLWUJM", rune(a[0])) && len(a) > 1 && strings.ContainsRune("xhqe", rune(a[1])) {
			return true
		}
	}
	return false
}

func (r row) lengths(enc uint8) (list []uint8) {
	low, high := uint8(0), uint8(0)
	if r.whole() {
		high = 2
	}
	for _, o := range strings.Fields(r.opts) {
		switch o {
		case "128":
			high = 0
		case "256":
			low, high = 1, 1
		case "256+":
			low, high = 1, 2
		case "512":
			low, high = 2, 2
		}
	}
	if enc == vex && high == 2 {
		high = 1
	}
	for l := low; l <= high; l++ {
		list = append(list, l)
	}
	return list
}

// generalSizes returns the sizes in bytes that v or y stand for, a single 0 if the row has neither.
func (r row) generalSizes() []uint8 {
	for _, a := range strings.Fields(r.args) {
		if len(a) == 2 && strings.ContainsRune("ERGBZA", rune(a[0])) {
			switch a[1] {
			case 'v':
				return []uint8{2, 4, 8}
			case 'y':
				return []uint8{4, 8}
			}
		}
	}
	return []uint8{0}
}

func (r row) build(enc, size, l uint8) inst {
	in := inst{enc: enc, l: l, ext: none}
	r.encoding(&in, size)
	r.options(&in)
	for _, a := range strings.Fields(r.args) {
		if int(in.n) == len(in.args) {
			r.fail("too many operands")
		}
		in.args[in.n] = r.operand(&in, a, size)
		in.n++
	}
	for _, p := range in.args[:in.n] {
		in.modrm = in.modrm || p.place == inReg || p.place == inRM
		in.imms += p.imm
		if p.place == inIs4 {
			in.imms++
		}
		if p.place == inRM && p.kinds&anyMem != 0 && in.unit == 0 {
			in.unit = p.mem
		}
	}
	in.modrm = in.modrm || in.ext != none
	if enc == legacy {
		in.prefix16 = in.osize == 2
		if in.osize == 8 && !in.d64 {
			in.w = 1
		}
	}
	return in
}

var (
	ppWords  = map[string]uint8{"np": 0, "66": 1, "f3": 2, "f2": 3}
	mapWords = map[string]uint8{"1b": 0, "0f": 1, "0f38": 2, "0f3a": 3, "m5": 5, "m6": 6}
)

func (r row) encoding(in *inst, size uint8) {
	head, op, ok := strings.Cut(r.enc, " ")
	words := strings.Split(head, ".")
	if !ok || len(words) < 2 {
		r.fail("encoding")
	}
	var okPP, okMap bool
	in.pp, okPP = ppWords[words[0]]
	in.opmap, okMap = mapWords[words[1]]
	if !okPP || !okMap || (len(words) == 3) != (in.enc != legacy) {
		r.fail("prefix or map")
	}
	if len(words) == 3 {
		switch words[2] {
		case "w0":
		case "w1":
			in.w = 1
		case "we":
			in.w = in.enc - vex
		case "wy":
			in.w = size / 8
		default:
			r.fail("W")
		}
	}
	op, _ = strings.CutSuffix(op, "+")
	op, ext, has := strings.Cut(op, "/")
	if has {
		in.ext = r.number(ext, 8, 7)
	}
	in.opcode = r.number(op, 16, 0xff)
}

func (r row) number(s string, base int, limit uint64) uint8 {
	n, err := strconv.ParseUint(s, base, 8)
	if err != nil || n > limit {
		r.fail("number " + s)
	}
	return uint8(n)
}

func (r row) options(in *inst) {
	for _, o := range strings.Fields(r.opts) {
		switch o {
		case "128", "256", "256+", "512": // lengths
		case "d64":
			in.d64 = true
		default:
			if in.enc == vex {
				continue // masks, roundings and broadcasts are EVEX's
			}
			r.evexOption(in, o)
		}
	}
}

func (r row) evexOption(in *inst, o string) {
	switch o {
	case "k":
		in.mask = true
	case "kz":
		in.mask, in.zero = true, true
	case "k!":
		in.mask, in.must = true, true
	case "er":
		in.er = true
	case "sae":
		in.sae = true
	case "b2", "b4", "b8":
		in.bcst = o[1] - '0'
	case "n1", "n2", "n4", "n8":
		in.unit = o[1] - '0'
	default:
		r.fail("word " + o)
	}
	if in.enc == legacy {
		r.fail("a word of EVEX")
	}
}
