package cp

import (
	"context"
	"testing"
)

// BenchmarkSubmit is a small submission: the state of a dispatch, the dispatch, flushes and a fence.
func BenchmarkSubmit(b *testing.B) {
	x := newBench(8)
	x.Device = idle{}
	words := []uint32{p3(0x76, 3, 2), 0x20c, 0x2025, 0, p3(0x76, 3, 2), 0x212, 0x2c0042, 0x290, p3(0x76, 4, 2), 0x207, 64, 1, 1, p3(0x76, 3, 2), 0x240, 1, 2,
		p3(0x15, 4, 2), 16, 1, 1, 0x45, p3(0x46, 1, 0), 7 | 4<<8, p3(0x43, 4, 0), 0x28c40000, 0xffffffff, 0, 10,
		p3(0x47, 5, 0), 20 | 5<<8, dataLo, dataHi | 1<<29, 0x11, 0}
	x.m.put(stream, words...)
	b.ReportAllocs()
	for b.Loop() {
		if err := x.Run(context.Background(), Graphics, stream, uint32(len(words))); err != nil {
			b.Fatal(err)
		}
	}
}

// idle is a device that does nothing.
type idle struct{}

func (idle) Dispatch(context.Context, *State, Dispatch) error { return nil }
func (idle) Draw(context.Context, *State, Draw) error         { return nil }
func (idle) Now() uint64                                      { return 0 }
