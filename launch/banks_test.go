package launch_test

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/exectest"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
)

// bankTarget finds zeros in each bank of a group's memory and leaves others.
type bankTarget struct {
	t     *testing.T
	bytes [][]byte // of the group under way
}

func (b *bankTarget) NewGroup(_ *launch.Group, env *exec.Env) error {
	b.bytes = nil
	for i, s := range env.Spaces[ir.GroupSpace] {
		data := s.Segments()[0].Data
		if len(data) != 13 || s.Segments()[0].Base != 0 {
			b.t.Errorf("bank %d: %d bytes at %#x", i, len(data), s.Segments()[0].Base)
		}
		for k := range data {
			if data[k] != 0 {
				b.t.Errorf("bank %d: byte %d is %d", i, k, data[k])
			}
			data[k] = byte(16*i + k + 1)
		}
		b.bytes = append(b.bytes, data)
	}
	return nil
}

func (*bankTarget) InitWave(*launch.Group, int, *exec.State, *exec.Env) error { return nil }

// TestGroupBanks: each bank of group memory is memory of its own, zeros as a group begins, and part of a snapshot.
func TestGroupBanks(t *testing.T) {
	b := &bankTarget{t: t}
	l := &launch.Launch{Program: exectest.Parse(machine, "block 0\nmark 0 size 4\n  end\n"), Engine: ref.New(), Target: b, GroupBytes: 13, GroupBanks: 3,
		Grid: launch.Cover([3]uint32{32, 1, 1}, [3]uint32{16, 1, 1})}
	s, err := l.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	slot := s.NewSlot()
	for i := range s.Groups() {
		if err := slot.Begin(i); err != nil || len(b.bytes) != 3 {
			t.Fatalf("%d banks, %v", len(b.bytes), err)
		}
	}
	x := slot.Snapshot()
	for i := range b.bytes {
		b.bytes[i][12] = 99
	}
	if err := slot.Restore(x); err != nil {
		t.Fatal(err)
	}
	for i := range b.bytes {
		if got := b.bytes[i][12]; got != byte(16*i+13) {
			t.Errorf("bank %d: restored byte is %d", i, got)
		}
	}
	l.GroupBytes, l.Limits.Memory = 1<<20, 2<<20
	if _, err := l.Begin(context.Background()); err == nil {
		t.Error("three banks of 1 MiB within a limit of 2")
	}
}
