package code

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/internal/jit/x86"
)

// stressTime is an environment variable: the duration of TestStress.
const stressTime = "HEDDLE_STRESS"

// A variant is a kernel with vectors of one length. The unit is replaced repeatedly while workers execute it.
type variant struct {
	kernel
	bits int
	code []byte
	unit atomic.Pointer[Unit]
}

func variants(t *testing.T, a *Arena) (list []*variant) {
	t.Helper()
	for _, level := range []struct {
		bits int
		set  cpu.Set
	}{{256, cpu.Level2}, {512, cpu.Level512}} {
		set, err := cpu.Pretend(level.set)
		if err != nil {
			t.Logf("NOT TESTED with %d bits: %v", level.bits, err)
			continue
		}
		for _, k := range kernels {
			if k.name == "masks" && level.bits < 512 {
				continue
			}
			asm := x86.New(set)
			k.make(asm, level.bits)
			v := &variant{kernel: k, bits: level.bits}
			if v.code, err = asm.Finish(nil); err != nil {
				t.Fatal(err)
			}
			list = append(list, v)
			renew(t, a, v)
		}
	}
	if len(list) == 0 {
		t.Skip("NOT TESTED: the processor has none of the levels")
	}
	return list
}

// renew puts the variant's code into new pages and drops the old ones.
func renew(t *testing.T, a *Arena, v *variant) {
	u, err := a.Add(v.code)
	if err != nil {
		t.Error(err)
		return
	}
	if old := v.unit.Swap(u); old != nil {
		old.Drop()
	}
}

// acquire returns the variant's unit, with a reference.
func (v *variant) acquire() *Unit {
	for {
		if u := v.unit.Load(); u.Acquire() {
			return u
		}
	}
}

// rowsOf returns rows with initial values for the kernel, in memory aligned to 64 bytes.
func (v *variant) rowsOf(rnd *rand.Rand) [][16]uint32 {
	rows := make([][16]uint32, 16+1)
	if at := uintptr(unsafe.Pointer(&rows[0])) % 64; at != 0 {
		shifted := unsafe.Slice((*[16]uint32)(unsafe.Add(unsafe.Pointer(&rows[0]), 64-at)), 16)
		rows = shifted
	}
	rows = rows[:16]
	for i := range rows {
		for j := range rows[i] {
			switch v.name {
			case "floats":
				if i%2 == 0 && v.bits == 512 || v.bits == 256 && j < 8 {
					rows[i][j] = math.Float32bits(1)
				}
			default:
				rows[i][j] = rnd.Uint32()
			}
		}
	}
	if v.name == "masks" {
		for j := range rows[7] {
			rows[7][j] = 0xffffffff
		}
	}
	return rows
}

// touched returns how many rows the kernel changes.
func (v *variant) touched() int { return min(v.rows, v.rows*v.bits/512) }

// check runs the variant once, with a random number of iterations and budget, and compares every word.
func (v *variant) check(t *testing.T, rnd *rand.Rand) (leaves int) {
	rows := v.rowsOf(rnd)
	want := make([][16]uint32, len(rows))
	copy(want, rows)
	rounds := rnd.Uint64N(3000)
	c := NewContext()
	c.V = unsafe.Pointer(&rows[0])
	c.SetMode(v.mode)
	c.Args[0] = rounds
	c.Budget = rnd.Int64N(4000)
	u := v.acquire()
	for r := u.Call(c, 0); r == OutOfBudget; r = u.Continue(c) {
		c.Budget = rnd.Int64N(4000)
		leaves++
		if rnd.IntN(4) == 0 {
			runtime.Gosched()
		}
	}
	u.Release()
	n := v.rows
	if v.name != "general" && v.name != "masks" {
		n = v.touched()
	}
	for i := range n {
		v.want(i, &want[i], rounds)
	}
	for i := range rows {
		if v.name == "masks" && i == 7 {
			continue // the masks
		}
		if rows[i] != want[i] {
			t.Errorf("%s, %d bits, %d rounds, %d leaves: row %d is %x, want %x", v.name, v.bits, rounds, leaves, i, rows[i], want[i])
			break
		}
	}
	checkHostMode(t)
	return leaves
}

// deep calls f with a stack of that many frames of about half a kilobyte.
//
//go:noinline
func deep(n int, f func()) byte {
	var pad [512]byte
	pad[n%len(pad)] = byte(n)
	if n == 0 {
		f()
		return pad[0]
	}
	return deep(n-1, f) + pad[n%len(pad)]
}

// A disturbance is an activity of the runtime that may occur at any time. It is called repeatedly.
type disturbance struct {
	name  string
	every time.Duration
	do    func(t *testing.T)
}

var sink atomic.Pointer[[]byte]

func disturbances(a *Arena, list []*variant) []disturbance {
	next := 0
	return []disturbance{
		{"collections", 300 * time.Microsecond, func(*testing.T) { runtime.GC() }},
		{"the world stopped", time.Millisecond, func(*testing.T) { var m runtime.MemStats; runtime.ReadMemStats(&m) }},
		{"stack dumps", 2 * time.Millisecond, func(t *testing.T) {
			if n := runtime.Stack(make([]byte, 1<<16), true); n == 0 {
				t.Error("no stacks")
			}
		}},
		{"stack growth", 200 * time.Microsecond, func(*testing.T) {
			done := make(chan bool)
			go func() { deep(2000, func() {}); close(done) }()
			<-done
		}},
		{"garbage", 50 * time.Microsecond, func(*testing.T) { b := make([]byte, 1<<15); sink.Store(&b) }},
		{"preemption signals", 40 * time.Microsecond, func(t *testing.T) {
			if err := syscall.Kill(os.Getpid(), syscall.SIGURG); err != nil {
				t.Error(err)
			}
		}},
		{"new code", 500 * time.Microsecond, func(t *testing.T) { renew(t, a, list[next%len(list)]); next++ }},
		{"profiles", 20 * time.Millisecond, profile},
	}
}

// profile takes a short profile, unless another one is being taken.
func profile(t *testing.T) {
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		return // the test itself is being profiled
	}
	time.Sleep(30 * time.Millisecond)
	pprof.StopCPUProfile()
	if b.Len() == 0 {
		t.Error("an empty profile")
	}
}

// TestStress runs kernels and checks every word, during everything that the runtime does to goroutines and threads:
// collections, stops of the world, stack dumps, stacks that grow and move, profiling, signals, and code that is added
// and dropped. HEDDLE_LONG runs it for two minutes, HEDDLE_STRESS=10m for ten.
func TestStress(t *testing.T) {
	length := stressLength(t)
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	a := arena(t)
	list := variants(t, a)
	s := &stress{list: list, runs: make([]atomic.Int64, len(list))}
	workers := runtime.GOMAXPROCS(0) + 2
	for w := range workers {
		s.wg.Go(func() { s.work(t, uint64(w)) })
	}
	all := disturbances(a, list)
	times := make([]atomic.Int64, len(all))
	for i, d := range all {
		s.wg.Go(func() {
			for !s.stop.Load() {
				d.do(t)
				times[i].Add(1)
				time.Sleep(d.every)
			}
		})
	}
	time.Sleep(length)
	// A loaded machine may not have done all of it by then.
	for end := time.Now().Add(time.Minute); !(happened(s.runs) && happened(times)) && !t.Failed() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	s.stop.Store(true)
	s.wg.Wait()
	report := ""
	for i, d := range all {
		if report += fmt.Sprintf(", %s %d", d.name, times[i].Load()); times[i].Load() == 0 {
			t.Errorf("no %s in %v", d.name, length)
		}
	}
	total := int64(0)
	for i, v := range list {
		total += s.runs[i].Load()
		if s.runs[i].Load() == 0 {
			t.Errorf("%s with %d bits did not run", v.name, v.bits)
		}
		v.unit.Load().Drop()
	}
	t.Logf("%d workers, %d runs, %d leaves for the budget%s", workers, total, s.leaves.Load(), report)
	checkPages(t)
	if s.leaves.Load() == 0 || a.Used() != 0 {
		t.Errorf("%d leaves for the budget, %d bytes of code left", s.leaves.Load(), a.Used())
	}
}

// happened reports whether each event has occurred.
func happened(times []atomic.Int64) bool {
	for i := range times {
		if times[i].Load() == 0 {
			return false
		}
	}
	return true
}

func stressLength(t *testing.T) time.Duration {
	t.Helper()
	if s := os.Getenv(stressTime); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatalf("%s: %v", stressTime, err)
		}
		return d
	}
	if os.Getenv("HEDDLE_LONG") != "" {
		return 2 * time.Minute
	}
	return 700 * time.Millisecond
}

// A stress is the state that workers share.
type stress struct {
	list   []*variant
	runs   []atomic.Int64 // by variant
	leaves atomic.Int64
	stop   atomic.Bool
	wg     sync.WaitGroup
}

// work checks variants in turn until it is stopped, each on a stack of its own that has to grow under the call.
func (s *stress) work(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 99))
	for i := int(seed) % len(s.list); !s.stop.Load() && !t.Failed(); i = (i + 1) % len(s.list) {
		done := make(chan bool)
		go func() {
			defer close(done)
			deep(rnd.IntN(200), func() { s.leaves.Add(int64(s.list[i].check(t, rnd))) })
		}()
		<-done
		s.runs[i].Add(1)
	}
}
