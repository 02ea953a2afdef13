package gcn

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// pairs returns the special registers of two words, by the code of the first.
func (c *codes) pairs() [6]struct {
	code int
	name string
} {
	return [...]struct {
		code int
		name string
	}{{c.flatScratch, "flat_scratch"}, {c.xnackMask, "xnack_mask"}, {codeVCC, "vcc"}, {codeTBA, "tba"}, {codeTMA, "tma"}, {codeExec, "exec"}}
}

// tuple returns the text of n consecutive registers of a file.
func tuple(file string, first, n int) string { return string(appendTuple(nil, file, first, n)) }

func appendTuple(dst []byte, file string, first, n int) []byte {
	dst = append(dst, file...)
	if n == 1 {
		return strconv.AppendInt(dst, int64(first), 10)
	}
	dst = strconv.AppendInt(append(dst, '['), int64(first), 10)
	return append(strconv.AppendInt(append(dst, ':'), int64(first+n-1), 10), ']')
}

// vgprText returns the texts of tuples of vector registers by the first; "" if they would go past the last.
func (k *commonKinds) vgprText(words int) []string {
	if k.vgprTexts[words] == nil {
		k.vgprTexts[words] = texts(256, func(dst []byte, v int) []byte {
			if v+words > 256 {
				return dst
			}
			return appendTuple(dst, "v", v, words)
		})
	}
	return k.vgprTexts[words]
}

// scalarText returns the texts of n scalar words from each of the codes 0 to 127 on; "" if there is no such operand.
func (k *kinds) scalarText(n int) []string {
	if k.scalarTexts[n] == nil {
		table := texts(codeInt0, func(dst []byte, code int) []byte {
			switch i := code - codeTTMP; {
			case code+n <= k.codes.sgprs:
				return appendTuple(dst, "s", code, n)
			case i >= 0 && i+n <= numTTMP:
				return appendTuple(dst, "ttmp", i, n)
			}
			return dst
		})
		for _, p := range k.codes.pairs() {
			switch {
			case p.code < 0:
			case n == 1:
				table[p.code], table[p.code+1] = p.name+"_lo", p.name+"_hi"
			case n == 2:
				table[p.code] = p.name
			}
		}
		if n == 1 {
			table[codeM0] = "m0"
		}
		k.scalarTexts[n] = table
	}
	return k.scalarTexts[n]
}

// A reg is registers named in text: n words from a source code on; n is 0 for the reserved codes.
type reg struct{ code, n int }

// named returns the register of a name without number.
func (c *codes) named(w string) (reg, bool) {
	switch w {
	case "m0":
		return reg{codeM0, 1}, true
	case "vccz", "src_vccz":
		return reg{codeVCCZ, 1}, true
	case "execz", "src_execz":
		return reg{codeEXECZ, 1}, true
	case "scc", "src_scc":
		return reg{codeSCC, 1}, true
	case "lds_direct", "src_lds_direct":
		return reg{codeLDSDirect, 1}, true
	}
	for _, p := range c.pairs() {
		if n := len(p.name); p.code >= 0 && len(w) >= n && w[:n] == p.name {
			switch w[n:] {
			case "":
				return reg{p.code, 2}, true
			case "_lo":
				return reg{p.code, 1}, true
			case "_hi":
				return reg{p.code + 1, 1}, true
			}
		}
	}
	for _, code := range reservedCodes {
		if reservedNames[code] == w {
			return reg{code, 0}, true
		}
	}
	return reg{}, false
}

var reservedCodes = [...]int{codeNull, 235, 236, 237, 238, 239}

// parseReg reads a register or tuple: v5, s[2:3], v[7], ttmp4, vcc, exec_lo, [s2,s3], v[2*n:2*n+1]. It moves only on
// success; found says whether the text is a register at all, so that a bad one is reported and not read as a symbol.
func parseReg(s *isa.Scan, c *codes) (r reg, found, ok bool) {
	w := s.Word()
	if w == "" && s.Peek() == '[' {
		r, ok = registerList(s, c)
		return r, true, ok
	}
	if w == "" || w[0] < 'a' || w[0] > 'z' {
		return r, false, false
	}
	name, code, count := "v", codeVGPR, 256 // the file of numbered registers
	switch w[0] {
	case 's':
		name, code, count = "s", 0, c.sgprs
	case 't':
		name, code, count = "ttmp", codeTTMP, numTTMP
	}
	if n := len(name); strings.HasPrefix(w, name) &&
		(len(w) > n && digits(w[n:]) || len(w) == n && s.Pos+n < len(s.Line) && s.Line[s.Pos+n] == '[') {
		r, ok = numbered(s, code, count, n)
		return r, true, ok
	}
	if r, ok = c.named(w); ok {
		s.Pos += len(w)
	}
	return r, ok, ok
}

func digits(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] < '0' || w[i] > '9' {
			return false
		}
	}
	return true
}

// numbered reads the number or range after a file name of n letters.
func numbered(s *isa.Scan, code, count, n int) (reg, bool) {
	start := s.Pos
	fail := func(msg string) (reg, bool) {
		s.Pos = start
		return reg{}, s.Fail(start, isa.ErrOperand, msg)
	}
	s.Pos += n
	if !s.Byte('[') {
		v, ok := s.Uint()
		if !ok || int(v) >= count {
			return fail("register number out of range")
		}
		return reg{code + int(v), 1}, true
	}
	lo, ok := bound(s)
	hi := lo
	if ok && s.Byte(':') {
		hi, ok = bound(s)
	}
	if !ok || !s.Byte(']') {
		return fail("malformed register range")
	}
	if lo < 0 || hi < lo || hi >= int64(count) {
		return fail("register range out of order or out of range")
	}
	return reg{code + int(lo), int(hi-lo) + 1}, true
}

// bound reads a number of a register range: usually digits, or an expression.
func bound(s *isa.Scan) (int64, bool) {
	at := s.Pos
	if v, ok := s.Uint(); ok && (s.Peek() == ':' || s.Peek() == ']') {
		return int64(v), true
	}
	s.Pos = at
	v, ok := s.Expr()
	s.Space()
	return v, ok
}

// registerList reads a list of consecutive registers: [s2,s3].
func registerList(s *isa.Scan, c *codes) (r reg, ok bool) {
	start := s.Pos
	fail := func(at int, msg string) (reg, bool) {
		s.Pos = start
		return reg{}, s.Fail(at, isa.ErrOperand, msg)
	}
	for s.Pos++; ; s.Pos++ {
		s.Space()
		at := s.Pos
		one, found, ok := parseReg(s, c)
		switch {
		case found && !ok:
			s.Pos = start
			return reg{}, false
		case !found || one.n != 1 || s.Line[at] == '[':
			return fail(at, "a list of registers names them one by one")
		case r.n > 0 && one.code != r.code+r.n:
			return fail(at, "the registers of a list do not follow each other")
		case r.n == 0:
			r.code = one.code
		}
		r.n++
		s.Space()
		if s.Byte(']') {
			return r, true
		}
		if s.Peek() != ',' {
			return fail(s.Pos, "a list of registers has commas between them and ends in ]")
		}
	}
}

// vgprs returns the kind of a field of eight bits that names n vector registers.
func (k *kinds) vgprs(n int) *isa.Kind {
	if made := k.vgprKinds[n]; made != nil {
		return made
	}
	c := k.codes
	made := &isa.Kind{Name: "a VGPR", Table: k.vgprText(n), Samples: []uint64{0, 1, 2, 100, 255, 256 - uint64(n)}}
	if n > 1 {
		made.Name = strconv.Itoa(n) + " VGPRs"
		made.Reserved = absent(made.Table)
	}
	made.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return append(dst, isa.Span{Cell: VGPR(int(v)), N: n})
	}
	made.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		r, found, ok := parseReg(s, c)
		switch {
		case found && !ok:
			return 0, false
		case !found || r.code < codeVGPR:
			s.Pos = at
			return 0, s.Expect(made.Name)
		case r.n != n:
			s.Pos = at
			return 0, s.Failf(at, isa.ErrOperand, "%s, want %d", registersNamed(r.n), n)
		}
		return uint64(r.code - codeVGPR), true
	}
	k.vgprKinds[n] = made
	return made
}

// registersNamed says how many registers a text names.
func registersNamed(n int) string {
	if n == 1 {
		return "1 register is named"
	}
	return strconv.Itoa(n) + " registers are named"
}

// absent marks the values without text.
func absent(table []string) []bool {
	none := make([]bool, len(table))
	for v, text := range table {
		none[v] = text == ""
	}
	return none
}

// scalars returns the kind of a field of seven bits that names scalar registers; shift is 1 or 2 if the field holds
// the number divided by 2 or 4, and is that many bits shorter.
func (k *kinds) scalars(words, shift int) *isa.Kind {
	if k.sgprs[shift][words] == nil {
		k.sgprs[shift][words] = k.newScalars(words, shift)
	}
	return k.sgprs[shift][words]
}

func (k *kinds) newScalars(words, shift int) *isa.Kind {
	c, size, texts := k.codes, codeInt0>>shift, k.scalarText(words)
	made := &isa.Kind{Name: "an SGPR", Table: make([]string, size), Samples: []uint64{0, 2, 4, 20, uint64(codeVCC >> shift)}}
	if words > 1 {
		made.Name = strconv.Itoa(words) + " SGPRs"
	}
	for v := range made.Table {
		made.Table[v] = texts[v<<shift]
	}
	made.Reserved = absent(made.Table)
	made.Cells = func(dst []isa.Span, _ *isa.Inst, _ *isa.Arg, v uint64) []isa.Span {
		return cellsOf(dst, int(v)<<shift, words)
	}
	made.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		r, found, ok := parseReg(s, c)
		switch {
		case found && !ok:
			return 0, false
		case !found || r.code >= codeInt0:
			s.Pos = at
			return 0, s.Expect(made.Name)
		case r.n != words:
			s.Pos = at
			return 0, s.Failf(at, isa.ErrOperand, "%s, want %d", registersNamed(r.n), words)
		case r.code&(1<<shift-1) != 0:
			s.Pos = at
			return 0, s.Failf(at, isa.ErrOperand, "the first register must be a multiple of %d", 1<<shift)
		}
		return uint64(r.code >> shift), true
	}
	return made
}

// wideScalars is scalars in a field of eight bits; values above the codes of registers are reserved.
func (k *kinds) wideScalars(words int) *isa.Kind {
	if k.wide[words] == nil {
		w := *k.scalars(words, 0)
		w.Table = append(w.Table[:len(w.Table):len(w.Table)], make([]string, 256-len(w.Table))...)
		w.Reserved = absent(w.Table)
		k.wide[words] = &w
	}
	return k.wide[words]
}

// alignedSGPRs returns the kind of a field that names scalar registers aligned as memory needs them: pairs to 2,
// larger tuples to 4. shift is 1 or 2 if the field holds the number divided by 2 or 4. docs/reference/gcn.md 2.
//
// Like LLVM's disassembler it also names tuples that end in s103 or ttmp15, which other generations have.
func (k *kinds) alignedSGPRs(words, shift int) *isa.Kind {
	if k.aligned[shift][words] == nil {
		k.aligned[shift][words] = k.newAligned(words, shift)
	}
	return k.aligned[shift][words]
}

func (k *kinds) newAligned(words, shift int) *isa.Kind {
	align := min(words, 4)
	made := *k.scalars(words, shift)
	made.Table = append([]string{}, made.Table...)
	var more []uint64
	for v, text := range made.Table {
		code := v << shift
		switch {
		case code%align != 0:
			text = ""
		case text != "" || words < 4:
		case code < k.codes.sgprs && code+words <= 104:
			text = tuple("s", code, words)
			more = append(more, uint64(v))
		case code >= codeTTMP && code < codeTTMP+numTTMP && code+words <= codeTTMP+16:
			text = tuple("ttmp", code-codeTTMP, words)
			more = append(more, uint64(v))
		}
		made.Table[v] = text
	}
	made.Reserved = absent(made.Table)
	parse := made.Parse
	made.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		for _, v := range more {
			if acceptMod(s, made.Table[v]) {
				return v, true
			}
		}
		at := s.Pos
		v, ok := parse(s, in, a)
		if ok && int(v)<<shift%align != 0 {
			return 0, s.Failf(at, isa.ErrOperand, "the first register must be a multiple of %d", align)
		}
		return v, ok
	}
	return &made
}
