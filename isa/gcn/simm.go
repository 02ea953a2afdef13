package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/isa"
)

// immKinds are the kinds of the 16-bit constant by the word of the signature.
var immKinds = map[string]*isa.Kind{
	"simm": hexAlways, "uimm": hexAlways, "hex": hex16, "branch": branchTarget, "hwreg": hwreg,
	"waitcnt": waitcnt, "msg": message, "gpridx16": gprIdx, "endcode": endCode,
}

// hwRegNames are the hardware registers by id. docs/reference/gcn.md 4.
var hwRegNames = [64]string{1: "HW_REG_MODE", 2: "HW_REG_STATUS", 3: "HW_REG_TRAPSTS", 4: "HW_REG_HW_ID",
	5: "HW_REG_GPR_ALLOC", 6: "HW_REG_LDS_ALLOC", 7: "HW_REG_IB_STS"}

// hwreg is a field of a hardware register: hwreg(HW_REG_MODE, offset, size); offset 0 and size 32 are left out.
var hwreg = &isa.Kind{Name: "a hardware register",
	Text: func(_ *isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
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
	Parse: parseHWReg, Samples: []uint64{0xf801, 1, 0x3a, 0xffff, 0}}

func parseHWReg(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
	if !acceptMod(s, "hwreg(") {
		return parseImm16(s, in, a)
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

// counters of s_waitcnt: name, place and queue. docs/reference/gcn.md 5.
var counters = []struct {
	name  string
	at    bits.Range
	queue int
}{{"vmcnt", bits.Span(0, 3), queueVM}, {"expcnt", bits.Span(4, 6), queueEXP}, {"lgkmcnt", bits.Span(8, 11), queueLGKM}}

const waitcntNone = 0x0f7f // no counter is waited for

// waitcnt prints the counters that are waited for, all of them if none is. The bits between them print nothing.
var waitcnt = &isa.Kind{Name: "counters",
	Text: func(_ *isa.Printer, dst []byte, in *isa.Inst, _ *isa.Arg, v uint64) []byte {
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
		if found && (s.Byte('&') || s.Byte(',')) {
			s.Space()
		}
		at := s.Pos
		i := 0
		for i < len(counters) && !acceptMod(s, counters[i].name) {
			i++
		}
		if i == len(counters) {
			break
		}
		sat := acceptMod(s, "_sat")
		limit := int64(bits.Ones(counters[i].at.Len()))
		if !s.Byte('(') {
			return 0, s.Expect(`"("`)
		}
		x, ok := s.Expr()
		if !ok {
			return 0, false
		}
		if x < 0 || x > limit && !sat {
			return 0, s.Failf(at, isa.ErrRange, "%s counts to %d", counters[i].name, limit)
		}
		if !s.Byte(')') {
			return 0, s.Expect(`")"`)
		}
		c := counters[i].at
		v = v&^(bits.Ones(c.Len())<<c.Lo) | uint64(min(x, limit))<<c.Lo
		found = true
	}
	if !found {
		return parseImm16(s, in, a)
	}
	return v, true
}

// liftWaitcnt: s_waitcnt. Memory operations complete at once, so only the markers matter.
func liftWaitcnt(l *isa.Lift) {
	for _, c := range counters {
		if n := l.In.Word.Get(c.at); n != bits.Ones(c.at.Len()) {
			l.Wait(c.queue, int(n))
		}
	}
}

// Messages of s_sendmsg: id 3:0, operation 6:4, stream 9:8.
var (
	msgNames = []string{1: "MSG_INTERRUPT", 2: "MSG_GS", 3: "MSG_GS_DONE", 4: "MSG_SAVEWAVE", 15: "MSG_SYSMSG"}
	gsOps    = []string{"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"}
	sysOps   = []string{1: "SYSMSG_OP_ECC_ERR_INTERRUPT", 2: "SYSMSG_OP_REG_RD", 3: "SYSMSG_OP_HOST_TRAP_ACK", 4: "SYSMSG_OP_TTRACE_PC"}
)

// msgOps are the operations that a message takes; nil: none.
func msgOps(id uint64) []string {
	switch id {
	case 2, 3:
		return gsOps
	case 15:
		return sysOps
	}
	return nil
}

// A msg is the parts of a message constant; bits beyond them mean nothing.
type msg struct{ id, op, stream uint64 }

func msgOf(v uint64) msg { return msg{v & 15, v >> 4 & 7, v >> 8 & 3} }

func (m msg) value() uint64 { return m.id | m.op<<4 | m.stream<<8 }

// known reports whether the message has a name, and its operation and stream are ones it takes.
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

func messageText(_ *isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
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
	id, ok := namedOrNumber(s, msgNames, 15)
	if !ok {
		return 0, s.Expect("a message")
	}
	v := id
	s.Space()
	if s.Byte(',') {
		s.Space()
		op, ok := namedOrNumber(s, msgOps(id), 7)
		if !ok {
			return 0, s.Expect("an operation of the message")
		}
		v |= op << 4
		s.Space()
		if s.Byte(',') {
			n, ok := numberIn(s, 0, 3)
			if !ok {
				return 0, false
			}
			v |= uint64(n) << 8
			s.Space()
		}
	}
	if !s.Byte(')') {
		return 0, s.Expect(`")"`)
	}
	return v, true
}

// gprIdxNames are the operands that indexed VGPR access can apply to, by bit.
var gprIdxNames = []string{"SRC0", "SRC1", "SRC2", "DST"}

// gprIdx prints gpr_idx(SRC0,DST), or the number if other bits are set.
var gprIdx = &isa.Kind{Name: "gpr_idx(...)",
	Text: func(_ *isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
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
			i, ok := namedOrNumber(s, gprIdxNames, 0)
			if !ok {
				return 0, s.Expect("SRC0, SRC1, SRC2 or DST")
			}
			v |= 1 << i
		}
	}, Samples: []uint64{0, 1, 4, 9, 15, 16}}
