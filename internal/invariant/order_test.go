package invariant

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/launch"
)

// serial are the kernels of the corpus that use the old value of a global atomic, or depend on the last group.
var serial = map[string]bool{"atomics": true, "collatz_queue": true}

// TestOrder: a kernel gives the same bytes and counters on one worker, on several, and with its workgroups started in
// any order; a kernel that depends on the order is run in order, with a reason.
func TestOrder(t *testing.T) {
	shuffled := 0
	eachKernel(t, func(t *testing.T, k *kernel, plain *outcome) {
		same(t, "4 workers", plain, k.run(launch.Settings{Engine: ref.New(), Workers: 4}))
		d := &deck{t: t, rnd: rand.New(rand.NewPCG(15, 15)), before: plain.results}
		got := k.run(launch.Settings{Engine: ref.New(), Workers: deckWorkers, Observer: d})
		same(t, "shuffled", plain, got)
		shuffled += d.mixed
		for i, r := range got.results {
			ordered := serial[k.m.Name]
			if r.Serial != ordered || (r.Why != "") != ordered || ordered && r.Workers != 1 {
				t.Errorf("launch %d: in order %t on %d workers because of %q", i, r.Serial, r.Workers, r.Why)
			}
		}
	})
	if shuffled < 40 {
		t.Errorf("%d launches had their groups shuffled", shuffled)
	}
}

// ticket: each workgroup takes a number from the first word of the buffer, and stores it in its own word.
const ticket = `
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_mov_b32 v2, 1
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v0, s4
	v_mov_b32 v1, s5
	flat_atomic_add v3, v[0:1], v2 glc
	s_lshl_b32 s6, s2, 2
	s_add_u32 s4, s4, s6
	s_addc_u32 s5, s5, 0
	s_add_u32 s4, s4, 4
	s_addc_u32 s5, s5, 0
	v_mov_b32 v0, s4
	v_mov_b32 v1, s5
	s_waitcnt vmcnt(0)
	flat_store_dword v[0:1], v3
	s_endpgm
`

// TestTickets: workgroups that use the old value of an atomic take their numbers in order, for any number of workers;
// if the launch is relaxed, in the order in which the deck lets them run, which proves that the deck shuffles.
func TestTickets(t *testing.T) {
	const groups = 20
	module := newModule(t, ticket)
	for _, relaxed := range []bool{false, true} {
		memory := gcn.NewMemory()
		buf, err := memory.Alloc("tickets", 4+4*groups)
		if err != nil {
			t.Fatal(err)
		}
		before := &launch.Result{Groups: groups, Serial: !relaxed}
		d := &deck{t: t, rnd: rand.New(rand.NewPCG(1, 15)), before: []*launch.Result{before}}
		r, err := gcn.Launch(context.Background(), gcn.Kernel{
			Module: module, Name: "k", Grid: [3]uint32{groups}, Block: [3]uint32{1}, Memory: memory, Args: []gcn.Arg{gcn.Buf(buf)},
		}, launch.Settings{Engine: ref.New(), Workers: groups, Relaxed: relaxed, Observer: d})
		if err != nil {
			t.Fatal(err)
		}
		if r.Serial == relaxed || (r.Workers == 1) == relaxed || !strings.HasSuffix(r.Why, "gives its old value") {
			t.Errorf("relaxed %t: %+v", relaxed, r)
		}
		for g := range uint32(groups) {
			want := g
			if relaxed {
				want = uint32(slices.Index(d.order, g))
			}
			if got := binary.LittleEndian.Uint32(buf.Data[4+4*g:]); got != want {
				t.Errorf("relaxed %t: group %d has ticket %d, want %d", relaxed, g, got, want)
			}
		}
		if relaxed != (d.mixed == 1) {
			t.Errorf("relaxed %t: groups ran in the order %v", relaxed, d.order)
		}
	}
}

// deckWorkers is the number of workgroups that a deck can hold.
const deckWorkers = 64

// A deck is an observer that shuffles workgroups: it holds each as it starts, until all that can start have started,
// and then lets a random one run to its end before the next. Launches that run in order are not changed.
type deck struct {
	t      *testing.T
	rnd    *rand.Rand
	before []*launch.Result // results of the launches: number of workgroups, and whether they ran in order
	mixed  int              // launches whose workgroups did not run in the order of their numbers

	mu      sync.Mutex
	held    []turn
	at      int // number of the launch, from 1
	left    int // its workgroups that have not ended
	running bool
	order   []uint32 // workgroups of the launch, in the order in which they ran
}

// A turn is a workgroup that is held.
type turn struct {
	group uint32
	begin chan struct{}
}

// Observe implements exec.Observer.
func (d *deck) Observe(e exec.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e.Kind {
	case exec.LaunchStart:
		d.left, d.order = int(d.before[d.at].Groups), nil
		d.at++
	case exec.LaunchEnd:
		if !slices.IsSorted(d.order) {
			d.mixed++
		}
	case exec.GroupStart:
		if d.before[d.at-1].Serial {
			return
		}
		g := turn{e.Group[0] | e.Group[1]<<10 | e.Group[2]<<20, make(chan struct{})}
		d.held = append(d.held, g)
		d.deal()
		d.mu.Unlock()
		<-g.begin
		d.mu.Lock()
	case exec.GroupEnd:
		d.running = false
		d.left--
		d.deal()
	}
}

// deal lets a workgroup run, if all that can start have started.
func (d *deck) deal() {
	if d.running || len(d.held) == 0 || len(d.held) < min(deckWorkers, d.left) {
		return
	}
	i := d.rnd.IntN(len(d.held))
	g := d.held[i]
	d.held = slices.Delete(d.held, i, i+1)
	d.running, d.order = true, append(d.order, g.group)
	close(g.begin)
}
