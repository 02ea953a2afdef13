package exectest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A permit is an access with the rights that it requires. ADDR is replaced by its address, ALIGN by the required
// alignment.
type permit struct {
	text    string
	want    mem.Rights
	natural uint64 // alignment that is required in any case
}

var permits = []permit{
	{"%r = load.i32 global[4 align ALIGN] ADDR", mem.Read, 1},
	{"%r:%q = load.i32 global[4 x 2 align ALIGN] ADDR", mem.Read, 1},
	{"%r = load.i32 global[1 align ALIGN] ADDR", mem.Read, 1},
	{"store.i32 global[4 align ALIGN] ADDR, %x", mem.Write, 1},
	{"store.i32 global[4 x 2 align ALIGN] ADDR, %x, %x", mem.Write, 1},
	{"check load global[4 align ALIGN] ADDR", mem.Read, 1},
	{"check store global[4 align ALIGN] ADDR", mem.Write, 1},
	{"%r = atomic.i32 global[4 add align ALIGN] ADDR, %x", mem.ReadWrite, 4},
}

// places are addresses: of 64 and of 32 bits per lane, uniform, and for a per-wave op, which only loads have.
var places = []struct{ text, mask string }{
	{"%lo = get.i32 v[0]\n%hi = get.i32 v[1]\n%a = pack.i64 %lo, %hi", ", %e"},
	{"%a = get.i32 v[0]", ", %e"},
	{"%a = get.i32 s[0]", ", %e"},
	{"%a = get.i32 s[0]", ""},
}

// testPermits: each access is checked against the rights of the segment and its alignment, with per-lane and
// uniform addresses.
func testPermits(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	rnd := rand.New(rand.NewPCG(22, 22))
	for _, p := range permits {
		for _, at := range places {
			if at.mask == "" && !strings.Contains(p.text, "= load") {
				continue
			}
			for _, align := range []uint64{1, 2, 4, 8} {
				access := strings.NewReplacer("ADDR", "%a", "ALIGN", fmt.Sprint(align)).Replace(p.text) + at.mask
				r := e.NewRunner(Parse(m, "block 0x100\nmark 0x100 size 4\n"+at.text+"\n%x = get.i32 v[2]\n%e = get.i1 exec\n"+access+"\njump 0x100\n"))
				for _, rights := range []mem.Rights{mem.Read, mem.Write, mem.ReadWrite} {
					for _, off := range []uint64{0, 1, 2, 4, 8} {
						p.run(t, r, fmt.Sprintf("%s with %s", access, at.text), rights, max(align, p.natural), off, rnd)
					}
				}
			}
		}
	}
}

// run makes all lanes access a segment with those rights, at adjacent addresses starting at an offset.
func (p *permit) run(t *testing.T, r exec.Runner, what string, rights mem.Rights, align, off uint64, rnd *rand.Rand) {
	t.Helper()
	const base = 0x1000
	st, err := exec.NewState(Machine(ir.MaskData), 16)
	if err != nil {
		t.Fatal(err)
	}
	fill(st, rnd)
	for lane := range st.Lanes {
		home{t: ir.I64}.put(st, lane, base+off+8*uint64(lane))
	}
	st.Set(cellOf(fileS, 0), 0, uint32(base+off))
	st.Start(entry, st.Full)
	g := mem.NewSegment("buf", base, 0x100, rights)
	space, err := mem.NewSpace("global", g)
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(g.Data)
	stop := r.Run(st, envOf(space), exec.Budget{Steps: 1})
	may, aligned := rights&p.want == p.want, (base+off)%align == 0
	switch f := stop.Fault; {
	case may && aligned && stop.Reason != exec.StopBudget:
		t.Errorf("%s, at an offset of %d, with rights %v: stop %v %v", what, off, rights, stop.Reason, f)
	case !(may && aligned) && (f == nil || f.Kind != exec.FaultMemory || !bytes.Equal(before, g.Data)):
		t.Errorf("%s, at an offset of %d, with rights %v: stop %v %v, memory as before: %v; want a fault", what, off, rights, stop.Reason, f, bytes.Equal(before, g.Data))
	case may && !aligned && f.Mem.Kind != mem.Misaligned:
		t.Errorf("%s, at an offset of %d, with rights %v: %v; want a fault of alignment", what, off, rights, f)
	}
}
