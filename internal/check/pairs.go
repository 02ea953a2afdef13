package check

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/isa"
)

const allFlags = "DABXUR"

// pairsTask is the number of rows per task.
const pairsTask = 512

// pairsFile makes the tasks of a table of pairs.
func (c *checker) pairsFile(ctx context.Context, path string, emit func(task) bool) error {
	file, err := c.open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	f := caseFile{path: path, kind: casefile.PairsFile}
	var rows []pairRow
	empty := true
	flush := func() bool {
		list := rows
		rows = nil
		return len(list) == 0 || emit(task{func() []Result { return c.pairs(f, list) }, func() int { return c.claims(list) }})
	}
	for p, err := range casefile.Pairs(file, path) {
		empty = false
		if err == nil && !c.wants(p.ISA, p.Variant) {
			continue
		}
		if rows = append(rows, pairRow{p, err}); len(rows) == pairsTask && !flush() {
			return ctx.Err()
		}
	}
	if empty {
		rows = append(rows, pairRow{err: errors.New("the table has no rows")})
	}
	if !flush() {
		return ctx.Err()
	}
	return nil
}

// A pairRow is a row, or the error for it.
type pairRow struct {
	casefile.Pair
	err error
}

// name returns the name of the row in results.
func (p *pairRow) name() string { return cmp.Or(p.Text, p.Hex) }

// claimed reports whether claims with a flag are selected.
func (c *checker) claimed(flag byte) bool {
	return c.Flags == "" || strings.IndexByte(c.Flags, flag) >= 0
}

// claims returns how many results the rows have.
func (c *checker) claims(rows []pairRow) (n int) {
	for i := range rows {
		p := &rows[i]
		switch {
		case p.err != nil:
			n++
		case c.named(p.name()):
			for _, flag := range []byte(p.Flags) {
				if c.claimed(flag) {
					n++
				}
			}
		}
	}
	return n
}

// pairs checks the claims of rows.
func (c *checker) pairs(f caseFile, rows []pairRow) (results []Result) {
	coders := map[string]*coder{}
	for i := range rows {
		p := &rows[i]
		if p.err != nil {
			results = append(results, broken(f, p.err))
			continue
		}
		r := Result{Kind: f.kind, File: f.path, Line: p.Line, Set: f.set(), ISA: full(p.ISA, p.Variant), Name: p.name()}
		if !c.named(r.Name) {
			continue
		}
		key := r.ISA + " " + p.Stage + " " + p.Said(keySyntax)
		if coders[key] == nil {
			coders[key] = newCoder(&p.Pair)
		}
		for _, flag := range []byte(p.Flags) {
			if c.claimed(flag) {
				r.Flag = flag
				results = append(results, coders[key].claim(r, &p.Pair))
			}
		}
	}
	return results
}

// Parts of a row's note about its text: its style, and the bytes of padding after it that the text does not show.
const (
	keySyntax  = "syntax"
	keyPadding = "align"
)

// A coder decodes and assembles for the rows of one variant, stage and syntax.
type coder struct {
	t      *isa.Target
	bundle isa.Bundle
	padded map[string]*asm.Lines // by what notes say about padding
	absent error                 // the variant is not known
	err    error
}

func newCoder(p *casefile.Pair) *coder {
	k := &coder{}
	k.t, k.absent = lookup(p.ISA, p.Variant)
	if k.absent != nil {
		return k
	}
	stage, ok := k.t.Arch.Stage(p.Stage)
	if !ok {
		k.err = fmt.Errorf("%s has no stage %q", p.ISA, p.Stage)
		return k
	}
	dialect, ok := k.t.Arch.Dialect(p.Said(keySyntax))
	if !ok {
		k.err = fmt.Errorf("%s has no syntax %q", p.ISA, p.Said(keySyntax))
		return k
	}
	k.t, k.err = k.t.Move(k.t.Variant, stage).With(dialect, nil)
	return k
}

// claims check what the flags claim. They return why a claim does not hold, or "".
var claims = [256]func(*coder, *casefile.Pair) string{
	'D': (*coder).decodes,
	'A': (*coder).assembles,
	'B': (*coder).roundTrip,
	'X': (*coder).refusesCode,
	'U': (*coder).reported,
	'R': (*coder).refusesText,
}

func (k *coder) claim(r Result, p *casefile.Pair) Result {
	switch {
	case k.absent != nil:
		r.unknown(k.absent)
	case k.err != nil:
		r.fail(k.err.Error())
	default:
		r.fail(guarded(func() string { return claims[r.Flag](k, p) }))
	}
	return r
}

// decode decodes all bytes of the row as one instruction or group.
func (k *coder) decode(p *casefile.Pair) error {
	code := p.Code()
	if err := k.t.DecodeBundle(code, 0, &k.bundle); err != nil {
		return err
	}
	if n := k.bundle.Size(); n != len(code) {
		return fmt.Errorf("the instruction has %d bytes of the %d given", n, len(code))
	}
	return nil
}

func (k *coder) text() string { return string(k.t.Print(nil, &k.bundle)) }

func (k *coder) decodes(p *casefile.Pair) string {
	if strings.HasPrefix(p.Text, unreadable) { // the reference tool rejects the word, and so must we
		return k.refusesCode(p)
	}
	if err := k.decode(p); err != nil {
		return err.Error()
	}
	if got := k.text(); got != p.Text {
		return fmt.Sprintf("%s decodes to %q", p.Hex, got)
	}
	return ""
}

// lines assembles texts with the padding that the row's note requests.
func (k *coder) lines(p *casefile.Pair) (*asm.Lines, error) {
	note := p.Said(keyPadding)
	if l := k.padded[note]; l != nil {
		return l, nil
	}
	n, err := strconv.ParseUint(cmp.Or(note, "0"), 10, 8)
	if err != nil {
		return nil, fmt.Errorf("the note says %s=%s, which is no number of bytes", keyPadding, note)
	}
	l := asm.NewLines(k.t)
	l.Pad = uint8(n)
	if k.padded == nil {
		k.padded = map[string]*asm.Lines{}
	}
	k.padded[note] = l
	return l, nil
}

func (k *coder) assembles(p *casefile.Pair) string {
	l, err := k.lines(p)
	if err != nil {
		return err.Error()
	}
	digits, err := l.Asm(nil, []byte(p.Text))
	if err != nil {
		return err.Error()
	}
	if got := string(digits); got != p.Hex {
		return fmt.Sprintf("assembles to %s, want %s", got, p.Hex)
	}
	return ""
}

func (k *coder) roundTrip(p *casefile.Pair) string {
	if err := k.decode(p); err != nil {
		return err.Error()
	}
	code, err := k.bundle.Encode(nil)
	if err != nil {
		return err.Error()
	}
	if got := hex.EncodeToString(code); got != p.Hex {
		return fmt.Sprintf("%s encodes again to %s", p.Hex, got)
	}
	return ""
}

func (k *coder) refusesCode(p *casefile.Pair) string {
	if k.decode(p) != nil {
		return ""
	}
	return fmt.Sprintf("%s decodes to %q, but must be refused", p.Hex, k.text())
}

func (k *coder) reported(p *casefile.Pair) string {
	if err := k.decode(p); err != nil {
		return err.Error()
	}
	if len(k.t.Lint(nil, &k.bundle, nil)) == 0 {
		return fmt.Sprintf("%s decodes to %q, and lint reports nothing", p.Hex, k.text())
	}
	return ""
}

func (k *coder) refusesText(p *casefile.Pair) string {
	l, err := k.lines(p)
	if err != nil {
		return err.Error()
	}
	got, err := l.Asm(nil, []byte(p.Text))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("assembles to %s, but must be refused", got)
}
