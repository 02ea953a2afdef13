package suites

import (
	"fmt"
	"strings"
)

// A variant is a graph kernel in one of its forms. The patterns and what varies in them are those of the Indigo suite
// (Liu, Azami, Walters, Burtscher: "The Indigo Program-Verification Microbenchmark Suite of Irregular Parallel Code
// Patterns", ISPASS 2022), which HiRace was measured with; the text is our own.
type variant struct {
	family
	has map[string]bool
}

// A family is a pattern, and who does a vertex: an item, a wave or a group; each says which neighbours it looks at, one
// or all. Axes are what varies: alternatives, each of which may be left out, separated by bars.
type family struct{ pattern, unit, each, axes string }

var families = [...]family{
	// The greatest value of a neighbour.
	{"edge", "item", "one", "persistent bounds last cond guard atomic"},
	{"edge", "item", "all", "persistent|bounds reverse cond guard atomic break"},
	{"edge", "wave", "all", "persistent reverse cond guard atomic"},
	{"edge", "group", "all", "persistent reverse cond guard atomic sync|shuffle"},
	// How many neighbours have a greater number.
	{"vertex", "item", "one", "persistent bounds last atomic"},
	{"vertex", "item", "all", "persistent|bounds reverse atomic break"},
	{"vertex", "wave", "all", "persistent reverse atomic"},
	{"vertex", "group", "all", "persistent reverse atomic"},
	// A list of such edges.
	{"worklist", "item", "one", "persistent bounds last atomic"},
	{"worklist", "item", "all", "persistent|bounds reverse atomic break"},
	{"worklist", "wave", "all", "persistent reverse atomic"},
	{"worklist", "group", "all", "persistent reverse atomic"},
	// For each vertex the sum of its neighbours' values.
	{"pull", "item", "one", "persistent bounds last cond"},
	{"pull", "item", "all", "persistent|bounds reverse cond break"},
	{"pull", "wave", "all", "persistent reverse cond"},
	{"pull", "group", "all", "persistent reverse cond sync|shuffle"},
	// For each vertex the least value of those whose neighbour it is.
	{"push", "item", "one", "persistent bounds last cond atomic"},
	{"push", "item", "all", "persistent|bounds reverse cond atomic break"},
	{"push", "wave", "all", "persistent reverse cond atomic"},
	{"push", "group", "all", "persistent reverse cond atomic"},
	// The root of each vertex, which is then its parent.
	{"path", "item", "", "persistent race|traverse"},
}

// bugs are the defects, by axis, and the rules by which each is found, one of which must be. A plain load beside atomic
// operations of other groups is told as such.
var bugs = [...]struct{ axis, rules string }{
	{"atomic", "race-global"},
	{"guard", "race-global race-half-atomic"},
	{"sync", "race-group"},
	{"race", "race-global"},
	{"bounds", "outside-memory"},
}

// variants returns all variants.
func variants() (list []*variant) {
	for _, f := range families {
		forms := []*variant{{f, map[string]bool{}}}
		for axis := range strings.FieldsSeq(f.axes) {
			all := forms
			for one := range strings.SplitSeq(axis, "|") {
				for _, v := range forms {
					w := &variant{f, map[string]bool{one: true}}
					for k := range v.has {
						w.has[k] = true
					}
					all = append(all, w)
				}
			}
			forms = all
		}
		list = append(list, forms...)
	}
	return list
}

// name is that of the kernel.
func (v *variant) name() string {
	name := strings.TrimSuffix(v.pattern+"_"+v.unit+"_"+v.each, "_")
	for axis := range strings.FieldsFuncSeq(v.axes, func(c rune) bool { return c == ' ' || c == '|' }) {
		if v.has[axis] {
			name += "_" + axis
		}
	}
	return name
}

// prelude has what all kernels of a type of values share. A loop of compare and swap begins with a load past caches.
const prelude = `
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define SUM(a, b) ((a) + (b))
`

var preludes = map[string]string{
	"int": prelude + `
#define ADD(p, v) atomic_add(p, v)
#define RAISE(p, v) atomic_max(p, v)
#define LOWER(p, v) atomic_min(p, v)
#define OTHER(v, lane) __builtin_amdgcn_ds_bpermute((lane) * 4, v)
`,
	"float": prelude + `
#define SWAPS(name, op) \
void name(volatile global float *p, float v) { \
	volatile global int *bits = (volatile global int *)p; \
	for (int was, old = *bits; (was = atomic_cmpxchg(bits, old, as_int(op(as_float(old), v)))) != old;) \
		old = was; \
}
SWAPS(ADD, SUM)
SWAPS(RAISE, MAX)
SWAPS(LOWER, MIN)
#define OTHER(v, lane) as_float(__builtin_amdgcn_ds_bpermute((lane) * 4, as_int(v)))
`,
}

// units say who does a vertex: number and count of them, and number and count of the items of one.
var units = map[string]string{
	"item":  "int unit = get_global_id(0), units = get_global_size(0), me = 0, width = 1;",
	"wave":  "int unit = get_global_id(0) / 64, units = get_global_size(0) / 64, me = get_local_id(0) % 64, width = 64;",
	"group": "int unit = get_group_id(0), units = get_num_groups(0), me = get_local_id(0), width = get_local_size(0);",
}

// updates are what is done with an edge from i to k, or with the value v that the items of a unit share: right, and
// with the defect.
var updates = map[string][2]string{
	"edge":     {"RAISE(out, v);", "out[0] = MAX(out[0], v);"},
	"vertex":   {"ADD(out, v);", "out[0] += v;"},
	"worklist": {"out[atomic_add(count, 1)] = j;", "int at = count[0]; count[0] = at + 1; out[at] = j;"},
	"pull":     {"out[i] += v;", ""},
	"push":     {"LOWER(&out[k], in[i]);", "out[k] = MIN(out[k], in[i]);"},
}

// values are what an edge adds to the value, and the operation that does so.
var values = map[string][2]string{"edge": {"in[k]", "MAX"}, "vertex": {"1", "SUM"}, "pull": {"in[k]", "SUM"}}

// choose returns one of two texts.
func (v *variant) choose(axis, with, without string) string {
	if v.has[axis] {
		return with
	}
	return without
}

// text is the kernel on values of a type.
func (v *variant) text(typ string) string {
	body := v.path()
	if v.pattern != "path" {
		body = v.edges()
	}
	open := v.choose("persistent", "for (int i = unit; i < n; i += units) {", "int i = unit; if (i < n) {")
	if v.has["bounds"] && v.each == "all" {
		open = "int i = unit; {"
	}
	part := ""
	if v.unit == "group" && values[v.pattern] != [2]string{} {
		part = "local " + typ + " part[128]; part[me] = 0;"
	}
	text := fmt.Sprintf("kernel void %s(global const int *row, global const int *adj, global T *out, global T *in, global int *count, int n) {\n%s %s\n%s\n%s\n}\n}\n",
		v.name(), units[v.unit], part, open, body)
	return strings.ReplaceAll(strings.ReplaceAll(text, "global T ", "global "+typ+" "), "VALUE", typ)
}

// update returns what is done with an edge or a value.
func (v *variant) update() string {
	text := updates[v.pattern][0]
	if v.has["atomic"] {
		text = updates[v.pattern][1]
	}
	if v.has["guard"] {
		text = "if (out[0] < v) { " + text + " }"
	}
	return text
}

// edges returns the loop over the edges of a vertex, and what follows it.
func (v *variant) edges() string {
	value, shared := values[v.pattern], v.unit != "item"
	act, after := v.update(), ""
	switch {
	case value[0] != "" && shared:
		after = v.reduce(value[1]) + "if (me == 0) { " + act + " }"
		act = "v = " + value[1] + "(v, " + value[0] + ");"
	case value[0] != "":
		act = "VALUE v = " + value[0] + "; " + act
	}
	act += v.choose("break", " break;", "")
	if v.has["cond"] || v.pattern == "vertex" || v.pattern == "worklist" {
		act = "if (i < k) { " + act + " }"
	}
	loop := "for (int j = from + me; j < to; j += width) {"
	if v.has["reverse"] {
		loop = "for (int j = to - 1 - me; j >= from; j -= width) {"
	}
	if v.each == "one" {
		loop = "int j = " + v.choose("last", "to - 1", "from") + "; " + v.choose("bounds", "{", "if (from < to) {")
	}
	first := "int from = row[i], to = row[i + 1];"
	if shared && value[0] != "" {
		first += " VALUE v = 0;"
		if v.unit == "group" {
			first = "barrier(CLK_LOCAL_MEM_FENCE); " + first
		}
	}
	return first + "\n" + loop + " int k = adj[j]; " + act + " }\n" + after
}

// reduce returns code after which v of the first item of a unit has all of its values.
func (v *variant) reduce(op string) string {
	wave := "for (int d = 1; d < 64; d *= 2) { VALUE o = OTHER(v, (int)(get_local_id(0) % 64) ^ d); v = " + op + "(v, o); }\n"
	const wait = "barrier(CLK_LOCAL_MEM_FENCE);\n"
	switch {
	case v.unit == "wave":
		return wave
	case v.has["shuffle"]:
		return wave + "if (me % 64 == 0) part[me / 64] = v;\n" + wait + "v = part[me % 64]; if (me < 64) { " + wave + " }\n"
	}
	return "part[me] = v;\n" + v.choose("sync", "", wait) +
		"for (int s = width / 2; s > 0; s /= 2) { if (me < s) part[me] = " + op + "(part[me], part[me + s]); " + wait + "}\nv = part[0];\n"
}

// path returns the walk to the root.
func (v *variant) path() string {
	read, write := "atomic_or(&out[x], 0)", "atomic_xchg(&out[i], x)"
	switch {
	case v.has["race"]:
		read, write = "out[x]", "out[i] = x"
	case v.has["traverse"]:
		read, write = "out[x]", "in[i] = x"
	}
	return "int x = i; while (x > " + read + ") x = " + read + ";\n" + write + ";"
}
