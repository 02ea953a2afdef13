package exectest

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// serialText is a fetch-and-add of v[0] on a cell of s that all lanes share, selected by v[1]: the old value goes
// to v[2]. s[20] counts lanes, p[1] collects their masks, p[2] their live lanes.
const serialText = `
block 0x100 serial
mark 0x100 size 8
  %a = get.i32 v[0]
  %i = get.i32 v[1]
  %e = get.i1 exec
  %n = get.i32 s[20]
  %p = get.i1 p[1]
  %l = live.i1
  %at = const.i32 7
  %j = and.i32 %i, %at
  %one = const.i32 1
  %n1 = iadd.i32 %n, %one
  %old0 = get.i32 s[8]
  %old1 = get.i32 s[9]
  %odd = trunc.i1 %j
  %old = select.i32 %odd, %old1, %old0
  %new = iadd.i32 %old, %a
  %even = not.i1 %odd
  %eo = and.i1 %e, %odd
  %ee = and.i1 %e, %even
  %p1 = or.i1 %p, %e
  set.i32 v[2], %old, %e
  setlast.i32 s[9], %new, %eo
  setlast.i32 s[8], %new, %ee
  set.i32 s[20], %n1
  set.i1 p[1], %p1, %e
  set.i1 p[2], %l, %e
  jump 0x200
`

// testSerial: lane by lane, lowest first, each with only itself in the mask and the cells as the previous lane has
// left them; then the mask is restored.
func testSerial(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	r := e.NewRunner(Parse(m, serialText))
	rnd := rand.New(rand.NewPCG(20, 20))
	for round := range 200 {
		st, _ := exec.NewState(m, m.Widths[round%len(m.Widths)])
		fill(st, rnd)
		st.Start(entry, rnd.Uint64()|1)
		st.Exec = masks(st, rnd)[rnd.IntN(6)] & st.Live
		want := st.Snapshot()
		for lane := range st.Lanes {
			if st.Exec>>lane&1 == 0 {
				continue
			}
			sum := cellOf(fileS, 8+int(st.Get(cellOf(fileV, 1), lane)%2))
			want.Set(cellOf(fileV, 2), lane, want.Get(sum, 0))
			want.Set(sum, 0, want.Get(sum, 0)+st.Get(cellOf(fileV, 0), lane))
		}
		want.M[1] |= st.Exec
		want.M[2] = want.M[2]&^st.Exec | st.Live&st.Exec
		want.Set(cellOf(fileS, 20), 0, st.Get(cellOf(fileS, 20), 0)+uint32(bits.OnesCount64(st.Exec)))
		want.Clock++
		want.Goto(0x200)
		env := &exec.Env{}
		stop := r.Run(st, env, exec.Budget{Steps: 1})
		if d := want.Diff(st, 4); stop.Reason != exec.StopBudget || d != nil || env.Count.Instructions != 1 {
			t.Fatalf("exec %#x: stop %v %v; want, got: %q; %+v", want.Exec, stop.Reason, stop.Fault, d, env.Count)
		}
	}
}
