package object

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// dynamicSyms are the symbols of .dynsym in their order, and the data for look-up by name.
type dynamicSyms struct {
	order  []int // indices in Unlinked.Symbols
	plain  int   // of order: the first plain symbols are in .hash alone
	names  []byte
	name   map[int]int // offset of each name, by index in Unlinked.Symbols
	bucket map[int]uint32
	hash   map[int]uint32
	size   uint32 // buckets of .gnu.hash
}

// dynamic lists the symbols of .dynsym: those that relocations for the loader name and that are not exported; undefined
// ones; exported ones. The last are in the order of their buckets in .gnu.hash.
func (l *linker) dynamic() *dynamicSyms {
	d := &dynamicSyms{names: []byte{0}, name: map[int]int{}, bucket: map[int]uint32{}, hash: map[int]uint32{}}
	listed := make([]bool, len(l.u.Symbols))
	for _, r := range l.rela {
		if y := &l.u.Symbols[r.symbol]; r.kind != relative64 && r.kind != abs64 && y.Section >= 0 && !y.exported() && !listed[r.symbol] {
			d.order, listed[r.symbol] = append(d.order, r.symbol), true
		}
	}
	var seen []int
	for i := range l.u.Symbols {
		switch y := &l.u.Symbols[i]; {
		case y.Name == "" || !y.exported():
		case y.Section != Undefined:
			seen, listed[i] = append(seen, i), true
		case y.Bind != BindWeak:
			d.order, listed[i] = append(d.order, i), true
		}
	}
	d.plain = len(d.order)
	for i := range l.u.Symbols {
		if listed[i] {
			d.name[i] = len(d.names)
			d.names = append(append(d.names, l.u.Symbols[i].Name...), 0)
		}
	}
	d.size = uint32(max(len(seen)/4, 1))
	for _, i := range seen {
		d.hash[i] = gnuHash(l.u.Symbols[i].Name)
		d.bucket[i] = d.hash[i] % d.size
	}
	slices.SortStableFunc(seen, func(a, b int) int { return int(d.bucket[a]) - int(d.bucket[b]) })
	d.order = append(d.order, seen...)
	return d
}

// table returns .hash: chains of symbols that have the same hash modulo their number. Source: "System V Application
// Binary Interface", hash table.
func (d *dynamicSyms) table(u *Unlinked) []byte {
	n := uint32(len(d.order) + 1)
	hash := make([]uint32, 2+2*n)
	hash[0], hash[1] = n, n
	for k, i := range d.order {
		at := 2 + elfHash(u.Symbols[i].Name)%n
		hash[2+n+uint32(k+1)] = hash[at]
		hash[at] = uint32(k + 1)
	}
	return words(hash)
}

// gnuShift is the shift that selects the second hash bit for the filter of .gnu.hash.
const gnuShift = 26

// gnuTable returns .gnu.hash: a Bloom filter, the first symbol of each bucket, and the hashes of all symbols, whose
// lowest bit marks the end of a bucket. The format leaves the sizes open; they are those of ld.lld: twelve bits of
// filter and a quarter bucket per symbol.
func (d *dynamicSyms) gnuTable(u *Unlinked) []byte {
	syms := d.order[d.plain:]
	filter := make([]uint64, 1<<bits.Len(uint(len(syms)*12/64)))
	buckets, hashes := make([]uint32, d.size), make([]uint32, len(syms))
	for k, i := range syms {
		h := d.hash[i]
		filter[h/64%uint32(len(filter))] |= 1<<(h%64) | 1<<(h>>gnuShift%64)
		if hashes[k] = h &^ 1; k+1 == len(syms) || d.bucket[syms[k+1]] != d.bucket[i] {
			hashes[k] |= 1
		}
		if k == 0 || d.bucket[syms[k-1]] != d.bucket[i] {
			buckets[d.bucket[i]] = uint32(d.plain + k + 1)
		}
	}
	out := words([]uint32{d.size, uint32(d.plain + 1), uint32(len(filter)), gnuShift})
	for _, w := range filter {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return append(append(out, words(buckets)...), words(hashes)...)
}

func words(list []uint32) (out []byte) {
	for _, w := range list {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// elfHash is the hash function of .hash.
func elfHash(name string) uint32 {
	h := uint32(0)
	for i := range len(name) {
		h = h<<4 + uint32(name[i])
		g := h & 0xf0000000
		h = (h ^ g>>24) &^ g
	}
	return h
}

// gnuHash is the hash function of .gnu.hash.
func gnuHash(name string) uint32 {
	h := uint32(5381)
	for i := range len(name) {
		h = h*33 + uint32(name[i])
	}
	return h
}
