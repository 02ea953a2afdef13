package cases

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestRequired(t *testing.T) {
	list, err := Required()
	if err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
}

func TestParse(t *testing.T) {
	list, err := parse("# head\npairs/a\tx:y\tD\t100\n\nstate\t-\tread\t67.2\twhy\nb/c\tx\tA\t0.05\twhy\n")
	want := []Requirement{
		{Set: "pairs/a", ISA: "x:y", Claim: "D", Least: 10000, Line: 2},
		{Set: "state", ISA: "-", Claim: "read", Least: 6720, Note: "why", Line: 4},
		{Set: "b/c", ISA: "x", Claim: "A", Least: 5, Note: "why", Line: 5},
	}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("got %+v, %v", list, err)
	}
	for _, c := range []struct{ in, want string }{
		{"a\tx\tD", "3 columns"},
		{"a\tx\tD\t100\t\t", "6 columns"},
		{"/a/\tx\tD\t100", "not a path of a set"},
		{"a/../b\tx\tD\t100", "not a path of a set"},
		{"\tx\tD\t100", "not a path of a set"},
		{"a\t\tD\t100", "no instruction set"},
		{"a\tx\tQ\t100", `"Q" is no claim`},
		{"a\tx\tD\t100.01", `"100.01" is no share`},
		{"a\tx\tD\t0", `"0" is no share`},
		{"a\tx\tD\t1.234\twhy", `"1.234" is no share`},
		{"a\tx\tD\t-1\twhy", `"-1" is no share`},
		{"a\tx\tD\t99.9", "wants a note"},
		{"a\tx\tD\t100\twhy", "wants none"},
		{"a\tx\tD\t100\na\tx\tD\t100", "required.tsv:2: a x D is listed twice"},
	} {
		if list, err := parse(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %+v, %v; want %s", c.in, list, err, c.want)
		}
	}
}

func TestShare(t *testing.T) {
	for s, want := range map[string]int{"100": 10000, "99.5": 9950, "99.05": 9905, "0.01": 1, "7": 700} {
		if got, err := parseShare(s); got != want || err != nil || showShare(got) != s {
			t.Errorf("%s is %d, %v, shown as %s; want %d", s, got, err, showShare(got), want)
		}
	}
}

// ledgerOf returns a ledger of requirements for the claims D and run.
func ledgerOf(rows ...Requirement) *Ledger {
	return newLedger("/full", rows, []string{"D", "run"})
}

func TestLedger(t *testing.T) {
	row := Requirement{Set: "pairs/a", ISA: "x:y", Claim: "D", Least: 7500, Note: "odd ones", Line: 3}
	for _, c := range []struct {
		name           string
		passed, failed int
		errors, said   []string
	}{
		{"just enough", 3, 1, nil, nil},
		{"below", 2, 2, []string{"required.tsv:3: pairs/a x:y D: 2 of 4 (50%) pass, want 75%\n\tno\n\tno"}, nil},
		{"a hair below", 7499, 2501, []string{"required.tsv:3: pairs/a x:y D: 7499 of 10000 (74.99%) pass, want 75%" +
			strings.Repeat("\n\tno", maxFailures) + "\n\tand 2401 more"}, nil},
		{"a hair above", 7509, 2491, nil, nil},
		{"above", 7511, 2489, nil, []string{"required.tsv:3: pairs/a x:y D: 7511 of 10000 (75.11%) pass: raise the share from 75% to 75.11%"}},
		{"all", 1, 0, []string{`required.tsv:3: pairs/a x:y D: 1 of 1 (100%) pass: raise the share from 75% to 100% and strike out "odd ones"`}, nil},
		{"none there", 0, 0, []string{"required.tsv:3: pairs/a x:y D: listed, and there are no such cases"}, nil},
	} {
		l := ledgerOf(row)
		for i := range c.passed + c.failed {
			failure := ""
			if i >= c.passed {
				failure = "no"
			}
			l.Add("/full/pairs/a.tsv.gz", "x:y", "D", failure)
		}
		if failed, said := l.settle(); !reflect.DeepEqual(failed, c.errors) || !reflect.DeepEqual(said, c.said) {
			t.Errorf("%s: %q, %q; want %q, %q", c.name, failed, said, c.errors, c.said)
		}
	}
}

// TestLedgerUnlisted: an unlisted set gives a line for each set and variant, and no error, however much of it fails.
func TestLedgerUnlisted(t *testing.T) {
	l := ledgerOf(Requirement{Set: "kernels/k", ISA: "x", Claim: "run", Least: all}, Requirement{Set: "pairs/c", ISA: "x", Claim: "A", Least: all})
	l.Add("/full/pairs/a.tsv.gz", "x:y", "D", "no")
	l.Add("/full/pairs/a.tsv.gz", "x:y", "A", "")
	l.Add("/full/pairs/b.tsv", "", "D", "broken")
	l.Add("/full/kernels/k/one/manifest.json", "x", "run", "")
	l.Add("/full/kernels/k/two/manifest.json", "x", "run", "")
	l.Add("/full/kernels/k/two/manifest.json", "z", "run", "no")
	l.Add("/full/kernels/kk/two/manifest.json", "x", "run", "no")
	failed, said := l.settle()
	want := []string{"not required: pairs/a x:y: 1 of 2 (50%) pass", "not required: pairs/b: 0 of 1 (0%) pass",
		"not required: kernels/k z: 0 of 1 (0%) pass", "not required: kernels/kk x: 0 of 1 (0%) pass"}
	if failed != nil || !reflect.DeepEqual(said, want) {
		t.Errorf("%q, %q; want %q", failed, said, want)
	}
}

// TestLedgerBroken: a broken file fails all requirements of the file and of its folder.
func TestLedgerBroken(t *testing.T) {
	l := ledgerOf(
		Requirement{Set: "state", ISA: "x", Claim: "run", Least: all, Line: 1},
		Requirement{Set: "state/a", ISA: "y", Claim: "run", Least: 10, Line: 2},
		Requirement{Set: "state/b", ISA: "x", Claim: "run", Least: all, Line: 3})
	l.Add("/full/state/a.jsonl.gz", "", "run", "broken")
	l.Add("/full/state/b.jsonl.gz", "x", "run", "")
	failed, said := l.settle()
	if len(failed) != 2 || said != nil || !strings.HasPrefix(failed[0], "required.tsv:1: state x run: 1 of 2 (50%) pass") ||
		!strings.HasPrefix(failed[1], "required.tsv:2: state/a y run: 0 of 1 (0%) pass, want 0.1%\n\tbroken") {
		t.Errorf("%q, %q", failed, said)
	}
}

// TestClaimsAreSettled: every claim is settled by an existing test, which opens it.
func TestClaimsAreSettled(t *testing.T) {
	for claim, test := range Claims {
		pkg, name, _ := strings.Cut(test, " ")
		found := false
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pkg), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || bytes.Contains(src, fmt.Appendf(nil, "\nfunc %s(", name)) &&
				(bytes.Contains(src, fmt.Appendf(nil, "%q", claim)) || len(claim) == 1 && bytes.Contains(src, []byte("allFlags")))
		}
		if !found {
			t.Errorf("%s: there is no test %s that settles it", claim, test)
		}
	}
}

// readme are statements of README.md with their evidence: all of these sets must pass completely.
var readme = []struct{ says, set, isa, claims string }{
	{"of gfx8 all words and texts of the full set `gcn-llvm` agree", "pairs/gcn-llvm", "gcn:gfx8", "D A"},
	{"results with the buffers of all code objects that clang compiled for the three", "kernels/gcn", "gcn:gfx8", "run"},
	{"results with the buffers of all code objects that clang compiled for the three", "kernels/gcn", "gcn:gfx7", "run"},
	{"results with the buffers of all code objects that clang compiled for the three", "kernels/gcn", "gcn:gfx6", "run"},
	{"state cases of models written apart from this code", "state/gcn-valu", "gcn:gfx8", "run"},
	{"state cases of models written apart from this code", "state/gcn-valu", "gcn:gfx7", "run"},
	{"state cases of models written apart from this code", "state/gcn-valu", "gcn:gfx6", "run"},
	{"agree with the ATTILA simulator in all words, texts and state cases", "pairs/attila-encode", "attila", "D A"},
	{"agree with the ATTILA simulator in all words, texts and state cases", "pairs/attila-programs", "attila", "D A"},
	{"agree with the ATTILA simulator in all words, texts and state cases", "pairs/attila-raw", "attila", "D X"},
	{"agree with the ATTILA simulator in all words, texts and state cases", "state/attila-ops", "attila:sim", "run"},
	{"agree with the ATTILA simulator in all words, texts and state cases", "state/attila-prog", "attila:sim", "run"},
	{"agree with the ATTILA simulator in all words, texts and state cases", "state/attila-tex", "attila:sim", "run"},
	{"as `attila` with what the instruction-set text says", "state/attila-ops", "attila:attila", "run"},
	{"as `attila` with what the instruction-set text says", "state/attila-prog", "attila:attila", "run"},
	{"as `attila` with what the instruction-set text says", "state/attila-tex", "attila:attila", "run"},
	{"captured frames of the simulator come out pixel for pixel", "render/attila", "attila:sim", "run"},
	{"recorded draws of RADV for gfx6, gfx7 and gfx8 come out as their sources say, textures included, and their sample waves bit for bit", "render/gcn", "gcn:gfx6", "run"},
	{"recorded draws of RADV for gfx6, gfx7 and gfx8 come out as their sources say, textures included, and their sample waves bit for bit", "render/gcn", "gcn:gfx7", "run"},
	{"recorded draws of RADV for gfx6, gfx7 and gfx8 come out as their sources say, textures included, and their sample waves bit for bit", "render/gcn", "gcn:gfx8", "run"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-encdec", "tesla:g80", "D A"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-invalid", "tesla:g80", "D X U"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-encdec", "tesla:g84", "D A"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-invalid", "tesla:g84", "D X U"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-encdec", "tesla:g200", "D A"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-invalid", "tesla:g200", "D X U"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-encdec", "tesla:mcp77", "D A"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-invalid", "tesla:mcp77", "D X U"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-encdec", "tesla:gt215", "D A"},
	{"text, unknown bits and what is refused agree with envydis, encodings with envyas, on all words of the full sets", "pairs/tesla-invalid", "tesla:gt215", "D X U"},
	{"state cases of two models written apart from this code", "state/tesla-ops", "tesla:g80", "run"},
	{"state cases of two models written apart from this code", "state/tesla-ops", "tesla:g200", "run"},
	{"state cases of two models written apart from this code", "state/tesla-audit", "tesla:g80", "run"},
	{"state cases of two models written apart from this code", "state/tesla-audit", "tesla:g84", "run"},
	{"state cases of two models written apart from this code", "state/tesla-audit", "tesla:g200", "run"},
	{"state cases of two models written apart from this code", "state/tesla-audit", "tesla:mcp77", "run"},
	{"state cases of two models written apart from this code", "state/tesla-audit", "tesla:gt215", "run"},
	{"programs that Mesa's nouveau compiled from our GLSL", "state/tesla-programs", "tesla:g80", "run"},
	{"programs that Mesa's nouveau compiled from our GLSL", "state/tesla-programs", "tesla:g84", "run"},
	{"programs that Mesa's nouveau compiled from our GLSL", "state/tesla-programs", "tesla:g200", "run"},
	{"with the pixels of recorded draws", "render/tesla", "tesla:g80", "run"},
	{"with the pixels of recorded draws", "render/tesla", "tesla:g200", "run"},
	{"with the pixels of recorded draws", "render/tesla", "tesla:gt215", "run"},
}

// TestReadme: README.md claims no more than is required.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := Required()
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]bool{}
	for _, r := range list {
		if r.Least == all {
			whole[r.Set+" "+r.ISA+" "+r.Claim] = true
		}
	}
	flat := strings.Join(strings.Fields(string(text)), " ")
	for _, c := range readme {
		if !strings.Contains(flat, c.says) {
			t.Errorf("README.md does not say any more: %s", c.says)
		}
		for _, claim := range strings.Fields(c.claims) {
			if row := c.set + " " + c.isa + " " + claim; !whole[row] {
				t.Errorf("README.md says %q, and %s need not be whole", c.says, row)
			}
		}
	}
}
