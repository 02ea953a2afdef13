//go:build linux && amd64

package amdgpu

import "testing"

// TestClonedShare: under the debugger a dispatch has what it is granted of the share and no more, with its bytes.
func TestClonedShare(t *testing.T) {
	b := newBench(t, "polaris10", Options{})
	g, handle, err := b.NewBuffer(16, 0, &b.d.gtt)
	if err != nil {
		t.Fatal(err)
	}
	g.Domains = domainGDS
	j := &job{}
	j.take(b.Take(handle))
	defer j.give()
	if err := b.grant(j); err != nil {
		t.Fatal(err)
	}
	g.Bytes()[5] = 42
	c, err := cloneShare(j.share)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := c.Segment("gds")
	if len(s.Data) != 16 || s.Data[5] != 42 || &s.Data[0] == &g.Bytes()[0] {
		t.Errorf("%d bytes, %d", len(s.Data), s.Data)
	}
	s.Data[6] = 43
	if copyShare(j.share, c); g.Bytes()[6] != 43 {
		t.Error("what the dispatch has changed is not kept")
	}
}
