package rogue

import "github.com/heddle-gpu/heddle/isa"

// What is public of an encoding that is not wholly public.
const (
	onlyOpcode = "opcode only"
	noEncoding = "none"
)

// entries are the instructions of the reference, in its order. docs/reference/rogue.md 5.
var entries = []isa.Entry{
	{Name: "FMAD"}, {Name: "FADD"}, {Name: "FMUL"}, {Name: "FRCP"}, {Name: "FRSQ"}, {Name: "FSQRT", Public: noEncoding}, {Name: "FLOG"}, {Name: "FEXP"},
	{Name: "GCMP"}, {Name: "GEXP"}, {Name: "F16SOP", Public: onlyOpcode}, {Name: "SOPMOV", Public: noEncoding},
	{Name: "F16SOP.MAD", Public: onlyOpcode}, {Name: "F16SOP.U8", Public: onlyOpcode}, {Name: "SOPMOV.U8", Public: noEncoding},
	{Name: "F16SOP.U8MAD", Public: onlyOpcode}, {Name: "SOPU8MADMOV", Public: noEncoding}, {Name: "MBYP"}, {Name: "FDSX"}, {Name: "FDSY"},
	{Name: "FDSXF"}, {Name: "FDSYF"}, {Name: "CONVERTTOF64", Public: noEncoding}, {Name: "CONVERTFROMF64", Public: noEncoding}, {Name: "FSINC"},
	{Name: "FARCTANC"}, {Name: "FRED"}, {Name: "GTA", Public: noEncoding}, {Name: "MOV"}, {Name: "MOVC"}, {Name: "PCK"}, {Name: "UNPCK"},
	{Name: "UADD8"}, {Name: "UMUL8"}, {Name: "UMAD8"}, {Name: "IADD8"}, {Name: "IMUL8"}, {Name: "IMAD8"}, {Name: "UADD16"}, {Name: "UMUL16"},
	{Name: "UMAD16"}, {Name: "IADD16"}, {Name: "IMUL16"}, {Name: "IMAD16"}, {Name: "ADD64"}, {Name: "UADD6432"}, {Name: "SADD6432"}, {Name: "UMADD32"},
	{Name: "SMADD32"}, {Name: "UMADD64"}, {Name: "SMADD64"}, {Name: "TSTZ"}, {Name: "TSTGZ"}, {Name: "TSTGEZ"}, {Name: "TSTC"}, {Name: "TSTE"},
	{Name: "TSTG"}, {Name: "TSTGE"}, {Name: "TSTNE"}, {Name: "TSTL"}, {Name: "TSTLE"}, {Name: "TSTMIN", Public: noEncoding},
	{Name: "TSTMAX", Public: noEncoding}, {Name: "AND"}, {Name: "OR"}, {Name: "XOR"}, {Name: "NAND"}, {Name: "NOR"}, {Name: "XNOR"}, {Name: "SHFL"},
	{Name: "REV"}, {Name: "LSL"}, {Name: "CPS"}, {Name: "SHR"}, {Name: "ASR"}, {Name: "ROL"}, {Name: "TZ"}, {Name: "TNZ"}, {Name: "BYP"}, {Name: "MSK"},
	{Name: "CBS"}, {Name: "FTB"}, {Name: "FTB_SHI", Public: noEncoding}, {Name: "FTB_MSB", Public: noEncoding}, {Name: "UVSW"},
	{Name: "TESSW", Public: noEncoding}, {Name: "ATST"}, {Name: "DEPTHF"}, {Name: "FITR"}, {Name: "FITRP"}, {Name: "IDF"}, {Name: "LD"}, {Name: "ST"},
	{Name: "SMP"}, {Name: "ATOM"}, {Name: "BA"}, {Name: "BAL"}, {Name: "BR"}, {Name: "BRL"}, {Name: "BPRET", Public: noEncoding}, {Name: "LAPC"},
	{Name: "SAVL"}, {Name: "CNDST"}, {Name: "CNDEF"}, {Name: "CNDSM"}, {Name: "CNDLT"}, {Name: "CNDEND"}, {Name: "CNDSETL"}, {Name: "CNDLPC"},
	{Name: "WDF"}, {Name: "ITRSMP"}, {Name: "SBO"}, {Name: "DITR"}, {Name: "F64MUL", Public: noEncoding}, {Name: "F64ADD", Public: noEncoding},
	{Name: "F64MAD", Public: noEncoding}, {Name: "F64DIV", Public: noEncoding}, {Name: "F64RCP", Public: noEncoding},
	{Name: "F64SQRT", Public: noEncoding}, {Name: "F64RSQ", Public: noEncoding}, {Name: "F64BYP", Public: noEncoding},
}
