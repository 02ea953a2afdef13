package tesla

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/isa"
)

// Dialects by index: the text of envydis, and that of the early notes on the instructions, which also accepts the
// text of envydis.
const Seed = 1

var dialects = []string{"envydis", Seed: "seed"}

// notesSpellings translate text of the notes, after predicates, exit and join, to the text of envydis: @1 is what the
// first group of a pattern matches. The first match counts. docs/reference/tesla.md 11.1.
var notesSpellings = [...]struct{ notes, text string }{
	{`(l(?:none|[0-3]+)) mov `, `(@1) mov `},
	{`bar sync (\S+)$`, `bar inc wait @1 all`},
	{`mov lock (\$c\d \S+) (s\[.*\])$`, `ld lock @1 b32 @2`},
	{`mov unlock (s\[.*\] \S+)$`, `st unlock b32 @1`},
	{`mov (\S+) sreg([23])$`, `mov @1 $sr@2`},
	{`(quadop .*) do([xy]) `, `@1 d@2 `},
	{`mul ((?:high )?[us]24) ((?:\$c\d )?\S+) `, `mul @2 @1 `},
	{`add ((?:sat )?f32 \S+) (mul .*?) ((?:neg )?\S+)$`, `add @1 (@2) @3`},
	{`(add|sub|subr) ((?:sat )?(?:\$c\d )?\S+) (mul .*) (\S+)$`, `@1 @2 (@3) @4`},
	{`addc ((?:sat )?(?:\$c\d )?\S+) (mul .*) (\S+ \$c\d)$`, `addc @1 (@2) @3`},
	{`(add|sub|subr|addc) sat (b16|b32) `, `@1 @2 sat `},
	{`set (.* )?el ([us](?:16|32)) `, `set @1le @2 `},
	{`set (.* )?gl ([us](?:16|32)) `, `set @1lg @2 `},
	{`set (.* )?eg ([us](?:16|32)) `, `set @1ge @2 `},
	{`set (.* )?(?:lge|leg|gle|gel|elg|egl) ([us](?:16|32)) `, `set @1always @2 `},
	{`interp (?:cent )?flat (\S+) (v\[.*)$`, `interp @1 flat @2`},
	{`interp (\S+) (?:cent flat|flat cent) (v\[.*)$`, `interp @1 flat @2`},
	{`interp cent (\S+) (v\[.*)$`, `interp @1 cent @2`},
	{`fma f64 `, `fma rn f64 `},
	{`(tex\w+) deriv (live|all) `, `@1 @2 deriv `},
	{`cvt sat ([us](?:8|16|32)) (\S+ [us](?:8|16|32)) `, `cvt @1 @2 `},
}

// beforeMnemonic matches what precedes an instruction in both texts.
const beforeMnemonic = `^(\s*(?:(?:exit|join|long|\([^()]*\))\s+)*)`

// notesPatterns compiles the patterns of notesSpellings at the first use. A blank stands for several.
var notesPatterns = sync.OnceValue(func() (list [len(notesSpellings)]*regexp.Regexp) {
	for i := range notesSpellings {
		list[i] = regexp.MustCompile(beforeMnemonic + strings.ReplaceAll(notesSpellings[i].notes, " ", `\s+`))
	}
	return list
})

// inEnvydis returns a line of the notes in the text of envydis; ok: the notes write it differently.
func inEnvydis(line string) (r isa.Rewording, ok bool) {
	for i, p := range notesPatterns() {
		if at := p.FindStringSubmatchIndex(line); at != nil {
			return filled(line, notesSpellings[i].text, at), true
		}
	}
	return r, false
}

// filled returns a line in which the text of a spelling replaces what a pattern matched; at are the positions of its
// groups, those of beforeMnemonic first.
func filled(line, text string, at []int) (r isa.Rewording) {
	place := at[3]
	r.Copy(line, 0, place)
	for text != "" {
		said, rest, more := strings.Cut(text, "@")
		r.Put(said, place)
		if text = rest; more {
			if n := 2 * (rest[0] - '0' + 1); at[n] >= 0 {
				r.Copy(line, at[n], at[n+1])
				place = at[n+1]
			}
			text = rest[1:]
		}
	}
	r.Copy(line, at[1], len(line))
	return r
}

// reword is the Arch.Reword of the dialect of the notes: text that is valid in envydis means the same here.
func reword(s *isa.Scan) (isa.Reworded, bool) {
	r, ok := inEnvydis(strings.TrimRight(s.Line, " \t"))
	if ok {
		native := isa.Scan{Target: s.Target, Rules: s.Rules, Long: s.Long, Symbol: s.Symbol, Trial: true}
		native.Reset(s.Line, s.Addr)
		var in isa.Inst
		ok = native.Parse(&in) != nil
	}
	if !ok {
		return isa.Reworded{Text: s.Line, Place: func(at int) int { return at }}, true
	}
	return isa.Reworded{Text: string(r.Text), Place: r.Place}, true
}

// fromNotes returns a hint at the text of an instruction that is written as in the notes; "": it is not.
func fromNotes(s *isa.Scan) string {
	r, ok := inEnvydis(strings.Join(strings.Fields(s.Line), " "))
	if text := string(r.Text); ok && s.Takes(text) {
		return fmt.Sprintf(`a spelling of the early notes, which "--dialect seed" reads; here it is %q`, text)
	}
	return ""
}
