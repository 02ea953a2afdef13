package sanitize

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// shared is memory of which launches leave words undefined.
type shared struct {
	k      *Shared
	g      mem.Segment
	shadow []byte
}

func newShared(words int) *shared {
	s := &shared{g: mem.NewSegment("b", 1<<20, 4*words, mem.ReadWrite), shadow: make([]byte, 4*words)}
	s.k = NewShared(func(*mem.Segment) []byte { return s.shadow })
	return s
}

// launch leaves words undefined.
func (s *shared) launch(t testing.TB, words ...int) *Init {
	t.Helper()
	u, space := &Init{}, &mem.Space{}
	u.Shares(s.k)
	if err := space.Add(s.g); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Shadows().Space(space, 0); err != nil {
		t.Fatal(err)
	}
	for _, at := range words {
		s.shadow[4*at] = 0xff
		u.global[wordKey{-1, 0, s.g.Base/4 + uint64(at)}] = stored{path: u.paths.from(Origin{Register: "v9"}), at: exec.Where{}}
	}
	u.Findings()
	u.HostReads(func(string) bool { return true })
	return u
}

// TestShared: words stay undefined with their paths as long as they are, hold the same bytes and are mapped.
func TestShared(t *testing.T) {
	s := newShared(1024)
	has := func(what string, want ...int) {
		t.Helper()
		if len(s.k.words) != len(want) {
			t.Errorf("%s: %d words, want %v", what, len(s.k.words), want)
		}
		for _, at := range want {
			if p := s.k.path(wordKey{-1, 0, s.g.Base/4 + uint64(at)}); p == nil || p.origin.Register != "v9" || s.shadow[4*at] == 0 {
				t.Errorf("%s: word %d: %v, shadow %#x", what, at, p, s.shadow[4*at])
			}
		}
	}
	s.launch(t, 7, 5, 6, 900)
	has("left", 5, 6, 7, 900)
	s.g.Data[4*6] = 1 // by the program
	s.launch(t, 100)
	has("changed", 5, 7, 100, 900)
	clear(s.shadow[4*7 : 4*900])
	s.launch(t)
	has("defined", 5, 900)
	clear(s.shadow) // as when it is unmapped
	s.g = mem.NewSegment("other", 1<<30, 4096, mem.ReadWrite)
	s.launch(t)
	has("unmapped")
}

// TestManyShared: there are no more words than are remembered, and others are defined.
func TestManyShared(t *testing.T) {
	s := newShared(64)
	s.k.most = 4
	s.launch(t, 0, 1, 2)
	s.launch(t, 1, 4, 5)
	s.launch(t, 6)
	if len(s.k.words) != 4 || s.shadow[4*4] == 0 || s.shadow[4*5] != 0 || s.shadow[4*6] != 0 {
		t.Errorf("%d words, shadow % x", len(s.k.words), s.shadow)
	}
}

func BenchmarkShared(b *testing.B) {
	s := newShared(maxWords)
	all := make([]int, maxWords)
	for i := range all {
		all[i] = i
	}
	s.launch(b, all...)
	for b.Loop() {
		s.launch(b)
	}
}
