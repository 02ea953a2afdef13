// A set that there is not.
.isa voodoo:2
//@ diag(".isa voodoo:2", error, "isa", "no instruction set") nohover("voodoo")
	s_nop 0
