package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// SMEM: scalar memory, which runs once a wave whatever EXEC is. docs/reference/gcn.md 1 and 4.

// smemRows lists the instructions of SMEM; gfx6 and gfx7 have them as SMRD. Words of signatures: pair and quad are an
// address and a buffer resource in scalar registers, imm is a constant of seven bits.
var smemRows = []memRow{
	// gfx6 gfx7 gfx8 mnemonic signature meaning doc
	{0x00, 0x00, 0x00, "s_load_dword", "b32 = pair", smemLoad(1), "A dword from the address a + offset."},
	{0x01, 0x01, 0x01, "s_load_dwordx2", "b64 = pair", smemLoad(2), "2 dwords from the address a + offset."},
	{0x02, 0x02, 0x02, "s_load_dwordx4", "b128 = pair", smemLoad(4), "4 dwords from the address a + offset."},
	{0x03, 0x03, 0x03, "s_load_dwordx8", "b256 = pair", smemLoad(8), "8 dwords from the address a + offset."},
	{0x04, 0x04, 0x04, "s_load_dwordx16", "b512 = pair", smemLoad(16), "16 dwords from the address a + offset."},
	{0x08, 0x08, 0x08, "s_buffer_load_dword", "b32 = quad", smemBufLoad(1), "A dword from the buffer at offset; 0 outside."},
	{0x09, 0x09, 0x09, "s_buffer_load_dwordx2", "b64 = quad", smemBufLoad(2), "2 dwords from the buffer at offset; 0 outside."},
	{0x0a, 0x0a, 0x0a, "s_buffer_load_dwordx4", "b128 = quad", smemBufLoad(4), "4 dwords from the buffer at offset; 0 outside."},
	{0x0b, 0x0b, 0x0b, "s_buffer_load_dwordx8", "b256 = quad", smemBufLoad(8), "8 dwords from the buffer at offset; 0 outside."},
	{0x0c, 0x0c, 0x0c, "s_buffer_load_dwordx16", "b512 = quad", smemBufLoad(16), "16 dwords from the buffer at offset; 0 outside."},
	{____, ____, 0x10, "s_store_dword", "= b32 pair", smemStore(1), "A dword to the address a + offset."},
	{____, ____, 0x11, "s_store_dwordx2", "= b64 pair", smemStore(2), "2 dwords to the address a + offset."},
	{____, ____, 0x12, "s_store_dwordx4", "= b128 pair", smemStore(4), "4 dwords to the address a + offset."},
	{____, ____, 0x18, "s_buffer_store_dword", "= b32 quad", smemBufStore(1), "A dword to the buffer at offset; dropped outside."},
	{____, ____, 0x19, "s_buffer_store_dwordx2", "= b64 quad", smemBufStore(2), "2 dwords to the buffer at offset; dropped outside."},
	{____, ____, 0x1a, "s_buffer_store_dwordx4", "= b128 quad", smemBufStore(4), "4 dwords to the buffer at offset; dropped outside."},
	{0x1f, 0x1f, 0x20, "s_dcache_inv", "", eff(noEffect), "Invalidates the scalar cache; no effect here."},
	{____, ____, 0x21, "s_dcache_wb", "", eff(noEffect), "Writes the scalar cache back; no effect here."},
	{____, 0x1d, 0x22, "s_dcache_inv_vol", "", eff(noEffect), "Invalidates volatile lines of the scalar cache; no effect here."},
	{____, ____, 0x23, "s_dcache_wb_vol", "", eff(noEffect), "Writes volatile lines of the scalar cache back; no effect here."},
	{0x1e, 0x1e, 0x24, "s_memtime", "b64 = | opt=clock", eff(liftTime), "A 64-bit counter of the clock."},
	{____, ____, 0x25, "s_memrealtime", "b64 = | opt=clock", eff(liftTime), "A 64-bit counter of real time."},
	{____, ____, 0x26, "s_atc_probe", "= imm pair", eff(noEffect), "Asks for the translation of the address a + offset; no effect here."},
	{____, ____, 0x27, "s_atc_probe_buffer", "= imm quad", eff(noEffect), "Asks for the translation of a buffer address; no effect here."},
}

// smemVI is the layout of gfx8. Bit 17 chooses between a constant offset and one in a scalar register.
var smemVI = &isa.Encoding{Name: "SMEM", Bits: 64, Fixed: []isa.Fixed{isa.Must(26, 31, 0b110000)}, Opcode: bits.Ranges{bits.Span(18, 25)},
	Fields: []isa.Field{
		isa.Bits("sbase", 0, 5, nil), isa.Bits("sdata", 6, 12, nil), isa.Bits("glc", 16, 16, flag("glc")),
		isa.Bits("offset", 32, 51, smemOffset), isa.Bits("soffset", 32, 38, alignedSGPRs(1, 0)),
	}, Source: "docs/reference/gcn.md 1.1"}

// Registers of scalar memory by their number: data of any width, addresses divided by two.
var (
	smemData = map[int]*isa.Kind{1: alignedSGPRs(1, 0), 2: alignedSGPRs(2, 0), 4: alignedSGPRs(4, 0), 8: alignedSGPRs(8, 0), 16: alignedSGPRs(16, 0)}
	smemBase = map[string]isa.Arg{
		"pair": {Name: "sbase", Kind: alignedSGPRs(2, 1), Role: isa.Use, Width: 64},
		"quad": {Name: "sbase", Kind: alignedSGPRs(4, 1), Role: isa.Use, Width: 128},
	}
)

// smemOffset is a constant byte offset, always printed.
var smemOffset = &isa.Kind{Name: "a byte offset", Samples: []uint64{0, 4, 0x7f, 0xff, 0xfffff},
	Text: func(_ *isa.Printer, dst []byte, _ *isa.Inst, _ *isa.Arg, v uint64) []byte {
		return isa.AppendHex(dst, v)
	},
	Parse: func(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
		v, ok := s.Expr()
		return uint64(v), ok
	}}

// probeImm is the constant of s_atc_probe; LLVM prints it as it does inline constants.
var probeImm = func() *isa.Kind {
	k := &isa.Kind{Name: "a constant of seven bits", Table: make([]string, 128), Parse: smemOffset.Parse}
	for v := range k.Table {
		k.Table[v] = strconv.Itoa(v)
		if v > 64 {
			k.Table[v] = "0x" + strconv.FormatInt(int64(v), 16)
		}
	}
	return k
}()

// smemForms are the forms of a row: with a constant offset and with one in a register, or one without operands.
func smemForms(r *memRow) []isa.Def {
	dst, src, _ := r.parts()
	var args []isa.Arg
	glc := false
	for _, t := range dst {
		args = append(args, isa.Arg{Name: "sdata", Kind: smemData[regs(t)], Role: isa.Define, Width: 32 * regs(t)})
		glc = true
	}
	for _, t := range src {
		switch t {
		case "pair", "quad":
			base := smemBase[t]
			if src[0] == "imm" {
				base.Role = isa.NoRole // nothing follows from it
			}
			args = append(args, base)
		case "imm":
			args = append(args, isa.Arg{Name: "sdata", Kind: probeImm})
		default:
			args = append(args, isa.Arg{Name: "sdata", Kind: smemData[regs(t)], Role: isa.Use, Width: 32 * regs(t)})
			glc = true
		}
	}
	if len(src) == 0 {
		return []isa.Def{{Enc: smemVI, Args: args}}
	}
	form := func(rank int, offset isa.Arg, imm uint64) isa.Def {
		as := append(append([]isa.Arg{}, args...), offset)
		if glc {
			as = append(as, modArgs("glc")...)
		}
		return isa.Def{Enc: smemVI, Args: as, Fix: []isa.Fixed{isa.Must(17, 17, imm)}, Rank: rank}
	}
	return []isa.Def{
		form(0, isa.Arg{Name: "offset"}, 1),
		form(1, isa.Arg{Name: "soffset", Role: args[len(args)-1].Role, Width: 32}, 0),
	}
}

// smemOffsetOf is the byte offset as i64, its low two bits dropped.
func smemOffsetOf(l *isa.Lift) V {
	if l.In.Has(nameSoffset) {
		return scalarWord(l, field(l, nameSoffset)).ZExt(ir.I64).And(l.I64(^uint64(3)))
	}
	return l.I64(l.In.Get(nameOffset) &^ 3)
}

// smemAddr is the address of s_load and s_store: the low two bits of base and offset count for nothing.
func smemAddr(l *isa.Lift) V {
	return scalar(l, 2*field(l, nameSbase), 2).And(l.I64(^uint64(3))).Add(smemOffsetOf(l))
}

// setScalars writes scalar registers from a code on; a pair may be EXEC.
func setScalars(l *isa.Lift, code int, vs []V) {
	if len(vs) > 2 && code+len(vs) > codeTTMP+numTTMP {
		l.Fail(ir.TrapReserved, l.In.Def.Name+": there is no register after ttmp11 in this generation")
	} else if len(vs) == 2 {
		setScalar(l, code, vs[0].Pack(vs[1], ir.I64))
	} else {
		for i, v := range vs {
			setScalar(l, code+i, v)
		}
	}
	issued(l, queueLGKM, SGPR(code), len(vs))
}

// s_load_dword sdata, sbase, offset: n dwords.
func smemLoad(n int) eff {
	return func(l *isa.Lift) {
		m := ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: uint8(n)}
		setScalars(l, field(l, nameSdata), l.Load(volatile(l, m), ir.I32, smemAddr(l), V{}))
	}
}

// s_store_dword sdata, sbase, offset: n dwords.
func smemStore(n int) eff {
	return func(l *isa.Lift) {
		addr, data := smemAddr(l), smemDataWords(l, n)
		l.Store(ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: uint8(n)}, addr, data, V{})
		issued(l, queueLGKM, SGPR(field(l, nameSdata)), 0)
	}
}

func smemDataWords(l *isa.Lift, n int) []V {
	vs := make([]V, n)
	for i := range vs {
		vs[i] = scalarWord(l, field(l, nameSdata)+i)
	}
	return vs
}

// smemBuffer spreads the n dwords of a scalar buffer access over the first lanes, one each, since each is checked
// against the size of the buffer by itself: the address of each lane's dword, and the mask of dwords in range. The
// resource gives base, and num_records in bytes, or in units of stride if that is not 0. docs/reference/gcn.md 4.
func smemBuffer(l *isa.Lift, n int) (addr, m V) {
	v := resource(l, 2*field(l, nameSbase))
	stride := v.stride().ZExt(ir.I64)
	records := v.w[2].ZExt(ir.I64)
	size := stride.Eq(l.I64(0)).Select(records, records.Mul(stride))
	lane := l.LaneID()
	off := smemOffsetOf(l).Add(lane.ZExt(ir.I64).Shl(l.I64(2)))
	addr = v.base().And(l.I64(^uint64(3))).Add(off).And(l.I64(addrMask48))
	return addr, lane.ULt(l.I32(uint32(n))).And(off.ULt(size))
}

// s_buffer_load_dword sdata, sbase, offset: n dwords, 0 where out of range.
func smemBufLoad(n int) eff {
	return func(l *isa.Lift) {
		addr, m := smemBuffer(l, n)
		x := l.Load(volatile(l, dword1.load(ir.GlobalSpace)), ir.I32, addr, m)[0]
		vs := make([]V, n)
		for i := range vs {
			vs[i] = x.ReadLane(l.I32(uint32(i)))
		}
		setScalars(l, field(l, nameSdata), vs)
	}
}

// s_buffer_store_dword sdata, sbase, offset: n dwords, dropped where out of range.
func smemBufStore(n int) eff {
	return func(l *isa.Lift) {
		addr, m := smemBuffer(l, n)
		data := smemDataWords(l, n)
		x, lane := data[0], l.LaneID()
		for i := 1; i < n; i++ {
			x = lane.Eq(l.I32(uint32(i))).Select(data[i], x)
		}
		l.Store(dword1.touch(ir.GlobalSpace), addr, []V{x}, m)
		issued(l, queueLGKM, SGPR(field(l, nameSdata)), 0)
	}
}

// s_memtime and s_memrealtime sdata: the counter of option clock.
func liftTime(l *isa.Lift) {
	sdata := field(l, nameSdata)
	setScalar(l, sdata, l.Clock())
	issued(l, queueLGKM, SGPR(sdata), 2)
}
