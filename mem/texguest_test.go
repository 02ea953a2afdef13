package mem

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// guestOf returns a texture with the texels of t in guest memory, with padding between rows and slices.
func guestOf(t *testing.T, tex Texture) Texture {
	t.Helper()
	data := NewSegment("texels", 0x4000, 1<<16, Read)
	space, err := NewSpace("global", data)
	if err != nil {
		t.Fatal(err)
	}
	at, n := uint64(0x4000), tex.Format.Bytes
	p := &Placement{Space: space}
	for l, slices := range tex.Levels {
		size := tex.Size(l)
		row := uint64((size[0] + 3) * n)
		plane := Plane{Base: at, Row: row, Slice: row*uint64(size[1]) + 5}
		p.Levels = append(p.Levels, plane)
		for s, texels := range slices {
			for z := range size[2] {
				for y := range size[1] {
					to := plane.Base - 0x4000 + uint64(s+z)*plane.Slice + uint64(y)*row
					copy(data.Data[to:], texels[n*size[0]*(z*size[1]+y):][:n*size[0]])
				}
			}
		}
		at += plane.Slice * uint64(len(slices)*size[2])
	}
	tex.Levels, tex.Guest = nil, p
	return tex
}

// noise is a texture of random bytes.
func noise(r *rand.Rand, target Target, layers int) Texture {
	tex := Texture{Target: target, Format: FormatOf("RGBA8888"), Width: 7, Height: 5, Depth: 3, Layers: layers, Last: 2}
	if target == TextureCube {
		tex.Height = 7
	}
	for l := range 3 {
		size := tex.Size(l)
		var level [][]byte
		for range tex.slices() {
			b := make([]byte, size[0]*size[1]*size[2]*4)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			level = append(level, b)
		}
		tex.Levels = append(tex.Levels, level)
	}
	return tex
}

func randomQuad(r *rand.Rand) *Quad {
	q := &Quad{Need: uint8(1 + r.IntN(15)), Lod: LodKind(r.IntN(int(LodSlopes) + 1))}
	for lane := range 4 {
		for i := range 3 {
			q.Coord[lane][i] = r.Float32()*3 - 1
			q.Dx[lane][i], q.Dy[lane][i] = r.Float32()-0.5, r.Float32()-0.5
			q.Offset[lane][i] = int8(r.IntN(16) - 8)
		}
		q.W[lane], q.Slice[lane], q.Least[lane], q.Ref[lane] = r.Float32()*4-1, r.Float32()*30-3, r.Float32()*2, r.Float32()
	}
	q.Limit = r.IntN(2) == 0
	return q
}

// TestGuest: texels in guest memory equal those of a texture of its own, whatever the target, modes and sample.
func TestGuest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 600 {
		target, layers := Target(i%4), 0
		if target != Texture3D && i%3 == 0 {
			layers = 1 + r.IntN(3)
		}
		own := noise(r, target, layers)
		s := Sampler{Min: Filter(r.IntN(2)), Mag: Filter(r.IntN(2)), Mip: MipFilter(r.IntN(3)), MaxLod: 5, Border: [4]float32{1, 2, 3, 4},
			Compare: Compare(r.IntN(3)), Rules: Rules{Face: FaceRule(r.IntN(3)), Wrap: WrapTexel, Border: BorderRule(r.IntN(2)), Lod: LodRule(r.IntN(2)), Ref: RefRule(r.IntN(3))}}
		for k := range s.Wrap {
			s.Wrap[k] = WrapMode(r.IntN(int(numWraps)))
		}
		a, err := NewUnit(own, s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewUnit(guestOf(t, own), s)
		if err != nil {
			t.Fatal(err)
		}
		q := randomQuad(r)
		p := *q
		switch i / 4 % 3 {
		case 0:
			a.Sample(q)
			b.Sample(&p)
		case 1:
			a.Gather(q, uint8(i%4))
			b.Gather(&p, uint8(i%4))
		case 2:
			a.Lods(q)
			b.Lods(&p)
		}
		if q.Texel != p.Texel || p.Fault != nil {
			t.Fatalf("%s, %d layers, %+v: %x, in guest memory %x, fault %v", target, layers, s, q.Texel, p.Texel, p.Fault)
		}
	}
}

// TestGuestFault: a texel that memory refuses is reported, and counts as 0.
func TestGuestFault(t *testing.T) {
	tex := guestOf(t, noise(rand.New(rand.NewPCG(1, 1)), Texture2D, 0))
	tex.Guest.Levels[0].Base = 0x4000 - 4
	u, err := NewUnit(tex, Sampler{Rules: Rules{Wrap: WrapTexel}})
	if err != nil {
		t.Fatal(err)
	}
	q := &Quad{Need: 15, Lod: LodZero}
	for lane := range 4 {
		q.Coord[lane][0] = float32(lane) / 7 // lane 0 hits the texel before the segment
	}
	u.Sample(q)
	if q.Fault == nil || q.Fault.Addr != 0x3ffc || q.Texel[0] != [4]uint32{} || q.Texel[1] == [4]uint32{} {
		t.Errorf("fault %v, texels %x", q.Fault, q.Texel)
	}
	q.Need = 14
	if u.Sample(q); q.Fault != nil {
		t.Errorf("a fault of a lane that asks for nothing: %v", q.Fault)
	}
	for _, spoil := range []func(*Texture){
		func(t *Texture) { t.Guest.Space = nil },
		func(t *Texture) { t.Levels = [][][]byte{{nil}} },
		func(t *Texture) { t.Layers = -1 },
		func(t *Texture) { t.Layers, t.Target = 2, Texture3D },
		func(t *Texture) { t.Base, t.Last = 3, 3 },
	} {
		bad := guestOf(t, noise(rand.New(rand.NewPCG(1, 1)), Texture2D, 0))
		if spoil(&bad); bad.Check() == nil {
			t.Errorf("%+v is no error", bad)
		}
	}
}

// TestMirrorOnce: the three modes equal their plain modes at the mirrored coordinate.
func TestMirrorOnce(t *testing.T) {
	for mirror, plain := range map[WrapMode]WrapMode{MirrorClamp: Clamp, MirrorClampToEdge: ClampToEdge, MirrorClampToBorder: ClampToBorder} {
		for _, rule := range []WrapRule{WrapCoordinate, WrapTexel} {
			for _, f := range []Filter{Nearest, Linear} {
				s := Sampler{Min: f, Mag: f, Border: [4]float32{9, 9, 9, 9}, Rules: Rules{Wrap: rule, Border: BorderColour}}
				s.Wrap[0] = mirror
				a, err := NewUnit(ramp(5), s)
				if err != nil {
					t.Fatal(err)
				}
				s.Wrap[0] = plain
				b, err := NewUnit(ramp(5), s)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 200 {
					x := float32(i-100)/37 + 0.001
					if f == Linear && abs(x) < 0.1 {
						continue // between the two texels of number 0
					}
					if mirror == MirrorClamp && f == Nearest && rule == WrapTexel && x <= -1 {
						continue // on the edge of the last texel from the other side
					}
					p, q := &Quad{Need: 1, Lod: LodZero}, &Quad{Need: 1, Lod: LodZero}
					p.Coord[0][0], q.Coord[0][0] = x, abs(x)
					a.Sample(p)
					b.Sample(q)
					for k := range 4 {
						u, v := math.Float32frombits(p.Texel[0][k]), math.Float32frombits(q.Texel[0][k])
						if abs(u-v) > 1e-4 {
							t.Fatalf("%s, rule %d, filter %d at %v: %v, %s at %v: %v", mirror, rule, f, x, u, plain, abs(x), v)
						}
					}
				}
			}
		}
	}
}

// TestPlaces: integer coordinates inside have addresses one texel, row and slice apart; outside there is nothing.
func TestPlaces(t *testing.T) {
	tex := noise(rand.New(rand.NewPCG(1, 1)), TextureCube, 2)
	tex.Base = 1
	guest := guestOf(t, tex)
	u, err := NewUnit(guest, Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	p := guest.Guest.Levels[1]
	for _, c := range []struct {
		at           [3]uint32
		slice, level uint32
		want         uint64 // 0: none
	}{
		{[3]uint32{0, 0, 7}, 0, 0, p.Base}, {[3]uint32{2, 1, 0}, 11, 0, p.Base + 8 + p.Row + 11*p.Slice}, {[3]uint32{3, 0, 0}, 0, 0, 0},
		{[3]uint32{0, 3, 0}, 0, 0, 0}, {[3]uint32{0, 0, 0}, 12, 0, 0}, {[3]uint32{0, 0, 0}, 0, 2, 0}, {[3]uint32{0, 0, 0}, 0, math.MaxUint32, 0},
		{[3]uint32{math.MaxUint32, 0, 0}, 0, 0, 0},
	} {
		addr, n := u.Place(c.at, c.slice, c.level)
		if c.want == 0 && n != 0 || c.want != 0 && (addr != c.want || n != 4) {
			t.Errorf("%v of slice %d, level %d: %d bytes at %#x, want %#x", c.at, c.slice, c.level, n, addr, c.want)
		}
	}
	if d := u.Dims(0); d != [4]uint32{3, 3, 2, 2} {
		t.Errorf("level 0: %v", d)
	}
	if d := u.Dims(2); d != [4]uint32{0, 0, 0, 2} {
		t.Errorf("level 2: %v", d)
	}
	own, err := NewUnit(noise(rand.New(rand.NewPCG(1, 1)), Texture2D, 0), Sampler{})
	if err != nil {
		t.Fatal(err)
	}
	if _, n := own.Place([3]uint32{}, 0, 0); n != 0 {
		t.Error("a texture of its own has a place in guest memory")
	}
}

// TestEncode: the encoded bytes of a texel, against explicit values.
func TestEncode(t *testing.T) {
	inf, nan := math.Float32bits(float32(math.Inf(1))), uint32(0x7fc01234)
	f := math.Float32bits
	for _, c := range []struct {
		format string
		bytes  int
		conv   Conv
		comps  string
		in     [4]uint32
		want   uint32 // the first four bytes
	}{
		{"clamped", 4, Unorm, "0+8 8+8 16+8 24+8", [4]uint32{f(2), f(-1), nan, inf}, 0xff0000ff},
		{"ties", 4, Unorm, "0+8 8+8 16+8 24+8", [4]uint32{f(0.5), f(1.0 / 255), f(1.5 / 255), 0}, 0x00020180},
		{"signed", 4, SnormEdge, "0+8 8+8 16+8 24+8", [4]uint32{f(-1), f(-3), f(1), f(0.5)}, 0x407f8181},
		{"odd", 4, SnormOdd, "0+8 8+8 16+8 24+8", [4]uint32{f(-1), f(1), f(0), f(1.0 / 255)}, 0x00007f80},
		{"scaled", 4, UScaled, "0+8 8+8 16+8 24+8", [4]uint32{f(2.5), f(3.5), f(300), f(-2)}, 0x00ff0402},
		{"signed scaled", 4, SScaled, "0+8 8+8 16+8 24+8", [4]uint32{f(-2.5), f(-200), f(200), nan}, 0x007f80fe},
		{"integers", 4, UInt, "0+8 8+8 16+8 24+8", [4]uint32{255, 256, 1 << 31, 7}, 0x07ffffff},
		{"signed integers", 4, SInt, "0+8 8+8 16+8 24+8", [4]uint32{^uint32(0), ^uint32(199), 200, 7}, 0x077f80ff},
		{"selected", 4, UInt, "8+8 8+8 0 1", [4]uint32{1, 2, 3, 4}, 0x00000100},
		{"half", 4, Float, "0+16 16+16 0 1", [4]uint32{f(65536), f(-1.0009766), 0, 0}, 0xbc017c00},
		{"small", 4, Float, "0+11 11+11 22+10 1", [4]uint32{f(1), f(-1), f(2), 0}, 0x3c0 | 0x200<<22},
		{"small rounds", 4, Float, "0+11 11+11 22+10 1", [4]uint32{f(1 + 1.0/128), f(1 + 3.0/128), f(1 + 1.0/64), 0}, 0x3c0 | 0x3c2<<11 | 0x1e0<<22},
		{"small rounds once", 4, Float, "0+11 11+11 22+10 1", [4]uint32{f(1 + 1.0/128 + 1.0/(1<<20)), 0, 0, 0}, 0x3c1},
		{"small special", 4, Float, "0+11 11+11 22+10 1", [4]uint32{inf, nan, nan, 0}, 0x7c0 | 0x7e0<<11 | 0x3f0<<22},
		{"whole", 4, Float, "0+32 0 0 1", [4]uint32{nan}, nan},
	} {
		form, err := NewFormat(c.format, c.bytes, c.conv, c.comps)
		if err != nil {
			t.Fatal(err)
		}
		b := []byte{1, 1, 1, 1, 0xee}
		form.Encode(b, c.in)
		if got := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24; got != c.want || b[4] != 0xee {
			t.Errorf("%s: %#x, want %#x", c.format, got, c.want)
		}
	}
	for _, conv := range []Conv{SRGB, SharedExp} {
		form, err := NewFormat("x", 4, conv, "0+8 8+8 16+8 1")
		if err != nil {
			t.Fatal(err)
		}
		if err := form.Stores(); err == nil || !strings.Contains(err.Error(), "format x") {
			t.Errorf("conversion %d: %v", conv, err)
		}
	}
}
