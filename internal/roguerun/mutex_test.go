package roguerun

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	tasks "github.com/heddle-gpu/heddle/internal/platforms/rogue"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/launch"
)

// Parts of programs for several workgroups. sh0 and sh1 are the address of a buffer with one word per instance, sh2 is
// the number of instances of a workgroup, sh3 that of its tasks, sh4 is sh2 - 1.
const (
	// located sets r0 to the instance's number in its workgroup, r1 to its global number, r2 and r3 to the address of
	// its word.
	located = `
	{ s0 = sr112, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r0 }
	{ s0 = sh2, s1 = sr102, s2 = r0, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r1 }
	{ s0 = sh0, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r8 }
	{ s0 = sh1, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r3 }
	{ s0 = sh3, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r9 }
	{ s0 = sh4, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r11 }
	{ s0 = r1, s1 = sc4, s2 = r8, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r2 }
	`
	// stored stores r4 there.
	stored = `
	{ s0 = r4, s3 = r2..3 backend: st.writethrough s0, 2, drc0, 1, s3, _; }
	{ s3 = r2..3 backend: idf drc0, s3; }
	{ ctrl: wdf drc0; }
	`
	// first sets P0 in the first instance of each task.
	first = `
	{ s0 = sr51, is1 = ft0 p0: mbyp ft0, s0; p2_tst: tst.u32.z.phase2end ftt, p0, is1, _; }
	`
	// barrier is PCO's code for a barrier of several tasks: a counter of the workgroup, cf40, under mutex 1. The last
	// task clears it, the others sleep until then.
	barrier = first + `
	{ ctrl: mutex.lock 1; }
	if(p0) { s0 = cf40, s1 = sc1, s2 = sc1, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = cf40 }
	{ s0 = cf40, s3 = r9, is0 = s3, is1 = ft0, is2 = fte p0: mbyp ft0, s0; p2_tst: tst.u32.e.phase2end ftt, p0, is1, is2; }
	if(!p0) { ctrl: br wait@; }
	` + first + `
	if(p0) { s0 = sc0, is4 = ft0 p0: mbyp ft0, s0; w0 = cf40 }
	{ ctrl: br done@; }
wait@:
	{ ctrl: mutex.release.sleep 1; }
	{ ctrl: mutex.lock 1; }
	{ s0 = cf40, is1 = ft0 p0: mbyp ft0, s0; p2_tst: tst.u32.z.phase2end ftt, p0, is1, _; }
	if(!p0) { ctrl: br wait@; }
done@:
	{ ctrl: mutex.release.wakeup 1; }
	`
	end = "{ ctrl: nop.end; }\n"
)

// program joins parts; labels with an @ are local to each part.
func program(parts ...string) string {
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "@", fmt.Sprint(i))
	}
	return strings.Join(parts, "")
}

// groupsOf runs a program on n workgroups of block instances and returns the words of its buffer.
func groupsOf(t *testing.T, text string, n, block uint32, engine exec.Engine, workers int) (words []uint32, err error) {
	t.Helper()
	target := rogue.Set().At(0, 0)
	a, errs := asm.Assemble(target, []byte(text), asm.Options{File: "program"})
	for _, e := range errs {
		t.Fatal(e.Detail())
	}
	const at = 0x1_0000_1000
	out := &launch.Buffer{Name: "out", Addr: at, Data: make([]byte, 4*n*block)}
	k := &launch.Kernel{Name: "tasks", Program: exec.NewProgram(&isa.Program{Target: target, Code: a.Code}), Groups: [3]uint32{n, 1, 1}, Block: [3]uint32{block, 1, 1},
		Buffers: []*launch.Buffer{out}}
	args := tasks.Platform.Compute.Arguments(k)
	args.Pass(out)
	for _, w := range []uint32{block, (block + 31) / 32, block - 1} {
		args.Word(uint64(w), 4)
	}
	_, err = tasks.Platform.Compute.Launch(context.Background(), k, launch.Settings{Engine: engine, Workers: workers, Limits: exec.Limits{Steps: 20000}})
	for i := range n * block {
		words = append(words, binary.LittleEndian.Uint32(out.Data[4*i:]))
	}
	return words, err
}

// everywhere runs a program on each engine, with one worker and with several, and compares each word with a formula of
// its number.
func everywhere(t *testing.T, text string, n, block uint32, want func(i uint32) uint32) {
	t.Helper()
	for _, e := range engines.Tested() {
		for _, workers := range []int{1, 3} {
			words, err := groupsOf(t, text, n, block, e.New(), workers)
			if err != nil {
				t.Fatalf("%s, %d workers: %v", e.Name, workers, err)
			}
			for i, got := range words {
				if got != want(uint32(i)) {
					t.Fatalf("%s, %d workers: word %d is %d, want %d", e.Name, workers, i, got, want(uint32(i)))
				}
			}
		}
	}
}

// TestBarrier: tasks of a workgroup exchange words through memory, and sums through a coefficient: after a barrier all
// read what others wrote before it.
func TestBarrier(t *testing.T) {
	exchange := program(located, `
		{ s0 = r1, s1 = sc1, s2 = sc7, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r4 }
		`, stored, first, `
		if(p0) { s0 = r0, s1 = sc1, s2 = cf41, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = cf41 }
		`, barrier, `
		{ s2 = r0, s3 = r11 p0: bbyp0s1 ft2, s2; p1: xor ft4, _, ft2, _, s3; w0 = r10 }
		{ s0 = sh2, s1 = sr102, s2 = r10, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r10 }
		{ s0 = r10, s1 = sc4, s2 = r8, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r10 }
		{ s0 = r3, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r11 }
		{ s0 = r10..11, s3 = r4 backend: ld s3, drc0, 1, s0; }
		{ ctrl: wdf drc0; }
		`, barrier, `
		{ s0 = cf41, s1 = sc1, s2 = r4, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r4 }
		`, stored, end)
	for _, block := range []uint32{64, 1024} {
		n := block / 32
		sum := 32 * n * (n - 1) / 2 // of the numbers of the first instances
		everywhere(t, exchange, 3, block, func(i uint32) uint32 { return i/block*block + (i%block ^ (block - 1)) + 7 + sum })
	}
}

// counting makes each task add 1 to cf42 five times. Between read and write it yields three times.
const counting = `
	{ s0 = sc5, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r5 }
again@:
	LOCK
	{ s0 = cf42, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r6 }
	{ s0 = sc3, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r7 }
round@:
	{ s0 = g0, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r12 }
	{ s0 = r7, s1 = sc1, s2 = sc1, is4 = ft0 p0: imadd32 ft0, s0, s1, s2.neg, _; w0 = r7 }
	{ s0 = r7, is1 = ft0 p0: mbyp ft0, s0; p2_tst: tst.u32.z.phase2end ftt, p0, is1, _; }
	if(!p0) { ctrl: br round@; }
	{ s0 = r6, s1 = sc1, s2 = sc1, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = cf42 }
	RELEASE
	{ s0 = r5, s1 = sc1, s2 = sc1, is4 = ft0 p0: imadd32 ft0, s0, s1, s2.neg, _; w0 = r5 }
	{ s0 = r5, is1 = ft0 p0: mbyp ft0, s0; p2_tst: tst.u32.z.phase2end ftt, p0, is1, _; }
	if(!p0) { ctrl: br again@; }
	`

// TestMutexCounts: with a mutex no increment is lost; without it some are, because tasks are switched in between.
func TestMutexCounts(t *testing.T) {
	under := func(lock, release string) string {
		return program(located, strings.NewReplacer("LOCK", lock, "RELEASE", release).Replace(counting), barrier,
			"{ s0 = cf42, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r4 }", stored, end)
	}
	for _, block := range []uint32{64, 100, 1024} {
		n := (block + 31) / 32
		for _, release := range []string{"mutex.release 6", "mutex.release.wakeup 6"} {
			everywhere(t, under("{ ctrl: mutex.lock 6; }", "{ ctrl: "+release+"; }"), 2, block, func(uint32) uint32 { return 5 * n })
		}
		// Tasks take turns: all read and write the same values.
		everywhere(t, under("", ""), 2, block, func(uint32) uint32 { return 5 })
	}
}

// TestMutexOrder: tasks of all workgroups count in memory under a mutex, by loads and stores, for any number of
// workers.
func TestMutexOrder(t *testing.T) {
	everywhere(t, program(located, first, `
		{ s0 = r8, is4 = ft0 p0: mbyp0 ft0, s0; w0 = r2 }
		{ ctrl: mutex.lock 0; }
		{ s0 = r2..3, s3 = r4 backend: ld s3, drc0, 1, s0; }
		{ ctrl: wdf drc0; }
		{ s0 = r4, s1 = sc1, s2 = sc1, is4 = ft0 p0: imadd32 ft0, s0, s1, s2, _; w0 = r4 }
		if(p0) { s0 = r4, s3 = r2..3 backend: st.writethrough s0, 2, drc0, 1, s3, _; }
		{ ctrl: wdf drc0; }
		{ ctrl: mutex.release 0; }
		`, end), 9, 70, func(i uint32) uint32 {
		if i == 0 {
			return 9 * 3
		}
		return 0
	})
}

// TestMutexMisused: a release of a mutex that the task does not hold is a fault with its place; a task that waits for
// ever reaches the limit.
func TestMutexMisused(t *testing.T) {
	for _, x := range [...]struct{ text, want string }{
		{"{ ctrl: mutex.release 3; }", `{ ctrl: mutex.release 0x3; }" group (0,0,0) wave 0: the task has not locked the mutex`},
		{"{ ctrl: mutex.lock 3; }\n{ ctrl: mutex.release.wakeup 4; }", "the task has not locked the mutex"},
		{"{ ctrl: mutex.release.sleep 3; }", "the task has not locked the mutex"},
		{"{ ctrl: mutex.lock 3; }\n{ ctrl: mutex.release 3; }\n{ ctrl: mutex.release 3; }", `{ ctrl: mutex.release 0x3; }" group (0,0,0) wave 0: the task has not locked the mutex`},
		{"{ ctrl: mutex.lock 3; }\n{ ctrl: mutex.lock 3; }", "limit of 20000"},
		{"{ ctrl: mutex.lock 3; }\n{ ctrl: mutex.release.sleep 3; }", "limit of 20000"},
	} {
		for _, e := range engines.Tested() {
			if _, err := groupsOf(t, x.text+"\n"+end, 2, 64, e.New(), 2); err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("%s: %s: %v, want %s", e.Name, x.text, err, x.want)
			}
		}
	}
	for _, text := range []string{"if(p0) { ctrl: mutex.lock 3; }", "if(p0) { ctrl: mutex.release 3; }", "if(p0) { ctrl: mutex.release.sleep 3; }"} {
		if _, err := groupsOf(t, text+"\n"+text+"\n"+end, 1, 64, ref.New(), 1); err != nil {
			t.Errorf("%s, about no instance: %v", text, err)
		}
	}
}
