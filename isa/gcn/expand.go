package gcn

import (
	"strings"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// Indexes of the variants; gfx8 is the default.
const (
	gfx8 = iota
	gfx7
	gfx6
)

// kinds of source operands, made once for each type.
var (
	src9  = kindTable("a source operand", takesScalar|takesConst|takesVGPR|takesLiteral|takesSpecial|takesLDS)
	src9x = kindTable("a source operand", takesScalar|takesConst|takesVGPR|takesSpecial|takesLDS) // VOP3 source 0
	src9n = kindTable("a source operand", takesScalar|takesConst|takesVGPR|takesSpecial)          // VOP3 other sources
	vreg  = vgprTable()
	sdst7 = scalarTable(0)
	// maskDst is a lane mask destination in the eight bits of VDST.
	maskDst = wide(scalars(2, 0), 256)
	litK    = literalKinds()
)

func kindTable(name string, takes int) (ks [numTyps]*isa.Kind) {
	for t := b16; t < numTyps; t++ {
		if w := t.words(); w <= 2 || w == 4 {
			ks[t] = source(name, t, takes)
		}
	}
	return ks
}

func vgprTable() (ks [numTyps]*isa.Kind) {
	byWords := map[int]*isa.Kind{}
	for t := b16; t < numTyps; t++ {
		w := t.words()
		if byWords[w] == nil {
			byWords[w] = vgprs(w)
		}
		ks[t] = byWords[w]
	}
	return ks
}

func scalarTable(shift int) (ks [numTyps]*isa.Kind) {
	byWords := map[int]*isa.Kind{}
	for t := b16; t < numTyps; t++ {
		w := t.words()
		if byWords[w] == nil {
			byWords[w] = scalars(w, shift)
		}
		ks[t] = byWords[w]
	}
	return ks
}

// wide is a kind for a field with more values than the kind has; the rest are reserved.
func wide(k *isa.Kind, n int) *isa.Kind {
	w := *k
	w.Table = append(append([]string{}, k.Table...), make([]string, n-len(k.Table))...)
	w.Reserved = make([]bool, n)
	for v := range w.Reserved {
		w.Reserved[v] = w.Table[v] == ""
	}
	return &w
}

// literalKinds are the K operand of v_madmk and v_madak, and of s_setreg_imm32_b32, by type: the literal itself.
func literalKinds() (ks [numTyps]*isa.Kind) {
	for _, t := range []typ{f16, b32, f32} {
		ks[t] = &isa.Kind{Name: "a literal constant",
			Text: func(_ *isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
				return plainLiteral(dst, in.Literal(), t)
			},
			Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
				if s.Accept("lit") {
					return 0, forcedLiteral(s)
				}
				at := s.Pos
				n, ok := s.Number()
				if !ok {
					return 0, false
				}
				_, lit, ok := number(s, at, n, t)
				return 0, ok && s.Literal(lit)
			}}
	}
	return ks
}

// An opRule maps an opcode of the row's own encoding to that of another form.
type opRule func(op int) int

func plus(n int) opRule { return func(op int) int { return op + n } }
func keep(op int) int   { return op }

// A shape is how a row appears in one form: layout, suffix, and how its operands are encoded.
type shape struct {
	enc    *isa.Encoding
	suffix string
	op     opRule
	rank   int
	build  func(b *argBuilder)
}

// argBuilder collects the operands of one form of a row, in text order.
type argBuilder struct {
	v    *vop
	dst  []string
	src  []string
	args []isa.Arg
	fix  []isa.Fixed
	// dstRoleIf is the role of the destination where it depends on modifiers.
	dstRoleIf func(in *isa.Inst) isa.Role
	srcArgs   []int // index in args of each source; -1: acc
}

func (b *argBuilder) add(a isa.Arg) { b.args = append(b.args, a) }

func (b *argBuilder) mod(names ...string) {
	for _, n := range names {
		b.add(isa.Arg{Name: n, Place: isa.Modifier})
	}
}

// def makes the row of one form.
func (r *valu) def(sh shape) isa.Def {
	v := newVop(r)
	b := &argBuilder{v: v}
	b.dst, b.src = signature(r.sig)
	sh.build(b)
	suffix := sh.suffix
	if r.flag(bare) {
		suffix = ""
	}
	d := isa.Def{Name: r.name + suffix, Variants: 1 << gfx8, Enc: sh.enc, Op: uint64(sh.op(r.op8)), Fix: b.fix, Args: b.args,
		Doc: r.doc, Source: sh.enc.Source, Meaning: r.mean, Form: vectorForm, Lack: lackOf(r.doc, r.mean), Rank: sh.rank, Data: v}
	if b.indexed() && sh.enc != vop1VI && sh.enc != vop3VI { // no source says what the selections apply to
		d.Meaning, d.Lack = nil, isa.LackUndefined
	}
	d.Fidelity, d.Option = fidelity(r.flags, d.Meaning)
	d.Implicit = implicit(strings.Fields(r.flags)...)
	if !r.flag(noExec) {
		d.Implicit = append(d.Implicit, implicit("r:exec")...)
	}
	if suffix != "" {
		d.Also = []string{r.name}
	}
	if other := sameAs[r.name]; other != "" {
		d.Also = append(d.Also, other)
	}
	for _, i := range b.srcArgs {
		var a *isa.Arg
		if i >= 0 {
			a = &d.Args[i]
		}
		v.args = append(v.args, a)
	}
	return d
}

// sameAs are mnemonics of earlier generations that assemble to another instruction of the same meaning.
var sameAs = map[string]string{"v_mul_lo_u32": "v_mul_lo_i32"}

// lackOf says why a row without meaning has none: one without doc is listed and not described.
func lackOf(doc string, m isa.Meaning) isa.Lack {
	switch {
	case m != nil:
		return isa.LackNone
	case doc == "":
		return isa.LackUndefined
	}
	return isa.LackUnbuilt
}

// shortDst adds the results of VOP1, VOP2 and VOPC forms: lane masks go to vcc.
func (b *argBuilder) shortDst() {
	for _, d := range b.dst {
		if d == "cout" || d == "mask" {
			b.add(isa.Arg{Name: "vcc", Kind: keyword("vcc"), At: bits.Ranges{}, Role: isa.Define})
			continue
		}
		b.add(isa.Arg{Name: "vdst", Kind: vreg[typNames[d]], Role: b.dstRole(), RoleIf: b.dstRoleIf, Width: typNames[d].bits()})
	}
}

func (b *argBuilder) dstRole() isa.Role {
	switch {
	case b.v.row.flag(indexDst):
		return isa.NoRole
	case b.v.acc:
		return isa.UseDef
	}
	return isa.Define
}

// indexed reports whether M0 is added to a register number of the row.
func (b *argBuilder) indexed() bool { return b.v.row.flag(indexSrc) || b.v.row.flag(indexDst) }

// keepsOld is the role of an SDWA destination, which is read too when the unused bits are preserved.
func keepsOld(role isa.Role) func(in *isa.Inst) isa.Role {
	return func(in *isa.Inst) isa.Role {
		if role == isa.Define && in.Get(nameDstUnused) == 2 && in.Get(nameDstSel) != 6 {
			return isa.UseDef
		}
		return role
	}
}

// source adds source operand s with the kind; field is where it is encoded.
func (b *argBuilder) source(a isa.Arg) {
	a.Role = isa.Use
	if b.v.row.flag(indexSrc) {
		a.Role = isa.NoRole
	}
	b.srcArgs = append(b.srcArgs, len(b.args))
	b.add(a)
}

// e32 is the short form of VOP1, VOP2 and VOPC.
func (b *argBuilder) e32() {
	b.shortDst()
	fields := []string{"src0", "src1"}
	for _, s := range b.src {
		switch s {
		case "acc":
			b.srcArgs = append(b.srcArgs, -1)
		case "cin":
			b.source(isa.Arg{Name: "cin", Kind: keyword("vcc"), At: bits.Ranges{}})
		case "K":
			b.source(isa.Arg{Name: "k", Kind: litK[b.v.dst], At: bits.Ranges{}, Width: b.v.dst.bits()})
		default:
			k := src9[typNames[s]]
			if fields[0] == "src1" {
				k = vreg[typNames[s]]
			} else if b.hasK() {
				k = src9x[typNames[s]]
			}
			b.source(isa.Arg{Name: fields[0], Kind: k, Width: typNames[s].bits()})
			fields = fields[1:]
		}
	}
}

func (b *argBuilder) hasK() bool {
	for _, s := range b.src {
		if s == "K" {
			return true
		}
	}
	return false
}

// e64 is the VOP3 form: lane masks are SGPR pairs, sources take modifiers.
func (b *argBuilder) e64() {
	sdst := false
	for _, d := range b.dst {
		switch {
		case d == "cout":
			b.add(isa.Arg{Name: "sdst", Kind: sdst7[mask], Role: isa.Define})
			sdst = true
		case d == "mask":
			b.add(isa.Arg{Name: "vdst", Kind: maskDst, Role: isa.Define})
		default:
			b.add(isa.Arg{Name: "vdst", Kind: vreg[typNames[d]], Role: b.dstRole()})
		}
	}
	mods := !b.v.row.flag(noMods)
	n := 0
	for _, s := range b.src {
		if s == "acc" {
			b.srcArgs = append(b.srcArgs, -1)
			continue
		}
		b.source(b.source64(s, n, sdst))
		n++
	}
	if float := b.v.dst.float() || b.isCompare() && b.v.src[0].float(); float && mods || b.v.row.flag(clampOK) {
		b.mod("clamp")
	}
	if b.v.dst.float() && mods || b.v.row.flag(omodOK) {
		b.mod("omod")
	}
}

// isCompare reports whether the row's result is a lane mask alone.
func (b *argBuilder) isCompare() bool { return len(b.dst) > 0 && b.dst[0] == "mask" }

// source64 is source n of a VOP3 form. VOP3B has no place for abs.
func (b *argBuilder) source64(s string, n int, sdst bool) isa.Arg {
	t := typNames[s]
	a := isa.Arg{Name: [...]string{"src0", "src1", "src2"}[n], Width: t.bits()}
	switch {
	case s == "cin":
		a.Kind = src9n[mask] // VGPRs and constants decode there; only an SGPR pair runs
		return a
	case n == 0:
		a.Kind = src9x[t]
	default:
		a.Kind = src9n[t]
	}
	row := b.v.row
	if !t.float() && !row.flag(intMods) || row.flag(noMods) || row.flag(noNeg) {
		return a
	}
	a.Parts = vop3Parts(n, !sdst)
	return a
}

// second adds the operands of the SDWA and DPP forms, which are all VGPRs.
func (b *argBuilder) second(sext bool) {
	b.shortDst()
	n := 0
	for _, s := range b.src {
		switch s {
		case "acc":
			b.srcArgs = append(b.srcArgs, -1)
			continue
		case "cin":
			b.source(isa.Arg{Name: "cin", Kind: keyword("vcc"), At: bits.Ranges{}})
			continue
		}
		t := typNames[s]
		a := isa.Arg{Name: [...]string{"src0", "src1"}[n], Kind: vreg[t], Width: t.bits()}
		switch {
		case sext && (t.float() || b.v.row.flag(intMods)):
			a.Parts = sourceParts(negVGPR, []int{52, 60}[n], []int{53, 61}[n], 0)
		case sext:
			a.Parts = sourceParts(negVGPR, 0, 0, []int{51, 59}[n])
		case t.float() || b.v.row.flag(intMods):
			a.Parts = sourceParts(negVGPR, []int{52, 54}[n], []int{53, 55}[n], 0)
		}
		b.source(a)
		n++
	}
}

func (b *argBuilder) sdwa() {
	b.dstRoleIf = keepsOld(b.dstRole())
	b.second(true)
	b.mod("clamp")
	if !b.isCompare() {
		b.add(isa.Arg{Name: "dst_sel", Place: isa.Modifier, Default: 6})
		b.add(isa.Arg{Name: "dst_unused", Place: isa.Modifier, Default: 2})
	}
	b.add(isa.Arg{Name: "src0_sel", Place: isa.Modifier, Default: 6})
	if b.sources() == 2 {
		b.add(isa.Arg{Name: "src1_sel", Place: isa.Modifier, Default: 6})
	}
}

// sources counts the sources that have a field.
func (b *argBuilder) sources() (n int) {
	for _, s := range b.src {
		if s != "acc" && s != "cin" && s != "K" {
			n++
		}
	}
	return n
}

func (b *argBuilder) dpp() {
	b.second(false)
	b.mod("dpp_ctrl")
	b.add(isa.Arg{Name: "row_mask", Place: isa.Modifier, Default: 15})
	b.add(isa.Arg{Name: "bank_mask", Place: isa.Modifier, Default: 15})
	b.mod("bound_ctrl")
}
