package teslarun

import (
	"testing"

	"github.com/heddle-gpu/heddle/isa/tesla"
)

// TestAgain: the command printed with a failure has the instruction and the state of the thread, or names the test.
func TestAgain(t *testing.T) {
	w := newWarp(t, tesla.GT215, tesla.VP)
	w.set(8, func(lane int) uint32 { return uint32(lane) << 28 })
	w.setFlags(1, func(lane int) uint8 { return uint8(lane) })
	w.st.Set(addr(2), 3, 0x40)
	const text = "(lg $c1) add b32 $r4 $r8 $r12"
	for _, c := range []struct{ text, want string }{
		{text, "heddle eval --isa tesla:gt215 --stage vp '" + text + "' r8=0x30000000 a2=0x40 c1.z=0x1 c1.s=0x1"},
		{"ld b32 $r4 l[$a2]", "go test ./internal/teslarun -run '^TestAgain$'"},
	} {
		if got := w.again(c.text, w.st, 3); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
