package isa

import "sort"

// A Rewording is a text that is built from a line piece by piece, with the origin of each piece in the line.
type Rewording struct {
	Text  []byte
	marks []mark
}

// A mark says that the text from at on comes from a place of the line, and with same that it is a copy.
type mark struct {
	at, place int
	same      bool
}

// Put appends text that replaces what is at a place of the line.
func (r *Rewording) Put(text string, place int) {
	r.marks = append(r.marks, mark{len(r.Text), place, false})
	r.Text = append(r.Text, text...)
}

// Copy appends a part of the line.
func (r *Rewording) Copy(line string, from, to int) {
	r.marks = append(r.marks, mark{len(r.Text), from, true})
	r.Text = append(r.Text, line[from:to]...)
}

// Place returns the offset in the line that an offset in the text comes from.
func (r *Rewording) Place(at int) int {
	i := sort.Search(len(r.marks), func(i int) bool { return r.marks[i].at > at }) - 1
	if i < 0 {
		return 0
	}
	m := r.marks[i]
	if m.same {
		return m.place + at - m.at
	}
	return m.place
}
