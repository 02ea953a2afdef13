package mem

import (
	"bytes"
	"strings"
	"testing"
)

// TestPrivateLayout compares with a walk that enumerates bytes in order.
func TestPrivateLayout(t *testing.T) {
	for _, base := range []uint64{0, 8, 0x1003} {
		for _, unit := range []int{0, 1, 4, 16} {
			for _, lanes := range []int{1, 5, 64} {
				const size = 37
				p, err := NewPrivate(Extent{Base: base, Size: size, Rights: ReadWrite}, lanes, unit)
				if err != nil {
					t.Fatal(err)
				}
				seen := map[int]bool{}
				for lane := range lanes {
					for i := range size {
						at := p.Offset(lane, base+uint64(i))
						if seen[at] || at < 0 || at >= len(p.Data) {
							t.Fatalf("base %#x unit %d lanes %d: byte %d of lane %d is at %d of %d, alone: %v", base, unit, lanes, i, lane, at, len(p.Data), !seen[at])
						}
						seen[at] = true
					}
				}
				if unit == 0 {
					for lane := range lanes {
						if p.Offset(lane, base+size-1)-p.Offset(lane, base) != size-1 || p.Offset(lane, base)%8 != int(base%8) {
							t.Errorf("base %#x: lane %d is not in one piece, aligned as its address", base, lane)
						}
					}
					continue
				}
				at := 0 // units of all lanes, one after another
				for first := base &^ uint64(unit-1); first < base+size; first += uint64(unit) {
					for lane := range lanes {
						for k := range uint64(unit) {
							if x := first + k; x >= base && x < base+size && p.Offset(lane, x) != at {
								t.Fatalf("base %#x unit %d lanes %d: %#x of lane %d is at %d, want %d", base, unit, lanes, x, lane, p.Offset(lane, x), at)
							}
							at++
						}
					}
				}
			}
		}
	}
}

// TestPrivateReach: an access within a unit is a window, one across its end a device with the same bytes.
func TestPrivateReach(t *testing.T) {
	p, err := NewPrivate(Extent{Name: "stack", Base: 0x100, Size: 32, Rights: ReadWrite}, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	p.Space = "private"
	for lane := range 4 {
		for i := range uint64(32) {
			p.Data[p.Offset(lane, 0x100+i)] = byte(16*lane) ^ byte(i)
		}
	}
	at, f := p.Reach(2, 0x106, 2, 1, Read)
	if f != nil || !bytes.Equal(at.Bytes, []byte{0x26, 0x27}) || at.Device != nil {
		t.Errorf("%+v, %v", at, f)
	}
	at, f = p.Reach(3, 0x106, 4, 1, Read)
	if f != nil || at.Bytes != nil || !bytes.Equal(at.Load(make([]byte, 4)), []byte{0x36, 0x37, 0x38, 0x39}) {
		t.Errorf("%+v, %v", at, f)
	}
	at.Device.Store(at.Addr, []byte{1, 2, 3, 4})
	if old := at.Atomic(4, Add, 0x01010101, 0); old != 0x04030201 {
		t.Errorf("old value %#x", old)
	}
	for i, want := range []byte{2, 3, 4, 5} {
		if got := p.Data[p.Offset(3, 0x106+uint64(i))]; got != want {
			t.Errorf("byte %d is %d, want %d", i, got, want)
		}
	}
	for _, c := range []struct {
		lane              int
		addr, size, align uint64
		want              string
	}{
		{0, 0x11e, 4, 1, `private load of 4 bytes at 0x11e: ends past "stack" (0x100-0x120)`},
		{0, 0xfe, 4, 1, `private load of 4 bytes at 0xfe: starts before "stack" (0x100-0x120)`},
		{0, ^uint64(0), 4, 1, "private load of 4 bytes at 0xffffffffffffffff: wraps around the end of the address space"},
		{0, 0x102, 4, 4, "private load of 4 bytes at 0x102: address is not a multiple of 4"},
	} {
		if _, f := p.Reach(c.lane, c.addr, c.size, c.align, Read); f == nil || f.Error() != c.want {
			t.Errorf("%v, want %s", f, c.want)
		}
	}
	if _, f := p.Reach(4, 0x100, 4, 1, Read); f == nil || f.Kind != OutOfRange {
		t.Errorf("a lane too many: %v", f)
	}
	p.Rights = Read
	if _, f := p.Reach(0, 0x100, 4, 1, Write); f == nil || f.Kind != ReadOnly {
		t.Error(f)
	}
}

func TestPrivateRefused(t *testing.T) {
	for _, c := range []struct {
		e           Extent
		lanes, unit int
		want        string
	}{
		{Extent{Size: 4}, 0, 0, "0 lanes"}, {Extent{Size: 4}, 65, 0, "65 lanes"}, {Extent{}, 4, 0, "0 bytes"},
		{Extent{Size: 1 << 40}, 4, 0, "bytes a lane"}, {Extent{Base: ^uint64(0), Size: 2}, 4, 0, "wrap around"},
		{Extent{Size: 4}, 4, 3, "units of 3"}, {Extent{Size: 4}, 4, -4, "units of -4"},
	} {
		if _, err := NewPrivate(c.e, c.lanes, c.unit); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c, err, c.want)
		}
	}
}
