package chips_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/object"
)

// record asks for all that clang says to be recorded: HEDDLE_RECORD=1.
var record = os.Getenv("HEDDLE_RECORD") != ""

// recorded has a line for each kernel: compiler, processor, kernel, SGPRs, VGPRs, bytes of LDS, work-items of a group,
// and clang's occupancy.
const recorded = "testdata/occupancy.txt"

// A kernel is what clang says of one.
type kernel struct {
	clang, cpu, name string
	sgprs, vgprs     int
	lds, items       int
	occupancy        int
}

func (k kernel) String() string {
	return fmt.Sprintf("%s %s %s %d %d %d %d %d", k.clang, k.cpu, k.name, k.sgprs, k.vgprs, k.lds, k.items, k.occupancy)
}

// isas are the variants of the processors that kernels are compiled for.
var isas = map[string]string{"gfx600": "gcn:gfx6", "gfx700": "gcn:gfx7", "gfx801": "gcn:gfx8", "gfx802": "gcn:gfx8", "gfx803": "gcn:gfx8"}

// differences are the rules of LLVM that are not those of hardware.
var differences = [...]struct{ name, why string }{
	{"lds6", "LLVM takes the 32 KiB that a group of gfx6 can have for what a compute unit has, which is 64 KiB (AMD APP OpenCL Optimization Guide, appendix D)"},
	{"sgprs8", "getOccupancyWithNumSGPRs has 88 and 100 SGPRs as limits of 9 and 8 waves, and getSGPRAllocGranule gives them out by 16"},
	{"sgprs6", "getOccupancyWithNumSGPRs has no limit below 5 waves; 512 SGPRs (getTotalNumSGPRs) are 4 times 104, and CLRX's occupancy table has 96 SGPRs with 5 waves"},
	{"ldsUnit", "LLVM does not round LDS up (a FIXME of getOccupancyWithLocalMemSize); lds_alloc_granule of Mesa is 256 bytes on gfx6, 512 later"},
	{"wholeGroups", "LLVM does not round the waves of registers down to whole groups (a FIXME of getOccupancyWithLocalMemSize)"},
}

// llvm returns what LLVM says of a kernel, but for the differences, bit i for that of index i.
func (k *kernel) llvm(but int) int {
	is := func(name string) bool {
		return but>>slices.IndexFunc(differences[:], func(d struct{ name, why string }) bool { return d.name == name })&1 != 0
	}
	n := min(10, 256/((k.vgprs+3)/4*4))
	for _, x := range sgprLimits[k.cpu >= "gfx8"] {
		if k.sgprs > x[0] {
			n = min(n, x[1])
		}
	}
	if is("sgprs8") && k.cpu >= "gfx8" {
		n = min(n, 800/((k.sgprs+15)/16*16))
	}
	if is("sgprs6") && k.cpu < "gfx8" {
		n = min(n, 512/((k.sgprs+7)/8*8))
	}
	lds, all := k.lds, 64<<10
	if k.cpu == "gfx600" && !is("lds6") {
		all = 32 << 10
	}
	if is("ldsUnit") && k.cpu == "gfx600" {
		lds = (lds + 255) / 256 * 256
	} else if is("ldsUnit") {
		lds = (lds + 511) / 512 * 512
	}
	waves, groups := (k.items+63)/64, 16
	if waves == 1 {
		groups = 40
	}
	groups = min(groups, 40/waves)
	if lds > 0 {
		groups = min(groups, max(all/lds, 1))
	}
	n = min(n, (groups*waves+3)/4)
	if is("wholeGroups") {
		n = (n*4/waves*waves + 3) / 4
	}
	return n
}

// sgprLimits are, of gfx8 or not, the waves of more than so many SGPRs: getOccupancyWithNumSGPRs.
var sgprLimits = map[bool][][2]int{
	false: {{48, 9}, {56, 8}, {64, 7}, {72, 6}, {80, 5}},
	true:  {{80, 9}, {88, 8}, {100, 7}},
}

// check compares the occupancy of a kernel with clang's, and returns the difference that explains why they differ.
func check(t *testing.T, k *kernel) (why string) {
	t.Helper()
	o := chips.OccupancyOf(isas[k.cpu], chips.Resources{Vector: k.vgprs, Scalar: k.sgprs, Memory: k.lds, Items: k.items})
	if k.llvm(0) != k.occupancy {
		t.Errorf("%v: the rules of LLVM say %d", k, k.llvm(0))
	}
	for but := range 1 << len(differences) {
		if o.Waves != k.llvm(but) || o.Waves != k.llvm(1<<len(differences)-1) {
			continue
		}
		var names []string
		for i := range differences {
			if but>>i&1 != 0 {
				names = append(names, differences[i].name)
			}
		}
		return strings.Join(names, "+")
	}
	t.Errorf("%v: %v", k, &o)
	return "?"
}

// checkAll checks kernels, and that not more of them than these differ.
func checkAll(t *testing.T, list []kernel) {
	t.Helper()
	differ := map[string]int{}
	for i := range list {
		differ[check(t, &list[i])]++
	}
	t.Logf("%d kernels: %v", len(list), differ)
}

// TestRecordedOccupancy: occupancies are those that clang has reported, but where a source says that LLVM's are not
// those of hardware.
func TestRecordedOccupancy(t *testing.T) {
	data, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	var list []kernel
	for line := range strings.Lines(string(data)) {
		var k kernel
		if _, err := fmt.Sscan(line, &k.clang, &k.cpu, &k.name, &k.sgprs, &k.vgprs, &k.lds, &k.items, &k.occupancy); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, k)
	}
	if len(list) < 500 {
		t.Errorf("%d kernels", len(list))
	}
	checkAll(t, list)
}

var remark = regexp.MustCompile(`remark: .*?(Function Name|SGPRs|TotalSGPRs|VGPRs|Occupancy \[waves/SIMD\]|LDS Size \[bytes/block\]): (\S+)`)

// compiled returns what clang says of the kernels of a file.
func compiled(t *testing.T, tool, cpu, path string) (list []kernel) {
	t.Helper()
	var said bytes.Buffer
	o := clang.Options{Clang: tool, Target: cpu, Cache: "off", Err: &said, Std: "CL2.0", Flags: []string{"-Rpass-analysis=kernel-resource-usage", "-w"}}
	data, err := clang.Compile(t.Context(), path, o)
	var failed *clang.FailedError
	if errors.As(err, &failed) {
		return nil // code of another generation
	}
	if err != nil {
		t.Fatal(err)
	}
	code, err := object.ReadHSA(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range remark.FindAllStringSubmatch(said.String(), -1) {
		n, err := strconv.Atoi(m[2])
		if m[1] == "Function Name" {
			list = append(list, kernel{clang: tool, cpu: cpu, name: m[2]})
			continue
		}
		k := &list[len(list)-1]
		if err != nil {
			k.name = "" // an expression, as of functions that call others
		}
		switch m[1] {
		case "SGPRs", "TotalSGPRs":
			k.sgprs = n
		case "VGPRs":
			k.vgprs = n
		case "LDS Size [bytes/block]":
			k.lds = n
		default:
			k.occupancy = n
		}
	}
	kept := list[:0]
	for _, k := range list {
		if x, ok := code.Kernel(k.name); ok && x.Meta != nil {
			k.items = int(x.Meta.MaxFlatGroup)
			kept = append(kept, k)
		}
	}
	return kept
}

// manyKernels returns the source of kernels that take so many registers, so much LDS and so many work-items.
func manyKernels() string {
	var b strings.Builder
	add := func(vgpr, sgpr, lds, items int) {
		fmt.Fprintf(&b, "__attribute__((reqd_work_group_size(%d, 1, 1))) __kernel void k%d_%d_%d_%d(__global int *p) {\n", items, vgpr, sgpr, lds, items)
		if lds > 0 {
			fmt.Fprintf(&b, "\t__local char m[%d];\n\tm[p[0]] = p[1];\n\tp[2] = m[p[3]];\n", lds)
		}
		fmt.Fprintf(&b, "\t__asm volatile(\"\" ::: \"v%d\", \"s%d\");\n}\n", vgpr, sgpr)
	}
	for _, items := range []int{64, 128, 192, 256, 320, 448, 512, 768, 1024} {
		for _, lds := range []int{0, 512, 1000, 2048, 4096, 5000, 8192, 12288, 20480, 32768} {
			add(15, 30, lds, items)
		}
	}
	for vgpr := 20; vgpr <= 128; vgpr += 9 {
		add(vgpr, 30, 0, 256)
	}
	for vgpr := 120; vgpr < 250; vgpr += 40 {
		add(vgpr, 30, 0, 64)
	}
	for sgpr := 35; sgpr < 102; sgpr += 6 {
		add(15, sgpr, 0, 64)
	}
	return b.String()
}

// TestClangOccupancy compiles kernels of this tree, and others that take many registers, LDS and work-items. With
// HEDDLE_RECORD it compiles all with several compilers and records what they say.
func TestClangOccupancy(t *testing.T) {
	tools, cpus, files := []string{"clang-19"}, []string{"gfx600", "gfx803"}, []string{"../../examples/matmul/matmul_tiled.cl", "../../examples/mandelbrot/mandelbrot.cl"}
	if record {
		tools, cpus, files = []string{"clang-19", "clang-22"}, slices.Sorted(maps.Keys(isas)), nil
		for _, of := range []string{"../../cases/kernels/gcn/*/*.cl", "../../examples/*/*.cl"} {
			some, err := filepath.Glob(of)
			if err != nil || len(some) == 0 {
				t.Fatal(of, err)
			}
			files = append(files, some...)
		}
	}
	many := filepath.Join(t.TempDir(), "many.cl")
	if err := os.WriteFile(many, []byte(manyKernels()), 0o666); err != nil {
		t.Fatal(err)
	}
	var list []kernel
	for _, tool := range tools {
		if _, err := clang.Find(tool); err != nil {
			t.Skipf("NOT RUN: %s is not installed: apt install %s", tool, tool)
		}
		for _, cpu := range cpus {
			for _, f := range append([]string{many}, files...) {
				list = append(list, compiled(t, tool, cpu, f)...)
			}
		}
	}
	checkAll(t, list)
	if record {
		var b strings.Builder
		for _, k := range list {
			fmt.Fprintln(&b, k)
		}
		if err := os.WriteFile(recorded, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
