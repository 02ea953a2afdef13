package main

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// gcnStates are the sets of GCN from which state cases are selected, and how many cases per feature.
var gcnStates = []struct {
	set  string
	each int
}{{"gcn-valu", 2}, {"gcn-modes", casesEach}, {"gcn-lane", casesEach}, {"gcn-lds", casesEach}, {"gcn-buffer", casesEach}, {"gcn-scalar", 8}, {"gcn-vop3seed", casesEach}}

// A gcnCase is the fields of a state case on which the selection depends.
type gcnCase struct {
	Name, Variant string
	Asm           []string
	Initial       struct{ Regs map[string]any }
	line          string
}

// pickStates selects cases of gfx8 until each feature in the set is covered; for gfx7 and gfx6 one case of each row in
// each form. Short cases come first.
func pickStates(from, to string) error {
	for _, s := range gcnStates {
		name := filepath.Join("state", s.set+".jsonl.gz")
		var list []*gcnCase
		err := filter(filepath.Join(from, name), filepath.Join(to, name), func(line string) bool {
			c := &gcnCase{line: line}
			if json.Unmarshal([]byte(line), c) == nil && len(c.Asm) > 0 {
				list = append(list, c)
			}
			return false
		})
		if err != nil {
			return err
		}
		slices.SortStableFunc(list, func(a, b *gcnCase) int {
			return cmp.Or(cmp.Compare(b.Variant, a.Variant), cmp.Compare(len(a.line), len(b.line)))
		})
		seen, picked := map[string]int{}, map[string]bool{}
		for _, c := range list {
			features, each := c.features(s.set), s.each
			if c.Variant != "gfx8" {
				features, each = c.ofOlder(), 1
			}
			for _, f := range features {
				if seen[f]++; seen[f] <= each {
					picked[c.line] = true
				}
			}
		}
		err = filter(filepath.Join(from, name), filepath.Join(to, name), func(line string) bool { return picked[line] })
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	gcnModifier = regexp.MustCompile(`[a-z_0-9]+:[^ ]+`)
	gcnType     = regexp.MustCompile(`_[fiub](16|32|64)`)
	gcnPlain    = regexp.MustCompile(`^(v\d+|v\[\d+:\d+\]|vcc|s\[\d+:\d+\]|, )+$`)
	gcnForm     = regexp.MustCompile(`_(e32|e64|sdwa|dpp)$`)
	gcnSerial   = regexp.MustCompile(`-gfx\d-\d+$`)
)

// features returns the features of a case: the row, modifiers of each encoding, ways to select lanes, and float modes
// by type, including those of results with modifiers.
func (c *gcnCase) features(set string) (fs []string) {
	mnemonic, rest, _ := strings.Cut(c.Asm[0], " ")
	row := mnemonic
	for _, w := range strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' }) {
		if slices.Contains([]string{"off", "idxen", "offen", "glc", "lds", "vcc"}, w) {
			row += " " + w
		}
	}
	fs = append(fs, row)
	if set == "gcn-buffer" || set == "gcn-lds" { // their names have the kind of access
		fs = append(fs, gcnSerial.ReplaceAllString(c.Name, ""))
	}
	if set == "gcn-modes" && gcnPlain.MatchString(rest) { // TestForms of internal/gcnrun makes other forms of these
		fs = append(fs, gcnForm.ReplaceAllString(mnemonic, "")+" of registers")
	}
	form := mnemonic[strings.LastIndexByte(mnemonic, '_')+1:]
	switch form {
	case "dpp":
		ctrl, _, _ := strings.Cut(rest, " row_mask")
		ctrl = ctrl[strings.LastIndexByte(ctrl, ' ')+1:]
		fs = append(fs, ctrl+strconv.FormatBool(strings.Contains(rest, "bound_ctrl")))
	case "sdwa", "e64", "e32":
		for _, m := range gcnModifier.FindAllString(rest, -1) {
			fs = append(fs, form+m)
		}
	}
	for _, m := range []string{"clamp", "|", "-v", "sext("} {
		if strings.Contains(rest, m) {
			fs = append(fs, form+m)
		}
	}
	return append(fs, c.modes(mnemonic, strings.Contains(rest, "clamp") || strings.Contains(rest, "mul:") || strings.Contains(rest, "div:"))...)
}

// ofOlder returns the row of a case of gfx6 or gfx7 with its form: scalar loads have a constant offset, a literal or a
// register.
func (c *gcnCase) ofOlder() []string {
	mnemonic, rest, _ := strings.Cut(c.Asm[0], " ")
	row := mnemonic
	for _, w := range strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' }) {
		if slices.Contains([]string{"off", "idxen", "offen", "addr64", "glc", "lds", "tfe"}, w) {
			row += " " + w
		}
	}
	if strings.HasPrefix(mnemonic, "s_load") || strings.HasPrefix(mnemonic, "s_buffer") {
		last := rest[strings.LastIndexByte(rest, ' ')+1:]
		row += " " + last[:1] + strconv.Itoa(len(last)/5)
	}
	return []string{row + " of " + c.Variant}
}

// modes returns rounding and denormal mode of the type that the mnemonic names last, and IEEE if the result has
// modifiers.
func (c *gcnCase) modes(mnemonic string, modified bool) (fs []string) {
	word, _ := c.Initial.Regs["mode"].(string)
	mode, err := strconv.ParseUint(strings.TrimPrefix(word, "0x"), 16, 32)
	types := gcnType.FindAllString(mnemonic, -1)
	if err != nil || len(types) == 0 {
		return nil
	}
	t, at := types[len(types)-1], 2
	if t == "_f32" {
		at = 0
	}
	f := t + strconv.FormatUint(mode>>at&3<<2|mode>>(4+at)&3, 16)
	fs = append(fs, f)
	if modified {
		fs = append(fs, f+" out "+strconv.FormatUint(mode>>9&1, 2))
	}
	return fs
}
