//go:build linux && amd64

package gputest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes a random compute shader. Its results are defined by GLSL to the bit: shift counts are masked,
// divisors are not zero, signed division is left out, floats hold small integers.
type generator struct {
	*rand.Rand
	b     strings.Builder
	depth int
	loops int
}

const variables = 6

// generate returns a shader with the line of arguments of the client.
func generate(seed uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 42))}
	x, y := 1<<(3+g.IntN(5)), 1+g.IntN(2)
	groups := 1 + g.IntN(5)
	items := x * y * groups
	g.line("#version 450")
	g.line("#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require")
	g.line("#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require")
	g.line("// run: %d 1 1 -b %d:%d -b %d:0 -b 256:0 -p %08x%08x", groups, 4*items, seed+1, 8*items, g.Uint32(), g.Uint32())
	g.line("layout(local_size_x = %d, local_size_y = %d) in;", x, y)
	g.line("layout(std430, binding = 0) buffer A { uint a[]; };")
	g.line("layout(std430, binding = 1) buffer B { uvec2 b[]; };")
	g.line("layout(std430, binding = 2) buffer C { uint c[]; };")
	g.line("layout(push_constant) uniform P { uint p0, p1; };")
	g.line("shared uint s[%d];", x*y)
	g.line("uint mix3(uint x, uint y, uint z) { %s return x ^ z; }", g.pick("x += y * 3u;", "x = y > z ? x : ~x;", "for (uint i = 0u; i < (y & 7u); i++) x = x * 5u + z;"))
	g.line("void main() {")
	g.line("uint l = gl_LocalInvocationIndex, i = gl_WorkGroupID.x * %du + l;", x*y)
	g.line("uint t[16];")
	g.line("for (uint k = 0u; k < 16u; k++) t[k] = a[(i + k) %% %du];", items)
	for v := range variables {
		g.line("uint v%d = %s;", v, g.pick("a[i]", "i", "l * 2654435761u", "p0", "p1 ^ i", fmt.Sprintf("%du", g.Uint32())))
	}
	for range 2 + g.IntN(4) {
		g.statements(2 + g.IntN(5))
		if g.IntN(2) == 0 { // in uniform flow
			g.line("s[l] = %s; barrier();", g.value())
			g.line("v%d %s s[(l + %du) %% %du]; barrier();", g.IntN(variables), g.pick("=", "+=", "^="), g.IntN(x*y), x*y)
		}
	}
	g.line("atomic%s(c[%d], %s);", g.pick("Add", "Xor", "Or", "Max", "Min", "And"), g.IntN(64), g.value())
	g.line("b[i] = uvec2(%s, v0 ^ v1 * 3u ^ v2 * 5u ^ v3 * 7u ^ v4 * 11u ^ v5 * 13u ^ t[v0 & 15u]);", g.value())
	g.line("}")
	return g.b.String()
}

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *generator) statements(n int) {
	for range n {
		g.statement()
	}
}

func (g *generator) statement() {
	v := g.IntN(variables)
	switch k := g.IntN(12); {
	case k < 6 || g.depth > 2:
		g.line("v%d %s %s;", v, g.pick("=", "=", "+=", "^=", "*=", "-="), g.expr(3))
	case k < 7:
		g.line("t[%s & 15u] = %s;", g.value(), g.expr(2))
	case k < 9:
		g.line("if (%s) {", g.condition())
		g.inner()
		if g.IntN(2) == 0 {
			g.line("} else {")
			g.inner()
		}
		g.line("}")
	case k < 10:
		g.line("switch (%s & 3u) { case 0u:", g.value())
		g.inner()
		g.line("break; case 2u:")
		g.inner()
		g.line("default:")
		g.inner()
		g.line("}")
	default:
		g.loops++
		n := g.loops
		g.line("for (uint n%d = 0u; n%d < (%s & 7u); n%d++) {", n, n, g.value(), n)
		g.inner()
		if g.IntN(2) == 0 {
			g.line("if (%s) %s;", g.condition(), g.pick("break", "continue"))
			g.inner()
		}
		g.line("}")
	}
}

func (g *generator) inner() {
	g.depth++
	g.statements(1 + g.IntN(3))
	g.depth--
}

func (g *generator) condition() string {
	return fmt.Sprintf("%s %s %s", g.value(), g.pick("<", ">", "==", "!=", "<="), g.pick(g.value(), fmt.Sprintf("%du", g.Uint32()>>g.IntN(32))))
}

// value is a value that costs little.
func (g *generator) value() string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("%du", g.Uint32()>>g.IntN(32))
	case 1:
		return fmt.Sprintf("t[v%d & 15u]", g.IntN(variables))
	}
	return fmt.Sprintf("v%d", g.IntN(variables))
}

func (g *generator) expr(depth int) string {
	if depth == 0 {
		return g.value()
	}
	x, y, z := g.expr(depth-1-g.IntN(depth)), g.expr(depth-1-g.IntN(depth)), g.value()
	switch g.IntN(16) {
	case 0:
		return fmt.Sprintf("(%s << (%s & 31u))", x, y)
	case 1:
		return fmt.Sprintf("(%s >> (%s & 31u))", x, y)
	case 2:
		return fmt.Sprintf("uint(int(%s) >> (%s & 31u))", x, y)
	case 3:
		return fmt.Sprintf("(%s %s (%s | 1u))", x, g.pick("/", "%"), y)
	case 4:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max"), x, y)
	case 5:
		return fmt.Sprintf("uint(%s(int(%s), int(%s)))", g.pick("min", "max"), x, y)
	case 6:
		return fmt.Sprintf("bitfieldExtract(%s, int(%s & 15u), int(%s & 15u))", x, y, z)
	case 7:
		return fmt.Sprintf("uint(%s(%s))", g.pick("bitCount", "findMSB", "findLSB", "bitfieldReverse"), x)
	case 8:
		return fmt.Sprintf("uint(uint64_t(%s) * %s >> (%s & 63u))", x, y, z)
	case 9:
		return fmt.Sprintf("uint(uint16_t(%s) %s uint16_t(%s))", x, g.pick("+", "*", "-", "^"), y)
	case 10:
		return fmt.Sprintf("uint(float(%s & 4095u) %s float(%s & 2047u) + 8192.0)", x, g.pick("+", "*", "-"), y)
	case 11:
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(), x, y)
	case 12:
		return fmt.Sprintf("mix3(%s, %s, %s)", x, y, z)
	case 13:
		return fmt.Sprintf("uint((int64_t(int(%s)) - int64_t(%s)) >> 7)", x, y)
	}
	return fmt.Sprintf("(%s %s %s)", x, g.pick("+", "-", "*", "^", "&", "|"), y)
}
