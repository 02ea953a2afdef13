package tesla

import "github.com/heddle-gpu/heddle/isa"

// fillFields adds to the layouts the fields that operands share: which of them are memory, and how that is addressed.
func fillFields() {
	short.Fields = []isa.Field{
		isa.Bits("dst", 2, 7, lowRegister),
		isa.Bits("src1", 9, 14, lowRegister),
		isa.Bits("src2", 16, 21, lowRegister),
		isa.Bits("sel", selAt, selAt, hidden),
		isa.Bits("mem", shortMemAt, shortMemAt, hidden),
		isa.Bits("inc", 25, 25, hidden),
		isa.Bits("addr", 26, 27, hidden),
	}
	long.Fields = []isa.Field{
		isa.Bits("flow", 32, 33, flow),
		isa.Bits("guard", 39, 45, guard),
		{Name: "dst", At: dstBits, Kind: anyResult},
		isa.Bits("src1", 9, 15, register),
		isa.Bits("src2", 16, 22, register),
		isa.Bits("src3", 46, 52, register),
		isa.Bits("sel", selAt, selAt+1, hidden),
		isa.Bits("mem", memAt, memAt, hidden),
		isa.Bits("inc", 25, 25, hidden),
		{Name: "addr", At: addrBits, Kind: hidden},
		isa.Bits("bank", 54, 57, hidden),
		isa.Bits("cdst", 36, 38, flagsResult),
	}
	imm.Fields = []isa.Field{
		isa.Bits("dst", 2, 7, lowRegister),
		isa.Bits("src1", 9, 14, lowRegister),
		isa.Bits("mem", shortMemAt, shortMemAt, hidden),
		isa.Bits("inc", 25, 25, hidden),
		isa.Bits("addr", 26, 27, hidden),
		{Name: "imm", At: immBits, Kind: immediate},
	}
	control.Fields = []isa.Field{
		isa.Bits("guard", 39, 45, guard),
		isa.Bits("inc", 25, 25, hidden),
		{Name: "addr", At: addrBits, Kind: hidden},
		isa.Bits("bank", 54, 57, hidden),
		{Name: "target", At: targetBits, Kind: target},
	}
}
