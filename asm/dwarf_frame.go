package asm

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// The frame tables describe, for each function, how a debugger unwinds a call, as a program for a small machine.
// Source: DWARF 5, 6.4; for .eh_frame the Linux Standard Base, 10.6.

// A frame is a function between .cfi_startproc and .cfi_endproc.
type frame struct {
	section     int
	from, to    uint64
	ops         []frameOp
	begun       *stmt
	cfa         int64 // offset of the CFA in the last directive that sets it
	kind        frameKind
	personality string // "": none
	lsda        string // "": none
}

// A frameKind is what the functions of a common information entry (CIE) share.
type frameKind struct {
	personality               string
	personalityForm, lsdaForm byte // DW_EH_PE values
	signal, simple            bool
	ret                       uint64 // DWARF number of the return address register
}

// defaultReturn is frameKind.ret of a function without .cfi_return_column: higher than any register, as LLVM sorts
// it.
const defaultReturn = math.MaxInt32

func compareKinds(a, b frameKind) int {
	return cmp.Or(cmp.Compare(a.personality, b.personality), cmp.Compare(a.personalityForm, b.personalityForm), cmp.Compare(a.lsdaForm, b.lsdaForm),
		cmp.Compare(b2i(a.signal), b2i(b.signal)), cmp.Compare(b2i(a.simple), b2i(b.simple)), cmp.Compare(a.ret, b.ret))
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

// A frameOp is call frame instructions and the address from which they apply.
type frameOp struct {
	off   uint64
	code  []byte
	label string // defined here; "": none
	by    *stmt
}

// A cfiRow is a directive that becomes an operation with operands.
type cfiRow struct {
	name string
	code byte
	args int                                           // registers and numbers
	regs int                                           // the first of args that are registers
	put  func(f *frame, rule *Frame, v []int64) []byte // nil: the code and all operands, unsigned
}

// op returns an operation whose operands are unsigned.
func op(code byte, v ...int64) []byte {
	out := []byte{code}
	for _, x := range v {
		out = binary.AppendUvarint(out, uint64(x))
	}
	return out
}

// Operations of frame tables that take more than a code and operands.
const (
	cfaAdvance     = 0x40 // plus the units in six bits
	cfaOffset      = 0x80 // plus the register in six bits
	cfaRestore     = 0xc0 // plus the register in six bits
	cfaAdvance1    = 0x02
	cfaAdvance2    = 0x03
	cfaAdvance4    = 0x04
	cfaOffsetLong  = 0x05
	cfaRestoreLong = 0x06
	cfaDef         = 0x0c
	cfaDefOffset   = 0x0e
	cfaOffsetNeg   = 0x11
	cfaValOffset   = 0x14
	cfaValNeg      = 0x15
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
	{".cfi_val_offset", cfaValOffset, 2, 1, valueNear},
	{".cfi_register", 0x09, 2, 2, nil},
	{".cfi_undefined", 0x07, 1, 1, nil},
	{".cfi_same_value", 0x08, 1, 1, nil},
	{".cfi_restore", cfaRestore, 1, 1, restored},
	{".cfi_remember_state", 0x0a, 0, 0, nil},
	{".cfi_restore_state", 0x0b, 0, 0, nil},
	{".cfi_window_save", 0x2d, 0, 0, nil},
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

// saved returns the operation for a register that is saved at an offset.
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

// valueNear returns the operation for a register whose value is the CFA plus an offset.
func valueNear(_ *frame, r *Frame, v []int64) []byte {
	n := v[1] / r.DataAlign
	if n < 0 {
		return appendSLEB(op(cfaValNeg, v[0]), n)
	}
	return op(cfaValOffset, v[0], n)
}

// savedNear is saved for an offset from the CFA register.
func savedNear(f *frame, r *Frame, v []int64) []byte { return saved(f, r, []int64{v[0], v[1] - f.cfa}) }

func restored(_ *frame, _ *Frame, v []int64) []byte {
	if v[0] < 64 {
		return op(cfaRestore | byte(v[0]))
	}
	return op(cfaRestoreLong, v[0])
}

// frameTables writes .eh_frame and .debug_frame once addresses are final.
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

// frameTable writes the functions after their common entries: in .eh_frame one per kind, in .debug_frame one for all,
// as LLVM does.
func (p *program) frameTable(a *assembler, t *dwarfTable, eh bool) {
	d := &p.dwarf
	slices.SortStableFunc(d.frames, func(x, y frame) int { return compareKinds(x.kind, y.kind) })
	unit, common := uint64(a.target.Unit), uint64(0)
	for i := range d.frames {
		f := &d.frames[i]
		if i == 0 || eh && f.kind != d.frames[i-1].kind {
			common = uint64(len(t.out))
			p.commonFrame(t, f, unit, eh)
		}
		f.write(a, t, common, unit, eh)
		if !eh || i == len(d.frames)-1 {
			t.finish(8)
		} else {
			t.finish(4)
		}
	}
	t.done(a)
}

// ends checks what the end of the text closes, before the bytes after the last statement are written.
func (p *program) ends(a *assembler) {
	if a.sum > a.taken {
		p.bytesFollow(a)
	}
	d := &p.dwarf
	if d.open {
		a.failAt(d.frames[len(d.frames)-1].begun, "the function has no .cfi_endproc")
	}
	for i := range d.frames {
		for _, o := range d.frames[i].ops {
			if o.label != "" && d.eh && d.debug {
				a.failAt(o.by, o.label+" is defined in .eh_frame and in .debug_frame")
			}
		}
	}
	if len(a.errs) == 0 && len(a.late) == 0 { // else a .file may be missing because of its own error
		d.unassigned(a)
	}
}

// failAt reports an error of a directive that is found after all statements of a round have been read.
func (a *assembler) failAt(st *stmt, msg string) {
	a.cur = st
	a.scan.Reset(st.text, 0)
	a.scan.Touched = true // of this round
	a.misplaced(&a.scan, isa.ErrDirective, msg)
	a.fail(a.scan.Err())
}

// commonFrame writes the common information entry of a function.
func (p *program) commonFrame(t *dwarfTable, f *frame, unit uint64, eh bool) {
	t.begin()
	augment := ""
	if eh {
		t.u8(0, 0, 0, 0, 1)
		augment = f.augmentation()
	} else {
		t.u8(0xff, 0xff, 0xff, 0xff, 4)
	}
	t.u8([]byte(augment)...)
	t.u8(0)
	if !eh {
		t.u8(8, 0) // size of an address and of a segment
	}
	t.uleb(unit)
	t.out = appendSLEB(t.out, p.Frame.DataAlign)
	ret := f.kind.ret
	if ret == defaultReturn {
		ret = p.Frame.Return
	}
	if !eh {
		t.uleb(ret)
		t.finish(8)
		return
	}
	t.u8(byte(ret), 0)
	data := len(t.out)
	if f.personality != "" {
		t.u8(f.kind.personalityForm)
		t.encoded(f.kind.personalityForm, f.personality, f.begun)
	}
	if f.lsda != "" {
		t.u8(f.kind.lsdaForm)
	}
	t.u8(encRelative | encSigned4) // the encoding of function addresses
	t.out[data-1] = byte(len(t.out) - data)
	t.finish(4)
}

// augmentation returns the string for the data of a common entry of .eh_frame and its functions.
func (f *frame) augmentation() string {
	s := "z"
	if f.personality != "" {
		s += "P"
	}
	if f.lsda != "" {
		s += "L"
	}
	if s += "R"; f.kind.signal {
		s += "S"
	}
	return s
}

// Encodings of addresses in .eh_frame. Source: Linux Standard Base, 10.5.1, DW_EH_PE.
const (
	encSigned4  = 0x0b
	encRelative = 0x10
	encOmit     = 0xff
)

// encSizes are the sizes in bytes of an address by the low four bits of its encoding; 0: invalid.
var encSizes = [16]int{0: 8, 2: 2, 3: 4, 4: 8, 8: 8, 10: 2, 11: 4, 12: 8}

// encoded appends the address of a symbol in one of these encodings.
func (t *dwarfTable) encoded(form byte, symbol string, by *stmt) {
	kind := ""
	if form&encRelative != 0 {
		kind = "rel"
	}
	size := encSizes[form&0xf]
	t.p.refs = append(t.p.refs, Ref{Section: t.section, Off: uint64(len(t.out)), Size: size, Kind: kind, Symbol: symbol, To: NoSection, Line: int(by.line)})
	t.out = append(t.out, make([]byte, size)...)
}

// write writes the entry of a function.
func (f *frame) write(a *assembler, t *dwarfTable, common, unit uint64, eh bool) {
	t.begin()
	if eh {
		t.out = binary.LittleEndian.AppendUint32(t.out, uint32(uint64(len(t.out))-common))
		t.ref(4, "rel", f.section, f.from)
		t.out = binary.LittleEndian.AppendUint32(t.out, uint32(f.to-f.from))
		if t.u8(0); f.lsda != "" {
			t.out[len(t.out)-1] = byte(encSizes[f.kind.lsdaForm&0xf])
			t.encoded(f.kind.lsdaForm, f.lsda, f.begun)
		}
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
		if op.label != "" {
			a.cur = op.by
			t.p.frameLabel(a, op.label, tag(t.section)+uint64(len(t.out)))
		}
	}
}

// moved writes an advance of the location by units.
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

// begin starts an entry and reserves its length field.
func (t *dwarfTable) begin() { t.entry = t.length() }

// finish pads the entry with no-ops to a multiple of align bytes and fills in its length.
func (t *dwarfTable) finish(align int) {
	for len(t.out)%align != 0 {
		t.u8(0)
	}
	t.fill(t.entry)
}
