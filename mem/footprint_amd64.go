package mem

// packMarks packs the lowest bits of the marks of a page, and clears the marks. any is the union of all words of
// the result. It requires hasRows.
//
//go:noescape
func packMarks(m *pageMarks, to *wordSet) (any uint64)
