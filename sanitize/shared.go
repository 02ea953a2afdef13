package sanitize

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/mem"
)

// A Shared is memory that launches share with others who write it, and what launches have left undefined there: later
// ones find it so as long as the bytes are the same. Launches may run beside each other, each with an Init of its own.
type Shared struct {
	shadow func(g *mem.Segment) []byte
	most   int // words

	mu    sync.Mutex
	words []sharedWord // by bank and address
	seq   uint64       // number of launches that have ended
}

// A sharedWord is a word of memory that has undefined bits.
type sharedWord struct {
	wordKey
	path   *step   // it ends with the store
	held   [4]byte // what the word held at the end of the launch
	shadow []byte  // of the word
	seq    uint64  // when it was left
}

// NewShared returns memory in which nothing is undefined. shadow returns where the shadow of a segment is: zero at
// first, and the same for the same memory; nil: there is none, and launches fail. Segments begin and end at multiples
// of 4096.
func NewShared(shadow func(g *mem.Segment) []byte) *Shared {
	return &Shared{shadow: shadow, most: maxWords}
}

// Wrote says that something else than a launch has written memory, of bank 0: it is defined.
func (k *Shared) Wrote(addr, size uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := k.from(0, addr); i < len(k.words) && k.words[i].bank == 0 && 4*k.words[i].word < addr+size; i++ {
		w := &k.words[i]
		for b := range w.shadow {
			if at := 4*w.word + uint64(b); at >= addr && at < addr+size {
				w.shadow[b] = 0
			}
		}
	}
}

// from returns the index of the first word at an address or after it.
func (k *Shared) from(bank uint8, addr uint64) int {
	i, _ := slices.BinarySearchFunc(k.words, wordKey{-1, bank, addr / 4}, func(w sharedWord, to wordKey) int { return byAddress(w.wordKey, to) })
	return i
}

func byAddress(x, y wordKey) int {
	return cmp.Or(cmp.Compare(x.bank, y.bank), cmp.Compare(x.word, y.word))
}

// at returns the word of a key; nil: nothing is undefined there.
func (k *Shared) at(key wordKey) *sharedWord {
	if i := k.from(key.bank, 4*key.word); i < len(k.words) && k.words[i].wordKey == key {
		return &k.words[i]
	}
	return nil
}

// path returns the path of a word that an earlier launch has left; nil: it is not known.
func (k *Shared) path(key wordKey) *step {
	k.mu.Lock()
	defer k.mu.Unlock()
	if w := k.at(key); w != nil {
		return w.path
	}
	return nil
}

// in calls f with the words of a segment, and with where the bytes of each are in it.
func (k *Shared) in(g *given, f func(w *sharedWord, at uint64)) {
	for i := k.from(g.bank, g.base); i < len(k.words) && k.words[i].bank == g.bank; i++ {
		at := 4*k.words[i].word - g.base
		if at >= uint64(len(g.data)) || uint64(len(g.data))-at < 4 {
			return
		}
		f(&k.words[i], at)
	}
}

// A given is a segment of which a launch has taken over what was undefined.
type given struct {
	bank uint8
	base uint64
	data []byte
	seq  uint64 // of Shared then
}

// Shares makes launches begin with what is undefined in the memory. What a launch leaves so is known when HostReads, or
// Findings, has been called.
func (u *Init) Shares(k *Shared) {
	u.shared, u.lost = k, map[lostPart]bool{}
	u.shadows.Place = func(bank uint8, g *mem.Segment) []byte {
		s := k.shadow(g)
		if s != nil {
			u.renew(bank, g, s)
		}
		return s
	}
}

// renew makes what is undefined of a segment defined where its bytes have changed.
func (u *Init) renew(bank uint8, g *mem.Segment, shadow []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ready()
	k := u.shared
	k.mu.Lock()
	defer k.mu.Unlock()
	x := given{bank, g.Base, g.Data, k.seq}
	u.given = append(u.given, x)
	k.in(&x, func(w *sharedWord, at uint64) {
		if w.shadow = shadow[at:][:4]; !bytes.Equal(w.held[:], g.Data[at:][:4]) {
			clear(w.shadow)
		}
	})
}

// keep keeps what the launch has left undefined. Words that are not remembered become defined: what writes them later
// would not be noticed.
func (u *Init) keep() {
	var now []sharedWord
	for key, s := range u.global {
		if _, _, data, shadow := u.shadows.At(key.bank, 4*key.word); len(data) >= 4 && undefined(shadow[:4]) {
			now = append(now, sharedWord{wordKey: key, path: s.path, held: [4]byte(data), shadow: shadow[:4]})
		}
	}
	slices.SortFunc(now, func(x, y sharedWord) int { return byAddress(x.wordKey, y.wordKey) })
	k := u.shared
	k.mu.Lock()
	defer k.mu.Unlock()
	k.left(u.given, now)
	for part := range u.lost {
		u.define(part)
	}
	u.given = nil
	clear(u.lost)
}

// A lostPart is a part of memory in which words became undefined that are not remembered.
type lostPart struct {
	bank   uint8
	number uint64 // address / lostBytes
}

const (
	lostBytes = 4 << 20
	lostStep  = 4 << 10 // where segments may begin
)

// define makes those words of a part defined that are not remembered. shared.mu is held.
func (u *Init) define(part lostPart) {
	for at, end := part.number*lostBytes, (part.number+1)*lostBytes; at < end; {
		_, _, _, shadow := u.shadows.At(part.bank, at)
		if shadow == nil {
			at = (at + lostStep) &^ (lostStep - 1)
			continue
		}
		shadow = shadow[:min(uint64(len(shadow)), end-at)]
		for i := 0; i+4 <= len(shadow); i += 4 {
			if w := shadow[i:][:4]; undefined(w) && u.shared.at(wordKey{-1, part.bank, at/4 + uint64(i/4)}) == nil {
				clear(w)
			}
		}
		at += uint64(len(shadow))
	}
}

func undefined(shadow []byte) bool {
	return slices.ContainsFunc(shadow, func(b byte) bool { return b != 0 })
}

// left takes over what a launch has left undefined, by address, and forgets what is defined now, or unmapped. given is
// the memory of the launch: in words that it has not written it may have written bytes, but for those that another
// launch has left meanwhile.
func (k *Shared) left(given []given, now []sharedWord) {
	k.seq++
	for i := range given {
		g := &given[i]
		k.in(g, func(w *sharedWord, at uint64) {
			if w.seq <= g.seq {
				w.held = [4]byte(g.data[at:])
			}
		})
	}
	more := now[:0]
	for i := range now {
		now[i].seq = k.seq
		if w := k.at(now[i].wordKey); w != nil {
			*w = now[i]
		} else {
			more = append(more, now[i])
		}
	}
	k.words = slices.DeleteFunc(k.words, func(w sharedWord) bool { return [4]byte(w.shadow) == [4]byte{} })
	if room := k.most - len(k.words); len(more) > room {
		for i := range more[room:] {
			clear(more[room+i].shadow)
		}
		more = more[:room]
	}
	if len(more) > 0 {
		k.words = append(k.words, more...)
		slices.SortFunc(k.words, func(x, y sharedWord) int { return byAddress(x.wordKey, y.wordKey) })
	}
}
