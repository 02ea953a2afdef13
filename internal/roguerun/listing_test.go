package roguerun

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/rogue"
)

// values returns the registers of an instance before a listing runs.
type values func(name string) uint32

func (v values) f(name string) float32  { return math.Float32frombits(v(name)) }
func (v values) d(name string) float64  { return float64(v.f(name)) }
func (v values) s(name string) int32    { return int32(v(name)) }
func (v values) p(name string) (b bool) { return v(name) != 0 }

// wants are the expected registers.
type wants map[string]uint32

func float(x float64) uint32 { return math.Float32bits(float32(x)) }

// A claim is the result of a listing of the reference, by its GLSL shader; inputs are where the listing has them.
type claim struct {
	id    string
	input func(rnd *rand.Rand) uint32 // nil: floats of moderate size
	ulps  int64                       // tolerance of a result
	mask  uint32                      // compared bits of a result; 0: all
	want  func(v values) wants
}

func anyFloat(rnd *rand.Rand) uint32 { return float(rnd.Float64()*64 - 32) }
func positive(rnd *rand.Rand) uint32 { return float(rnd.Float64()*30 + 0.01) }
func unit1(rnd *rand.Rand) uint32    { return float(rnd.Float64()*2 - 1) }
func small(rnd *rand.Rand) uint32    { return float(float64(rnd.IntN(16) - 8)) }
func integer(rnd *rand.Rand) uint32 {
	if rnd.IntN(2) == 0 {
		return uint32(rnd.IntN(3) - 1)
	}
	return rnd.Uint32()
}

// one returns a claim of a register.
func one(name string, f func(v values) uint32) func(v values) wants {
	return func(v values) wants { return wants{name: f(v)} }
}

// two returns a claim of r0 and r1 as functions of sh0 and sh1.
func two(f func(x float64) float64) func(v values) wants {
	return func(v values) wants { return wants{"r0": float(f(v.d("sh0"))), "r1": float(f(v.d("sh1")))} }
}

// ofFirst returns a claim of r0 as a function of sh0.
func ofFirst(f func(x float64) float64) func(v values) wants {
	return one("r0", func(v values) uint32 { return float(f(v.d("sh0"))) })
}

func choose(cond func(v values) bool, yes, no string) func(v values) wants {
	return one("i0", func(v values) uint32 {
		if cond(v) {
			return v(yes)
		}
		return v(no)
	})
}

func position(v values) wants { return wants{"vo3": v("vi3")} }

// plane returns a coefficient set at the pixel.
func plane(v values, at int) float64 {
	name := func(i int) string { return fmt.Sprintf("cf%d", at+i) }
	return v.d(name(0))*v.d("sr97") + v.d(name(1))*v.d("sr100") + v.d(name(2))
}

func iterated(v values) wants {
	w := plane(v, 0)
	return wants{"r0": float(plane(v, 4) / w), "r1": float(plane(v, 8) / w)}
}

// claims are all listings except those with tests of their own.
var claims = []claim{
	{id: "seed-291", want: position}, {id: "seed-985", want: position},
	{id: "seed-297", input: positive, ulps: 64, want: iterated}, {id: "seed-1002", input: positive, ulps: 64, want: iterated},
	{id: "seed-304", want: func(v values) wants { return wants{"r0": v("sh0"), "r1": v("sh1")} }},
	{id: "seed-322", want: func(values) wants { return wants{"r0": float(1), "r1": float(1)} }},
	{id: "seed-350", want: two(math.Abs)}, {id: "seed-365", want: two(math.Floor)}, {id: "seed-372", want: two(func(x float64) float64 { return -x })},
	{id: "seed-378", want: two(func(x float64) float64 { return min(max(x, 0), 1) })},
	{id: "seed-399", want: func(v values) wants {
		return wants{"r0": float(math.FMA(v.d("sh4"), v.d("i1"), v.d("i0"))), "r1": float(math.FMA(v.d("sh5"), v.d("i3"), v.d("sh9")))}
	}},
	{id: "seed-406", want: func(v values) wants {
		return wants{"r0": float(v.d("sh4") + v.d("sh0")), "r1": float(v.d("sh5") + v.d("i0"))}
	}},
	{id: "seed-413", want: func(v values) wants {
		return wants{"r0": float(v.d("sh4") * v.d("i1")), "r1": float(v.d("sh5") * v.d("i0"))}
	}},
	{id: "seed-419", ulps: 1, want: ofFirst(func(x float64) float64 { return 1 / x })},
	{id: "seed-426", input: positive, ulps: 2, want: ofFirst(func(x float64) float64 { return 1 / math.Sqrt(x) })},
	{id: "seed-433", input: positive, ulps: 1, want: ofFirst(math.Sqrt)},
	{id: "seed-441", input: positive, ulps: 2, want: ofFirst(math.Log2)},
	{id: "seed-448", ulps: 2, want: ofFirst(math.Exp2)},
	{id: "seed-471", input: small, want: sums}, {id: "seed-484", input: small, want: sums},
	{id: "seed-562", input: unit1, ulps: 2, want: one("r0", func(v values) uint32 { return float(math.Sin(v.d("i0")*math.Pi/2) / v.d("i0")) })},
	{id: "seed-569", input: unit1, ulps: 2, want: func(v values) wants {
		if !v.p("p0") {
			return wants{"i0": v("i0")}
		}
		return wants{"i0": float(math.Atan(v.d("i1")) / v.d("i1"))}
	}},
	{id: "seed-606", want: func(v values) wants {
		n := int32(v.f("sh0"))
		return wants{"i0": uint32(n), "r0": float(float64(n)), "r1": float(float64(n))}
	}},
	{id: "seed-614", input: integer, want: func(v values) wants {
		x := float(float64(int16(v("sh0"))))
		return wants{"r0": x, "r1": x}
	}},
	{id: "seed-731", input: integer, want: one("i0", func(v values) uint32 { return v("sh1")*v("i0") + v("sh2") })},
	{id: "seed-738", input: integer, want: one("i0", func(v values) uint32 { return uint32(v.s("sh1")*v.s("i0") + v.s("sh2")) })},
	{id: "seed-762", input: integer, want: choose(func(v values) bool { return v.s("sh0") == 0 }, "sh1", "sh2")},
	{id: "seed-769", input: integer, want: choose(func(v values) bool { return v.s("sh0") > 0 }, "sh1", "sh2")},
	{id: "seed-775", input: integer, want: choose(func(v values) bool { return v.s("sh0") >= 0 }, "sh1", "sh2")},
	{id: "seed-789", input: integer, want: choose(func(v values) bool { return v.s("sh1") == v.s("sh0") }, "sh0", "sh2")},
	{id: "seed-796", input: integer, want: choose(func(v values) bool { return v.s("sh1") > v.s("sh0") }, "sh0", "sh2")},
	{id: "seed-809", input: integer, want: choose(func(v values) bool { return v.s("sh0") != v.s("sh1") }, "sh0", "sh1")},
	{id: "seed-816", input: integer, want: choose(func(v values) bool { return v.s("sh0") < v.s("sh1") }, "sh0", "sh1")},
	{id: "seed-846", input: integer, want: one("i0", func(v values) uint32 { return v("sh0") & v("sh1") })},
	{id: "seed-853", input: integer, want: one("i0", func(v values) uint32 { return v("sh0") | v("sh1") })},
	{id: "seed-860", input: integer, want: one("i0", func(v values) uint32 { return v("sh0") ^ v("sh1") })},
	{id: "seed-899", input: integer, want: one("i0", func(v values) uint32 { return v("sh0") << (v("i0") % 32) })},
	{id: "seed-919", input: integer, want: one("i0", func(v values) uint32 { return uint32(v.s("sh0") >> (v("i0") % 32)) })},
	// Sources without registers are 0: 0 is the result, which is output.
	{id: "seed-2.2.1", want: func(v values) wants {
		if !v.p("p0") {
			return wants{"p0": 0, "vo0": v("vo0")}
		}
		return wants{"p0": 1, "vo0": 0}
	}},
	{id: "seed-2.3.1", want: func(values) wants { return wants{"p0": 1} }},
}

// sums returns a * b + c in halves, for exactly representable numbers.
func sums(v values) wants {
	return wants{"r0": float(v.d("sh4")*v.d("i3") + v.d("sh8")), "r1": float(v.d("sh5")*v.d("i1") + v.d("i0"))}
}

// narrows returns the claims about integers of 8 and 16 bits, by line of the reference: bits outside the result are
// undefined.
func narrows() (list []claim) {
	lines := [...]int{625, 632, 639, 646, 654, 661, 668, 676, 683, 691, 698, 706}
	for i, line := range lines {
		mask := uint32(0xff)
		if i >= 6 {
			mask = 0xffff
		}
		f := [...]func(a, b, c uint32) uint32{func(a, b, _ uint32) uint32 { return a + b }, func(a, b, _ uint32) uint32 { return a * b }, func(a, b, c uint32) uint32 { return a*b + c }}[i%3]
		list = append(list, claim{id: fmt.Sprintf("seed-%d", line), input: integer, mask: mask, want: one("i0", func(v values) uint32 { return f(v("sh1"), v("i0"), v("sh2")) })})
	}
	return list
}

// elsewhere are listings with tests of their own: those of textures, of quads and of a reduction.
var elsewhere = []string{"seed-352", "seed-363", "seed-379", "seed-381", "seed-1130", "seed-1024", "seed-1125", "seed-523", "seed-530", "seed-576"}

// listingsOf returns the listings of the reference as files.
func listingsOf(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(cases.Dir(t), "rogue", "seed-examples.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Examples []struct {
			ID     string
			Groups []struct {
				Group  int
				Cond   string
				Instrs []string
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, x := range file.Examples {
		var text strings.Builder
		for _, g := range x.Groups {
			fmt.Fprintf(&text, "%d : %s {\n%s\n}\n", g.Group, g.Cond, strings.Join(g.Instrs, "\n"))
		}
		texts[x.ID] = text.String()
	}
	return texts
}

// listing assembles a listing and runs it to its end.
func (k *task) listing(text string) {
	k.t.Helper()
	target, err := k.target.With(rogue.Seed, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	r, errs := asm.AssembleToRun(target, []byte(text), asm.Options{})
	if len(errs) > 0 {
		k.t.Fatalf("%s", errs[0].Detail())
	}
	code, err := r.Target.Runnable(r.Base, r.Code, r.Bundles)
	if err != nil {
		k.t.Fatal(err)
	}
	k.st.Goto(0)
	groups := uint64(strings.Count(text, "{"))
	if f := ref.New().NewRunner(exec.NewProgram(code)).Run(k.st, &k.env, exec.Budget{Steps: groups, Exact: true}).Fault; f != nil {
		k.t.Fatalf("%s%v", text, f)
	}
}

func (k *task) cell(name string) ir.Cell {
	cs, err := rogue.Set().Cell(0, name)
	if err != nil {
		k.t.Fatal(err)
	}
	return cs[0]
}

// inputs are the registers that listings read.
var inputs = []string{"sh0", "sh1", "sh2", "sh4", "sh5", "sh8", "sh9", "i0", "i1", "i3", "r2", "r3", "vi3", "vo0", "sr97", "sr100", "cf0", "cf1", "cf2", "cf4", "cf5", "cf6", "cf8", "cf9", "cf10"}

// fill sets the inputs, and P0 in every third instance.
func (k *task) fill(input func(*rand.Rand) uint32, rnd *rand.Rand) {
	for _, name := range inputs {
		c := k.cell(name)
		for lane := range rogue.Lanes {
			k.st.Set(c, lane, input(rnd))
		}
	}
	for lane := range rogue.Lanes {
		k.st.Set(p0, lane, bit(lane%3 == 0))
	}
}

// before copies the registers of an instance.
func (k *task) before(lane int) values {
	at := map[string]uint32{"p0": k.st.Get(p0, lane)}
	for _, name := range inputs {
		at[name] = k.st.Get(k.cell(name), lane)
	}
	return func(name string) uint32 {
		v, ok := at[name]
		if !ok {
			k.t.Fatalf("%s is no input", name)
		}
		return v
	}
}

// ulpsApart returns the distance of two floats in ULPs.
func ulpsApart(a, b uint32) int64 {
	order := func(v uint32) int64 {
		if v>>31 != 0 {
			return -int64(v & 0x7fffffff)
		}
		return int64(v)
	}
	n := order(a) - order(b)
	return max(n, -n)
}

// TestListings runs the listings of the reference and compares the results with their GLSL shaders.
func TestListings(t *testing.T) {
	texts := listingsOf(t)
	all := append(narrows(), claims...)
	if len(all)+len(elsewhere) != len(texts) {
		t.Errorf("%d listings, %d are run here and %d elsewhere", len(texts), len(all), len(elsewhere))
	}
	for i := range all {
		c := &all[i]
		t.Run(c.id, func(t *testing.T) {
			if texts[c.id] == "" {
				t.Fatal("there is no such listing")
			}
			rnd := rand.New(rand.NewPCG(62, uint64(i)))
			k := newTask(t, nil)
			for range 8 {
				c.once(k, texts[c.id], rnd)
			}
		})
	}
}

func (c *claim) once(k *task, text string, rnd *rand.Rand) {
	k.t.Helper()
	input := c.input
	if input == nil {
		input = anyFloat
	}
	k.fill(input, rnd)
	var was [rogue.Lanes]values
	for lane := range was {
		was[lane] = k.before(lane)
	}
	k.listing(text)
	mask := c.mask
	if mask == 0 {
		mask = ^uint32(0)
	}
	for lane, v := range was {
		for name, want := range c.want(v) {
			if got := k.st.Get(k.cell(name), lane); (got^want)&mask != 0 && (c.ulps == 0 || ulpsApart(got, want) > c.ulps) {
				k.t.Errorf("%s%s is %#x in instance %d, want %#x", text, name, got, lane, want)
				return
			}
		}
	}
}

// TestListingOfQuads: differences to the right and down, in the quads of a task.
func TestListingOfQuads(t *testing.T) {
	texts := listingsOf(t)
	for id, other := range map[string]int{"seed-523": 1, "seed-530": 2} {
		k := newTask(t, nil)
		k.fill(small, rand.New(rand.NewPCG(1, uint64(other))))
		var want [2][rogue.Lanes]uint32
		for lane := range rogue.Lanes {
			for i, name := range [...]string{"r2", "r3"} {
				at := func(lane int) float64 {
					return float64(math.Float32frombits(k.st.Get(k.cell(name), lane)))
				}
				want[i][lane] = float(at(lane&^3+other) - at(lane&^3))
			}
		}
		k.listing(texts[id])
		for lane := range rogue.Lanes {
			if a, b := k.get(0, lane), k.get(1, lane); a != want[0][lane] || b != want[1][lane] {
				t.Errorf("%s: instance %d is %#x, %#x, want %#x, %#x", id, lane, a, b, want[0][lane], want[1][lane])
			}
		}
	}
}

// TestListingOfReduction: the sine of an angle in three groups; if P0 is set the factor must still be multiplied.
func TestListingOfReduction(t *testing.T) {
	text := listingsOf(t)["seed-576"]
	rnd := rand.New(rand.NewPCG(5, 76))
	k := newTask(t, nil)
	for range 64 {
		k.fill(anyFloat, rnd)
		angle := k.before(0).d("sh0")
		k.listing(text)
		got := float64(math.Float32frombits(k.get(0, 0)))
		if k.st.Get(p0, 0) != 0 {
			got *= float64(math.Float32frombits(k.st.Get(k.cell("i0"), 0)))
		}
		if math.Abs(got-math.Sin(angle)) > 1e-6 {
			t.Errorf("the sine of %v is %v, want %v", angle, got, math.Sin(angle))
		}
	}
}
