package rogue

// A tag is a short text that is copied as a whole array if there is room: a group has many of them.
type tag struct {
	text [maxTag]byte
	n    uint8
}

const maxTag = 16

func newTag(text string) (t tag) {
	t.n = uint8(copy(t.text[:], text))
	return t
}

// append appends the text. It may overwrite spare capacity of dst after it.
func (t *tag) append(dst []byte) []byte {
	n := len(dst)
	if cap(dst)-n < maxTag {
		return append(dst, t.text[:t.n]...)
	}
	*(*[maxTag]byte)(dst[n : n+maxTag]) = t.text
	return dst[:n+int(t.n)]
}

// makeRegTexts makes the texts of register names.
func makeRegTexts() {
	for bank := range regTexts {
		for n := range regTexts[bank] {
			var room [16]byte
			text := appendReg(room[:0], reg{uint8(bank), uint16(n)}, 1, PCO)
			x := uint64(len(text)) << 56
			for i, c := range text {
				x |= uint64(c) << (8 * i)
			}
			regTexts[bank][n] = x
		}
	}
}
