package mem

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// rowFormats are the named formats, and one of each conversion that has no name, of several numbers of bits.
func rowFormats(t *testing.T) (list []*Format) {
	for _, r := range formatRows {
		list = append(list, FormatOf(r.name))
	}
	for conv := Conv(Unorm); conv < numConvs; conv++ {
		for _, c := range []struct {
			bytes int
			comps string
		}{{4, "0+8 8+8 16+8 24+8"}, {4, "0+2 2+3 5+7 12+1"}, {8, "16+16 0+16 48+16 32+16"}, {8, "24+16 0+9 40+10 1"}, {4, "0+9 9+9 18+9 1"}, {2, "0+8 0+8 0+8 0"}, {4, "0+32 0 0 1"}} {
			if f, err := NewFormat(fmt.Sprint(conv, " ", c.comps), c.bytes, conv, c.comps); err == nil {
				list = append(list, f)
			}
		}
	}
	if len(list) < len(formatRows)+40 {
		t.Fatalf("%d formats: most conversions are missing", len(list))
	}
	return list
}

// TestTexelRows: texels of many lanes are converted as those of one lane, whatever the format.
func TestTexelRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	encoded := 0
	for _, f := range rowFormats(t) {
		tex := Texture{Target: Texture2D, Format: f, Width: 1, Height: 1, Levels: [][][]byte{{make([]byte, 16)}}}
		u, err := NewUnit(tex, Sampler{})
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			var in, got [4]Row
			var rows [4]*Row
			for k := range in {
				rows[k] = &in[k]
				for lane := range in[k] {
					if in[k][lane] = rnd.Uint32(); rnd.IntN(2) == 0 {
						in[k][lane] = 0x3f800000 - rnd.Uint32N(1<<25) + rnd.Uint32N(2)<<31 // near 1 and -1
					}
				}
			}
			n := 1 + rnd.IntN(rowLanes)
			check := func(what string, one func(x [4]uint32) [4]uint32) {
				for lane := range n {
					x := [4]uint32{in[0][lane], in[1][lane], in[2][lane], in[3][lane]}
					y := [4]uint32{got[0][lane], got[1][lane], got[2][lane], got[3][lane]}
					if want := one(x); y != want {
						t.Fatalf("%s %s of %x: %x, want %x", f.Name, what, x, y, want)
					}
				}
			}
			if !u.DecodeRows(&rows, n, &got) {
				t.Fatalf("%s is not decoded", f.Name)
			}
			check("decode", func(x [4]uint32) [4]uint32 { return u.Decode(x, 0, 0) })
			if u.EncodeRows(&rows, n, &got) {
				encoded++
				check("encode", func(x [4]uint32) [4]uint32 {
					raw, err := u.Encode(x)
					if err != nil {
						t.Fatalf("%s: %v", f.Name, err)
					}
					return raw
				})
			}
		}
	}
	if encoded < 20*len(formatRows) {
		t.Errorf("rows of %d formats are encoded", encoded/20)
	}
}

// TestBlockRows: places of many lanes are those of one lane, whatever the texture.
func TestBlockRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 24))
	found := 0
	for n := range 600 {
		target, layers := Target(n%int(numTargets)), 0
		if n%3 == 0 && target != Texture3D {
			layers = 2
		}
		u := oddlyPlaced(t, rnd, noise(rnd, target, layers))
		var at [5]Row
		one := rnd.IntN(2) == 0
		for i := range at {
			for lane := range at[i] {
				if at[i][lane] = rnd.Uint32N(9); rnd.IntN(16) == 0 {
					at[i][lane] = rnd.Uint32()
				}
				if i == 4 {
					at[i][lane] = rnd.Uint32N(3)
				}
				if i == 4 && one {
					at[i][lane] = at[i][0]
				}
			}
		}
		var got [4]Row
		need := rnd.Uint64() >> rnd.IntN(64)
		u.BlockRows(&Spots{At: [3]*Row{&at[0], &at[1], &at[2]}, Slice: &at[3], Level: &at[4]}, need, &got)
		for lane := range rowLanes {
			if need>>lane&1 == 0 {
				continue
			}
			addr, bytes := u.Block([3]uint32{at[0][lane], at[1][lane], at[2][lane]}, at[3][lane], at[4][lane])
			if got[0][lane] != uint32(addr) || got[1][lane] != uint32(addr>>32) || got[2][lane] != bytes {
				t.Fatalf("%s of %d layers: lane %d: %x %x %d, want %x %d", target, layers, lane, got[1][lane], got[0][lane], got[2][lane], addr, bytes)
			}
			if bytes > 0 {
				found++
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d texels exist", found)
	}
}

// oddlyPlaced returns a unit of a texture in guest memory, whose levels are stored in different ways.
func oddlyPlaced(t *testing.T, rnd *rand.Rand, tex Texture) *Unit {
	tex = guestOf(t, tex)
	for l := range tex.Guest.Levels {
		tex.Guest.Levels[l].First = rnd.Uint32N(3)
	}
	storeOddly(rnd, &tex)
	tex.Base = rnd.IntN(2)
	u, err := NewUnit(tex, Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// storeOddly stores some levels of a texture in other ways than in rows of adjacent texels.
func storeOddly(rnd *rand.Rand, tex *Texture) {
	swizzle, err := NewSwizzle([3]uint8{2, 2, 0}, []SwizzleBit{{1, 0, 0}, {0, 1, 0}, {2, 0, 0}, {0, 2, 0}}, 0)
	if err != nil {
		panic(err)
	}
	for l := range tex.Guest.Levels {
		p := &tex.Guest.Levels[l]
		switch rnd.IntN(6) {
		case 0:
			p.Swizzle = swizzle
		case 1:
			p.Twiddled, p.Logs = true, [3]uint8{3, 3, 2}
		case 2:
			p.Texel = 12
		case 3:
			p.Base = 0x14000 - p.Row*3 // the segment ends before the level
		}
	}
}
