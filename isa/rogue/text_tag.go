package rogue

import "strconv"

// A tag is a short text that is copied whole, with what lies behind it, if there is room: a group has many of them.
type tag struct {
	text [maxTag]byte
	n    uint8
}

const maxTag = 16

func newTag(text string) (t tag) {
	t.n = uint8(copy(t.text[:], text))
	return t
}

// append appends the text. What dst has room for behind it may change.
func (t *tag) append(dst []byte) []byte {
	n := len(dst)
	if cap(dst)-n < maxTag {
		return append(dst, t.text[:t.n]...)
	}
	*(*[maxTag]byte)(dst[n : n+maxTag]) = t.text
	return dst[:n+int(t.n)]
}

// makeTags makes the texts that groups are printed from.
func makeTags() {
	for c, label := range phaseLabels {
		firstLeads[c], leads[c] = newTag(label[PCO]+": "), newTag(" "+label[PCO]+": ")
	}
	for n := range sources {
		sourceTags[n] = newTag(", s" + strconv.Itoa(n) + " = ")
	}
	for n, list := range feedNames {
		for code, name := range list {
			selectorTags[n][code] = newTag(", is" + strconv.Itoa(n) + " = " + name)
		}
	}
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
