package mem

import "testing"

// TestProtect: rights change in place; Execute allows neither load nor store.
func TestProtect(t *testing.T) {
	s, err := NewSpace("global", NewSegment("low", 0x1000, 16, ReadWrite), NewSegment("code", 0x2000, 16, Execute))
	if err != nil {
		t.Fatal(err)
	}
	may := func(addr uint64, want Rights) bool {
		var c Cursor
		_, f := s.At(&c, addr, 4, want)
		return f == nil
	}
	edits := s.Edits()
	if may(0x2000, Read) || may(0x2000, Write) || !may(0x1000, ReadWrite) {
		t.Error("rights before")
	}
	if !s.Protect("code", Read|Execute) || !s.Protect("low", Read) || s.Protect("none", Read) {
		t.Error("segments were not found, or one that is not there was")
	}
	if !may(0x2000, Read) || may(0x2000, Write) || !may(0x1000, Read) || may(0x1000, Write) {
		t.Error("rights after")
	}
	if list := s.Segments(); len(list) != 2 || list[0].Name != "low" || list[1].Rights != Read|Execute || s.Edits() == edits {
		t.Errorf("%v", list)
	}
}
