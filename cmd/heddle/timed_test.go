package main

import (
	"bytes"
	"context"
	"errors"
	"image"
	"math/rand/v2"
	"testing"
)

// TestPictureInTime: writing a picture stops when time is up.
func TestPictureInTime(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 512, 512))
	for i := range img.Pix {
		img.Pix[i] = byte(rand.Uint32()) // incompressible
	}
	var all bytes.Buffer
	if err := pngOf(context.Background(), img)(&all); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	w := &ending{left: all.Len() / 2, end: end}
	if err := pngOf(ctx, img)(w); !errors.Is(err, context.Canceled) || w.n < all.Len()/2 || w.n >= all.Len()-1<<16 {
		t.Errorf("%v after %d bytes of %d", err, w.n, all.Len())
	}
}

// An ending is a writer that ends a context after some bytes.
type ending struct {
	n, left int
	end     func()
}

func (w *ending) Write(p []byte) (int, error) {
	if w.n += len(p); w.n >= w.left {
		w.end()
	}
	return len(p), nil
}

// TestWithin: work that does not end is abandoned when time is up.
func TestWithin(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	a := &app{ctx: ctx}
	if v, err := within(a, "adding", func() (int, error) { return 3, nil }); v != 3 || err != nil {
		t.Error(v, err)
	}
	stuck := make(chan struct{})
	defer close(stuck)
	_, err := within(a, "waiting", func() (int, error) {
		end()
		<-stuck
		return 3, nil
	})
	if !errors.Is(err, context.Canceled) || err.Error() != "waiting: context canceled" {
		t.Error(err)
	}
	if _, err := within(a, "late", func() (int, error) { panic("it is over already") }); err == nil || err.Error() != "late: context canceled" {
		t.Error(err)
	}
}
