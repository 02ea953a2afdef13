package gcn

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// casesDir finds the shared cases: HEDDLE_CASES, or shared/cases beside the repository. "" if absent.
func casesDir(t testing.TB) string {
	if d := os.Getenv("HEDDLE_CASES"); d != "" {
		return d
	}
	d, _ := filepath.Abs("../../../shared/cases")
	if _, err := os.Stat(d); err != nil {
		t.Skip("SKIPPED: ../shared/cases is not there; the corpus was not run")
	}
	return d
}

// TestPairs: every gfx8 row of the LLVM pairs prints and assembles as LLVM does.
func TestPairs(t *testing.T) {
	f, err := os.Open(filepath.Join(casesDir(t), "pairs", "gcn-llvm.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	set := Set()
	dec := set.Decoder(gfx8, 0)
	type count struct{ d, dOK, a, aOK int }
	counts := map[string]*count{}
	sc := bufio.NewScanner(z)
	shown := 0
	fail := func(format string, args ...any) {
		if shown++; shown <= 60 {
			t.Errorf(format, args...)
		}
	}
	for sc.Scan() {
		c := strings.Split(sc.Text(), "\t")
		if len(c) < 6 || c[0] != "gcn:gfx8" {
			continue
		}
		enc := strings.Fields(c[5])[0]
		if os.Getenv("ENC") != "" && !strings.HasPrefix(enc, os.Getenv("ENC")) {
			continue
		}
		if counts[enc] == nil {
			counts[enc] = &count{}
		}
		n := counts[enc]
		code, _ := hex.DecodeString(c[2])
		if strings.Contains(c[4], "D") {
			n.d++
			var in isa.Inst
			if err := dec.Decode(code, 0, &in); err != nil {
				fail("D %s want %q: %v", c[2], c[3], err)
			} else if got := in.String(); got != c[3] {
				fail("D %s want %q got %q", c[2], c[3], got)
			} else {
				n.dOK++
			}
		}
		if strings.Contains(c[4], "A") {
			n.a++
			var in isa.Inst
			if err := set.ParseText(gfx8, 0, c[3], &in); err != nil {
				fail("A %q want %s: %v", c[3], c[2], err)
			} else if got := in.Word.Hex(int(in.Size)); got != c[2] {
				fail("A %q want %s got %s", c[3], c[2], got)
			} else {
				n.aOK++
			}
		}
	}
	for enc, n := range counts {
		t.Logf("%-10s D %5d/%5d  A %5d/%5d", enc, n.dOK, n.d, n.aOK, n.a)
	}
	if shown > 0 {
		t.Errorf("%d rows failed", shown)
	}
}
