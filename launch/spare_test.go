package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/detector"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// dirty is ids, but sets registers that other launches leave as they are, by each method that a State has for it.
type dirty struct{ ids }

func (d dirty) InitWave(g *launch.Group, wave int, st *exec.State, env *exec.Env) error {
	for i := range uint16(24) {
		copy(st.Row(ir.Cell{Index: i}), []uint32{900, 901, 902})
		st.Set(ir.Cell{File: 3, Index: i}, 0, 7)
	}
	st.Words(ir.Cell{File: 3})[5] = 8
	st.SetMask(ir.Cell{File: 4, Index: 2}, 5)
	return d.ids.InitWave(g, wave, st, env)
}

// elsewhere is a target whose groups have a space of their own, in place of that of the launch.
type elsewhere struct{ alike }

func (elsewhere) NewGroup(g *launch.Group, env *exec.Env) error {
	s, err := mem.NewSpace("elsewhere", mem.NewSegment("out", 0, 1<<16, mem.ReadWrite))
	env.Spaces[ir.GlobalSpace] = []*mem.Space{s}
	return err
}

func (elsewhere) Restart() {} // the target is not Restartable

// shifted is alike with another initial value of a register.
type shifted struct{ alike }

func (d shifted) InitWave(g *launch.Group, wave int, st *exec.State, env *exec.Env) error {
	copy(st.Row(ir.Cell{Index: 5}), []uint32{1000, 2000, 3000})
	return d.alike.InitWave(g, wave, st, env)
}

// several is the name of the launch with more than one worker.
const several = "two workers"

// launches are launches of one program that leave different things behind.
var launches = []struct {
	name string
	set  func(l *launch.Launch)
}{
	{"plain", func(*launch.Launch) {}},
	{"restartable", func(l *launch.Launch) { l.Target = alike{} }},
	{"restartable, with other registers", func(l *launch.Launch) { l.Target = shifted{} }},
	{"dirty", func(l *launch.Launch) { l.Target = dirty{} }},
	{"elsewhere", func(l *launch.Launch) { l.Target = elsewhere{} }},
	{"cut", func(l *launch.Launch) {
		l.Target, l.Grid = alike{}, launch.Cover([3]uint32{8*6 - 3, 5 * 4, 1}, [3]uint32{8, 5, 1})
	}},
	{"small groups", func(l *launch.Launch) { l.Grid.Block = [3]uint32{5, 1, 1} }},
	{several, func(l *launch.Launch) { l.Target, l.Workers = alike{}, 2 }},
	{"more group memory", func(l *launch.Launch) { l.GroupBytes, l.GroupBanks = 1024, 2 }},
	{"too little group memory", func(l *launch.Launch) { l.GroupBytes = 100 }},
	{"private memory", func(l *launch.Launch) {
		l.Private, l.PrivateUnit = mem.Extent{Name: "stack", Base: 0x20, Size: 64, Rights: mem.ReadWrite}, 4
	}},
	{"less private memory", func(l *launch.Launch) {
		l.Private = mem.Extent{Name: "stack", Base: 0x20, Size: 4, Rights: mem.ReadWrite}
	}},
	{"own memory", func(l *launch.Launch) {
		l.Own = func(wave int) mem.Extent {
			return mem.Extent{Name: "own", Base: 0x4000_0000, Size: 64, Rights: mem.ReadWrite}
		}
	}},
	{"32 lanes", func(l *launch.Launch) { l.Lanes = 32 }},
	{"a fault", func(l *launch.Launch) { l.Env.Spaces[ir.GlobalSpace][0].Protect("out", mem.Read) }},
	{"recorded faults", func(l *launch.Launch) {
		l.Env.Spaces[ir.GlobalSpace][0].Protect("out", mem.Read)
		l.Env.Policy = exec.RecordFaults
	}},
	{"a limit", func(l *launch.Launch) { l.Limits.Steps = 5 }},
	{"observed", func(l *launch.Launch) { l.Observer = new(counted) }},
}

type counted struct{ n int }

func (c *counted) Observe(exec.Event) { c.n++ }

// TestSpare: a launch has the same results whatever launches of its program were before it. Each follows each; under
// the race detector those with one worker follow only those with several.
func TestSpare(t *testing.T) {
	const groups = 40
	texts := map[string]string{
		"leftovers": leftovers,
		"straight":  strings.Replace(leftovers, "jumpx %at6", "jump 0x200", 1),
		"private":   strings.NewReplacer("SPACE", "private", "FIRST", "0x20", "STRIDE", "0").Replace(keep),
		"own":       strings.NewReplacer("SPACE", "global", "FIRST", "0x40000000", "STRIDE", "4").Replace(keep),
	}
	type outcome struct {
		err string
		res launch.Result
		out []byte
	}
	for name, text := range texts {
		for _, e := range engines.Tested() {
			engine := exec.Eager(e.New())
			run := func(i int, p *exec.Program) outcome {
				l, out := newLaunch(text, groups, groups*40*4)
				l.Engine, l.Relaxed, l.Workers = engine, true, 1
				if p != nil {
					l.Program = p
				}
				launches[i].set(l)
				r, err := l.Run(context.Background())
				o := outcome{res: *r, out: out}
				if o.res.Time = 0; err != nil {
					o.err = err.Error()
				}
				if err != nil { // how far other groups and waves had come
					o.res = launch.Result{}
				}
				return o
			}
			var fresh []outcome
			for i := range launches {
				fresh = append(fresh, run(i, nil))
			}
			shared := exectest.Parse(machine, text)
			for i := range launches {
				for k := i; k < len(launches); k++ {
					if detector.Race && launches[i].name != several && launches[k].name != several {
						continue
					}
					for _, n := range []int{i, k, i} {
						if got, want := run(n, shared), fresh[n]; got.err != want.err || !bytes.Equal(got.out, want.out) || !reflect.DeepEqual(got.res, want.res) {
							t.Fatalf("%s, %s, %s between %s: %s has %+v %q; alone %+v %q; same bytes: %v", name, e.Name, launches[k].name, launches[i].name,
								launches[n].name, got.res, got.err, want.res, want.err, bytes.Equal(got.out, want.out))
						}
					}
				}
			}
		}
	}
}

// A maker is an engine that counts the runners that it makes.
type maker struct {
	exec.Engine
	lasts bool
	made  *atomic.Int64
}

func (m maker) Lasts() bool { return m.lasts }

func (m maker) NewRunner(p *exec.Program) exec.Runner {
	m.made.Add(1)
	return m.Engine.NewRunner(p)
}

// TestSpareTaken: launches of one program use the runners of earlier ones, if the engine permits it and nothing
// observes; after a fault they do not.
func TestSpareTaken(t *testing.T) {
	const n = 200
	for _, c := range []struct {
		name        string
		lasts, some bool // some runners are used again: which is up to the garbage collector, and under -race to chance
		set         func(l *launch.Launch)
	}{
		{"plain", true, true, func(*launch.Launch) {}},
		{"an engine that does not permit it", false, false, func(*launch.Launch) {}},
		{"observed", true, false, func(l *launch.Launch) { l.Observer = new(counted) }},
		{"a fault", true, false, func(l *launch.Launch) { l.Limits.Steps = 2 }},
	} {
		m := maker{ref.New(), c.lasts, new(atomic.Int64)}
		p := exectest.Parse(machine, reverse)
		for range n {
			l, _ := newLaunch(reverse, 1, 160)
			l.Program, l.Engine, l.Workers = p, m, 1
			c.set(l)
			_, err := l.Run(context.Background())
			if f := (*exec.Fault)(nil); err != nil && !errors.As(err, &f) {
				t.Fatal(err)
			}
		}
		if got := m.made.Load(); c.some && got > n/2 || !c.some && got != n {
			t.Errorf("%s: %d runners for %d launches", c.name, got, n)
		}
	}
}

// BenchmarkSmall is a launch of one group of three waves, again and again.
func BenchmarkSmall(b *testing.B) {
	for _, e := range engines.All() {
		b.Run(fmt.Sprint(e.Name), func(b *testing.B) {
			l, _ := newLaunch(reverse, 1, 160)
			l.Engine, l.Workers = e.New(), 1
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
