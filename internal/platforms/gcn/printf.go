package gcn

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/num"
)

// Output of kernels. A call of printf in OpenCL C writes words into a buffer that a hidden argument points to: the
// number of its format, then its arguments. The metadata hold the formats. docs/reference/gcn.md 9.7.

const (
	printfRoom = 1 << 20 // bytes, with the header
	printfHead = 8       // u32 bytes in use, u32 capacity in bytes
)

// printfBuffer returns the address of an empty buffer, allocated for the launch.
func printfBuffer(d *dispatch) uint64 {
	s := mem.NewSegment("printf buffer", printfAddr, printfRoom, mem.ReadWrite)
	binary.LittleEndian.PutUint32(s.Data[4:], printfRoom-printfHead)
	d.own, d.printed = append(d.own, s), s.Data
	return printfAddr
}

// hostcallBuffer returns the address of a segment without access rights: the fault of a kernel that calls the host
// names it.
func hostcallBuffer(d *dispatch) uint64 {
	name := "hidden_hostcall_buffer of kernel " + d.k.Name + ": calls of the host are not built"
	d.own = append(d.own, mem.NewSegment(name, hostcallAddr, 1<<12, 0))
	return hostcallAddr
}

// print writes the output of the launch.
func (d *dispatch) print() error {
	if d.printed == nil || d.set.Print == nil {
		return nil
	}
	text, err := decodePrintf(d.printed, d.k.Module.Object.Metadata.Printf)
	if _, failed := io.WriteString(d.set.Print, text); err == nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("gcn: kernel %s: printf: %w", d.k.Name, err)
	}
	return nil
}

// A printFormat is a format of the metadata and the size in bytes of each argument in the buffer.
type printFormat struct {
	sizes []int
	text  string
}

// parsePrintf parses an entry of the metadata: "1:2:4:8:%d %f\n" is format 1 with 2 arguments, of 4 and 8 bytes.
func parsePrintf(entry string) (id uint32, f printFormat, err error) {
	whole := entry
	bad := func() (uint32, printFormat, error) {
		return 0, printFormat{}, fmt.Errorf("the metadata has the format %q", whole)
	}
	next := func() (n uint64, ok bool) {
		word, rest, found := strings.Cut(entry, ":")
		n, err := strconv.ParseUint(word, 10, 31)
		if found && err == nil {
			entry = rest
		}
		return n, found && err == nil
	}
	number, ok := next()
	if !ok {
		return bad()
	}
	count, ok := next()
	if !ok {
		return bad()
	}
	for range count {
		size, ok := next()
		if !ok || size > printfRoom {
			return bad()
		}
		f.sizes = append(f.sizes, int(size))
	}
	// The compiler's escapes for characters that the metadata cannot hold.
	f.text = strings.NewReplacer(`\a`, "\a", `\b`, "\b", `\f`, "\f", `\n`, "\n", `\r`, "\r", `\v`, "\v", `\72`, ":").Replace(entry)
	return uint32(number), f, nil
}

// decodePrintf returns the text of a buffer. With an error it returns the text before it.
func decodePrintf(buffer []byte, formats []string) (string, error) {
	table := map[uint32]printFormat{}
	for _, entry := range formats {
		id, f, err := parsePrintf(entry)
		if err != nil {
			return "", err
		}
		table[id] = f
	}
	le := binary.LittleEndian
	used := int(le.Uint32(buffer))
	data := buffer[printfHead:]
	if used > len(data) {
		return "", fmt.Errorf("%d bytes are in use of a buffer of %d", used, len(data))
	}
	var out strings.Builder
	for data = data[:used]; len(data) > 0; {
		if len(data) < 4 {
			return out.String(), fmt.Errorf("%s at the end of the buffer", spell.Count(len(data), "byte"))
		}
		id := le.Uint32(data)
		f, ok := table[id]
		if !ok {
			return out.String(), fmt.Errorf("format %d is not in the metadata", id)
		}
		n, err := f.print(&out, data[4:])
		if err != nil {
			return out.String(), err
		}
		data = data[4+n:]
	}
	return out.String(), nil
}

// print appends the text of a call and returns the size of its arguments in bytes, each rounded up to a multiple of 4.
func (f *printFormat) print(out *strings.Builder, data []byte) (n int, err error) {
	args := make([][]byte, len(f.sizes))
	for i, size := range f.sizes {
		if n+roundUp(size, 4) > len(data) {
			return n, fmt.Errorf("%q: argument %d is past the end of the buffer", f.text, i+1)
		}
		args[i] = data[n:][:size]
		n += roundUp(size, 4)
	}
	used := 0
	for text := f.text; text != ""; {
		plain, rest, found := strings.Cut(text, "%")
		out.WriteString(plain)
		if !found {
			break
		}
		if strings.HasPrefix(rest, "%") {
			out.WriteByte('%')
			text = rest[1:]
			continue
		}
		c, rest, err := parseConversion(rest)
		if err != nil {
			return n, fmt.Errorf("%q: %w", f.text, err)
		}
		if used == len(args) {
			return n, fmt.Errorf("%q: %d arguments are given", f.text, used)
		}
		s, err := c.vector(args[used])
		if err != nil {
			return n, fmt.Errorf("%q: argument %d: %w", f.text, used+1, err)
		}
		out.WriteString(s)
		used++
		text = rest
	}
	return n, nil
}

// A conversion is a conversion specification of printf: %-08.3v4hlf.
type conversion struct {
	minus, plus, space, alt, zero bool
	width, precision              int // precision -1: none is given
	elements                      int // of a vector
	size                          int // bytes by the length modifier; 0: none
	verb                          byte
}

const maxWidth = 1 << 12

// parseConversion parses a conversion after its percent sign.
func parseConversion(s string) (c conversion, rest string, err error) {
	flags := map[byte]*bool{'-': &c.minus, '+': &c.plus, ' ': &c.space, '#': &c.alt, '0': &c.zero}
	for s != "" && flags[s[0]] != nil {
		*flags[s[0]] = true
		s = s[1:]
	}
	number := func() (n int) {
		for s != "" && s[0] >= '0' && s[0] <= '9' {
			n = min(10*n+int(s[0]-'0'), maxWidth)
			s = s[1:]
		}
		return n
	}
	c.width, c.precision, c.elements = number(), -1, 1
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		c.precision = number()
	}
	if strings.HasPrefix(s, "v") {
		s = s[1:]
		c.elements = number()
	}
	for _, m := range []struct {
		text string
		size int
	}{{"hh", 1}, {"hl", 4}, {"h", 2}, {"ll", 8}, {"l", 8}} {
		if r, ok := strings.CutPrefix(s, m.text); ok {
			s, c.size = r, m.size
			break
		}
	}
	if s == "" || !strings.Contains("diouxXcsfFeEgGaAp", s[:1]) {
		return c, "", fmt.Errorf("a conversion that does not exist at %q", "%"+s)
	}
	switch c.elements {
	case 1, 2, 3, 4, 8, 16:
	default:
		return c, "", fmt.Errorf("vectors of %d", c.elements)
	}
	c.verb = s[0]
	return c, s[1:], nil
}

// vector returns the text of an argument: its elements, separated by commas. A vector of 3 may occupy the space of 4.
func (c *conversion) vector(arg []byte) (string, error) {
	if c.verb == 's' {
		s, _, _ := strings.Cut(string(arg), "\x00")
		if c.precision >= 0 {
			s = s[:min(c.precision, len(s))]
		}
		return c.pad(s), nil
	}
	size := len(arg) / c.elements
	if c.elements == 3 && len(arg)%3 != 0 {
		size = len(arg) / 4
	}
	if c.elements > 1 && c.size != 0 {
		size = c.size
	}
	var parts []string
	for i := range c.elements {
		if size == 0 || size > 8 || size&(size-1) != 0 || (i+1)*size > len(arg) {
			return "", fmt.Errorf("%s for %%%c", spell.Count(len(arg), "byte"), c.verb)
		}
		var w [8]byte
		copy(w[:], arg[i*size:][:size])
		parts = append(parts, c.scalar(binary.LittleEndian.Uint64(w[:]), size))
	}
	return strings.Join(parts, ","), nil
}

// scalar returns the text of a value of size bytes.
func (c *conversion) scalar(v uint64, size int) string {
	if c.size != 0 && c.size < size { // the value was promoted to a wider type than is printed
		size = c.size
		v &= 1<<(8*size) - 1
	}
	switch c.verb {
	case 'c':
		return c.pad(string([]byte{byte(v)}))
	case 'd', 'i':
		shift := 64 - 8*size
		s := int64(v<<shift) >> shift
		if s < 0 {
			return c.sign("-", c.digits(-uint64(s), 10))
		}
		return c.sign(c.positive(), c.digits(v, 10))
	case 'u':
		return c.sign("", c.digits(v, 10))
	case 'o':
		d := c.digits(v, 8)
		if c.alt && !strings.HasPrefix(d, "0") {
			d = "0" + d
		}
		return c.sign("", d)
	case 'x', 'X', 'p':
		prefix := ""
		if c.verb == 'p' || c.alt && v != 0 {
			prefix = "0x"
		}
		s := c.sign(prefix, c.digits(v, 16))
		if c.verb == 'X' {
			s = strings.ToUpper(s)
		}
		return s
	}
	return c.float(v, size)
}

// digits returns the digits of a number, at least as many as the precision.
func (c *conversion) digits(v uint64, base int) string {
	d := strconv.FormatUint(v, base)
	if c.precision == 0 && v == 0 {
		return ""
	}
	return strings.Repeat("0", max(c.precision-len(d), 0)) + d
}

// positive returns the sign of a number that is not negative.
func (c *conversion) positive() string {
	switch {
	case c.plus:
		return "+"
	case c.space:
		return " "
	}
	return ""
}

// sign prepends a sign or prefix, with zeros up to the width after it if the flags ask for them.
func (c *conversion) sign(sign, digits string) string {
	integer := strings.IndexByte("diouxXp", c.verb) >= 0
	if c.zero && !c.minus && !(integer && c.precision >= 0) {
		digits = strings.Repeat("0", max(c.width-len(sign)-len(digits), 0)) + digits
	}
	return c.pad(sign + digits)
}

// pad adds spaces up to the width.
func (c *conversion) pad(s string) string {
	space := strings.Repeat(" ", max(c.width-len(s), 0))
	if c.minus {
		return s + space
	}
	return space + s
}

// float returns the text of a float of 2, 4 or 8 bytes.
func (c *conversion) float(v uint64, size int) string {
	x := math.Float64frombits(v)
	switch size {
	case 4:
		x = float64(math.Float32frombits(uint32(v)))
	case 2:
		x = math.Float64frombits(num.FCvt(16, 64, num.ModeSet, v))
	}
	sign := c.positive()
	if math.Signbit(x) {
		sign, x = "-", -x
	}
	var d string
	switch {
	case math.IsInf(x, 0) || x != x:
		d = "inf"
		if x != x {
			d = "nan"
		}
		plain := *c
		plain.zero = false
		d = plain.sign(sign, d)
	default:
		d = c.sign(sign, c.number(x))
	}
	if c.verb >= 'A' && c.verb <= 'G' {
		d = strings.ToUpper(d)
	}
	return d
}

// number returns the digits of a float that is not negative.
func (c *conversion) number(x float64) string {
	precision, verb := c.precision, c.verb|0x20
	switch verb {
	case 'a':
		s := strconv.FormatFloat(x, 'x', precision, 64)
		if i := len(s) - 2; i > 0 && s[i] == '0' && (s[i-1] == '+' || s[i-1] == '-') { // exponents have at least two digits in Go
			s = s[:i] + s[i+1:]
		}
		return s
	case 'g':
		if precision < 0 {
			precision = 6
		}
		precision = max(precision, 1)
		s := strconv.FormatFloat(x, 'e', precision-1, 64)
		exp, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
		if exp >= -4 && exp < precision {
			s = strconv.FormatFloat(x, 'f', precision-1-exp, 64)
		}
		if !c.alt {
			s = trimZeros(s)
		}
		return s
	}
	if precision < 0 {
		precision = 6
	}
	s := strconv.FormatFloat(x, verb, precision, 64)
	if c.alt && precision == 0 {
		mantissa, exp, found := strings.Cut(s, "e")
		if s = mantissa + "."; found {
			s += "e" + exp
		}
	}
	return s
}

// trimZeros removes the zeros at the end of a fraction, and its point if nothing is left.
func trimZeros(s string) string {
	mantissa, exp, found := strings.Cut(s, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	if found {
		return mantissa + "e" + exp
	}
	return mantissa
}
