package gcnrun

import (
	"testing"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// Fields of MODE. docs/reference/gcn.md 3.3.
const (
	keepIn, keepOut = 1, 2
	dx10Clamp, ieee = 1 << 8, 1 << 9
)

// modeOf returns MODE with the same rounding and denormals for f32 as for f64 and f16.
func modeOf(round, denorm uint32) uint32 { return round | round<<2 | denorm<<4 | denorm<<6 }

// A modeCase is an instruction on v2 and v3, or v[2:3] and v[4:5], in a mode, and its result in v1 or v[6:7]. All lanes
// are alike.
type modeCase struct {
	text string
	mode uint32
	a, b uint64
	want uint64
}

func (c *modeCase) run(t *testing.T) {
	t.Helper()
	m := newMemRun(t)
	m.st.Set(gcn.CellMode, 0, c.mode)
	m.v(1, all(0xabababab))
	m.v(2, all(uint32(c.a)))
	m.v(3, all(uint32(c.b)))
	m.run(c.text)
	m.wantV(1, all(uint32(c.want)))
	if t.Failed() {
		t.Fatalf("%s of %#x, %#x under MODE %#x", c.text, c.a, c.b, c.mode)
	}
}

// TestOmod: omod converts -0 to +0, then multiplies; it does nothing with IEEE or where denormal results are kept.
func TestOmod(t *testing.T) {
	const three, minus0, f16Three, f16Minus0 = 0x40400000, 0x80000000, 0x4200, 0x8000
	for round := uint32(0); round < 4; round++ {
		for name, want := range map[string][2]uint64{"mul:2": {0x40c00000, 0x4600}, "mul:4": {0x41400000, 0x4a00}, "div:2": {0x3fc00000, 0x3e00}} {
			f32, f16 := "v_add_f32_e64 v1, v2, v3 "+name, "v_add_f16_e64 v1, v2, v3 "+name
			for _, c := range []modeCase{
				{f32, modeOf(round, 0), three, minus0, want[0]},
				{f32, modeOf(round, keepIn), three, minus0, want[0]},
				{f32, modeOf(round, keepOut), three, minus0, three},
				{f32, modeOf(round, 0) | ieee, three, minus0, three},
				{f32, modeOf(round, 0), minus0, minus0, 0},
				{f32, modeOf(round, keepOut), minus0, minus0, minus0},
				{f32, modeOf(round, 0) | ieee, minus0, minus0, minus0},
				{f32, modeOf(round, 0) | keepOut<<6, three, minus0, want[0]}, // the bit is that of f32
				{f32, modeOf(round, keepIn), 0x80000001, minus0, 0},          // flushed before
				{f16, modeOf(round, 0), f16Three, f16Minus0, want[1]},
				{f16, modeOf(round, 0), f16Minus0, f16Minus0, 0},
				{f16, modeOf(round, 0) | keepOut<<4, f16Three, f16Minus0, want[1]},
				{f16, modeOf(round, 0) | keepOut<<6, f16Three, f16Minus0, f16Three},
			} {
				c.run(t)
			}
		}
		// 2^-126 / 2 is flushed and keeps its sign.
		c := modeCase{"v_add_f32_e64 v1, v2, v3 div:2", modeOf(round, 0), 0x80800000, minus0, minus0}
		c.run(t)
		for denorm, want := range map[uint32]uint32{0: 0, keepOut: minus0} { // f64
			m := newMemRun(t)
			m.st.Set(gcn.CellMode, 0, modeOf(round, denorm))
			m.v(2, all(0))
			m.v(3, all(minus0))
			m.run("v_add_f64 v[4:5], v[2:3], v[2:3] mul:2")
			m.wantV(4, all(0))
			m.wantV(5, all(want))
		}
	}
}

// TestClamp: clamp limits to 0 and 1, and keeps a denormal that MODE keeps in results, whatever its setting for
// sources.
func TestClamp(t *testing.T) {
	const one, tiny = 0x3f800000, 0x00080000 // 2^-130
	for _, c := range []modeCase{
		{"v_mul_f32_e64 v1, v2, v3 clamp", modeOf(0, keepOut), 0x0d800000, 0x30800000, tiny},
		{"v_mul_f32_e64 v1, v2, v3 clamp", modeOf(0, keepIn|keepOut), 0x0d800000, 0x30800000, tiny},
		{"v_mul_f32_e64 v1, v2, v3 clamp", modeOf(0, keepIn), 0x0d800000, 0x30800000, 0},
		{"v_mul_f32_e64 v1, v2, v3 clamp", modeOf(0, 0), 0x0d800000, 0x30800000, 0},
		{"v_mul_f32_e64 v1, v2, v3 clamp", modeOf(0, keepOut), 0x8d800000, 0x30800000, 0},
		{"v_cvt_f16_f32_e64 v1, v2 clamp", keepOut << 6, 0x35800000, 0, 0x0010}, // 2^-20
		{"v_cvt_f16_f32_e64 v1, v2 clamp", 3 << 4, 0x35800000, 0, 0},
		{"v_add_f32_e64 v1, v2, v3 clamp", modeOf(0, 0), one, one, one},
		{"v_add_f32_e64 v1, v2, v3 mul:2 clamp", modeOf(0, 0), 0x3e800000, 0, 0x3f000000},
		{"v_add_f32_e64 v1, v2, v3 mul:4 clamp", modeOf(0, 0), 0x3f000000, 0, one}, // scaled first
		{"v_add_f32_e64 v1, v2, v3 clamp", modeOf(0, 0), 0xbf800000, 0, 0},
		{"v_add_f32_e64 v1, v2, v3 clamp", modeOf(0, 0) | dx10Clamp, 0x7fc00000, 0, 0},
		{"v_add_f32_e64 v1, v2, v3 clamp", modeOf(0, 0), 0x7fc00000, 0, 0x7fc00000},
	} {
		c.run(t)
	}
}

// TestEndExec: no lane is active after the end of a wave, and EXEC reads 0.
func TestEndExec(t *testing.T) {
	m := newMemRun(t)
	m.st.Exec = 0xff
	m.run("s_endpgm")
	if m.st.Live != 0 || m.st.Exec != 0 || !m.st.Ended() {
		t.Errorf("live %#x, exec %#x", m.st.Live, m.st.Exec)
	}
}
