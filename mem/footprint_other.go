//go:build !amd64

package mem

func packMarks(*pageMarks, *wordSet) uint64 { panic("mem: no packMarks") }
