package rogue

import (
	"math"
	"strings"
	"testing"
)

// fixedChannels are the formats of unsigned fixed point, and their numbers of channels.
var fixedChannels = map[uint32]int{
	0: 1, 2: 4, 3: 4, 4: 4, 5: 3, 7: 2, 9: 1, 12: 4, 14: 4, 15: 2, 21: 1, 22: 2, 23: 1, 29: 4, 32: 3, 39: 1, 58: 3, 83: 4, 85: 4, 87: 2,
}

// curvedChannels are the channels that gamma acts on, of so many; ok is false if the value has no name. Mesa's
// rogue/texstate.xml has TWOCOMP_GAMMA, bits 3 and 4: OFF 0, R 1, RG 3, and for other formats GAMMA, bit 3: OFF 0, ON
// 1.
func curvedChannels(n, gamma int) (list [4]bool, ok bool) {
	two := n == 2
	switch {
	case gamma == 0:
	case gamma == 1 && two:
		list = [4]bool{true}
	case gamma == 3 && two:
		list = [4]bool{true, true}
	case gamma == 1:
		list = [4]bool{true, n > 1, n > 2}
	default:
		return list, false
	}
	return list, true
}

func fromSRGB(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// TestGamma: which channels of fixed point the field gamma curves, by how many channels a format has
// (docs/reference/rogue.md 7.4). Others are as they are with any gamma that has a name.
func TestGamma(t *testing.T) {
	raw := []byte{0x95, 0x3a, 0xc6, 0x71, 0x5b, 0xd2, 0x69, 0x4e, 0x27, 0xb8, 0x83, 0x1d, 0xe4, 0x7c, 0x36, 0xaf}
	fixed := 0
	for i := range formats {
		x := &formats[i]
		if x.kind == 'U' {
			fixed++
			if fixedChannels[x.code] == 0 {
				t.Errorf("format %d is not in the table of this test", x.code)
			}
		}
		for gamma := range 4 {
			state := func(gamma int) *words {
				s := image(4, uint64(x.code), 1, 1).put(0, 3, uint64(gamma))
				return &words{uint32(s[0]), uint32(s[0] >> 32), uint32(s[1]), uint32(s[1] >> 32)}
			}
			plain, err := formatOf(state(0), true)
			if err != nil {
				t.Fatal(err)
			}
			f, err := formatOf(state(gamma), true)
			n := strings.Count(x.fields, "+")
			list, ok := curvedChannels(n, gamma)
			if ok != (err == nil) {
				t.Errorf("format %d, gamma %d: %v", x.code, gamma, err)
			}
			if !ok || err != nil {
				continue
			}
			if x.kind != 'U' {
				list = [4]bool{}
			} else if n != fixedChannels[x.code] {
				t.Errorf("format %d has %d channels", x.code, n)
			}
			was := plain.Decode(raw)
			for k, got := range f.Decode(raw) {
				want := float64(was[k])
				if list[k] {
					want = fromSRGB(want)
				}
				if math.Abs(float64(got)-want) > 1e-6 && !(math.IsNaN(want) && got != got) && float64(got) != want {
					t.Errorf("format %d, gamma %d: channel %d is %g, want %g", x.code, gamma, k, got, want)
				}
			}
		}
	}
	if fixed != len(fixedChannels) {
		t.Errorf("%d formats of fixed point, want %d", fixed, len(fixedChannels))
	}
}
