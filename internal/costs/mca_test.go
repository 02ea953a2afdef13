package costs_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/costs"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/object"
)

var update = flag.Bool("update", false, "record what llvm-mca says")

// resources are those of llvm-mca's model, in its order, by the units that they stand for.
var resources = []struct {
	name  string
	units []string
}{{"HWBranch", []string{"branch"}}, {"HWExport", []string{"export"}}, {"HWLGKM", []string{"smem", "lds", "gds"}}, {"HWSALU", []string{"salu", "message"}},
	{"HWVALU", []string{"valu"}}, {"HWVMEM", []string{"vmem", "flat"}}}

// salu is the resource of scalar arithmetic, vmem that of memory.
const salu, vmem = 3, 5

// An mcaBlock is what llvm-mca says of a block: its cycles of four clocks, and the cycles of each resource.
type mcaBlock struct {
	cycles    float64
	resources []float64
}

// key names a block.
func key(cpu, file string, b *costs.Block) string {
	return fmt.Sprintf("%s %s %#x", cpu, filepath.Base(file), b.Addr)
}

// kernels are the code objects whose blocks are compared: those of clang 22 at its usual level.
func kernels(t *testing.T) (list []string) {
	for _, pattern := range []string{"../../cases/kernels/gcn/*/*.gfx803.hsaco", "../benchengines/kernels/*.gfx803.hsaco"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) < 10 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		list = append(list, found...)
	}
	return list
}

// modelled are the blocks of a file with several instructions, at most 12 of a file.
func modelled(t *testing.T, file, chip string, waves int, set ...string) (list []costs.Block) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := object.ReadHSAFile(data, file)
	if err != nil {
		t.Fatal(err)
	}
	tg, err := sets.Lookup("gcn:gfx8")
	if err != nil {
		t.Fatal(err)
	}
	c, err := chips.Named("gcn:gfx8", chip)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range set {
		if err := c.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	code := disasm.Of(tg, o)
	for _, b := range costs.Code(code, c, waves, code.Name).Blocks {
		if len(b.Of) == 0 && len(b.Insts) >= 5 && len(b.Insts) <= 300 && len(list) < 12 {
			list = append(list, b)
		}
	}
	return list
}

// mca runs llvm-mca on a block.
func mca(t *testing.T, cpu string, b *costs.Block) (m mcaBlock) {
	var text strings.Builder
	for i := range b.Insts {
		text.WriteString(b.Insts[i].Text + "\n")
	}
	cmd := exec.Command("llvm-mca-22", "-mtriple=amdgcn", "-mcpu="+cpu, "-iterations=1", "-instruction-info=false")
	cmd.Stdin = strings.NewReader(text.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found := regexp.MustCompile(`Total Cycles: +(\d+)`).FindSubmatch(out)
	_, rest, ok := bytes.Cut(out, []byte("Resource pressure per iteration:\n"))
	lines := bytes.SplitN(rest, []byte("\n"), 3)
	if found == nil || !ok || len(lines) < 3 {
		t.Fatalf("llvm-mca says:\n%s", out)
	}
	m.cycles, _ = strconv.ParseFloat(string(found[1]), 64)
	for _, f := range strings.Fields(string(lines[1]))[:len(resources)] {
		v, _ := strconv.ParseFloat(f, 64) // 0 of "-"
		m.resources = append(m.resources, v)
	}
	return m
}

// carries are vector instructions that write a mask to scalar registers.
var carries = regexp.MustCompile(`^v_((add|sub|subrev|addc|subb|subbrev)_u32|div_scale|mad_[iu]64)`)

// less takes from scalar arithmetic what llvm-mca counts there and no unit or another executes: waits and the like, and
// the masks that vector instructions write.
func (m mcaBlock) less(b *costs.Block) mcaBlock {
	m.resources = slices.Clone(m.resources)
	for i := range b.Insts {
		if in := &b.Insts[i]; in.Units[0] == "internal" && !strings.HasPrefix(in.Text, "s_barrier") && !strings.HasPrefix(in.Text, "s_endpgm") || carries.MatchString(in.Text) {
			m.resources[salu]--
		}
	}
	return m
}

// most are the resources with most work, of llvm-mca or as units of a model.
func (m *mcaBlock) most() (units []string) {
	for i, r := range resources {
		if m.resources[i] == slices.Max(m.resources) {
			units = append(units, r.units...)
		}
	}
	return units
}

const recorded = "testdata/llvm_mca.txt"

// record reads what llvm-mca said, by key.
func record(t *testing.T) map[string]mcaBlock {
	data, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]mcaBlock{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 4+len(resources) || f[0] == "#" {
			continue
		}
		var m mcaBlock
		m.cycles, _ = strconv.ParseFloat(f[3], 64)
		for _, x := range f[4:] {
			v, _ := strconv.ParseFloat(x, 64)
			m.resources = append(m.resources, v)
		}
		known[strings.Join(f[:3], " ")] = m
	}
	return known
}

// cpus are the targets of llvm-mca by our chip.
var cpus = map[string]string{"gfx801": "carrizo", "gfx803": "fiji"}

// TestRecord: what is recorded of llvm-mca is what the installed one says.
func TestRecord(t *testing.T) {
	if _, err := exec.LookPath("llvm-mca-22"); err != nil {
		t.Skip("NOT TESTED: llvm-mca-22 is not installed")
	}
	lines, known := []string{"# target, file, address of the block, cycles of one iteration, and those of " + names() + ": llvm-mca 22"}, map[string]mcaBlock{}
	if !*update {
		known = record(t)
	}
	for i, file := range kernels(t) {
		for cpu, chip := range cpus {
			if !*update && i%8 != 0 {
				continue
			}
			for _, b := range modelled(t, file, chip, 1) {
				m, k := mca(t, cpu, &b), key(cpu, file, &b)
				line := fmt.Sprintf("%s %g", k, m.cycles)
				for _, v := range m.resources {
					line += fmt.Sprintf(" %g", v)
				}
				lines = append(lines, line)
				if old := known[k]; !*update && (old.cycles != m.cycles || !slices.Equal(old.resources, m.resources)) {
					t.Errorf("%s: %v, recorded %v", k, m, old)
				}
			}
		}
	}
	if *update {
		slices.Sort(lines[1:])
		if err := os.WriteFile(recorded, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func names() string {
	var list []string
	for _, r := range resources {
		list = append(list, r.name)
	}
	return strings.Join(list, ", ")
}

// flatten are figures with which the model is llvm-mca's: each instruction takes a unit for one cycle of four clocks.
var flatten = []string{"valu.full.issue=4", "valu.quarter.issue=4", "valu.convert.issue=4", "valu.fma.issue=4", "valu.wide.issue=4", "valu.add64.issue=4", "valu.mul64.issue=4", "valu.trans64.issue=4",
	"vmem.load.issue=4", "vmem.store.issue=4", "vmem.atomic.issue=4", "vmem.sample.issue=4", "flat.issue=4", "smem.issue=4", "export.issue=4", "lds.shared=1",
	"lds.load.issue=4", "lds.load.word=0", "lds.store.issue=4", "lds.store.word=0", "lds.atomic.issue=4", "lds.atomic.word=0",
	"salu.state.issue=4", "lds.load96.issue=4", "lds.store64.issue=4", "lds.store96.issue=4", "lds.exchange64.issue=4", "lds.source64.issue=4", "lds.other.issue=4"}

// TestBottlenecks: with llvm-mca's figures the unit with most work is its resource with most pressure, without what it
// counts as scalar arithmetic and no other source does; with ours it is in most blocks, and others are bound by memory,
// for which CLRX measured more than four clocks.
func TestBottlenecks(t *testing.T) {
	known := record(t)
	doc, err := os.ReadFile("../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		what, doc string // doc: how docs/costs.md says it
		set       []string
		least     float64
	}{{"its figures", "cycle of four clocks | %d of %d | |", flatten, 1}, {"ours", "| ours | %d of %d, %.1f %% | ", nil, 0.9}} {
		same, blocks, short, why, ratio, units := 0, 0, 0, map[string]int{}, 0.0, map[string]int{}
		for _, file := range kernels(t) {
			for cpu, chip := range cpus {
				for _, b := range modelled(t, file, chip, 1, x.set...) {
					m, ok := known[key(cpu, file, &b)]
					if !ok {
						t.Fatalf("%s is not recorded; -update records it", key(cpu, file, &b))
					}
					m, blocks = m.less(&b), blocks+1
					if m.resources[vmem] == 0 && m.cycles < 500 { // no store or barrier, after which it waits
						ratio, short = ratio+math.Log(*b.Alone/(4*m.cycles)), short+1
					}
					slowest := b.Units[0].Name
					if slices.ContainsFunc(b.Units, func(u costs.Unit) bool { return u.Clocks == b.Units[0].Clocks && slices.Contains(m.most(), u.Name) }) {
						same++
						continue
					}
					units[slowest]++
					why[fmt.Sprintf("%s, not %s", slowest, strings.Join(m.most(), "+"))]++
					if x.set != nil {
						t.Logf("%s: %+v, llvm-mca %+v", key(cpu, file, &b), b.Units, m)
					}
				}
			}
		}
		share := float64(same) / float64(blocks)
		t.Logf("with %s: %d of %d blocks, %.1f %%; without memory a wave alone takes %.2f times as long (%d blocks); others: %v",
			x.what, same, blocks, 100*share, math.Exp(ratio/float64(short)), short, why)
		says := []string{fmt.Sprintf(x.doc, []any{same, blocks, 100 * share}[:strings.Count(x.doc, "%d")+strings.Count(x.doc, "%.")]...)}
		if x.set == nil {
			says = append(says, fmt.Sprintf("a wave alone takes %.2f times as long as there", math.Exp(ratio/float64(short))))
		}
		for unit, n := range units {
			says = append(says, fmt.Sprintf(" %s %d", unit, n))
		}
		for _, s := range says {
			if !bytes.Contains(doc, []byte(s)) {
				t.Errorf("docs/costs.md does not say %q", s)
			}
		}
		if share < x.least || blocks < 100 {
			t.Errorf("with %s: %d of %d blocks", x.what, same, blocks)
		}
	}
}
