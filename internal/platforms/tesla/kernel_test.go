package tesla

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
)

func settings(workers int) launch.Settings {
	return launch.Settings{Engine: ref.New(), Workers: workers, Limits: exec.Limits{Steps: 10000}}
}

// program assembles a compute program for a chip.
func program(t *testing.T, variant, text string) *exec.Program {
	return programWith(t, variant, text, nil)
}

func programWith(t *testing.T, variant, text string, options map[string]string) *exec.Program {
	t.Helper()
	p, err := tesla.Set().Code(variant, options, nil, 0, code(t, tesla.CP, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return exec.NewProgram(p)
}

// bank is g[] of that number.
func bank(n uint8) launch.Space { return launch.Space{ID: ir.GlobalSpace, Bank: n} }

// wordAt is word i of bytes.
func wordAt(data []byte, i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }

// reverse reverses each block of 64 words by way of s[], whose words are after the parameters: from, to.
const reverse = `
	cvt u32 $r1 u16 u16 s[0xc]
	and b32 $r0 $r0 0xffff
	shl b32 $r1 $r1 0x6
	add b32 $r1 $r1 $r0
	shl b32 $r1 $r1 0x2
	mov b32 $r2 b32 s[0x10]
	add b32 $r2 $r2 $r1
	ld b32 $r3 g14[$r2]
	shl b32 $r4 $r0 0x2
	shl $a1 $r4 0x0
	st b32 s[$a1+0x18] $r3
	bar inc wait 0x0 all
	sub b32 $r5 0x3f $r0
	shl b32 $r5 $r5 0x2
	shl $a1 $r5 0x0
	mov b32 $r3 b32 s[$a1+0x18]
	mov b32 $r2 b32 s[0x14]
	add b32 $r2 $r2 $r1
	exit st b32 g14[$r2] $r3
`

// TestKernelCUDA: pointers in the parameters, g14, shared memory after them, and a barrier between the warps of a
// block, for any number of workers.
func TestKernelCUDA(t *testing.T) {
	text := strings.Replace(reverse, "sub b32 $r5 0x3f $r0", "mov b32 $r6 0x3f\n\tsub b32 $r5 $r6 $r0", 1)
	for _, workers := range []int{1, 4} {
		in, out := &launch.Buffer{Name: "in", Space: bank(14), Addr: 0x1000, Data: make([]byte, 4*64*5)}, &launch.Buffer{Name: "out", Space: bank(14), Addr: 0x8000, Data: make([]byte, 4*64*5)}
		for i := range 320 {
			binary.LittleEndian.PutUint32(in.Data[4*i:], uint32(1000+i))
		}
		k := &launch.Kernel{Name: "reverse", Program: program(t, "g200", text), Groups: [3]uint32{5, 1, 1}, Block: [3]uint32{64, 1, 1},
			Args: []byte{0, 0x10, 0, 0, 0, 0x80, 0, 0}, GroupBytes: 256, Buffers: []*launch.Buffer{in, out}}
		before := bytes.Clone(in.Data)
		res, err := compute.Launch(context.Background(), k, settings(workers))
		if err != nil {
			t.Fatal(err)
		}
		if res.Groups != 5 || res.Waves != 10 || res.Barriers != 10 {
			t.Errorf("%d blocks, %d warps, %d barriers", res.Groups, res.Waves, res.Barriers)
		}
		for i := range 320 {
			if got, want := wordAt(out.Data, i), uint32(1000+i/64*64+63-i%64); got != want {
				t.Fatalf("%d workers: word %d is %d, want %d", workers, i, got, want)
			}
		}
		if !bytes.Equal(in.Data, before) {
			t.Error("what is only read has changed")
		}
		k.GroupBytes = 252 // one word is missing
		var f *exec.Fault
		if _, err := compute.Launch(context.Background(), k, settings(workers)); !errors.As(err, &f) || f.Lanes != 1<<31 || f.Wave != 1 {
			t.Errorf("beyond shared memory: %v", err)
		}
	}
}

// TestKernelMesa: buffers by number, parameters after the z of grid and block, constants, l[], f64 of the chip that has
// it.
func TestKernelMesa(t *testing.T) {
	text := `
		cvt u32 $r1 u16 u16 s[0xc]
		cvt u32 $r2 u16 u16 s[0x12]
		shl b32 $r3 $r2 0x1
		add b32 $r3 $r3 $r1
		shl b32 $r3 $r3 0x2
		mov b32 $r4 b32 s[0x14]
		ld $r5 b32 c3[0x8]
		add b32 $r4 $r4 $r5
		add b32 $r4 $r4 $r0
		st b32 l[0xfffc] $r4
		ld b32 $r6 l[0xfffc]
		ld b32 $r7 g2[$r3]
		add b32 $r6 $r6 $r7
		exit st b32 g0[$r3] $r6
	`
	out, in := &launch.Buffer{Name: "out", Space: bank(0), Data: make([]byte, 24)}, &launch.Buffer{Name: "in", Space: bank(2), Data: make([]byte, 24)}
	for i := range 6 {
		in.Data[4*i] = byte(i)
	}
	k := &launch.Kernel{Name: "k", Program: program(t, "g80", text), ABI: Mesa, Groups: [3]uint32{2, 1, 3}, Block: [3]uint32{1, 1, 1}, Args: []byte{0, 1, 0, 0},
		PrivateBytes: 64 << 10, Buffers: []*launch.Buffer{out, in, {Name: "c3", Space: launch.Space{ID: ir.ConstSpace, Bank: 3}, Data: []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0}}}}
	if _, err := compute.Launch(context.Background(), k, settings(1)); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if got := wordAt(out.Data, i); got != uint32(0x20100+i) {
			t.Errorf("word %d is %#x", i, got)
		}
	}
	for _, c := range []struct {
		change func(k *launch.Kernel)
		want   string
	}{
		{func(k *launch.Kernel) { k.PrivateBytes = 0 }, "private"},
		{func(k *launch.Kernel) { k.Buffers = k.Buffers[:2] }, "const:3"},
		{func(k *launch.Kernel) { k.Buffers = []*launch.Buffer{out, k.Buffers[2]} }, "global:2"},
		{func(k *launch.Kernel) { k.Args = nil }, "group load of 4 bytes at 0x14"},
	} {
		bad := *k
		c.change(&bad)
		if _, err := compute.Launch(context.Background(), &bad, settings(1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestKernelLocks: threads that lock one word get it one after the other, so that their sum is complete; each block has
// its own locks.
func TestKernelLocks(t *testing.T) {
	text := `
		joinat out
	again:
		ld lock $c0 $r1 b32 s[0x14]
		(l $c0) bra got
		bra again
	got:
		add b32 $r1 $r1 0x1
		st unlock b32 s[0x14] $r1
	out:
		join nop
		bar inc wait 0x0 all
		mov b32 $r1 b32 s[0x14]
		cvt u32 $r2 u16 u16 s[0xc]
		shl b32 $r2 $r2 0x2
		exit st b32 g14[$r2] $r1
	`
	out := &launch.Buffer{Name: "out", Space: bank(14), Data: make([]byte, 8)}
	k := &launch.Kernel{Name: "locks", Program: program(t, "g200", text), Groups: [3]uint32{2, 1, 1}, Block: [3]uint32{96, 1, 1}, Args: make([]byte, 4), GroupBytes: 16, Buffers: []*launch.Buffer{out}}
	if _, err := compute.Launch(context.Background(), k, settings(2)); err != nil {
		t.Fatal(err)
	}
	if a, b := wordAt(out.Data, 0), wordAt(out.Data, 1); a != 96 || b != 96 {
		t.Errorf("%d and %d threads have counted, want 96 each", a, b)
	}
}

// TestKernelRegisters: registers that the program does not have read as 0, and writes to them have no effect.
func TestKernelRegisters(t *testing.T) {
	text := "mov b32 $r9 0x7\nadd b32 $r1 $r9 0x1\nmov b32 $r2 0x0\nexit st b32 g14[$r2] $r1"
	for registers, want := range map[int]uint32{0: 8, 128: 8, 12: 8, 8: 1} {
		var options map[string]string
		if registers != 0 {
			options = map[string]string{"registers": strconv.Itoa(registers)}
		}
		out := &launch.Buffer{Name: "out", Space: bank(14), Data: make([]byte, 4)}
		k := &launch.Kernel{Name: "k", Program: programWith(t, "g84", text, options), Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Buffers: []*launch.Buffer{out}}
		if _, err := compute.Launch(context.Background(), k, settings(1)); err != nil {
			t.Fatal(err)
		}
		if got := wordAt(out.Data, 0); got != want {
			t.Errorf("%d registers: %d, want %d", registers, got, want)
		}
	}
}

// TestKernelBarriers: two warps of three wait at a barrier of 64 threads with a number of its own, and each sees what
// the other has stored in s[] before; the third never arrives. A warp that waits alone is a fault.
func TestKernelBarriers(t *testing.T) {
	text := `
		and b32 $r1 $r0 0xffff
		shr u32 $r1 $r1 0x5
		mov b32 $r2 0x2
		set $c0 # e u32 $r1 $r2
		(lg $c0) exit nop
		set $c1 # e u32 $r1 $r63
		(lg $c1) bra wait
		mov b32 $r3 0x7
		st b32 s[0x20] $r3
	wait:
		bar inc wait 0x3 0x40
		mov b32 $r4 b32 s[0x20]
		shl b32 $r5 $r1 0x2
		exit st b32 g14[$r5] $r4
	`
	text = strings.Replace(text, "(lg $c0) exit nop", "(lg $c0) bra end", 1) + "\n\tend:\n\texit (never) nop"
	out := &launch.Buffer{Name: "out", Space: bank(14), Data: make([]byte, 8)}
	k := &launch.Kernel{Name: "bars", Program: programWith(t, "g80", text, map[string]string{"registers": "32"}), Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{96, 1, 1}, GroupBytes: 64, Buffers: []*launch.Buffer{out}}
	res, err := compute.Launch(context.Background(), k, settings(1))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := wordAt(out.Data, 0), wordAt(out.Data, 1); a != 7 || b != 7 || res.Barriers != 2 {
		t.Errorf("%d and %d after %d barriers", a, b, res.Barriers)
	}
	k.Block[0] = 32
	if _, err := compute.Launch(context.Background(), k, settings(1)); err == nil || !strings.Contains(err.Error(), "at barrier 3 for waves of 64 lanes") {
		t.Errorf("a warp alone at a barrier of two: %v", err)
	}
}

// TestArriveAndWait: warps that arrive at a barrier go on, and end; one that arrives and waits, or waits afterwards,
// sees what they have written before, twice at the same barrier. One that waits where no warp has arrived goes on; one
// that waits for warps that never arrive is a fault.
func TestArriveAndWait(t *testing.T) {
	const text = `
		shr u32 $r1 $r0 0x5
		and b32 $c0 $r1 $r1 $r1
		shl b32 $r2 $r1 0x2
		shl $a1 $r1 0x2
		mov b32 $r3 0x64
		(lg $c0) bra produce
		bar wait 0x5 COUNT
		WAIT
		ld $r4 b32 s[0x24]
		ld $r5 b32 s[0x28]
		WAIT
		ld $r6 b32 s[0x34]
		ld $r7 b32 s[0x38]
		add b32 $r4 $r4 $r5
		add b32 $r4 $r4 $r6
		add b32 $r4 $r4 $r7
		exit st b32 g14[$r2] $r4
	produce:
		add b32 $r3 $r3 $r1
		st b32 s[$a1+0x20] $r3
		bar inc 0x3 COUNT
		bar 0x3 COUNT
		bar wait 0x3 COUNT
		st b32 s[$a1+0x30] $r3
		bar inc 0x3 COUNT
		exit nop
	`
	run := func(wait, count, unit string) (uint32, error) {
		words := strings.NewReplacer("WAIT", wait, "COUNT", count)
		out := &launch.Buffer{Name: "out", Space: bank(14), Data: make([]byte, 4)}
		k := &launch.Kernel{Name: "bars", Program: programWith(t, "g84", words.Replace(words.Replace(text)), map[string]string{"barrier-count": unit}), Groups: [3]uint32{1, 1, 1}, Block: [3]uint32{96, 1, 1}, GroupBytes: 64, Buffers: []*launch.Buffer{out}}
		_, err := compute.Launch(context.Background(), k, settings(1))
		return wordAt(out.Data, 0), err
	}
	for _, wait := range []string{"bar inc wait 0x3 COUNT", "bar inc 0x3 COUNT\nbar wait 0x3 COUNT"} {
		for _, c := range [...]struct{ count, unit string }{{"all", "threads"}, {"0xfff", "threads"}, {"0xfff", "warps"}, {"0x60", "threads"}, {"0x3", "warps"}} {
			if sum, err := run(wait, c.count, c.unit); err != nil || sum != 2*(101+102) {
				t.Errorf("%s of %s %s: %d, %v", wait, c.count, c.unit, sum, err)
			}
		}
		want := "at barrier 3 for waves of 128 lanes"
		if strings.HasPrefix(wait, "bar inc 0x3") {
			want = "at barrier 3 for the waves that are missing there"
		}
		if _, err := run(wait, "0x80", "threads"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s of 128 threads of 96: %v, want %s", wait, err, want)
		}
	}
}
