// Package asm reads and writes files of assembly: statements, directives, expressions over labels, the rounds in
// which addresses and sizes are resolved, and listings that reproduce any bytes. Package isa defines the text of one
// instruction; asm knows no instruction set.
//
//	file  --Assemble--> Assembly        bytes --List--> file
package asm

import (
	"bytes"
	"io"
	"math"
	"sort"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/isa"
)

// Options are what a file of assembly does not say itself.
type Options struct {
	File      string // for messages
	Base      uint64 // address of the first byte; a .base directive overrides it
	MaxErrors int    // 0: 100
	MaxSize   int    // bytes of output, 2 GiB at most; 0: 64 MiB
	MaxFill   int    // bytes of output that directives fill in: .zero, .fill, .org, .align; 0: 16 MiB
	// TextOnly accepts instructions without public encoding: their bytes are zeros, and Assembly.Bundles is what can
	// run. Data and padding between them is in Code only.
	TextOnly  bool
	NoLint    bool // accept instructions that break rules of the set, see isa.Rule; text after .exact is always accepted
	MaxExpand int  // limit of lines from macros and repetitions; 0: 1048576
	// Say is called for each .print and .warning while the text is read; nil: they are dropped.
	Say     func(m Message)
	NoLines bool // leave Assembly.Lines empty: for a long file they take more memory than the code
	// Again opens the text of Read a second time, to show the source line of an error if it was not kept. If it is
	// nil, such errors have no source line, and a file of a set with isa.Arch.Pairs takes more memory and time; with
	// it, such a file is read again only if it has errors, or sizes that depend on addresses.
	Again func() (io.ReadCloser, error)

	// Partial returns the assembly in spite of errors, unless a limit was exceeded: an instruction with an error is
	// one Unit of zeros, other statements with errors give no bytes. It is for editors.
	Partial bool
	// Format says that the file is a program in sections: the result is Assembly.Program, and .base has no effect.
	Format *Format

	whole bool // keep a statement for each instruction
}

// An Assembly is the result of assembling a file.
type Assembly struct {
	File    string      // as of Options
	Target  *isa.Target // of the file: a .isa directive may select another variant and stage
	Base    uint64
	Code    []byte
	Exact   bool         // the file says .exact: every line reproduces the bytes that it was listed from
	Labels  []Symbol     // by address
	Lines   []SourceLine // by offset; see Options.NoLines
	Bundles []isa.Bundle // with Options.TextOnly: the instructions in order
	Program *Program     // with Options.Format, in place of Base, Code, Labels and Lines
}

// A Symbol is a name for an address.
type Symbol struct {
	Name string
	Addr uint64
}

// A SourceLine says where the bytes from an offset on come from.
type SourceLine struct {
	Off       int   // in Assembly.Code
	Line, Col int32 // of the instruction or directive, from 1, Col in bytes; in a macro, those of its use
}

const maxFill = 16 << 20 // see Options.MaxFill

// Assemble translates a file of assembly to machine code. The errors are all those of the file, in line order; the
// assembly is nil if there are any.
//
// Statements are read in rounds. In the first round labels have no address, and instructions that name them take
// their long form. Each further round uses the addresses of the previous one, until none changes. Only statements
// that name labels are read again. Then the set's Layout may request other forms and padding, which starts further
// rounds.
func Assemble(t *isa.Target, src []byte, opt Options) (*Assembly, []*isa.Error) {
	opt.Again = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }
	r, errs, _ := assemble(t, &input{rest: src}, opt)
	return r, errs
}

// AssembleToRun is Assemble for a file that is to be run: instructions without public encoding are no errors. If
// there are any, all instructions are in Assembly.Bundles; see Options.TextOnly and isa.Target.Runnable.
func AssembleToRun(t *isa.Target, src []byte, opt Options) (*Assembly, []*isa.Error) {
	r, errs := Assemble(t, src, opt)
	for _, e := range errs {
		if e.Code == isa.ErrEncoding {
			opt.TextOnly = true
			return Assemble(t, src, opt)
		}
	}
	return r, errs
}

// Read is Assemble for a text from a reader. It keeps only the lines that name symbols or have errors. The last
// result is the error of r; if it is not nil, the other results are nil.
func Read(t *isa.Target, r io.Reader, opt Options) (*Assembly, []*isa.Error, error) {
	return assemble(t, newInput(r), opt)
}

func assemble(t *isa.Target, in *input, opt Options) (*Assembly, []*isa.Error, error) {
	if opt.MaxErrors == 0 {
		opt.MaxErrors = 100
	}
	if opt.MaxSize == 0 {
		opt.MaxSize = 64 << 20
	}
	opt.MaxSize = min(opt.MaxSize, math.MaxInt32) // type of the sizes of statements
	if opt.MaxFill == 0 {
		opt.MaxFill = maxFill
	}
	if opt.MaxExpand == 0 {
		opt.MaxExpand = maxExpand
	}
	a := assemblers.Get().(*assembler)
	defer a.release()
	a.first, a.target, a.opt, a.comments, a.memo = t, t, opt, newComments(t.Lexis()), memos.Get().(*memo)
	a.scan.Symbol, a.scan.Target, a.scan.Rules, a.scan.Memo = a.ask, t, !opt.NoLint, learned.Get().(*isa.Memo)
	defer learned.Put(a.scan.Memo)
	if opt.Format != nil {
		a.prog = newProgram(opt.Format)
		a.scan.Call, a.scan.Kinds = a.prog.call, true
	}
	a.pairs = t.Pairs && opt.Again != nil && !opt.whole && !opt.TextOnly && a.prog == nil
	a.whole = opt.whole || opt.TextOnly || t.Layout != nil && !a.pairs || t.Open != nil
	if a.split(in); in.err != nil {
		return nil, nil, in.err
	}
	a.alone()
	if a.memo.release(); !a.gaveUp {
		a.ready()
		a.settle()
		errs := a.report()
		if len(errs) == 0 {
			return a.assembly(), nil, nil
		}
		if !a.pairs {
			if opt.Partial && !a.stopped && !a.full {
				return a.assembly(), errs, nil
			}
			return nil, errs, nil
		}
	}
	return anew(t, opt, a.said)
}

// assemblers are unused: of a short file an assembler is most of the memory.
var assemblers = sync.Pool{New: func() any {
	return &assembler{names: map[string]*symbol{}, expander: expander{macros: map[string]*macro{}}, met: map[string]*stmt{}}
}}

// release returns the assembler to the others. Nothing of it is in an Assembly but slices, of which it keeps none.
func (a *assembler) release() {
	if len(a.names)+len(a.macros)+len(a.met) > mostNames {
		return
	}
	names, macros, met := a.names, a.macros, a.met
	clear(names)
	clear(macros)
	clear(met)
	*a = assembler{names: names, expander: expander{macros: macros}, met: met}
	assemblers.Put(a)
}

// mostNames is how many names an assembler may have had that is used again: maps do not shrink.
const mostNames = 1 << 10

type assembler struct {
	first    *isa.Target // before any directive
	comments *comments
	opt      Options
	stmts    stmts
	names    map[string]*symbol
	scan     isa.Scan
	bundles  []isa.Bundle // for the next units
	parts    []isa.Inst   // and the first part of each
	wants    []want       // what the previous layout requested, by unit
	units    []isa.Unit   // by stmt.unit, if there is a layout or text without encoding
	errs     []*isa.Error // errors that no further round can remove
	late     []*isa.Error // errors of this round, of statements that name labels

	stream
	expander
	prog *program // with Options.Format

	// What follows belongs to the present round.
	cur     *stmt
	target  *isa.Target
	base    uint64
	exact   bool
	out     []byte // while statements are found, the plain bytes
	filled  int    // bytes of out
	used    bool   // a statement named a label
	blind   bool   // no label has an address yet: the layout may move them all
	moving  *stmt  // the first that redefines a symbol
	changed bool   // a symbol has changed its value, and symbols are used
	// resolved: a symbol has got its first value, from symbols that the text defines later.
	resolved bool
	stopped  bool // a limit is exceeded: no further rounds

	met    map[string]*stmt // instructions with a unit that this round has read, if their text means the same at any address
	bundle isa.Bundle
	arena  []byte // of stmt.enc
	apart  bool   // preceded by a label, a directive or data
	text   []byte // scratch of .enc
	labels []string
}

// A symbol is a label or a name defined by .set.
type symbol struct {
	value uint64
	kind  isa.SymbolKind
	line  int32  // of its first definition
	once  bool   // it has only one definition
	count bool   // one of Format.Counts
	known bool   // while the statements are found: its present value does not depend on addresses
	now   uint64 // that value
}

// A Message is the output of .print or .warning.
type Message struct {
	Warning bool // of .warning; else of .print
	Line    int
	Text    string
}

// pc returns the address of the next byte.
func (a *assembler) pc() uint64 { return a.base + uint64(len(a.out)) }

// lookup is the Scan.Symbol for the file's names.
func (a *assembler) lookup(name string) (uint64, isa.SymbolKind) {
	if name == "." {
		a.used = true
		if a.blind {
			return a.pc(), isa.Unresolved
		}
		return a.pc(), isa.Label
	}
	if a.prog != nil {
		if v, k, ok := a.prog.lookup(a, name); ok {
			return v, k
		}
	}
	sym := a.names[name]
	if sym == nil {
		return 0, isa.NoSymbol
	}
	switch sym.kind {
	case isa.Label:
		a.used = true
		if !a.blind {
			break
		}
		fallthrough
	case isa.Unresolved:
		a.used = true
		return a.pc(), isa.Unresolved
	}
	return sym.value, sym.kind
}

// define gives sym the value of the statement that defines it. own is the statement's previous value, which tells
// whether it has changed.
func (a *assembler) define(sym, own *symbol, v uint64, k isa.SymbolKind) {
	if own.kind != k || own.value != v {
		if own.kind == isa.Unresolved {
			a.resolved = true
		}
		own.kind, own.value = k, v
		if !a.changed {
			a.changed, a.moving = true, a.cur
		}
	}
	sym.kind, sym.value = k, v
}

// round reads all statements with the addresses of the previous round.
func (a *assembler) round() {
	a.target, a.scan.Target, a.base, a.apart = a.first, a.first, a.opt.Base, true
	a.out, a.late, a.taken, a.piece, a.within = a.out[:0], a.late[:0], 0, 0, 0
	a.used, a.changed, a.resolved, a.exact, a.filled = false, false, false, false, 0
	a.forget()
	a.scan.Rules = !a.opt.NoLint
	if a.prog != nil {
		a.prog.begin(a)
	}
	for i := range a.stmts.n {
		st := a.stmts.at(i)
		if a.prog != nil && (st.before > 0 || st.kind == instStmt || st.kind == directiveStmt && (st.dir.when == fixed || st.dir.when == given)) {
			a.prog.bytesFollow(a)
		}
		if a.take(int(st.before)); !a.stopped {
			a.cur = st
			at := len(a.out)
			a.statement(st)
			st.size = int32(len(a.out) - at)
			if a.total() > a.opt.MaxSize {
				a.tooLarge()
			}
		}
		if a.stopped {
			return
		}
	}
	if a.prog != nil {
		a.prog.ends(a)
	}
	a.take(a.sum - a.taken)
	a.changed = a.changed && a.used
}

func (a *assembler) statement(st *stmt) {
	switch {
	case st.bad:
		if a.opt.Partial && st.kind == instStmt { // those after it have the addresses that they would have
			a.out = append(a.out, make([]byte, a.target.Unit)...)
		}
	case st.kind == instStmt:
		a.instruction(st)
		a.apart = false
		return
	case st.kind == labelStmt:
		a.define(st.sym, st.sym, a.pc(), isa.Label)
	case st.kind == assignStmt:
		a.scan.Reset(st.text, a.pc())
		a.check(a.assign(st))
		a.forget() // its name changes its meaning here
		return
	default:
		a.scan.Reset(st.text, a.pc())
		a.scan.Touched = st.dir.when == each && a.target.Layout != nil // which may move it
		a.check(st.dir.run(a, &a.scan))
		if st.unit != 0 {
			a.apart = false
			return
		}
	}
	a.apart = true
}

// retarget switches to another variant and stage.
func (a *assembler) retarget(variant, stage int) {
	a.target = a.target.Move(variant, stage)
	a.scan.Target = a.target
	a.forget()
}

// check finishes a statement that is no instruction.
func (a *assembler) check(ok bool) {
	s := &a.scan
	if ok && !s.End() {
		ok = s.Note(s.Pos, isa.ErrSyntax, "%t is too much here", "", 0)
	}
	if !ok {
		a.fail(s.Err())
	} else if s.Unresolved {
		a.unsettled()
	}
}

func (a *assembler) instruction(st *stmt) {
	if st.enc != nil {
		if st.unit != 0 {
			a.units[st.unit-1].Label = a.apart
			a.moved(&a.units[st.unit-1])
		}
		a.out = append(a.out, st.enc...)
		return
	}
	s := &a.scan
	u := a.unitAt(st, a.pc())
	if a.alike(st, u) {
		return
	}
	b := &a.bundle
	at := len(a.out)
	err := a.parse(st, u, true)
	if err != nil && (!s.Touched || len(a.late) <= a.opt.MaxErrors) { // fail keeps it
		err = a.parse(st, u, false)
	}
	if err == nil {
		if u != nil {
			u.Bundle.Parts, u.Bundle.Pad = append(u.Bundle.Parts[:0], b.Parts...), b.Pad
		}
		if a.out, err = a.encode(b); err == nil && a.prog != nil {
			err = a.prog.literal(a, at)
		}
	}
	switch {
	case err != nil: // labels may be the cause, and change in the next round: the size stays
		a.out = append(a.out[:at], make([]byte, max(a.target.Unit, int(st.size)))...)
		a.fail(isa.AsError(err))
	case s.Open:
		a.unsettled()
	case !s.Touched:
		st.enc = a.keep(a.out[at:])
		if u != nil && a.plainUnit(u) && !a.target.Placed(b) {
			a.met[st.text] = st
		}
	}
}

// parse reads an instruction into a.bundle.
func (a *assembler) parse(st *stmt, u *isa.Unit, trial bool) error {
	s := &a.scan
	s.Reset(st.text, a.pc())
	if u != nil {
		s.Long, s.Pad = u.Long, u.Pad
	}
	if a.prog != nil {
		a.prog.expression(false)
	}
	s.Trial = trial
	err := s.ParseBundle(&a.bundle)
	s.Long, s.Pad, s.Trial = false, 0, false
	return err
}

// encode appends the bytes of a bundle; with TextOnly, those without public encoding are zeros.
func (a *assembler) encode(b *isa.Bundle) ([]byte, error) {
	out, err := b.Encode(a.out)
	if err != nil && a.opt.TextOnly && isa.AsError(err).Code == isa.ErrEncoding {
		return append(a.out, make([]byte, b.Size())...), nil
	}
	if err != nil {
		e := isa.AsError(err) // it belongs to the whole statement
		e.Col = max(e.Col, 1)
		err = e
	}
	return out, err
}

// keep copies the bytes of a statement that no label can change.
func (a *assembler) keep(b []byte) []byte {
	if len(a.arena)+len(b) > cap(a.arena) {
		a.arena = make([]byte, 0, min(max(1<<8, 2*cap(a.arena)), 1<<14)+len(b))
	}
	at := len(a.arena)
	a.arena = append(a.arena, b...)
	return a.arena[at:len(a.arena):len(a.arena)]
}

// assign evaluates the expression of a symbol.
func (a *assembler) assign(st *stmt) bool {
	if a.target.Register != nil {
		if v, found, ok := a.target.Register(&a.scan); found {
			if ok {
				a.define(st.sym, st.own, v, isa.Register)
			}
			return ok
		}
	}
	if a.prog != nil {
		a.prog.expression(false)
	}
	v, ok := a.scan.WholeExpr()
	if !ok {
		return false
	}
	if a.prog != nil && !a.prog.assigned(a, st, uint64(v)) {
		return false
	}
	k := isa.Constant
	if a.scan.Unresolved {
		k, v = isa.Unresolved, 0
	} else if a.scan.UsedSymbol {
		k = isa.Label
	}
	a.define(st.sym, st.own, uint64(v), k)
	return true
}

// unsettled reports that a symbol has no value, in case this is the last round.
func (a *assembler) unsettled() {
	if a.scan.Touched && len(a.late) > a.opt.MaxErrors { // fail would discard it
		return
	}
	a.fail(&isa.Error{Code: isa.ErrSymbol, Col: 1, Msg: "the value of a symbol depends on itself"})
}

// fail reports an error of the present statement. One that labels may have caused counts only in the last round.
func (a *assembler) fail(e *isa.Error) {
	a.undefined(e)
	a.place(e)
	if a.scan.Touched {
		if len(a.late) <= a.opt.MaxErrors {
			a.late = append(a.late, e)
		}
		return
	}
	a.cur.bad = true
	a.errs = append(a.errs, e)
	if len(a.errs) > a.opt.MaxErrors {
		a.stop(isa.ErrLimit, "too many errors")
	}
}

// stop reports an exceeded limit at the present statement and stops assembling.
func (a *assembler) stop(code, msg string) {
	if !a.stopped {
		a.stopped = true
		e := a.place(&isa.Error{Code: code, Col: 1, Msg: msg})
		if code == isa.ErrLimit && len(a.errs) > a.opt.MaxErrors {
			a.errs = append(a.errs[:a.opt.MaxErrors], e)
			return
		}
		a.errs = append(a.errs, e)
	}
}

// place completes an error in the present statement's text with its place in the file.
func (a *assembler) place(e *isa.Error) *isa.Error {
	st := a.cur
	e.File, e.Line, e.Source = a.opt.File, 1, ""
	if st == nil {
		return e
	}
	e.Line, e.Source = int(st.line), st.source
	e.Col += int(st.col)
	down := 0 // lines of the statement before the one with the error
	for n := strings.IndexByte(e.Source, '\n'); n >= 0; n = strings.IndexByte(e.Source, '\n') {
		if e.Col <= n+1 {
			e.Source = e.Source[:n]
			break
		}
		e.Col, e.Source = e.Col-n-1, e.Source[n+1:]
		down++
	}
	if st.from == nil {
		e.Line += down
	} else {
		e.Note = st.from.place(st.in + int32(down))
	}
	return e
}

// report returns all errors in line order, with hints that need the whole file.
func (a *assembler) report() []*isa.Error {
	errs := append(a.errs, a.late...)
	sort.SliceStable(errs, func(i, j int) bool {
		if (errs[i].Code == isa.ErrLimit) != (errs[j].Code == isa.ErrLimit) {
			return errs[j].Code == isa.ErrLimit
		}
		return errs[i].Line < errs[j].Line
	})
	if n := a.opt.MaxErrors; len(errs) > n && errs[n].Code != isa.ErrLimit {
		e := &isa.Error{Code: isa.ErrLimit, File: a.opt.File, Line: errs[n].Line, Col: 1, Msg: "too many errors"}
		errs = append(errs[:n], e)
	}
	for _, e := range errs {
		a.hint(e)
		e.Clip()
	}
	return errs
}

func (a *assembler) assembly() *Assembly {
	r := &Assembly{File: a.opt.File, Target: a.target, Base: a.base, Code: a.out, Exact: a.exact}
	if a.prog != nil {
		r.Base, r.Code, r.Program = 0, nil, a.program()
		return r
	}
	if !a.opt.NoLines {
		r.Lines = a.sources()
	}
	labels := 0
	for i := range a.stmts.n {
		if a.stmts.at(i).kind == labelStmt {
			labels++
		}
	}
	r.Labels = make([]Symbol, 0, labels)
	for i := range a.stmts.n {
		if st := a.stmts.at(i); st.kind == labelStmt {
			r.Labels = append(r.Labels, Symbol{st.text, st.sym.value})
		}
	}
	for i := range a.units {
		if a.opt.TextOnly {
			r.Bundles = append(r.Bundles, *a.units[i].Bundle)
		}
	}
	sort.SliceStable(r.Labels, func(i, j int) bool { return r.Labels[i].Addr < r.Labels[j].Addr })
	return r
}
