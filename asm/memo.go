package asm

import (
	"hash/maphash"
	"sync"

	"github.com/heddle-gpu/heddle/isa"
)

// A memo caches what instructions assemble to, by their text. It holds only those that name no symbol: their bytes
// are the same at any address. Kernels repeat themselves, so most lines of a long file are found.
type memo struct {
	short, long table
	seed        maphash.Seed
}

// A table holds texts up to a length, each in a slot of fixed size that its hash selects. It grows with use up to a
// limit; a newer text replaces an older one.
type table struct {
	slots []byte
	count uint64 // of slots: a power of two, or 0
	given uint64 // texts added since it grew last
}

// A slot is the length of the text, the length of the code, the code and the text. Nearly all fit in one cache line.
// Longer texts and codes are not cached.
const (
	memoHead  = 2 + memoCode
	memoCode  = 16
	shortSlot = 64
	longSlot  = 128
	firstFew  = 1 << 7
	mostShort = 1 << 16
	mostLong  = 1 << 13
)

// A text may have several codes, by key: its own, and that of its long form. The key is the highest bit of a slot's
// first byte, and selects the neighbouring slot.
const (
	anyKey  = 0
	longKey = 1
	keyBit  = 7
)

// find returns the code of a text, nil if it is not cached. It is valid until the next call of add.
func (m *memo) find(text []byte, key uint64) []byte {
	t, size := &m.short, uint64(shortSlot)
	if len(text) > shortSlot-memoHead {
		t, size = &m.long, longSlot
	}
	if t.count == 0 || len(text) == 0 || len(text) > longSlot-memoHead {
		return nil
	}
	at := (maphash.Bytes(m.seed, text) ^ key) & (t.count - 1) * size
	s := t.slots[at : at+size]
	if uint64(s[0]) != uint64(len(text))|key<<keyBit || string(s[memoHead:memoHead+len(text)]) != string(text) {
		return nil
	}
	return s[2 : 2+s[1]]
}

func (m *memo) add(text string, key uint64, code []byte) {
	t, size, most := &m.short, uint64(shortSlot), uint64(mostShort)
	if len(text) > shortSlot-memoHead {
		t, size, most = &m.long, longSlot, mostLong
	}
	if len(text) > longSlot-memoHead || len(code) > memoCode || text == "" {
		return
	}
	if t.given++; t.given > t.count && t.count < most {
		m.grow(t, size)
	}
	at := (maphash.String(m.seed, text) ^ key) & (t.count - 1) * size
	s := t.slots[at : at+size]
	s[0], s[1] = byte(uint64(len(text))|key<<keyBit), byte(len(code))
	copy(s[2:memoHead], code)
	copy(s[memoHead:], text)
}

// grow doubles a table of slots of that size, in place if there is room: a text stays in its slot or moves up by the
// old number of slots.
func (m *memo) grow(t *table, size uint64) {
	if m.seed == (maphash.Seed{}) {
		m.seed = maphash.MakeSeed()
	}
	was := t.count
	t.count = max(firstFew, 2*was)
	t.given = t.count / 2
	if uint64(cap(t.slots)) < t.count*size {
		t.slots = append(make([]byte, 0, t.count*size), t.slots...)
	}
	t.slots = t.slots[:t.count*size]
	clear(t.slots[was*size:])
	for at := uint64(0); at < was*size; at += size {
		s := t.slots[at : at+size]
		key, n := uint64(s[0])>>keyBit, uint64(s[0])&(1<<keyBit-1)
		if n == 0 {
			continue
		}
		if to := (maphash.Bytes(m.seed, s[memoHead:memoHead+n]) ^ key) & (t.count - 1) * size; to != at {
			copy(t.slots[to:to+size], s)
			s[0] = 0
		}
	}
}

// forget empties the memo: texts change their meaning from here on.
func (m *memo) forget() {
	m.short, m.long = table{slots: m.short.slots[:0]}, table{slots: m.long.slots[:0]}
}

// memos are memos for later files: most files are short, and their memos would take most of the memory.
var memos = sync.Pool{New: func() any { return new(memo) }}

// learned are the caches of scans, for those of later files.
var learned = sync.Pool{New: func() any { return new(isa.Memo) }}

// release returns an unused memo to the pool, unless it has grown large.
func (m *memo) release() {
	if cap(m.short.slots)+cap(m.long.slots) <= mostKept {
		m.forget()
		memos.Put(m)
	}
}

const mostKept = 1 << 20
