package rogue

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// A symbolic is a group of the set of random groups, as fields: numbers and names of values.
type symbolic struct {
	Hex    string
	Header map[string]uint64
	Ops    []struct {
		Phase  string
		Struct string
		Fields map[string]any
	}
	Src  map[string]string
	ISS  map[string]string
	Maps map[string]string
	W0   string
	W1   string
}

// phaseClasses are the classes of the parts of a phase, by the phase's name in the set.
var phaseClasses = map[string][]uint8{"0": {group.P0, group.P0Elements, group.Bitmask}, "1": {group.P1, group.Logical}, "2_pck": {group.Pack}, "2_tst": {group.Test}, "2_mov": {group.Move},
	"2": {group.Shift2}, "backend": {group.Backend}, "ctrl": {group.Control}}

// ownStructs are names of structs that are longer than those of encodings: a field distinguishes them.
var ownStructs = map[string]string{"fadd_lp": "fadd", "fmul_lp": "fmul", "ld_immbl_ext24": "ld_immbl"}

// ownFields are the names of fields in the set.
var ownFields = map[string]isa.Name{"s2ch": nameElem2, "elem": nameElem0, "dest": nameDst, "imm16": nameImm, "imm32": nameImm, "imm_addr": nameImm, "scale_rtz": nameScale}

// units convert fields that are coded in units, or with a bias.
var units = map[string]func(v uint64) uint64{"chan": less, "coff": fourth, "woff": fourth, "texoff": fourth, "smpoff": fourth, "commontmp": fourth}

func less(v uint64) uint64   { return v - 1 }
func fourth(v uint64) uint64 { return v / 4 }

// asRow are fields that select the row: by value, the text that the row has.
var asRow = map[string][2]string{"w": {"", ".wrt"}, "abs": {"br", "ba"}, "link": {"", ".link"}, "nottiled": {".tiled", ""}, "prog": {"", ".prog"}, "aw": {"movc", "movwm"}, "s": {"", ""}}

// inText is the name of a value in text, if it differs; "-": it has none.
var inText = map[string]string{"none": "-", "normal": "-", "cc": "-", "force_line_fill": "forcelinefill", "cached_reads": "slcnoalloc", "write_back": "writeback",
	"write_through": "writethrough", "write_back_lazy": "lazywriteback", "allp": "allinst", "anyp": "anyinst", "setl_a": "setl.a", "setl_b": "setl.b", "always": "-", "never": "if(0)",
	"p0_true": "if(p0)", "p0_false": "if(!p0)", "16bit": "-", "8bit": "-", "32bit": "-", "elo": "-", "ehi": "-", "e0": "-", "mad_0_1": "mad", "mad_2_3": "mad", "iter_mul": "p",
	"iter_mul_store": "-", "mul_stored": "-", "add6432": "add64_32", "release_sleep": "release.sleep", "release_wakeup": "release.wakeup", "swap": "schedswap", "wdf": "schedwdf",
	"asr_ftb": "asr.ftb", "asr_mtb": "asr.mtb", "asr_pwb": "asr.pwb", "asr_twb": "asr.twb", "nz": "-", "z": "-", "gradients": "gradients"}

// TestSymbolic checks that the random groups decode to the fields from which they were made.
func TestSymbolic(t *testing.T) {
	tg := target(t, PCO)
	list := cases.Objects[symbolic](t, filepath.Join(cases.Dir(t), "rogue", "rogue-groups.jsonl.gz"))
	if len(list) < 2000 {
		t.Errorf("%d groups", len(list))
	}
	var b isa.Bundle
	for i := range list {
		g := &list[i]
		code, err := hex.DecodeString(g.Hex)
		if err == nil {
			err = tg.DecodeBundle(code, 0, &b)
		}
		if err != nil {
			t.Errorf("%s: %v", g.Hex, err)
			continue
		}
		for _, what := range append(g.headerWrong(&b), g.routesWrong(&b)...) {
			t.Errorf("%s: %s: %s", g.Hex, tg.Print(nil, &b), what)
		}
		for j := range g.Ops {
			for _, what := range g.opWrong(tg, &b, j) {
				t.Errorf("%s: %s: %s", g.Hex, tg.Print(nil, &b), what)
			}
		}
	}
}

func (g *symbolic) headerWrong(b *isa.Bundle) (list []string) {
	h := head(b)
	own := map[string]isa.Name{"da": nameDA, "length": nameLength, "olchk": nameOlchk, "w1p": nameW1, "w0p": nameW0, "cc": nameCC, "end": nameEnd, "atom": nameAtom, "rpt": nameRepeat, "oporg": namePhases, "opcnt": namePhases}
	for name, want := range g.Header {
		n, ok := own[name]
		got := h.Opt(n)
		if name == "rpt" {
			got++
		}
		if ok && got != want && (want != 16 || got != 0) { // 16 words are coded as 0
			list = append(list, fmt.Sprintf("%s is %d, want %d", name, got, want))
		}
	}
	return list
}

func (g *symbolic) routesWrong(b *isa.Bundle) (list []string) {
	var rt routing
	route(b, &rt)
	same := func(what, got, want string) {
		if got != want {
			list = append(list, fmt.Sprintf("%s is %s, want %s", what, got, want))
		}
	}
	for n, r := range rt.src {
		name := fmt.Sprintf("s%d", n)
		same(name, string(appendReg(nil, r, 1, PCO)), cmp.Or(g.Src[name], "sc0"))
	}
	same("is0", fmt.Sprintf("s%d", rt.is0), cmp.Or(g.ISS["is0"], "s0"))
	for n := 1; n <= 5; n++ {
		if want := g.ISS[fmt.Sprint(n)]; want != "" {
			same(fmt.Sprintf("is%d", n), group.FeedNames[n][rt.iss[n]], want)
		}
	}
	for i, want := range [...]string{g.W0, g.W1} {
		if want != "" {
			same(fmt.Sprintf("w%d", i), string(appendReg(nil, rt.dst[i], 1, PCO)), want)
		}
		same(fmt.Sprintf("w%d there", i), fmt.Sprint(rt.has[i]), fmt.Sprint(want != ""))
	}
	for half, class := range map[string]uint8{"lower": group.Lower, "upper": group.Upper} {
		if want := g.Maps[half]; want != "" {
			same(half+" map", group.Find(b, class).Def.Enc.Name, want)
		}
	}
	return list
}

func (g *symbolic) opWrong(tg *isa.Target, b *isa.Bundle, j int) (list []string) {
	op := &g.Ops[j]
	var in *isa.Inst
	for _, class := range phaseClasses[op.Phase] {
		if in == nil {
			in = group.Find(b, class)
		}
	}
	if in == nil {
		return []string{"no instruction of phase " + op.Phase}
	}
	want := strings.TrimSuffix(cmp.Or(ownStructs[op.Struct], op.Struct), "_24")
	if got := in.Def.Enc.Name; got != want {
		list = append(list, fmt.Sprintf("the encoding is %s, want %s", got, want))
	}
	text := string(tg.Print(nil, b))
	for name, v := range op.Fields {
		switch v := v.(type) {
		case string:
			say := cmp.Or(inText[v], v)
			if name == "movw1" && v == "ft0" && g.W1 == "" && in.Def.Name == "movc" {
				say = "is4, _, _;"
			}
			if say != "-" && !strings.Contains(text, say) && !silent(op.Fields, name, v) {
				list = append(list, fmt.Sprintf("%s is not %s", name, v))
			}
		case float64:
			if what := fieldWrong(in, text, name, uint64(v)); what != "" {
				list = append(list, what)
			}
		}
	}
	return list
}

// silent reports whether text does not express a value: of an idle unit, of a field that another one disables, and of
// the load modes in a sample that writes.
func silent(fields map[string]any, name, v string) bool {
	one := func(field string) bool { return fields[field] == 1.0 }
	switch name {
	case "bitmask_src_op", "shift1_op", "count_op":
		return v == "byp"
	case "count_src":
		return v == "s2" && fields["count_op"] == "byp"
	case "pck_format":
		return one("prog")
	case "cachemode":
		return one("w")
	case "slccache":
		return v == "bypass"
	case "woff_idx_ctrl":
		return fields["p"] == "none" || fields["p"] == "mul_stored"
	}
	return false
}

// fieldWrong describes how a field differs from a number.
func fieldWrong(in *isa.Inst, text, name string, want uint64) string {
	if scale := units[name]; scale != nil {
		want = scale(want)
	}
	if name == "offset" && in.Has(nameBPred) { // bit 0 of a branch is not encoded
		want /= 2
	}
	if says, ok := asRow[name]; ok {
		if !strings.Contains(text, says[want&1]) {
			return fmt.Sprintf("%s is not %d", name, want)
		}
		return ""
	}
	own := name
	if n, ok := ownFields[name]; ok {
		own = names[n]
	}
	for i := range in.Def.Args {
		a := &in.Def.Args[i]
		if a.Name == own && len(a.At) > 0 {
			return differs(name, a.Get(in.Word), want)
		}
		for k := range a.Parts {
			if a.Parts[k].Name == own {
				return differs(name, a.Parts[k].Get(in.Word), want)
			}
		}
	}
	return "there is no field " + name
}

func differs(name string, got, want uint64) string {
	if got == want || want == 16 && got == 0 {
		return ""
	}
	return fmt.Sprintf("%s is %d, want %d", name, got, want)
}
