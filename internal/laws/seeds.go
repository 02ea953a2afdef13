package laws

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
)

// seeds are how many rows of the repository's cases a fuzz target of an instruction set begins with.
const seeds = 300

// SeedWords adds the bytes of cases of an instruction set to a fuzz target.
func SeedWords(f *testing.F, set string) {
	f.Helper()
	for _, row := range cases.Seeds(f, seeds, "pairs/"+set+"-*.tsv.gz") {
		code, err := hex.DecodeString(strings.Split(row, "\t")[2])
		if err == nil { // a row that has a text alone has none
			f.Add(code)
		}
	}
}

// SeedTexts adds the texts of cases of an instruction set to a fuzz target.
func SeedTexts(f *testing.F, set string) {
	f.Helper()
	for _, row := range cases.Seeds(f, seeds, "pairs/"+set+"-*.tsv.gz") {
		if text := strings.Split(row, "\t")[3]; text != "-" {
			f.Add(text)
		}
	}
}
