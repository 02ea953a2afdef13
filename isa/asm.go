package isa

import (
	"fmt"
	"sort"
)

// AsmOptions are what a file of assembly does not say itself.
type AsmOptions struct {
	File      string // for messages
	Variant   int    // by index, as Stage; a .isa directive in the file wins
	Stage     int
	Base      uint64 // address of the first byte; a .base directive wins
	MaxErrors int    // 0: 100
	MaxSize   int    // bytes of output; 0: 64 MiB
}

// An Assembly is what a file assembles to.
type Assembly struct {
	Variant, Stage int
	Base           uint64
	Code           []byte
	Exact          bool         // the file says .exact: every line stands for the bytes that it was made from
	Labels         []Symbol     // by address
	Lines          []SourceLine // by offset
}

// A Symbol is a name for an address.
type Symbol struct {
	Name string
	Addr uint64
}

// A SourceLine says where the bytes from an offset on come from.
type SourceLine struct {
	Off  int // in Assembly.Code
	Line int // from 1
}

// maxRounds bounds the search for a layout: sizes that depend on each other's addresses may never agree.
const maxRounds = 16

// Assemble turns a file of assembly into machine code. The errors are all those of the file, in line order;
// the assembly is nil if there is one.
//
// Statements are read in rounds. A label has no address in the first, and what names it takes its long form; each
// further round uses the addresses of the one before, until none moves. Only statements that name labels are read again.
func (s *Set) Assemble(src []byte, opt AsmOptions) (*Assembly, []*Error) {
	if opt.MaxErrors == 0 {
		opt.MaxErrors = 100
	}
	if opt.MaxSize == 0 {
		opt.MaxSize = 64 << 20
	}
	a := &assembler{set: s, opt: opt, names: map[string]*symbol{}}
	a.scan.Set, a.scan.Symbol = s, a.lookup
	a.split(string(src))
	for round := 0; !a.stopped; round++ {
		a.round()
		if !a.changed {
			break
		}
		if round == maxRounds {
			a.stop(ErrSymbol, "the addresses of labels do not settle: sizes depend on each other")
		}
	}
	if errs := a.report(); len(errs) > 0 {
		return nil, errs
	}
	return a.assembly(), nil
}

type assembler struct {
	set   *Set
	opt   AsmOptions
	stmts []stmt
	names map[string]*symbol
	scan  Scan
	errs  []*Error // that no round can take back
	late  []*Error // of this round: of statements that name labels

	// What follows is of the present round.
	cur            *stmt
	variant, stage int
	base           uint64
	exact          bool
	out            []byte
	lines          []SourceLine
	used           bool // a statement named a label
	changed        bool // a symbol has another value than before, and symbols are used
	stopped        bool // a limit is reached: no further rounds

	bundle Bundle
	arena  []byte // of stmt.enc
	dec    *Decoder
	text   []byte // scratch of .enc
	labels []string
}

// A symbol is a label or a name that .set defines.
type symbol struct {
	value uint64
	kind  SymbolKind
	line  int
}

// pc is the address of the next byte.
func (a *assembler) pc() uint64 { return a.base + uint64(len(a.out)) }

// lookup is the Scan.Symbol of the file's names.
func (a *assembler) lookup(name string) (uint64, SymbolKind) {
	if name == "." {
		a.used = true
		return a.pc(), Label
	}
	sym := a.names[name]
	if sym == nil {
		return 0, NoSymbol
	}
	switch sym.kind {
	case Unresolved:
		a.used = true
		return a.pc(), Unresolved
	case Label:
		a.used = true
	}
	return sym.value, sym.kind
}

func (a *assembler) define(sym *symbol, v uint64, k SymbolKind) {
	if sym.kind != k || sym.value != v {
		sym.kind, sym.value = k, v
		a.changed = true
	}
}

// round reads all statements with the addresses of the round before.
func (a *assembler) round() {
	a.variant, a.stage, a.base = a.opt.Variant, a.opt.Stage, a.opt.Base
	a.out, a.lines, a.late = a.out[:0], a.lines[:0], a.late[:0]
	a.used, a.changed, a.exact = false, false, false
	for i := range a.stmts {
		a.cur = &a.stmts[i]
		at := len(a.out)
		a.statement(a.cur)
		if len(a.out) > at {
			a.lines = append(a.lines, SourceLine{at, int(a.cur.line)})
		}
		if len(a.out) > a.opt.MaxSize {
			a.stop(ErrLimit, fmt.Sprintf("more than %d bytes of output", a.opt.MaxSize))
		}
		if a.stopped {
			return
		}
	}
	a.changed = a.changed && a.used
}

func (a *assembler) statement(st *stmt) {
	switch {
	case st.bad:
	case st.enc != nil:
		a.out = append(a.out, st.enc...)
	case st.kind == labelStmt:
		a.define(st.sym, a.pc(), Label)
	case st.kind == assignStmt:
		a.scan.Reset(st.text, a.pc())
		a.check(a.assign(st.sym))
	case st.kind == directiveStmt:
		a.scan.Reset(st.text, a.pc())
		a.check(st.dir.run(a, &a.scan))
	default:
		a.instruction(st)
	}
}

// check ends a statement that is no instruction.
func (a *assembler) check(ok bool) {
	s := &a.scan
	if ok && !s.End() {
		ok = s.note(s.Pos, ErrSyntax, "%t is too much here", "", 0)
	}
	if !ok {
		a.fail(s.err())
	} else if s.Unresolved {
		a.unsettled()
	}
}

func (a *assembler) instruction(st *stmt) {
	s := &a.scan
	s.Reset(st.text, a.pc())
	at := len(a.out)
	err := s.ParseBundle(a.variant, a.stage, &a.bundle)
	if err == nil {
		a.out, err = a.bundle.Encode(a.out)
	}
	switch {
	case err != nil:
		a.out = append(a.out[:at], make([]byte, a.set.Unit)...)
		a.fail(asError(err))
	case s.open:
		a.unsettled()
	case !s.touched:
		st.enc = a.keep(a.out[at:])
	}
}

// keep copies the bytes of a statement that no label can change.
func (a *assembler) keep(b []byte) []byte {
	if len(a.arena)+len(b) > cap(a.arena) {
		a.arena = make([]byte, 0, 1<<14+len(b))
	}
	at := len(a.arena)
	a.arena = append(a.arena, b...)
	return a.arena[at:len(a.arena):len(a.arena)]
}

// assign evaluates the expression of a symbol.
func (a *assembler) assign(sym *symbol) bool {
	v, ok := a.scan.Expr()
	if !ok {
		return false
	}
	k := Constant
	if a.scan.Unresolved {
		k, v = Unresolved, 0
	} else if a.scan.UsedSymbol {
		k = Label
	}
	a.define(sym, uint64(v), k)
	return true
}

// unsettled reports, should this be the last round, that a symbol has no value.
func (a *assembler) unsettled() {
	a.fail(&Error{Code: ErrSymbol, Col: 1, Msg: "the value of a symbol depends on itself"})
}

// fail reports an error of the present statement. One that labels may have caused counts only in the last round.
func (a *assembler) fail(e *Error) {
	a.place(e)
	if a.scan.touched {
		if len(a.late) <= a.opt.MaxErrors {
			a.late = append(a.late, e)
		}
		return
	}
	a.cur.bad = true
	a.errs = append(a.errs, e)
	if len(a.errs) > a.opt.MaxErrors {
		a.stop(ErrLimit, "too many errors")
	}
}

// stop reports a limit at the present statement and ends the run.
func (a *assembler) stop(code, msg string) {
	if !a.stopped {
		a.stopped = true
		e := a.place(&Error{Code: code, Col: 1, Msg: msg})
		if code == ErrLimit && len(a.errs) > a.opt.MaxErrors {
			a.errs = append(a.errs[:a.opt.MaxErrors], e)
			return
		}
		a.errs = append(a.errs, e)
	}
}

// place completes an error of the present statement's text with its place in the file.
func (a *assembler) place(e *Error) *Error {
	st := a.cur
	e.File, e.Line, e.Source = a.opt.File, 1, ""
	if st != nil {
		e.Line, e.Source = int(st.line), st.source
		e.Col += int(st.col)
	}
	return e
}

// report is all errors in line order, with hints that need the whole file.
func (a *assembler) report() []*Error {
	errs := append(a.errs, a.late...)
	sort.SliceStable(errs, func(i, j int) bool {
		if (errs[i].Code == ErrLimit) != (errs[j].Code == ErrLimit) {
			return errs[j].Code == ErrLimit
		}
		return errs[i].Line < errs[j].Line
	})
	if n := a.opt.MaxErrors; len(errs) > n && errs[n].Code != ErrLimit {
		e := &Error{Code: ErrLimit, File: a.opt.File, Line: errs[n].Line, Col: 1, Msg: "too many errors"}
		errs = append(errs[:n], e)
	}
	for _, e := range errs {
		a.hint(e)
	}
	return errs
}

func (a *assembler) assembly() *Assembly {
	r := &Assembly{Variant: a.variant, Stage: a.stage, Base: a.base, Code: a.out, Exact: a.exact, Lines: a.lines}
	for i := range a.stmts {
		if st := &a.stmts[i]; st.kind == labelStmt {
			r.Labels = append(r.Labels, Symbol{st.text, st.sym.value})
		}
	}
	sort.SliceStable(r.Labels, func(i, j int) bool { return r.Labels[i].Addr < r.Labels[j].Addr })
	return r
}

// asError is err as an *Error; code of an instruction set may return others.
func asError(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return &Error{Code: ErrSyntax, Col: 1, Msg: err.Error()}
}
