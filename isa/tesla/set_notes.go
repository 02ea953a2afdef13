package tesla

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/isa"
)

// notesSpellings turn what the early notes on the instructions write into the text of envydis. docs/reference/tesla.md 11.
var notesSpellings = [...]struct{ notes, text string }{
	{`^bar sync (\S+)$`, `bar inc wait $1 all`},
	{`^mov lock (\$c\d) (\S+) (s\[.*\])$`, `ld lock $1 $2 b32 $3`},
	{`^mov unlock (s\[.*\]) (\S+)$`, `st unlock b32 $1 $2`},
	{`^(quadop .*) do([xy]) `, `$1 d$2 `},
	{`^mul (high )?([us]24) (\$c\d )?(\S+) `, `mul $3$4 $1$2 `},
	{`^(add|sub|subr) (sat )?((?:\$c\d )?\S+) (mul .*) (\S+)$`, `$1 $2$3 ($4) $5`},
	{`^(add|sub|subr|addc) sat (b16|b32) (\$c\d )`, `$1 $2 sat $3`},
	{`^set (.*) lge ([us](?:16|32)) `, `set $1 always $2 `},
	{`^(tex\w+) deriv (live|all) `, `$1 $2 deriv `},
	{`^cvt sat ([us](?:8|16|32)) (\S+ [us](?:8|16|32)) `, `cvt $1 $2 `},
	{`^mov (\S+) sreg([23])$`, `mov $1 $$sr$2`},
}

// notesPatterns compiles the patterns of notesSpellings, when the first error needs them.
var notesPatterns = sync.OnceValue(func() (list [len(notesSpellings)]*regexp.Regexp) {
	for i := range notesSpellings {
		list[i] = regexp.MustCompile(notesSpellings[i].notes)
	}
	return list
})

// fromNotes is a hint at the text of an instruction that is written as in the early notes; "": it is not.
func fromNotes(s *isa.Scan) string {
	line := strings.Join(strings.Fields(s.Line), " ")
	for i, notes := range notesPatterns() {
		if notes.MatchString(line) {
			if text := notes.ReplaceAllString(line, notesSpellings[i].text); s.Takes(text) {
				return fmt.Sprintf("a spelling of the early notes; here it is %q", text)
			}
		}
	}
	return ""
}
