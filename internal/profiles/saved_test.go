package profiles

import (
	"encoding/json"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/debug"
)

// saved returns what heddle profile --json prints of testdata/heat.cl.
func savedHeat(t *testing.T) (*Profile, []byte) {
	t.Helper()
	p := heat(t)
	embedIn(p, &debug.Sources{Dirs: []string{"testdata"}})
	data, err := json.Marshal([]Profile{*p})
	if err != nil {
		t.Fatal(err)
	}
	return p, data
}

// TestRead: what is read of a profile in JSON is the profile, with the text of its source.
func TestRead(t *testing.T) {
	p, data := savedHeat(t)
	text, err := os.ReadFile("testdata/heat.cl")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Sources) != 1 || p.Sources[0].Text+"\n" != string(text) {
		t.Errorf("sources %+v", p.Sources)
	}
	list, err := Read(data)
	if err != nil || !IsSaved(data) {
		t.Fatal(err)
	}
	for i := range p.List { // paths are not kept
		p.List[i].At.Path = ""
	}
	if len(list) != 1 || !reflect.DeepEqual(&list[0], p) {
		t.Errorf("%+v, want %+v", list, p)
	}
}

// TestReadRefuses: what is no profile is an error.
func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"[]": "no code", "[{}": "EOF", `[{"isa": 1}]`: "isa", `[{"instructions": [{"waves": -1}]}]`: "waves", "[{}] {}": "something else follows", "[{}] ]": "something else follows", "[{}] }": "something else follows",
		`[{}]`: `code 1 has no "isa"`, `[{"isa": "a", "instructions": [{}]}]`: `code 1 has no "launches"`, `[{"isa": "a", "launches": [{"kernel": "k"}]}]`: `code 1 has no "instructions"`,
		`[{"heat": 1}]`: `unknown field "heat"`,
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestReadSums: sums are those of the instructions, whatever the file says.
func TestReadSums(t *testing.T) {
	list, err := Read([]byte(`[{"isa": "a", "launches": [{"kernel": "k", "count": 1}], "wave_instructions": 1, "lane_instructions": 2, "units": [{"unit": "x", "waves": 9}],
		"instructions": [{"units": ["y"], "waves": 3, "lanes": 5}, {"units": ["z", "y"], "waves": 4, "lanes": 6}]}]`))
	if err != nil || list[0].Instructions != 7 || list[0].Lanes != 11 || !reflect.DeepEqual(list[0].Mix, []Unit{{"y", 2, 7, 11}, {"z", 1, 4, 6}}) {
		t.Errorf("%+v: %v", list, err)
	}
}

// FuzzRead: any profile can be written in all formats, or is refused.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`[{}]`))
	f.Add([]byte(`[{"isa": "gcn:gfx8", "launches": [{"kernel": "k", "count": 1}, {}], "instructions": [{"address": 18446744073709551615, "text": ";\n", "symbol": "k+0x8", "source": "a:b:1:99999999999", "waves": 18446744073709551615, "functions": [{}, {"name": "f", "called": "x:1"}], "memory": [{"requests": 1, "bytes": 5, "lines": 3, "passes": 4}], "branch": {"taken": 1}}]}]`))
	f.Add([]byte(`[{"isa": "gcn:gfx8", "launches": [{"kernel": "k", "count": 1}], "instructions": [{"waves": 1, "lanes": 16}, {"waves": 9223372036854775808}, {"waves": 1, "lanes": 18446744073709551615}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Read(data)
		if err != nil {
			return
		}
		for _, m := range []func(io.Writer, []Profile) error{WritePprof, WriteCSV, func(w io.Writer, l []Profile) error { return WriteFolded(w, l, &Metrics[0]) },
			func(w io.Writer, l []Profile) error {
				return WriteHTML(w, l, Compare(l, l[:len(l)/2], &Metrics[0]), &Metrics[0])
			}} {
			if err := m(io.Discard, list); err != nil {
				t.Error(err)
			}
		}
	})
}
