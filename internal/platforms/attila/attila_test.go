package attila

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/laws"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/attila"
	"github.com/heddle-gpu/heddle/launch"
)

// words returns one word per lane.
func words(v ...uint64) casefile.Words { return casefile.Words{V: v, List: len(v) > 1} }

// run runs a program on the lanes and registers of a state.
func run(t *testing.T, text string, lanes, variant int, options map[string]string, s *casefile.State) (*launch.Case, error) {
	t.Helper()
	tg, err := attila.Set().At(variant, 0).With(0, options)
	if err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(tg, []byte(text), asm.Options{File: "test"})
	for _, e := range errs {
		t.Fatal(e)
	}
	p := &isa.Program{Target: tg, Code: a.Code}
	k, err := Platform.Case(p, variant, &casefile.StateCase{Stage: "raw", Launch: casefile.CaseLaunch{Lanes: lanes}, Initial: s})
	if err != nil {
		t.Fatal(err)
	}
	return k, k.Run(context.Background(), ref.New(), exec.Limits{Steps: 1000})
}

// values are a register in all lanes.
func values(t *testing.T, k *launch.Case, name string) (vs []uint64) {
	t.Helper()
	get, _, err := k.Reg(name)
	if err != nil {
		t.Fatal(err)
	}
	for lane := range k.Lanes() {
		vs = append(vs, get(lane))
	}
	return vs
}

// departed are small programs on which the variants, or an option's values, differ: the value of a register afterwards.
// Lanes hold r1.x = -1, 1, 2^24+1, -(2^24+1) as integers, p1 = 1 in lane 0 and 2, i0.x = -1.0 and 1.0 in turn.
var departed = []struct {
	name, text, reg string
	option          string
	attila, sim     []uint64
}{
	{"integer-abs", "addi r2.x, |r1.x|, 0 <- end", "r2.x", "", []uint64{1, 1, 1<<24 + 1, 1<<24 + 1}, []uint64{1, 1, 1 << 24, 1 << 24}},
	{"stplti", "stplti p3, r1.x, 1 <- end", "p3", "", []uint64{1, 0, 0, 1}, []uint64{0, 1, 0, 0}},
	{"arl-mask", "arl a0.x, i0.x <- end", "a0.y", "", []uint64{0, 0, 0, 0}, []uint64{0xffffffff, 1, 0xffffffff, 1}},
	{"effect-guard", "(!p1) kil i0.x <- end", "kill0", "", []uint64{0, 0, 0, 0}, []uint64{1, 0, 1, 0}},
	{"effect-guard chs", "(p1) chs <- end", "sample", "", []uint64{1, 0, 1, 0}, []uint64{1, 1, 1, 1}},
	{"jump-guard", "(p1) jmp true, 2\nmov r3, i0\nnop <- end", "r3.x", "", []uint64{0xbf800000, 0x3f800000, 0xbf800000, 0x3f800000}, []uint64{0, 0, 0, 0}},
	{"zxs-first", "chs\nzxs i0, s3 <- end", "z1", "", []uint64{0xbf800000, 0x3f800000, 0xbf800000, 0x3f800000}, []uint64{0, 0, 0, 0}},
	{"killed-quad runs", "kil -|i0.x|\nmov r3.x, i0.x <- end", "r3.x", "run", []uint64{0xbf800000, 0x3f800000, 0xbf800000, 0x3f800000},
		[]uint64{0xbf800000, 0x3f800000, 0xbf800000, 0x3f800000}},
	{"killed-quad stops", "kil -|i0.x|\nmov r3.x, i0.x <- end", "r3.x", "stop", []uint64{0, 0, 0, 0}, []uint64{0, 0, 0, 0}},
}

func TestDepartures(t *testing.T) {
	for _, c := range departed {
		options := map[string]string{}
		if c.option != "" {
			options[attila.OptKilled] = c.option
		}
		for variant, want := range [][]uint64{attila.Text: c.attila, attila.Sim: c.sim} {
			s := &casefile.State{Regs: map[string]casefile.Words{"r1.x": words(0xffffffff, 1, 1<<24+1, uint64(uint32(0xfeffffff))), "p1": words(1, 0, 1, 0),
				"i0.x": words(0xbf800000, 0x3f800000, 0xbf800000, 0x3f800000)}}
			k, err := run(t, c.text, 4, variant, options, s)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			got := values(t, k, c.reg)
			for lane, x := range got {
				if x != want[lane] {
					t.Errorf("%s, variant %d: %s is %x, want %x", c.name, variant, c.reg, got, want)
					break
				}
			}
		}
	}
}

// TestJump: a group jumps only if the condition holds in all its lanes.
func TestJump(t *testing.T) {
	const text = "jmp p1, away\nmov r0.x, c1.x\naway: mov r1.x, c1.x <- end"
	uniform := map[string]casefile.Words{"c1.x": words(7)}
	for _, c := range []struct {
		lanes int
		p1    casefile.Words
		r0    uint64
	}{{1, words(1), 0}, {4, words(1, 1, 1, 0), 7}, {4, words(1), 0}, {16, words(1), 0}, {1, words(0), 7}} {
		k, err := run(t, text, c.lanes, attila.Text, nil, &casefile.State{Regs: map[string]casefile.Words{"p1": c.p1}, Uniform: uniform})
		if err != nil {
			t.Fatal(err)
		}
		if got := values(t, k, "r0.x")[0]; got != c.r0 {
			t.Errorf("%d lanes, p1 %v: r0.x is %d, want %d", c.lanes, c.p1, got, c.r0)
		}
	}
}

// TestFaults: an operation that is not allowed ends a program, with a reason.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"mov r0, c511[a0.x + 1] <- end", "const load of 16 bytes at 0x2000"},
		{"mov r40, r0 <- end", "there is no register r40"},
		{"setpeq p32, r0, r0 <- end", "there is no predicate p32"},
		{"tex r0, i0, t3 <- end", "there is no texture unit 3"},
		{"lda r0, i0, t3 <- end", "there is no attribute stream 3"},
		{"nop", "no code"},
		{"here: jmp true, here", "step limit"},
	} {
		_, err := run(t, c.text, 4, attila.Text, nil, &casefile.State{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestPrepare: invalid cases.
func TestPrepare(t *testing.T) {
	for name := range map[string]bool{"c512.x": true, "c1": true, "d1.x": true, "c1.q": true, "c01.x": true} {
		if err := prepare(&exec.Env{}, &casefile.State{Uniform: map[string]casefile.Words{name: words(1)}}); err == nil {
			t.Errorf("a constant %s", name)
		}
	}
	for _, name := range []string{"r32.x", "r1", "p32", "i48.x", "q1", "kill16", "r1.xy", "sample1", "acc.x", "exec"} {
		if _, err := LookupRegister(0, name); err == nil {
			t.Errorf("a register %s", name)
		}
	}
}

// TestWidth: a vertex, a quad or a part of one, four quads.
func TestWidth(t *testing.T) {
	for lanes, want := range map[int]int{0: 4, 1: 1, 2: 4, 3: 4, 4: 4, 5: 16, 16: 16, 17: 16, 64: 16} {
		if got := Width(lanes); got != want {
			t.Errorf("%d lanes in waves of %d, want %d", lanes, got, want)
		}
	}
}

// TestUnits: units and attributes up to the last one are accepted, and none after it.
func TestUnits(t *testing.T) {
	for n, good := range map[int]bool{0: true, 15: true, 16: false} {
		s := &casefile.State{Extra: map[string]json.RawMessage{"streams": json.RawMessage(fmt.Sprintf(`[{"attribute":%d,"default":["1","2","3","4"]}]`, n))}}
		env := &exec.Env{}
		if err := prepare(env, s); (err == nil) != good || good && env.Streams[n].Default != [4]uint32{1, 2, 3, 4} {
			t.Errorf("attribute %d: %v", n, err)
		}
		s = &casefile.State{Extra: map[string]json.RawMessage{"textures": json.RawMessage(fmt.Sprintf(`[{"unit":%d,"target":"2D","format":"R8","width":1,"height":1,`+
			`"wrap":["REPEAT","REPEAT","REPEAT"],"min_filter":"NEAREST","mag_filter":"NEAREST","levels":[["07"]]}]`, n))}}
		env = &exec.Env{}
		if err := prepare(env, s); (err == nil) != good || good && env.Textures[n] == nil {
			t.Errorf("texture unit %d: %v", n, err)
		}
	}
}

// TestInactiveLanes: rows run under partial execution masks.
func TestInactiveLanes(t *testing.T) {
	n := laws.Lanes(t, attila.Set(), laws.RunOptions{
		Prepare: func(st *exec.State) {
			for lane := range st.Lanes {
				st.Set(ir.Cell{File: attila.FileSample}, lane, uint32(lane%3))
				for c := range 4 * attila.NumAddr {
					st.Set(ir.Cell{File: attila.FileA, Index: uint16(c)}, lane, uint32(lane+c))
				}
			}
		},
	})
	t.Logf("%d runs", n)
}
