package x86

import (
	"fmt"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// multiplyAdds are the fused operations: three orders of operands, of which the first is the destination, 132 for
// a*c+b, 213 for b*a+c, 231 for b*c+a; their opcodes are 16 apart.
func multiplyAdds() (rows []row) {
	for _, op := range [...]struct {
		name   string
		opcode int
		scalar bool
	}{
		{"vfmaddsub", 0x96, false}, {"vfmsubadd", 0x97, false},
		{"vfmadd", 0x98, true}, {"vfmsub", 0x9a, true}, {"vfnmadd", 0x9c, true}, {"vfnmsub", 0x9e, true},
	} {
		for i, order := range [...]string{"132", "213", "231"} {
			c := op.opcode + 16*i
			vector, scalar := fmt.Sprintf(" %x", c), fmt.Sprintf(" %x", c+1)
			rows = append(rows,
				row{op.name + order + "ps", "66.0f38.w0" + vector, "Vx Hx Wx", "kz b4 er", cpu.FMA, f},
				row{op.name + order + "pd", "66.0f38.w1" + vector, "Vx Hx Wx", "kz b8 er", cpu.FMA, f})
			if op.scalar {
				rows = append(rows,
					row{op.name + order + "ss", "66.0f38.w0" + scalar, "Vo Ho Wo/4", "kz er", cpu.FMA, f},
					row{op.name + order + "sd", "66.0f38.w1" + scalar, "Vo Ho Wo/8", "kz er", cpu.FMA, f})
			}
		}
	}
	return rows
}
