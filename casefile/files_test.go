package casefile

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/limit"
)

func zip(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// column matches the column in the position of an error.
var column = regexp.MustCompile(`^([^ ]*:\d+):\d+: `)

// placed matches the position of an error in a document.
var placed = regexp.MustCompile(`^([^ ]*):\d+:\d+: `)

// errorOf returns an error without its position, which it must have: package jsonfile tests positions.
func errorOf(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return "no error"
	}
	if !placed.MatchString(err.Error()) {
		t.Errorf("%v: no position", err)
	}
	return placed.ReplaceAllString(err.Error(), "$1: ")
}

// errorsOf collects what a reader reports, without columns: package jsonfile tests them.
func errorsOf(err error, list *[]string) {
	var e *Error
	if errors.As(err, &e) {
		*list = append(*list, column.ReplaceAllString(e.Error(), "$1: "))
	} else if err != nil {
		*list = append(*list, "not an *Error: "+err.Error())
	}
}

func TestPairs(t *testing.T) {
	plain := readFile(t, "testdata/pairs.tsv")
	for _, b := range [][]byte{plain, zip(t, plain), bytes.ReplaceAll(plain, []byte("\n"), []byte("\r\n"))} {
		var rows []Pair
		for p, err := range Pairs(bytes.NewReader(b), "pairs.tsv") {
			if err != nil {
				t.Error(err)
			}
			rows = append(rows, p)
		}
		if len(rows) != 7 {
			t.Fatalf("%d rows, want 7", len(rows))
		}
		want := Pair{ISA: "gcn", Variant: "gfx6", Hex: "000000d836f30000", Text: "ds_add_u32 v54, v243", Flags: "A", Note: "DS 0x0", Line: 2}
		if rows[0] != want {
			t.Errorf("got %+v, want %+v", rows[0], want)
		}
		if p := rows[4]; !p.Has('D') || !p.Has('U') || p.Has('A') || p.Stage != "cp" || len(p.Code()) != 8 || p.Code()[0] != 0x35 {
			t.Errorf("got %+v", p)
		}
		if p := rows[5]; p.Hex != "" || p.Code() == nil && p.Hex != "" || p.Text == "" {
			t.Errorf("got %+v", p)
		}
	}
}

func TestPairErrors(t *testing.T) {
	table := pairColumns + "\n" + strings.Join([]string{
		"gcn\t-\t00\tx\tA",
		"\t-\t00\tx\tA\t",
		"gcn\t-\t0\tx\tA\t",
		"gcn\t-\t0A\tx\tA\t",
		"gcn\t-\t00\tx\t\t",
		"gcn\t-\t00\tx\tAQ\t",
		"gcn\t-\t00\tx\tAA\t",
		"gcn\t-\t-\tx\tA\t",
		"gcn\t-\t00\t-\tD\t",
		"gcn\t-\t00\tx\tR\t",
		"gcn\t-\t00\t\xff\tA\t",
		"gcn\t-\t00\tgood\tAD\tnote",
	}, "\n")
	want := []string{
		"p.tsv:2: 5 columns, want 6",
		"p.tsv:3: no isa",
		`p.tsv:4: hex is "0", want pairs of 0-9a-f`,
		`p.tsv:5: hex is "0A", want pairs of 0-9a-f`,
		"p.tsv:6: no flags",
		"p.tsv:7: flag 'Q' is not known, want some of D A B X U R",
		"p.tsv:8: flag 'A' is given twice",
		"p.tsv:9: flag A needs hex",
		"p.tsv:10: flag D needs text",
		"p.tsv:11: flag R allows no hex, found 00",
		"p.tsv:12: row is not UTF-8",
	}
	var got []string
	good := 0
	for p, err := range Pairs(strings.NewReader(table), "p.tsv") {
		if errorsOf(err, &got); err == nil && p.Text == "good" {
			good++
		}
	}
	if !reflect.DeepEqual(got, want) || good != 1 {
		t.Errorf("%d good rows, want 1, and errors\n%s\nwant\n%s", good, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, tt := range []struct{ in, want string }{
		{"", `p.tsv:1: header is "", want "#isa\tstage\thex\ttext\tflags\tnote"`},
		{"#isa\thex\n", `p.tsv:1: header is "#isa\thex", want`},
		{"\x1f\x8bxx", "p.tsv:1: "},
		{string(zip(t, []byte(table))[:12]), "p.tsv:1: gzip: the compressed data is cut off"},
		{strings.Repeat("x", limit.Line+100), "p.tsv:1: line of more than 4194304 bytes"},
	} {
		got = nil
		for _, err := range Pairs(strings.NewReader(tt.in), "p.tsv") {
			errorsOf(err, &got)
		}
		if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("got %q, want %s", got, tt.want)
		}
	}
}

func TestStates(t *testing.T) {
	cases := map[string]*StateCase{}
	for _, name := range []string{"states.jsonl", "state_pretty.json"} {
		for c, err := range States(bytes.NewReader(readFile(t, "testdata/"+name)), name) {
			if err != nil {
				t.Fatal(err)
			}
			cases[c.Name] = c
		}
	}
	if len(cases) != 6 {
		t.Fatalf("%d cases, want 6", len(cases))
	}
	if c := cases["op-ftb_msb-3245"]; c.Code != nil || len(c.Asm) != 3 || c.Syntax != "seed" || c.Extra["vector"] == nil {
		t.Errorf("got %+v", c)
	}
	if c := cases["op-addi-0023"]; c.FinalSpec == nil || len(c.Quirks) != 1 || c.Final.Steps != 2 || c.Launch.Total() != c.Launch.Lanes {
		t.Errorf("got %+v", c)
	}
	if c := cases["arbsrc-fp_modulate"]; c.Final != nil || c.Initial != nil || c.Extra["optimized"] == nil {
		t.Errorf("got %+v", c)
	}
	if c := cases["y04_flat.fr.g80"]; !c.Launch.Quads || len(c.Final.Discarded) != 32 || len(c.Initial.Varyings["v[0x0]"].V) != 32 {
		t.Errorf("got %+v", c)
	}
	want := &StateCase{
		Name: "by-hand", ISA: "valhall", Variant: "v9", Stage: "compute", Line: 1,
		Code: []byte{0, 0xc0, 0, 0, 0, 0xc0, 0x78, 0}, Asm: []string{"NOP.end"},
		Launch: CaseLaunch{Grid: [3]int{2, 1, 1}, Block: [3]int{4, 1, 1}},
		Initial: &State{
			Regs: map[string]Words{
				"r0": {V: []uint64{0, 1, 2, 3, 4, 5, 6, 0xdeadbeefcafef00d}, List: true},
				"r1": {V: []uint64{7}},
			},
			Uniform: map[string]Words{"u0": {V: []uint64{16}}},
			Memory:  []Memory{{"global", "in", 0x1000, []byte{0, 0xff}}},
			Extra:   map[string]json.RawMessage{"colour": json.RawMessage(`"green"`)},
		},
		Final:   &State{Regs: map[string]Words{"r0": {V: []uint64{255}}}},
		Compare: Compare{"f32", 2, 0.5, true, true},
		Extra:   map[string]json.RawMessage{"mood": json.RawMessage(`{"good": true}`)},
	}
	got := cases["by-hand"]
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if w := got.Initial.Regs["r0"]; w.Lane(3) != 3 || got.Initial.Regs["r1"].Lane(3) != 7 || got.Launch.Total() != 8 {
		t.Error("Lane or Total answers wrongly")
	}
}

// TestStateColumn: the column of an error is that of the file, also in an indented line.
func TestStateColumn(t *testing.T) {
	const line = `{"name":"n","isa":"gcn","variant":"gfx8","code":"00","asm":["x"],"launch":{"lanes":0}}`
	for _, indent := range []int{0, 3} {
		text := strings.Repeat(" ", indent) + line + " \r\n"
		var e *Error
		for _, err := range States(strings.NewReader(text), "s") {
			if want := strings.Index(text, "0}}") + 1; !errors.As(err, &e) || e.Col != want {
				t.Errorf("indented by %d: %v, want column %d", indent, err, want)
			}
		}
	}
}

func TestStateErrors(t *testing.T) {
	const start = `{"name":"n","isa":"gcn","code":"00","asm":["x"]`
	tests := []struct{ in, want string }{
		{`{"isa":"gcn","code":"00","asm":["x"]}`, "s:1: no name"},
		{`{"name":"n","code":"00","asm":["x"]}`, `s:1: case "n": no isa`},
		{`{"name":"n","isa":"gcn","asm":["x"]}`, `s:1: case "n": no code`},
		{`{"name":"n","isa":"gcn","code":"00"}`, `s:1: case "n": no asm`},
		{`{"name":"n","isa":"gcn","code":"","asm":["x"]}`, `s:1: case "n": code: empty, want bytes or "-"`},
		{`{"name":"n","isa":"gcn","code":"-","asm":[]}`, `s:1: case "n": neither code nor asm`},
		{`{"name":"n","isa":"gcn","code":"0x","asm":[]}`, `s:1: case "n": code: found "0x", want pairs of 0-9a-f`},
		{start + `,"name":"m"}`, `s:1: case "n": name: key is given twice`},
		{start + `,"initial":{"regs":{"v1":"0xgg"}}}`, `s:1: case "n": initial.regs.v1: found "0xgg", want a hexadecimal word`},
		{start + `,"initial":{"regs":{"v1":["0",-1]}}}`, `s:1: case "n": initial.regs.v1[1]: found -1, want a hexadecimal word`},
		{start + `,"final":{"regs":{"v1":["0"]}},"launch":{"lanes":2}}`, `s:1: case "n": final.regs.v1: 1 words, the launch has 2 lanes`},
		{start + `,"final":{"discarded":[1]},"launch":{"lanes":2}}`, `s:1: case "n": final.discarded: 1 values, the launch has 2 lanes`},
		{start + `,"final":{"uniform":{"u":["1"]}},"launch":{"lanes":1}}`, `s:1: case "n": final.uniform.u: a list, want one word`},
		{start + `,"final":{"memory":[{"addr":"0","hex":"00"}]}}`, `s:1: case "n": final.memory[0]: no space`},
		{start + `,"final":{"memory":[{"space":"g","addr":"ffffffffffffffff","hex":"0000"}]}}`, `s:1: case "n": final.memory[0]: 2 bytes at 0xffffffffffffffff wrap around`},
		{start + `,"launch":{"lanes":0}}`, `s:1: case "n": launch.lanes: 0 is not in 1 to 1048576`},
		{start + `,"launch":{"grid":[1,2]}}`, `s:1: case "n": launch.grid: 2 numbers, want 3`},
		{start + `,"launch":{"grid":[1,2,3]}}`, `s:1: case "n": launch: grid and block want each other and at most 1048576 lanes`},
		{start + `,"launch":{"grid":[60000,60000,60000],"block":[60000,60000,60000]}}`, `s:1: case "n": launch: grid and block want each other and at most 1048576 lanes`},
		{start + `,"launch":{"lane":1}}`, `s:1: case "n": launch.lane: unknown key`},
		{start + `,"compare":{"type":"f31"}}`, `s:1: case "n": compare.type: "f31" is none of u32, f32, f16, f64, none`},
		{start + `,"compare":{"nan":"some"}}`, `s:1: case "n": compare.nan: found "some", want "any"`},
		{start + `,"initial":[]}`, `s:1: case "n": initial: found [], want an object`},
		{start + `,"quirks":{}}`, `s:1: case "n": quirks: found {}, want a list`},
		{start + `,"launch":{"quads":1}}`, `s:1: case "n": launch.quads: found 1, want true or false`},
		{start + `,"compare":{"abs":"1"}}`, `s:1: case "n": compare.abs: found "1", want a number`},
		{start + `,}`, `s:1: JSON: invalid character '}' looking for beginning of object key string`},
		{"{\n\"name\":\"n\",\n\"isa\":,\n", `s:3: JSON: invalid character ','`},
		{"[]", "s:1: found [], want an object"},
		{"\x1f\x8bxx", "s:1: "},
	}
	for _, tt := range tests {
		var got []string
		for c, err := range States(strings.NewReader(tt.in), "s") {
			if errorsOf(err, &got); (c == nil) != (err != nil) {
				t.Errorf("%s: case %v and error %v", tt.in, c, err)
			}
		}
		if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%s\ngot  %q\nwant %s", tt.in, got, tt.want)
		}
	}
	var got []string
	good := 0
	for _, err := range States(strings.NewReader("\n{}\n"+start+"}\n{\n"+start+"}"), "s") {
		if errorsOf(err, &got); err == nil {
			good++
		}
	}
	if good != 2 || len(got) != 2 || !strings.HasPrefix(got[1], "s:4: JSON: ") {
		t.Errorf("%d good cases, want 2 past the bad lines; errors %q", good, got)
	}
}

func TestDetect(t *testing.T) {
	for name, want := range map[string]FileKind{
		"pairs.tsv": PairsFile, "states.jsonl": StatesFile, "state_pretty.json": StatesFile, "manifest.json": ManifestFile,
		"../../object/testdata/codeobj.jsonl": HeadersFile, "../../object/testdata/saxpy.gfx803.hsaco": HSAFile, "a.bin": OtherFile,
	} {
		path := filepath.Join("testdata", name)
		if got, err := Detect(path); got != want || err != nil {
			t.Errorf("%s is %v, %v; want %v", name, got, err, want)
		}
		if got := Sniff(bytes.NewReader(zip(t, readFile(t, path)))); got != want {
			t.Errorf("%s, gzip, is %v, want %v", name, got, want)
		}
	}
	for _, s := range []string{"", "{", "{}", "[", "{\"name\":", "\x1f\x8b", `{"format":"other"}`, "#", "{1:2}"} {
		if got := Sniff(strings.NewReader(s)); got != OtherFile {
			t.Errorf("%q is %v", s, got)
		}
	}
	if _, err := Detect("testdata/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestFixedLists: a list of fixed length rejects fewer and more elements, in each kind of file.
func TestFixedLists(t *testing.T) {
	three := func(v string) error { return jsonfile.Decode([]byte(`{"grid": `+v+`}`), &CaseLaunch{}) }
	wrap := func(v string) error { return jsonfile.Decode([]byte(`{"wrap": `+v+`}`), &Texture{}) }
	for _, c := range []struct {
		read func(v string) error
		one  string
		n    int
	}{{three, "1", 3}, {wrap, `"REPEAT"`, 3}} {
		for n := range 6 {
			err := c.read("[" + strings.TrimSuffix(strings.Repeat(c.one+",", n), ",") + "]")
			if (err == nil) != (n == c.n) {
				t.Errorf("%d times %s: %v, want %d", n, c.one, err, c.n)
			}
			var e *jsonfile.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%d times %s: %v has no key", n, c.one, err)
			}
		}
	}
}
