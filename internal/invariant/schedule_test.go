package invariant

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/detector"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// The shape of the scheduled kernels: workgroups of four waves.
const (
	schedGroups = 3
	schedWaves  = 4
	schedItems  = 64 * schedWaves
	schedRounds = 3
)

// A scheduled is a kernel whose waves communicate through group memory, and its expected result: words of a workgroup,
// by the workgroup's number.
type scheduled struct {
	name string
	text string
	want func(group int) []uint32
	// ordered says that the result depends on the order of the waves. For other kernels it must not.
	ordered bool
	// serial is the reason why the launch runs its workgroups in order, "" if there is none.
	serial string
}

// begin sets v[4:5] to the address of the item's word among those of its workgroup, which has as many as BYTES says,
// and makes all of group memory accessible. v0 is the number of the item, s10 that of its wave.
const begin = `
	s_mov_b32 m0, -1
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_mul_i32 s7, s2, BYTES
	v_lshlrev_b32 v3, 2, v0
	v_readfirstlane_b32 s10, v0
	s_lshr_b32 s10, s10, 6
	s_waitcnt lgkmcnt(0)
	s_add_u32 s4, s4, s7
	s_addc_u32 s5, s5, 0
	v_add_u32 v4, vcc, s4, v3
	v_mov_b32 v5, s5
	v_addc_u32 v5, vcc, 0, v5, vcc
	v_mov_b32 v1, 0
	v_mov_b32 v2, 1
`

// busy returns a loop that is longer than any engine looks ahead, without anything to wait for.
func busy(label string) string {
	return "\ts_movk_i32 s9, 0x1800\n" + label + ":\n\ts_sub_u32 s9, s9, 1\n\ts_cmp_lg_u32 s9, 0\n\ts_cbranch_scc1 " + label + "\n"
}

// times repeats the code between the label and here schedRounds times; s6 is the counter.
func times(label string) string {
	return "\ts_sub_u32 s6, s6, 1\n\ts_cmp_lg_u32 s6, 0\n\ts_cbranch_scc1 " + label + "\n"
}

// Kernels that take tickets, count under a lock, wait for each other's words, and synchronise at barriers.
var schedule = []scheduled{
	{
		// In each round every wave takes its tickets once before the next one does: the words of a workgroup are 0, 1,
		// 2 and so on, although a wave could take all of its tickets in one turn.
		name: "tickets", ordered: true,
		text: begin + fmt.Sprintf("\ts_mov_b32 s6, %d\nround:\n", schedRounds) + `
	ds_add_rtn_u32 v6, v1, v2
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[4:5], v6
	v_add_u32 v4, vcc, 0x400, v4
	v_addc_u32 v5, vcc, 0, v5, vcc
` + busy("busy") + times("round") + "\ts_endpgm\n",
		want: func(int) []uint32 { return words(schedRounds*schedItems, func(i int) uint32 { return uint32(i) }) },
	},
	{
		// One lane of each wave increments a word under a lock, and sleeps while it holds it.
		name: "lock",
		text: begin + fmt.Sprintf("\ts_mov_b64 exec, 1\n\ts_mov_b32 s6, %d\n", schedRounds) + `
try:
	ds_cmpst_rtn_b32 v6, v1, v1, v2
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s8, v6
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 try
	ds_read_b32 v7, v1 offset:4
	s_sleep 1
	s_waitcnt lgkmcnt(0)
` + busy("busy") + `
	v_add_u32 v7, vcc, 1, v7
	ds_write_b32 v1, v7 offset:4
	ds_write_b32 v1, v1
` + times("try") + `
	s_mov_b64 exec, -1
	s_barrier
	ds_read_b32 v7, v1 offset:4
	s_waitcnt lgkmcnt(0)
	flat_store_dword v[4:5], v7
	s_endpgm
`,
		want: func(int) []uint32 {
			return words(schedItems, func(int) uint32 { return schedRounds * schedWaves })
		},
	},
	{
		// Each wave waits for the word of the next one, with plain loads; the last does not wait.
		name: "chain",
		text: begin + fmt.Sprintf("\ts_mov_b32 s8, 0\n\ts_cmp_eq_u32 s10, %d\n\ts_cbranch_scc1 found\n", schedWaves-1) + `
	s_lshl_b32 s11, s10, 2
	v_mov_b32 v8, s11
wait:
	ds_read_b32 v6, v8 offset:4
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s8, v6
	s_cmp_eq_u32 s8, 0
	s_cbranch_scc1 wait
found:
` + busy("busy") + `
	s_add_u32 s8, s8, 1
	s_lshl_b32 s11, s10, 2
	v_mov_b32 v8, s11
	v_mov_b32 v7, s8
	ds_write_b32 v8, v7
	flat_store_dword v[4:5], v7
	s_endpgm
`,
		want: func(int) []uint32 {
			return words(schedItems, func(i int) uint32 { return uint32(schedWaves - i/64) })
		},
	},
	{
		// Waves reach a barrier after loops of different lengths; wave 1 ends before it. Then each reads what the next
		// wave wrote, and all but wave 2 end, which passes two barriers alone.
		name: "barriers",
		text: begin + `
	s_add_u32 s6, s10, 1
long:
` + busy("busy") + times("long") + `
	s_mul_i32 s11, s2, 0x3e8
	v_add_u32 v7, vcc, s11, v0
	ds_write_b32 v3, v7
	s_cmp_eq_u32 s10, 1
	s_cbranch_scc1 out
	s_barrier
	v_add_u32 v8, vcc, 0x100, v3
	v_and_b32 v8, 0x3ff, v8
	ds_read_b32 v7, v8
	s_waitcnt lgkmcnt(0)
	s_cmp_lg_u32 s10, 2
	s_cbranch_scc1 store
	s_barrier
	s_barrier
	v_add_u32 v7, vcc, v7, v7
store:
	flat_store_dword v[4:5], v7
out:
	s_endpgm
`,
		want: func(group int) []uint32 {
			return words(schedItems, func(i int) uint32 {
				next := uint32(1000*group + (i+64)%schedItems)
				return [schedWaves]uint32{next, 0, 2 * next, next}[i/64]
			})
		},
	},
	{
		// Workgroups reach a place one after another, by a word that counts them.
		name: "groups in turn", serial: "gives its old value",
		text: begin + fmt.Sprintf(`
	s_mul_i32 s7, s2, BYTES
	s_sub_u32 s4, s4, s7
	s_subb_u32 s5, s5, 0
	s_add_u32 s4, s4, %d
	s_addc_u32 s5, s5, 0
	v_mov_b32 v8, s4
	v_mov_b32 v9, s5
`, 4*schedGroups*schedItems) + `
	s_mov_b64 exec, 1
wait:
	flat_atomic_add v6, v[8:9], v1 glc
	s_waitcnt vmcnt(0) & lgkmcnt(0)
	v_readfirstlane_b32 s8, v6
	s_cmp_lg_u32 s8, s2
	s_cbranch_scc1 wait
	s_barrier
	s_cmp_lg_u32 s10, 0
	s_cbranch_scc1 on
	flat_atomic_add v6, v[8:9], v2 glc
on:
	s_mov_b64 exec, -1
	v_mov_b32 v7, s8
	flat_store_dword v[4:5], v7
	s_endpgm
`,
		want: func(group int) []uint32 { return words(schedItems, func(int) uint32 { return uint32(group) }) },
	},
	{
		name: "ordered append", serial: "gives its old value",
		text: begin + `
	s_bfe_u32 s11, s3, 0xb0006
	s_mov_b32 m0, s11
	s_add_u32 s12, s10, 1
	v_mov_b32 v6, s12
	s_mov_b64 exec, 1
	ds_ordered_count v7, v6 offset:768 gds
	s_waitcnt lgkmcnt(0)
	v_readfirstlane_b32 s13, v7
	s_mov_b64 exec, -1
	v_mov_b32 v7, s13
	flat_store_dword v[4:5], v7
	s_endpgm
`,
		want: func(group int) []uint32 {
			return words(schedItems, func(i int) uint32 { return uint32(10*group + i/64*(i/64+1)/2) })
		},
	},
}

func words(n int, f func(i int) uint32) []uint32 {
	w := make([]uint32, n)
	for i := range w {
		w[i] = f(i)
	}
	return w
}

// launch prepares the kernel; the buffer has one word more than its workgroups need.
func (s *scheduled) launch(t *testing.T, c launch.Settings) (*launch.Launch, *gcn.Buffer) {
	t.Helper()
	size := 4 * len(s.want(0))
	memory := gcn.NewMemory()
	buf, err := memory.Alloc("out", schedGroups*size+4)
	if err != nil {
		t.Fatal(err)
	}
	module := newGroupModule(t, strings.ReplaceAll(s.text, "BYTES", fmt.Sprint(size)), 4*schedItems)
	l, err := gcn.NewLaunch(gcn.Kernel{Module: module, Name: "k", Grid: [3]uint32{schedGroups * schedItems}, Block: [3]uint32{schedItems},
		Memory: memory, Args: []gcn.Arg{gcn.Buf(buf)}}, c)
	if err != nil {
		t.Fatal(err)
	}
	return l, buf
}

// check compares the result of a launch with the expected one.
func (s *scheduled) check(t *testing.T, how string, buf *gcn.Buffer) {
	t.Helper()
	for g := range schedGroups {
		want := s.want(g)
		for i, w := range want {
			if got := binary.LittleEndian.Uint32(buf.Data[4*(g*len(want)+i):]); got != w {
				t.Errorf("%s: word %d of group %d is %d, want %d", how, i, g, got, w)
				break
			}
		}
	}
}

// TestSchedule: kernels whose waves wait for each other, or whose result depends on the order of waves, give the same
// bytes and counters on any number of workers, with any step limit, for any division of waves into turns, and with the
// workgroups in another order. The race detector sees those with several workers.
func TestSchedule(t *testing.T) {
	for _, s := range schedule {
		t.Run(s.name, func(t *testing.T) {
			l, buf := s.launch(t, launch.Settings{Engine: ref.New(), Workers: 1})
			plain, err := l.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			s.check(t, "plain", buf)
			if plain.Serial != (s.serial != "") || !strings.HasSuffix(plain.Why, s.serial) {
				t.Errorf("in order %t because of %q", plain.Serial, plain.Why)
			}
			n := plain.Instructions
			for how, c := range map[string]launch.Settings{
				"2 workers":     {Engine: ref.New(), Workers: 2},
				"4 workers":     {Engine: ref.New(), Workers: 4},
				"limits":        {Engine: ref.New(), Workers: 1, Limits: exec.Limits{Steps: n, Total: n}},
				"a tight limit": {Engine: ref.New(), Workers: 3, Limits: exec.Limits{Total: n + 1}},
				"mark by mark":  {Engine: &counter{Engine: ref.New()}, Workers: 1},
				"pieces":        {Engine: &pieces{Engine: ref.New(), rnd: rand.New(rand.NewPCG(1, 9))}, Workers: 1},
				"pieces again":  {Engine: &pieces{Engine: ref.New(), rnd: rand.New(rand.NewPCG(2, 9))}, Workers: 1},
				"exact counts":  {Engine: ref.New(), Workers: 2, Counted: true},
				"shuffled": {Engine: ref.New(), Workers: deckWorkers,
					Observer: &deck{t: t, rnd: rand.New(rand.NewPCG(15, 16)), before: []*launch.Result{plain}}},
			} {
				if detector.Race && c.Workers == 1 {
					continue
				}
				l, buf := s.launch(t, c)
				res, err := l.Run(context.Background())
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				s.check(t, how, buf)
				if res.Counters != plain.Counters || res.About {
					t.Errorf("%s: %+v, want %+v", how, res.Counters, plain.Counters)
				}
			}
		})
	}
}

// TestScheduleOrders: waves may take their turns in any order, workgroups, too, unless the launch requires an order,
// and turns may be divided. Results that do not depend on the order of waves stay the same.
func TestScheduleOrders(t *testing.T) {
	for _, s := range schedule {
		if s.ordered {
			continue
		}
		for seed := range uint64(4) {
			rnd := rand.New(rand.NewPCG(seed, 3))
			l, buf := s.launch(t, launch.Settings{Engine: ref.New()})
			session, err := l.Begin(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			slot := session.NewSlot()
			for _, g := range groupOrder(rnd, s.serial != "") {
				if err := slot.Begin(uint64(g)); err != nil {
					t.Fatal(err)
				}
				anyOrder(t, slot, rnd)
				slot.End()
			}
			session.End()
			s.check(t, fmt.Sprintf("%s, seed %d", s.name, seed), buf)
		}
	}
}

// TestOrderedEngines: every engine takes waves in their order, also where groups could run at once.
func TestOrderedEngines(t *testing.T) {
	s := schedule[len(schedule)-1]
	for _, e := range engines.All() {
		for _, relaxed := range []bool{false, true} {
			l, buf := s.launch(t, launch.Settings{Engine: e.New(), Workers: 3, Relaxed: relaxed})
			if _, err := l.Run(context.Background()); err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			s.check(t, e.Name, buf)
		}
	}
}

func groupOrder(rnd *rand.Rand, inOrder bool) []int {
	if !inOrder {
		return rnd.Perm(schedGroups)
	}
	order := make([]int, schedGroups)
	for i := range order {
		order[i] = i
	}
	return order
}

// anyOrder gives turns to random waves that can run, until none can.
func anyOrder(t *testing.T, slot *launch.Slot, rnd *rand.Rand) {
	t.Helper()
	for turns := 0; ; turns++ {
		if _, ok := slot.Next(); !ok {
			return
		}
		wave := rnd.IntN(len(slot.Waves))
		stop := slot.Turn(wave, exec.Budget{Steps: uint64(rnd.IntN(3) * 5000)})
		if stop.Reason == exec.StopFault || turns > 100_000 {
			t.Fatalf("turn %d: %v %v", turns, stop.Reason, stop.Fault)
		}
	}
}

// TestScheduleLimits: a limit that is too low ends the launch with an error that says so, wherever it is reached.
func TestScheduleLimits(t *testing.T) {
	for _, s := range schedule {
		for _, limits := range []exec.Limits{{Steps: 1}, {Steps: 100}, {Steps: 17_000}, {Total: 20_000}} {
			l, _ := s.launch(t, launch.Settings{Engine: ref.New(), Workers: 2, Limits: limits})
			_, err := l.Run(context.Background())
			var f *exec.Fault
			if s.serial != "" && limits.Steps != 1 {
				continue // short enough
			}
			if !errors.As(err, &f) || f.Kind != exec.FaultLimit || f.Limit != max(limits.Steps, limits.Total) {
				t.Errorf("%s, limits %+v: %v", s.name, limits, err)
			}
		}
	}
}

// pieces is an engine that divides turns into pieces of any length. It supports one worker.
type pieces struct {
	exec.Engine
	rnd *rand.Rand
}

func (p *pieces) NewRunner(of *exec.Program) exec.Runner {
	return &pieceRunner{p, p.Engine.NewRunner(of)}
}

type pieceRunner struct {
	*pieces
	inner exec.Runner
}

// Run implements exec.Runner.
func (r *pieceRunner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	for begin := st.Clock; ; {
		left := max(1, b.Steps-min(b.Steps, st.Clock-begin))
		part := exec.Budget{Steps: 1 + r.rnd.Uint64N(min(left, 1<<r.rnd.IntN(16))), Exact: b.Exact || r.rnd.IntN(2) == 0, Counted: b.Counted, Yields: b.Yields}
		stop := r.inner.Run(st, env, part)
		if stop.Reason != exec.StopBudget || st.Clock-begin >= b.Steps && (b.Exact || st.At.Mark == 0) {
			return stop
		}
	}
}
