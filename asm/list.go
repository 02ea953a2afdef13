package asm

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/isa"
)

// ListOptions select what a listing shows.
type ListOptions struct {
	Symbols []Symbol // names for addresses of the code
	// Exact makes a listing that assembles to the same bytes, whatever they are: text that would not assemble to its
	// own bytes becomes .enc. Without it a listing is for reading.
	Exact    bool
	Comments bool   // address and bytes at the end of each line
	Body     bool   // omit the directives at the top: the listing is a part of a file
	Labels   string // prefix of the labels of branch targets without a symbol; "": L_
	Data     []Range
	// Parts are the addresses to list, in order and disjoint; none: all. Gaps between them are skipped by .org.
	Parts []Range
	// Refs shows at labels which instructions branch there, and at branches the symbol that their target belongs to.
	// Calls are computed targets, by the address of the instruction.
	Refs  bool
	Calls map[uint64]uint64
	// Fold is how many units of padding in a row become one .fill; 0: every unit has its line.
	Fold int
	// Last returns another text, with the same value, for the last operand of the instruction at an address; nil, or
	// false: there is none. It is called only if the instruction's text reproduces its bytes.
	Last func(addr uint64) (text string, ok bool)
	// Before returns lines of comment, without line ends, to be written before an address; nil: there are none.
	Before func(addr uint64) []string
}

// A Range is addresses of data: they are not decoded.
type Range struct{ From, To uint64 }

// List writes code, which lies at base, as a file of assembly: labels at the targets of branches, and data where the
// bytes are no instruction.
func List(w io.Writer, t *isa.Target, code []byte, base uint64, opt ListOptions) error {
	if base+uint64(len(code)) < base {
		return fmt.Errorf("asm: %d bytes do not lie from %#x on: addresses have 64 bits", len(code), base)
	}
	l := newLister(t, code, base, opt)
	defer l.release()
	return l.list(w)
}

func newLister(t *isa.Target, code []byte, base uint64, opt ListOptions) *lister {
	l := listers.Get().(*lister)
	l.reset(t, code, base, opt)
	return l
}

func (l *lister) reset(t *isa.Target, code []byte, base uint64, opt ListOptions) {
	if l.target != t {
		l.comments = newComments(t.Lexis())
	}
	clear(l.names)
	clear(l.labels)
	l.target, l.code, l.base, l.opt, l.print = t, code, base, opt, t.Printer()
	l.starts, l.named = l.starts.cleared(len(code)+1), l.named.cleared(len(code)+1)
	l.parts, l.refs, l.around, l.rows, l.verdicts, l.buf = l.parts[:0], nil, Symbols{}, l.rows[:0], nil, l.buf[:0]
	l.filled, l.seen = 0, 0
	if t.Group == nil && len(t.Defs) <= math.MaxUint16 {
		n := (len(code) + t.Unit - 1) / t.Unit
		l.rows = slices.Grow(l.rows, n)[:n]
		clear(l.rows)
	}
	l.scan.Target = t
	l.print.Label, l.print.Plain = l.labelOf, !opt.Exact
}

// listers are those of earlier listings: most of the time of a short one would be that of making it.
var listers = sync.Pool{New: func() any { return freshLister() }}

func freshLister() *lister {
	l := &lister{names: map[string]uint64{}, labels: map[uint64][]string{}}
	l.scan.Symbol, l.labelOf = l.symbol, l.label
	l.scan.Memo = new(isa.Memo)
	return l
}

// mostKeptCode is the length of the longest code whose lister is kept.
const mostKeptCode = 1 << 16

// release makes the lister available for other listings.
func (l *lister) release() {
	if len(l.code) <= mostKeptCode {
		l.code, l.opt = nil, ListOptions{}
		listers.Put(l)
	}
}

func (l *lister) list(w io.Writer) error {
	l.findLabels()
	if !l.opt.Body {
		l.header()
	}
	for i, p := range l.parts {
		l.gap(i)
		for off := p.from; off < p.to; {
			if n := l.fold(off, p.to); n > 0 {
				off += n
			} else {
				off += l.line(off)
			}
			if len(l.buf) > 1<<15 {
				if _, err := w.Write(l.buf); err != nil {
					return err
				}
				l.buf = l.buf[:0]
			}
		}
	}
	l.putLabels(len(l.code))
	_, err := w.Write(l.buf)
	return err
}

type lister struct {
	target   *isa.Target
	comments *comments
	code     []byte
	base     uint64
	opt      ListOptions
	labels   map[uint64][]string // symbols by address
	names    map[string]uint64   // addresses by symbol
	starts   bitset              // offsets at which a line starts
	named    bitset              // those of them with a label
	parts    []part              // to be listed
	refs     []Link              // branches, by target
	around   Symbols             // the symbols that addresses belong to
	filled   uint64              // bytes that directives fill in
	seen     int                 // offset up to which folding has been decided
	rows     []uint16            // by unit: 1 + the ID of the row of the instruction there, unless it is a branch; empty: in sets with groups
	print    isa.Printer
	labelOf  func(addr uint64) (string, bool) // label
	scan     isa.Scan
	bundle   isa.Bundle
	inst     isa.Inst
	verdicts []verdict  // on instructions of rows whose text may be that of another one, by hash
	back     isa.Bundle // the result of assembling the text
	bytes    []byte
	buf      []byte
}

// label is the isa.Printer.Label of the listing.
func (l *lister) label(addr uint64) (string, bool) {
	if off := addr - l.base; off > uint64(len(l.code)) || !l.named.has(int(off)) {
		return "", false
	}
	if names := l.labels[addr]; len(names) > 0 {
		return names[0], true
	}
	return l.targetName(addr), true
}

// targetName returns the label of a branch target without a symbol.
func (l *lister) targetName(addr uint64) string {
	return cmp.Or(l.opt.Labels, "L_") + strconv.FormatUint(addr, 16)
}

// targetAt returns the address of the label of a branch target.
func (l *lister) targetAt(name string) (addr uint64, ok bool) {
	digits, ok := strings.CutPrefix(name, cmp.Or(l.opt.Labels, "L_"))
	if !ok {
		return 0, false
	}
	addr, err := strconv.ParseUint(digits, 16, 64)
	off := addr - l.base
	if err != nil || off > uint64(len(l.code)) || !l.named.has(int(off)) || len(l.labels[addr]) > 0 || l.targetName(addr) != name {
		return 0, false
	}
	return addr, true
}

// symbol is the Scan.Symbol with which a line is checked.
func (l *lister) symbol(name string) (uint64, isa.SymbolKind) {
	if name == "." {
		return l.scan.Addr, isa.Label
	}
	if v, ok := l.names[name]; ok {
		return v, isa.Label
	}
	if v, ok := l.targetAt(name); ok {
		return v, isa.Label
	}
	return 0, isa.NoSymbol
}

// findLabels names the symbols and branch targets at which a line starts.
func (l *lister) findLabels() {
	l.sweep()
	l.starts.add(len(l.code))
	l.findParts()
	for _, sym := range l.opt.Symbols {
		off := sym.Addr - l.base
		text, ok := isa.SymbolText(sym.Name)
		if !ok || off > uint64(len(l.code)) || !l.starts.has(int(off)) || !l.listed(int(off)) {
			continue
		}
		if _, dup := l.names[sym.Name]; dup {
			continue
		}
		l.named.add(int(off))
		l.names[sym.Name] = sym.Addr
		l.labels[sym.Addr] = append(l.labels[sym.Addr], text)
	}
	for i := range l.refs {
		to := l.refs[i].To
		off := to - l.base
		if off > uint64(len(l.code)) || !l.starts.has(int(off)) || l.named.has(int(off)) || !l.listed(int(off)) {
			continue
		}
		if len(l.names) > 0 {
			if _, taken := l.names[l.targetName(to)]; taken {
				continue
			}
		}
		l.named.add(int(off))
	}
	l.sortRefs()
}

// sweep goes over all of the code and finds line starts and branches.
func (l *lister) sweep() {
	for off := 0; off < len(l.code); {
		l.starts.add(off)
		addr := l.base + uint64(off)
		if l.isData(addr) || l.target.DecodeBundle(l.code[off:], addr, &l.bundle) != nil {
			off += l.dataSize(off)
			continue
		}
		n := len(l.refs)
		if l.target.Branch != nil {
			for i := range l.bundle.Parts {
				if to, ok := l.target.Branch(&l.bundle, i); ok {
					l.refs = append(l.refs, Link{to, addr})
				}
			}
		}
		if n == len(l.refs) && len(l.rows) > 0 {
			l.rows[off/l.target.Unit] = uint16(l.bundle.Parts[0].Def.ID + 1)
		}
		off += l.bundle.Size()
	}
}

func (l *lister) header() {
	l.buf = append(append(l.buf, ".isa "...), l.target.String()...)
	l.buf = append(l.buf, '\n')
	if d := l.target.Dialect; d != 0 {
		l.buf = append(append(append(l.buf, ".dialect "...), l.target.Dialects[d]...), '\n')
	}
	for i := range l.target.Options {
		if o := &l.target.Options[i]; o.Values[l.target.Option(i)] != o.Default {
			l.buf = append(append(append(append(append(l.buf, ".option "...), o.Name...), '='), o.Values[l.target.Option(i)]...), '\n')
		}
	}
	if l.opt.Exact {
		l.buf = append(l.buf, ".exact"...)
		if len(l.target.Rules) > 0 {
			l.buf = append(append(append(l.buf, ' '), l.target.Comments[0]...), " what breaks rules is kept as it is"...)
		}
		l.buf = append(l.buf, '\n')
	}
	base := l.base
	if len(l.parts) > 0 {
		base += uint64(l.parts[0].from)
	}
	if base != 0 {
		l.buf = append(isa.AppendHex(append(l.buf, ".base "...), base), '\n')
	}
}

func (l *lister) putLabels(off int) {
	if !l.named.has(off) {
		return
	}
	addr := l.base + uint64(off)
	at, names := len(l.buf), l.labels[addr]
	for i, name := range names {
		if i > 0 {
			l.buf = append(l.buf, '\n')
			at = len(l.buf)
		}
		l.buf = append(append(l.buf, name...), ':')
	}
	if len(names) == 0 {
		l.buf = append(append(l.buf, l.targetName(addr)...), ':')
	}
	l.putRefs(at, addr)
	l.buf = append(l.buf, '\n')
}

// putBefore writes the comment of ListOptions.Before.
func (l *lister) putBefore(addr uint64) {
	if l.opt.Before == nil {
		return
	}
	for _, text := range l.opt.Before(addr) {
		l.buf = append(append(l.buf, l.target.Comments[0]...), ' ')
		l.buf = append(append(l.buf, text...), '\n')
	}
}

// line writes what is at the offset and returns the number of bytes that it covers.
func (l *lister) line(off int) int {
	l.putLabels(off)
	addr := l.base + uint64(off)
	l.putBefore(addr)
	at := len(l.buf)
	l.buf = append(l.buf, '\t')
	var row *isa.Def
	if len(l.rows) > 0 {
		if id := l.rows[off/l.target.Unit]; id != 0 {
			row = &l.target.Defs[id-1]
			if n := l.usual(row, off, at); n != 0 {
				return n
			}
		}
	}
	if l.isData(addr) {
		n := l.data(off)
		l.comment(at, addr, l.code[off:off+n], "")
		l.buf = append(l.buf, '\n')
		return n
	}
	n, reason := 0, ""
	if err := l.target.DecodeBundle(l.code[off:], addr, &l.bundle); err != nil {
		n, reason = l.data(off), isa.AsError(err).Msg
	} else {
		n, reason = l.bundle.Size(), l.goal(addr)
		if !l.instruction(l.code[off:off+n], addr, row) {
			l.buf = l.buf[:at+1]
			n, reason = l.data(off), "its text cannot stand in a file"
		}
		at = l.indent(at)
	}
	l.comment(at, addr, l.code[off:off+n], reason)
	l.buf = append(l.buf, '\n')
	return n
}

// isData reports whether an address is in one of the ranges of data.
func (l *lister) isData(addr uint64) bool {
	for _, r := range l.opt.Data {
		if addr >= r.From && addr < r.To {
			return true
		}
	}
	return false
}

// last replaces the last operand of the text from offset at of the buffer on.
func (l *lister) last(at int, addr uint64) {
	if l.opt.Last == nil {
		return
	}
	if text, ok := l.opt.Last(addr); ok {
		if i := bytes.LastIndex(l.buf[at:], []byte(", ")); i >= 0 {
			l.buf = append(l.buf[:at+i+2], text...)
		}
	}
}

// indent puts a tab before the lines of the statement at offset at of the buffer. It returns where its last line
// begins.
func (l *lister) indent(at int) int {
	if l.target.Open == nil {
		return at
	}
	for i := at; i < len(l.buf); i++ {
		if l.buf[i] == '\n' {
			l.buf = slices.Insert(l.buf, i+1, '\t')
			at = i + 1
		}
	}
	return at
}

// whole reports whether the text would be read as one statement: nothing in it begins a comment or ends a line,
// except where statements of the set continue.
func (l *lister) whole(text string) bool {
	for at := 0; ; {
		line, _, more := strings.Cut(text[at:], "\n")
		if line == "" || strings.TrimSpace(line) != line || strings.Contains(line, "\r") {
			return false
		}
		if rest, open := l.comments.strip(line, false); rest != line || open {
			return false
		}
		if at += len(line); !more {
			return true
		}
		next, _, _ := strings.Cut(text[at+1:], "\n")
		if l.target.Open == nil || !l.target.Open(l.target, text[:at], next) {
			return false
		}
		at++
	}
}

// dataSize returns the length of a data line at an offset without an instruction.
func (l *lister) dataSize(off int) int { return min(l.target.Unit, len(l.code)-off) }

// data writes bytes that are no instruction.
func (l *lister) data(off int) int {
	n := l.dataSize(off)
	code := l.code[off : off+n]
	word := map[int]string{2: ".short ", 4: ".long ", 8: ".quad "}[n]
	if word == "" {
		l.buf = append(l.buf, ".byte "...)
		for i, b := range code {
			if i > 0 {
				l.buf = append(l.buf, ", "...)
			}
			l.buf = fmt.Appendf(l.buf, "0x%02x", b)
		}
		return n
	}
	var v uint64
	for i, b := range code {
		v |= uint64(b) << (8 * i)
	}
	l.buf = fmt.Appendf(l.buf, "%s0x%0*x", word, 2*n, v)
	return n
}

// blankLine pads a line before its comment.
const blankLine = "                                                             "

// appendUpper appends the lowest n bytes of v, at most 8, as hexadecimal digits.
func appendUpper(dst []byte, v uint64, n int) []byte {
	const digits = "0123456789ABCDEF"
	dst = append(dst, digits[:2*n]...)
	for to := dst[len(dst)-2*n:]; n > 0; n-- {
		to[2*n-2], to[2*n-1] = digits[v>>4&15], digits[v&15]
		v >>= 8
	}
	return dst
}

// comment ends a line that began at offset at of the buffer with its address and bytes, as llvm-objdump does, and the
// reason.
func (l *lister) comment(at int, addr uint64, code []byte, reason string) {
	if !l.opt.Comments && reason == "" || len(l.target.Comments) == 0 {
		return
	}
	if l.opt.Comments {
		l.fillUp(at)
	}
	l.buf = append(append(l.buf, ' '), l.target.Comments[0]...)
	if l.opt.Comments {
		if l.buf = append(l.buf, ' '); addr>>48 == 0 {
			l.buf = appendUpper(l.buf, addr, 6)
		} else {
			l.buf = fmt.Appendf(l.buf, "%X", addr)
		}
		l.buf = append(l.buf, ':')
		for len(code) > 0 {
			n, v := 1, uint64(code[0])
			if l.target.Unit%4 == 0 && len(code) >= 4 {
				n, v = 4, uint64(binary.LittleEndian.Uint32(code))
			}
			l.buf = appendUpper(append(l.buf, ' '), v, n)
			code = code[n:]
		}
	}
	if reason != "" {
		l.buf = append(append(l.buf, ' '), strings.ReplaceAll(reason, "*/", "* /")...)
	}
}
