package differ

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/codeobj"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
	"github.com/heddle-gpu/heddle/sanitize"
)

// watchers observe a run for races and missing waits, and verify every block that is run.
type watchers struct {
	*sanitize.Sanitizer
	races *sanitize.Races
	waits *sanitize.Waits
	runs  int // of launches, with those that look for races at the end
}

func newWatchers() *watchers {
	w := &watchers{races: &sanitize.Races{}, waits: &sanitize.Waits{}}
	w.Sanitizer = sanitize.Combine(nil, w.races, w.waits)
	return w
}

// found returns the findings of both, with their counts.
func (w *watchers) found() (list []string) {
	for _, r := range w.races.Found() {
		list = append(list, fmt.Sprintf("%v, %d times", r, r.Count))
	}
	for _, e := range w.waits.Found() {
		list = append(list, fmt.Sprintf("%v, %d times", e, e.Count))
	}
	return list
}

// benign reports whether nothing but benign races was found.
func (w *watchers) benign() bool {
	return len(w.waits.Found()) == 0 && !slices.ContainsFunc(w.races.Found(), func(r *sanitize.Race) bool { return !r.Benign() })
}

// Watch wraps code so that its blocks are verified.
func (w *watchers) Watch(code ir.Code, windows []exec.Window) ir.Code {
	w.runs++
	return verified{w.Sanitizer.Watch(code, windows)}
}

// Filter wraps code likewise.
func (w *watchers) Filter(code ir.Code, windows []exec.Window, group bool) (ir.Code, exec.Observer) {
	w.runs++
	code, o := w.Sanitizer.Filter(code, windows, group)
	return verified{code}, o
}

type verified struct{ ir.Code }

func (v verified) Unwrap() ir.Code { return v.Code }

func (v verified) Block(at ir.Key) (*ir.Block, error) {
	b, err := v.Code.Block(at)
	if err == nil {
		err = ir.Verify(v.Machine(), b)
	}
	return b, err
}

// sameFound compares the findings of the watchers on every engine with those on the reference, and returns the latter.
// fault is part of the text of the fault that ends the run; "": it ends without one.
func sameFound(t *testing.T, fault string, run func(exec.Engine, *watchers) error) *watchers {
	t.Helper()
	want := newWatchers()
	wantErr := run(ref.New(), want)
	for _, e := range rivals(t) {
		if e.Name() == ref.New().Name() {
			continue
		}
		got := newWatchers()
		if err := run(e, got); fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v; the reference: %v", e.Name(), err, wantErr)
		}
		if g, w := got.found(), want.found(); !slices.Equal(g, w) {
			t.Errorf("%s: found\n\t%s\nthe reference:\n\t%s", e.Name(), strings.Join(g, "\n\t"), strings.Join(w, "\n\t"))
		}
	}
	if (wantErr != nil) != (fault != "") || !strings.Contains(fmt.Sprint(wantErr), fault) {
		t.Errorf("the reference: %v, want %q", wantErr, fault)
	}
	return want
}

// TestWatchedKernels: kernels made by a compiler have no race and no missing wait, on any engine, and give the results
// in the manifest. Those that are not optimised take longer than all others: they are of one generation.
func TestWatchedKernels(t *testing.T) {
	eachKernel(t, !testing.Short(), func(m *casefile.Manifest, b *casefile.Build, _ int) {
		if strings.HasSuffix(b.File, ".O0.hsaco") && !strings.Contains(b.File, ".gfx803.") {
			return
		}
		t.Run(b.File, func(t *testing.T) {
			t.Parallel()
			w := sameFound(t, "", func(e exec.Engine, w *watchers) error {
				_, _, err := gcn.RunManifest(context.Background(), m, b, launch.Settings{Engine: e, Workers: 1, Watcher: w})
				return err
			})
			if w.benign() && strings.HasPrefix(b.File, "atomics.") {
				return // a loop of compare and swap begins with a plain load
			}
			if found := w.found(); len(found) > 0 {
				t.Errorf("found\n\t%s", strings.Join(found, "\n\t"))
			}
		})
	})
}

// A watched text is an assembly program, its launch, and the expected findings.
type watched struct {
	file         string
	block, grid  uint32
	workers      int // 0: one
	races, waits bool
	args         []int  // sizes of buffers in bytes
	fault        string // as for sameFound
}

// sanitizeCases returns the programs of cases/sanitize about races and waits. Some verdicts are not heddle's: see
// there.
func sanitizeCases(t *testing.T) (list []watched) {
	t.Helper()
	const dir = "../../cases/sanitize"
	others := map[string]string{
		"race19": "M0 limits ds_append to 64 KiB here, so that it faults",
		"race22": "a store that is pending at the barrier is a missing wait",
		"wait14": "the address is none of LDS, so that vmcnt counts the load",
	}
	also := map[string]bool{"wait10.s": true, "wait19.s": true} // all items store to one word
	text, err := os.ReadFile(filepath.Join(dir, "expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		col := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") || col[1] != "race" && col[1] != "wait" {
			continue
		}
		block, err := strconv.ParseUint(col[3], 10, 32)
		if err != nil || col[4] != "finding" && col[4] != "silent" {
			t.Fatalf("%q: %v", line, err)
		}
		finds := col[4] == "finding" && others[strings.TrimSuffix(col[0], ".s")] == ""
		fault := ""
		if col[0] == "race19.s" {
			fault = "not a multiple of 4"
		}
		list = append(list, watched{fault: fault, file: filepath.Join(dir, col[0]), block: uint32(block), grid: 256, args: []int{4096},
			races: finds && col[1] == "race" || also[col[0]], waits: finds && col[1] == "wait" || col[0] == "race22.s"})
	}
	return list
}

// TestWatchedTexts: races and missing waits are found where there are some and nowhere else, alike in all engines.
func TestWatchedTexts(t *testing.T) {
	list := append(sanitizeCases(t),
		// Flat loads access scratch, for which engines restart the instruction.
		watched{file: "../../cases/reports/waits-engines/pp64.gfx803.s", block: 1, grid: 1, args: []int{16, 512}},
		// The lanes that are read are not those for which the load is pending.
		watched{file: "../../cases/reports/waits-lanes/lanes.gfx8.s", block: 64, grid: 64},
		watched{file: "../../cases/reports/waits-lanes/turn.gfx8.s", block: 64, grid: 64})
	if len(list) < 40 {
		t.Fatalf("%d programs", len(list))
	}
	for _, c := range list {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			o := assembled(t, c.file)
			w := sameFound(t, c.fault, func(e exec.Engine, w *watchers) error { return c.run(o, e, w) })
			if got := len(w.races.Found()) > 0; got != c.races {
				t.Errorf("races found: %v, want %v: %q", got, c.races, w.found())
			}
			if got := len(w.waits.Found()) > 0; got != c.waits {
				t.Errorf("missing waits found: %v, want %v: %q", got, c.waits, w.found())
			}
		})
	}
}

// run launches the first kernel of the program.
func (c *watched) run(o *object.CodeObject, e exec.Engine, w *watchers) error {
	return c.launch(o, e, w)
}

// launch is run with any watcher.
func (c *watched) launch(o *object.CodeObject, e exec.Engine, w launch.Watcher) error {
	module, err := gcn.Load(o, nil)
	if err != nil {
		return err
	}
	k := gcn.Kernel{Module: module, Name: o.Kernels[0].Name, Memory: gcn.NewMemory(), Grid: [3]uint32{c.grid}, Block: [3]uint32{c.block}}
	for i, n := range c.args {
		b, err := k.Memory.Alloc(fmt.Sprint("arg", i), n)
		if err != nil {
			return err
		}
		k.Args = append(k.Args, gcn.Buf(b))
	}
	_, err = gcn.Launch(context.Background(), k, launch.Settings{Engine: e, Workers: max(c.workers, 1), Watcher: w})
	return err
}

// waitTexts are texts in which each expected finding is marked: "// waits for N" at the instruction that should have
// waited for that of line N, and "// idle" at an instruction that waits for nothing. They begin with their processor if
// it is not gfx803.
var waitTexts = []struct{ name, text string }{
	{"a counter that several queues share", `
	s_mov_b32 m0, -1
	ds_read_b32 v3, v0
	s_load_dword s12, s[4:5], 0x0
	s_waitcnt lgkmcnt(1)
	v_mov_b32 v4, v3 // waits for 3
	ds_read_b32 v3, v0
	ds_read_b32 v4, v0
	s_waitcnt lgkmcnt(1)
	v_mov_b32 v5, v3
	s_mov_b32 s13, s12 // waits for 4
	s_endpgm
`},
	{"what stores have yet to read", `.target gfx600
	buffer_store_dword v1, off, s[0:3], s9
	buffer_store_dword v2, off, s[0:3], s9
	s_waitcnt expcnt(1)
	v_mov_b32 v1, 0
	v_mov_b32 v2, 0 // waits for 3
	s_mov_b64 exec, 1
	buffer_store_dword v3, off, s[0:3], s9
	s_mov_b64 exec, 2
	v_mov_b32 v3, 0
	s_mov_b64 exec, -1
	v_mov_b32 v3, 0 // waits for 8
	buffer_store_dword v4, off, s[0:3], s9
	s_waitcnt vmcnt(0)
	v_mov_b32 v4, 0
	buffer_atomic_add v5, off, s[0:3], s9 glc
	s_waitcnt expcnt(0)
	v_mov_b32 v6, v5 // waits for 16
	s_endpgm
`},
	{"gfx7 and later read at once", `
	buffer_store_dword v1, off, s[0:3], s9
	v_mov_b32 v1, 0
	s_endpgm
`},
	{"stores at a barrier", `
	s_mov_b32 m0, -1
	ds_write_b32 v0, v0
	s_barrier // waits for 3
	s_waitcnt lgkmcnt(0)
	ds_read_b32 v1, v0
	s_barrier
	ds_write_b32 v0, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_endpgm
`},
	{"waits for nothing", `
	s_waitcnt vmcnt(0) // idle
	buffer_store_dword v1, off, s[0:3], s9
	buffer_load_dword v2, off, s[0:3], s9
	s_waitcnt vmcnt(2) // idle
	s_waitcnt vmcnt(1)
	s_waitcnt lgkmcnt(0) // idle
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0) // idle
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_waitcnt lgkmcnt(0)
	s_load_dword s12, s[4:5], 0x0
	s_load_dword s13, s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s14, 0
	s_waitcnt vmcnt(0)
	buffer_load_dword v2, off, s[0:3], s9
	s_add_u32 s14, s14, 1
	s_cmp_lt_u32 s14, 3
	s_cbranch_scc1 -6
	s_endpgm
`},
	{"flat addresses", `
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v10, s0
	v_mov_b32 v11, s1
	flat_load_dword v2, v[10:11]
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v3, v2 // waits for 6
	s_waitcnt vmcnt(0)
	flat_load_dword v2, v[10:11]
	s_waitcnt vmcnt(0)
	v_mov_b32 v3, v2
	v_lshlrev_b32 v10, 2, v0
	v_mov_b32 v11, SHARED
	s_mov_b32 m0, -1
	flat_load_dword v4, v[10:11]
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v3, v4
	flat_load_dword v4, v[10:11]
	s_waitcnt vmcnt(0)
	v_mov_b32 v3, v4 // waits for 19
	s_endpgm
`},
	{"instructions that are skipped issue nothing", `
	buffer_load_dword v2, off, s[0:3], s9
	s_mov_b32 s12, 1
	s_setvskip s12, 0
	buffer_load_dword v3, off, s[0:3], s9
	s_setvskip s12, 1
	s_waitcnt vmcnt(1) // idle
	v_mov_b32 v4, v2 // waits for 2
	s_endpgm
`},
	{"lanes that instructions name", `
	s_mov_b64 exec, 1
	buffer_load_dword v2, off, s[0:3], s9
	v_readlane_b32 s12, v2, 5
	s_mov_b64 exec, 2
	v_readlane_b32 s12, v2, 0 // waits for 3
	v_writelane_b32 v2, s4, 1
	v_writelane_b32 v2, s4, 0 // waits for 3
	s_mov_b32 s13, 64
	v_readlane_b32 s12, v2, s13 // waits for 3
	s_waitcnt vmcnt(0)
	v_readlane_b32 s12, v2, 0
	s_endpgm
`},
	{"scalar registers have no lanes", `
	s_load_dword s12, s[4:5], 0x0
	s_mov_b64 exec, 0
	v_mov_b32 v1, s12 // waits for 2
	s_endpgm
`},
	{"a load without lanes writes nothing, and counts", `
	buffer_load_dword v1, off, s[0:3], s9
	s_mov_b64 exec, 0
	buffer_load_dword v2, off, s[0:3], s9
	s_mov_b64 exec, -1
	s_waitcnt vmcnt(1)
	v_mov_b32 v3, v1
	v_mov_b32 v3, v2
	s_endpgm
`},
	{"loads of one kind end in order", `
	buffer_load_dword v3, off, s[0:3], s9
	buffer_load_dword v3, off, s[0:3], s9 offset:4
	v_mov_b32 v4, v3 // waits for 2 3
	s_mov_b32 m0, -1
	ds_read_b32 v5, v0
	ds_read_b32 v5, v0 offset:4
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v4, v5
	s_endpgm
`},
	{"scalar loads do not, nor do those of two counters", `
	s_mov_b32 m0, -1
	s_load_dword s12, s[4:5], 0x0
	s_load_dword s12, s[4:5], 0x4 // waits for 3
	buffer_load_dword v3, off, s[0:3], s9
	ds_read_b32 v3, v0 // waits for 5
	s_endpgm
`},
}

// TestMissingWaits: the instructions that access what is pending in a lane are found, and no others.
func TestMissingWaits(t *testing.T) {
	for _, c := range waitTexts {
		t.Run(c.name, func(t *testing.T) {
			var want, idle []string
			for i, line := range strings.Split(c.text, "\n") {
				if _, from, marked := strings.Cut(line, "// waits for "); marked {
					for f := range strings.FieldsSeq(from) {
						want = append(want, fmt.Sprintf("%d for %s", i+1, f))
					}
				}
				if strings.HasSuffix(line, "// idle") {
					idle = append(idle, fmt.Sprint(i+1))
				}
			}
			o, lines := bare(t, c.name, []byte(strings.ReplaceAll(c.text, "SHARED", fmt.Sprintf("%#x", uint64(gcn.SharedBase)>>32))))
			w := sameFound(t, "", func(e exec.Engine, w *watchers) error {
				return (&watched{block: 64, grid: 64, args: []int{64}}).run(o, e, w)
			})
			var got []string
			for _, e := range w.waits.Found() {
				got = append(got, fmt.Sprintf("%d for %d", lines[e.At.Place.Addr], lines[e.From.Place.Addr]))
			}
			var waited []string
			for _, x := range w.waits.Idle() {
				waited = append(waited, fmt.Sprint(lines[x.At.Place.Addr]))
			}
			if idle != nil && !slices.Equal(waited, idle) {
				t.Errorf("%q wait for nothing, want %q", waited, idle)
			}
			if !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
}

// assembled returns the code object of a text: a program with kernels, or bare code with LDS and scratch.
func assembled(t *testing.T, file string) *object.CodeObject {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, is := codeobj.Sniff(text); is {
		p, errs, err := codeobj.Assemble(text, codeobj.Options{File: file})
		if err != nil || len(errs) > 0 {
			t.Fatal(err, errs)
		}
		o, err := object.ReadHSA(p.Data)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o, _ := bare(t, file, text)
	return o
}

// bare returns bare code with LDS and scratch, and the lines of its instructions by address.
func bare(t *testing.T, file string, text []byte) (*object.CodeObject, map[uint64]int32) {
	t.Helper()
	return bareWith(t, file, text, 4096)
}

// bareWith is bare with so many bytes of group memory.
func bareWith(t *testing.T, file string, text []byte, lds uint32) (*object.CodeObject, map[uint64]int32) {
	t.Helper()
	processor := "gfx803"
	if first, rest, _ := strings.Cut(string(text), "\n"); strings.HasPrefix(first, ".target ") {
		processor, text = strings.TrimPrefix(first, ".target "), []byte("\n"+rest)
	}
	target, err := sets.Lookup(processor)
	if err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(target, text, asm.Options{File: file})
	for _, e := range errs {
		t.Fatal(e.Detail())
	}
	lines := map[uint64]int32{}
	for _, l := range a.Lines {
		lines[uint64(l.Off)] = l.Line
	}
	return gcn.BareObject(a.Code, gcn.Bare{Name: "k", Target: processor, LDS: lds, Scratch: 64}), lines
}
