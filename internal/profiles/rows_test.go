package profiles

import (
	"bytes"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/profile"
)

// TestManyRows: a page of very many instructions has rows of those with most of a count, and says how many others there
// are; its counts are of all.
func TestManyRows(t *testing.T) {
	p := Profile{ISA: "gcn:gfx8", Launches: []Launches{{Kernel: "k", Count: 1}}}
	for i := range 25_000 {
		p.List = append(p.List, Inst{Addr: uint64(4 * i), Text: "s_nop 0", Waves: uint64(1 + i%100), Lanes: 1})
	}
	p.List[100].Branch = &profile.Branch{Waves: 1, Taken: 1}
	var page bytes.Buffer
	if err := WriteHTML(&page, []Profile{p}, nil, &Metrics[0]); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	rows := strings.Count(text, "<tr data-i=")
	if rows != maxRows+1 || !strings.Contains(text, "<tr data-i=100") { // the one that took a branch
		t.Errorf("%d rows", rows)
	}
	if !strings.Contains(text, "14 999 more, with fewer wave instructions, are in what --csv and --json write") {
		t.Error("the page does not say how many rows are left out")
	}
	if n := strings.Count(text, "s_nop 0</button>"); n != rows {
		t.Errorf("%d buttons", n)
	}
}

// TestTransactionText: what is said of transactions of several sizes.
func TestTransactionText(t *testing.T) {
	m := chips.Of("tesla:g200")
	u := Use{How: "store", Space: "global", Size: 4, Access: profile.Access{Requests: 1, Lanes: 32, Bytes: 128, Lines: 3, Moved: 224}}
	if got, want := u.text(&m), "global store of 128 bytes in 3 transactions, 57.1 % of them"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
