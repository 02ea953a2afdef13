package mem

// packMarks packs the lowest bits of the marks of a page, and makes the marks zero. any has the bits of all words. It takes what hasRows says.
//
//go:noescape
func packMarks(m *pageMarks, to *wordSet) (any uint64)
