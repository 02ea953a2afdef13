package attila

import (
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// elsewhere are instructions of ARB_vertex_program, of ARB_fragment_program and of the assembly language of Direct3D
// 9, and their equivalents here.
//
// Sources: the ARB ones are those of Mesa's src/mesa/program/program_lexer.l, those of Direct3D are in the table of
// src/gallium/frontends/nine/nine_shader.c and in Microsoft's references of vs_3_0 and ps_3_0.
var elsewhere = []isa.Lead{
	{By: "ARB and Direct3D programs", Words: "abs", Texts: "mov r0, |r1|"},
	{By: "ARB and Direct3D programs", Words: "lrp", Texts: "add r0, r2, -r3\nmad r0, r1, r0, r3"},
	{By: "ARB and Direct3D programs", Words: "pow", Texts: "lg2 r0.x, r1.x\nmul r0.x, r0.x, r2.x\nex2 r0.x, r0.x"},
	{By: "ARB and Direct3D programs", Words: "sub", Texts: "add r0, r1, -r2"},
	{By: "ARB and Direct3D programs", Words: "xpd, crs", Texts: "mul r0, r1.zxyw, r2.yzxw\nmad r0.xyz, r1.yzxw, r2.zxyw, -r0"},
	{By: "ARB programs", Words: "flr", Texts: "frc r0, r1\nadd r0, r1, -r0", Note: "opcode 0x0e is named flr and implemented nowhere"},
	{By: "ARB programs", Words: "swz", Texts: "mov r0, r1.wzyx", Note: "a swizzle has no 0, no 1 and one sign for all components"},
	{By: "ARB and Direct3D programs", Words: "scs, sincos", Texts: "cos r0.x, r1.x\nsin r0.y, r1.x"},
	{By: "Direct3D programs", Words: "dp2add", Texts: "mad r0, r1.x, r2.x, r3.x\nmad r0, r1.y, r2.y, r0"},
	{By: "Direct3D programs", Words: "dsx", Texts: "ddx r0, r1"},
	{By: "Direct3D programs", Words: "dsy", Texts: "ddy r0, r1"},
	{By: "Direct3D programs", Words: "expp", Texts: "ex2 r0, r1.x"},
	{By: "Direct3D programs", Words: "logp", Texts: "lg2 r0, |r1.x|"},
	{By: "Direct3D programs", Words: "m4x4", Texts: "dp4 r0.x, r1, c0\ndp4 r0.y, r1, c1\ndp4 r0.z, r1, c2\ndp4 r0.w, r1, c3"},
	{By: "Direct3D programs", Words: "m4x3", Texts: "dp4 r0.x, r1, c0\ndp4 r0.y, r1, c1\ndp4 r0.z, r1, c2"},
	{By: "Direct3D programs", Words: "m3x4", Texts: "dp3 r0.x, r1, c0\ndp3 r0.y, r1, c1\ndp3 r0.z, r1, c2\ndp3 r0.w, r1, c3"},
	{By: "Direct3D programs", Words: "m3x3", Texts: "dp3 r0.x, r1, c0\ndp3 r0.y, r1, c1\ndp3 r0.z, r1, c2"},
	{By: "Direct3D programs", Words: "m3x2", Texts: "dp3 r0.x, r1, c0\ndp3 r0.y, r1, c1"},
	{By: "Direct3D programs", Words: "nrm", Texts: "dp3 r0.w, r1, r1\nrsq r0.w, r0.w\nmul r0.xyz, r1, r0.w"},
	{By: "Direct3D programs", Words: "sgn", Texts: "slt r0, -r1, r1\nslt r2, r1, -r1\nadd r0, r0, -r2"},
	{By: "Direct3D programs", Words: "setp", Texts: "setpgt p0, r0.x, r1.x"},
	{By: "Direct3D programs", Words: "texkill", Texts: "kil r0.xyzz"},
	{By: "Direct3D programs", Words: "texld", Texts: "tex r0, r1, t0"},
	{By: "Direct3D programs", Words: "texldb", Texts: "txb r0, r1, t0"},
	{By: "Direct3D programs", Words: "texldl", Texts: "txl r0, r1, t0"},
	{By: "Direct3D programs", Words: "texldp", Texts: "txp r0, r1, t0"},
	{By: "Direct3D programs", Words: "texcoord", Texts: "mov r0, i0"},
	{By: "Direct3D programs", Words: "if, ifc, else, endif, loop, rep, endloop, endrep, break, breakc, breakp", Note: `branches are "jmp p0, 2" here, which goes to the second instruction after it where p0 holds; "(p0) mov r0, r1" runs in such lanes`},
	{By: "Direct3D programs", Words: "call, callnz, ret, label", Note: "ATTILA has no subroutines"},
	{By: "Direct3D programs", Words: "texldd", Note: `"txl r0, r1, t0" takes a level of detail`},
	{By: "Direct3D programs", Words: "bem, texbem, texbeml, texdp3, texdp3tex, texm3x2pad, texm3x2tex, texm3x2depth, texm3x3, texm3x3pad, texm3x3tex, texm3x3spec, texreg2ar, texreg2gb, texreg2rgb",
		Note: `coordinates are computed and "tex r0, r1, t0" samples`},
	{By: "Direct3D programs", Words: "dcl, def, defb, defi", Note: "constants and inputs are given where a program runs"},
}

// foreign names the equivalent of an instruction of another tool. Modifiers follow the name: sub_sat, setp_gt,
// dcl_texcoord0.
func foreign(t *isa.Target, word, _ string) (msg, hint string) {
	name, _, _ := strings.Cut(strings.ToLower(word), "_")
	return "", t.Lead(elsewhere, strings.ToLower(word), name)
}
