package gcn

import "testing"

// TestLoadAddress: code lies where its file says, if launches have nothing else there, so that it finds what it
// accesses by its own address and what others place beside it.
func TestLoadAddress(t *testing.T) {
	for base, want := range map[uint64]uint64{
		0: codeBase, 0x400100: 0x400100, scratchBase: codeBase, queueAddr: codeBase, codeBase + 0x4100: codeBase + 0x4100,
		scratchBase - 4: codeBase + (scratchBase-4)%guard, 1 << 46: 1 << 46,
	} {
		m, err := Load(BareObject(make([]byte, 8), Bare{Name: "k", Target: "gfx803", Base: base}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.segments[0].Base; got != want || m.bias != want-base {
			t.Errorf("code of %#x is at %#x, want %#x", base, got, want)
		}
	}
}
