package gcn

import (
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// Codes of the 9-bit source operand space; the low 7 bits are also scalar destinations. docs/reference/gcn.md 2.
const (
	codeFlatScratch = 102
	codeXnackMask   = 104
	codeVCC         = 106
	codeTBA         = 108
	codeTMA         = 110
	codeTTMP        = 112
	codeM0          = 124
	codeNull        = 125 // reserved
	codeExec        = 126
	codeInt0        = 128 // 128 is 0, 129-192 are 1 to 64
	codeNeg1        = 193 // 193-208 are -1 to -16
	codeFloat       = 240
	codeInv2Pi      = 248
	codeSDWA        = 249
	codeDPP         = 250
	codeVCCZ        = 251
	codeEXECZ       = 252
	codeSCC         = 253
	codeLDSDirect   = 254
	codeLiteral     = 255
	codeVGPR        = 256

	numSGPR = 102
	numTTMP = 12
)

// pairs are the special registers of two words: name of the pair, of the words by suffix.
var pairs = []struct {
	code int
	name string
}{
	{codeFlatScratch, "flat_scratch"}, {codeXnackMask, "xnack_mask"}, {codeVCC, "vcc"},
	{codeTBA, "tba"}, {codeTMA, "tma"}, {codeExec, "exec"},
}

// reservedNames are the source codes that these generations reserve and that LLVM prints by their meaning on
// later ones. They decode and assemble; lint reports them and executing one is a fault.
var reservedNames = [codeVGPR + 256]string{codeNull: "null", 235: "src_shared_base", 236: "src_shared_limit",
	237: "src_private_base", 238: "src_private_limit", 239: "src_pops_exiting_wave_id"}

// tuple is the text of n consecutive registers of a file.
func tuple(file string, first, n int) string {
	if n == 1 {
		return file + strconv.Itoa(first)
	}
	return file + "[" + strconv.Itoa(first) + ":" + strconv.Itoa(first+n-1) + "]"
}

// scalarText is the text of n scalar words from a code on, "" if there is no such operand.
func scalarText(code, n int) string {
	switch {
	case code+n <= numSGPR:
		return tuple("s", code, n)
	case code >= codeTTMP && code+n <= codeTTMP+numTTMP:
		return tuple("ttmp", code-codeTTMP, n)
	case code == codeM0 && n == 1:
		return "m0"
	}
	for _, p := range pairs {
		switch {
		case code == p.code && n == 2:
			return p.name
		case code == p.code && n == 1:
			return p.name + "_lo"
		case code == p.code+1 && n == 1:
			return p.name + "_hi"
		}
	}
	return ""
}

// A reg is registers named in text: n words from a source code on.
type reg struct{ code, n int }

// special maps the names of registers that are not numbered.
var special = func() map[string]reg {
	m := map[string]reg{"m0": {codeM0, 1},
		"vccz": {codeVCCZ, 1}, "src_vccz": {codeVCCZ, 1}, "execz": {codeEXECZ, 1}, "src_execz": {codeEXECZ, 1},
		"scc": {codeSCC, 1}, "src_scc": {codeSCC, 1},
		"lds_direct": {codeLDSDirect, 1}, "src_lds_direct": {codeLDSDirect, 1}}
	for code, name := range reservedNames {
		if name != "" {
			m[name] = reg{code, 0}
		}
	}
	for _, p := range pairs {
		m[p.name], m[p.name+"_lo"], m[p.name+"_hi"] = reg{p.code, 2}, reg{p.code, 1}, reg{p.code + 1, 1}
	}
	return m
}()

// files of numbered registers: name, code of number 0, how many.
var files = []struct {
	name  string
	code  int
	count int
}{{"v", codeVGPR, 256}, {"s", 0, numSGPR}, {"ttmp", codeTTMP, numTTMP}}

// parseReg reads a register or tuple: v5, s[2:3], v[7], ttmp4, vcc, exec_lo. It moves only on success;
// found says whether the text is a register at all, so that a bad one is reported and not read as a symbol.
func parseReg(s *isa.Scan) (r reg, found, ok bool) {
	w := s.Word()
	if w == "" || w[0] < 'a' || w[0] > 'z' {
		return r, false, false
	}
	for i := range files {
		f := &files[i]
		n := len(f.name)
		if len(w) < n || w[:n] != f.name {
			continue
		}
		if len(w) > n && digits(w[n:]) || len(w) == n && s.Pos+n < len(s.Line) && s.Line[s.Pos+n] == '[' {
			r, ok = numbered(s, f.code, f.count, n)
			return r, true, ok
		}
	}
	if r, ok = special[w]; ok {
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
	lo, ok := s.Uint()
	hi := lo
	if ok && s.Byte(':') {
		hi, ok = s.Uint()
	}
	if !ok || !s.Byte(']') {
		return fail("malformed register range")
	}
	if hi < lo || int(hi) >= count {
		return fail("register range out of order or out of range")
	}
	return reg{code + int(lo), int(hi-lo) + 1}, true
}

// implicitCells are the cells that instructions touch without naming them, by the words of a row.
var implicitCells = map[string]isa.Implicit{
	"exec": {Cell: CellExec, N: 1}, "scc": {Cell: CellSCC, N: 1}, "vcc": {Cell: CellVCC, N: 2}, "m0": {Cell: CellM0, N: 1},
	"mode": {Cell: CellMode, N: 1}, "flat_scratch_hi": {Cell: SGPR(codeFlatScratch + 1), N: 1}, "aperture": {Cell: CellPrivateBase, N: 1},
}

// implicit reads words such as r:exec, w:scc and rw:vcc; other words are left out.
func implicit(words ...string) (list []isa.Implicit) {
	for _, w := range words {
		role, name, ok := strings.Cut(w, ":")
		im, known := implicitCells[name]
		if !ok || !known {
			continue
		}
		im.Name = name
		im.Role = map[string]isa.Role{"r": isa.Use, "w": isa.Define, "rw": isa.UseDef}[role]
		list = append(list, im)
	}
	return list
}
