package asm

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// The frame tables: how a debugger undoes calls, for each function as a program for another small machine.
// Source: DWARF 5, 6.4; for .eh_frame the Linux Standard Base, 10.6.

// A frame is a function between .cfi_startproc and .cfi_endproc.
type frame struct {
	section  int
	from, to uint64
	ops      []frameOp
	begun    *stmt
	cfa      int64 // the offset of the frame's address, as far as it is said
	kind     frameKind
}

// A frameKind is what functions of one common entry share.
type frameKind struct {
	signal, simple bool
	ret            uint64
}

func compareKinds(a, b frameKind) int {
	return cmp.Or(cmp.Compare(b2i(a.signal), b2i(b.signal)), cmp.Compare(b2i(a.simple), b2i(b.simple)), cmp.Compare(a.ret, b.ret))
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

// A frameOp is operations of the table and the place from which on they hold.
type frameOp struct {
	off  uint64
	code []byte
}

// A cfiRow is a directive that becomes an operation with operands.
type cfiRow struct {
	name string
	code byte
	args int                                           // registers and numbers
	regs int                                           // of args, the first so many are registers
	put  func(f *frame, rule *Frame, v []int64) []byte // nil: the code and all operands, unsigned
}

// op is an operation whose operands are unsigned.
func op(code byte, v ...int64) []byte {
	out := []byte{code}
	for _, x := range v {
		out = binary.AppendUvarint(out, uint64(x))
	}
	return out
}

// Operations of frame tables that are more than a code and operands.
const (
	cfaAdvance     = 0x40 // and the units in six bits
	cfaOffset      = 0x80 // and the register in six bits
	cfaRestore     = 0xc0 // and the register in six bits
	cfaAdvance1    = 0x02
	cfaAdvance2    = 0x03
	cfaAdvance4    = 0x04
	cfaOffsetLong  = 0x05
	cfaRestoreLong = 0x06
	cfaDef         = 0x0c
	cfaDefOffset   = 0x0e
	cfaOffsetNeg   = 0x11
	cfaDefSpace    = 0x30
)

var cfiRows = []cfiRow{
	{".cfi_def_cfa", cfaDef, 2, 1, defCFA},
	{".cfi_def_cfa_register", 0x0d, 1, 1, nil},
	{".cfi_def_cfa_offset", cfaDefOffset, 1, 0, cfaMoved},
	{".cfi_adjust_cfa_offset", cfaDefOffset, 1, 0, cfaAdjusted},
	{".cfi_llvm_def_aspace_cfa", cfaDefSpace, 3, 1, defSpaceCFA},
	{".cfi_offset", cfaOffset, 2, 1, saved},
	{".cfi_rel_offset", cfaOffset, 2, 1, savedNear},
	{".cfi_register", 0x09, 2, 2, nil},
	{".cfi_undefined", 0x07, 1, 1, nil},
	{".cfi_same_value", 0x08, 1, 1, nil},
	{".cfi_restore", cfaRestore, 1, 1, restored},
	{".cfi_remember_state", 0x0a, 0, 0, nil},
	{".cfi_restore_state", 0x0b, 0, 0, nil},
}

func defCFA(f *frame, _ *Frame, v []int64) []byte {
	f.cfa = v[1]
	return op(cfaDef, v...)
}

func defSpaceCFA(f *frame, _ *Frame, v []int64) []byte {
	f.cfa = v[1]
	return op(cfaDefSpace, v...)
}

func cfaMoved(f *frame, _ *Frame, v []int64) []byte {
	f.cfa = v[0]
	return op(cfaDefOffset, f.cfa)
}

func cfaAdjusted(f *frame, _ *Frame, v []int64) []byte {
	f.cfa += v[0]
	return op(cfaDefOffset, f.cfa)
}

// saved is the operation for a register that is saved at an offset.
func saved(_ *frame, r *Frame, v []int64) []byte {
	switch reg, n := v[0], v[1]/r.DataAlign; {
	case n < 0:
		return appendSLEB(op(cfaOffsetNeg, reg), n)
	case reg < 64:
		return op(cfaOffset|byte(reg), n)
	default:
		return op(cfaOffsetLong, reg, n)
	}
}

// savedNear is saved at an offset from the register of the frame's address.
func savedNear(f *frame, r *Frame, v []int64) []byte { return saved(f, r, []int64{v[0], v[1] - f.cfa}) }

func restored(_ *frame, _ *Frame, v []int64) []byte {
	if v[0] < 64 {
		return op(cfaRestore | byte(v[0]))
	}
	return op(cfaRestoreLong, v[0])
}

// dirCFISections reads which sections there are to be.
func dirCFISections(a *assembler, s *isa.Scan) bool {
	d := &a.prog.dwarf
	d.eh, d.debug, d.chosen = false, false, true
	return list(s, func() bool {
		switch {
		case s.Accept(".eh_frame"):
			d.eh = true
		case s.Accept(".debug_frame"):
			d.debug = true
		default:
			return s.Expect(".debug_frame or .eh_frame")
		}
		return true
	})
}

func dirCFIStart(a *assembler, s *isa.Scan) bool {
	p := a.prog
	d := &p.dwarf
	switch {
	case p.Frame == nil:
		return s.Fail(0, isa.ErrUnsupported, "frame tables are not made for this set")
	case d.open:
		return s.Fail(0, isa.ErrDirective, fmt.Sprintf("the function of line %d has no .cfi_endproc", d.frames[len(d.frames)-1].begun.line))
	case len(d.frames) == maxMarks:
		a.stop(isa.ErrLimit, "too many functions with .cfi_startproc")
		return true
	}
	s.Space()
	k := frameKind{simple: s.Accept("simple"), ret: p.Frame.Return}
	d.frames = append(d.frames, frame{section: p.now, from: uint64(len(a.out)), begun: a.cur, kind: k})
	d.open = true
	return true
}

// openFrame is the function that a directive speaks of, nil if there is none.
func openFrame(a *assembler, s *isa.Scan) *frame {
	d := &a.prog.dwarf
	if !d.open {
		s.Fail(0, isa.ErrDirective, a.cur.dir.Name+" stands outside of .cfi_startproc and .cfi_endproc")
		return nil
	}
	f := &d.frames[len(d.frames)-1]
	if f.section != a.prog.now {
		s.Fail(0, isa.ErrDirective, fmt.Sprintf("the function of line %d began in another section", f.begun.line))
		return nil
	}
	return f
}

func dirCFIEnd(a *assembler, s *isa.Scan) bool {
	f := openFrame(a, s)
	if f == nil {
		return false
	}
	f.to = uint64(len(a.out))
	a.prog.dwarf.open = false
	return true
}

// dirCFI reads a directive of cfiRows.
func dirCFI(a *assembler, s *isa.Scan) bool {
	f := openFrame(a, s)
	if f == nil {
		return false
	}
	row := cfiRows[slices.IndexFunc(cfiRows, func(r cfiRow) bool { return r.name == a.cur.dir.Name })]
	v := make([]int64, row.args)
	for i := range v {
		if s.Space(); i > 0 && !s.Byte(',') {
			return s.Expect(`","`)
		}
		s.Space()
		ok := true
		if i < row.regs {
			v[i], ok = frameRegister(s)
		} else {
			v[i], ok = s.WholeExpr()
		}
		if !ok {
			return false
		}
	}
	if row.put == nil {
		return f.add(a, op(row.code, v...))
	}
	return f.add(a, row.put(f, a.prog.Frame, v))
}

// frameRegister reads the DWARF number of a register.
func frameRegister(s *isa.Scan) (int64, bool) {
	s.Space()
	if c := s.Peek(); c < '0' || c > '9' {
		return 0, s.Expect("the DWARF number of a register")
	}
	v := uint64(0)
	ok := small(s, &v)
	return int64(v), ok
}

// add appends an operation at the present place.
func (f *frame) add(a *assembler, code []byte) bool {
	if len(f.ops) == maxMarks {
		a.stop(isa.ErrLimit, "too many .cfi directives in a function")
		return true
	}
	f.ops = append(f.ops, frameOp{uint64(len(a.out)), code})
	return true
}

func dirCFIEscape(a *assembler, s *isa.Scan) bool {
	f := openFrame(a, s)
	var code []byte
	return f != nil && list(s, func() bool {
		at := s.Pos
		v, ok := s.WholeExpr()
		if ok && !s.Unresolved && !fits(v, 1) {
			return s.Note(at, isa.ErrRange, "the value does not fit %n bytes", "", 1)
		}
		code = append(code, byte(v))
		return ok
	}) && f.add(a, code)
}

func dirCFIReturn(a *assembler, s *isa.Scan) bool {
	f := openFrame(a, s)
	if f == nil {
		return false
	}
	v, ok := frameRegister(s)
	f.kind.ret = uint64(v)
	return ok
}

func dirCFISignal(a *assembler, s *isa.Scan) bool {
	f := openFrame(a, s)
	if f == nil {
		return false
	}
	f.kind.signal = true
	return true
}

// frameTables writes .eh_frame and .debug_frame, once places are settled.
func (p *program) frameTables(a *assembler) {
	d := &p.dwarf
	if len(d.frames) == 0 {
		return
	}
	if d.eh || !d.chosen {
		p.frameTable(a, p.dwarfTable(a, ".eh_frame", 8), true)
	}
	if d.debug {
		p.frameTable(a, p.dwarfTable(a, ".debug_frame", 8), false)
	}
}

// frameTable writes a common entry for each kind of function, and after it all functions of that kind.
func (p *program) frameTable(a *assembler, t *dwarfTable, eh bool) {
	d := &p.dwarf
	slices.SortStableFunc(d.frames, func(x, y frame) int { return compareKinds(x.kind, y.kind) })
	unit, common := uint64(a.target.Unit), uint64(0)
	for i := range d.frames {
		f := &d.frames[i]
		if i == 0 || f.kind != d.frames[i-1].kind {
			common = uint64(len(t.out))
			p.commonFrame(t, f.kind, unit, eh)
		}
		f.write(t, common, unit, eh)
	}
	t.done(a)
}

// ends looks at what the end of the text ends, ahead of the bytes after the last statement.
func (p *program) ends(a *assembler) {
	if a.sum > a.taken {
		p.bytesFollow(a)
	}
	if d := &p.dwarf; d.open {
		a.cur = d.frames[len(d.frames)-1].begun
		a.scan.Reset(a.cur.text, 0)
		a.scan.Touched = true // of this round
		a.fail(&isa.Error{Code: isa.ErrDirective, Col: 1, Msg: "the function has no .cfi_endproc"})
	}
}

// commonFrame writes a common entry.
func (p *program) commonFrame(t *dwarfTable, k frameKind, unit uint64, eh bool) {
	at := t.length()
	augment := ""
	if eh {
		t.u8(0, 0, 0, 0, 1)
		augment = "zR"
	} else {
		t.u8(0xff, 0xff, 0xff, 0xff, 4)
	}
	if k.signal {
		augment += "S"
	}
	t.u8([]byte(augment)...)
	t.u8(0)
	if !eh {
		t.u8(8, 0) // bytes of an address and of a segment
	}
	t.uleb(unit)
	t.out = appendSLEB(t.out, p.Frame.DataAlign)
	if eh {
		const relative4 = 0x1b // addresses are relative to their place, signed, of four bytes
		t.u8(byte(k.ret), 1, relative4)
	} else {
		t.uleb(k.ret)
	}
	t.finish(at, eh)
}

// write writes the entry of a function.
func (f *frame) write(t *dwarfTable, common, unit uint64, eh bool) {
	at := t.length()
	if eh {
		t.out = binary.LittleEndian.AppendUint32(t.out, uint32(uint64(len(t.out))-common))
		t.ref(4, "rel", f.section, f.from)
		t.out = binary.LittleEndian.AppendUint32(t.out, uint32(f.to-f.from))
		t.u8(0) // no more of its own
	} else {
		t.address(4, t.section, common)
		t.address(8, f.section, f.from)
		t.out = binary.LittleEndian.AppendUint64(t.out, f.to-f.from)
	}
	from := f.from
	for _, op := range f.ops {
		t.moved((op.off - from) / unit)
		from = op.off
		t.u8(op.code...)
	}
	t.finish(at, eh)
}

// moved writes that what follows holds so many units later.
func (t *dwarfTable) moved(units uint64) {
	switch {
	case units == 0:
	case units < 64:
		t.u8(cfaAdvance | byte(units))
	case units < 1<<8:
		t.u8(cfaAdvance1, byte(units))
	case units < 1<<16:
		t.u8(cfaAdvance2)
		t.u16(int(units))
	default:
		t.u8(cfaAdvance4)
		t.out = binary.LittleEndian.AppendUint32(t.out, uint32(units))
	}
}

// finish pads an entry with operations that do nothing and fills in its length.
func (t *dwarfTable) finish(at int, eh bool) {
	unit := 8
	if eh {
		unit = 4
	}
	for len(t.out)%unit != 0 {
		t.u8(0)
	}
	t.fill(at)
}
