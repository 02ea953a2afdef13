package asm

import (
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// If short instructions come in pairs, see isa.Arch.Pairs, the form of an instruction depends only on its neighbours,
// and the stream computes the layout. Only the last instruction can still lack a partner. It is emitted as a short
// one, and is replaced by its long form if what follows is no partner.
//
// This needs the size of every instruction as it is read. If a size depends on addresses, or the file has errors,
// which the rounds may see at other addresses, the stream gives up: the file is read again, with a statement for each
// instruction.

// A half is a short instruction without a partner yet.
type half struct {
	open  bool // there is one
	fixed bool // the file gives its bytes: it has no other form
	text  []byte
	named bool // code is the long form; if it is empty, text tells it
	code  []byte
	from  spot
	at    int  // in assembler.out, up to its end
	row   int  // in rows
	last  spot // of the previous row
	stmts int  // statements before it
}

// pairing reports whether the present instruction may need a partner.
func (a *assembler) pairing() bool { return a.pairs && !a.exact }

// meets records an instruction of that size, which is about to be added to out. It reports whether it is a half,
// whose text must be kept.
func (a *assembler) meets(size int, from spot) bool {
	h := &a.half
	switch {
	case size != a.target.Unit:
		a.alone()
	case h.open:
		h.open = false
	default:
		h.open, h.fixed, h.named, h.from, h.at, h.row, h.last, h.stmts = true, false, false, from, len(a.out), len(a.rows), a.last, a.stmts.n
		return true
	}
	return false
}

// alone gives the half its long form, if there is one: it has no partner.
func (a *assembler) alone() {
	h := &a.half
	if !h.open {
		return
	}
	h.open = false
	if h.fixed {
		return
	}
	code := h.code
	if !h.named {
		code = a.longForm(h.text)
	}
	by := len(code) - a.target.Unit
	if len(code) == 0 || a.sum+by > a.opt.MaxSize {
		a.giveUp()
		return
	}
	a.out = append(a.out[:h.at], code...)
	a.rows, a.last = a.rows[:h.row], h.last
	a.sum -= a.target.Unit
	a.stream.lines--
	a.row(len(code), h.from)
	if a.stmts.n > h.stmts { // assignments: they do not separate a pair
		a.stmts.at(h.stmts).before += int32(by)
		a.placed += by
	}
	a.longer = true
}

// longForm returns the code of the long form of a plain text, nil if it has none.
func (a *assembler) longForm(text []byte) []byte {
	if code := a.memo.find(text, longKey); code != nil {
		return code
	}
	s, line, asked, named := &a.scan, a.held(text), a.asked, a.named
	s.Reset(line, a.pc())
	s.Long, s.Trial, a.named, a.strange = true, true, false, a.strange[:0]
	err := s.ParseBundle(&a.other)
	a.words(err == nil)
	remember := !a.named
	s.Long, s.Trial, a.asked, a.named = false, false, asked, named
	if err != nil || a.other.Size() == a.target.Unit {
		return nil
	}
	code, err := a.other.Encode(a.text[:0])
	if err != nil {
		return nil
	}
	a.text = code
	if remember {
		a.memo.add(line, longKey, code)
	}
	return code
}

// given records the bytes that an .enc line has added to out, and returns where they are now. Bytes of a line that is
// kept as a statement must not be short.
func (a *assembler) given(at int, from spot) int {
	a.text = append(a.text[:0], a.out[at:]...)
	code := a.text
	a.text, a.out = nil, a.out[:at] // alone uses both
	switch {
	case a.asked:
		if a.alone(); len(code) == a.target.Unit {
			a.giveUp()
		}
	case a.meets(len(code), from):
		a.half.fixed = true
	}
	at = len(a.out)
	a.out, a.text = append(a.out, code...), code
	return at
}

// loose records an instruction or a directive that becomes a statement. Its size must not depend on addresses.
func (a *assembler) loose(st *stmt) {
	switch {
	case !a.pairing():
		return
	case st.kind == instStmt && !a.long:
		a.giveUp()
	case st.kind == directiveStmt && st.dir.when == each && !a.numbers(st):
		a.giveUp()
	}
	a.alone()
}

// numbers reports whether the operands of a directive are expressions with known values.
func (a *assembler) numbers(st *stmt) bool {
	s := &a.scan
	s.Reset(st.text, 0)
	a.asked, a.strange = false, a.strange[:0]
	ok := list(s, func() bool {
		_, ok := s.WholeExpr()
		return ok
	})
	return ok && s.End() && !a.asked
}

// words records the words of a text that are no symbols so far: one may be defined later, if the text cannot be read
// without.
func (a *assembler) words(ok bool) {
	if len(a.strange) == 0 {
		return
	}
	a.asked = a.asked || !ok
	for _, w := range a.strange {
		if ok && !a.foreign[w] {
			if a.foreign == nil {
				a.foreign = map[string]bool{}
			}
			a.foreign[strings.Clone(w)] = true
		}
	}
	a.strange = a.strange[:0]
}

// defines records a name that becomes a symbol.
func (a *assembler) defines(name string) {
	if a.foreign[name] {
		a.giveUp()
	}
}

// giveUp ends the stream.
func (a *assembler) giveUp() { a.gaveUp, a.stopped = true, true }

// anew assembles the text from its beginning, with a statement for each instruction. Messages are not repeated.
func anew(t *isa.Target, opt Options, said int) (*Assembly, []*isa.Error, error) {
	r, err := opt.Again()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	if say := opt.Say; say != nil {
		opt.Say = func(m Message) {
			if said--; said < 0 {
				say(m)
			}
		}
	}
	opt.whole = true
	return assemble(t, newInput(r), opt)
}
