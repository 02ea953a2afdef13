package exectest

import "strings"

// stackPaths were derived by hand from docs/reference/tesla.md 8.
var stackPaths = []path{
	{name: "if and else", p: [4]uint64{0xa}, text: `
100 push 114
104 diverge p0 110
108 nop
10c jump 114
110 nop
114 join
118 end`, trace: "100:f 104:f 110:a 114:a 108:5 10c:5 114:5 118:f end"},

	{name: "nested ifs", p: [4]uint64{0xa, 8, 1}, text: `
100 push 12c
104 diverge p0 11c
108 push 114
10c diverge p2 114
110 nop
114 join
118 jump 12c
11c push 128
120 diverge p1 128
124 nop
128 join
12c join
130 end`, trace: `100:f 104:f 11c:a 120:a 128:8 124:2 128:2 12c:a
		108:5 10c:5 114:1 110:4 114:4 118:5 12c:5 130:f end`},

	{name: "a loop left in parts", p: [4]uint64{1, 2, 8}, text: `
100 pushbreak 11c
104 break p0
108 diverge p2 114
10c break p1
110 break
114 nop
118 break
11c end`, trace: "100:f 104:f 108:e 114:8 118:8 10c:6 110:4 11c:f end"},

	{name: "a loop whose trips differ", p: [4]uint64{0, 1, 5, 0xf}, text: `
100 pushbreak 110
104 shift
108 break p0
10c jump 104
110 end`, trace: "100:f 104:f 108:f 10c:e 104:e 108:e 10c:a 104:a 108:a 110:f end"},

	{name: "a break from one side of an if", p: [4]uint64{0xa, 2}, text: `
100 pushbreak 120
104 push 118
108 diverge p0 114
10c nop
110 jump 118
114 break p1
118 join
11c break
120 end`, trace: "100:f 104:f 108:f 114:a 118:8 10c:5 110:5 118:5 11c:d 120:f end"},

	{name: "breaks from both sides of an if", p: [4]uint64{0xa}, text: `
100 pushbreak 118
104 push 114
108 diverge p0 110
10c break
110 break
114 join
118 end`, trace: "100:f 104:f 108:f 110:a 10c:5 118:f end"},

	{name: "lanes at a join go on when the others leave", p: [4]uint64{0xa}, text: `
100 pushbreak 11c
104 push 114
108 diverge p0 114
10c nop
110 break
114 join
118 break
11c end`, trace: "100:f 104:f 108:f 114:a 10c:5 110:5 118:a 11c:f end"},

	{name: "a divergent branch that has no join of its own", p: [4]uint64{0xa, 8}, text: `
100 push 110
104 diverge p0 110
108 diverge p1 110
10c nop
110 join
114 end`, trace: "100:f 104:f 110:a 108:5 10c:5 110:5 114:f end"},

	{name: "a function left in parts", p: [4]uint64{0xa, 1}, text: `
100 call 200
104 end
200 return p0
204 diverge p1 210
208 nop
20c return
210 return`, trace: "100:f 200:f 204:5 210:1 208:4 20c:4 104:f end"},

	{name: "calls of no lane and of some", p: [4]uint64{6, 0}, text: `
100 call p1 200
104 call p0 200
108 calllim p0 200
10c end
200 return`, trace: "100:f 104:f 200:6 108:f 200:6 10c:f end"},

	{name: "nested calls", p: [4]uint64{3}, text: `
100 call 200
104 end
200 call p0 300
204 return
300 nop
304 return`, trace: "100:f 200:f 300:3 304:3 204:f 104:f end"},

	{name: "recursion up to the limit", text: `
100 calllim 200
104 end
200 calllim 200
204 return`, trace: "100:f 200:f 200:f 200:f 204:f 204:f 204:f 104:f end"},

	{name: "calls without limit do not count", text: `
100 call 108
104 end
108 call 110
10c return
110 call 118
114 return
118 call 120
11c return
120 calllim 200
124 return
200 return`, trace: "100:f 108:f 110:f 118:f 120:f 200:f 124:f 11c:f 114:f 10c:f 104:f end"},

	{name: "a return where nothing was called", p: [4]uint64{5}, text: `
100 return p0
104 pushbreak 200
108 return`, trace: "100:f 104:a 108:a end"},

	{name: "a return address pushed before the jump", p: [4]uint64{1}, text: `
100 pushreturn 10c
104 jump 200
108 nop
10c end
200 return p0
204 return`, trace: "100:f 104:f 200:f 204:e 10c:f end"},

	{name: "a return from inside a loop", p: [4]uint64{3}, text: `
100 call 200
104 end
200 pushbreak 210
204 return p0
208 break
20c nop
210 return`, trace: "100:f 200:f 204:f 208:c 210:c 104:f end"},

	{name: "a break out of a function", p: [4]uint64{3}, text: `
100 pushbreak 10c
104 call 200
108 break
10c end
200 break p0
204 return`, trace: "100:f 104:f 200:f 204:c 108:c 10c:f end"},

	{name: "nobody breaks or returns", text: `
100 break p0
104 return p0
108 end`, trace: "100:f 104:f 108:f end"},

	{name: "one side of an if ends", p: [4]uint64{0xa}, text: `
100 push 110
104 diverge p0 10c
108 jump 110
10c retire
110 join
114 end`, trace: "100:f 104:f 10c:a 108:5 110:5 114:5 end"},

	{name: "the side that joins last ends", p: [4]uint64{0xa}, text: `
100 push 10c
104 diverge p0 10c
108 retire
10c join
110 end`, trace: "100:f 104:f 10c:a 108:5 110:a end"},

	{name: "lanes end in a loop and in a function", p: [4]uint64{1, 2, 8}, text: `
100 pushbreak 11c
104 retire p0
108 call 200
10c break p2
110 nop
114 retire
118 nop
11c end
200 retire p1
204 return`, trace: "100:f 104:f 108:e 200:e 204:c 10c:c 110:4 114:4 11c:8 end"},

	{name: "a function in which all end", p: [4]uint64{3}, text: `
100 call p0 200
104 end
200 retire`, trace: "100:f 200:3 104:c end"},

	{name: "every lane ends", p: [4]uint64{0xa}, text: `
100 push 10c
104 diverge p0 10c
108 retire
10c retire`, trace: "100:f 104:f 10c:a 108:5 end"},

	{name: "targets of each lane", p: [4]uint64{0xb}, v: [4]uint32{0x208, 0x204, 0x200, 0x208}, text: `
100 divergex p0
104 retire
200 retire
204 retire
208 retire`, trace: "100:f 208:9 204:2 104:4 end"},

	{name: "targets of each lane, all equal", v: [4]uint32{0x200, 0x200, 0x200, 0x200}, text: `
100 divergex p0
104 divergex
200 end`, trace: "100:f 104:f 200:f end"},

	{name: "a quad of which one lane runs", p: [4]uint64{1}, v: [4]uint32{10, 11, 12, 13}, text: `
100 push 11c
104 diverge p0 110
108 nop
10c jump 11c
110 quadon
114 swap
118 quadpop
11c join
120 end`, trace: "100:f 104:f 110:1 114:f 118:f 11c:1 108:e 10c:e 11c:e 120:f end", want: [4]uint32{11, 10, 13, 12}},

	{name: "without quadon a neighbour that waits gives nothing", p: [4]uint64{1}, v: [4]uint32{10, 11, 12, 13}, text: `
100 diverge p0 10c
104 swap
108 retire
10c swap
110 retire`, trace: "100:f 10c:1 110:1 104:e 108:e end", want: [4]uint32{0, 0, 13, 12}},

	{name: "lanes that have ended help", p: [4]uint64{2}, v: [4]uint32{10, 11, 12, 13}, text: `
100 retire p0
104 quadon
108 swap
10c quadpop
110 end`, trace: "100:f 104:d 108:f 10c:f 110:d end", want: [4]uint32{11, 10, 13, 12}},

	{name: "a lane ends between quadon and quadpop", p: [4]uint64{3, 1}, v: [4]uint32{10, 11, 12, 13}, text: `
100 diverge p0 10c
104 nop
108 retire
10c quadon
110 retire p1
114 swap
118 quadpop
11c retire`, trace: "100:f 10c:3 110:f 114:e 118:e 11c:2 104:c 108:c end", want: [4]uint32{0, 0, 13, 12}},

	{name: "helpers do not end", p: [4]uint64{3}, text: `
100 diverge p0 10c
104 nop
108 retire
10c quadon
110 retire
114 nop`, trace: "100:f 10c:3 110:f 104:c 108:c end"},

	{name: "those that asked for help end", p: [4]uint64{3}, text: `
100 diverge p0 10c
104 nop
108 retire
10c quadon
110 retire p0
114 nop
118 quadpop
11c nop`, trace: "100:f 10c:3 110:f 114:c 118:c 104:c 108:c end"},

	{name: "steps that part nobody between quadon and quadpop", p: [4]uint64{0, 0xf}, text: `
100 quadon
104 diverge p1 10c
108 nop
10c diverge p0 108
110 break p0
114 quadpop
118 end`, trace: "100:f 104:f 10c:f 110:f 114:f 118:f end"},
}

// faultPaths end in a fault at their last instruction, with all lanes active.
var faultPaths = []path{
	{name: "join, nothing there", text: "100 join",
		trace: `100:f pc 0x100 "at100" wave 0: join without a reconvergence point on the control stack`},
	{name: "join above a break", text: "100 pushbreak 200\n104 join",
		trace: `100:f 104:f pc 0x104 "at104" wave 0: join with a break token on top of the control stack`},
	{name: "join above a call", text: "100 call 200\n200 join",
		trace: `100:f 200:f pc 0x200 "at200" wave 0: join with a call token on top of the control stack`},
	{name: "join above a limited call", text: "100 push 300\n104 calllim 200\n200 join",
		trace: `100:f 104:f 200:f pc 0x200 "at200" wave 0: join with a limited call token on top of the control stack`},
	{name: "break, no loop", text: "100 push 200\n104 break",
		trace: `100:f 104:f pc 0x104 "at104" wave 0: break without a place to break to on the control stack`},
	{name: "quadpop, nothing there", text: "100 quadpop",
		trace: `100:f pc 0x100 "at100" wave 0: quadpop without a quadon on top of the control stack`},
	{name: "quadpop above a join", text: "100 push 200\n104 quadpop",
		trace: `100:f 104:f pc 0x104 "at104" wave 0: quadpop without a quadon on top of the control stack`},
	{name: "quadon twice", text: "100 quadon\n104 quadon",
		trace: `100:f 104:f pc 0x104 "at104" wave 0: quadon between quadon and quadpop`},
	{name: "join between quadon and quadpop", text: "100 push 200\n104 quadon\n108 join",
		trace: `100:f 104:f 108:f pc 0x108 "at108" wave 0: join between quadon and quadpop`},
	{name: "call between quadon and quadpop", text: "100 quadon\n104 call 200",
		trace: `100:f 104:f pc 0x104 "at104" wave 0: call between quadon and quadpop`},
	{name: "lanes part between quadon and quadpop", p: [4]uint64{1}, text: "100 quadon\n104 diverge p0 200",
		trace: `100:f 104:f pc 0x104 "at104" wave 0: diverge between quadon and quadpop`},
	{name: "recursion without limit", text: "100 call 100",
		trace: strings.Repeat("100:f ", 25) + `pc 0x100 "at100" wave 0: the control stack is full: it holds 24 tokens`},
	{name: "a loop that pushes", text: "100 push 200\n104 jump 100",
		trace: strings.Repeat("100:f 104:f ", 24) + `100:f pc 0x100 "at100" wave 0: the control stack is full: it holds 24 tokens`},
	{name: "no room to part", p: [4]uint64{3}, text: "100 quadon\n104 quadpop\n108 pushbreak 200\n10c diverge p1 200\n110 jump 108",
		trace: "100:f 104:f " + strings.Repeat("108:f 10c:f 110:f ", 24) + `108:f pc 0x108 "at108" wave 0: the control stack is full: it holds 24 tokens`},
}

// lowestPaths were derived by hand from docs/reference/valhall.md 7.
var lowestPaths = []path{
	{name: "a branch forward", p: [4]uint64{0xa}, text: `
100 diverge p0 110
104 nop
108 reconverge 114
110 reconverge 114
114 end`, trace: "100:f 104:5 108:5 110:a 114:f end"},

	{name: "a branch backward", p: [4]uint64{0, 0xe, 0xc, 8}, text: `
100 shift
104 reconverge p0 100
108 end`, trace: "100:f 104:f 100:e 104:e 100:c 104:c 100:8 104:8 108:f end"},

	{name: "lanes that agree reconverge with none", p: [4]uint64{0xa, 0xf}, text: `
100 diverge p0 10c
104 diverge p1 10c
108 nop
10c nop
110 reconverge 114
114 end`, trace: "100:f 104:5 10c:5 110:5 10c:a 110:a 114:f end"},

	{name: "lanes that reconverge do", p: [4]uint64{0xa, 0xf}, text: `
100 diverge p0 10c
104 reconverge p1 10c
108 nop
10c nop
110 reconverge 114
114 end`, trace: "100:f 104:5 10c:f 110:f 114:f end"},

	{name: "lanes end", p: [4]uint64{0xa, 1}, text: `
100 diverge p0 110
104 retire p1
108 retire
110 retire`, trace: "100:f 104:5 108:4 110:a end"},

	{name: "lanes end while others wait below", p: [4]uint64{3, 1}, text: `
100 jump 200
104 reconverge 300
200 diverge p0 104
204 nop
208 reconverge 300
300 retire p1
304 end`, trace: "100:f 200:f 104:3 204:c 208:c 300:f 304:e end"},

	{name: "calls and returns through registers", p: [4]uint64{0xa}, text: `
100 diverge p0 10c
104 link 120
108 reconverge 200
10c link 130
110 reconverge 200
120 reconverge 140
130 reconverge 140
140 end
200 nop
204 reconvergex`, trace: "100:f 104:5 108:5 10c:a 110:a 200:f 204:f 120:5 130:a 140:f end"},

	{name: "targets of each lane", p: [4]uint64{0xb}, v: [4]uint32{0x208, 0x204, 0x200, 0x208}, text: `
100 divergex p0
104 retire
200 retire
204 retire
208 retire`, trace: "100:f 104:4 204:2 208:9 end"},

	{name: "targets of each lane, all equal", p: [4]uint64{0, 5}, v: [4]uint32{0x200, 0x200, 0x200, 0x200}, text: `
100 divergex p0
104 diverge p1 200
108 divergex
200 nop
204 reconverge 208
208 end`, trace: "100:f 104:f 108:a 200:a 204:a 200:5 204:5 208:f end"},
}
