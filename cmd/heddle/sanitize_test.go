package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/sanitize"
)

// TestSanitizePage: docs/sanitize.md has a line for each rule.
func TestSanitizePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/sanitize.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range sanitize.Rules() {
		if line := fmt.Sprintf("| `%s` | `%s` | %v | %s |\n", r.ID, r.Check, r.Severity, r.Doc); !strings.Contains(string(page), line) {
			t.Errorf("docs/sanitize.md has no line %q", line)
		}
	}
}
