package debug

// A SourceFrame is a call frame of a wave. Inlined calls give several frames at one instruction.
type SourceFrame struct {
	Scope
	Name    string // of the function, as in the source; "": unknown
	Inlined bool
	File    string // the place of the inlined call that the frame has made; "": that of the instruction
	Line    int
}

// Frames returns the frames of the scope's wave, the innermost first.
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
			if !s.Inlined { // breakpoints name its symbol
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
