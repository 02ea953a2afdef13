package lint

import (
	"bytes"
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// sweep goes over the bytes from first to last: each instruction is checked against the rules about single
// instructions and neighbours, and unreachable bytes are classified as padding or not. In unreachable code, which may
// be data, findings are notes.
func (a *analysis) sweep() {
	var prev, cur, next isa.Bundle
	var run unreached
	code := a.code.Bytes
	ok := a.bundleAt(&cur, 0)
	for off := 0; off < len(code); {
		addr := a.code.Base + uint64(off)
		at := a.stepAt(addr)
		if !ok {
			if a.faults[addr] == nil {
				run.add(a, addr, a.unit, false)
			} else {
				run.end(a)
			}
			off += a.unit
			prev.Parts = prev.Parts[:0]
			ok = a.bundleAt(&cur, off)
			continue
		}
		size := cur.Size()
		more := a.bundleAt(&next, off+size)
		a.rep.Instructions++
		if at >= 0 {
			*a.flags(at) |= flagHeld
			run.end(a)
		} else if a.padding(code[off : off+size]) {
			run.end(a)
		} else {
			run.add(a, addr, size, true)
		}
		if at >= 0 || !a.padding(code[off:off+size]) {
			a.single(orNil(&prev), &cur, orNil(&next), at >= 0)
		}
		off += size
		prev, cur, next = cur, next, prev
		ok = more
	}
	run.end(a)
	for i := range int32(a.count) { // bytes that are decoded in two ways
		if p := a.place(i); p.flags&flagHeld == 0 && a.bundleAt(&cur, int(p.at)*a.unit) {
			a.rep.Instructions++
			a.single(nil, &cur, nil, true)
		}
	}
}

// bundleAt decodes the bundle at an offset; the bundle has no parts if there is none.
func (a *analysis) bundleAt(b *isa.Bundle, off int) bool {
	b.Parts = b.Parts[:0]
	if off >= len(a.code.Bytes) {
		return false
	}
	if a.t.DecodeBundle(a.code.Bytes[off:], a.code.Base+uint64(off), b) != nil {
		b.Parts = b.Parts[:0]
		return false
	}
	return true
}

func orNil(b *isa.Bundle) *isa.Bundle {
	if len(b.Parts) == 0 {
		return nil
	}
	return b
}

// single adds the findings about a single instruction.
func (a *analysis) single(prev, b, next *isa.Bundle, reached bool) {
	for _, f := range a.t.Lint(prev, b, next) {
		r := a.rules[f.Rule]
		if !reached {
			f.Severity = isa.SeverityNote
		}
		if f.Severity > a.opt.Least || a.opt.Rules != nil && !a.opt.Rules(f.Rule) || r != nil && !r.In(a.t.Variant) || !a.room(f.Rule) {
			continue
		}
		a.rep.Findings = append(a.rep.Findings, Finding{Finding: f,
			Instruction: Instruction{Addr: b.Addr(), Text: string(a.t.Print(nil, b)), Branch: a.branches(b), Place: a.code.Map.At(b.Addr())}})
	}
}

// padding reports whether unreachable bytes are what assemblers fill with.
func (a *analysis) padding(b []byte) bool {
	if len(bytes.Trim(b, "\x00")) == 0 {
		return true
	}
	return a.t.Nop != nil && bytes.Equal(b, a.t.Nop(a.t.Variant))
}

// An unreached is a run of unreachable bytes.
type unreached struct {
	addr  uint64
	bytes int
	insts int
	code  bool
}

func (u *unreached) add(a *analysis, addr uint64, size int, code bool) {
	if u.bytes > 0 && u.code != code {
		u.end(a)
	}
	if u.bytes == 0 {
		u.addr, u.code = addr, code
	}
	u.bytes += size
	u.insts++
}

// end adds a note about the run.
func (u *unreached) end(a *analysis) {
	switch {
	case u.bytes == 0:
	case u.code:
		a.findAt(a.rule(ruleUnreached), u.addr, fmt.Sprintf("no entry leads to %s", plural(u.insts, "instruction")))
	default:
		a.findAt(a.rule(ruleNoCode), u.addr, fmt.Sprintf("no entry leads to %s, which are no instructions", plural(u.bytes, "byte")))
	}
	*u = unreached{}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
