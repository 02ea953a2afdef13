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

// A row is a row of a table, with a sample instruction of it in a bundle.
type row struct {
	def    *isa.Def
	t      *isa.Target // for the first variant and stage that have it
	bundle *isa.Bundle
	pg     *manual.Page
	part   int // index of the row's own part in the bundle
	ops    []ir.Op
	// restrictions are restrictions on words of the row.
	restrictions []manual.Restriction
}

// one returns the part of the page that is about the row.
func (r *row) one() *manual.Part { return &r.pg.Parts[r.part] }

// variants returns the mask of the variants that have the row.
func (r *row) variants() uint32 { return r.def.Variants & (1<<len(r.t.Variants) - 1) }

// An instruction is the subject of one page: the rows of one name.
type instruction struct {
	name, file string
	also       []string
	rows       []*row
	fidelity   ir.Fidelity
	runs       bool // some of its rows run
}

func (in *instruction) doc() string {
	for _, r := range in.rows {
		if r.def.Doc != "" {
			return r.def.Doc
		}
	}
	return ""
}

// A named is an entry with a page or a section that instructions link to, and the instructions that do.
type named struct {
	name, file string
	in         []*instruction
	rows       []*row
	word       bool // its kind is a word: see isWord
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
	cited index // sections of the set's reference page by number
	// common are the rules that many instructions can break.
	common map[string]bool

	pictures pictures // that pages use
}

// An index finds entries by name, and lists them in the order of their insertion.
type index struct {
	list  []*named
	by    map[string]*named
	slugs slugs
}

// at returns the entry of a name, adding it if needed.
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

// slugs are file names that are taken.
type slugs map[string]bool

// next returns a free file name for a title, in lower case, because some file systems ignore case.
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

// A site is the content of all pages.
type site struct {
	o     *Options
	books []*book
	ops   map[ir.Op][]*use
	refs  reference.Index
	// rulers are pictures of bit numbers: files at the root that pages use.
	rulers map[string][]byte
}

// A use is the instructions of a set that use an op.
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

// addOps records which ops the instructions of a book use.
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

// reserved are names of files of a book that are no instructions.
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

// add adds a row.
func (in *instruction) add(set *isa.Set, d *isa.Def) error {
	t := manual.FirstTarget(set, d)
	r := &row{def: d, t: t, bundle: varied(t, d, manual.Illustrated(t, d))}
	r.pg = manual.BriefPage(t, r.bundle, eval.StartMode(t))
	r.part = slices.IndexFunc(r.bundle.Parts, func(p isa.Inst) bool { return p.Def == d })
	if r.part < 0 {
		return fmt.Errorf("%s: no bundle holds row %s %s", set.Name, d.Name, d.Enc.Name)
	}
	if one := r.one(); len(one.Fields) == 0 && !d.Private { // its bits depend on private neighbours, or it has none
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

// constants are operands that bundles of a set read in a sample, and registers that are a better illustration.
var constants = []struct{ set, constant, register string }{
	{"rogue", "sc0", "r%d"},
}

// varied returns a bundle that reads registers where b reads only constants, if there is one that still contains the
// row.
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

// opsOf returns the distinct ops of a bundle's lift.
func opsOf(t *isa.Target, b *isa.Bundle) (list []ir.Op) {
	blk := t.LiftOne(b, eval.StartMode(t)&t.Machine().ModeMask)
	for i := range blk.Ops {
		if op := blk.Ops[i].Op; !slices.Contains(list, op) {
			list = append(list, op)
		}
	}
	return list
}

// note adds a row to the indexes.
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

// kindName returns the name of a kind, without the quotes of words.
func kindName(k *isa.Kind) string {
	if name := strings.Trim(k.Name, `"`); name != "" {
		return name
	}
	return "text"
}

// fidelityName returns the fidelity of the instruction as a word.
func (in *instruction) fidelityName() string {
	if !in.runs {
		return "does not run"
	}
	return in.fidelity.String()
}

// variantNames returns the names of the variants of a mask.
func (b *book) variantNames(mask uint32) string {
	var names []string
	for v := range b.Variants {
		if mask>>v&1 != 0 {
			names = append(names, b.Variants[v].Name)
		}
	}
	return strings.Join(names, " ")
}

// variants returns the mask of the variants that have the instruction.
func (in *instruction) variants() (mask uint32) {
	for _, r := range in.rows {
		mask |= r.variants()
	}
	return mask
}
