package mem

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// A blockFields sets bit fields of a block of 64 bits.
type blockFields uint64

func (b *blockFields) put(at, bits, v int) {
	*b |= blockFields(uint64(v)&(1<<bits-1)) << at
}

// indices sets random indices of two bits in a block, and returns them by x and y.
func (b *blockFields) indices(rnd *rand.Rand) (index [4][4]int) {
	for x := range 4 {
		for y := range 4 {
			index[x][y] = rnd.IntN(4)
			b.put(4*x+y, 1, index[x][y]&1)
			b.put(16+4*x+y, 1, index[x][y]>>1)
		}
	}
	return index
}

func to8(v, bits int) int { return int(uint(v)<<(8-bits)) | v>>(2*bits-8) }

func limited(v int) int { return min(max(v, 0), 255) }

// holdBlock compares all texels of a block with colours of 8 bits; negative alpha means transparent.
func holdBlock(t *testing.T, name string, kind BlockKind, data []byte, want func(x, y int) [4]int) {
	t.Helper()
	f := NewBlocks(name, Blocks{Kind: kind, From: [4]uint8{0, 1, 2, 3}})
	for x := range 4 {
		for y := range 4 {
			got, w := f.Blocks.decode(data, x, y), want(x, y)
			for i := range w {
				v := float32(limited(w[i])) / 255
				if got[i] != v {
					t.Fatalf("%s: % x at %d, %d, component %d: %v, want %v", name, data, x, y, i, got[i], v)
				}
			}
		}
	}
}

func (b blockFields) bytes() []byte { return binary.BigEndian.AppendUint64(nil, uint64(b)) }

// steps of ETC: small and large, by table; distances of T and H.
var (
	smallSteps = [8]int{2, 5, 9, 13, 18, 24, 33, 47}
	largeSteps = [8]int{8, 17, 29, 42, 60, 80, 106, 183}
	distances  = [8]int{3, 6, 11, 16, 23, 32, 41, 64}
)

// TestHalves: blocks of two colours, of four bits each or five and a difference, with halves side by side or one
// above the other; with transparent texels.
func TestHalves(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 62))
	for range 400 {
		var b blockFields
		flip, tables := rnd.IntN(2), [2]int{rnd.IntN(8), rnd.IntN(8)}
		b.put(32, 1, flip)
		b.put(37, 3, tables[0])
		b.put(34, 3, tables[1])
		var c [2][3]int
		kind, differs := BlockKind(rnd.IntN(3)), rnd.IntN(2)
		if b.put(33, 1, differs); differs == 1 || kind == ETC2Punch {
			for i := range 3 {
				v := rnd.IntN(32)
				d := max(min(rnd.IntN(8)-4, 31-v), -v)
				b.put(59-8*i, 5, v)
				b.put(56-8*i, 3, d)
				c[0][i], c[1][i] = to8(v, 5), to8(v+d, 5)
			}
		} else {
			for i := range 3 {
				for half := range 2 {
					v := rnd.IntN(16)
					b.put(60-8*i-4*half, 4, v)
					c[half][i] = 17 * v
				}
			}
		}
		index := b.indices(rnd)
		data, alpha := b.bytes(), 255
		if kind == ETC2RGBA { // of one step
			alpha = rnd.IntN(256)
			data = append([]byte{byte(alpha), 0, 0, 0, 0, 0, 0, 0}, data...)
		}
		holdBlock(t, "halves", kind, data, func(x, y int) [4]int {
			half := [2]int{x / 2, y / 2}[flip]
			step := [2]int{smallSteps[tables[half]], largeSteps[tables[half]]}[index[x][y]&1]
			if kind == ETC2Punch && differs == 0 {
				if index[x][y] == 2 {
					return [4]int{}
				}
				step *= index[x][y] & 1
			}
			if index[x][y] > 1 {
				step = -step
			}
			p := c[half]
			return [4]int{p[0] + step, p[1] + step, p[2] + step, alpha}
		})
	}
}

// TestFarColours: the modes that are selected by differences out of range: T by red, H by green, planar by blue.
func TestFarColours(t *testing.T) {
	rnd := rand.New(rand.NewPCG(63, 64))
	for range 2000 {
		var b blockFields
		b.put(33, 1, 1)
		index := b.indices(rnd)
		r, g, bl := [2]int{rnd.IntN(16), rnd.IntN(16)}, [2]int{rnd.IntN(16), rnd.IntN(16)}, [2]int{rnd.IntN(16), rnd.IntN(16)}
		d := rnd.IntN(8)
		free := rnd.Uint64()
		if rnd.IntN(2) == 0 { // T
			b |= blockFields(free) & (7<<61 | 1<<58)
			b.put(59, 2, r[0]>>2)
			b.put(56, 2, r[0])
			b.put(52, 4, g[0])
			b.put(48, 4, bl[0])
			b.put(44, 4, r[1])
			b.put(40, 4, g[1])
			b.put(36, 4, bl[1])
			b.put(34, 2, d>>1)
			b.put(32, 1, d)
			if red, by := int(b>>59&31), int(int8(b>>56&7<<5)>>5); red+by >= 0 && red+by <= 31 {
				continue
			}
			holdBlock(t, "T", ETC2RGB, b.bytes(), func(x, y int) [4]int {
				if i := index[x][y]; i > 0 {
					by := [4]int{1: distances[d], 3: -distances[d]}[i]
					return [4]int{17*r[1] + by, 17*g[1] + by, 17*bl[1] + by, 255}
				}
				return [4]int{17 * r[0], 17 * g[0], 17 * bl[0], 255}
			})
			continue
		}
		b |= blockFields(free) & (1<<63 | 7<<53 | 1<<50)
		b.put(59, 4, r[0])
		b.put(56, 3, g[0]>>1)
		b.put(52, 1, g[0])
		b.put(51, 1, bl[0]>>3)
		b.put(47, 3, bl[0])
		b.put(43, 4, r[1])
		b.put(39, 4, g[1])
		b.put(35, 4, bl[1])
		d &^= 1
		b.put(34, 1, d>>2)
		b.put(32, 1, d>>1)
		if r[0]*256+g[0]*16+bl[0] >= r[1]*256+g[1]*16+bl[1] {
			d |= 1
		}
		red, byR := int(b>>59&31), int(int8(b>>56&7<<5)>>5)
		green, byG := int(b>>51&31), int(int8(b>>48&7<<5)>>5)
		if red+byR < 0 || red+byR > 31 || green+byG >= 0 && green+byG <= 31 {
			continue
		}
		holdBlock(t, "H", ETC2RGB, b.bytes(), func(x, y int) [4]int {
			of, by := index[x][y]/2, [2]int{distances[d], -distances[d]}[index[x][y]&1]
			return [4]int{17*r[of] + by, 17*g[of] + by, 17*bl[of] + by, 255}
		})
	}
}

// TestPlanar: a plane through three colours.
func TestPlanar(t *testing.T) {
	rnd := rand.New(rand.NewPCG(65, 66))
	done := 0
	for range 20000 {
		free := rnd.Uint64()
		b := blockFields(free) & (1<<63 | 1<<55 | 7<<45 | 1<<42)
		b.put(33, 1, 1)
		var c [3][3]int // origin, along x, along y
		for i := range c {
			c[i] = [3]int{rnd.IntN(64), rnd.IntN(128), rnd.IntN(64)}
		}
		o := c[0]
		b.put(57, 6, o[0])
		b.put(56, 1, o[1]>>6)
		b.put(49, 6, o[1])
		b.put(48, 1, o[2]>>5)
		b.put(43, 2, o[2]>>3)
		b.put(39, 3, o[2])
		b.put(34, 5, c[1][0]>>1)
		b.put(32, 1, c[1][0])
		b.put(25, 7, c[1][1])
		b.put(19, 6, c[1][2])
		b.put(13, 6, c[2][0])
		b.put(6, 7, c[2][1])
		b.put(0, 6, c[2][2])
		stays := func(at int) bool {
			v := int(b>>(at+3)&31) + int(int8(b>>at&7<<5)>>5)
			return v >= 0 && v <= 31
		}
		if !stays(56) || !stays(48) || stays(40) {
			continue
		}
		done++
		holdBlock(t, "planar", ETC2RGB, b.bytes(), func(x, y int) (w [4]int) {
			for i := range 3 {
				var v [3]int
				for k := range v {
					v[k] = to8(c[k][i], [3]int{6, 7, 6}[i])
				}
				w[i] = int(math.Floor(float64(x*(v[1]-v[0])+y*(v[2]-v[0])+4*v[0]+2) / 4))
			}
			w[3] = 255
			return w
		})
	}
	if done < 50 {
		t.Errorf("%d blocks", done)
	}
}

// An eacHalf is eight bytes of EAC, and the values that they encode.
type eacHalf struct {
	base, multiplier int
	table            [8]int
	index            [4][4]int
	bytes            []byte
}

func newEACHalf(rnd *rand.Rand) (h eacHalf) {
	tables := map[int][8]int{0: {-3, -6, -9, -15, 2, 5, 8, 14}, 5: {-3, -7, -9, -11, 2, 6, 8, 10}, 13: {-1, -2, -3, -10, 0, 1, 2, 9}, 15: {-3, -5, -7, -9, 2, 4, 6, 8}}
	var b blockFields
	h.base, h.multiplier = rnd.IntN(256), rnd.IntN(16)
	table := []int{0, 5, 13, 15}[rnd.IntN(4)]
	h.table = tables[table]
	b.put(56, 8, h.base)
	b.put(52, 4, h.multiplier)
	b.put(48, 4, table)
	for x := range 4 {
		for y := range 4 {
			h.index[x][y] = rnd.IntN(8)
			b.put(45-3*(4*x+y), 3, h.index[x][y])
		}
	}
	h.bytes = b.bytes()
	return h
}

// value is the component of eleven bits.
func (h *eacHalf) value(x, y int, signed bool) float32 {
	step := h.table[h.index[x][y]]
	if h.multiplier != 0 {
		step *= 8 * h.multiplier
	}
	if signed {
		v := max(int(int8(h.base)), -127)*8 + step
		return float32(min(max(v, -1023), 1023)) / 1023
	}
	return float32(min(max(8*h.base+4+step, 0), 2047)) / 2047
}

// TestEAC: components of eleven bits with and without sign, one or two, and alpha of eight.
func TestEAC(t *testing.T) {
	rnd := rand.New(rand.NewPCG(67, 68))
	for range 200 {
		a, b := newEACHalf(rnd), newEACHalf(rnd)
		both := append(append([]byte{}, a.bytes...), b.bytes...)
		for kind, signed := range map[BlockKind]bool{EACR: false, EACRSigned: true, EACRG: false, EACRGSigned: true} {
			two := kind == EACRG || kind == EACRGSigned
			f := NewBlocks("eac", Blocks{Kind: kind, From: [4]uint8{1, 0, BlockZero, BlockOne}})
			for at := range 16 {
				x, y := at/4, at%4
				want := [4]float32{0, a.value(x, y, signed), 0, 1}
				if two {
					want[0] = b.value(x, y, signed)
				}
				if got := f.Blocks.decode(both, x, y); got != want {
					t.Fatalf("kind %d, % x at %d, %d: %v, want %v", kind, both, x, y, got, want)
				}
			}
		}
		f := NewBlocks("alpha", Blocks{Kind: ETC2RGBA, From: [4]uint8{0, 1, 2, 3}})
		for at := range 16 {
			x, y := at/4, at%4
			want := float32(limited(a.base+a.table[a.index[x][y]]*a.multiplier)) / 255
			if got := f.Blocks.decode(both, x, y)[3]; got != want {
				t.Fatalf("alpha of % x at %d, %d: %v, want %v", a.bytes, x, y, got, want)
			}
		}
	}
}
