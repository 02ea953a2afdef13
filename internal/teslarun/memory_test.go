package teslarun

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/tesla"
)

// Loads, stores, moves and atomics. docs/reference/tesla.md 5 and 6.8.

// A sized is a type of memory access: its size in bytes, and the conversion of a load.
type sized struct {
	name  string
	bytes int
	read  func(v uint64) uint32
	reg   string // of $r20: suffix
}

var memoryTypes = []sized{
	{"u8", 1, func(v uint64) uint32 { return uint32(uint8(v)) }, ""},
	{"s8", 1, func(v uint64) uint32 { return uint32(int8(v)) }, ""},
	{"u16", 2, func(v uint64) uint32 { return uint32(uint16(v)) }, ""},
	{"s16", 2, func(v uint64) uint32 { return uint32(int16(v)) }, ""},
	{"b32", 4, func(v uint64) uint32 { return uint32(v) }, ""},
	{"b64", 8, func(v uint64) uint32 { return uint32(v) }, "d"},
	{"b128", 16, func(v uint64) uint32 { return uint32(v) }, "q"},
}

// shuffled distributes threads over 1 KiB, 32 bytes each.
func shuffled(lane int) uint32 { return uint32(lane*13%32) * 32 }

func randomBytes(b []byte, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 9))
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
}

// TestGlobal: loads and stores of every type in each space.
func TestGlobal(t *testing.T) {
	for bank := range tesla.Banks {
		for _, m := range memoryTypes {
			w := newWarp(t, tesla.G80, tesla.CP)
			randomBytes(w.global(bank), uint64(bank))
			before := append([]byte(nil), w.global(bank)...)
			w.set(3, shuffled)
			w.run(fmt.Sprintf("ld %s $r20%s g%d[$r3]", m.name, m.reg, bank))
			for k := range (m.bytes + 3) / 4 {
				w.want(20+k, func(lane int) uint32 { return m.read(uint64(word(before, int(shuffled(lane))+4*k))) })
			}
			for k := range 4 {
				w.set(24+k, func(lane int) uint32 { return uint32(lane)*0x01010101 ^ 0x89abcdef + uint32(k) })
			}
			w.setFlags(1, func(lane int) uint8 { return uint8(lane & 1) })
			w.run(fmt.Sprintf("(e $c1) st %s g%d[$r3] $r24%s", m.name, bank, m.reg))
			want := append([]byte(nil), before...)
			for lane := 1; lane < tesla.Lanes; lane += 2 {
				for i := range m.bytes {
					want[int(shuffled(lane))+i] = byte((uint32(lane)*0x01010101 ^ 0x89abcdef + uint32(i/4)) >> (8 * (i % 4)))
				}
			}
			if text := exectest.Differs(0, w.global(bank), want); text != "" {
				t.Errorf("st %s g%d[]: %s", m.name, bank, text)
			}
		}
	}
}

// TestLocal: l[] is private to each thread; $a, an offset in bytes, and increment.
func TestLocal(t *testing.T) {
	for _, stage := range []int{tesla.CP, tesla.VP, tesla.GP, tesla.FP} {
		for _, m := range memoryTypes {
			w := newWarp(t, tesla.G80, stage)
			for k := range 4 {
				w.set(24+k, func(lane int) uint32 { return uint32(lane)*0x01010101 ^ 0x89abcdef + uint32(k) })
			}
			value := func(lane, i int) byte {
				return byte((uint32(lane)*0x01010101 ^ 0x89abcdef + uint32(i/4)) >> (8 * (i % 4)))
			}
			for lane := range tesla.Lanes {
				w.st.Set(addr(3), lane, uint32(0x100+16*lane))
			}
			w.run(fmt.Sprintf("st %s l[$a3+0x20] $r24%s", m.name, m.reg))
			w.run(fmt.Sprintf("ld %s $r20%s l[$a3+0x20]", m.name, m.reg))
			for k := range (m.bytes + 3) / 4 {
				w.want(20+k, func(lane int) uint32 {
					var v uint64
					for i := range min(m.bytes, 4) {
						v |= uint64(value(lane, 4*k+i)) << (8 * i)
					}
					return m.read(v)
				})
			}
			w.run(fmt.Sprintf("ld %s $r28%s l[$a3++0x20]", m.name, m.reg)) // nothing has been stored yet
			w.want(28, always(0))
			w.run(fmt.Sprintf("ld %s $r28%s l[$a3]", m.name, m.reg))
			w.want(28, func(lane int) uint32 { return w.st.Get(reg(20), lane) })
			for lane := range tesla.Lanes {
				if got := w.st.Get(addr(3), lane); got != uint32(0x120+16*lane) {
					t.Fatalf("$a3 of thread %d is %#x", lane, got)
				}
			}
			w.run(fmt.Sprintf("ld %s $r16%s l[0x300]", m.name, m.reg))
			w.want(16, func(lane int) uint32 {
				if lane == 30 { // its element is there
					return w.st.Get(reg(20), lane)
				}
				return 0
			})
		}
	}
}

// TestConstants: all types and banks of ld from c[], into words, halves and outputs.
func TestConstants(t *testing.T) {
	for bank := range tesla.Banks {
		for _, m := range memoryTypes[:5] {
			if m.name == "s8" {
				continue
			}
			w := newWarp(t, tesla.G80, tesla.VP)
			randomBytes(w.consts(bank), uint64(bank))
			for lane := range tesla.Lanes {
				w.st.Set(addr(2), lane, uint32(64*lane))
			}
			at := func(lane int) int { return 64*lane + 0x110*m.bytes }
			address := fmt.Sprintf("c%d[$a2+%#x]", bank, 0x110*m.bytes)
			w.run(fmt.Sprintf("ld $r5 %s %s", m.name, address))
			w.want(5, func(lane int) uint32 { return m.read(uint64(word(w.consts(bank), at(lane)))) })
			if m.bytes == 4 {
				continue
			}
			w.set(6, always(0x5555aaaa))
			w.run(fmt.Sprintf("ld $r6h %s %s", m.name, address))
			w.want(6, func(lane int) uint32 { return m.read(uint64(word(w.consts(bank), at(lane))))<<16 | 0xaaaa })
		}
	}
}

// TestShared: st to s[] of all sizes, and ld from it.
func TestShared(t *testing.T) {
	w := newWarp(t, tesla.G84, tesla.CP)
	randomBytes(w.shared, 4)
	for lane := range tesla.Lanes {
		w.st.Set(addr(1), lane, uint32(16*lane))
	}
	w.set(8, func(lane int) uint32 { return uint32(lane)*0x01234567 + 0x89abcdef })
	for _, m := range []sized{memoryTypes[0], memoryTypes[2], memoryTypes[4]} {
		name := map[int]string{1: "b8", 2: "b16", 4: "b32"}[m.bytes]
		w.run(fmt.Sprintf("st %s s[$a1+%#x] $r8", name, 0x1000+m.bytes))
		w.run(fmt.Sprintf("ld $r9 %s s[$a1+%#x]", m.name, 0x1000+m.bytes))
		w.want(9, func(lane int) uint32 { return m.read(uint64(w.st.Get(reg(8), lane))) })
		for lane := range tesla.Lanes {
			at := 0x1000 + m.bytes + 16*lane
			if got := word(w.shared, at) & uint32(1<<(8*m.bytes)-1); got != m.read(uint64(w.st.Get(reg(8), lane))) {
				t.Fatalf("st %s of thread %d: %#x", name, lane, got)
			}
		}
	}
	w.run("ld $r9 s16 s[$a1+0x1002]")
	w.want(9, func(lane int) uint32 { return uint32(int16(word(w.shared, 0x1002+16*lane))) })
	w.run("ld $r9 b32 s[$a1++0x8]")
	w.want(9, func(lane int) uint32 { return word(w.shared, 16*lane) })
	w.run("st b8 s[$a1++0x1] $r8l")
	for lane := range tesla.Lanes {
		if at, a := 16*lane+8, w.st.Get(addr(1), lane); w.shared[at] != byte(w.st.Get(reg(8), lane)) || a != uint32(at+1) {
			t.Fatalf("thread %d: s[%#x] is %#x, $a1 %#x", lane, at, w.shared[at], a)
		}
	}
}

// TestIllegalTypes: types of s[] that are invalid for a 16-bit source trap; the others have the width that they name.
func TestIllegalTypes(t *testing.T) {
	for text, want := range map[string]string{
		"add b16 $r4l b32 s[0x4] $r5l": "ILLEGAL_MEMORY_SIZE", "mul $r4 u16 s16 s[0x4] u16 $r5l": "ILLEGAL_MEMORY_SIGN",
		"mul $r4 s16 u16 s[0x4] u16 $r5l": "ILLEGAL_MEMORY_SIGN", "add $r4 (mul s16 u16 s[0x4] $r5l) $r4": "ILLEGAL_MEMORY_SIGN",
		"add $r4 (mul u16 s16 s[0x4] 0x5) $r4": "ILLEGAL_MEMORY_SIGN", "max s16 $r4l u16 s[0x4] $r5l": "ILLEGAL_MEMORY_SIGN",
		"cvt u32 $r4 u16 s16 s[0x4]": "ILLEGAL_MEMORY_SIGN", "cvt s32 $r4 s8 s16 s[0x4]": "ILLEGAL_MEMORY_BYTE",
		"cvt u32 $r4 u8 u16 s[0x4]": "ILLEGAL_MEMORY_BYTE", "sad $r4 s16 u16 s[0x4] $r5l $r4": "ILLEGAL_MEMORY_SIGN",
		"shr s16 $r4l u16 s[0x4] 0x1": "ILLEGAL_MEMORY_SIGN", "cvt rn f32 $r4 s16 b32 s[0x4]": "ILLEGAL_MEMORY_SIZE",
		"add b16 $r4l s16 s[0x4] $r5l": "", "mul $r4 u16 u8 s[0x4] u16 $r5l": "", "cvt s32 $r4 s8 u8 s[0x4]": "", "add b32 $r4 s16 s[0x4] $r5": "",
		"cvt u32 $r4 u32 s16 s[0x4]": "", "mov b16 $r4l s16 s[0x4]": "", "max u32 $r4 s16 s[0x4] $r5": "",
	} {
		w := newWarp(t, tesla.G80, tesla.CP)
		switch f := w.try(text); {
		case want == "" && f != nil:
			t.Errorf("%s: %v", text, f)
		case want != "" && (f == nil || f.Trap != ir.TrapInvalid || !strings.Contains(f.Error(), want)):
			t.Errorf("%s: %v, want %s", text, f, want)
		}
	}
}

// TestHiddenIncrement: bit 25 increments c[] as source 2 in compute programs, too, where envydis shows a plain address.
// The encoding is that of the other stages, and the listing keeps it.
func TestHiddenIncrement(t *testing.T) {
	for _, c := range []struct {
		text  string
		first int // of $a1 of thread 0
		step  int
	}{{"xor b32 $r4 $r8 c3[$a1++0x8]", 0, 8}, {"xor b32 $r4 $r8 c3[$a1++-0x8]", 0x100, -8}, {"xor b32 $r4 $r8 c3[$a1++0xfc]", 0x40, 0xfc}} {
		w := newWarp(t, tesla.G80, tesla.CP)
		randomBytes(w.consts(3), 7)
		for lane := range tesla.Lanes {
			w.st.Set(addr(1), lane, uint32(c.first+16*lane))
		}
		w.set(8, thread)
		code := w.assembled(c.text + "\nexit nop")
		w.target = tesla.Set().At(tesla.G80, tesla.VP)
		if vertex := w.assembled(c.text + "\nexit nop"); !bytes.Equal(code, vertex) {
			t.Errorf("%s: % x in compute programs, % x in vertex programs", c.text, code, vertex)
		}
		w.target = tesla.Set().At(tesla.G80, tesla.CP)
		var list bytes.Buffer
		if err := asm.List(&list, w.target, code, 0, asm.ListOptions{Exact: true}); err != nil || strings.Contains(list.String(), "++") {
			t.Fatalf("%v in\n%s", err, &list)
		}
		if back := w.assembled(list.String()); !bytes.Equal(back, code) {
			t.Errorf("%s: % x, and its listing % x", c.text, code, back)
		}
		w.run(c.text)
		w.want(4, func(lane int) uint32 { return uint32(lane) ^ word(w.consts(3), c.first+16*lane) })
		for lane := range tesla.Lanes {
			if got, want := w.st.Get(addr(1), lane), uint32(c.first+16*lane+c.step); got != want {
				t.Errorf("%s: $a1 of thread %d is %#x, want %#x", c.text, lane, got, want)
			}
		}
	}
}

// TestThirdBesidePrimitive: c[] as source 3 next to p[] has words, as source 2 has; envydis shows half of the offset.
func TestThirdBesidePrimitive(t *testing.T) {
	for _, c := range []struct {
		text string
		at   int // bytes from the start of c9[]
	}{{"add $r4 (mul u24 p[0x24] c9[0x14]) c9[0xa]", 20}, {"add $r4 (mul u24 p[0x24] c9[0x14]) c9[0xfe]", 0x1fc}, {"add $r4 (mul u24 p[0x24] c9[0x14]) c9[0x0]", 0}} {
		w := newWarp(t, tesla.G80, tesla.GP)
		randomBytes(w.consts(9), 8)
		for lane := range tesla.Lanes {
			w.primitive[lane] = uint32(lane + 3)
		}
		w.run(c.text)
		b := word(w.consts(9), 20) & 0xffffff
		w.want(4, func(lane int) uint32 { return uint32(lane+3)*b + word(w.consts(9), c.at) })
	}
}

// TestIncrementOfZero: incrementing $a0 or an unusable register traps.
func TestIncrementOfZero(t *testing.T) {
	for _, a := range []string{"$a5", "$a6", "0x0"} {
		for _, text := range []string{"ld $r9 b32 s[%s++0x8]", "add b32 $r9 $r8 c2[%s++0x8]", "and b32 $r9 $r8 c2[%s++0x8]", "ld b32 $r9 l[%s++0x8]", "st b32 s[%s++0x8] $r9"} {
			w := newWarp(t, tesla.G84, tesla.CP)
			text = fmt.Sprintf(text, a)
			if f := w.try(text); f == nil || f.Trap != ir.TrapInvalid || !strings.Contains(f.Error(), "ILLEGAL_POSTINCR") {
				t.Errorf("%s: %v", text, f)
			}
		}
	}
}

// TestOutputs: st to o[], with $a, and as a destination.
func TestOutputs(t *testing.T) {
	w := newWarp(t, tesla.G80, tesla.VP)
	w.set(8, func(lane int) uint32 { return uint32(lane)*3 + 7 })
	for lane := range tesla.Lanes {
		w.st.Set(addr(1), lane, uint32(4*(lane&7)))
	}
	w.run("st b32 o[$a1+0x10] $r8")
	for lane := range tesla.Lanes {
		for k := range 8 {
			want := uint32(0)
			if k == lane&7 {
				want = uint32(lane)*3 + 7
			}
			if got := w.st.Get(ir.Cell{File: tesla.FileO, Index: uint16(4 + k)}, lane); got != want {
				t.Fatalf("o[%#x] of thread %d is %d, want %d", 4*(4+k), lane, got, want)
			}
		}
	}
}

// TestAttributes: ld from a[], with $a and a lane mask.
func TestAttributes(t *testing.T) {
	for _, stage := range []int{tesla.VP, tesla.GP} {
		w := newWarp(t, tesla.G80, stage)
		for i := range uint32(inputWords) {
			for lane := range tesla.Lanes {
				w.input(i)[lane] = i*100 + uint32(lane)
			}
		}
		for lane := range tesla.Lanes {
			w.st.Set(addr(2), lane, uint32(4*(lane%5)))
		}
		w.run("ld b32 $r4 a[$a2+0x40]")
		w.want(4, func(lane int) uint32 { return uint32((16+lane%5)*100 + lane) })
		w.run("(l13) ld b32 $r5 a[0x8]")
		w.want(5, func(lane int) uint32 { return uint32(lane&1) * uint32(200+lane) })
	}
}

// TestMoves: of words, halves, $c, $a, special registers; lane masks.
func TestMoves(t *testing.T) {
	runAll(t, []inst{
		{text: "mov b32 {D} {A}", types: "ww--", can: "SMO", f: func(o *operands) (uint64, uint8) { return o.a, 0 }},
		{text: "mov b16 {D} {A}", types: "hh--", can: "SMO", f: func(o *operands) (uint64, uint8) { return o.a, 0 }},
		{text: "mov sfu b32 {D} {A}", types: "ww--", can: "SMO", f: func(o *operands) (uint64, uint8) { return o.a, 0 }},
		{text: "mov b32 {D} {B}", types: "w-w-", can: "IL", f: func(o *operands) (uint64, uint8) { return o.b, 0 }},
		{text: "mov b16 {D} {B}", types: "h-w-", can: "IL", f: func(o *operands) (uint64, uint8) { return o.b & 0xffff, 0 }},
	}, 4)
	for mask, name := range map[int]string{0: "lnone", 1: "l0", 2: "l1", 5: "l02", 14: "l123", 7: "l012"} {
		w := newWarp(t, tesla.G80, tesla.CP)
		w.set(8, always(9))
		w.run("(" + name + ") mov b32 $r4 $r8")
		w.want(4, func(lane int) uint32 { return uint32(mask>>(lane&3)&1) * 9 })
	}
	for c := range 4 {
		w := newWarp(t, tesla.G80, tesla.CP)
		w.set(8, func(lane int) uint32 { return 0xfffffff0 + uint32(lane&15) })
		w.run(fmt.Sprintf("mov $c%d $r8", c))
		w.wantFlags(c, func(lane int) uint8 { return uint8(lane & 15) })
		w.wantFlags((c+1)%4, func(int) uint8 { return 0 })
		w.run(fmt.Sprintf("mov $r4 $c%d", c))
		w.want(4, func(lane int) uint32 { return uint32(lane & 15) })
	}
}

// TestAddressRegisters: 16 bits each; $a0 is 0.
func TestAddressRegisters(t *testing.T) {
	for a := 1; a < 5; a++ {
		w := newWarp(t, tesla.G80, tesla.CP)
		value := func(lane int) uint32 { return uint32(lane)*0x12345 + 0x4321 }
		w.set(8, value)
		w.run(fmt.Sprintf("shl $a%d $r8 0x3", a))
		w.run(fmt.Sprintf("mov $r4 $a%d", a))
		w.want(4, func(lane int) uint32 { return value(lane) << 3 & 0xffff })
		w.run(fmt.Sprintf("add $a%d $a%d 0xfff1", a, a))
		w.run(fmt.Sprintf("mov $r5 $a%d", a))
		w.want(5, func(lane int) uint32 { return (value(lane)<<3 + 0xfff1) & 0xffff })
		w.run(fmt.Sprintf("add $a%d 0x0 0x1234", a))
		w.run(fmt.Sprintf("mov $r6 $a%d", a))
		w.want(6, always(0x1234))
		putWord(w.shared, 0x14, 0x9876)
		w.run(fmt.Sprintf("shl $a%d b32 s[0x14] 0xf", a))
		w.run(fmt.Sprintf("mov $r7 $a%d", a))
		w.want(7, always(0x9876<<15&0xffff))
		w.run("mov $r9 0x0")
		w.want(9, always(0))
	}
}

// atomics are the atomics of g[] by text and bytes, with the new value of memory. docs/reference/tesla.md 5.5.
var atomics = []struct {
	text  string // without ld and red
	bytes int
	from  int
	f     func(m, b, c uint64) uint64
}{
	{"add u32", 4, tesla.G84, func(m, b, _ uint64) uint64 { return m + b }},
	{"add s32", 4, tesla.G84, func(m, b, _ uint64) uint64 { return m + b }},
	{"add u64", 8, tesla.G200, func(m, b, _ uint64) uint64 { return m + b }},
	{"inc u32", 4, tesla.G84, func(m, b, _ uint64) uint64 {
		if m+1 > b {
			return 0
		}
		return m + 1
	}},
	{"dec u32", 4, tesla.G84, func(m, b, _ uint64) uint64 {
		if low := (m - 1) & 0xffffffff; low <= b {
			return low
		}
		return b
	}},
	{"max u32", 4, tesla.G84, func(m, b, _ uint64) uint64 { return max(m, b) }},
	{"min u32", 4, tesla.G84, func(m, b, _ uint64) uint64 { return min(m, b) }},
	{"max s32", 4, tesla.G84, func(m, b, _ uint64) uint64 { return uint64(max(int32(m), int32(b))) }},
	{"min s32", 4, tesla.G84, func(m, b, _ uint64) uint64 { return uint64(min(int32(m), int32(b))) }},
	{"and b32", 4, tesla.G84, func(m, b, _ uint64) uint64 { return m & b }},
	{"or b32", 4, tesla.G84, func(m, b, _ uint64) uint64 { return m | b }},
	{"xor b32", 4, tesla.G84, func(m, b, _ uint64) uint64 { return m ^ b }},
	{"exch b32", 4, tesla.G84, func(_, b, _ uint64) uint64 { return b }},
	{"exch b64", 8, tesla.G200, func(_, b, _ uint64) uint64 { return b }},
	{"cas b32", 4, tesla.G84, compareAndSwap},
	{"cas b64", 8, tesla.G200, compareAndSwap},
}

func compareAndSwap(m, b, c uint64) uint64 {
	if m == b {
		return c
	}
	return m
}

// TestAtomics: every operation, on one element per thread and on one element for all, with and without the old value.
func TestAtomics(t *testing.T) {
	for _, a := range atomics {
		for variant := a.from; variant < len(tesla.Set().Variants); variant++ {
			for _, spread := range []uint32{0, 8} {
				atomic(t, variant, a.text, a.bytes, spread, a.f)
			}
		}
	}
}

func atomic(t *testing.T, variant int, name string, bytes int, spread uint32, f func(m, b, c uint64) uint64) {
	rnd := rand.New(rand.NewPCG(uint64(spread), uint64(len(name))))
	suffix := map[int]string{4: "", 8: "d"}[bytes]
	two := strings.HasPrefix(name, "cas")
	ways := []string{"ld ", "red "}
	if two || strings.HasPrefix(name, "exch") {
		ways = []string{""}
	}
	low := ^uint64(0) >> (64 - 8*bytes)
	for _, way := range ways {
		w := newWarp(t, variant, tesla.CP)
		randomBytes(w.global(5), 3)
		var mem [128]uint64
		for i := range mem {
			mem[i] = value('q', rnd)
			putSized(w.global(5)[8*i:], mem[i], 8)
			mem[i] &= low
		}
		w.set(3, func(lane int) uint32 { return 8 + spread*uint32(lane) })
		var b, c [tesla.Lanes]uint64
		for lane := range b {
			if b[lane], c[lane] = value('q', rnd)&low, value('q', rnd)&low; two && lane%3 > 0 {
				b[lane] = mem[1+int(spread)/8*lane]
			}
		}
		for k, v := range []*[tesla.Lanes]uint64{&b, &c} {
			w.set(8+2*k, func(lane int) uint32 { return uint32(v[lane]) })
			w.set(9+2*k, func(lane int) uint32 { return uint32(v[lane] >> 32) })
		}
		w.setFlags(0, func(lane int) uint8 { return uint8(lane>>1) & flagZ })
		text := "(lg $c0) " + way + name
		if way != "red " {
			text += " $r20" + suffix
		}
		text += " g5[$r3] $r8" + suffix
		if two {
			text += " $r10" + suffix
		}
		w.run(text)
		for lane := range tesla.Lanes {
			if lane>>1&1 != 0 {
				continue
			}
			i := 1 + int(spread)/8*lane
			old := uint64(w.st.Get(reg(20), lane)) | uint64(w.st.Get(reg(21), lane))<<32
			if old &= low; way != "red " && old != mem[i] {
				t.Fatalf("%s: %s: thread %d reads %#x, want %#x", w.target, text, lane, old, mem[i])
			}
			mem[i] = f(mem[i], b[lane], c[lane]) & low
		}
		for i := range mem {
			if got := (uint64(word(w.global(5), 8*i)) | uint64(word(w.global(5), 8*i+4))<<32) & low; got != mem[i] {
				t.Fatalf("%s: %s: element %d is %#x, want %#x", w.target, text, i, got, mem[i])
			}
		}
	}
}

// TestLocks: every thread adds to a word under a lock, in a loop as compilers write it.
func TestLocks(t *testing.T) {
	for variant := tesla.G200; variant < len(tesla.Set().Variants); variant++ {
		w := threads(t, variant, tesla.CP)
		w.program(`
			and b32 $r4 $r1 0x3
			shl $a1 $r4 0x2
			joinat out
		again:	ld lock $c0 $r2 b32 s[$a1+0x40]
			(l $c0) bra got
			bra again
		got:	add b32 $r2 $r2 $r1
			st unlock b32 s[$a1+0x40] $r2
			bra out
		out:	join (never) nop
			add b32 $r3 $r3 0x1
			exit nop`)
		w.want(3, always(1))
		for i := range 4 {
			sum := uint32(0)
			for lane := i; lane < tesla.Lanes; lane += 4 {
				sum += uint32(lane)
			}
			if got := word(w.shared, 0x40+4*i); got != sum {
				t.Errorf("s[%#x] is %d, want %d", 0x40+4*i, got, sum)
			}
		}
	}
}

// TestMissingAddressRegisters: reading or writing $a5 to $a7 traps, in any operand, and nothing is written.
func TestMissingAddressRegisters(t *testing.T) {
	for n, want := range map[int]ir.TrapReason{5: ir.TrapInvalid, 6: ir.TrapInvalid, 7: ir.TrapUndefined} {
		for _, text := range []string{"mov $r4 $a%d", "add $a%d $a1 0x4", "add $a1 $a%d 0x4", "shl $a%d $r8 0x2", "ld $r4 b32 s[$a%d+0x8]",
			"add b32 $r4 $r8 c2[$a%d+0x8]", "ld b32 $r4 l[$a%d+0x8]", "st b32 s[$a%d+0x8] $r8"} {
			w := newWarp(t, tesla.G84, tesla.CP)
			w.set(4, always(9))
			text = fmt.Sprintf(text, n)
			if f := w.try(text); f == nil || f.Trap != want || !strings.Contains(f.Error(), fmt.Sprintf("$a%d", n)) {
				t.Errorf("%s: %v, want %v", text, f, want)
			}
			w.want(4, always(9))
			if got := w.st.Get(addr(n), 3) | w.st.Get(addr(1), 3); got != 0 {
				t.Errorf("%s: an address register is %#x", text, got)
			}
		}
	}
}
