package x86

import "github.com/heddle-gpu/heddle/internal/jit/cpu"

// A family is a group of rows.
type family struct {
	name string
	rows []row
}

// families are all instructions.
func families() []family {
	var counted []row
	for i, n := range [...]string{"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"} {
		counted = append(counted, arithmetic(n, i)...)
	}
	for i, n := range [...]string{"rol", "ror", "rcl", "rcr", "shl", "shr", "", "sar"} {
		if n != "" {
			counted = append(counted, shift(n, i)...)
		}
	}
	for i, c := range conditions {
		counted = append(counted, condition(c, i)...)
	}
	return []family{
		{"general", append(counted, general...)},
		{"mask", maskOps},
		{"move", moves},
		{"float", floats},
		{"fma", multiplyAdds()},
		{"conversion", conversions},
		{"integer", integers},
		{"shift", shifts},
		{"permute", permutes},
		{"compare", compares},
		{"half", halves},
	}
}

func allRows() (rows []row) {
	for _, f := range families() {
		rows = append(rows, f.rows...)
	}
	return rows
}

// conditions are the names of Intel's table of conditions, one for each number.
var conditions = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

const hexDigits = "0123456789abcdef"

// arithmetic returns the rows of one of the eight operations that differ in three bits of their opcodes.
func arithmetic(name string, i int) []row {
	op := func(low int) string { return "np.1b " + hexDigits[i/2:i/2+1] + hexDigits[i%2*8+low:i%2*8+low+1] }
	ext := "/" + hexDigits[i:i+1]
	return []row{
		{name, op(1), "Ev Gv", "", 0, 0},
		{name, op(0), "Eb Gb", "", 0, 0},
		{name, op(3), "Gv Ev", "", 0, 0},
		{name, op(2), "Gb Eb", "", 0, 0},
		{name, "np.1b 83" + ext, "Ev Is", "", 0, 0},
		{name, op(5), "Av Iz", "", 0, 0},
		{name, "np.1b 81" + ext, "Ev Iz", "", 0, 0},
		{name, op(4), "Ab Ib", "", 0, 0},
		{name, "np.1b 80" + ext, "Eb Ib", "", 0, 0},
	}
}

func shift(name string, i int) []row {
	ext := "/" + hexDigits[i:i+1]
	return []row{
		{name, "np.1b d1" + ext, "Ev 1", "", 0, 0},
		{name, "np.1b d0" + ext, "Eb 1", "", 0, 0},
		{name, "np.1b c1" + ext, "Ev Ib", "", 0, 0},
		{name, "np.1b c0" + ext, "Eb Ib", "", 0, 0},
		{name, "np.1b d3" + ext, "Ev C", "", 0, 0},
		{name, "np.1b d2" + ext, "Eb C", "", 0, 0},
	}
}

func condition(cc string, i int) []row {
	d := hexDigits[i : i+1]
	return []row{
		{"j" + cc, "np.0f 8" + d, "T", "", 0, 0},
		{"set" + cc, "np.0f 9" + d, "Eb", "", 0, 0},
		{"cmov" + cc, "np.0f 4" + d, "Gv Ev", "", 0, 0},
	}
}

// general is the rest of the instructions on general registers. Source: Intel's manual, volume 2, by name.
var general = []row{
	{"jmp", "np.1b e9", "T", "", 0, 0},
	{"jmp", "np.1b ff/4", "Eq", "d64", 0, 0},
	{"ret", "np.1b c3", "", "", 0, 0},
	{"int3", "np.1b cc", "", "", 0, 0},
	{"ud2", "np.0f 0b", "", "", 0, 0},
	{"nop", "np.1b 90", "", "", 0, 0},
	{"cmc", "np.1b f5", "", "", 0, 0},
	{"clc", "np.1b f8", "", "", 0, 0},
	{"stc", "np.1b f9", "", "", 0, 0},

	{"mov", "np.1b 89", "Ev Gv", "", 0, 0},
	{"mov", "np.1b 88", "Eb Gb", "", 0, 0},
	{"mov", "np.1b 8b", "Gv Ev", "", 0, 0},
	{"mov", "np.1b 8a", "Gb Eb", "", 0, 0},
	{"mov", "np.1b b0+", "Zb Ib", "", 0, 0},
	{"mov", "np.1b b8+", "Zw Iw", "", 0, 0},
	{"mov", "np.1b b8+", "Zd Id", "", 0, 0},
	{"mov", "np.1b c7/0", "Ev Iz", "", 0, 0},
	{"mov", "np.1b c6/0", "Eb Ib", "", 0, 0},
	{"mov", "np.1b b8+", "Zq Iq", "", 0, 0},
	{"movzx", "np.0f b6", "Gv Eb", "", 0, 0},
	{"movzx", "np.0f b7", "Gy Ew", "", 0, 0},
	{"movsx", "np.0f be", "Gv Eb", "", 0, 0},
	{"movsx", "np.0f bf", "Gy Ew", "", 0, 0},
	{"movsxd", "np.1b 63", "Gq Ed", "", 0, 0},
	{"lea", "np.1b 8d", "Gv M0", "", 0, 0},
	{"prefetcht0", "np.0f 18/1", "M0", "", 0, 0},
	{"prefetchw", "np.0f 0d/1", "M0", "", 0, 0},
	{"bswap", "np.0f c8+", "Zd", "", 0, 0},
	{"bswap", "np.0f c8+", "Zq", "", 0, 0},

	{"test", "np.1b 85", "Ev Gv", "", 0, 0},
	{"test", "np.1b 84", "Eb Gb", "", 0, 0},
	{"test", "np.1b a9", "Av Iz", "", 0, 0},
	{"test", "np.1b a8", "Ab Ib", "", 0, 0},
	{"test", "np.1b f7/0", "Ev Iz", "", 0, 0},
	{"test", "np.1b f6/0", "Eb Ib", "", 0, 0},
	{"not", "np.1b f7/2", "Ev", "", 0, 0},
	{"not", "np.1b f6/2", "Eb", "", 0, 0},
	{"neg", "np.1b f7/3", "Ev", "", 0, 0},
	{"neg", "np.1b f6/3", "Eb", "", 0, 0},
	{"inc", "np.1b ff/0", "Ev", "", 0, 0},
	{"inc", "np.1b fe/0", "Eb", "", 0, 0},
	{"dec", "np.1b ff/1", "Ev", "", 0, 0},
	{"dec", "np.1b fe/1", "Eb", "", 0, 0},
	{"mul", "np.1b f7/4", "Ev", "", 0, 0},
	{"div", "np.1b f7/6", "Ev", "", 0, 0},
	{"idiv", "np.1b f7/7", "Ev", "", 0, 0},
	{"imul", "np.0f af", "Gv Ev", "", 0, 0},
	{"imul", "np.1b 6b", "Gv Ev Is", "", 0, 0},
	{"imul", "np.1b 69", "Gv Ev Iz", "", 0, 0},
	{"imul", "np.1b f7/5", "Ev", "", 0, 0},
	{"shld", "np.0f a4", "Ev Gv Ib", "", 0, 0},
	{"shld", "np.0f a5", "Ev Gv C", "", 0, 0},
	{"shrd", "np.0f ac", "Ev Gv Ib", "", 0, 0},
	{"shrd", "np.0f ad", "Ev Gv C", "", 0, 0},
	{"bt", "np.0f a3", "Ev Gv", "", 0, 0},
	{"bt", "np.0f ba/4", "Ev Ib", "", 0, 0},
	{"bts", "np.0f ab", "Ev Gv", "", 0, 0},
	{"bts", "np.0f ba/5", "Ev Ib", "", 0, 0},
	{"btr", "np.0f b3", "Ev Gv", "", 0, 0},
	{"btr", "np.0f ba/6", "Ev Ib", "", 0, 0},
	{"btc", "np.0f bb", "Ev Gv", "", 0, 0},
	{"btc", "np.0f ba/7", "Ev Ib", "", 0, 0},
	{"bsf", "np.0f bc", "Gv Ev", "", 0, 0},
	{"bsr", "np.0f bd", "Gv Ev", "", 0, 0},
	{"tzcnt", "f3.0f bc", "Gv Ev", "", 0, 0},
	{"lzcnt", "f3.0f bd", "Gv Ev", "", 0, 0},
	{"popcnt", "f3.0f b8", "Gv Ev", "", 0, 0},

	{"andn", "np.0f38.wy f2", "Gy By Ey", "", cpu.BMI1, 0},
	{"bextr", "np.0f38.wy f7", "Gy Ey By", "", cpu.BMI1, 0},
	{"blsr", "np.0f38.wy f3/1", "By Ey", "", cpu.BMI1, 0},
	{"blsmsk", "np.0f38.wy f3/2", "By Ey", "", cpu.BMI1, 0},
	{"blsi", "np.0f38.wy f3/3", "By Ey", "", cpu.BMI1, 0},
	{"bzhi", "np.0f38.wy f5", "Gy Ey By", "", cpu.BMI2, 0},
	{"mulx", "f2.0f38.wy f6", "Gy By Ey", "", cpu.BMI2, 0},
	{"pdep", "f2.0f38.wy f5", "Gy By Ey", "", cpu.BMI2, 0},
	{"pext", "f3.0f38.wy f5", "Gy By Ey", "", cpu.BMI2, 0},
	{"rorx", "f2.0f3a.wy f0", "Gy Ey Ib", "", cpu.BMI2, 0},
	{"sarx", "f3.0f38.wy f7", "Gy Ey By", "", cpu.BMI2, 0},
	{"shlx", "66.0f38.wy f7", "Gy Ey By", "", cpu.BMI2, 0},
	{"shrx", "f2.0f38.wy f7", "Gy Ey By", "", cpu.BMI2, 0},

	{"lock", "np.1b f0", "", "", 0, 0}, // makes the next instruction atomic
	{"xadd", "np.0f c1", "Ev Gv", "", 0, 0},
	{"xadd", "np.0f c0", "Eb Gb", "", 0, 0},
	{"cmpxchg", "np.0f b1", "Ev Gv", "", 0, 0},
	{"cmpxchg", "np.0f b0", "Eb Gb", "", 0, 0},
}
