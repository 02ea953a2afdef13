package gcn

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// activeChanges are the scalar instructions that write EXEC with a known relation to its old value: if EXEC is one of
// their sources from the first on, or whatever their sources are if there are none.
var activeChanges = [...]struct {
	name    string
	change  isa.ActiveChange
	sources int
}{
	{"s_and_saveexec_b64", isa.ActiveFewer, 0},
	{"s_or_saveexec_b64", isa.ActiveMore, 0},
	{"s_and_b64", isa.ActiveFewer, 2},
	{"s_andn2_b64", isa.ActiveFewer, 1},
	{"s_or_b64", isa.ActiveMore, 2},
	{"s_orn2_b64", isa.ActiveMore, 1},
	{"s_wqm_b64", isa.ActiveMore, 1},
}

// activeChange returns how an instruction changes EXEC. A v_cmpx activates no lane.
func activeChange(in *isa.Inst, t *isa.Touched) isa.ActiveChange {
	if !slices.ContainsFunc(t.Writes, func(s ir.Span) bool { return s.Cell == CellExec }) {
		return isa.ActiveSame
	}
	name := in.Def.Name
	switch {
	case strings.HasPrefix(name, "v_cmpx"):
		return isa.ActiveFewer
	case (name == "s_mov_b64" || name == "s_or_saveexec_b64") && in.Get(nameSsrc0) == codeNeg1:
		return isa.ActiveAll
	}
	for i := range activeChanges {
		if c := &activeChanges[i]; c.name == name && (c.sources == 0 || in.Get(nameSsrc0) == codeExec || c.sources == 2 && in.Get(nameSsrc1) == codeExec) {
			return c.change
		}
	}
	return isa.ActiveOther
}
