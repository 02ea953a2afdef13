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

	mu    sync.Mutex
	words []sharedWord // by bank and address
}

// A sharedWord is a word of memory that has undefined bits.
type sharedWord struct {
	wordKey
	stored
	held   [4]byte // what the word held at the end of the launch
	shadow []byte  // of the word
}

// NewShared returns memory in which nothing is undefined. shadow returns where the shadow of a segment is: zero at
// first, and the same for the same memory. Segments begin and end at multiples of 4096.
func NewShared(shadow func(g *mem.Segment) []byte) *Shared { return &Shared{shadow: shadow} }

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

// Shares makes launches begin with what is undefined in the memory. What a launch leaves so is known when HostReads, or
// Findings, has been called.
func (u *Init) Shares(k *Shared) {
	u.shared, u.lost = k, map[lostPart]bool{}
	u.shadows.Place = func(bank uint8, g *mem.Segment) []byte {
		s := k.shadow(g)
		u.renew(bank, g, s)
		return s
	}
}

// renew takes over what is undefined of a segment, as far as its bytes are the same.
func (u *Init) renew(bank uint8, g *mem.Segment, shadow []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ready()
	k := u.shared
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := k.from(bank, g.Base); i < len(k.words) && k.words[i].bank == bank; i++ {
		w := &k.words[i]
		at := 4*w.word - g.Base
		if at >= uint64(len(g.Data)) || uint64(len(g.Data))-at < 4 {
			break
		}
		u.given = append(u.given, w.wordKey)
		w.shadow = shadow[at:][:4]
		if undefined(w.shadow) && bytes.Equal(w.held[:], g.Data[at:][:4]) {
			w.stored.before = true
			u.global[w.wordKey] = w.stored
			continue
		}
		clear(w.shadow)
	}
}

// keep keeps what the launch has left undefined. Words that are not remembered become defined: what writes them later
// would not be noticed.
func (u *Init) keep() {
	var now []sharedWord
	for key, s := range u.global {
		if _, _, data, shadow := u.shadows.At(key.bank, 4*key.word); len(data) >= 4 && undefined(shadow[:4]) {
			now = append(now, sharedWord{key, s, [4]byte(data), shadow[:4]})
		}
	}
	for part := range u.lost {
		u.define(part)
	}
	u.shared.replace(u.given, now)
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

// define makes those words of a part defined that are not remembered.
func (u *Init) define(part lostPart) {
	for at, end := part.number*lostBytes, (part.number+1)*lostBytes; at < end; {
		_, _, _, shadow := u.shadows.At(part.bank, at)
		if shadow == nil {
			at = (at + lostStep) &^ (lostStep - 1)
			continue
		}
		shadow = shadow[:min(uint64(len(shadow)), end-at)]
		for i := 0; i+4 <= len(shadow); i += 4 {
			if w := shadow[i:][:4]; undefined(w) && u.global[wordKey{-1, part.bank, at/4 + uint64(i/4)}].path == nil {
				clear(w)
			}
		}
		at += uint64(len(shadow))
	}
}

func undefined(shadow []byte) bool {
	return slices.ContainsFunc(shadow, func(b byte) bool { return b != 0 })
}

// replace replaces words by what a launch has left undefined.
func (k *Shared) replace(old []wordKey, now []sharedWord) {
	if len(old)+len(now) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	gone := make(map[wordKey]bool, len(old)+len(now))
	for _, key := range old {
		gone[key] = true
	}
	for i := range now {
		gone[now[i].wordKey] = true
	}
	k.words = append(slices.DeleteFunc(k.words, func(w sharedWord) bool { return gone[w.wordKey] }), now...)
	slices.SortFunc(k.words, func(x, y sharedWord) int { return byAddress(x.wordKey, y.wordKey) })
}
