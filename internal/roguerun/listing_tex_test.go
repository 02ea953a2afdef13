package roguerun

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/isa/rogue"
)

// A texListing is a listing of the reference that samples a texture of eight by eight texels: the registers of the
// states, and the words of its data, for an instance that reads texel x, y. The result is in r0 to r3.
type texListing struct {
	id             string
	image, sampler int
	data           int
	words          func(x, y int) []uint32
	at             func(x, y int) (int, int) // the texel that it reads then
	skips          bool                      // for instances with P0
}

// middles returns the coordinates of the centre of a texel.
func middles(x, y int) []uint32 {
	return []uint32{float((float64(x) + 0.5) / 8), float((float64(y) + 0.5) / 8)}
}

func sameTexel(x, y int) (int, int) { return x, y }

var texListings = []texListing{
	{"seed-352", 4, 0, 1, func(x, y int) []uint32 { return append(middles(x, y), 0) }, sameTexel, false},
	{"seed-381", 8, 0, 32, func(x, y int) []uint32 { return append(middles(x, y), 1|1<<6) }, func(x, y int) (int, int) { return min(x+1, 7), min(y+1, 7) }, true},
	{"seed-1024", 4, 0, 1, func(x, y int) []uint32 { return []uint32{uint32(x), uint32(y)} }, sameTexel, false},
	{"seed-1125", 4, 0, 1, func(x, y int) []uint32 { return []uint32{uint32(x), uint32(y)} }, sameTexel, false},
}

// moveStates copies the states of textured, in sh0 to sh7, to where a listing has them.
func (k *task) moveStates(image, sampler int) {
	var state [8]uint32
	for i := range state {
		state[i] = k.st.Get(cell(rogue.FileSh, i), 0)
	}
	for i := range 4 {
		k.st.Set(cell(rogue.FileSh, image+i), 0, state[i])
		k.st.Set(cell(rogue.FileSh, sampler+i), 0, state[4+i])
	}
}

// TestListingsOfTextures runs the listings of the reference that sample, at different positions in each instance.
func TestListingsOfTextures(t *testing.T) {
	texts := listingsOf(t)
	for _, c := range texListings {
		rnd := rand.New(rand.NewPCG(1, uint64(c.image)))
		k := newTask(t, map[string]string{"texture": "rows"})
		data := k.textured(2)
		k.moveStates(c.image, c.sampler)
		k.st.Set(cell(rogue.FileSh, 11), 0, map[bool]uint32{false: 0, true: k.st.Get(cell(rogue.FileSh, 11), 0)}[c.image == 8])
		which := k.half(rnd)
		var at [rogue.Lanes][2]int
		for lane := range at {
			at[lane] = [2]int{rnd.IntN(8), rnd.IntN(8)}
			for i, w := range c.words(at[lane][0], at[lane][1]) {
				k.st.Set(temp(c.data+i), lane, w)
			}
			k.st.Set(temp(0), lane, 7)
		}
		k.listing(texts[c.id])
		for lane := range at {
			x, y := c.at(at[lane][0], at[lane][1])
			for i := range 4 {
				want := float(float64(float32(data[4*(8*y+x)+i]) / 255))
				if c.skips && which>>lane&1 != 0 {
					if i > 0 {
						break
					}
					want = 7
				}
				if got := k.get(i, lane); got != want {
					t.Errorf("%s: instance %d, channel %d is %#x, want %#x", c.id, lane, i, got, want)
				}
			}
		}
	}
}

// TestListingsOfIterated: those that sample at iterated coordinates, with perspective.
func TestListingsOfIterated(t *testing.T) {
	texts := listingsOf(t)
	for _, id := range []string{"seed-363", "seed-1130"} {
		k := newTask(t, map[string]string{"texture": "rows"})
		data := k.textured(2)
		k.moveStates(4, 0)
		for i, v := range [...]float64{0, 0.25, 0.5, 0, 0.125, 0, 0, 0, 0, 0.5, 0.25} { // 1/w, u/w, v/w
			k.st.Set(cell(rogue.FileCf, i), 0, float(v))
		}
		place := func(lane int) (x, y float64) { return float64(lane%8) + 0.5, float64(lane/8) + 0.5 }
		for lane := range rogue.Lanes {
			x, y := place(lane)
			k.st.Set(cell(rogue.FileSr, rogue.SpecialX), lane, float(x))
			k.st.Set(cell(rogue.FileSr, rogue.SpecialY), lane, float(y))
		}
		k.listing(texts[id])
		for lane := range rogue.Lanes {
			x, y := place(lane)
			w := 0.25*y + 0.5
			u, v := 0.125*x/w, (0.5*y+0.25)/w
			n := 8*min(int(v*8), 7) + min(int(u*8), 7)
			for i := range 4 {
				if got, want := k.get(i, lane), float(float64(float32(data[4*n+i])/255)); got != want {
					t.Errorf("%s: instance %d, channel %d is %#x, want %#x", id, lane, i, got, want)
				}
			}
		}
	}
}

// TestListingOfShadow: a shadow is a linear filter of comparisons: of the texels and weights that the listing provides,
// and of the texels of the texture.
func TestListingOfShadow(t *testing.T) {
	text := listingsOf(t)["seed-379"]
	rnd := rand.New(rand.NewPCG(3, 79))
	k := newTask(t, map[string]string{"texture": "rows"})
	data := k.textured(2)
	k.moveStates(12, 4)
	const ref = 0.5
	lit := func(texel float64) float64 { return map[bool]float64{true: 1}[ref <= texel] }
	at := [rogue.Lanes][2]float64{}
	for lane := range at {
		for i := range at[lane] {
			at[lane][i] = float64(rnd.IntN(7)) + float64(rnd.IntN(256))/256 + 0.5 // in texels
			k.st.Set(temp(1+i), lane, float(at[lane][i]/8))
		}
	}
	k.listing(text)
	for lane := range at {
		f := func(n int) float64 { return float64(math.Float32frombits(k.get(n, lane))) }
		u, v := f(4)*255/256, f(5)*255/256
		got := (lit(f(0))*(1-u)+lit(f(1))*u)*(1-v) + (lit(f(2))*(1-u)+lit(f(3))*u)*v
		x, y := at[lane][0]-0.5, at[lane][1]-0.5
		want := 0.0
		for i := range 4 {
			px, py := int(x)+i%2, int(y)+i/2
			wx, wy := 1-math.Abs(x-float64(px)), 1-math.Abs(y-float64(py))
			want += wx * wy * lit(float64(data[4*(8*min(py, 7)+min(px, 7))])/255)
		}
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("instance %d at %v: %v, want %v", lane, fmt.Sprint(at[lane]), got, want)
		}
	}
}
