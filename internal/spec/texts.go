package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostRuns limits the lists of texts of wide fields.
const mostRuns = 48

// A template describes texts of consecutive values that differ only in numbers, each with a constant step.
type template struct {
	words   []string // around the numbers
	numbers []progress
}

type progress struct {
	from, step int64
	hex        bool
}

// text returns the text of the value n after the first.
func (t *template) text(n uint64) string {
	var b strings.Builder
	for i, w := range t.words {
		b.WriteString(w)
		if i == len(t.numbers) {
			break
		}
		p := &t.numbers[i]
		if v := p.from + p.step*int64(n); p.hex {
			b.WriteString(strconv.FormatUint(uint64(v), 16))
		} else {
			b.WriteString(strconv.FormatInt(v, 10))
		}
	}
	return b.String()
}

// spelled returns the template as the document writes it: constant numbers are text.
func (t *template) spelled() string {
	var b strings.Builder
	for i, w := range t.words {
		b.WriteString(w)
		if i == len(t.numbers) {
			break
		}
		switch p := &t.numbers[i]; {
		case p.step == 0 && p.hex:
			fmt.Fprintf(&b, "%x", p.from)
		case p.step == 0:
			fmt.Fprint(&b, p.from)
		case p.hex:
			fmt.Fprintf(&b, "{%d*%d:x}", p.from, p.step)
		default:
			fmt.Fprintf(&b, "{%d*%d}", p.from, p.step)
		}
	}
	return b.String()
}

// expand returns the text of the value n after the first, from a template of the document.
func expand(text string, n uint64) string {
	open := strings.IndexByte(text, '{')
	if open < 0 {
		return text
	}
	var b strings.Builder
	for ; open >= 0; open = strings.IndexByte(text, '{') {
		end := open + strings.IndexByte(text[open:], '}')
		body, hex := strings.CutSuffix(text[open+1:end], ":x")
		from, step, _ := strings.Cut(body, "*")
		p := progress{hex: hex}
		p.from, _ = strconv.ParseInt(from, 10, 64)
		p.step, _ = strconv.ParseInt(step, 10, 64)
		b.WriteString((&template{[]string{text[:open], ""}, []progress{p}}).text(n))
		text = text[end+1:]
	}
	b.WriteString(text)
	return b.String()
}

// numerals splits a text into words and the numbers between them.
func numerals(s string) (words []string, numbers []progress) {
	from := 0
	for i := 0; i < len(s); {
		n, hex := numeral(s, i)
		if n == 0 {
			i++
			continue
		}
		begin, base := i, 10
		if hex {
			begin, base = i+2, 16
		}
		v, err := strconv.ParseInt(s[begin:i+n], base, 64)
		if err != nil || !hex && strconv.FormatInt(v, 10) != s[i:i+n] || hex && strconv.FormatInt(v, 16) != s[begin:i+n] {
			i += n
			continue
		}
		words, numbers = append(words, s[from:begin]), append(numbers, progress{from: v, hex: hex})
		i += n
		from = i
	}
	return append(words, s[from:]), numbers
}

// numeral returns the length of the number at an offset of a text, 0 if none begins there.
func numeral(s string, i int) (n int, hex bool) {
	digits := func(set string) int {
		k := i + n
		for k < len(s) && strings.IndexByte(set, s[k]) >= 0 {
			k++
		}
		return k - i - n
	}
	const decimal = "0123456789"
	if strings.HasPrefix(s[i:], "0x") {
		n = 2
		if k := digits(decimal + "abcdef"); k > 0 {
			return n + k, true
		}
		return 0, false
	}
	if s[i] == '-' {
		n = 1
	}
	k := digits(decimal)
	if k == 0 {
		return 0, false
	}
	return n + k, false
}

// between returns the template of a text and the next one; false if they differ in more than numbers.
func between(s, next string) (*template, bool) {
	words, numbers := numerals(s)
	others, more := numerals(next)
	if !slices.Equal(words, others) {
		return nil, false
	}
	for i := range numbers {
		if numbers[i].hex != more[i].hex {
			return nil, false
		}
		numbers[i].step = more[i].from - numbers[i].from
	}
	return &template{words, numbers}, true
}

// A pair is the text of an operand and the closing text after what it encloses.
type pair struct{ text, close string }

// list compresses the texts of the values 0 to n-1; has reports whether a value has a text.
func list(n uint64, of func(v uint64) (p pair, has bool)) []Texts {
	out := []Texts{}
	for v := uint64(0); v < n; v++ {
		p, has := of(v)
		if !has || p == (pair{}) {
			continue
		}
		run := Texts{v, v, p.text, p.close}
		if next, ok := of(v + 1); ok && v+1 < n && next.close == p.close {
			if t, ok := between(p.text, next.text); ok {
				run.Text = t.spelled()
				for run.To+1 < n {
					if q, has := of(run.To + 1); !has || q != (pair{t.text(run.To + 1 - v), p.close}) {
						break
					}
					run.To++
				}
			}
		}
		if run.To == v {
			run.Text = p.text
		}
		out = append(out, run)
		v = run.To
	}
	return out
}

// sparse is list for a field of many bits: it samples values, and assumes the same pattern in between. It returns false
// if there is no short list.
func sparse(bits int, of func(v uint64) string, random func(n uint64) uint64) ([]Texts, bool) {
	last := uint64(1)<<bits - 1
	out := []Texts{}
	for v := uint64(0); ; v++ {
		if len(out) == mostRuns {
			return nil, false
		}
		run := Texts{From: v, To: v, Text: of(v)}
		if v < last {
			if t, ok := between(run.Text, of(v+1)); ok {
				run.Text, run.To = t.spelled(), reach(v, last, t, of, random)
			}
		}
		if out = append(out, run); run.To == last {
			return out, true
		}
		v = run.To
	}
}

// reach returns the last value of a template that begins with v.
func reach(v, last uint64, t *template, of func(v uint64) string, random func(n uint64) uint64) uint64 {
	fits := func(to uint64) bool {
		for range 4 {
			if x := v + random(to-v+1); of(x) != t.text(x-v) {
				return false
			}
		}
		return of(to) == t.text(to-v)
	}
	if fits(last) {
		return last
	}
	good, bad := v+1, last
	for bad-good > 1 {
		mid := good + (bad-good)/2
		if fits(mid) {
			good = mid
		} else {
			bad = mid
		}
	}
	return good
}
