package rogue

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/isa"
)

// refusals are the reasons for which groups are rejected: a part of the decoding error, or the rule that they break.
var refusals = map[string]struct{ err, rule string }{
	"wrong-da":             {err: "decode assist is 9, where 2 is right"},
	"short-length":         {err: "longer than the group"},
	"truncated":            {err: "a group of 8 bytes, 6 left"},
	"reserved-header-bit":  {err: "reserved bit 4 of header byte 2"},
	"alutype-1":            {err: "ALU type 1 is not defined"},
	"ctrlop-13":            {err: "control instruction 13 is not defined"},
	"tst-op-10":            {err: "test 10 is not defined"},
	"tst-type-7":           {err: "type holds the reserved value 0x7"},
	"pck-format-24":        {err: "pck_format holds the reserved value 0x18"},
	"pck-format-13":        {rule: "pack-format"},
	"movc-without-test":    {rule: "movc-test"},
	"f16sop":               {err: "f16sop: the layout of its other bytes is not public"},
	"write-to-constant":    {rule: "constant-write"},
	"pixout-without-olchk": {rule: "pixel-overlap"},
	"ld-to-internal":       {rule: "internal-destination"},
	"same-dest-twice":      {rule: "same-result"},
	"bpred-3":              {err: "bpred holds the reserved value 0x3"},
	"branch-reserved":      {err: "reserved bits of the branch"},
	"smp-dim-0":            {err: "sample dimension 0 is not defined"},
}

// TestInvalidGroups checks groups that a validator must reject, or warn about, for the given reason.
func TestInvalidGroups(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(cases.Dir(t), "rogue", "invalid-groups.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct{ Name, Hex, Severity, Why string }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	tg := target(t, PCO)
	for _, g := range file.Groups {
		code, err := hex.DecodeString(g.Hex)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := refusals[g.Name]
		if !ok {
			t.Errorf("%s, %s: no reason is known", g.Name, g.Why)
			continue
		}
		var b isa.Bundle
		err = tg.DecodeBundle(code, 0, &b)
		if want.err != "" {
			if err == nil || !strings.Contains(err.Error(), want.err) {
				t.Errorf("%s, %s: %v, want an error with %q", g.Name, g.Why, err, want.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		severity := isa.SeverityError
		if g.Severity == "warning" {
			severity = isa.SeverityWarning
		}
		found := false
		for _, f := range tg.Lint(nil, &b, nil) {
			found = found || f.Rule == want.rule && f.Severity == severity
		}
		if !found {
			t.Errorf("%s, %s: %s: lint finds %v, want %s as %v", g.Name, g.Why, tg.Print(nil, &b), tg.Lint(nil, &b, nil), want.rule, severity)
		}
	}
	if len(file.Groups) < len(refusals) {
		t.Errorf("%d groups", len(file.Groups))
	}
}

// TestUndrivenTraps checks that a group traps for an undriven feed-through exactly where lint reports one.
func TestUndrivenTraps(t *testing.T) {
	tg := target(t, PCO)
	traps, runs := 0, 0
	for _, line := range cases.Lines(t, filepath.Join(cases.Dir(t), "pairs", "rogue-groups.tsv.gz")) {
		f := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") || len(f) < 3 {
			continue
		}
		code, err := hex.DecodeString(f[2])
		var b isa.Bundle
		if err != nil || tg.DecodeBundle(code, 0, &b) != nil {
			t.Fatalf("%s: %v", f[2], err)
		}
		why := tg.LiftOne(&b, 0).Why
		trapped := strings.Contains(why, "no instruction of the group drives")
		if why != "" && !trapped { // it may trap before it reads any feed-through
			continue
		}
		found := slices.ContainsFunc(tg.Lint(nil, &b, nil), func(f isa.Finding) bool { return f.Rule == "feed-undriven" })
		if found != trapped {
			t.Errorf("%s: found %t, trapped %t: %s", tg.Print(nil, &b), found, trapped, why)
		}
		if trapped {
			traps++
		} else {
			runs++
		}
	}
	if traps < 20 || runs < 1000 {
		t.Errorf("%d groups trap, %d run", traps, runs)
	}
}
