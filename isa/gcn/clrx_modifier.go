package gcn

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Modifiers of CLRX's text.

// A clrxKind is how a modifier is translated.
type clrxKind uint8

const (
	clrxFlag   clrxKind = iota // NAME, NAME:0 or NAME:1
	clrxNumber                 // NAME:N, as in LLVM
	clrxForm                   // requests a form
	clrxSDWA                   // a selection, which requests SDWA
	clrxDPP                    // a part of DPP
	clrxParts                  // abs, neg and sext of all sources
	clrxOmod
	clrxFormat
)

// clrxModifiers are the modifiers.
var clrxModifiers = [...]struct {
	kind  clrxKind
	words string
}{
	{clrxFlag, " glc slc tfe lds idxen offen addr64 gds done compr vm unorm r128 lwe da d16 high clamp "},
	{clrxNumber, " offset offset0 offset1 dmask dfmt nfmt "},
	{clrxForm, " vop3 sdwa dpp "},
	{clrxSDWA, " dst_sel dst_un dst_unused src0_sel src1_sel "},
	{clrxDPP, " quad_perm row_shl row_shr row_ror wave_shl wave_shr wave_rol wave_ror row_mirror row_half_mirror row_hmirror row_bcast row_bcast15 row_bcast31 bank_mask row_mask bound_ctrl "},
	{clrxParts, " abs neg sext "},
	{clrxOmod, " omod mul div "},
	{clrxFormat, " format "},
}

// modifierOf returns the kind of a modifier.
func modifierOf(w string) (clrxKind, bool) {
	for i := range clrxModifiers {
		if m := &clrxModifiers[i]; w != "" && strings.Contains(m.words, " "+w+" ") {
			return m.kind, true
		}
	}
	return 0, false
}

// modifiers determines the form, and what else must be known before the operands are translated.
func (c *clrx) modifiers() bool {
	for i := range c.mods {
		m := &c.mods[i]
		form := ""
		switch m.kind {
		case clrxForm:
			if form = m.name; form == "vop3" {
				form = "e64"
			}
			if on, ok := c.on(m); !ok {
				return false
			} else if !on {
				form = ""
			}
		case clrxSDWA:
			form = "sdwa"
		case clrxDPP:
			form = "dpp"
		}
		if form == "" {
			continue
		}
		if c.form != "" && c.form != form {
			return c.s.Fail(m.at, isa.ErrModifier, "the modifiers ask for two forms: "+c.form+" and "+form)
		}
		c.form, c.told = form, true
	}
	c.buffer()
	c.vaddr()
	c.atomic()
	c.unused()
	c.signs()
	for i := range c.mods {
		ok := true
		switch m := &c.mods[i]; {
		case m.kind == clrxParts:
			ok = c.parts(m)
		case m.kind == clrxOmod:
			ok = c.omod(m)
		case (m.name == "clamp" || m.name == "high") && strings.HasPrefix(c.name, "v_"):
			var on bool
			if on, ok = c.on(m); on {
				c.set(m.name, 1, m.at)
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// on reads a flag.
func (c *clrx) on(m *clrxMod) (on, ok bool) {
	switch len(m.values) {
	case 0:
		return true, true
	case 1:
		v, ok := c.value(m.values[0])
		return v != 0, ok
	}
	return false, c.s.Fail(m.at, isa.ErrModifier, m.name+" has one value")
}

// has reports whether a flag is set.
func (c *clrx) has(name string) bool {
	set := false
	for i := range c.mods {
		if m := &c.mods[i]; m.name == name {
			set, _ = c.on(m)
		}
	}
	return set
}

// again reports whether a flag or a number is repeated further on; the last one counts.
func (c *clrx) again(i int) bool {
	for k := i + 1; k < len(c.mods); k++ {
		if c.mods[k].name == c.mods[i].name && c.mods[i].kind <= clrxNumber {
			return true
		}
	}
	return false
}

// buffer: data that moves to local memory has a register that LLVM does not name; a buffer instruction may omit its
// address.
func (c *clrx) buffer() {
	if !strings.HasPrefix(c.name, "buffer_") && !strings.HasPrefix(c.name, "tbuffer_") {
		return
	}
	if n := len(c.ops); (n == 3 || n == 4) && c.has("lds") && c.isVGPR(c.ops[0].span) {
		c.fixed(0, "vdata", "")
		c.ops = c.ops[1:]
	}
	if strings.Contains(c.name, "_lds_") {
		if !c.has("lds") {
			c.mods = append(c.mods, clrxMod{name: "lds", at: len(c.s.Line)})
		}
		return
	}
	addressed := c.has("idxen") || c.has("offen") || c.has("addr64")
	if n := len(c.ops) - 2; n >= 0 && n < 2 && !addressed && (n == 0 || c.isVGPR(c.ops[0].span)) && !c.isVGPR(c.ops[n].span) {
		c.ops = append(c.ops[:n:n], append([]clrxOp{{c.ops[n].span, "off"}}, c.ops[n:]...)...)
	}
}

// unused: some instructions of DS name an address register that LLVM omits.
func (c *clrx) unused() {
	if row := c.find(""); row != nil && row.Enc.Name == "DS" && row.Operands() == 0 && len(c.ops) == 1 && c.isVGPR(c.ops[0].span) {
		c.fixed(0, "addr", "")
		c.ops = nil
	}
}

// vaddr: a buffer instruction names an address register even if it has none, where LLVM writes off.
func (c *clrx) vaddr() {
	if !strings.HasPrefix(c.name, "buffer_") && !strings.HasPrefix(c.name, "tbuffer_") || len(c.ops) < 3 ||
		c.has("idxen") || c.has("offen") || c.has("addr64") {
		return
	}
	if i := len(c.ops) - 3; c.ops[i].word == "" && c.isVGPR(c.ops[i].span) {
		c.fixed(i, "vaddr", "off")
	}
}

// atomic: a FLAT atomic names a result register even if it returns none.
func (c *clrx) atomic() {
	if strings.HasPrefix(c.name, "flat_atomic_") && len(c.ops) == 3 && !c.has("glc") && c.isVGPR(c.ops[0].span) {
		c.fixed(0, "vdst", "")
		c.ops = c.ops[1:]
	}
}

func (c *clrx) isVGPR(x span) bool {
	r, _, found, ok := c.register(x)
	return found && ok && r.code >= codeVGPR
}

// fixed records the register of an operand as the value of a field, and replaces the operand by word.
func (c *clrx) fixed(i int, field, word string) {
	r, _, _, _ := c.register(c.ops[i].span)
	c.sets = append(c.sets, clrxSet{field, uint64(r.code - codeVGPR), c.ops[i].from})
	c.ops[i].word = word
}

// putModifiers appends those that LLVM's text has, in its spelling.
func (c *clrx) putModifiers() bool {
	sel := map[string]string{}
	for i := range c.mods {
		m := &c.mods[i]
		if c.again(i) {
			continue
		}
		ok := true
		switch m.kind {
		case clrxFlag:
			on := false
			on, ok = c.on(m)
			switch {
			case !ok || !on || strings.HasPrefix(c.name, "v_"):
			case m.name == "tfe" && c.row != nil && c.row.Enc.Name == "MTBUF":
				c.set(m.name, 1, m.at)
			default:
				c.out.Put(" "+m.name, m.at)
			}
		case clrxNumber:
			if ok = c.one(m); ok {
				c.out.Put(" "+m.name+":(", m.at)
				c.copyWithout(m.values[0])
				c.out.Put(")", m.at)
			}
			if ok && m.name == "dmask" {
				if v, known := c.value(m.values[0]); known && v == 0 {
					ok = c.s.Fail(m.at, isa.ErrModifier, "dmask of no component")
				}
			}
		case clrxSDWA:
			ok = c.selection(m, sel)
		case clrxDPP:
			ok = c.dpp(m, sel)
		case clrxFormat:
			ok = c.format(m)
		}
		if !ok {
			return false
		}
	}
	c.defaults(sel)
	return true
}

// one reports an error unless the modifier has one value.
func (c *clrx) one(m *clrxMod) bool {
	return len(m.values) == 1 || c.s.Fail(m.at, isa.ErrModifier, m.name+" has one value")
}

// clrxSelections are the parts of a register by name, clrxUnused the treatment of the rest of the destination.
var (
	clrxSelections = []clrxName{{"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3}, {"byte0", 0}, {"byte1", 1}, {"byte2", 2}, {"byte3", 3}, {"byte_0", 0}, {"byte_1", 1}, {"byte_2", 2}, {"byte_3", 3}, {"w0", 4}, {"w1", 5}, {"word0", 4}, {"word1", 5}, {"word_0", 4}, {"word_1", 5}, {"dword", 6}}
	clrxUnused     = []clrxName{{"pad", 0}, {"sext", 1}, {"preserve", 2}, {"unused_pad", 0}, {"unused_sext", 1}, {"unused_preserve", 2}}
)

// named reads a value by name, or an expression that begins with @ or a digit.
func (c *clrx) named(m *clrxMod, names []clrxName, most int64) (uint64, bool) {
	if !c.one(m) {
		return 0, false
	}
	x := m.values[0]
	if v, ok := valueOf(names, c.text(x)); ok {
		return v, true
	}
	if c.s.Line[x.from] != '@' {
		return 0, c.s.Fail(x.from, isa.ErrModifier, m.name+" has no value of that name")
	}
	return c.number(x, most)
}

// selection records a selection of SDWA. For compares, whose LLVM text lacks that of the destination, it becomes a
// field.
func (c *clrx) selection(m *clrxMod, sel map[string]string) bool {
	name, names, most := m.name, clrxSelections, int64(6)
	if strings.HasPrefix(name, "dst_un") {
		name, names, most = "dst_unused", clrxUnused, 2
	}
	v, ok := c.named(m, names, most)
	if !ok {
		return false
	}
	switch {
	case c.row != nil && c.row.Find(name) == nil && strings.HasPrefix(name, "dst"):
		c.sets = append(c.sets, clrxSet{name, v, m.at})
	case name == "dst_unused":
		sel[name] = unusedNames[v]
	default:
		sel[name] = selectNames[v]
	}
	return true
}

var (
	selectNames = [...]string{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"}
	unusedNames = [...]string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"}
)

// dpp records a part of DPP: of several ways to select lanes the last one counts.
func (c *clrx) dpp(m *clrxMod, sel map[string]string) bool {
	line := c.s.Line
	switch m.name {
	case "bank_mask", "row_mask":
		if !c.one(m) {
			return false
		}
		v, ok := c.number(m.values[0], 15)
		sel[m.name] = strconv.FormatUint(v, 10)
		return ok
	case "bound_ctrl":
		v := int64(1) // the bit follows a second colon
		for i, x := range m.values {
			b, ok := c.number(x, 1)
			if !ok {
				return false
			}
			if i == 1 {
				v = int64(b)
			}
		}
		sel[m.name] = strconv.FormatInt(v, 10)
		return len(m.values) <= 2 || c.s.Fail(m.at, isa.ErrModifier, "bound_ctrl has at most two values")
	case "quad_perm":
		if !c.one(m) {
			return false
		}
		list, ok := c.list(m.values[0], 3)
		if ok && len(list) != 4 {
			return c.s.Fail(m.values[0].from, isa.ErrModifier, "quad_perm has four lanes")
		}
		sel["ctrl"] = "quad_perm:[" + strings.Join(list, ",") + "]"
		return ok
	}
	name := m.name
	switch name {
	case "row_hmirror":
		name = "row_half_mirror"
	case "row_bcast15", "row_bcast31":
		name = "row_bcast:" + name[len("row_bcast"):]
	}
	switch {
	case len(m.values) == 1:
		v, ok := c.number(m.values[0], 31)
		if !ok || v == 0 {
			return ok && c.s.Fail(m.values[0].from, isa.ErrRange, name+" of 0 lanes")
		}
		name += ":" + strconv.FormatUint(v, 10)
	case len(m.values) > 1:
		return c.s.Fail(m.at, isa.ErrModifier, name+" has one value")
	case strings.HasPrefix(name, "wave_"):
		name += ":1"
	case strings.HasPrefix(name, "row_s") || name == "row_ror":
		c.s.Pos = m.at + isa.WordLen(line[m.at:])
		return c.s.Expect(`":" and a number of lanes`)
	}
	sel["ctrl"] = name
	return true
}

// list reads [N, N, ...], each up to most, or one number.
func (c *clrx) list(x span, most int64) (list []string, ok bool) {
	line := c.s.Line
	if line[x.from] != '[' {
		return nil, c.s.Fail(x.from, isa.ErrSyntax, "a list in brackets is expected")
	}
	if line[x.to-1] != ']' {
		return nil, c.s.Fail(x.from, isa.ErrSyntax, "the list has no closing bracket")
	}
	for at := x.from + 1; at < x.to; {
		end := at
		for end < x.to-1 && line[end] != ',' {
			end++
		}
		v, ok := c.number(span{at, end}, most)
		if !ok {
			return nil, false
		}
		list = append(list, strconv.FormatUint(v, 10))
		at = end + 1
	}
	return list, true
}

// parts records abs, neg or sext of the sources: a number that is a bit mask of sources, or a list.
func (c *clrx) parts(m *clrxMod) bool {
	if !c.one(m) {
		return false
	}
	var v uint64
	if x := m.values[0]; c.s.Line[x.from] == '[' {
		list, ok := c.list(x, 1)
		if !ok {
			return false
		}
		for i, b := range list {
			v |= uint64(b[0]-'0') << i
		}
	} else {
		var ok bool
		if v, ok = c.number(x, 7); !ok {
			return false
		}
	}
	for i := range srcFields {
		if v>>i&1 != 0 {
			c.set(srcFields[i]+"."+m.name, 1, m.at)
		}
	}
	return true
}

// clrxOmods are the output modifiers by name and number, with the value of the field.
var clrxOmods = []clrxName{{"omod0", 0}, {"omod1", 1}, {"omod2", 2}, {"omod3", 3}, {"mul1", 0}, {"mul2", 1}, {"mul4", 2}, {"div1", 0}, {"div2", 3}}

// omod appends the output modifier.
func (c *clrx) omod(m *clrxMod) bool {
	if !c.one(m) {
		return false
	}
	v, ok := c.number(m.values[0], 4)
	if !ok {
		return false
	}
	v, known := valueOf(clrxOmods, m.name+strconv.FormatUint(v, 10))
	if !known {
		return c.s.Fail(m.values[0].from, isa.ErrRange, m.name+" has no such value")
	}
	if v != 0 {
		c.set("omod", v, m.at)
	}
	return true
}

// format appends the format of MTBUF as a number.
func (c *clrx) format(m *clrxMod) bool {
	if !c.one(m) {
		return false
	}
	x := m.values[0]
	if c.s.Line[x.from] != '[' {
		v, ok := c.number(x, 127)
		c.out.Put(" format:"+strconv.FormatUint(v, 10), m.at)
		return ok
	}
	data, num := uint64(1), uint64(0)
	for i, at := 0, x.from+1; at < x.to; i++ {
		end := at
		for end < x.to-1 && c.s.Line[end] != ',' {
			end++
		}
		part := span{at, end}
		c.skip(&part.from)
		text := c.text(part)
		d, isData := valueOf(clrxDataFormats, strings.TrimPrefix(text, "buf_data_format_"))
		n, isNum := valueOf(clrxNumFormats, strings.TrimPrefix(text, "buf_num_format_"))
		if strings.HasPrefix(text, "@") {
			v, ok := c.number(part, 15)
			if !ok {
				return false
			}
			d, n, isData, isNum = v, v&7, i == 0, i == 1
		}
		switch {
		case i > 1:
			return c.s.Fail(part.from, isa.ErrModifier, "a format has two parts")
		case isData && i == 0:
			data = d
		case isNum:
			num = n
		default:
			return c.s.Fail(part.from, isa.ErrModifier, "no data or number format has this name")
		}
		at = end + 1
	}
	c.out.Put(" format:"+strconv.FormatUint(data|num<<4, 10), m.at)
	return true
}

// defaults appends what the text omits but LLVM's text needs, or has another default for.
func (c *clrx) defaults(sel map[string]string) {
	end := len(c.s.Line)
	add := func(name, def string) {
		if c.row == nil || c.row.Find(name) == nil {
			return
		}
		if sel[name] != "" {
			def = sel[name]
		}
		c.out.Put(" "+name+":"+def, end)
	}
	switch c.form {
	case "sdwa":
		add("dst_sel", "DWORD")
		add("dst_unused", "UNUSED_PAD")
		add("src0_sel", "DWORD")
		add("src1_sel", "DWORD")
	case "dpp":
		ctrl := sel["ctrl"]
		if ctrl == "" {
			ctrl = "quad_perm:[0,1,2,3]"
		}
		c.out.Put(" "+ctrl, end)
		add("row_mask", "15")
		add("bank_mask", "15")
		if sel["bound_ctrl"] == "1" {
			c.out.Put(" bound_ctrl:1", end)
		}
	}
	if c.row != nil && c.row.Enc.Name == "MIMG" {
		for i := range c.mods {
			if c.mods[i].name == "dmask" {
				return
			}
		}
		c.out.Put(" dmask:1", end)
	}
}
