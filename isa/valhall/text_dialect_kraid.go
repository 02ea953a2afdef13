package valhall

import (
	"math"
	mathbits "math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Texts of kraid and of Mesa of 2026 that differ. Sources, of Mesa in 2026: src/panfrost/compiler/kraid/isa-v9-v14.xml
// and proc/isa/decoder.rs, and src/panfrost/compiler/bifrost/valhall/ISA.xml and disasm.py.
// docs/reference/valhall.md 5.1.

// renames are other mnemonics of rows, with or without the type; implied are modifiers that replace a part of the name.
var renames = [...]struct{ here, mesa26, kraid, implied string }{
	{"BRANCHZ", "", "BRANCH", ""}, {"BRANCHZI", "", "JUMP", ""}, {"SHADDX", "", "SHADD", ""}, {"IMULD", "", "IMUL", ""},
	{"IMUL.i32", "", "IMUL.u32", ""}, {"IMUL.v2i16", "", "IMUL.v2u16", ""}, {"IMUL.v4i8", "", "IMUL.v4u8", ""}, {"CLPER.i32", "", "CLPER", ""},
	{"IDP", "IDPADD", "IDPADD", ""}, {"LD_BUFFER", "LD_PKA", "LD_PKA", ""}, {"LD_GCLK.u64", "LD_GCLK_U64", "LD_GCLK", ""}, {"CUBEFACE2", "CUBEFACE2_V9", "", ""},
	{"FMA_RSCALE.f32.round_zero", "", "FMA_RSCALE.f32", "round_zero"}, {"FMA_RSCALE_N.f32", "", "FMA_RSCALE.f32", "n"},
	{"FMA_RSCALE_N.f32.round_zero", "", "FMA_RSCALE.f32", "n round_zero"}, {"FMA_RSCALE_LEFT.f32", "", "FMA_RSCALE.f32", "left"},
	{"FMA_RSCALE_LEFT.f32.round_zero", "", "FMA_RSCALE.f32", "left round_zero"}, {"FMA_RSCALE_SCALE16.f32", "", "FMA_RSCALE.f32", "n_add"},
	{"FMA_RSCALE_SCALE16.f32.round_zero", "", "FMA_RSCALE.f32", "n_add round_zero"},
}

// dialectName is the mnemonic of a row in a dialect, and the modifiers that always follow it.
func dialectName(dialect int, name string) (string, []string) {
	stem, typ, _ := strings.Cut(name, ".")
	for i := range renames {
		c := &renames[i]
		to := [...]string{Mesa26: c.mesa26, Kraid: c.kraid}[dialect]
		switch {
		case to == "":
		case c.here == name:
			return to, strings.Fields(c.implied)
		case c.here == stem && !strings.Contains(c.here, "."):
			return strings.TrimSuffix(to+"."+typ, "."), nil
		}
	}
	return name, nil
}

// kraidOrder is the order of modifiers by name; others follow.
var kraidOrder = []string{
	"size", "slot", "flow", "z", "stencil", "skip", "conservative", "eq", "absolute", "stack_mode", "diverge",
	"subgroup_size", "lane_operation", "lane_select", "inactive_result", "result_type", "condition", "nan_mode",
	"mode", "precision", "ftz", "flush_inf", "flush_nan", "sqrt", "log", "neg_result", "round_mode", "sticky", "clamp",
	"source", "mux", "oob_ignore", "memory_access", "load_lane", "store_lane", "unsigned", "z_stencil", "z_last_read",
	"index", "vector_size", "register_format", "source_format", "explicit_vertex", "varying_source", "sample_mode",
	"update_mode", "sample_and_update_mode", "dimension", "projection", "register_width",
	"varying_texture_register_width", "channels", "secondary_register_width", "wide_indices", "array_enable",
	"texel_offset", "shadow", "force_delta", "derivative", "lod_flags", "lod_bias_disable", "lod_clamp_disable",
	"lod_mode", "integer_coordinates", "fetch_component", "footprint",
}

// mesaOrders are orders that Mesa changed since 24.1, or that belong to modifiers newer than 24.1.
var mesaOrders = [...]struct{ row, names string }{{"FMA.", "clamp round_mode"}, {"FLUSH.", "flush_nan ftz flush_inf"}}

// orderOf is the order of a row's modifiers in a dialect.
func orderOf(dialect int, d *isa.Def) func(name string) int {
	names := kraidOrder
	if dialect == Mesa26 {
		i := slices.IndexFunc(mesaOrders[:], func(o struct{ row, names string }) bool { return strings.HasPrefix(d.Name, o.row) })
		if i < 0 {
			return func(string) int { return 0 }
		}
		names = strings.Fields(mesaOrders[i].names)
	}
	return func(name string) int {
		if i := slices.Index(names, name); i >= 0 {
			return i
		}
		return len(names)
	}
}

// isWordOf reports whether an operand of a row is a modifier in kraid's syntax: the varying of LD_VAR_SPECIAL.
func isWordOf(d *isa.Def, a *isa.Arg) bool { return d.Name == "LD_VAR_SPECIAL" && a.Name == "index" }

// An omission is a value of a modifier that kraid omits while another modifier has one of some values; without another,
// always.
type omission struct {
	rows, name string
	value      uint64
	other      string
	values     []uint64
}

var omissions = [...]omission{
	{"LOAD.i8 LD_BUFFER.i8", "unsigned", 1, "load_lane", []uint64{0, 1, 2, 3}}, {"LOAD.i16 LD_BUFFER.i16", "unsigned", 1, "load_lane", []uint64{0, 1}},
	{"LOAD.i32 LD_BUFFER.i32", "unsigned", 1, "load_lane", []uint64{0}},
	{"LOAD.i24 LOAD.i48 LOAD.i64 LOAD.i96 LOAD.i128 LD_BUFFER.i24 LD_BUFFER.i48 LD_BUFFER.i64 LD_BUFFER.i96 LD_BUFFER.i128", "unsigned", 1, "", nil},
	{"LD_VAR LD_VAR_IMM LD_VAR_BUF.f16 LD_VAR_BUF.f32 LD_VAR_BUF_IMM.f16 LD_VAR_BUF_IMM.f32", "sample_mode", 0, "update_mode", []uint64{updateRetrieve}},
	{"LD_VAR_BUF.f16 LD_VAR_BUF_IMM.f16", "update_mode", updateRetrieve, "source_format", []uint64{1}},
	{"LD_VAR_BUF.f32 LD_VAR_BUF_IMM.f32", "update_mode", updateRetrieve, "source_format", []uint64{0}},
	{"LD_VAR_SPECIAL", "update_mode", 3, "index", []uint64{3}},
}

// kraidModifier is a modifier that kraid computes from other fields, or spells by instruction; own reports whether it
// is one. It does not print if it has no choices.
func kraidModifier(d *isa.Def, a *isa.Arg) (p modSyntax, own bool) {
	dual, varying := strings.HasSuffix(d.Name, "_DUAL"), strings.HasPrefix(d.Name, "VAR_TEX")
	switch {
	case strings.HasPrefix(a.Name, "unsigned_"): // it follows the operand
		return p, true
	case a.Name == "vertex_id" && field(d, "explicit_vertex") != nil: // printed together with that
		return p, true
	case a.Name == "explicit_vertex" && field(d, "vertex_id") != nil:
		return vertices(a.At, field(d, "vertex_id")), true
	case isWordOf(d, a):
		p.sets = true
		for v := range uint64(1) << a.At.Len() {
			text := ".index" + strconv.FormatUint(v, 10) // for numbers without a name
			if v < uint64(len(specialVaryings)) {
				text = "." + specialVaryings[v]
			}
			p.choices = append(p.choices, valued(a.At, v, text, ""))
		}
		return p, true
	case varying && a.Name == "integer_coordinates":
		p = spellings(Mesa26, a.Kind, a.At)
		return p, true
	case varying && a.Name == "varying_texture_register_width":
		return varyingWidths(a, dual), true
	case dual && (a.Name == "register_width" || a.Name == "channels" || a.Name == "secondary_register_width"):
		p = spellings(Kraid, a.Kind, a.At)
		whose := ".primary_"
		if strings.HasPrefix(a.Name, "secondary") {
			whose = ".secondary_"
		}
		for i := range p.choices {
			p.choices[i].text = strings.Replace(p.choices[i].text, ".", whose, 1)
		}
		return p, true
	}
	p = spellings(Kraid, a.Kind, a.At)
	p.sets = a.Name == "lod_flags"
	for i := range omissions {
		if u := &omissions[i]; u.name == a.Name && slices.Contains(strings.Fields(u.rows), d.Name) {
			p.choices = append(u.choices(d, a), p.choices...)
		}
	}
	return p, true
}

// choices are the choices of a value that is omitted.
func (u *omission) choices(d *isa.Def, a *isa.Arg) (list []choice) {
	c := valued(a.At, u.value, "", a.Kind.Table[u.value])
	if u.other == "" {
		return append(list, c)
	}
	for _, v := range u.values {
		o := valued(field(d, u.other), v, "", "")
		list = append(list, choice{c.mask | o.mask, c.value | o.value, "", c.native})
	}
	return list
}

// specialVaryings are the varyings of LD_VAR_SPECIAL.
var specialVaryings = [...]string{"point", "bary", "frag_w", "frag_z"}

// vertices is the modifier that selects the vertex of a flat varying.
func vertices(explicit, id bits.Ranges) (p modSyntax) {
	for v := range uint64(1) << id.Len() {
		no, yes, vertex := valued(explicit, 0, "", ""), valued(explicit, 1, "", ""), valued(id, v, "", "")
		text := vertexID.Table[v]
		p.choices = append(p.choices, choice{no.mask | vertex.mask, no.value | vertex.value, text, text},
			choice{yes.mask | vertex.mask, yes.value | vertex.value, ".vertex" + strconv.FormatUint(v, 10), ".explicit_vertex" + text})
	}
	return p
}

// varyingWidths are the widths of samples at varyings: one, or two with a separator which says that the first has all
// components.
func varyingWidths(a *isa.Arg, dual bool) (p modSyntax) {
	widths := [...]string{"dst16", "dst32"}
	for v := range uint64(4) {
		text := "." + widths[v&1]
		if dual {
			text = ".primary_" + widths[v&1] + ".primary_rgba.secondary_" + widths[v>>1]
		} else if v > 1 {
			text = a.Kind.Table[v]
		}
		p.choices = append(p.choices, valued(a.At, v, text, a.Kind.Table[v]))
	}
	return p
}

// componentModifiers are the modifiers for the components of a sample, which kraid computes from the number of
// registers and prints after the row's modifier of that name.
func componentModifiers(d *isa.Def, name string) (list []modSyntax) {
	count := bits.Ranges{writesBits[0]}
	get := func(w uint64, at bits.Ranges) int { return int(at.Get(bits.Word{Lo: w})) }
	p := modSyntax{texts: []string{".secondary_r", ".secondary_rg", ".secondary_rgb", ".secondary_rgba"}}
	width := field(d, "varying_texture_register_width")
	switch {
	case name == "varying_texture_register_width" && strings.HasSuffix(d.Name, "_DUAL"):
		p.derived = func(w uint64) int {
			first, second := get(w, width)&1, get(w, width)>>1
			return (get(w, count) - (2*first + 1)) << (1 - second)
		}
	case name == "varying_texture_register_width":
		p.texts = []string{".r", ".rg", ".rgb", ".rgba"}
		p.derived = func(w uint64) int { return (get(w, count) + 1) << (1 - get(w, width)&1) }
	case name == "secondary_register_width":
		first, channels := field(d, "register_width"), field(d, "channels")
		second := field(d, name)
		p.derived = func(w uint64) int {
			n := mathbits.OnesCount(uint(get(w, channels)))
			return (get(w, count) - (n-1)>>(1-get(w, first))) << (1 - get(w, second))
		}
	default:
		return nil
	}
	return append(list, p)
}

// leadingModifiers and trailingModifiers are modifiers without a field in the word.
func leadingModifiers(d *isa.Def) (list []modSyntax) {
	if d.Name == "ATEST" {
		list = append(list, constant(".slot0"))
	}
	return list
}

func trailingModifiers(d *isa.Def) (list []modSyntax) {
	if stem, typ, _ := strings.Cut(d.Name, "."); strings.Contains(stem, "_CHECKED") {
		switch typ {
		case "i8":
			list = append(list, constant(".b0"))
		case "i16":
			list = append(list, constant(".h0"))
		}
	}
	return list
}

// kindOfPart is the kind of a part in a dialect: the lane of CLPER is spelled like a shift amount, and parts with a
// single half name it in Arm's table.
func kindOfPart(dialect int, d *isa.Def, p *isa.Part) *isa.Kind {
	switch {
	case p.Name == "swz_b" && d.Name == "CLPER.i32":
		return clperLane
	case p.Name == "swz_a" && dialect == Kraid && (d.Name == "FRCP.f16" || d.Name == "FRSQ.f16" || d.Name == "FPCLASS.f16"):
		return someHalf
	}
	return p.Kind
}

// partInfinities is the part of LDEXP that has other semantics in Arm's table: the treatment of infinities.
const partInfinities = "swz_a"

// infinities is kraid's text for partInfinities.
func infinities(d *isa.Def) (p modSyntax, ok bool) {
	if !strings.HasPrefix(d.Name, "LDEXP.") {
		return p, false
	}
	p.sets = true
	for v, text := range [...]string{"", ".inf", ".inf0", ".inf3"} {
		p.choices = append(p.choices, valued(field(d, partInfinities), uint64(v), text, ""))
	}
	return p, true
}

// constantNames are kraid's names of constants, by index.
var constantNames = [...]string{
	"k0", "k1n", "k7FFFFFFF", "kFAFCFDFE", "k01000000", "k80002000", "k70605030", "kC0B0A090", "k03020100",
	"k07060504", "k0B0A0908", "k0F0E0D0C", "k13121110", "k17161514", "k1B1A1918", "k1F1E1D1C", "k1f", "kr10f", "krpif",
	"kln2", "kpif", "k_SPARE", "k65535f", "k255f256f", "k0fr10f", "k0fr4f", "k0fr2f", "k0f1f", "k0f2f", "k0f4f",
	"k0f8f", "k0fpif",
}

// constantName is kraid's name of a constant in an architecture.
func constantName(arch int, i uint64) string {
	if i == spare && arch >= 11 {
		return "kvgf"
	}
	return constantNames[i]
}

// specialName is the name of a special value.
func specialName(dialect int, page, number uint64) string {
	if dialect == Kraid && page == PageIdentity && number == SpecialPC {
		return "pc"
	}
	return specials[page][number]
}

// nameADR is kraid's name for the sum of the address of the next instruction and a constant.
const nameADR = "ADR"

// syntaxes are the syntaxes of the words of a row that a respelling names.
func (r *respelling) syntaxes(dialect int, plain *syntax) (list []*syntax) {
	stem, typ, _ := strings.Cut(plain.def.Name, ".")
	if stem != r.to || r.types != "" && !slices.Contains(strings.Fields(r.types), typ) {
		return nil
	}
	v := *plain
	v.mods, v.operands, v.fixed = slices.Clone(plain.mods), slices.Clone(plain.operands), slices.Clone(plain.fixed)
	v.name = r.from
	if r.as != "" {
		typ = r.as
	}
	if r.as != none && typ != "" {
		base, _, _ := strings.Cut(typ, ".")
		v.name += "." + base
	}
	for _, word := range strings.FieldsFunc(r.mods, func(c rune) bool { return c == '.' }) {
		v = *v.withModifier("." + word)
	}
	for _, name := range strings.Fields(r.zero) {
		v = *v.withField(name, 0)
	}
	if r.operands != "" && !v.withOperands(strings.Fields(r.operands)) {
		return nil
	}
	list = []*syntax{&v}
	for _, w := range strings.Fields(r.when) { // name=1,2
		name, values, _ := strings.Cut(w, "=")
		var more []*syntax
		for _, x := range list {
			for _, text := range strings.Split(values, ",") {
				value, err := strconv.ParseUint(text, 10, 64)
				if err != nil {
					panic(err)
				}
				more = append(more, x.narrowed(field(x.def, name), value, false))
			}
		}
		list = more
	}
	for _, x := range list {
		x.since = r.since
	}
	return list
}

// withModifier is the syntax of the words with a modifier that it omits.
func (v *syntax) withModifier(text string) *syntax {
	for i := range v.def.Args {
		a := &v.def.Args[i]
		if value := slices.Index(a.Kind.Table, text); a.Place == isa.Suffix && value >= 0 {
			n := v.withField(a.Name, uint64(value))
			n.implied += text
			return n
		}
	}
	panic("valhall: " + v.def.Name + " has no modifier " + text)
}

// withField is the syntax of the words with a field value that it omits.
func (v *syntax) withField(name string, value uint64) *syntax {
	at := field(v.def, name)
	if at == nil {
		return v
	}
	n := v.narrowed(at, value, true)
	mask := at.Mask().Lo
	n.mods = slices.DeleteFunc(slices.Clone(v.mods), func(p modSyntax) bool {
		return len(p.choices) > 1 && p.derived == nil && !slices.ContainsFunc(p.choices, func(c choice) bool { return c.mask&^mask != 0 })
	})
	return n
}

// withOperands omits operands that are constant; ok reports whether the row has enough operands.
func (v *syntax) withOperands(wants []string) (ok bool) {
	if len(wants) != v.def.Operands() {
		return false
	}
	for i, want := range wants {
		a := v.def.Operand(i)
		text, mods, _ := strings.Cut(want, ".")
		words := strings.FieldsFunc(mods, func(c rune) bool { return c == '.' })
		if text[0] == '$' {
			if mods == "" {
				continue
			}
			for k := range a.Parts { // only signs
				if p := &a.Parts[k]; strings.HasPrefix(p.Name, "neg_") || strings.HasPrefix(p.Name, "abs_") {
					*v = *v.narrowed(p.At, boolValue(slices.Contains(words, p.Kind.Table[1][1:])), true)
					v.dropPart(a, p.At)
				}
			}
			v.signs = append(v.signs, sign{i, "." + mods})
			continue
		}
		if !v.fixSource(a, text, words) {
			return false
		}
		v.fixed[i] = want
		v.operands = slices.DeleteFunc(v.operands, func(o operandSyntax) bool { return o.arg == a })
	}
	return true
}

// fixSource fixes a source and its parts.
func (v *syntax) fixSource(a *isa.Arg, text string, words []string) bool {
	base, ok := sourceValue(text)
	if !ok {
		return false
	}
	*v = *v.narrowed(a.At, base, true)
	if base >= firstSpecial {
		*v = *v.narrowed(pageBits, PageIdentity, true)
	}
	for k := range a.Parts {
		p := &a.Parts[k]
		if p.Side != isa.After {
			continue
		}
		value := p.Default
		for _, w := range words {
			if i := slices.Index(p.Kind.Table, "."+w); i >= 0 {
				value = uint64(i)
			}
		}
		*v = *v.narrowed(p.At, value, true)
	}
	return true
}

// sourceValue is the byte of a source that a respelling names.
func sourceValue(text string) (uint64, bool) {
	if text == "program_counter" {
		return firstSpecial + 2*SpecialPC, true
	}
	v, err := strconv.ParseUint(text, 0, 32)
	i := slices.Index(constants[:], uint32(v&math.MaxUint32))
	return firstConstant + uint64(i), err == nil && i >= 0
}

func boolValue(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// dropPart omits a modifier of an operand.
func (v *syntax) dropPart(a *isa.Arg, at bits.Ranges) {
	for i := range v.operands {
		if o := &v.operands[i]; o.arg == a {
			o.parts = slices.DeleteFunc(slices.Clone(o.parts), func(p modSyntax) bool { return p.choices[0].mask == at.Mask().Lo })
		}
	}
}
