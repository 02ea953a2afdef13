package console

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/debug"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/loc"
)

const loopText = "start:\n\ts_mov_b32 s0, 3\nagain:\n\ts_sub_u32 s0, s0, 1\n\tv_mov_b32 v1, s0\n\ts_cmp_lg_u32 s0, 0\n\ts_cbranch_scc1 again\n\ts_endpgm\n"

// session runs commands on a wave that counts s0 down from 3.
func session(t testing.TB, commands string, out io.Writer) error {
	t.Helper()
	target, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(target, []byte(loopText), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	from := &loc.Map{}
	for _, y := range a.Labels {
		from.Symbols = append(from.Symbols, loc.Symbol{Name: y.Name, Addr: y.Addr})
	}
	c := New(strings.NewReader(commands), out)
	c.Session(func(ctx context.Context, s *debug.Session) error {
		p := &isa.Program{Target: target, Code: a.Code, Map: from}
		st, err := exec.NewState(p.Machine(), 0)
		if err != nil {
			return err
		}
		st.Start(0, ^uint64(0))
		return launch.RunWave(ctx, exec.Stepped(engines.Fastest(engines.Use{}), s), exec.NewProgram(p), st, &exec.Env{}, exec.Limits{Steps: 1000})
	})
	return c.Run(t.Context())
}

// TestHelp: every command has its own help, and names and abbreviations are unique.
func TestHelp(t *testing.T) {
	seen := map[string]string{}
	for _, s := range sections() {
		for _, x := range s.commands {
			for _, n := range append([]string{x.name}, strings.Fields(x.short)...) {
				if seen[n] != "" {
					t.Errorf("%s is %s and %s", n, seen[n], x.name)
				}
				seen[n] = x.name
			}
			var b strings.Builder
			if err := session(t, "help "+x.name+"\n", &b); err != nil || !strings.Contains(b.String(), x.help) {
				t.Errorf("help %s: %v\n%s", x.name, err, &b)
			}
		}
	}
}

// FuzzConsole: the console handles any input, and ends with it.
func FuzzConsole(f *testing.F) {
	for _, text := range []string{
		"step 3\nprint v1\nback 2\nq", "b again\nc\nc\nnext\nx 0\nx/8xw global 0\nx private:3 4 7\nlanes 9-3", "start\nstep\n\n\ndelete 1\nd\np s[0:1] exec\nr\nh\nbt",
		"break ,hit:0\nbreak 1+\nback 99", "tbreak again if s0 == 1\nrun\nrc\nrs\nrni 2\nfinish", "watch s0\nrwatch s0\nawatch v1[3] if s0 < 2\nc\nc\ninfo b\nignore 1 2\ncondition 1 s0\nrun",
		"set s0 = 5\nset v1[3] = 1.5\ndisplay/x s0\nundisplay 1\ninfo lanes\nwave 3\nlane 70\nlane 5\nframe 4\nup\nlist 3,9\ndisas again\nclear again\njump again\nc", "logpoint again s0 {s0}\ndisable\nc\nrc\nc\nwhatis v1\ninfo reg s0\ninfo locals\ninfo k",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "\n") > 40 {
			return
		}
		_ = session(t, text, io.Discard) // a run that ends before its first instruction is an error
	})
}

// TestAnswers: output of commands on the wave that counts s0 down from 3.
func TestAnswers(t *testing.T) {
	for _, x := range []struct{ command, want string }{
		{"x/2i", "> 0x000000 <start>  s_mov_b32 s0, 3\n  0x000004 <again>  s_sub_u32 s0, s0, 1\n"},
		{"x/1i $pc", "> 0x000000 <start>  s_mov_b32 s0, 3\n"},
		{"x/2i again", "  0x000004 <again>  s_sub_u32 s0, s0, 1\n  0x000008 <again+0x4>  v_mov_b32_e32 v1, s0\n"},
		{"x/2q s0", "formats are those of print, and i; sizes are b, h, w, g"},
		{"info locals", "no variables are known here: the code has no debug information; compile it with -g"},
		{"info variables", "no variables are known here: the code has no debug information; compile it with -g"},
		{"print s[0:8]", "print: s[0:8]: it has 9 words: name one or two"},
		{"print nosuch", "print: nosuch: no variable in scope"},
		{"counts", "no instruction has run\n"},
		{"break s_endpgm\ncontinue\ncounts 1\nbreak 1", "\n      WAVES     LANES\n          3       192 0x000004  s_sub_u32 s0, s0, 1\n  4 more have run; disassemble and list print counts, too\n"},
		{"counts\nbreak s_cbranch_scc1\ncontinue\ncontinue\nback 3\ndisassemble again", ">         1        64 0x000004 <again>  s_sub_u32 s0, s0, 1\n"},
		{"continue\ncounts 1\nback 2\ncounts 1\ncounts off\ndisassemble again", "          3       192 0x000004  s_sub_u32 s0, s0, 1\n"},
		{"print exec pc", "exec = 0xffffffffffffffff\npc = 0x0000000000000000\n"},
	} {
		var b strings.Builder
		if err := session(t, x.command+"\n", &b); err != nil || !strings.Contains(b.String(), x.want) {
			t.Errorf("%s: %v\n%s\nwant %s", x.command, err, &b, x.want)
		}
	}
}
