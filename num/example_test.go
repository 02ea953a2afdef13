package num_test

import (
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/num"
)

// 2^-14 is the least normal number of f16: half of it is a denormal, which a mode may flush when it is a result (ftz)
// or an operand (daz).
func ExampleFMA() {
	const zero, half, two = 0, 0x3800, 0x4000
	const normal, denormal = 0x0400, 0x0200 // 2^-14 and 2^-15
	for _, flags := range []num.Mode{0, num.FlushOut, num.FlushIn} {
		m := num.RNE.With(flags)
		fmt.Printf("%04x %04x {%v}\n", num.FMA(16, m, normal, half, zero), num.FMA(16, m, denormal, two, zero), m)
	}
	// Output:
	// 0200 0400 {rne}
	// 0000 0400 {rne ftz}
	// 0200 0000 {rne daz}
}

// One tenth, as f64 has it, lies between two numbers of f32.
func ExampleFCvt() {
	for _, text := range []string{"rne", "rup", "rdn", "rz", "up"} {
		m, err := num.ParseMode(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%v %#x\n", m, num.FCvt(64, 32, m, math.Float64bits(0.1)))
	}
	// Output:
	// rne 0x3dcccccd
	// rup 0x3dcccccd
	// rdn 0x3dcccccc
	// rz 0x3dcccccc
	// float mode "up": "up" is no rounding: want rne, rup, rdn or rz
}
