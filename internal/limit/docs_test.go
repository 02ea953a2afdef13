package limit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/limit"
)

// TestDocumented: docs/limits.md has every limit with its value and the flag that raises it, and no other limits.
func TestDocumented(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	rows := map[string]bool{}
	for _, s := range limit.All {
		raise := ""
		if s.Raise != "" {
			raise = "`" + s.Raise + "` "
		}
		row := fmt.Sprintf("| %s | %d | %s|", s.What, s.Bytes, raise)
		rows[row] = true
		if !strings.Contains(text, "\n"+row) {
			t.Errorf("docs/limits.md has no row %s", row)
		}
	}
	_, table, _ := strings.Cut(text, "|---|---:|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if n := strings.Count(table, "\n") + 1; n != len(rows) {
		t.Errorf("%d rows for %d limits", n, len(rows))
	}
	for _, n := range []int{limit.Lines, limit.Line, limit.BadRows, limit.Pixels, limit.PictureSide, limit.BufferBytes} {
		if !strings.Contains(text, fmt.Sprint(n)) {
			t.Errorf("docs/limits.md does not say %d", n)
		}
	}
}
