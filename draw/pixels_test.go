package draw

import "testing"

// TestPixels: the pixels of a target are what Load makes of each.
func TestPixels(t *testing.T) {
	for i := range formats {
		f := &formats[i]
		x := NewTarget(f, 16, 16, Pixel{})
		for k := range x.Data {
			x.Data[k] = byte(k*7 + k>>8)
		}
		for n, got := range x.Pixels() {
			if want := f.Load(x.Data[n*f.Bytes():]); got != want {
				t.Fatalf("%s: pixel %d is %x, want %x", f.Name, n, got, want)
			}
		}
	}
}
