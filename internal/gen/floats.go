package main

import (
	"fmt"
	"go/format"
	"strings"
)

// A floats is a loop of package num over the lanes of a wave. It uses the result of the host's float unit where a test
// proves that it has the exact op's bits, and the exact op for all lanes of a group if the test fails in one lane. In
// the code a, b and c are the operands, r is the result; # stands for the number of the lane in its group.
type floats struct {
	name    string
	res     string // 32, 64 or mask
	args    []string
	needs   string // condition on the mode for using the host
	setup   string
	compute string
	test    string
	exact   string // the exact op, with its width arguments: "FAdd" or "FCvt:64,32"
}

const (
	nearest = "asHost(m)"
	anyMode = "hostFloats"
	toZero  = "hostFloats && m&roundMask == RZ"
	flushed = "lim := flushes32(m, FlushIn)\n"
	out32   = "lim := flushes32(m, FlushIn|FlushOut)\n"
	flush64 = "lim := flushes64(m)\n"
	usual   = "r#<<1-2<<24 < 253<<24"
	kept1   = " && a#<<1-1 >= lim"
	kept2   = kept1 + " && b#<<1-1 >= lim"
	zero    = " || r#<<1 == 0"
	number  = "a#<<1 <= 255<<24"
	number2 = number + " && b#<<1 <= 255<<24"
	usual64 = "r#<<1-2<<53 < 2045<<53"
)

var (
	one32   = []string{"32"}
	two32   = []string{"32", "32"}
	three32 = []string{"32", "32", "32"}
	two64   = []string{"64", "64"}
)

// sum returns the loop of a sum with the shape of FAdd; operands that the mode flushes cannot give results of that
// magnitude.
func sum(name, sign, exact string) floats {
	return floats{name, "32", two32, nearest, "lo, hi := sums32(m)\n", "r# := math.Float32bits(f32(a#) " + sign + " f32(b#))", "r#<<1-lo < hi" + zero, exact}
}

func lesser(name, keys, exact string) floats {
	return floats{name, "32", two32, anyMode, out32, "r# := b#\nif " + keys + " {\nr# = a#\n}", number2 + kept2, exact}
}

func whole(name, f, exact string) floats {
	return floats{name, "32", one32, anyMode, flushed, "r# := math.Float32bits(float32(math." + f + "(float64(f32(a#)))))", number + kept1, exact}
}

func compare(name, e, exact string) floats {
	return floats{name, "mask", two32, anyMode, flushed, "r# := truth(" + e + ")", "a#<<1-1 >= lim && b#<<1-1 >= lim", exact}
}

func compare64(name, e, exact string) floats {
	return floats{name, "mask", two64, anyMode, flush64, "r# := truth(" + e + ")", "a#<<1-1 >= lim && b#<<1-1 >= lim", exact}
}

func double(name, e, exact string, args ...string) floats {
	test := "(" + usual64 + zero + ")"
	for i := range args {
		test += " && " + "abc"[i:i+1] + "#<<1-1 >= lim"
	}
	return floats{name, "64", args, nearest, flush64, "r# := math.Float64bits(" + e + ")", test, exact}
}

var floatLoops = []floats{
	sum("Add32", "+", "FAdd"),
	sum("Sub32", "-", "FSub"),
	{"Mul32", "32", two32, nearest, flushed, "r# := math.Float32bits(float32(f32(a#) * f32(b#)))", usual + kept2 + zero, "FMul"},
	{"MulZ32", "32", two32, nearest, flushed, "r# := math.Float32bits(float32(f32(a#) * f32(b#)))", usual + kept2, "FMulZ"},
	{"Div32", "32", two32, nearest, flushed, "r# := math.Float32bits(f32(a#) / f32(b#))", "(" + usual + zero + ")" + kept2, "FDiv"},
	{"Rcp32", "32", one32, nearest, flushed, "r# := math.Float32bits(1 / f32(a#))", usual + kept1, "FRcp"},
	{"Sqrt32", "32", one32, nearest, flushed, "r# := math.Float32bits(float32(math.Sqrt(float64(f32(a#)))))", usual + kept1 + zero, "FSqrt"},
	{"FMA32", "32", three32, nearest, flushed,
		"s# := float64(float64(f32(a#))*float64(f32(b#))) + float64(f32(c#))\nr# := math.Float32bits(float32(s#))",
		"unambiguous(s#) && " + usual + kept2 + " && c#<<1-1 >= lim || s# == 0" + kept2 + " && c#<<1-1 >= lim", "FMA"},
	{"Mad32", "32", three32, nearest, flushed,
		"s# := math.Float64frombits(math.Float64bits(float64(f32(a#))*float64(f32(b#)))&^cut(c#)) + float64(f32(c#))\nr# := math.Float32bits(float32(s#))",
		"(unambiguous(s#) && " + usual + " || s# == 0)" + kept2 + " && c#<<1-1 >= lim", "FMad"},
	lesser("MinNum32", "order32(a#) < order32(b#)", "FMinNum"),
	lesser("MaxNum32", "order32(a#) > order32(b#)", "FMaxNum"),
	lesser("MinSel32", "f32(a#) < f32(b#)", "FMinSel"),
	lesser("MaxSel32", "f32(a#) > f32(b#)", "FMaxSel"),
	{"Sat32", "32", one32, anyMode, out32, "r# := min(a#, 0x3f800000)\nif a# >= 1<<31 {\nr# = 0\n}", number + kept1 + " && a# != 1<<31", "FSat"},
	{"Canon32", "32", one32, anyMode, out32, "r# := a#", number + kept1, "FCanon"},
	whole("Floor32", "Floor", "FFloor"),
	whole("Ceil32", "Ceil", "FCeil"),
	whole("Trunc32", "Trunc", "FTrunc"),
	whole("Rndne32", "RoundToEven", "FRndne"),
	{"Fract32", "32", one32, nearest, flushed, "r# := math.Float32bits(f32(a#) - float32(math.Floor(float64(f32(a#)))))", usual + kept1 + " && r# < 0x3f800000" + zero, "FFract"},
	compare("Eq32", "f32(a#) == f32(b#)", "FEq"),
	compare("Lt32", "f32(a#) < f32(b#)", "FLt"),
	compare("Le32", "f32(a#) <= f32(b#)", "FLe"),
	{"Unord32", "mask", two32, anyMode, "", "r# := truth(a#<<1 > 255<<24 || b#<<1 > 255<<24)", "true", "FUnord"},
	{"SToF32", "32", one32, nearest, "", "r# := math.Float32bits(float32(int32(a#)))", "true", "SToF:32,32"},
	{"UToF32", "32", one32, nearest, "", "r# := math.Float32bits(float32(float64(a#)))", "true", "UToF:32,32"},
	{"FToS32", "32", one32, toZero, "", "r# := uint32(int32(f32(a#)))", "a#<<1 < 158<<24", "FToS:32,32"},
	{"FToU32", "32", one32, toZero, "", "r# := uint32(int64(f32(a#)))", "a# < 159<<23", "FToU:32,32"},
	{"Widen32", "64", one32, anyMode, "", "r# := math.Float64bits(float64(f32(a#)))", "a#<<1-1<<24 < 254<<24 || a#<<1 == 0", "FCvt:32,64"},
	{"Narrow64", "32", []string{"64"}, nearest, "", "s# := math.Float64frombits(a#)\nr# := math.Float32bits(float32(s#))", "unambiguous(s#) && " + usual + " || s# == 0", "FCvt:64,32"},
	{"Widen16", "32", one32, anyMode, "", "r# := a#&0x8000<<16 | (a#&0x7fff)<<13 + 112<<23", "a#&0x7fff-1<<10 < 30<<10", "FCvt:16,32"},
	double("Add64", "f64(a#) + f64(b#)", "FAdd", "64", "64"),
	double("Sub64", "f64(a#) - f64(b#)", "FSub", "64", "64"),
	double("Mul64", "float64(f64(a#) * f64(b#))", "FMul", "64", "64"),
	double("Div64", "f64(a#) / f64(b#)", "FDiv", "64", "64"),
	double("FMA64", "math.FMA(f64(a#), f64(b#), f64(c#))", "FMA", "64", "64", "64"),
	double("Sqrt64", "math.Sqrt(f64(a#))", "FSqrt", "64"),
	double("Rcp64", "1 / f64(a#)", "FRcp", "64"),
	compare64("Eq64", "f64(a#) == f64(b#)", "FEq"),
	compare64("Lt64", "f64(a#) < f64(b#)", "FLt"),
	compare64("Le64", "f64(a#) <= f64(b#)", "FLe"),
	{"SToF64", "64", one32, anyMode, "", "r# := math.Float64bits(float64(int32(a#)))", "true", "SToF:32,64"},
	{"UToF64", "64", one32, anyMode, "", "r# := math.Float64bits(float64(a#))", "true", "UToF:32,64"},
	{"FToU64", "32", []string{"64"}, nearest, "", "r# := uint32(int64(math.RoundToEven(f64(a#))))", "a# <= 0x41ef_ffff_ffe0_0000", "FToU:64,32"},
	{"FToS64", "32", []string{"64"}, toZero, "", "r# := uint32(int32(f64(a#)))", "a#<<1 < 1054<<53", "FToS:64,32"},
}

// each returns the start of a call that applies the exact op to lanes; the numbers of the first and the last are
// missing.
func (f *floats) each() string {
	exact, widths, converts := strings.Cut(f.exact, ":")
	if converts {
		exact = fmt.Sprintf("func(_ int, m Mode, a uint64) uint64 { return %s(%s, m, a) }", exact, widths)
	}
	to := "m, d, "
	if f.res == "mask" {
		to = "m, "
	}
	return fmt.Sprintf("each%sto%s(%s%s%s, ", strings.Join(f.args, "and"), f.res, to, exact, ", a, b, c"[:3*len(f.args)])
}

// text returns the function's source.
func (f *floats) text() string {
	var b strings.Builder
	mask := f.res == "mask"
	res, result, give, more := ", d *[64]uint"+f.res, "", "", ""
	if mask {
		res, result, give, more = "", " (d uint64)", "return ", "; a bit for each"
	}
	params := ""
	for i, w := range f.args {
		params += fmt.Sprintf(", %s Arg%s", "abc"[i:i+1], w)
	}
	exact, _, _ := strings.Cut(f.exact, ":")
	fmt.Fprintf(&b, "// Rows%s is %s in the first n lanes, a multiple of 4%s.\n", f.name, exact, more)
	fmt.Fprintf(&b, "func Rows%s(m Mode%s%s, n int)%s {\n", f.name, res, params, result)
	fmt.Fprintf(&b, "if !(%s) {\n%s%s0, n)\n", f.needs, give, f.each())
	if !mask {
		b.WriteString("return\n")
	}
	b.WriteString("}\n" + f.setup)
	for i := range f.args {
		x := "abc"[i : i+1]
		fmt.Fprintf(&b, "%[1]sv, %[1]sk := %[1]s.V, %[1]s.K&63\n", x)
	}
	b.WriteString("for i := 0; i < n; i += 4 {\nj := i & 60\n")
	f.group(&b)
	b.WriteString("}\n")
	if mask {
		b.WriteString("return d\n")
	}
	b.WriteString("}\n\n")
	return b.String()
}

// group writes the code for four lanes.
func (f *floats) group(b *strings.Builder) {
	var tests, stores []string
	for k := range lanesAtOnce {
		for i := range f.args {
			fmt.Fprintf(b, "%[1]s%[2]d := %[1]sv[(%[3]s)&%[1]sk]\n", "abc"[i:i+1], k, lane(k))
		}
		n := fmt.Sprint(k)
		b.WriteString(strings.ReplaceAll(f.compute, "#", n) + "\n")
		tests = append(tests, "("+strings.ReplaceAll(f.test, "#", n)+")")
		if f.res == "mask" {
			stores = append(stores, fmt.Sprintf("r%d<<%d", k, k))
		} else {
			stores = append(stores, fmt.Sprintf("d[%s] = r%d", lane(k), k))
		}
	}
	store, slow := strings.Join(stores, "\n"), f.each()+"j, j+4)"
	if f.res == "mask" {
		store, slow = "d |= ("+strings.Join(stores, "|")+") << j", "d |= "+slow
	}
	if f.test == "true" {
		b.WriteString(store + "\n")
		return
	}
	fmt.Fprintf(b, "if %s {\n%s\ncontinue\n}\n%s\n", strings.Join(tests, " &&\n"), store, slow)
}

// floatFiles returns the generated files of package num.
func floatFiles(files map[string]string) error {
	const most = 14
	for at, part := 0, 0; at < len(floatLoops); at, part = at+most, part+1 {
		text := "// Code generated by internal/gen; DO NOT EDIT.\n\npackage num\n\nimport \"math\"\n\n"
		for i := at; i < min(at+most, len(floatLoops)); i++ {
			text += floatLoops[i].text()
		}
		out, err := format.Source([]byte(text))
		if err != nil {
			return fmt.Errorf("loops of floats: %w\n%s", err, text)
		}
		files[fmt.Sprintf("num/z_rows_%d.go", part)] = string(out)
	}
	return nil
}
