package asm

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// The .cfi directives of LLVM's assembler.

// dirCFISections reads which sections to write.
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
		return a.misplaced(s, isa.ErrUnsupported, "frame tables are not made for this set")
	case d.open:
		return a.misplaced(s, isa.ErrDirective, fmt.Sprintf("the function of line %d has no .cfi_endproc", d.frames[len(d.frames)-1].begun.line))
	case len(d.frames) == maxMarks:
		a.stop(isa.ErrLimit, "too many functions with .cfi_startproc")
		return true
	}
	s.Space()
	k := frameKind{simple: s.Accept("simple"), ret: defaultReturn}
	d.frames = append(d.frames, frame{section: p.now, from: uint64(len(a.out)), begun: a.cur, kind: k})
	d.open = true
	return true
}

// openFrame returns the function that a directive belongs to, or nil if none is open.
func openFrame(a *assembler, s *isa.Scan) *frame {
	d := &a.prog.dwarf
	if !d.open {
		a.misplaced(s, isa.ErrDirective, a.cur.dir.Name+" is not between .cfi_startproc and .cfi_endproc")
		return nil
	}
	f := &d.frames[len(d.frames)-1]
	if f.section != a.prog.now {
		a.misplaced(s, isa.ErrDirective, fmt.Sprintf("the function of line %d began in another section", f.begun.line))
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
			v[i], ok = frameRegister(a, s)
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

// frameRegister reads a register: its name or its DWARF number.
func frameRegister(a *assembler, s *isa.Scan) (int64, bool) {
	s.Space()
	if c := s.Peek(); c >= '0' && c <= '9' {
		v := uint64(0)
		ok := small(s, &v)
		return int64(v), ok
	}
	end := s.Pos
	for end < len(s.Line) && s.Line[end] != ',' && s.Line[end] != ' ' && s.Line[end] != '\t' {
		end++
	}
	v, ok := a.prog.Frame.Register(s.Line[s.Pos:end])
	if !ok {
		return 0, s.Expect("a register that has a DWARF number, or this number")
	}
	s.Pos = end
	return int64(v), true
}

// add appends an operation at the present position.
func (f *frame) add(a *assembler, code []byte) bool {
	if len(f.ops) == maxMarks {
		a.stop(isa.ErrLimit, "too many .cfi directives in a function")
		return true
	}
	f.ops = append(f.ops, frameOp{off: uint64(len(a.out)), code: code})
	return true
}

// dirCFISymbol reads .cfi_personality and .cfi_lsda.
func dirCFISymbol(a *assembler, s *isa.Scan) bool {
	f := openFrame(a, s)
	if f == nil {
		return false
	}
	s.Space()
	at := s.Pos
	form, ok := number(s)
	if !ok || form == encOmit {
		return ok
	}
	const formBits, applied = 0x0f, 0x70 // bit 7 is indirect, which LLVM's assembler omits, too
	if form > 0xff || encSizes[form&formBits] == 0 || form&applied != 0 && form&applied != encRelative {
		return s.Fail(at, isa.ErrUnsupported, fmt.Sprintf("%#x is no form of an address; 0x00, 0x03, 0x04, 0x0b and 0x0c are, and the same with 0x10: relative", form))
	}
	if encSizes[form&formBits] < 4 {
		return s.Fail(at, isa.ErrUnsupported, "no relocation has two bytes")
	}
	if s.Space(); !s.Byte(',') {
		return s.Expect(`","`)
	}
	name, ok := symbolName(s)
	if !ok {
		return false
	}
	if n := a.prog.first[name]; n == 0 {
		a.prog.first[name] = int(a.cur.line)
	}
	if a.cur.dir.Name == ".cfi_lsda" {
		f.lsda, f.kind.lsdaForm = name, byte(form)
	} else {
		f.personality, f.kind.personality, f.kind.personalityForm = name, name, byte(form)
	}
	return true
}

// dirCFILabel records a symbol that is to be defined within the frame table.
func dirCFILabel(a *assembler, s *isa.Scan) bool {
	f := openFrame(a, s)
	if f == nil {
		return false
	}
	s.Space()
	at := s.Pos
	name, ok := symbolName(s)
	if !ok {
		return false
	}
	if line, twice := a.prog.frameLabels[name]; twice {
		return s.Fail(at, isa.ErrSymbol, fmt.Sprintf("%s is defined a second time; first in line %d", name, line))
	}
	if old := a.names[name]; old != nil {
		return s.Fail(at, isa.ErrSymbol, fmt.Sprintf("%s is defined a second time; first in line %d", name, old.line))
	}
	a.prog.frameLabels[name] = int(a.cur.line)
	if !f.add(a, nil) {
		return false
	}
	if n := len(f.ops); n > 0 {
		f.ops[n-1].label, f.ops[n-1].by = name, a.cur
	}
	return true
}

// frameLabel defines a symbol of .cfi_label once addresses are final.
func (p *program) frameLabel(a *assembler, name string, at uint64) {
	a.names[name] = &symbol{value: at, kind: isa.Label, line: a.cur.line, once: true}
	if p.visible(name) {
		p.attributes(a, name)
	}
}

func dirCFIEscape(a *assembler, s *isa.Scan) bool {
	f := openFrame(a, s)
	var code []byte
	return f != nil && list(s, func() bool {
		at := s.Pos
		v, ok := s.WholeExpr()
		if ok && !s.Unresolved && !fits(v, 1) {
			return tooWide(s, at, 1)
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
	v, ok := frameRegister(a, s)
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
