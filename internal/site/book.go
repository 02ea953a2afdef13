package site

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/manual"
	"github.com/heddle-gpu/heddle/internal/reference"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A row is a row of a table, with an instruction of it in a bundle.
type row struct {
	def    *isa.Def
	t      *isa.Target // of the first variant and stage that have it
	bundle *isa.Bundle
	pg     *manual.Page
	part   int // of the bundle, the one that is the row's
	ops    []ir.Op
	// restrictions are what words of the row must keep to.
	restrictions []manual.Restriction
}

// one is the part of the page that is about the row.
func (r *row) one() *manual.Part { return &r.pg.Parts[r.part] }

// variants is which variants have the row.
func (r *row) variants() uint32 { return r.def.Variants & (1<<len(r.t.Variants) - 1) }

// An instruction is what one page is about: the rows of one name.
type instruction struct {
	name, file string
	also       []string
	rows       []*row
	fidelity   ir.Fidelity
	runs       bool // some of its rows
}

func (in *instruction) doc() string {
	for _, r := range in.rows {
		if r.def.Doc != "" {
			return r.def.Doc
		}
	}
	return ""
}

// A named is what has a page or a section that instructions link to, and which ones do.
type named struct {
	name, file string
	in         []*instruction
	rows       []*row
	word       bool // of a kind: isWord
}

func (n *named) add(in *instruction, r *row) {
	if k := len(n.in); k == 0 || n.in[k-1] != in {
		n.in = append(n.in, in)
	}
	n.rows = append(n.rows, r)
}

// A book is the pages of one set.
type book struct {
	*isa.Set
	list  []*instruction // by name
	of    map[*isa.Def]*instruction
	encs  index
	kinds index
	opts  index
	cited index // sections of its reference page by number
	// common are the rules that words of many instructions can break.
	common map[string]bool

	pictures pictures // that pages refer to
}

// An index finds names, and lists them in the order in which they were met.
type index struct {
	list  []*named
	by    map[string]*named
	slugs slugs
}

// at is the entry of a name.
func (ix *index) at(name string) *named {
	n := ix.by[name]
	if n == nil {
		if ix.by == nil {
			ix.by, ix.slugs = map[string]*named{}, slugs{}
		}
		n = &named{name: name, file: ix.slugs.next(name)}
		ix.by[name], ix.list = n, append(ix.list, n)
	}
	return n
}

// slugs are names of files that are taken.
type slugs map[string]bool

// next is the name of a file for what is called so: lower case, since not every file system tells letters of both cases apart.
func (s slugs) next(name string) string {
	file := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name), "-.")
	for strings.Contains(file, "--") {
		file = strings.ReplaceAll(file, "--", "-")
	}
	if file == "" {
		file = "x"
	}
	for n, base := 2, file; s[file]; n++ {
		file = fmt.Sprintf("%s-%d", base, n)
	}
	s[file] = true
	return file
}

// A site is all that is written.
type site struct {
	o     *Options
	books []*book
	ops   map[ir.Op][]*use
	refs  reference.Index
	// rulers are the numbers of bits as files at the root, those that pages refer to.
	rulers map[string][]byte
}

// A use is the instructions of a set that an op is part of.
type use struct {
	b  *book
	in []*instruction
}

// gather reads the sets.
func gather(o *Options) (*site, error) {
	s := &site{o: o, ops: map[ir.Op][]*use{}, refs: reference.Built(), rulers: map[string][]byte{}}
	for _, set := range o.Sets {
		b, err := newBook(set)
		if err != nil {
			return nil, err
		}
		s.books = append(s.books, b)
		s.addOps(b)
	}
	return s, nil
}

// addOps notes which ops the instructions of a book are made of.
func (s *site) addOps(b *book) {
	for _, in := range b.list {
		for _, r := range in.rows {
			for _, op := range r.ops {
				list := s.ops[op]
				if n := len(list); n == 0 || list[n-1].b != b {
					list = append(list, &use{b: b})
				}
				if u := list[len(list)-1]; len(u.in) == 0 || u.in[len(u.in)-1] != in {
					u.in = append(u.in, in)
				}
				s.ops[op] = list
			}
		}
	}
}

// reserved are files of a book that are no instruction.
var reserved = [...]string{"index", "reference", "options", "rules", "kinds", "encodings"}

// newBook reads a set.
func newBook(set *isa.Set) (*book, error) {
	b := &book{Set: set, of: map[*isa.Def]*instruction{}, pictures: pictures{uses: map[string]int{}}}
	by, files := map[string]*instruction{}, slugs{}
	for _, name := range reserved {
		files[name] = true
	}
	for i := range set.Defs {
		d := &set.Defs[i]
		name := manual.PlainName(d)
		in := by[name]
		if in == nil {
			in = &instruction{name: name}
			by[name], b.list = in, append(b.list, in)
		}
		if err := in.add(set, d); err != nil {
			return nil, err
		}
		b.of[d] = in
	}
	slices.SortFunc(b.list, func(x, y *instruction) int { return cmp.Compare(x.name, y.name) })
	for _, in := range b.list {
		in.file = files.next(in.name) + ".html"
		b.pictures.count(in)
		for _, r := range in.rows {
			b.note(in, r)
		}
	}
	for _, n := range b.kinds.list {
		n.word = n.isWord()
	}
	b.restrict()
	return b, nil
}

// add notes a row.
func (in *instruction) add(set *isa.Set, d *isa.Def) error {
	t := manual.FirstTarget(set, d)
	r := &row{def: d, t: t, bundle: varied(t, d, manual.Illustrated(t, d))}
	r.pg = manual.BriefPage(t, r.bundle, eval.StartMode(t))
	r.part = slices.IndexFunc(r.bundle.Parts, func(p isa.Inst) bool { return p.Def == d })
	if r.part < 0 {
		return fmt.Errorf("%s: no bundle holds row %s %s", set.Name, d.Name, d.Enc.Name)
	}
	if one := r.one(); len(one.Fields) == 0 && !d.Private { // the bits of its neighbours are not public, or there are none
		part := r.bundle.Parts[r.part]
		part.Size = max(part.Size, uint8(d.EncodedSize(part.Word)))
		one.Fields, one.Encoding, one.Opcode = manual.FieldsOf(&part), d.Enc.Name, d.Op
	}
	f, err := manual.RowFidelity(set, d)
	if err != nil {
		return err
	}
	if f != ir.NotRunnable {
		in.runs, in.fidelity = true, max(in.fidelity, f)
		r.ops = opsOf(t, r.bundle)
	}
	in.rows = append(in.rows, r)
	for _, a := range d.Also {
		if a != in.name && !strings.HasPrefix(a, in.name+"_") && !slices.Contains(in.also, a) {
			in.also = append(in.also, a)
		}
	}
	return nil
}

// constants is what bundles of a set read in a sample, and registers that they could read instead, which show more.
var constants = []struct{ set, constant, register string }{
	{"rogue", "sc0", "r%d"},
}

// varied is a bundle that reads registers where another reads constants only, if there is one that still holds the row.
func varied(t *isa.Target, d *isa.Def, b *isa.Bundle) *isa.Bundle {
	text := string(t.Print(nil, b))
	for _, c := range constants {
		if c.set != t.Name || !strings.Contains(text, "= "+c.constant) {
			continue
		}
		for n := 1; strings.Contains(text, "= "+c.constant); n++ {
			text = strings.Replace(text, "= "+c.constant, "= "+fmt.Sprintf(c.register, n), 1)
		}
		other := &isa.Bundle{}
		if t.Parse(text, 0, other) == nil && slices.ContainsFunc(other.Parts, func(p isa.Inst) bool { return p.Def == d }) {
			return other
		}
	}
	return b
}

// opsOf are the ops of a bundle's lift, each once.
func opsOf(t *isa.Target, b *isa.Bundle) (list []ir.Op) {
	blk := t.LiftOne(b, eval.StartMode(t)&t.Machine().ModeMask)
	for i := range blk.Ops {
		if op := blk.Ops[i].Op; !slices.Contains(list, op) {
			list = append(list, op)
		}
	}
	return list
}

// note enters a row in the indexes.
func (b *book) note(in *instruction, r *row) {
	d := r.def
	b.encs.at(d.Enc.Name).add(in, r)
	for i := range d.Args {
		b.kinds.at(kindName(d.Args[i].Kind)).add(in, r)
	}
	for _, o := range d.Options {
		b.opts.at(o).add(in, r)
	}
	for _, p := range reference.Cited(d.Source) {
		b.cited.at(p.Section).add(in, r)
	}
}

// kindName is what a kind is called, without the quotes of words.
func kindName(k *isa.Kind) string {
	if name := strings.Trim(k.Name, `"`); name != "" {
		return name
	}
	return "text"
}

// fidelityName is how exactly the instruction runs, in a word.
func (in *instruction) fidelityName() string {
	if !in.runs {
		return "does not run"
	}
	return in.fidelity.String()
}

// variantNames are those of a mask.
func (b *book) variantNames(mask uint32) string {
	var names []string
	for v := range b.Variants {
		if mask>>v&1 != 0 {
			names = append(names, b.Variants[v].Name)
		}
	}
	return strings.Join(names, " ")
}

// variants are those that have the instruction.
func (in *instruction) variants() (mask uint32) {
	for _, r := range in.rows {
		mask |= r.variants()
	}
	return mask
}
