package rogue

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
)

// makeTags makes the text pieces that groups are printed from.
func makeTags() {
	for c, label := range phaseLabels {
		firstLeads[c], leads[c] = newTag(label[PCO]+": "), newTag(" "+label[PCO]+": ")
	}
	for n := range sources {
		sourceTags[n] = newTag(", s" + strconv.Itoa(n) + " = ")
	}
	for n, list := range group.FeedNames {
		for code, name := range list {
			selectorTags[n][code] = newTag(", is" + strconv.Itoa(n) + " = " + name)
		}
	}
	makeRegTexts()
}
