package gcn

import (
	"encoding/binary"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// TestGroupAccess: each instruction of DS tells which bytes of LDS it accesses, or that it does not know.
func TestGroupAccess(t *testing.T) {
	zero := func(ir.Cell) (uint64, bool) { return 0, true }
	bounds := map[string][2]uint64{"ds_write_b32": {0, 4}, "ds_read_b128": {0, 16}, "ds_read2st64_b64": {0, 8}}
	for v := range Set().Variants {
		tg, known := Set().At(v, 0), 0
		for op := range uint32(1 << 9) {
			var in isa.Inst
			var code [8]byte
			binary.LittleEndian.PutUint32(code[:], 0b110110<<26|op<<17)
			if tg.Decode(code[:], 0, &in) != nil || in.Field(nameGDS) != 0 {
				continue
			}
			lo, hi, ok := groupAccess(&in, zero)
			if ok {
				known++
			}
			if want, is := bounds[in.Def.Name]; is && (!ok || lo != want[0] || hi != want[1]) {
				t.Errorf("%s: %s accesses %d to %d, %v; want %d to %d", tg, in.Def.Name, lo, hi, ok, want[0], want[1])
			}
		}
		if known < 50 {
			t.Errorf("%s: the bytes of %d instructions are known", tg, known)
		}
	}
}
