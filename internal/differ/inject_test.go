package differ

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
	"github.com/heddle-gpu/heddle/sanitize"
)

// removals are the instructions that are removed from compiled code, one at a time, and the checks by which that may be
// found. What caches hold is not modelled here, so that what a fence was for is never found.
var removals = [...]struct {
	name   string
	checks string
	finds  bool
	is     func(word uint32, oldest bool) (size int) // in words; 0: it is none
}{
	{"barrier", "race sync", true, func(w uint32, _ bool) int { return count(w == 0xbf8a0000) }},
	{"wait", "wait", true, func(w uint32, _ bool) int { return count(w>>16 == 0xbf8c) }},
	{"fence", "race sync wait", false, func(w uint32, oldest bool) int { // buffer_wbinvl1 and the like
		op := w >> 18 & 0x7f
		return 2 * count(w>>26 == 0x38 && (oldest && op >= 0x70 && op <= 0x71 || !oldest && op >= 0x3e && op <= 0x3f))
	}},
}

// An injected counts what became of removals of a kind: places; those found; those not found although results were
// wrong, the linter finds them, or lanes of one wave would race; and runs, and those in which something was found.
type injected struct{ places, found, missed, linted, lanes, runs, hits int }

// An injection is what is done to kernels: kernels, places of each kind in each, and runs of each place.
type injection struct{ kernels, places, runs int }

// TestInjection removes each barrier, wait and fence of compiled kernels in turn and runs the code, in several ways:
// engines, workers and the contents of unset registers. No run of the code as it is finds anything. No removed barrier
// that shows in results stays unfound, nor does the place decide otherwise from run to run. HEDDLE_LONG takes all
// places of 30 kernels, 30 times, and compares the numbers with docs/sanitize.md.
func TestInjection(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	long := os.Getenv("HEDDLE_LONG") != ""
	c := injection{6, 2, 3}
	if long {
		c = injection{30, math.MaxInt, 30}
	}
	var clean injected
	counts := make([]injected, len(removals))
	builds := withBarriers(t, c.kernels)
	if len(builds) < c.kernels {
		t.Fatalf("%d kernels", len(builds))
	}
	for _, b := range builds {
		c.kernel(t, b, &clean, counts)
	}
	t.Logf("the code as it is: found in runs: %s", rate(clean.hits, clean.runs))
	text := "In brackets are intervals of Wilson for 95 %."
	for i := range removals {
		n := &counts[i]
		text += fmt.Sprintf(" Of the %ss, %s are found.", removals[i].name, rate(n.found, n.places))
		t.Logf("%s: found in runs: %s; %+v", removals[i].name, rate(n.hits, n.runs), *n)
		if n.missed > 0 || n.hits != n.found*c.runs || (n.found > 0) != removals[i].finds {
			t.Errorf("%s: %+v", removals[i].name, *n)
		}
	}
	t.Log(text)
	page, err := os.ReadFile("../../docs/sanitize.md")
	if err != nil || long && !strings.Contains(strings.Join(strings.Fields(string(page)), " "), text) {
		t.Errorf("docs/sanitize.md does not have %q: %v", text, err)
	}
}

// rate describes k of n with the interval of Wilson for 95 %.
func rate(k, n int) string {
	lo, hi := wilson(k, n)
	return fmt.Sprintf("%d of %d (%.1f to %.1f %%)", k, n, 100*lo, 100*hi)
}

// wilson returns the interval of Wilson for 95 % of a share of which k of n have been seen.
func wilson(k, n int) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, (mid-half)/(1+z*z/m)), min(1, (mid+half)/(1+z*z/m))
}

// TestWilson: intervals from the formula's closed forms at the ends, z²/(n+z²), and a symmetric one.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		lo, hi float64
	}{{0, 10, 0, 0.277533}, {10, 10, 0.722467, 1}, {5, 10, 0.236593, 0.763407}, {0, 0, 0, 1}} {
		if lo, hi := wilson(c.k, c.n); math.Abs(lo-c.lo) > 1e-5 || math.Abs(hi-c.hi) > 1e-5 {
			t.Errorf("%d of %d: %g to %g, want %g to %g", c.k, c.n, lo, hi, c.lo, c.hi)
		}
	}
}

// A built is a build of a kernel.
type built struct {
	m        *casefile.Manifest
	b        *casefile.Build
	barriers int
	fences   bool // only fences are removed, which is code that is not optimised
}

// withBarriers returns the last optimised build of each of some kernels, those with barriers first, and builds with
// fences.
func withBarriers(t *testing.T, n int) (list []*built) {
	t.Helper()
	of := map[*casefile.Manifest]*built{}
	var plain []*built
	eachKernel(t, os.Getenv("HEDDLE_LONG") != "", func(m *casefile.Manifest, b *casefile.Build, _ int) {
		if strings.HasSuffix(b.File, ".O0.hsaco") {
			if fenced.MatchString(b.File) {
				plain = append(plain, &built{m: m, b: b, fences: true})
			}
			return
		}
		if of[m] == nil {
			of[m] = &built{m: m}
			list = append(list, of[m])
		}
		of[m].b = b
	})
	for _, x := range list {
		o := objectOf(t, x.m, x.b)
		for _, s := range o.Segments {
			if code, ok := o.Bytes(s.Addr, s.Size); ok && s.Exec {
				x.barriers += bytes.Count(code, []byte{0, 0, 0x8a, 0xbf})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y *built) int { return min(y.barriers, 1) - min(x.barriers, 1) })
	return append(list[:min(n, len(list))], plain...)
}

// fenced are builds that have fences.
var fenced = regexp.MustCompile(`^(matmul_tiled|fft64)\.gfx(600|803)\.`)

// kernel runs a build as it is, and without each instruction of a kind in turn.
func (c *injection) kernel(t *testing.T, b *built, clean *injected, counts []injected) {
	t.Helper()
	m := b.m
	o := objectOf(t, m, b.b)
	target, err := sets.Lookup(o.Target)
	if err != nil {
		t.Fatal(err)
	}
	for run := range c.runs {
		found, wrong := injectedRun(t, m, o, run, "race sync wait")
		clean.runs++
		clean.hits += count(found != "")
		if found != "" || wrong {
			t.Errorf("%s: run %d of the code as it is: %s, wrong results: %t", b.b.File, run, found, wrong)
		}
	}
	w := waitsOf(t, m, o, false)
	oldest := strings.HasPrefix(o.Target, "gfx6") || strings.HasPrefix(o.Target, "gfx7")
	for i := range removals {
		places := 0
		if b.fences && removals[i].name != "fence" {
			continue
		}
		w.words(o, func(code []byte, _ uint64) {
			size := removals[i].is(binary.LittleEndian.Uint32(code), oldest)
			if size == 0 || places == c.places {
				return
			}
			places++
			old := bytes.Clone(code[:4*size])
			for k := range size {
				binary.LittleEndian.PutUint32(code[4*k:], sNop)
			}
			linted := removals[i].checks == "wait" && len(lintedOf(target, o, isa.SeverityWarning)) > 0
			if !c.place(t, m, o, removals[i].checks, linted, &counts[i]) && removals[i].name == "barrier" {
				lanes := &sanitize.Races{Threads: true}
				if _, err := launchAll(t, m, o, launch.Settings{Watcher: lanes}); err != nil {
					t.Fatal(err)
				}
				counts[i].lanes += count(len(lanes.Found()) > 0)
			}
			copy(code, old)
		})
	}
}

// place runs code without an instruction and reports whether something is found.
func (c *injection) place(t *testing.T, m *casefile.Manifest, o *object.CodeObject, checks string, linted bool, n *injected) bool {
	t.Helper()
	hits, wrong := 0, false
	for run := range c.runs {
		found, bad := injectedRun(t, m, o, run, checks)
		hits, wrong = hits+count(found != ""), wrong || bad
	}
	n.places++
	n.runs += c.runs
	n.hits += hits
	n.found += count(hits > 0)
	n.missed += count(hits == 0 && wrong)
	n.linted += count(hits == 0 && linted)
	return hits > 0
}

// injectedRun runs the launches of a manifest in one of several ways, and returns what is found by some checks, and
// whether results are wrong. A plain access beside atomic ones is no finding: a loop of compare and swap begins so.
func injectedRun(t *testing.T, m *casefile.Manifest, o *object.CodeObject, run int, checks string) (found string, wrong bool) {
	t.Helper()
	w := sanitize.New(sanitize.CheckRace|sanitize.CheckWait|sanitize.CheckSync, nil)
	tested := engines.Tested()
	set := launch.Settings{Engine: engines.Fastest(engines.Use{}), Workers: 1 + run%3, Watcher: w, Policy: exec.RecordFaults, Limits: exec.Limits{Steps: 1 << 22, Total: 1 << 26}}
	if run%5 == 4 {
		set.Engine = tested[run/5%len(tested)].New()
	}
	memory, err := launchFilled(t, m, o, set, uint32(run)*0x9e3779b9)
	for _, f := range w.Findings() {
		if f.Severity() != isa.SeverityNote && f.Rule != "race-half-atomic" && slices.Contains(strings.Fields(checks), f.Check()) {
			found = f.String()
		}
	}
	got := map[string][]byte{}
	for _, b := range memory.Buffers() {
		got[b.Name] = b.Data
	}
	compared, err2 := check.Buffers(m, got)
	if err2 != nil {
		t.Fatal(err2)
	}
	for _, r := range compared {
		wrong = wrong || r.What != ""
	}
	return found, wrong || err != nil
}
