package cases

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// requiredText is required.tsv, the list of the sets of the full set that must pass; its head describes it.
//
//go:embed required.tsv
var requiredText string

// A Requirement is a row of required.tsv: how much of a set must pass.
type Requirement struct {
	Set   string // path of a file without its extensions, or of a folder, relative to the folder of cases
	ISA   string // gcn:gfx8, or "-" if the claim is not about one variant
	Claim string // one of Claims
	Least int    // in hundredths of a percent
	Note  string // why it is not everything
	Line  int
}

// Claims are what can be required of a set, with the test that checks it.
var Claims = map[string]string{
	"read":   "casefile TestAllCases",
	"header": "object TestHeadersOfAllCases",
	"run":    "internal/check TestCorpus",
	"D":      "internal/check TestCorpusPairs",
	"A":      "internal/check TestCorpusPairs",
	"B":      "internal/check TestCorpusPairs",
	"X":      "internal/check TestCorpusPairs",
	"U":      "internal/check TestCorpusPairs",
	"R":      "internal/check TestCorpusPairs",
}

// Required returns the rows of required.tsv.
func Required() ([]Requirement, error) { return parse(requiredText) }

func parse(text string) (list []Requirement, err error) {
	seen := map[[3]string]bool{}
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := parseRow(line)
		key := [3]string{r.Set, r.ISA, r.Claim}
		if err == nil && seen[key] {
			err = fmt.Errorf("%s is listed twice", strings.Join(key[:], " "))
		}
		if err != nil {
			return nil, fmt.Errorf("required.tsv:%d: %w", i+1, err)
		}
		r.Line = i + 1
		seen[key] = true
		list = append(list, r)
	}
	return list, nil
}

func parseRow(line string) (r Requirement, err error) {
	cols := strings.Split(line, "\t")
	if len(cols) == 4 {
		cols = append(cols, "")
	}
	if len(cols) != 5 {
		return r, fmt.Errorf("%d columns, want set, isa, claim, share and perhaps a note", len(cols))
	}
	r = Requirement{Set: cols[0], ISA: cols[1], Claim: cols[2], Note: cols[4]}
	switch {
	case r.Set == "" || r.Set != filepath.ToSlash(filepath.Clean(r.Set)):
		return r, fmt.Errorf("%q is not a path of a set", r.Set)
	case r.ISA == "":
		return r, fmt.Errorf(`no instruction set; "-" for none`)
	case Claims[r.Claim] == "":
		return r, fmt.Errorf("%q is no claim", r.Claim)
	}
	if r.Least, err = parseShare(cols[3]); err != nil {
		return r, err
	}
	if (r.Least < all) != (r.Note != "") {
		return r, fmt.Errorf("a share below 100 wants a note that says what fails, and 100 wants none")
	}
	return r, nil
}

// all is the share of a set that passes completely.
const all = 100_00

// parseShare parses a percentage with at most two decimals to hundredths.
func parseShare(s string) (int, error) {
	whole, part, _ := strings.Cut(s, ".")
	n, err := strconv.ParseUint(whole+(part + "00")[:2], 10, 32)
	if err != nil || len(part) > 2 || n == 0 || n > all {
		return 0, fmt.Errorf("%q is no share: a percentage above 0 of at most two decimals", s)
	}
	return int(n), nil
}

// showShare formats hundredths as a percentage.
func showShare(n int) string {
	s := strings.TrimRight(fmt.Sprintf("%d.%02d", n/100, n%100), "0")
	return strings.TrimSuffix(s, ".")
}
