package gcn

import (
	"slices"
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// The 16-bit constants of SOPK and SOPP. docs/reference/gcn.md 4 and 5.

// hwreg is a field of a hardware register: hwreg(HW_REG_MODE, offset, size); offset 0 and size 32 are omitted.
var hwreg = &isa.Kind{Name: "a hardware register",
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		id, off, size := hwField(v)
		dst = append(dst, "hwreg("...)
		if n := hwRegNames[id]; n != "" {
			dst = append(dst, n...)
		} else {
			dst = strconv.AppendInt(dst, int64(id), 10)
		}
		if off != 0 || size != 32 {
			dst = strconv.AppendUint(append(dst, ", "...), uint64(off), 10)
			dst = strconv.AppendUint(append(dst, ", "...), uint64(size), 10)
		}
		return append(dst, ')')
	},
	Parse: parseHWReg, Samples: []uint64{0xf801, 1, 0x3a, 0xffff, 0},
	Cells: func(dst []isa.Span, in *isa.Inst, a *isa.Arg, v uint64) []isa.Span {
		id, _, _ := hwField(v)
		dst = append(dst, isa.Span{Cell: ir.Cell{File: FileHW, Index: uint16(id)}, N: 1})
		if id == hwStatus && a.RoleIn(in) == isa.Use { // which shows them
			dst = append(dst, isa.Span{Cell: CellSCC, N: 1}, isa.Span{Cell: CellExec, N: 1}, isa.Span{Cell: CellVCC, N: 2})
		}
		return dst
	}}

// hwRegRole returns the role of a hardware register in an instruction that writes it.
func hwRegRole(in *isa.Inst) isa.Role {
	if id, _, _ := hwField(in.Get(nameSimm16)); !hwWritable(id) {
		return isa.NoRole
	}
	return isa.UseDef
}

func parseHWReg(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	if s.Byte('{') {
		return hwFields(s)
	}
	if !acceptMod(s, "hwreg(") {
		return parseUimm16(s, in, a)
	}
	s.Space()
	id, ok := namedOrNumber(s, hwRegNames[:], 63)
	if !ok {
		return 0, s.Expect("a hardware register")
	}
	off, size := int64(0), int64(32)
	s.Space()
	if s.Byte(',') {
		if off, ok = numberIn(s, 0, 31); !ok {
			return 0, false
		}
		s.Space()
		if !s.Byte(',') {
			return 0, s.Expect(`","`)
		}
		if size, ok = numberIn(s, 1, 32); !ok {
			return 0, false
		}
		s.Space()
	}
	if !s.Byte(')') {
		return 0, s.Expect(`")"`)
	}
	return id | uint64(off)<<6 | uint64(size-1)<<11, true
}

// hwFieldNames are the parts of a hardware register by name: where they are, the least value, and the default.
var hwFieldNames = []struct {
	name       string
	at         bits.Range
	least, def int64
}{{"id", bits.Span(0, 5), 0, 0}, {"offset", bits.Span(6, 10), 0, 0}, {"size", bits.Span(11, 15), 1, 32}}

// hwFields reads what follows {: parts by name, in any order, and }.
func hwFields(s *isa.Scan) (uint64, bool) {
	var v, seen uint64
	for _, f := range hwFieldNames {
		v |= uint64(f.def-f.least) << f.at.Lo
	}
	for s.Space(); !s.Byte('}'); s.Space() {
		if seen != 0 && !s.Byte(',') {
			return 0, s.Expect(`"," or "}"`)
		}
		s.Space()
		i := 0
		for i < len(hwFieldNames) && (seen>>i&1 != 0 || !s.Accept(hwFieldNames[i].name)) {
			i++
		}
		if i == len(hwFieldNames) {
			return 0, s.Expect("id, offset or size, each once,")
		}
		f := &hwFieldNames[i]
		if s.Space(); !s.Byte(':') {
			return 0, s.Expect(`":"`)
		}
		x, ok := numberIn(s, f.least, f.least+int64(bits.Ones(f.at.Len())))
		if !ok {
			return 0, false
		}
		seen |= 1 << i
		v = v&^(bits.Ones(f.at.Len())<<f.at.Lo) | uint64(x-f.least)<<f.at.Lo
	}
	return v, true
}

// namedOrNumber reads one of the names, or a number up to limit.
func namedOrNumber(s *isa.Scan, names []string, limit uint64) (uint64, bool) {
	for i, n := range names {
		if n != "" && s.Accept(n) {
			return uint64(i), true
		}
	}
	v, ok := s.Uint()
	return v, ok && v <= limit
}

func numberIn(s *isa.Scan, lo, hi int64) (int64, bool) {
	s.Space()
	at := s.Pos
	v, ok := s.Expr()
	if ok && (v < lo || v > hi) {
		return 0, s.Failf(at, isa.ErrRange, "%d is not between %d and %d", v, lo, hi)
	}
	return v, ok
}

const waitcntNone = 0x0f7f // no counter is waited for

// waitcnt prints the counters that are waited for, all of them if none is. The bits between them print nothing.
var waitcnt = &isa.Kind{Name: "counters",
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		n := 0
		for _, c := range counters {
			x := in.Word.Get(c.at)
			if x == bits.Ones(c.at.Len()) && v&waitcntNone != waitcntNone {
				continue
			}
			if n++; n > 1 {
				dst = append(dst, ' ')
			}
			dst = append(append(dst, c.name...), '(')
			dst = append(strconv.AppendUint(dst, x, 10), ')')
		}
		return dst
	},
	Canon: func(v uint64) uint64 { return v & waitcntNone },
	Parse: parseWaitcnt, Samples: []uint64{waitcntNone, 0, 0x0f70, 0x0070, 0x0f0f}}

func parseWaitcnt(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	v, found := uint64(waitcntNone), false
	for {
		s.Space()
		more := found && (s.Byte('&') || s.Byte(','))
		s.Space()
		i := 0
		for i < len(counters) && !acceptMod(s, counters[i].name) {
			i++
		}
		if i == len(counters) {
			if more {
				return 0, s.Expect("vmcnt, expcnt or lgkmcnt")
			}
			break
		}
		sat := acceptMod(s, "_sat")
		limit := int64(bits.Ones(counters[i].at.Len()))
		if !s.Byte('(') {
			return 0, s.Expect(`"("`)
		}
		value := s.Pos
		x, ok := s.Expr()
		if !ok {
			return 0, false
		}
		c := &counters[i]
		whole := x == laterMost && len(c.later) > 0 && !sat
		if x < 0 || x > limit && !sat && !whole {
			return 0, s.Failf(value, isa.ErrRange, "%s counts to %d", counters[i].name, limit)
		}
		if !s.Byte(')') {
			return 0, s.Expect(`")"`)
		}
		w := bits.Word{Lo: v}.AndNot(c.later.Mask()).Put(c.at, uint64(min(x, limit)))
		if whole {
			w = w.Or(c.later.Mask())
		}
		v = w.Lo
		found = true
	}
	if !found {
		return parseImm16(s, in, a)
	}
	return v, true
}

// Messages of s_sendmsg: id 3:0, operation 6:4, stream 9:8.
var (
	msgNames = []string{1: "MSG_INTERRUPT", 2: "MSG_GS", 3: "MSG_GS_DONE", 4: "MSG_SAVEWAVE", 15: "MSG_SYSMSG"}
	gsOps    = []string{"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"}
	sysOps   = []string{1: "SYSMSG_OP_ECC_ERR_INTERRUPT", 2: "SYSMSG_OP_REG_RD", 3: "SYSMSG_OP_HOST_TRAP_ACK", 4: "SYSMSG_OP_TTRACE_PC"}
)

// msgOps returns the operations of a message; nil: none.
func msgOps(id uint64) []string {
	switch id {
	case 2, 3:
		return gsOps
	case 15:
		return sysOps
	}
	return nil
}

// A msg is the parts of a message constant; other bits have no effect.
type msg struct{ id, op, stream uint64 }

func msgOf(v uint64) msg { return msg{v & 15, v >> 4 & 7, v >> 8 & 3} }

func (m msg) value() uint64 { return m.id | m.op<<4 | m.stream<<8 }

// known reports whether the message has a name, and its operation and stream are valid for it.
func (m msg) known() bool {
	ops := msgOps(m.id)
	switch {
	case int(m.id) >= len(msgNames) || msgNames[m.id] == "":
		return false
	case ops == nil:
		return m.op == 0 && m.stream == 0
	case int(m.op) >= len(ops) || ops[m.op] == "" || m.id == 2 && m.op == 0:
		return false
	}
	return m.stream == 0 || m.streamed()
}

// streamed reports whether the message names a vertex stream: those of the geometry stage that emit or cut.
func (m msg) streamed() bool { return (m.id == 2 || m.id == 3) && m.op != 0 }

// message prints sendmsg(NAME, OP, STREAM), sendmsg(1, 2, 3) for an unknown one, or the number if other bits are set.
var message = &isa.Kind{Name: "a message", Text: messageText, Parse: parseMessage,
	Canon: func(v uint64) uint64 {
		if m := msgOf(v); m.known() {
			return m.value()
		}
		return v
	},
	Samples: []uint64{0, 1, 2, 3, 4, 0x22, 0x132, 0x13, 0x2f, 0x1234, 0xffff}}

func messageText(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
	m := msgOf(v)
	if !m.known() && v != m.value() {
		return strconv.AppendUint(dst, v, 10)
	}
	dst = append(dst, "sendmsg("...)
	if !m.known() {
		dst = strconv.AppendUint(dst, m.id, 10)
		dst = strconv.AppendUint(append(dst, ", "...), m.op, 10)
		return append(strconv.AppendUint(append(dst, ", "...), m.stream, 10), ')')
	}
	dst = append(dst, msgNames[m.id]...)
	if ops := msgOps(m.id); ops != nil {
		dst = append(append(dst, ", "...), ops[m.op]...)
		if m.streamed() {
			dst = strconv.AppendUint(append(dst, ", "...), m.stream, 10)
		}
	}
	return append(dst, ')')
}

func parseMessage(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	if !acceptMod(s, "sendmsg(") {
		return parseImm16(s, in, a)
	}
	s.Space()
	at, named := s.Pos, s.Peek() >= 'A'
	id, ok := namedOrNumber(s, msgNames, 15)
	if !ok {
		return 0, s.Expect("a message")
	}
	m, parts := msg{id: id}, 1
	s.Space()
	if s.Byte(',') {
		s.Space()
		if m.op, ok = namedOrNumber(s, msgOps(id), 7); !ok {
			return 0, s.Expect("an operation of the message")
		}
		parts = 2
		s.Space()
		if s.Byte(',') {
			n, ok := numberIn(s, 0, 3)
			if !ok {
				return 0, false
			}
			m.stream, parts = uint64(n), 3
			s.Space()
		}
	}
	if !s.Byte(')') {
		return 0, s.Expect(`")"`)
	}
	if why := m.wrong(parts); named && why != "" {
		return 0, s.Fail(at, isa.ErrOperand, msgNames[id]+" "+why)
	}
	return m.value(), true
}

// wrong says what is wrong with a message written with so many parts; "": nothing.
func (m msg) wrong(parts int) string {
	switch ops := msgOps(m.id); {
	case ops == nil && parts > 1:
		return "takes no operation"
	case ops != nil && parts == 1:
		return "needs an operation"
	case !m.known():
		return "has no such operation or stream"
	case parts == 3 && !m.streamed():
		return "takes no stream with this operation"
	}
	return ""
}

// gprIdxNames are the operands that indexed VGPR access can apply to, by bit.
var gprIdxNames = []string{"SRC0", "SRC1", "SRC2", "DST"}

// gprIdx prints gpr_idx(SRC0,DST), or the number if other bits are set.
var gprIdx = &isa.Kind{Name: "gpr_idx(...)",
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if v > 15 {
			return isa.AppendHex(dst, v)
		}
		dst = append(dst, "gpr_idx("...)
		n := 0
		for i, w := range gprIdxNames {
			if v>>i&1 != 0 {
				if n++; n > 1 {
					dst = append(dst, ',')
				}
				dst = append(dst, w...)
			}
		}
		return append(dst, ')')
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (v uint64, ok bool) {
		if !acceptMod(s, "gpr_idx(") {
			return parseImm16(s, in, a)
		}
		for {
			s.Space()
			if s.Byte(')') {
				return v, true
			}
			if v != 0 && !s.Byte(',') {
				return 0, s.Expect(`"," or ")"`)
			}
			s.Space()
			i := slices.IndexFunc(gprIdxNames, func(n string) bool { return s.Accept(n) })
			if i < 0 || v>>i&1 != 0 {
				return 0, s.Expect("SRC0, SRC1, SRC2 or DST, each once,")
			}
			v |= 1 << i
		}
	}, Samples: []uint64{0, 1, 4, 9, 15, 16}}

// branchTarget is the constant of a branch: printed as a label if one is known, else as it is encoded. A label in the
// source is an address, a number is the constant itself.
var branchTarget = &isa.Kind{Name: "a branch target",
	Text: func(p isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if p.Label != nil {
			if name, ok := p.Label(target(in)); ok {
				return append(dst, name...)
			}
		}
		return strconv.AppendUint(dst, v, 10)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, _ *isa.Arg) (uint64, bool) {
		at := s.Pos
		used := s.UsedSymbol
		s.UsedSymbol = false
		v, ok := s.Expr()
		label := s.UsedSymbol
		s.UsedSymbol = used || label
		if !ok {
			return 0, false
		}
		if !label {
			return imm16(s, at, v)
		}
		d := v - int64(s.Addr) - 4
		if s.Unresolved {
			d = 0
		}
		if d&3 != 0 {
			return 0, s.Fail(at, isa.ErrRange, "the branch target is not a multiple of 4 away")
		}
		if d/4 < -0x8000 || d/4 > 0x7fff {
			return 0, s.Fail(at, isa.ErrRange, "the branch target is farther than 32768 dwords")
		}
		return uint64(d/4) & 0xffff, true
	},
	Samples: []uint64{0, 1, 0x7fff, 0x8000, 0xffff}}

// imm16 checks a 16-bit constant that may be written signed.
func imm16(s *isa.Scan, at int, v int64) (uint64, bool) {
	if v < -0x8000 || v > 0xffff {
		return 0, s.Fail(at, isa.ErrRange, "the constant does not fit 16 bits")
	}
	return uint64(v) & 0xffff, true
}

func parseImm16(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	at := s.Pos
	v, ok := s.Expr()
	if !ok {
		return 0, false
	}
	return imm16(s, at, v)
}

// parseUimm16 reads a 16-bit constant without sign.
func parseUimm16(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	at := s.Pos
	v, ok := s.Expr()
	if ok && (v < 0 || v > 0xffff) {
		return 0, s.Fail(at, isa.ErrRange, "the constant is not between 0 and 0xffff")
	}
	return uint64(v), ok
}

// hex16 is a 16-bit constant in hexadecimal.
var hex16 = &isa.Kind{Name: "a 16-bit constant",
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if v < 10 {
			return append(dst, '0'+byte(v))
		}
		return isa.AppendHex(dst, v)
	},
	Parse: parseImm16, Samples: []uint64{0, 1, 9, 10, 0xffff}}

// hexAlways is hex16 with the prefix also on small numbers.
var hexAlways = &isa.Kind{Name: "a 16-bit constant", Text: hexText, Parse: parseImm16, Samples: []uint64{0, 1, 0x7fff, 0x8000, 0xffff}}

// unsignedHex is hexAlways of a constant that is read as unsigned.
var unsignedHex = &isa.Kind{Name: "a 16-bit constant", Text: hexText, Parse: parseUimm16, Samples: []uint64{0, 1, 0x7fff, 0x8000, 0xffff}}

func hexText(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
	return isa.AppendHex(dst, v)
}

// endCode is the constant of s_endpgm, which prints only when it is not 0.
var endCode = &isa.Kind{Name: "a 16-bit constant",
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		if v == 0 {
			return dst[:len(dst)-1] // without the blank before it
		}
		return strconv.AppendUint(dst, v, 10)
	},
	Parse: func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
		if s.End() {
			return 0, true
		}
		return parseImm16(s, in, a)
	}, Samples: []uint64{0, 1, 0xffff}}

// smemOffset is a constant byte offset, always printed.
var smemOffset = &isa.Kind{Name: "a byte offset", Samples: []uint64{0, 4, 0x7f, 0xff, 0xfffff},
	Text: func(_ isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return isa.AppendHex(dst, v)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		v, ok := s.Expr()
		return uint64(v), ok
	}}

// smrdLiteralKind is a constant offset of SMRD in a literal; one that fits the other form is marked by lit().
var smrdLiteralKind = &isa.Kind{Name: "an offset in dwords",
	Text: func(_ isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, _ uint64) []byte {
		if v := in.Literal(); v > 0xff {
			return isa.AppendHex(dst, v)
		}
		return append(isa.AppendHex(append(dst, "lit("...), in.Literal()), ')')
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		if s.Accept("lit") {
			return 0, forcedOffset(s)
		}
		at := s.Pos
		v, ok := s.Expr()
		if ok && (v < 0 || v > 1<<32-1) {
			return 0, s.Fail(at, isa.ErrRange, "the offset does not fit 32 bits")
		}
		return 0, ok && s.Literal(uint64(v))
	}}

// forcedOffset reads what follows lit: the offset in parentheses.
func forcedOffset(s *isa.Scan) bool {
	if !s.Byte('(') {
		return s.Expect(`"("`)
	}
	at := s.Pos
	v, ok := s.Expr()
	switch {
	case !ok || !s.Byte(')'):
		return s.Expect(`")"`)
	case v < 0 || v > 1<<32-1:
		return s.Fail(at, isa.ErrRange, "the offset does not fit 32 bits")
	}
	return s.Literal(uint64(v))
}

// probeImm is the constant of s_atc_probe; LLVM prints it as it does inline constants.
func (k *kinds) probeImm() *isa.Kind { return k.once("probe", newProbeImm) }

func newProbeImm() *isa.Kind {
	k := &isa.Kind{Name: "a constant of seven bits", Table: make([]string, 128), Parse: smemOffset.Parse}
	for v := range k.Table {
		k.Table[v] = strconv.Itoa(v)
		if v > 64 {
			k.Table[v] = "0x" + strconv.FormatInt(int64(v), 16)
		}
	}
	return k
}
