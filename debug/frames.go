package debug

// A SourceFrame is a place that a wave is at, or will come back to. Where calls have been inlined there are several at one instruction.
type SourceFrame struct {
	Scope
	Name    string // of the function, as the source has it; "": nobody says
	Inlined bool
	File    string // where the inlined call is that the frame has made; "": the instruction says where it is
	Line    int
}

// Frames are the frames of the scope's wave, the innermost first.
func (at *Scope) Frames() (list []SourceFrame) {
	for _, f := range at.Wave.Frames(at.PC) {
		in := *at
		in.PC, in.Outer, in.Inline = f.PC, f.Outer, 0
		funcs := in.Functions()
		if len(funcs) == 0 {
			list = append(list, SourceFrame{Scope: in})
		}
		for i := range funcs {
			in.Inline = i
			s := SourceFrame{Scope: in, Name: funcs[i].Name, Inlined: funcs[i].Inlined}
			if !s.Inlined { // its symbol is what breakpoints name
				s.Name = ""
			}
			if i > 0 {
				s.File, s.Line = funcs[i-1].CallFile, funcs[i-1].CallLine
			}
			list = append(list, s)
		}
	}
	return list
}
