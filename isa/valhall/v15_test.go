package valhall

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestArchitecture15 checks that the table of v15's encodings of v14's instructions has each opcode of Arm's table of
// v14 and its new position, and that the page names all new operations.
func TestArchitecture15(t *testing.T) {
	data, err := os.ReadFile("testdata/v15-operations.tsv")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/reference/valhall.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## 15. ")
	known, moved, gone := map[string]bool{}, 0, 0
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if line[0] == '#' {
			continue
		}
		c := strings.Split(line, "\t")
		state := map[[2]bool]string{{true, true}: "moved", {true, false}: "gone", {false, true}: "new"}[[2]bool{c[1] != "-", c[2] != "-"}]
		if len(c) != 4 || c[3] != state || known[c[0]+c[1]] {
			t.Errorf("%q", line)
		}
		known[c[0]+c[1]] = true
		switch state {
		case "moved":
			moved++
		case "gone":
			gone++
		default:
			if name, _, _ := strings.Cut(c[0], "_V4"); !strings.Contains(section, name) && !strings.HasPrefix(name, "MMUL_") {
				t.Errorf("docs/reference/valhall.md 15 does not name %s", c[0])
			}
		}
	}
	if moved < 140 || gone != 0 || strings.Contains(section, "No operation of v14 is gone") != (gone == 0) {
		t.Errorf("%d moved, %d gone", moved, gone)
	}
	groups := map[string]string{"R1_opcode1_t": " CONVERT MOV WMASK FLOAT FREXP TABLE FRCBRT ", "R2_opcode2_t": " FPOW TABLE ", "R3_opcode1_t": " MULTI ",
		"R1_frexp_opcode2_t": " FREXPM_V2F16 FREXPE_V2F16 "} // values for several opcodes, or of no form of v14
	for enum, ranges := range armEnums(t) {
		for _, e := range ranges {
			if !strings.Contains(enum, "_opcode") || !strings.ContainsRune("NRDSM", rune(enum[0])) || e.until < 14 {
				continue
			}
			for _, name := range e.names {
				place := name + enum + "=" + strconv.FormatUint(e.values[name], 10)
				if !strings.Contains(groups[enum], " "+name+" ") && !known[place] {
					t.Errorf("%s is not in the table", place)
				}
			}
		}
	}
}
