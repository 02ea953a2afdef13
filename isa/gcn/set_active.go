package gcn

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// activeChanges are the scalar instructions after which it is known of EXEC, which they write, what of it stays: with EXEC as one of these
// sources.
var activeChanges = map[string]struct {
	change  isa.ActiveChange
	sources []isa.Name // nil: whatever the sources are
}{
	"s_and_saveexec_b64": {isa.ActiveFewer, nil},
	"s_or_saveexec_b64":  {isa.ActiveMore, nil},
	"s_and_b64":          {isa.ActiveFewer, []isa.Name{nameSsrc0, nameSsrc1}},
	"s_andn2_b64":        {isa.ActiveFewer, []isa.Name{nameSsrc0}},
	"s_or_b64":           {isa.ActiveMore, []isa.Name{nameSsrc0, nameSsrc1}},
	"s_orn2_b64":         {isa.ActiveMore, []isa.Name{nameSsrc0}},
	"s_wqm_b64":          {isa.ActiveMore, []isa.Name{nameSsrc0}},
}

// activeChange is how an instruction changes EXEC. A v_cmpx keeps none of the lanes that were off.
func activeChange(in *isa.Inst, t *isa.Touched) isa.ActiveChange {
	if !slices.ContainsFunc(t.Writes, func(s ir.Span) bool { return s.Cell == CellExec }) {
		return isa.ActiveSame
	}
	name := in.Def.Name
	c, known := activeChanges[name]
	switch {
	case strings.HasPrefix(name, "v_cmpx"):
		return isa.ActiveFewer
	case known && (c.sources == nil || slices.ContainsFunc(c.sources, func(n isa.Name) bool { return in.Get(n) == codeExec })):
		return c.change
	case (name == "s_mov_b64" || name == "s_or_saveexec_b64") && in.Get(nameSsrc0) == codeNeg1:
		return isa.ActiveAll
	}
	return isa.ActiveOther
}
