package asm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// A stream is the result of finding the statements: the bytes of the instructions and data whose text names no
// symbol. They are plain: no address changes them, and nothing else is kept of them.
type stream struct {
	short  int // bytes of the text if that is known, else many
	memo   *memo
	texts  strings.Builder // storage of the texts read; replaced when it is full
	plain  [][]byte        // in pieces; the last one is assembler.out until all statements are found
	sum    int             // bytes of plain
	rows   []byte          // of plain: how many bytes each line gives, and its number; see row
	lines  int             // number of rows
	last   spot            // of the last row
	begins int32           // column of the present statement in its line, from 0
	placed int             // bytes of plain before the statements found so far
	taken  int             // bytes of plain that this round has used
	piece  int             // of plain: the next one
	within int             // how much of it is used

	pairs  bool // short instructions come in pairs
	half   half
	other  isa.Bundle // a half in its long form
	long   bool       // the last instruction cannot be short
	longer bool       // a half was given its long form
	named  bool       // the text names a symbol with a known value: it may mean something else elsewhere
	gaveUp bool       // the file must be read again
	// strange are the words of the present text that may be names of symbols, and foreign those of all plain texts.
	// If one becomes a symbol, these texts may change their meaning.
	strange []string
	foreign map[string]bool

	whole  bool // nothing is plain: each instruction is a statement
	begun  bool // there are plain bytes
	asked  bool // the text names a symbol, or an address
	tried  bool // the instruction of this line is known not to be plain
	gives  bool // a statement may give bytes
	failed int  // statements with errors that name no symbol
	over   bool // the next statement is the last one that a round reaches
	full   bool // no round reaches what follows: only its names matter
}

// A spot is a position in the file, from 1; for text from macros, that of their use.
type spot struct{ line, col int32 }

// spot returns the position of a statement that begins in a column of the present text, from 0.
func (a *assembler) spot(line int32, at int) spot {
	if e := a.reader.at; e != nil {
		return spot{line, e.root().col}
	}
	return spot{line, int32(at) + 1}
}

// ask is the Scan.Symbol for a text that is plain if it names no symbol. Its result is used only if there is no such
// symbol, or if the symbol's value is known here.
func (a *assembler) ask(name string) (uint64, isa.SymbolKind) {
	if a.pairs && name != "." {
		sym := a.names[name]
		if sym == nil {
			a.strange = append(a.strange, name)
			return 0, isa.NoSymbol
		}
		if sym.known {
			a.named = true
			return sym.now, isa.Constant
		}
	}
	a.asked = true
	return a.pc(), isa.Unresolved
}

// known takes a line that is empty, or contains only a plain instruction and perhaps a comment.
func (a *assembler) known(line []byte, n int32) bool {
	if a.whole || a.full {
		return false
	}
	text, ok := a.comments.code(line)
	if !ok {
		return false
	}
	at := 0
	for at < len(text) && (text[at] == '\t' || text[at] == ' ') {
		at++
	}
	text = text[at:]
	for len(text) >= 8 && binary.LittleEndian.Uint64(text[len(text)-8:]) == blanks8 { // there are many before a comment
		text = text[:len(text)-8]
	}
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
		text = text[:len(text)-1]
	}
	if len(text) == 0 {
		return true
	}
	if code := a.memo.find(text, anyKey); code != nil && a.sum+len(code) <= a.opt.MaxSize {
		a.room()
		if a.pairing() {
			var held [memoCode]byte // the half's long form may replace it
			if a.half.open && len(code) != a.target.Unit {
				code = held[:copy(held[:], code)]
			}
			if a.meets(len(code), a.spot(n, at)) {
				a.half.text = append(a.half.text[:0], text...)
			}
		}
		a.out = append(a.out, code...)
		a.row(len(code), a.spot(n, at))
		return true
	}
	if cutIn(text) || !isInst(text) || a.special(text) {
		return false
	}
	a.tried = !a.direct(a.held(text), a.spot(n, at))
	return !a.tried
}

// held returns a copy of a text to be read; copies share large allocations.
func (a *assembler) held(text []byte) string {
	if a.texts.Cap()-a.texts.Len() < len(text) {
		a.texts = strings.Builder{}
		a.texts.Grow(max(min(textsRoom, a.short), len(text)))
	}
	at := a.texts.Len()
	a.texts.Write(text)
	return a.texts.String()[at:]
}

const textsRoom = 1 << 10

// blanks8 is eight blanks.
const blanks8 = 0x2020202020202020

// special reports whether a text is the use of a macro or a comment.
func (a *assembler) special(text []byte) bool {
	for _, o := range a.comments.begin {
		if len(text) >= len(o) && string(text[:len(o)]) == o {
			return true
		}
	}
	return len(a.macros) > 0 && a.macros[string(text[:isa.WordLen(text)])] != nil
}

// isInst reports whether a text without blanks around it is certainly an instruction: no label, assignment or
// directive.
func isInst(text []byte) bool {
	if bytes.IndexByte(text, ':') < 0 && bytes.IndexByte(text, '=') < 0 {
		return text[0] != '.'
	}
	n := isa.WordLen(text)
	if n < len(text) && text[n] == ':' {
		return false
	}
	for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return text[0] != '.' && (n == len(text) || text[n] != '=')
}

// row records that the last bytes of out are plain, and where they come from: usually the line after that of the
// previous row, and the same column. A row is a varint, whose lowest bits say whether others follow for the line
// distance and the column.
func (a *assembler) row(size int, at spot) {
	if size == 0 {
		return
	}
	a.sum, a.begun = a.sum+size, true
	if len(a.rows)+3*binary.MaxVarintLen64 > cap(a.rows) {
		a.rows = slices.Grow(a.rows, max(1<<8, len(a.rows)/2))
	}
	v, by := uint64(size)<<2, at.line-a.last.line
	if by != 1 {
		v |= otherLine
	}
	if at.col != a.last.col {
		v |= otherCol
	}
	a.rows = binary.AppendUvarint(a.rows, v)
	if by != 1 {
		a.rows = binary.AppendUvarint(a.rows, uint64(by))
	}
	if at.col != a.last.col {
		a.rows = binary.AppendUvarint(a.rows, uint64(at.col))
	}
	a.last = at
	a.stream.lines++
}

// The lowest bits of a row.
const (
	otherLine = 1 << iota
	otherCol
)

// room begins another piece of plain when this one is full.
func (a *assembler) room() {
	if len(a.out)+longSlot > cap(a.out) {
		end := len(a.out)
		if a.half.open { // it must stay within reach
			end = a.half.at
		}
		if end > 0 {
			a.plain = append(a.plain, a.out[:end])
		}
		held := a.out[end:]
		a.out = append(make([]byte, 0, min(pieceMost, min(pieceFirst, longSlot+a.short)+a.sum/2)), held...)
		a.half.at = 0
	}
}

// The sizes of pieces of plain: a short file takes little memory, a long one few pieces.
const (
	pieceFirst = 1 << 10
	pieceMost  = 1 << 18
)

// found takes an instruction: it is plain, or becomes a statement.
func (a *assembler) found(st stmt) {
	if a.whole || a.full || a.tried || !a.direct(st.text, a.spot(st.line, int(st.col))) {
		a.later(st)
	}
	a.tried = false
}

// direct assembles an instruction if it is plain.
func (a *assembler) direct(text string, from spot) bool {
	a.room()
	a.scan.Reset(text, a.pc())
	a.asked, a.named, a.strange = false, false, a.strange[:0]
	a.scan.Trial = true // a text with an error becomes a statement, and is read again
	err := a.scan.ParseBundle(&a.bundle)
	a.scan.Trial = false
	a.words(err == nil)
	if err == nil && !a.asked {
		a.asked = !a.scan.Relative && a.target.Placed(&a.bundle) // its text may give an address without a name
	}
	switch {
	case !a.pairing():
	case a.asked:
		a.long = a.scan.OnlyLong()
	case err == nil && a.meets(a.bundle.Size(), from):
		a.half.text = append(a.half.text[:0], text...)
		if a.named { // while its value is this
			a.half.named, a.half.code = true, append(a.half.code[:0], a.longForm(a.half.text)...)
		}
	}
	at := len(a.out)
	if err == nil && !a.asked {
		a.out, err = a.bundle.Encode(a.out)
	}
	if !a.settled(err == nil, at, from) {
		return false
	}
	if !a.named {
		a.memo.add(text, anyKey, a.out[at:])
	}
	return true
}

// fixed executes a directive if it is plain.
func (a *assembler) fixed(st *stmt) bool {
	if a.whole || a.full {
		return false
	}
	if st.dir.when != given {
		a.alone() // data separates a pair
	}
	a.scan.Reset(st.text, a.pc())
	a.room()
	a.asked, a.strange, a.cur = false, a.strange[:0], st
	at, from := len(a.out), a.spot(st.line, int(a.begins))
	ok := st.dir.run(a, &a.scan) && a.scan.End()
	a.words(ok)
	if ok && st.dir.when == given && a.pairing() {
		at = a.given(at, from)
	}
	return a.settled(ok, at, from)
}

// settled finishes a statement that has been tried: it is plain if it named no symbol and has no error. Otherwise it
// is kept with its text, and gives its bytes or its error in the rounds.
func (a *assembler) settled(ok bool, at int, from spot) bool {
	switch {
	case a.asked:
	case a.pairs && (!ok || a.sum+len(a.out)-at > a.opt.MaxSize):
		a.giveUp()
	case !ok:
		a.failed++
		a.over = a.failed > a.opt.MaxErrors
	case a.sum+len(a.out)-at > a.opt.MaxSize:
		a.over = true
	default:
		a.row(len(a.out)-at, from)
		return true
	}
	a.out = a.out[:at]
	return false
}

// ahead executes a directive that the text after it depends on.
func (a *assembler) ahead(st *stmt) {
	a.alone()
	a.scan.Reset(st.text, 0)
	a.cur = st
	st.dir.run(a, &a.scan)
	a.memo.forget()
	if a.pairs && (a.gives || a.exact && a.longer) {
		a.giveUp()
	}
	a.whole = a.whole || a.gives // only a round can say whether it precedes the first byte
}

// later keeps a statement that is no label for the rounds.
func (a *assembler) later(st stmt) {
	if a.full {
		return
	}
	a.loose(&st)
	a.add(st)
	a.gives = a.gives || st.kind == instStmt || st.kind == directiveStmt && (st.dir.when == each || st.dir.when == fixed || st.dir.when == given)
	a.full = a.over
}

func (a *assembler) add(st stmt) {
	st.before = int32(a.sum - a.placed)
	a.placed = a.sum
	a.stmts.add(st)
}

// ready ends the search for statements.
func (a *assembler) ready() {
	a.plain = append(a.plain, a.out)
	a.out, a.begun = make([]byte, 0, a.sum+8*a.stmts.n), false
	a.scan.Symbol = a.lookup
}

// take appends the next plain bytes.
func (a *assembler) take(n int) {
	if size := a.total(); size+n > a.opt.MaxSize {
		st := a.again(a.lineAt(a.taken + a.opt.MaxSize - size))
		a.cur = &st
		a.tooLarge()
		return
	}
	a.taken += n
	for n > 0 {
		from := a.plain[a.piece][a.within:]
		by := min(n, len(from))
		a.out = append(a.out, from[:by]...)
		n -= by
		if a.within += by; by == len(from) {
			a.piece, a.within = a.piece+1, 0
		}
	}
}

func (a *assembler) tooLarge() {
	a.stop(isa.ErrLimit, fmt.Sprintf("more than %d bytes of output", a.opt.MaxSize))
}

// A rowReader reads the rows of plain.
type rowReader struct {
	rows []byte
	at   spot
}

// next returns how many bytes the next row gives; r.at is its position.
func (r *rowReader) next() (size int) {
	v, by := r.number(), uint64(1)
	if v&otherLine != 0 {
		by = r.number()
	}
	if v&otherCol != 0 {
		r.at.col = int32(r.number())
	}
	r.at.line += int32(by)
	return int(v >> 2)
}

func (r *rowReader) number() uint64 {
	v, n := binary.Uvarint(r.rows)
	r.rows = r.rows[n:]
	return v
}

// lineAt returns the line of an offset in plain.
func (a *assembler) lineAt(at int) int {
	for r := (rowReader{rows: a.rows}); ; {
		if at -= r.next(); at < 0 {
			return int(r.at.line)
		}
	}
}

// again returns the last statement of a line that was not kept, without its source if the text cannot be read again.
func (a *assembler) again(line int) stmt {
	st := stmt{line: int32(line)}
	if a.opt.Again == nil {
		return st
	}
	r, err := a.opt.Again()
	if err != nil {
		return st
	}
	defer r.Close()
	in, inside, text := newInput(r), false, ""
	in.skip("\ufeff")
	for range line {
		next, ok := in.next()
		if !ok {
			return stmt{line: int32(line)}
		}
		st.source = string(next)
		text, inside = a.comments.strip(st.source, inside)
	}
	at := pastLabels(text, 0, func(string, int) bool { return true })
	if n := isa.WordLen(text[at:]); a.directiveFor(text[at:at+n]) != nil { // its text begins after its name
		at += n + blanks(text[at+n:])
	}
	st.col = int32(at)
	return st
}

// pastLabels calls f with the labels from a position of a line on, and their positions, until it returns false. It
// returns where the rest begins. Names of labels may be in double quotes.
func pastLabels(text string, at int, f func(name string, at int) bool) int {
	for {
		at += blanks(text[at:])
		name, n := isa.SymbolName(text[at:])
		if n == 0 || at+n >= len(text) || text[at+n] != ':' || n == len(name) && !isName(name) {
			return at
		}
		at += n + 1
		if !f(name, at-1-n+(n-len(name))/2) {
			return at
		}
	}
}

// begin returns where a kept statement begins in the file: a directive's text is what follows its name.
func (st *stmt) begin() spot {
	at := int(st.col)
	switch {
	case st.from != nil:
		return spot{st.line, st.from.root().col}
	case st.kind == directiveStmt:
		at = max(0, strings.LastIndexByte(st.source[:at], '.'))
	}
	return spot{st.line, int32(at) + 1}
}

// sources returns the lines of all bytes.
func (a *assembler) sources() []SourceLine {
	n := a.stream.lines
	for i := range a.stmts.n {
		n += int(min(a.stmts.at(i).size, 1))
	}
	all, off, r := make([]SourceLine, 0, n), 0, rowReader{rows: a.rows}
	upTo := func(end int) {
		for off < end {
			size := r.next()
			all = append(all, SourceLine{off, r.at.line, r.at.col})
			off += size
		}
	}
	for i := range a.stmts.n {
		st := a.stmts.at(i)
		upTo(off + int(st.before))
		if st.size > 0 {
			at := st.begin()
			all = append(all, SourceLine{off, at.line, at.col})
			off += int(st.size)
		}
	}
	upTo(len(a.out))
	return all
}

// sectionSources returns the lines of all bytes, by section.
func (a *assembler) sectionSources() {
	sects, enters, r := a.prog.sects, a.prog.enters, rowReader{rows: a.rows}
	ends, now, taken := make([]int, len(sects)), 0, 0
	add := func(size int, at spot) {
		sects[now].Lines = append(sects[now].Lines, SourceLine{ends[now], at.line, at.col})
		ends[now] += size
	}
	rows := func(n int) {
		for taken += n; n > 0; {
			size := r.next()
			add(size, r.at)
			n -= size
		}
	}
	for i := range a.stmts.n {
		st := a.stmts.at(i)
		rows(int(st.before))
		if len(enters) == 0 || enters[0].st != st {
			if st.size > 0 {
				add(int(st.size), st.begin())
			}
			continue
		}
		for ; len(enters) > 0 && enters[0].st == st; enters = enters[1:] { // it gives no bytes
			now = enters[0].section
		}
	}
	rows(a.sum - taken)
}
