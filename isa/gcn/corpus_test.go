package gcn

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// casesDir finds the shared cases: HEDDLE_CASES, or shared/cases beside the repository. The test is skipped without.
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

// wrongPairs are rows of the pairs that claim what cannot be, by text: the words hold bits that no text tells, so
// that no assembler can give them back.
var wrongPairs = map[string]string{
	"s_waitcnt expcnt(1) lgkmcnt(11)":              "bit 7, between the counters, is set",
	"s_waitcnt vmcnt(5) expcnt(4) lgkmcnt(0)":      "bit 7, between the counters, is set",
	"s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT_CUT, 3)": "bits 10 and 12, above the stream, are set",
}

// TestPairs: every gfx8 row of the LLVM pairs prints and assembles as LLVM does.
func TestPairs(t *testing.T) {
	r, err := object.Open(filepath.Join(casesDir(t), "pairs", "gcn-llvm.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	counts := map[string]*[4]int{} // of D rows and those right, of A rows and those right
	for p, err := range object.Pairs(r, "gcn-llvm") {
		if err != nil {
			t.Fatal(err)
		}
		if p.Variant != "gfx8" {
			continue
		}
		enc, _, _ := strings.Cut(p.Note, " ")
		if counts[enc] == nil {
			counts[enc] = new([4]int)
		}
		n := counts[enc]
		if p.Has('D') {
			n[0]++
			n[1] += count(prints(t, p))
		}
		if p.Has('A') {
			n[2]++
			n[3] += count(assembles(t, p))
		}
	}
	for enc, n := range counts {
		t.Logf("%-10s D %5d/%5d  A %5d/%5d", enc, n[1], n[0], n[3], n[2])
	}
}

func count(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

func prints(t *testing.T, p object.Pair) bool {
	var in isa.Inst
	if err := Set().Decoder(gfx8, 0).Decode(p.Code(), 0, &in); err != nil {
		t.Errorf("line %d: %s: %v, want %q", p.Line, p.Hex, err, p.Text)
		return false
	}
	if got := in.String(); got != p.Text {
		t.Errorf("line %d: %s prints as %q, want %q", p.Line, p.Hex, got, p.Text)
		return false
	}
	return true
}

func assembles(t *testing.T, p object.Pair) bool {
	var in isa.Inst
	err := Set().ParseText(gfx8, 0, p.Text, &in)
	got := hex.EncodeToString(in.Word.Append(nil, int(in.Size)))
	ok := err == nil && got == p.Hex
	if why := wrongPairs[p.Text]; why != "" {
		if ok {
			t.Errorf("line %d: %q is listed as impossible, but assembles", p.Line, p.Text)
		}
		t.Logf("line %d: %q: %s: %s", p.Line, p.Text, p.Hex, why)
		return ok
	}
	if !ok {
		t.Errorf("line %d: %q assembles to %s (%v), want %s", p.Line, p.Text, got, err, p.Hex)
	}
	return ok
}
