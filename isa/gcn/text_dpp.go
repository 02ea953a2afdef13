package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// The modifiers of DPP forms.

// DPP_CTRL ranges. docs/reference/gcn.md 7.7.
var dppRanges = []struct {
	code, n int // first code, first number of the text
	count   int
	name    string
}{
	{0x101, 1, 15, "row_shl:"}, {0x111, 1, 15, "row_shr:"}, {0x121, 1, 15, "row_ror:"},
	{0x130, 1, 1, "wave_shl:"}, {0x134, 1, 1, "wave_rol:"}, {0x138, 1, 1, "wave_shr:"}, {0x13c, 1, 1, "wave_ror:"},
	{0x140, -1, 1, "row_mirror"}, {0x141, -1, 1, "row_half_mirror"}, {0x142, 15, 1, "row_bcast:"}, {0x143, 31, 1, "row_bcast:"},
}

// dppCtrl is DPP_CTRL.
func (k *kinds) dppCtrl() *isa.Kind { return k.once("dpp_ctrl", newDPPCtrl) }

func newDPPCtrl() *isa.Kind {
	k := &isa.Kind{Name: "a DPP control", Table: texts(512, appendDPPCtrl),
		Samples: []uint64{0, 0x1b, 0xff, 0x101, 0x11f, 0x12f, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143}}
	k.Reserved, k.Parse = absent(k.Table), parseDPPCtrl
	return k
}

func appendDPPCtrl(dst []byte, v int) []byte {
	if v < 256 {
		return append(append(dst, " quad_perm:["...), '0'+byte(v&3), ',', '0'+byte(v>>2&3), ',', '0'+byte(v>>4&3), ',', '0'+byte(v>>6), ']')
	}
	for _, r := range dppRanges {
		i := v - r.code
		if i < 0 || i >= r.count {
			continue
		}
		dst = append(append(dst, ' '), r.name...)
		if r.n >= 0 {
			dst = strconv.AppendInt(dst, int64(r.n+i), 10)
		}
		break
	}
	return dst
}

func parseDPPCtrl(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if acceptMod(s, "quad_perm:[") {
		var v uint64
		for i := range 4 {
			s.Space()
			if i > 0 && !s.Byte(',') {
				return 0, s.Expect(`","`)
			}
			s.Space()
			at := s.Pos
			n, ok := s.Expr()
			if ok && (n < 0 || n > 3) {
				s.Pos, ok = at, s.Fail(at, isa.ErrRange, "a lane of the quad is 0 to 3")
			}
			if !ok {
				return 0, false
			}
			v |= uint64(n) << (2 * i)
		}
		s.Space()
		if !s.Byte(']') {
			return 0, s.Expect(`"]"`)
		}
		return v, true
	}
	for i, r := range dppRanges {
		if r.n < 0 {
			if s.Accept(r.name) {
				return uint64(r.code), true
			}
			continue
		}
		if !acceptMod(s, r.name) {
			continue
		}
		at := s.Pos
		n, ok := s.Expr()
		for _, r := range dppRanges[i:] {
			if d := n - int64(r.n); ok && r.name == dppRanges[i].name && d >= 0 && d < int64(r.count) {
				return uint64(int64(r.code) + d), true
			}
		}
		return 0, ok && s.Fail(at, isa.ErrRange, "the number does not go with "+r.name)
	}
	return 0, false
}

// boundCtrl prints as 1 when the bit is set; LLVM reads 0 for the same, its older spelling.
var boundCtrl = &isa.Kind{Name: "bound_ctrl", Table: []string{"", " bound_ctrl:1"},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if !acceptMod(s, "bound_ctrl:") {
			return 0, false
		}
		at := s.Pos
		n, ok := s.Expr()
		if ok && n != 0 && n != 1 {
			return 0, s.Fail(at, isa.ErrRange, "bound_ctrl is 0 or 1")
		}
		return 1, ok
	}}

// laneMask is a four-bit mask of rows or banks.
func (k *kinds) laneMask(name string) *isa.Kind {
	return k.once(name, func() *isa.Kind { return newLaneMask(name) })
}

func newLaneMask(name string) *isa.Kind {
	k := &isa.Kind{Name: name, Table: make([]string, 16)}
	for v := range k.Table {
		k.Table[v] = " " + name + ":0x" + strconv.FormatInt(int64(v), 16)
	}
	k.Parse = func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if !acceptMod(s, name+":") {
			return 0, false
		}
		return upTo(s, 15)
	}
	return k
}
