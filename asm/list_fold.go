package asm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// fold writes a run of equal padding at an offset as one directive. It returns the number of bytes covered; 0: there
// is no such run, or it must stay visible.
func (l *lister) fold(off, end int) int {
	if l.opt.Fold == 0 || off < l.seen {
		return 0
	}
	size := l.starts.next(off) - off
	unit := l.code[off : off+size]
	n := 1
	for at := off + size; at+size <= end && bytes.Equal(l.code[at:at+size], unit); at += size {
		if l.named.has(at) || !l.starts.has(at) || l.starts.next(at) != at+size || l.isData(l.base+uint64(at)) != l.isData(l.base+uint64(off)) {
			break
		}
		n++
	}
	l.seen = off + n*size
	if n < max(l.opt.Fold, 2) || l.filled+uint64(n*size) > maxFill {
		return 0
	}
	addr := l.base + uint64(off)
	what, ok := l.padding(unit, addr)
	directive := l.filling(unit, n)
	if !ok || directive == "" {
		return 0
	}
	l.filled += uint64(n * size)
	l.putLabels(off)
	at := len(l.buf)
	l.buf = append(append(l.buf, '\t'), directive...)
	if l.opt.Comments {
		l.comment(at, addr, nil, fmt.Sprintf("%d times %s, up to 0x%x", n, what, addr+uint64(n*size)))
	}
	l.buf = append(l.buf, '\n')
	return n * size
}

// filling returns the directive for n repetitions of a unit's bytes, or "" if there is none.
func (l *lister) filling(unit []byte, n int) string {
	if len(bytes.Trim(unit, "\x00")) == 0 {
		return fmt.Sprintf(".zero %d", n*len(unit))
	}
	if half := len(unit) / 2; len(unit) == 16 && bytes.Equal(unit[:half], unit[half:]) {
		unit, n = unit[:half], 2*n
	}
	if len(unit) > 8 {
		return ""
	}
	var v [8]byte
	copy(v[:], unit)
	return fmt.Sprintf(".fill %d, %d, 0x%x", n, len(unit), binary.LittleEndian.Uint64(v[:]))
}

// idle are substrings of the mnemonics of instructions that are unlikely to be repeated for their effect.
var idle = [...]string{"nop", "s_code_end"}

// padding reports whether the bytes of one line may be padding, and what that line says: zeros, the set's fill
// instruction, other instructions without effect, and bytes that are no instruction.
func (l *lister) padding(unit []byte, addr uint64) (what string, ok bool) {
	if l.isData(addr) || l.target.DecodeBundle(unit, addr, &l.bundle) != nil {
		at := len(l.buf)
		l.data(int(addr - l.base))
		what = string(l.buf[at:])
		l.buf = l.buf[:at]
		return what, true
	}
	what = strings.ReplaceAll(string(l.target.Print(nil, &l.bundle)), "\n", " ")
	if !l.whole(what) {
		what = fmt.Sprintf("%x", unit)
	}
	if len(bytes.Trim(unit, "\x00")) == 0 || l.target.Nop != nil && bytes.Equal(unit, l.target.Nop(l.target.Variant)) {
		return what, true
	}
	for i := range l.bundle.Parts {
		if !idles(&l.bundle.Parts[i]) {
			return "", false
		}
	}
	return what, true
}

func idles(in *isa.Inst) bool {
	name := strings.ToLower(in.Def.Name)
	for _, w := range idle {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}
