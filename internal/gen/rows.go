package main

import (
	"fmt"
	"go/format"
	"regexp"
	"sort"
	"strings"
)

// A loop is a family of functions of the portable engine: one op on values of one width, one function for each shape. A
// shape is the places of results and operands: R a row of 32 bits per lane, V 64 bits per lane, M a lane mask, W one
// 32-bit number per wave, X one 64-bit number per wave. In an expression a, b and c are the operands in a lane (0 or 1
// for a mask); n and m are the op's immediate.
type loop struct {
	op     string
	to     int // width of the op's type in bits; 0: any up to 32, in rows
	from   int // width of the first operand if the expression depends on it, else 0
	shapes string
	exprs  [2]string // by result
	bits   bool      // also valid for packed types
}

// lanesAtOnce is the unroll factor of loops.
const lanesAtOnce = 4

const (
	both     = "R=RR R=RW R=WR"
	either   = "R=RR R=RW" // operands may be exchanged
	compares = "M=RR M=RW M=WR"
	same     = "M=RR M=RW"
	three    = "R=RRR R=RRW R=RWR R=WRR R=RWW R=WRW R=WWR"
	chosen   = "R=MRR R=MRW R=MWR R=MWW"
)

// loops32 are the ops on rows.
var loops32 = []loop{
	{"IAdd", 32, 0, either, e1("a+b"), false},
	{"ISub", 32, 0, both, e1("a-b"), false},
	{"IMul", 32, 0, either, e1("a*b"), false},
	{"MulHiU", 32, 0, either, e1("uint32(uint64(a)*uint64(b)>>32)"), false},
	{"MulHiS", 32, 0, either, e1("uint32(uint64(int64(int32(a))*int64(int32(b)))>>32)"), false},
	{"And", 0, 0, either, e1("a&b"), true},
	{"Or", 0, 0, either, e1("a|b"), true},
	{"Xor", 0, 0, either, e1("a^b"), true},
	{"Not", 32, 0, "R=R", e1("^a"), true},
	{"INeg", 32, 0, "R=R", e1("-a"), false},
	{"Shl", 32, 0, both, e1("a<<(b&31)"), false},
	{"ShrU", 32, 0, both, e1("a>>(b&31)"), false},
	{"ShrS", 32, 0, both, e1("uint32(int32(a)>>(b&31))"), false},
	{"ShlX", 32, 0, both, e1("a<<b"), false},
	{"ShrUX", 32, 0, both, e1("a>>b"), false},
	{"ShrSX", 32, 0, both, e1("uint32(int32(a)>>b)"), false},
	{"Ror", 32, 0, both, e1("bits.RotateLeft32(a,-int(b&31))"), false},
	{"UMin", 0, 0, either, e1("min(a,b)"), false},
	{"UMax", 0, 0, either, e1("max(a,b)"), false},
	{"SMin", 32, 0, either, e1("uint32(min(int32(a),int32(b)))"), false},
	{"SMax", 32, 0, either, e1("uint32(max(int32(a),int32(b)))"), false},
	{"UAbsDiff", 0, 0, either, e1("max(a,b)-min(a,b)"), false},
	{"UAddSat", 32, 0, either, e1("a+min(b,^a)"), false},
	{"USubSat", 32, 0, both, e1("max(a,b)-b"), false},
	{"Bfm", 32, 0, both, e1("(1<<(a&31)-1)<<(b&31)"), false},
	{"Popcount", 0, 0, "R=R", e1("uint32(bits.OnesCount32(a))"), false},
	{"Clz", 32, 0, "R=R", e1("uint32(bits.LeadingZeros32(a))"), false},
	{"Ctz", 32, 0, "R=R", e1("uint32(bits.TrailingZeros32(a))"), false},
	{"BitRev", 32, 0, "R=R", e1("bits.Reverse32(a)"), false},
	{"FNeg", 32, 0, "R=R", e1("a^1<<31"), false},
	{"FAbs", 32, 0, "R=R", e1("a&^(1<<31)"), false},
	{"FNeg", 16, 0, "R=R", e1("a^1<<15"), false},
	{"FAbs", 16, 0, "R=R", e1("a&^(1<<15)"), false},
	{"IAdd", 16, 0, either, e1("(a+b)&0xffff"), false},
	{"ISub", 16, 0, both, e1("(a-b)&0xffff"), false},
	{"IMul", 16, 0, either, e1("(a*b)&0xffff"), false},
	{"Shl", 16, 0, both, e1("a<<(b&15)&0xffff"), false},
	{"ShrU", 16, 0, both, e1("a>>(b&15)"), false},
}

// loops32x are the ops on rows with more operands or results, and those that change the width.
var loops32x = []loop{
	{"FShr", 32, 0, three, e1("uint32((uint64(a)<<32|uint64(b))>>(c&31))"), false},
	{"UBfe", 32, 0, three, e1("a>>(b&31)&(1<<(c&31)-1)"), false},
	{"SBfe", 32, 0, "R=RRR R=RWW", e1("uint32(num.SBfe(32,uint64(a),uint64(b),uint64(c)))"), false},
	{"Bfi", 0, 0, three, e1("c^(b^c)&a"), true},
	{"Select", 0, 0, chosen, e1("c^(b^c)&-uint32(a)"), true},
	{"AddC", 32, 0, "RM=RRX RM=RWX RM=RRM RM=RWM RM=WWM", e2("uint32(uint64(a)+uint64(b)+c&1)", "(uint64(a)+uint64(b)+c&1)>>32"), false},
	{"SubB", 32, 0, "RM=RRX RM=RWX RM=WRX RM=RRM RM=RWM RM=WRM", e2("uint32(uint64(a)-uint64(b)-c&1)", "(uint64(a)-uint64(b)-c&1)>>63"), false},
	{"MulWideU", 32, 0, "RR=RR RR=RW", e2("a*b", "uint32(uint64(a)*uint64(b)>>32)"), false},
	{"MulWideS", 32, 0, "RR=RR RR=RW", e2("a*b", "uint32(uint64(int64(int32(a))*int64(int32(b)))>>32)"), false},
	{"Trunc", 32, 0, "R=V", e1("uint32(a)"), false},
	{"Trunc", 16, 0, "R=R", e1("a&0xffff"), false},
	{"Trunc", 8, 0, "R=R", e1("a&0xff"), false},
	{"Trunc", 1, 0, "M=R", e1("uint64(a&1)"), false},
	{"ZExt", 0, 1, "R=M", e1("uint32(a)"), false},
	{"ZExt", 0, 0, "R=R", e1("a"), false},
	{"SExt", 32, 1, "R=M", e1("-uint32(a)"), false},
	{"SExt", 32, 8, "R=R", e1("uint32(int8(a))"), false},
	{"SExt", 16, 8, "R=R", e1("uint32(uint16(int8(a)))"), false},
	{"SExt", 32, 16, "R=R", e1("uint32(int16(a))"), false},
	{"Pack", 32, 16, both, e1("a|b<<16"), true},
	{"Unpack", 16, 0, "RR=R", e2("a&0xffff", "a>>16"), true},
	{"Unpack", 32, 0, "RR=V", e2("uint32(a)", "uint32(a>>32)"), true},
	{"Extract", 32, 64, "R=V", e1("uint32(a>>n)"), true},
	{"Extract", 16, 32, "R=R", e1("a>>n&0xffff"), true},
	{"Extract", 8, 32, "R=R", e1("a>>n&0xff"), true},
	{"Insert", 32, 16, both, e1("a&^(0xffff<<n)|b<<n"), true},
	{"Insert", 32, 8, both, e1("a&^(0xff<<n)|b<<n"), true},
	{"UDot4", 32, 0, either, e1("uint32(num.UDot4(32,uint64(a),uint64(b)))"), true},
	{"BytePerm", 32, 0, three, e1("uint32(num.BytePerm(32,uint64(a),uint64(b),uint64(c)))"), true},
}

// loopsCompare are comparisons of rows.
var loopsCompare = []loop{
	{"Eq", 0, 0, same, e1("bit(a==b)"), false},
	{"Ne", 0, 0, same, e1("bit(a!=b)"), false},
	{"ULt", 0, 0, compares, e1("(uint64(a)-uint64(b))>>63"), false},
	{"ULe", 0, 0, compares, e1("(uint64(b)-uint64(a))>>63^1"), false},
	{"SLt", 32, 0, compares, e1("uint64(int64(int32(a))-int64(int32(b)))>>63"), false},
	{"SLe", 32, 0, compares, e1("uint64(int64(int32(b))-int64(int32(a)))>>63^1"), false},
	{"Eq", 64, 0, "M=VV M=VX", e1("bit(a==b)"), false},
	{"Ne", 64, 0, "M=VV M=VX", e1("bit(a!=b)"), false},
	{"ULt", 64, 0, "M=VV M=VX M=XV", e1("bit(a<b)"), false},
	{"ULe", 64, 0, "M=VV M=VX M=XV", e1("bit(a<=b)"), false},
	{"SLt", 64, 0, "M=VV M=VX M=XV", e1("bit(int64(a)<int64(b))"), false},
	{"SLe", 64, 0, "M=VV M=VX M=XV", e1("bit(int64(a)<=int64(b))"), false},
}

const (
	both64   = "V=VV V=VX V=XV"
	either64 = "V=VV V=VX"
)

// loops64 are ops whose results have 64 bits.
var loops64 = []loop{
	{"IAdd", 64, 0, either64, e1("a+b"), false},
	{"ISub", 64, 0, both64, e1("a-b"), false},
	{"IMul", 64, 0, either64, e1("a*b"), false},
	{"And", 64, 0, either64, e1("a&b"), false},
	{"Or", 64, 0, either64, e1("a|b"), false},
	{"Xor", 64, 0, either64, e1("a^b"), false},
	{"Not", 64, 0, "V=V", e1("^a"), false},
	{"INeg", 64, 0, "V=V", e1("-a"), false},
	{"Shl", 64, 0, both64, e1("a<<(b&63)"), false},
	{"ShrU", 64, 0, both64, e1("a>>(b&63)"), false},
	{"ShrS", 64, 0, both64, e1("uint64(int64(a)>>(b&63))"), false},
	{"ShlX", 64, 0, both64, e1("a<<b"), false},
	{"ShrUX", 64, 0, both64, e1("a>>b"), false},
	{"UMin", 64, 0, either64, e1("min(a,b)"), false},
	{"UMax", 64, 0, either64, e1("max(a,b)"), false},
	{"FNeg", 64, 0, "V=V", e1("a^1<<63"), false},
	{"FAbs", 64, 0, "V=V", e1("a&^(1<<63)"), false},
	{"Select", 64, 0, "V=MVV V=MVX V=MXV", e1("c^(b^c)&-a"), false},
	{"Pack", 64, 32, "V=RR V=RW V=WR", e1("uint64(a)|uint64(b)<<32"), false},
	{"ZExt", 64, 0, "V=R", e1("uint64(a)"), false},
	{"SExt", 64, 32, "V=R", e1("uint64(int32(a))"), false},
	{"AddC", 64, 0, "VM=VVX VM=VXX", e2("a+b+c&1", "carry(a,b,c)"), false},
	{"SubB", 64, 0, "VM=VVX VM=VXX", e2("a-b-c&1", "borrow(a,b,c)"), false},
}

func e1(e string) [2]string    { return [2]string{e, ""} }
func e2(e, f string) [2]string { return [2]string{e, f} }

// operand returns the expression of an operand in lane j+k, by its letter in the shape.
func operand(letter byte, name string, k int) string {
	switch letter {
	case 'R', 'V':
		return name + "[" + lane(k) + "]"
	case 'M':
		return "(" + name + ">>(" + lane(k) + ")&1)"
	}
	return name
}

func lane(k int) string {
	if k == 0 {
		return "j"
	}
	return fmt.Sprintf("j+%d", k)
}

var names = regexp.MustCompile(`\b[abc]\b`)

// body returns the function of a shape.
func (l *loop) body(name, shape string) string {
	res, args, _ := strings.Cut(shape, "=")
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(r *runner, o *op) bool {\n", name)
	for i := range args {
		x := "abc"[i : i+1]
		fmt.Fprintf(&b, "%s := %s\n", x, fmt.Sprintf(map[byte]string{'R': "r.row(o.%s)", 'V': "&r.vecs[o.%s]", 'W': "uint32(r.words[o.%s])", 'X': "r.words[o.%s]", 'M': "r.words[o.%s]"}[args[i]], x))
	}
	for i := range res {
		x := "de"[i : i+1]
		if res[i] == 'M' {
			fmt.Fprintf(&b, "%s := uint64(0)\n", x)
		} else {
			fmt.Fprintf(&b, "%s := %s\n", x, fmt.Sprintf(map[byte]string{'R': "r.row(o.%s)", 'V': "&r.vecs[o.%s]"}[res[i]], x))
		}
	}
	if strings.Contains(l.exprs[0], "n") && regexp.MustCompile(`\bn\b`).MatchString(l.exprs[0]) {
		b.WriteString("n := o.imm & 63\n")
	}
	fmt.Fprintf(&b, "for i := 0; i < r.n; i += laneBlock {\nj := i & (ir.MaxLanes - laneBlock)\n")
	for i := range res {
		l.lanes(&b, res[i], "de"[i:i+1], args, l.exprs[i])
	}
	b.WriteString("}\n")
	for i := range res {
		if res[i] == 'M' {
			x := "de"[i : i+1]
			fmt.Fprintf(&b, "r.words[o.%s] = %s & r.full\n", x, x)
		}
	}
	b.WriteString("return true\n}\n\n")
	return b.String()
}

// lanes writes the loop body for one result of a group of lanes.
func (l *loop) lanes(b *strings.Builder, res byte, name, args, expr string) {
	var terms []string
	for k := range lanesAtOnce {
		e := names.ReplaceAllStringFunc(expr, func(x string) string { return operand(args[x[0]-'a'], x, k) })
		switch {
		case res != 'M':
			fmt.Fprintf(b, "%s[%s] = %s\n", name, lane(k), e)
		case k == 0:
			terms = append(terms, "("+e+")")
		default:
			terms = append(terms, fmt.Sprintf("(%s)<<%d", e, k))
		}
	}
	if res == 'M' {
		fmt.Fprintf(b, "%s |= (%s) << j\n", name, strings.Join(terms, "|"))
	}
}

// rowFiles returns the generated files of the portable engine.
func rowFiles() (map[string]string, error) {
	files := map[string]string{}
	for _, f := range []struct {
		name  string
		loops []loop
	}{{"32", loops32}, {"32x", loops32x}, {"Compare", loopsCompare}, {"64", loops64}} {
		if err := rowFile(files, f.name, f.loops); err != nil {
			return nil, err
		}
	}
	return files, floatFiles(files)
}

// maxRows is the number of functions per file.
const maxRows = 32

func rowFile(files map[string]string, name string, loops []loop) error {
	var bodies []string
	byOp := map[string][]string{}
	for i := range loops {
		l := &loops[i]
		for shape := range strings.FieldsSeq(l.shapes) {
			fn := fmt.Sprintf("%s%s%s", strings.ToLower(l.op[:1]), l.op[1:], strings.ReplaceAll(shape, "=", ""))
			if l.to != 0 || l.from != 0 {
				fn += fmt.Sprintf("%dof%d", l.to, l.from)
			}
			bodies = append(bodies, l.body(fn, shape))
			byOp[l.op] = append(byOp[l.op], fmt.Sprintf("{%q, %d, %d, %t, %s}", shape, l.to, l.from, l.bits, fn))
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "var functions%s = [...][]function{\n", name)
	ops := make([]string, 0, len(byOp))
	for op := range byOp {
		ops = append(ops, op)
	}
	sort.Strings(ops)
	for _, op := range ops {
		fmt.Fprintf(&table, "ir.%s: {\n%s,\n},\n", op, strings.Join(byOp[op], ",\n"))
	}
	table.WriteString("}\n")
	bodies = append(bodies, table.String())
	for part := 0; len(bodies) > 0; part++ {
		n := min(maxRows, len(bodies))
		text := strings.Join(bodies[:n], "")
		head := "// Code generated by internal/gen; DO NOT EDIT.\n\npackage portable\n\nimport (\n"
		if strings.Contains(text, "bits.") {
			head += "\"math/bits\"\n\n"
		}
		head += "\"github.com/heddle-gpu/heddle/ir\"\n"
		if strings.Contains(text, "num.") {
			head += "\"github.com/heddle-gpu/heddle/num\"\n"
		}
		out, err := format.Source([]byte(head + ")\n\n" + text))
		if err != nil {
			return fmt.Errorf("loops %s: %w", name, err)
		}
		files[fmt.Sprintf("internal/portable/z_%s_%d.go", strings.ToLower(name), part)] = string(out)
		bodies = bodies[n:]
	}
	return nil
}
