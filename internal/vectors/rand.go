package vectors

import "strconv"

// A source is the random numbers of one test: splitmix64 as specified in docs/vectors.md, independent of any library,
// so that files do not change.
type source struct{ x uint64 }

// newSource starts the numbers for what the parts name: the hash of the parts (FNV-1a of 64 bits, with a zero byte
// after each part), combined with the seed.
func newSource(seed uint64, parts ...string) *source {
	h := uint64(0xcbf29ce484222325)
	for _, p := range parts {
		for i := range len(p) + 1 {
			c := byte(0)
			if i < len(p) {
				c = p[i]
			}
			h = (h ^ uint64(c)) * 0x100000001b3
		}
	}
	return &source{h ^ mix(seed)}
}

// next returns the next 64 bits.
func (r *source) next() uint64 {
	r.x += 0x9e3779b97f4a7c15
	return mix(r.x)
}

// mix is the output function of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1; n is from 1 to 2^32.
func (r *source) below(n int) int { return int(r.next() >> 32 * uint64(n) >> 32) }

// one is true once in n times.
func (r *source) one(n int) bool { return r.below(n) == 0 }

// pick returns a random element of a list.
func pick[T any](r *source, list []T) T { return list[r.below(len(list))] }

func decimal(n int) string { return strconv.Itoa(n) }
