package object

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/spell"
)

// Additional keys in manifests of Valhall, Rogue and Tesla: addresses of buffers, initial words of programs; for
// Valhall memory of workgroups and threads, and the resource table.

// partial lists keys that only some formats have, with the formats that have them.
var partial = [...]struct {
	key     string
	formats []string
}{
	{"read_only", []string{ManifestFormat}},
	{"kernarg", []string{ManifestFormat}},
	{"registers", []string{ManifestFormat}},
	{"words", []string{ValhallManifestFormat, RogueManifestFormat}},
	{"space", []string{TeslaManifestFormat}},
	{"shared_bytes", []string{ValhallManifestFormat, TeslaManifestFormat}},
	{"private_bytes", []string{ValhallManifestFormat, TeslaManifestFormat}},
	{"preload", []string{ValhallManifestFormat}},
	{"options", []string{ValhallManifestFormat, RogueManifestFormat, TeslaManifestFormat}},
	{"resources", []string{ValhallManifestFormat}},
	{"abi", []string{TeslaManifestFormat}},
}

// foreignKey returns an error if a key is present that manifests of the format do not have.
func foreignKey(format, key string, has bool) error {
	for i := range partial {
		if p := &partial[i]; has && p.key == key && !slices.Contains(p.formats, format) {
			return under(key, badValue("manifests of format %s have it, this one is %s", strings.Join(p.formats, ", "), format))
		}
	}
	return nil
}

// plain rejects keys of the buffer that manifests of a format do not have.
func (b *Buffer) plain(format string) error {
	return cmp.Or(foreignKey(format, "read_only", b.ReadOnly), foreignKey(format, "words", b.Words != nil), foreignKey(format, "space", b.Space != ""))
}

// plain rejects keys of the launch that manifests of its format do not have.
func (l *Launch) plain(format string) error {
	return cmp.Or(foreignKey(format, "shared_bytes", l.SharedBytes != 0), foreignKey(format, "private_bytes", l.PrivateBytes != 0),
		foreignKey(format, "preload", l.Preload != 0), foreignKey(format, "options", l.Options != nil),
		foreignKey(format, "resources", l.Resources != nil), foreignKey(format, "abi", l.ABI != ""),
		foreignKey(format, "kernarg", l.Kernarg != nil), foreignKey(format, "registers", l.Registers != nil))
}

func readResources(l *Launch, v []byte) error {
	l.Resources = [][]string{}
	return eachElement(v, func(i int, v []byte) error {
		table := []string{}
		err := eachElement(v, func(i int, v []byte) error {
			if i == maxManyItems {
				return badValue("more than %d descriptors", maxManyItems)
			}
			name, err := jsonString(v)
			table = append(table, name)
			return err
		})
		if l.Resources = append(l.Resources, table); err == nil && i == maxTables {
			err = badValue("more than %d tables", maxTables)
		}
		return err
	})
}

// Limits of the initial words of programs.
const (
	maxTables       = 63
	maxUniformBytes = 1024
	maxSharedBytes  = 4 * 4096
	maxTeslaParams  = 16 << 10
)

// finds is the initial state of programs of a format.
type finds struct {
	args, name string // where the words are; the name of the instruction set
	bytes      int
	local      string // what replaces arguments in local memory
}

var found = [...]struct {
	format string
	finds
}{
	{ValhallManifestFormat, finds{"u0 to u255", "Valhall", maxUniformBytes, "programs of Valhall find workgroup memory by a special value; shared_bytes of the launch is its size"}},
	{TeslaManifestFormat, finds{"parameters in s[]", "Tesla", maxTeslaParams, "programs of Tesla find shared memory after the parameters; shared_bytes of the launch is its size"}},
	{RogueManifestFormat, finds{"sh0 to sh4095", "Rogue", maxSharedBytes, "programs of Rogue have no workgroup memory besides registers of the task"}},
}

// findsOf returns the initial state of programs of a format.
func findsOf(format string) finds {
	for i := range found {
		if found[i].format == format {
			return found[i].finds
		}
	}
	return finds{}
}

// checkPlaced assigns addresses to buffers, except those of Tesla, and rejects invalid placement.
func (m *Manifest) checkPlaced(buffers map[string]*Buffer) error {
	place := m.place
	if m.Format == TeslaManifestFormat {
		place = m.checkSpaces
	}
	if err := place(); err != nil {
		return err
	}
	for i := range m.Buffers {
		b := &m.Buffers[i]
		if err := m.checkWords("words", b.Words, b.Bytes, "bytes of the buffer"); err != nil {
			return under("buffers", under(b.Name, err))
		}
	}
	f := findsOf(m.Format)
	for i := range m.Launches {
		l := &m.Launches[i]
		err := m.checkWords("args", l.Args, f.bytes, "bytes of "+f.args)
		for j, table := range l.Resources {
			for n, name := range table {
				if name != "" && buffers[name] == nil {
					err = cmp.Or(err, under(index("resources", j), badValue("[%d]: there is no buffer %q", n, clip(name))))
				}
			}
		}
		if l.GlobalOffset != [3]int{} {
			err = cmp.Or(err, under("global_offset", badValue("jobs of %s have none", f.name)))
		}
		if err != nil {
			return under(index("launches", i), err)
		}
	}
	return nil
}

// checkWords rejects words without an address or that do not fit.
func (m *Manifest) checkWords(key string, words []LaunchArg, most int, of string) error {
	for i, a := range words {
		if _, ok := m.Buffer(a.Buffer); a.Buffer != "" && !ok {
			return under(index(key, i), under("buffer", badValue("there is no buffer %q", clip(a.Buffer))))
		}
		if a.LocalBytes != 0 {
			return under(index(key, i), under("local_bytes", badValue("%s", findsOf(m.Format).local)))
		}
	}
	data, err := m.Words(words)
	if err == nil && len(data) > most {
		err = under(key, badValue("%s, there are %d %s", spell.Count(len(data), "byte"), most, of))
	}
	return err
}

// place assigns addresses to buffers that have none, each after the last with a gap, and rejects overlaps.
func (m *Manifest) place() error {
	next := uint64(valhallFirst)
	var order []*Buffer
	for i := range m.Buffers {
		b := &m.Buffers[i]
		if order = append(order, b); b.Address == 0 {
			continue
		}
		if b.Address > ValhallEnd-uint64(b.Bytes) {
			return under("buffers", under(b.Name, under("address", badValue("%s at %#x; buffers lie below %#x", spell.Count(b.Bytes, "byte"), b.Address, uint64(ValhallEnd)))))
		}
		next = max(next, after(b))
	}
	for _, b := range order {
		if b.Address == 0 {
			b.Address = next
			next = after(b)
			if b.Address > ValhallEnd-uint64(b.Bytes) {
				return under("buffers", under(b.Name, badValue("no room for %s below %#x after the others", spell.Count(b.Bytes, "byte"), uint64(ValhallEnd))))
			}
		}
	}
	slices.SortFunc(order, func(a, b *Buffer) int { return cmp.Compare(a.Address, b.Address) })
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; a.Address+uint64(a.Bytes) > b.Address {
			return under("buffers", under(b.Name, badValue("at %#x, inside of %q: %s at %#x", b.Address, a.Name, spell.Count(a.Bytes, "byte"), a.Address)))
		}
	}
	return nil
}

// checkSpaces rejects buffers of Tesla without a space, or that overlap others of their space.
func (m *Manifest) checkSpaces() error {
	for i := range m.Buffers {
		b := &m.Buffers[i]
		space, bank, ok := b.Bank()
		switch {
		case !ok:
			return under("buffers", under(b.Name, under("space", badValue("%q is none of global0 to global15, const0 to const15", clip(b.Space)))))
		case space == "const" && (b.Address != 0 || b.Expect != ""):
			return under("buffers", under(b.Name, badValue("constants lie at address 0, and no program changes them")))
		case b.Address+uint64(b.Bytes) > 1<<32 || b.Address > 1<<32:
			return under("buffers", under(b.Name, under("address", badValue("%s at %#x; addresses have 32 bits", spell.Count(b.Bytes, "byte"), b.Address))))
		}
		for j := range i {
			a := &m.Buffers[j]
			if other, n, _ := a.Bank(); other == space && n == bank && a.Address < b.Address+uint64(b.Bytes) && b.Address < a.Address+uint64(a.Bytes) {
				return under("buffers", under(b.Name, badValue("at %#x of %s, where %q lies: %s at %#x", b.Address, b.Space, a.Name, spell.Count(a.Bytes, "byte"), a.Address)))
			}
		}
	}
	return nil
}

// Bank returns the kind of address space of a Tesla buffer, global or const, and its number.
func (b *Buffer) Bank() (space string, bank int, ok bool) {
	for _, space := range []string{"global", "const"} {
		if n, is := strings.CutPrefix(b.Space, space); is {
			bank, err := strconv.ParseUint(n, 10, 4)
			return space, int(bank), err == nil
		}
	}
	return "", 0, false
}

// after returns the lowest address for the next buffer: with a gap, so that an out-of-bounds access faults.
func after(b *Buffer) uint64 {
	return (b.Address + uint64(b.Bytes) + 2*valhallAlign - 1) &^ (valhallAlign - 1)
}

// Words returns numbers and addresses of buffers as they are in memory, each aligned to its size.
func (m *Manifest) Words(list []LaunchArg) (data []byte, err error) {
	for _, a := range list {
		if a.Data != nil {
			data = append(data, a.Data...)
			continue
		}
		v, size := a.Bits, max(4, numberTypes[a.Type]/8)
		if a.Buffer != "" {
			b, ok := m.Buffer(a.Buffer)
			if !ok {
				return nil, fmt.Errorf("there is no buffer %q", clip(a.Buffer))
			}
			if v, size = b.Address, 8; m.Format == TeslaManifestFormat {
				size = 4
			}
		}
		for len(data)%size != 0 {
			data = append(data, 0)
		}
		for i := range size {
			data = append(data, byte(v>>(8*i)))
		}
	}
	return data, nil
}
