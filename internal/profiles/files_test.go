package profiles

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Numbers of testdata/heat.cl that follow from its text, of one wave of 64 lanes in which lane i makes i%8 rounds: the
// wave makes 7 rounds, and the lanes 8*(0+1+...+7) in sum. Two accesses to LDS lie 32 words apart in all lanes: of
// half a wave each lane has a pass of its own, 31 more than one.
const (
	rounds, laneRounds = 7, 8 * 28
	conflicts          = 2 * 2 * 31
)

// TestMetrics: the counts are those that the source says.
func TestMetrics(t *testing.T) {
	p := heat(t)
	for name, want := range map[string]uint64{"conflict_passes": conflicts, "group_bytes": 2 * 256, "atomic_repeats": 0, "branches_diverged": 0,
		"global_bytes": 8 + 56*4 + 8 + 4 + 256, "memory_requests": 7} {
		if got := MetricOf(name).Total(p); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// written returns what a writer writes.
func written(t *testing.T, err error, out *bytes.Buffer) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestFolded reads the lines as flamegraph.pl does: the count is behind the last blank, and names are divided by
// semicolons. Those of the loop in cube are in two inlined calls.
func TestFolded(t *testing.T) {
	p := heat(t)
	for i := range p.List {
		p.List[i].Text = strings.ReplaceAll(p.List[i].Text, ", ", "; ") // as in sets whose texts have it
	}
	p.List[0].Text += "\x1b[2J\n"
	var out bytes.Buffer
	text := written(t, WriteFolded(&out, []Profile{*p}, MetricOf("lane_instructions")), &out)
	sum, inCube := uint64(0), 0
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		i := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseUint(line[i+1:], 10, 64)
		if err != nil {
			t.Fatal(line, err)
		}
		sum += n
		names := strings.Split(line[:i], ";")
		if strings.ContainsAny(line, "\x1b") {
			t.Errorf("%q", line)
		}
		if !strings.HasPrefix(names[len(names)-1], "0x") {
			t.Errorf("%s: the last name is no instruction", line)
		}
		if rest, ok := strings.CutPrefix(line, "warm;heat.cl:13;heat;heat.cl:7;cube;heat.cl:2;0x"); ok {
			inCube++
			if !strings.HasSuffix(rest, fmt.Sprintf(" %d", laneRounds)) {
				t.Errorf("%s: want %d", line, laneRounds)
			}
		}
	}
	if sum != p.Lanes || inCube == 0 {
		t.Errorf("the sum is %d, want %d; %d lines are in cube\n%s", sum, p.Lanes, inCube, text)
	}
}

// TestCSV reads the rows with a reader of CSV.
func TestCSV(t *testing.T) {
	p := heat(t)
	p.List[0].Text = "a \"quoted\" text, of two parts"
	p.List[1].Text = "clear \x1b[2J"
	p.List[2].Symbol, p.List[2].Text = "@SUM(1)", "=1+1"
	var out bytes.Buffer
	text := written(t, WriteCSV(&out, []Profile{*p}), &out)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 1+len(p.List) {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	if got := rows[1][column["instruction"]]; got != p.List[0].Text {
		t.Errorf("%q", got)
	}
	if got := rows[2][column["instruction"]]; got != "clear \ufffd[2J" {
		t.Errorf("%q", got)
	}
	if symbol, text := rows[3][column["symbol"]], rows[3][column["instruction"]]; symbol != "'@SUM(1)" || text != "'=1+1" {
		t.Errorf("%q, %q", symbol, text)
	}
	sum := uint64(0)
	for _, row := range rows[1:] {
		n, err := strconv.ParseUint(row[column["wave_instructions"]], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
		if row[column["address"]] != "0x165c" {
			continue
		}
		for name, want := range map[string]string{"isa": "gcn:gfx8", "kernel": "warm", "function": "cube", "inlined_into": "heat warm", "file": "heat.cl", "line": "2", "column": "39",
			"wave_instructions": strconv.Itoa(rounds), "lane_instructions": strconv.Itoa(laneRounds)} {
			if row[column[name]] != want {
				t.Errorf("%s of %s: want %s", name, row, want)
			}
		}
	}
	if sum != p.Instructions {
		t.Errorf("%d wave-instructions, want %d", sum, p.Instructions)
	}
}

// TestPprof: go tool pprof reads the file, and its sums are those of the profile: flat numbers of a function are those
// of its own instructions, cumulative ones have those of inlined calls, too.
func TestPprof(t *testing.T) {
	p := heat(t)
	var out bytes.Buffer
	if err := WritePprof(&out, []Profile{*p}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "heat.pb.gz")
	if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	flat, cum := map[string]uint64{}, map[string]uint64{}
	for i := range p.List {
		in := &p.List[i]
		for k, f := range in.Frames {
			if cum[f.Name] += in.Lanes; k == 0 {
				flat[f.Name] += in.Lanes
			}
		}
	}
	text := pprofSays(t, "-top", "-nodefraction=0", "-sample_index=lane_instructions", file)
	for _, name := range []string{"warm", "heat", "cube"} {
		m := regexp.MustCompile(`(?m)^ *(\d+) +\S+ +\S+ +(\d+) +\S+ +` + name + `( \(inline\))?$`).FindStringSubmatch(text)
		if m == nil || m[1] != fmt.Sprint(flat[name]) || m[2] != fmt.Sprint(cum[name]) || (m[3] != "") != (name != "warm") {
			t.Errorf("%s: want %d flat, %d cumulative:\n%s", name, flat[name], cum[name], text)
		}
	}
	lds := uint64(0)
	for i := range p.List {
		if strings.HasPrefix(p.List[i].Text, "ds_") {
			lds += p.List[i].Waves
		}
	}
	if text := pprofSays(t, "-top", "-tagfocus=unit:lds", file); !strings.Contains(text, fmt.Sprintf("for %d,", lds)) {
		t.Errorf("LDS: want %d of %d:\n%s", lds, p.Instructions, text)
	}
	raw := pprofSays(t, "-raw", file)
	for _, want := range []string{"wave_instructions/count[dflt]", "global_bytes/bytes", `0x165c M=1 cube heat.cl:2:39 s=2
             heat heat.cl:7:0 s=4
             warm heat.cl:13:0 s=11`, "instruction:[v_mul_f32_e32 v5, v4, v4]", "warm (gcn:gfx8)"} {
		if !strings.Contains(raw, want) {
			t.Errorf("it does not say %q:\n%s", want, raw)
		}
	}
}

// pprofSays returns what go tool pprof prints.
func pprofSays(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command("go", append([]string{"tool", "pprof"}, args...)...)
	c.Env = append(os.Environ(), "GOFLAGS=", "PPROF_TMPDIR="+t.TempDir())
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestSeveralKernels: a function that is no kernel and not inlined is called from what was launched, as far as that is
// known.
func TestSeveralKernels(t *testing.T) {
	p := heat(t)
	in := p.at(t, 0x165c)
	in.Symbol, in.Frames = "helper+0x8", []Frame{{Name: "helper", Line: 1}}
	if got := strings.Join(p.path(in), ";"); got != "warm;helper;heat.cl:2;0x165c "+in.Text {
		t.Error(got)
	}
	in.Symbol, in.Frames = "operator+(int, int)+0x8", nil
	if got := strings.Join(p.path(in), ";"); got != "warm;operator+(int, int);heat.cl:2;0x165c "+in.Text {
		t.Error(got)
	}
	in.Symbol = "helper+0x8"
	if got := strings.Join(p.path(in), ";"); got != "warm;helper;heat.cl:2;0x165c "+in.Text {
		t.Error(got)
	}
}
