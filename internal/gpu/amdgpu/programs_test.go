//go:build linux && amd64

package amdgpu

import (
	"testing"

	"github.com/heddle-gpu/heddle/ir"
)

// A program keeps the code that it can execute, and not the mapping around it: a change of other bytes does not matter
// to it, one of its own makes it another program.
func TestProgramCode(t *testing.T) {
	b := newBench(t, "polaris10", Options{})
	b.assemble(t, 0x20000, store) // 24 bytes
	m := b.VM.Begin()
	defer b.VM.End(m)
	get := func() *program {
		p, err := b.program(m, ir.Key{PC: 0x20000})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := get()
	if n := len(first.code); first.base != 0x20000 || n < 24 || n > 24+afterBlock {
		t.Errorf("%d bytes at %#x are kept", n, first.base)
	}
	b.at(0x20000)[24/4+afterBlock/4] ^= 1
	b.at(0x20000)[-1+0x10000/4] ^= 1
	if get() != first {
		t.Error("another program, though only other bytes have changed")
	}
	b.at(0x20000)[1] ^= 1 << 9 // the register that v_or_b32 reads
	second := get()
	if second == first {
		t.Error("the same program, though its code has changed")
	}
	if b.programs.size != len(second.code) {
		t.Errorf("%d bytes are counted, and %d are kept", b.programs.size, len(second.code))
	}
	const more = 300 // mappings of 1 MiB if each program kept its own
	for i := range uint64(more) {
		copy(b.at(0x30000+i*0x80), b.at(0x20000)[:8])
		if _, err := b.program(m, ir.Key{PC: 0x30000 + i*0x80}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(b.programs.made); n != more+1 || b.programs.size > n*(24+afterBlock) {
		t.Errorf("%d programs of %d bytes are kept", n, b.programs.size)
	}
}
