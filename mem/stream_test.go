package mem

import (
	"encoding/binary"
	"math"
	"testing"
)

// components are the formats of stream components: bytes, and the number that each represents, from its definition.
var components = []struct {
	format string
	bytes  []byte
	want   float64
}{
	{"unorm8", []byte{0xff}, 1}, {"unorm8", []byte{0x33}, 0.2}, {"snorm8", []byte{0x7f}, 1}, {"snorm8", []byte{0x81}, -1}, {"snorm8", []byte{0x80}, -128.0 / 127},
	{"unorm16", []byte{0xff, 0xff}, 1}, {"unorm16", []byte{0, 0x80}, 32768.0 / 65535}, {"snorm16", []byte{0xff, 0x7f}, 1}, {"snorm16", []byte{0, 0x80}, -32768.0 / 32767},
	{"unorm32", []byte{0, 0, 0, 0x80}, 0.5}, {"unorm32", []byte{0xff, 0xff, 0xff, 0xff}, 1}, {"snorm32", []byte{0, 0, 0, 0xc0}, -0.5}, {"snorm32", []byte{0, 0, 0, 0x40}, 0.5},
	{"uint8", []byte{0xfe}, 254}, {"sint8", []byte{0xfe}, -2}, {"uint16", []byte{0xfe, 0xff}, 65534}, {"sint16", []byte{0xfe, 0xff}, -2},
	{"uint32", []byte{0, 0, 0, 0xff}, 0xff000000}, {"sint32", []byte{0, 0, 0, 0xff}, -0x1000000}, {"float16", []byte{0, 0xc2}, -3}, {"float32", []byte{0, 0, 0x40, 0xc0}, -3},
}

// TestStream: elements of one to four components of each format, the others from the default, at an index, with a
// stride, and with x and z swapped.
func TestStream(t *testing.T) {
	const base, stride, index = 0x1000, 40, 3
	seen := map[string]bool{}
	for _, c := range components {
		f := StreamFormatOf(c.format)
		if f == nil || f.Bytes != len(c.bytes) {
			t.Fatalf("format %s: %+v", c.format, f)
		}
		seen[c.format] = true
		for n := 1; n <= 4; n++ {
			for _, bgr := range []bool{false, true} {
				s := space(t, NewSegment("attributes", base, 4*stride, Read))
				data := s.Segments()[0].Data
				for i := range n { // component i is the number in the case, or zeros
					if i != 1 {
						copy(data[index*stride+i*len(c.bytes):], c.bytes)
					}
				}
				x := &Stream{Addr: base, Stride: stride, Format: f, Elements: n, BGR: bgr, Default: [4]uint32{1, 2, 3, 4}}
				got, fault := x.Read(s, &Cursor{}, index)
				if fault != nil || x.Bytes() != n*len(c.bytes) {
					t.Fatal(fault)
				}
				want := [4]uint32{1, 2, 3, 4}
				for i := range n {
					v := float32(c.want)
					if i == 1 {
						v = 0
					}
					want[i] = math.Float32bits(v)
				}
				if bgr {
					want = [4]uint32{want[2], want[1], want[0], want[3]}
				}
				for i := range want { // computed with a reciprocal, so the last bit may differ
					if d := int64(got[i]) - int64(want[i]); d < -1 || d > 1 {
						t.Errorf("%s x %d, bgr %t: %#x, want %#x", c.format, n, bgr, got, want)
						break
					}
				}
			}
		}
	}
	if len(seen) != len(streamFormats) {
		t.Errorf("%d of %d formats", len(seen), len(streamFormats))
	}
}

// TestStreamEdges: the last element of a segment and the one after it, and an inactive stream.
func TestStreamEdges(t *testing.T) {
	const base = 0x1000
	s := space(t, NewSegment("attributes", base, 64, Read))
	x := &Stream{Addr: base, Stride: 16, Format: StreamFormatOf("float32"), Elements: 4}
	if _, f := x.Read(s, &Cursor{}, 3); f != nil {
		t.Errorf("the last element: %v", f)
	}
	if _, f := x.Read(s, &Cursor{}, 4); f == nil || f.Addr != base+64 || f.Size != 16 {
		t.Errorf("one behind it: %v", f)
	}
	if got, f := (&Stream{Default: [4]uint32{9, 8, 7, 6}}).Read(s, &Cursor{}, 1<<31); f != nil || got != [4]uint32{9, 8, 7, 6} {
		t.Errorf("an inactive stream: %v, %v", got, f)
	}
	if StreamFormatOf("float64") != nil {
		t.Error("a format that does not exist")
	}
}

// TestPrivateModel: every access of 1 to 8 bytes of every lane, in every layout and from unaligned bases, accesses
// the lane's own bytes and no others.
func TestPrivateModel(t *testing.T) {
	const lanes, size = 3, 21
	for _, unit := range []int{0, 1, 2, 4, 8, 16, 64} {
		for _, base := range []uint64{0, 0x100, 0x103, math.MaxUint64 - size + 1} {
			p, err := NewPrivate(Extent{Name: "own", Base: base, Size: size, Rights: ReadWrite}, lanes, unit)
			if err != nil {
				t.Fatal(err)
			}
			var model [lanes][size]byte
			n := byte(0)
			for lane := range lanes {
				for off := range uint64(size) + 2 {
					for width := uint64(1); width <= 8; width++ {
						at, f := p.Reach(lane, base+off, width, 1, ReadWrite)
						if (f == nil) != (off+width <= size) {
							t.Fatalf("unit %d, base %#x: %d bytes at +%d: %v", unit, base, width, off, f)
						}
						if f != nil {
							continue
						}
						b := make([]byte, width)
						if got := at.Load(b); string(got) != string(model[lane][off:off+width]) {
							t.Fatalf("unit %d, base %#x, lane %d: % x at +%d, want % x", unit, base, lane, got, off, model[lane][off:off+width])
						}
						for i := range b {
							n++
							b[i], model[lane][off+uint64(i)] = n, n
						}
						if at.Device != nil {
							at.Device.Store(at.Addr, b)
						} else {
							copy(at.Bytes, b)
						}
					}
				}
			}
			for lane := range lanes {
				for off := range uint64(size) {
					if got := p.Data[p.Offset(lane, base+off)]; got != model[lane][off] {
						t.Fatalf("unit %d, base %#x, lane %d: byte %d is %#x, want %#x", unit, base, lane, off, got, model[lane][off])
					}
				}
			}
		}
	}
}

// TestWrapAndSteps: the operations that compare with their operand, at and next to it.
func TestWrapAndSteps(t *testing.T) {
	for _, c := range []struct {
		op                   AtomicOp
		old, data, cmp, want uint64
	}{
		{Wrap, 4, 5, 9, 13}, {Wrap, 5, 5, 9, 0}, {Wrap, 6, 5, 9, 1}, {Wrap, 0, 0, 9, 0},
		{Inc, 4, 5, 0, 5}, {Inc, 5, 5, 0, 0}, {Inc, 6, 5, 0, 0}, {Dec, 5, 5, 0, 4}, {Dec, 6, 5, 0, 5}, {Dec, 0, 5, 0, 5}, {Dec, 0, 0, 0, 0},
		{SMin, 0x7fffffff, 0x80000000, 0, 0x80000000}, {SMax, 0x7fffffff, 0x80000000, 0, 0x7fffffff}, {UMin, 0x7fffffff, 0x80000000, 0, 0x7fffffff},
	} {
		w := Alloc(4)
		binary.LittleEndian.PutUint32(w, uint32(c.old))
		if was := Atomic(w, c.op, c.data, c.cmp); was != c.old || uint64(binary.LittleEndian.Uint32(w)) != c.want {
			t.Errorf("%v of %#x, %#x and %#x leaves % x, want %#x", c.op, c.old, c.data, c.cmp, w, c.want)
		}
	}
}

// TestCloneAsks: a copy of a space, and of an overlay, has the same Miss.
func TestCloneAsks(t *testing.T) {
	s := inOut(t)
	calls := map[uint64]int{}
	s.Miss = pages(0xa000, calls)
	o, err := s.Overlay(NewSegment("own", 0x20000, 64, ReadWrite))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range []*Space{s.Clone(), o.Clone()} {
		if _, f := x.At(&Cursor{}, 0x9000, 1, Read); f != nil || calls[9] != i+1 {
			t.Errorf("copy %d: %v, %v", i, f, calls)
		}
	}
	if _, ok := s.Find(0x9000); ok {
		t.Error("the page reached the space that was copied")
	}
}
