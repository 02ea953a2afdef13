package rogue

import "strconv"

// makeTags makes the text pieces that groups are printed from.
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
	makeRegTexts()
}
