package draw

import "testing"

// TestPrefetch: at most as many rows of the next tile are prefetched as fragments have been drawn for, each once, and
// only rows that it has.
func TestPrefetch(t *testing.T) {
	if !hasVectors() {
		t.Skip("NOT TESTED: no vectors of 256 bits, or no assembly")
	}
	for _, turned := range []bool{false, true} {
		c, err := NewCanvas(150, 70, Vec4{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		c.Turned = turned
		p := newPainter(&Call{Shader: &WaveShader{}, Depth: DepthTest{Func: Less, Write: true}}, c, &outs{})
		for _, tile := range []struct{ x, y, rows int }{{32, 0, 32}, {128, 32, 32}, {0, 64, 6}} {
			p.expect(tile.x, tile.y)
			drawn, before := 0, 0
			for range 3 * p.side * p.side / 64 {
				p.fetch(64)
				drawn += 64
				if got, want := p.prefetch.rows, min(tile.rows, drawn/p.side); got != want || got < before {
					t.Fatalf("tile at %d,%d, turned %t: %d rows after %d fragments, want %d", tile.x, tile.y, turned, got, drawn, want)
				}
				before = p.prefetch.rows
			}
			if before != tile.rows {
				t.Errorf("tile at %d,%d: %d rows, want %d", tile.x, tile.y, before, tile.rows)
			}
		}
		p.prefetch = prefetch{}
		if p.fetch(1 << 20); p.prefetch.rows != 0 {
			t.Error("rows of no tile are asked for")
		}
	}
}
