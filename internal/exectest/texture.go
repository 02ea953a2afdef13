package exectest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An echo is a texture unit whose texels depend on all parameters of the request.
type echo uint32

func (e echo) Sample(q *mem.Quad) {
	for lane := range 4 {
		if q.Need>>lane&1 != 0 {
			q.Texel[lane] = e.texel(q, lane)
		}
	}
}

// texel hashes the unit's number, the level of detail and the coordinates of the quad.
func (e echo) texel(q *mem.Quad, lane int) (t [4]uint32) {
	h := uint32(e)*31 + uint32(q.Lod)
	for k := range 4 {
		for _, x := range q.Coord[k] {
			h = h*0x01000193 ^ math.Float32bits(x)
		}
		h = h*0x01000193 ^ math.Float32bits(q.W[k])
	}
	for i := range t {
		t[i] = h*uint32(4*lane+i+1) ^ h>>7
	}
	return t
}

// textureText samples at v[0] to v[2] with v[3], unit v[4], in the lanes of p[1].
const textureText = `
block 0x100
mark 0x100 size 4
  %x = get.f32 v[0]
  %y = get.f32 v[1]
  %z = get.f32 v[2]
  %w = get.f32 v[3]
  %h = get.i32 v[4]
  %m = get.i1 p[1]
  %e = get.i1 exec
  %a:%b:%c:%d = tex LOD %x, %y, %z, %w, %h, %m
  set.f32 v[8], %a, %e
  set.f32 v[9], %b, %e
  set.f32 v[10], %c, %e
  set.f32 v[11], %d, %e
  jump 0x100
`

// testTextures: every lane of the mask gets the texel of its unit, computed from the coordinates of its whole quad;
// the others get 0. A wave of one lane is a quad with that lane.
func testTextures(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(12, 12))
	env := &exec.Env{Resources: exec.Resources{Textures: []exec.Sampler{echo(0), nil, echo(2), echo(3)}}}
	env.TextureOf = func(h uint32) (exec.Sampler, error) { return echo(h), nil }
	for lod := ir.LodImplicit; lod <= ir.LodZero; lod++ {
		r := e.NewRunner(Parse(m, strings.Replace(textureText, "LOD", lod.String(), 1)))
		for _, lanes := range m.Widths {
			st, _ := exec.NewState(m, lanes)
			for _, execMask := range masks(st, rnd) {
				for _, mask := range masks(st, rnd) {
					fill(st, rnd)
					st.M[1] = mask
					for lane := range lanes {
						st.Set(cellOf(fileV, 4), lane, []uint32{0, 2, 3, 0x80000001}[rnd.IntN(4)])
					}
					st.Start(entry, st.Full)
					st.Exec = execMask
					want := st.Snapshot()
					expectTextures(st, want, mem.LodKind(lod))
					stop := r.Run(st, env, exec.Budget{Steps: 1})
					if d := want.Diff(st, 5); stop.Reason != exec.StopBudget || d != nil {
						t.Fatalf("%s, %d lanes, exec %#x, mask %#x: stop %v %v; want, got: %q", lod, lanes, execMask, mask, stop.Reason, stop.Fault, d)
					}
				}
			}
		}
	}
}

func expectTextures(st, want *exec.State, lod mem.LodKind) {
	want.Clock++
	for lane := range st.Lanes {
		var texel [4]uint32
		if st.M[1]>>lane&1 != 0 {
			q := mem.Quad{Lod: lod}
			for k := range 4 {
				from := lane&^3 + k
				if from >= st.Lanes {
					from = lane &^ 3
				}
				v := func(i int) float32 { return math.Float32frombits(st.Get(cellOf(fileV, i), from)) }
				q.Coord[k], q.W[k] = [3]float32{v(0), v(1), v(2)}, v(3)
			}
			texel = echo(st.Get(cellOf(fileV, 4), lane)).texel(&q, lane&3)
		}
		for i, x := range texel {
			if st.Exec>>lane&1 != 0 {
				want.Set(cellOf(fileV, 8+i), lane, x)
			}
		}
	}
}

// unitText is textureText with one unit for all lanes, s[0].
var unitText = strings.Replace(textureText, "get.i32 v[4]", "get.i32 s[0]", 1)

// someUnits are units of small textures of four bytes per texel, with levels, and one of another format.
func someUnits(t *testing.T, rnd *rand.Rand) (list []exec.Sampler) {
	t.Helper()
	for i, format := range []string{"RGBA8888", "RGBA8888", "RGBA8888", "RG88"} {
		x := mem.Texture{Target: mem.Texture2D, Format: mem.FormatOf(format), Width: 5 + 11*i, Height: 16, Last: 2}
		for l := range 3 {
			size := x.Size(l)
			data := make([]byte, size[0]*size[1]*x.Format.Bytes)
			for k := range data {
				data[k] = byte(rnd.Uint32())
			}
			x.Levels = append(x.Levels, [][]byte{data})
		}
		s := mem.Sampler{Min: mem.Linear, Mag: mem.Filter(i % 2), Mip: mem.MipLinear, MaxLod: 10, Wrap: [3]mem.WrapMode{mem.WrapMode(i), mem.ClampToEdge}}
		u, err := mem.NewUnit(x, s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, u)
	}
	return list
}

// testUnits: lanes of the mask get the same texels from a unit that may be read for whole waves as their quads do,
// and the others 0.
func testUnits(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(12, 13))
	units := someUnits(t, rnd)
	env := &exec.Env{Resources: exec.Resources{Textures: units}}
	for lod := ir.LodImplicit; lod <= ir.LodZero; lod++ {
		r := e.NewRunner(Parse(m, strings.Replace(unitText, "LOD", lod.String(), 1)))
		for _, lanes := range m.Widths {
			st, _ := exec.NewState(m, lanes)
			for i, mask := range append(masks(st, rnd), masks(st, rnd)...) {
				fill(st, rnd)
				for lane := range lanes {
					x, y := float32(lane%8)/40+rnd.Float32()/50, float32(lane/8)/40+rnd.Float32()/50
					for k, v := range [4]float32{x, y, 0, 2 * rnd.Float32()} {
						st.Set(cellOf(fileV, k), lane, math.Float32bits(v))
					}
				}
				n := rnd.IntN(len(units))
				st.Set(cellOf(fileS, 0), 0, uint32(n))
				st.M[1] = mask
				st.Start(entry, st.Full)
				st.Exec = masks(st, rnd)[i%6]
				want := st.Snapshot()
				expectUnit(want, units[n], mem.LodKind(lod))
				stop := r.Run(st, env, exec.Budget{Steps: 1})
				if d := want.Diff(st, 5); stop.Reason != exec.StopBudget || d != nil {
					t.Fatalf("%s, unit %d, %d lanes, exec %#x, mask %#x: stop %v %v; want, got: %q", lod, n, lanes, want.Exec, mask, stop.Reason, stop.Fault, d)
				}
			}
		}
	}
}

// expectUnit is textureText with the unit, quad by quad.
func expectUnit(want *exec.State, unit exec.Sampler, lod mem.LodKind) {
	want.Clock++
	texels := make([][4]uint32, want.Lanes)
	for lane := range want.Lanes {
		if want.M[1]>>lane&1 == 0 {
			continue
		}
		q := mem.Quad{Lod: lod, Need: 1 << (lane & 3)}
		for k := range 4 {
			from := lane&^3 + k
			if from >= want.Lanes {
				from = lane &^ 3
			}
			v := func(i int) float32 { return math.Float32frombits(want.Get(cellOf(fileV, i), from)) }
			q.Coord[k], q.W[k] = [3]float32{v(0), v(1), v(2)}, v(3)
		}
		unit.Sample(&q)
		texels[lane] = q.Texel[lane&3]
	}
	for lane, texel := range texels {
		for i, x := range texel {
			if want.Exec>>lane&1 != 0 {
				want.Set(cellOf(fileV, 8+i), lane, x)
			}
		}
	}
}

const streamText = `
block 0x100
mark 0x100 size 4
  %i = get.i32 v[0]
  %h = get.i32 v[4]
  %m = get.i1 p[1]
  %e = get.i1 exec
  %a:%b:%c:%d = fetch.f32 %i, %h, %m
  set.f32 v[8], %a, %e
  set.f32 v[9], %b, %e
  set.f32 v[10], %c, %e
  set.f32 v[11], %d, %e
  jump 0x100
`

// testStreams: elements in lanes of the mask, converted, completed from the default; 0 in other lanes, whose index
// and stream are ignored. Bytes read are counted.
func testStreams(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(13, 13))
	global, data := space("global", 0x1000, 64, rnd)
	env := envOf(global)
	env.Streams = []*mem.Stream{
		{Addr: 0x1002, Stride: 3, Format: mem.StreamFormatOf("uint8"), Elements: 2, Default: [4]uint32{1, 2, 3, 4}},
		nil,
		{Default: [4]uint32{5, 6, 7, 8}},
	}
	r := e.NewRunner(Parse(m, streamText))
	for _, lanes := range m.Widths {
		st, _ := exec.NewState(m, lanes)
		for _, mask := range masks(st, rnd) {
			fill(st, rnd)
			st.M[1] = mask
			st.Start(entry, st.Full)
			want, bytes := st.Snapshot(), uint64(0)
			want.Clock++
			for lane := range lanes {
				i, texel := uint32(rnd.IntN(20)), [4]uint32{}
				if mask>>lane&1 != 0 {
					h := uint32(2 * rnd.IntN(2))
					for _, s := range []*exec.State{st, want} {
						s.Set(cellOf(fileV, 0), lane, i)
						s.Set(cellOf(fileV, 4), lane, h)
					}
					texel = [4]uint32{5, 6, 7, 8}
					if h == 0 {
						texel = [4]uint32{math.Float32bits(float32(data[2+3*i])), math.Float32bits(float32(data[3+3*i])), 3, 4}
						bytes += 2
					}
				}
				for k, x := range texel {
					want.Set(cellOf(fileV, 8+k), lane, x)
				}
			}
			env.Count = exec.Counters{}
			stop := r.Run(st, env, exec.Budget{Steps: 1})
			if d := want.Diff(st, 5); stop.Reason != exec.StopBudget || d != nil || env.Count.Memory[ir.GlobalSpace].Read != bytes {
				t.Fatalf("%d lanes, mask %#x: stop %v %v; %d bytes, want %d; want, got: %q", lanes, mask, stop.Reason, stop.Fault, env.Count.Total().Read, bytes, d)
			}
		}
	}
}

// testHandles: an invalid handle, and an element outside of memory, fault in the lowest such lane, and change
// nothing; under the other policies the lanes read 0.
func testHandles(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(14, 14))
	for _, c := range []struct {
		text         string
		index, other uint32 // v[0] and v[4] of lanes 5 and 9
		want         string
	}{
		{strings.Replace(textureText, "LOD", "zero", 1), 0, 7, "pc 0x100 \"at100\" wave 0 lane 5: there is no texture unit 7"},
		{streamText, 0, 7, "pc 0x100 \"at100\" wave 0 lane 5: there is no attribute stream 7"},
		{streamText, 60, 1, "pc 0x100 \"at100\" wave 0 lane 5: global load of 4 bytes at 0x103e: ends past \"buf\" (0x1000-0x1040)"},
	} {
		for _, policy := range []exec.Policy{exec.TrapFaults, exec.RobustFaults, exec.RecordFaults} {
			global, _ := space("global", 0x1000, 64, rnd)
			env := envOf(global)
			env.Policy = policy
			env.Textures = []exec.Sampler{nil, echo(1)}
			env.Streams = []*mem.Stream{1: {Addr: 0x1002, Stride: 1, Format: mem.StreamFormatOf("float32"), Elements: 1}}
			st, _ := exec.NewState(m, 16)
			fill(st, rnd)
			for lane := range 16 {
				st.Set(cellOf(fileV, 0), lane, 0)
				st.Set(cellOf(fileV, 4), lane, 1)
			}
			for _, lane := range []int{5, 9} {
				st.Set(cellOf(fileV, 0), lane, c.index)
				st.Set(cellOf(fileV, 4), lane, c.other)
			}
			st.Set(cellOf(fileV, 4), 3, 99) // not in the mask
			st.M[1] = 0xfff7
			st.Start(entry, st.Full)
			want := st.Snapshot()
			stop := e.NewRunner(Parse(m, c.text)).Run(st, env, exec.Budget{Steps: 1})
			f := stop.Fault
			if l := env.Faults.List; policy == exec.RecordFaults && len(l) == 1 && env.Faults.Count == 2 {
				f = l[0].Fault
			}
			if policy != exec.RobustFaults && (f == nil || f.Lanes != 1<<5|1<<9 || fmt.Sprint(f) != c.want) {
				t.Errorf("policy %d: fault %+v, want %s", policy, f, c.want)
			}
			if policy != exec.TrapFaults {
				if stop.Reason != exec.StopBudget || env.Count.Dropped != 2 || st.Get(cellOf(fileV, 8), 5)|st.Get(cellOf(fileV, 8), 9) != 0 {
					t.Errorf("%s, policy %d: stop %v %v, %d dropped", c.want, policy, stop.Reason, stop.Fault, env.Count.Dropped)
				}
				continue
			}
			if got := fmt.Sprint(stop.Fault); stop.Reason != exec.StopFault || got != c.want || env.Count != (exec.Counters{}) {
				t.Errorf("stop %v %s, counters %+v; want %s", stop.Reason, got, env.Count, c.want)
			}
			if d := want.Diff(st, 5); d != nil {
				t.Errorf("%s: state %q", c.want, d)
			}
		}
	}
}

// randomHandles is the number of units and streams that random blocks use.
const randomHandles = 4

// randomResources are units and streams that never fault: the latter read one element, whatever the index.
func randomResources() (r exec.Resources) {
	r.ImageOf = pictureOf
	for i := range randomHandles {
		r.Textures = append(r.Textures, echo(i))
		r.Streams = append(r.Streams, &mem.Stream{Addr: windows[0].Base, Elements: i + 1, Format: mem.StreamFormatOf("snorm8")})
	}
	return r
}
