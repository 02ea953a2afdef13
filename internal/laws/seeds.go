package laws

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
)

// seeds is the number of rows of the repository's cases that seed a fuzz target.
const seeds = 300

// SeedWords adds the bytes of an instruction set's cases to a fuzz target.
func SeedWords(f *testing.F, set string) {
	f.Helper()
	for _, row := range cases.Seeds(f, seeds, "pairs/"+set+"-*.tsv.gz") {
		code, err := hex.DecodeString(strings.Split(row, "\t")[2])
		if err == nil { // rows with text only have none
			f.Add(code)
		}
	}
}

// SeedTexts adds the texts of an instruction set's cases to a fuzz target.
func SeedTexts(f *testing.F, set string) {
	f.Helper()
	for _, row := range cases.Seeds(f, seeds, "pairs/"+set+"-*.tsv.gz") {
		if text := strings.Split(row, "\t")[3]; text != "-" {
			f.Add(text)
		}
	}
}
