package x86

import (
	"encoding/binary"
	"fmt"
)

// A Label is a position in the code.
type Label int32

// To returns the label as a jump target.
func To(l Label) Operand { return Operand{kind: target, imm: int64(l)} }

// RIP returns the memory operand at the label: constants after the code.
func RIP(l Label) Operand {
	return Operand{kind: memory, base: ripBase, index: none, imm: int64(l)}
}

// A mark is where a label is bound: the position in buf, and the number of fixups before it.
type mark struct{ at, behind int32 }

// A fixup is a part of the code that depends on the final positions of labels. In buf jumps have their longest form.
type fixup struct {
	kind  uint8
	extra uint8 // fixJcc: condition; fixRIP: bytes after the displacement; fixAlign: alignment less 1
	long  bool  // the jump needs 32 bits
	label int32
	at    int32 // in buf, of the first byte that depends
}

const (
	fixJmp   = iota // e9 rel32, or eb rel8
	fixJcc          // 0f 80+cc rel32, or 70+cc rel8
	fixRIP          // displacement of 32 bits
	fixAlign        // no bytes, to be filled with no-ops
)

// Sizes of a jump in buf and in the short form.
const (
	longJmp, longJcc = 5, 6
	short            = 2
)

// NewLabel makes a label; Bind sets its position.
func (a *Asm) NewLabel() Label {
	a.marks = append(a.marks, mark{at: -1})
	return Label(len(a.marks) - 1)
}

// Bind binds the label to the current position, once.
func (a *Asm) Bind(l Label) {
	switch {
	case a.err != nil:
	case !a.known(int64(l)):
		a.err = fmt.Errorf("x86: there is no label %d", l)
	case a.marks[l].at >= 0:
		a.err = fmt.Errorf("x86: label %d is bound twice", l)
	default:
		a.marks[l] = mark{at: int32(len(a.buf)), behind: int32(len(a.fixups))}
	}
}

func (a *Asm) known(l int64) bool { return l >= 0 && l < int64(len(a.marks)) }

// Align aligns the next byte to a multiple of n, a power of two up to 64, with no-ops. The final code must be placed
// at such an address.
func (a *Asm) Align(n int) {
	if n < 1 || n > 64 || n&(n-1) != 0 {
		panic(fmt.Sprintf("x86: alignment to %d", n))
	}
	a.fix(fixup{kind: fixAlign, extra: uint8(n - 1)})
}

// Data appends bytes.
func (a *Asm) Data(b ...byte) { a.buf = append(a.buf, b...) }

func (a *Asm) fix(f fixup) {
	f.at = int32(len(a.buf))
	a.fixups = append(a.fixups, f)
}

// jump appends a jump to a label.
func (a *Asm) jump(in *inst, o *Operand) {
	f := fixup{kind: fixJmp, label: int32(o.imm)}
	bytes := uint8(longJmp)
	if in.opmap == mapWords["0f"] {
		f.kind, f.extra, bytes = fixJcc, in.opcode&15, longJcc
	}
	a.fix(f)
	a.little(0, bytes)
}

// Finish appends the code to dst, with jumps as short as possible. Labels are positions relative to byte 0 of the
// code, which is at len(dst) on entry.
func (a *Asm) Finish(dst []byte) ([]byte, error) {
	if a.err != nil {
		return dst, a.err
	}
	for i := range a.fixups {
		f := &a.fixups[i]
		if f.kind == fixAlign {
			continue
		}
		if !a.known(int64(f.label)) || a.marks[f.label].at < 0 {
			a.err = fmt.Errorf("x86: label %d is not bound", f.label)
			return dst, a.err
		}
		f.long = false
	}
	for a.place() {
	}
	return a.write(dst), nil
}

// place computes the final positions, and lengthens jumps that do not reach. It reports whether there were any.
func (a *Asm) place() (again bool) {
	a.shift = a.shift[:0]
	d := int32(0)
	for i := range a.fixups {
		f := &a.fixups[i]
		a.shift = append(a.shift, d)
		switch {
		case f.kind == fixAlign:
			d += -(f.at + d) & int32(f.extra)
		case f.kind <= fixJcc && !f.long:
			d += short - f.bytes()
		}
	}
	a.shift = append(a.shift, d)
	for i := range a.fixups {
		f := &a.fixups[i]
		if f.kind > fixJcc || f.long {
			continue
		}
		if n := a.final(f.label) - (f.at + a.shift[i] + short); n != int32(int8(n)) {
			f.long, again = true, true
		}
	}
	return again
}

// bytes returns the size in buf.
func (f *fixup) bytes() int32 {
	switch f.kind {
	case fixJmp:
		return longJmp
	case fixJcc:
		return longJcc
	case fixRIP:
		return 4
	}
	return 0
}

// final returns the position of a label in the finished code.
func (a *Asm) final(l int32) int32 { return a.marks[l].at + a.shift[a.marks[l].behind] }

// Place returns the position of a label in the code that Finish returned, from the code's first byte.
func (a *Asm) Place(l Label) int { return int(a.final(int32(l))) }

func (a *Asm) write(dst []byte) []byte {
	from := int32(0)
	for i := range a.fixups {
		f := &a.fixups[i]
		dst = append(dst, a.buf[from:f.at]...)
		from = f.at + f.bytes()
		at := f.at + a.shift[i]
		switch f.kind {
		case fixAlign:
			dst = appendNops(dst, int(-at&int32(f.extra)))
		case fixRIP:
			dst = binary.LittleEndian.AppendUint32(dst, uint32(a.final(f.label)-(at+4+int32(f.extra))))
		default:
			dst = f.append(dst, a.final(f.label)-at)
		}
	}
	return append(dst, a.buf[from:]...)
}

// append appends a jump of a distance in bytes, counted from its first.
func (f *fixup) append(dst []byte, n int32) []byte {
	switch {
	case f.kind == fixJmp && f.long:
		return binary.LittleEndian.AppendUint32(append(dst, 0xe9), uint32(n-longJmp))
	case f.kind == fixJmp:
		return append(dst, 0xeb, byte(n-short))
	case f.long:
		return binary.LittleEndian.AppendUint32(append(dst, 0x0f, 0x80|f.extra), uint32(n-longJcc))
	}
	return append(dst, 0x70|f.extra, byte(n-short))
}

// nops are no-ops of 1 to 8 bytes. Source: Intel's manual, volume 2, NOP.
var nops = [...][]byte{
	1: {0x90},
	2: {0x66, 0x90},
	3: {0x0f, 0x1f, 0x00},
	4: {0x0f, 0x1f, 0x40, 0x00},
	5: {0x0f, 0x1f, 0x44, 0x00, 0x00},
	6: {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
	7: {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
	8: {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
}

func appendNops(dst []byte, n int) []byte {
	for n > 0 {
		k := min(n, len(nops)-1)
		dst = append(dst, nops[k]...)
		n -= k
	}
	return dst
}
