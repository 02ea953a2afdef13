package teslarun

import (
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/mem"
)

// An aligned is an instruction that accesses so many bytes at the address in $r3, or at a multiple of them after that
// in $a1.
type aligned struct {
	text  string
	bytes int
}

// alignedAccesses returns all loads, stores and atomics of all types, and operands in s[] and c[] of other
// instructions.
func alignedAccesses() (list []aligned) {
	add := func(bytes int, format string, a ...any) {
		list = append(list, aligned{fmt.Sprintf(format, a...), bytes})
	}
	for _, m := range memoryTypes {
		for _, at := range []string{"g2[$r3]", "l[$a1+0x40]"} {
			add(m.bytes, "ld %s $r20%s %s", m.name, m.reg, at)
			add(m.bytes, "st %s %s $r24%s", m.name, at, m.reg)
		}
	}
	for _, m := range memoryTypes[:5] {
		if m.name != "s8" {
			add(m.bytes, "ld $r20 %s s[$a1+0x40]", m.name)
			add(m.bytes, "add b32 $r20 %s s[$a1+%#x] $r24", m.name, 4*m.bytes)
			add(m.bytes, "ld $r20 %s c3[$a1+0x40]", m.name)
		}
	}
	for _, n := range []int{1, 2, 4} {
		add(n, "st b%d s[$a1+0x40] $r24", 8*n)
	}
	add(4, "add b32 $r20 $r24 c3[$a1+0x40]")
	add(2, "add b16 $r20l $r24l c3[$a1+0x40]")
	add(4, "ld lock $c0 $r20 b32 s[$a1+0x40]")
	add(4, "st unlock b32 s[$a1+0x40] $r24")
	for _, a := range atomics {
		suffix, way := map[int]string{4: "", 8: "d"}[a.bytes], "ld "
		last := ""
		switch {
		case strings.HasPrefix(a.text, "cas"):
			way, last = "", " $r10"+suffix
		case strings.HasPrefix(a.text, "exch"):
			way = ""
		}
		add(a.bytes, "%s%s $r20%s g2[$r3] $r8%s%s", way, a.text, suffix, suffix, last)
	}
	return list
}

// TestAlignment: for each access an address that is a multiple of its size is valid, and one that is off by a lower
// power of two is a fault of that thread. docs/reference/tesla.md 12, 10.
func TestAlignment(t *testing.T) {
	for _, a := range alignedAccesses() {
		for off := 0; off < a.bytes; off = max(1, 2*off) {
			w := newWarp(t, tesla.GT215, tesla.CP)
			w.set(3, always(0x100))
			for lane := range tesla.Lanes {
				w.st.Set(addr(1), lane, 0x100)
			}
			w.st.Set(reg(3), 5, uint32(0x100+a.bytes+off))
			w.st.Set(addr(1), 5, uint32(0x100+a.bytes+off))
			w.consts(3)
			w.global(2)
			switch f := w.try(a.text); {
			case off == 0 && f != nil:
				t.Errorf("%s at multiples of %d: %v", a.text, a.bytes, f)
			case off != 0 && (f == nil || f.Kind != exec.FaultMemory || f.Mem.Kind != mem.Misaligned || f.Lane != 5):
				t.Errorf("%s of thread 5 at %d bytes behind a multiple of %d: %v, want a fault of alignment", a.text, off, a.bytes, f)
			}
		}
	}
}
