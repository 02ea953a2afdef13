package object

import (
	"cmp"
	"fmt"
	"slices"
)

// What manifests of Valhall and Rogue say beside: where buffers lie, words that programs begin with; of Valhall memory of work-groups and threads, the
// resource table.

// plain refuses what manifests of Valhall and Rogue alone say.
func (b *Buffer) plain() error {
	for _, k := range [...]struct {
		key string
		has bool
	}{{"address", b.Address != 0}, {"words", b.Words != nil}} {
		if k.has {
			return under(k.key, badValue("manifests of format %s have it, this one is %s", ValhallManifestFormat, ManifestFormat))
		}
	}
	return nil
}

// plain refuses what the launch says and manifests of its format do not have.
func (l *Launch) plain(format string) error {
	if format == ValhallManifestFormat {
		return nil
	}
	for _, k := range [...]struct {
		key        string
		has, rogue bool
	}{{"shared_bytes", l.SharedBytes != 0, false}, {"private_bytes", l.PrivateBytes != 0, false}, {"preload", l.Preload != 0, false},
		{"options", l.Options != nil, true}, {"resources", l.Resources != nil, false}} {
		if k.has && !(k.rogue && format == RogueManifestFormat) {
			return under(k.key, badValue("manifests of format %s have it, this one is %s", ValhallManifestFormat, format))
		}
	}
	return nil
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

// Limits of what programs find at their start.
const (
	maxTables       = 63
	maxUniformBytes = 1024
	maxSharedBytes  = 4 * 4096
)

// finds is what programs of a format find at their start.
type finds struct {
	args, name string // where words lie; the instruction set
	bytes      int
	local      string // what there is in place of arguments that are local memory
}

var found = [...]struct {
	format string
	finds
}{
	{ValhallManifestFormat, finds{"u0 to u255", "Valhall", maxUniformBytes, "programs of Valhall find workgroup memory by a special value; shared_bytes of the launch is its size"}},
	{RogueManifestFormat, finds{"sh0 to sh4095", "Rogue", maxSharedBytes, "programs of Rogue have no workgroup memory besides registers of the task"}},
}

// findsOf is what programs of a format find.
func findsOf(format string) finds {
	for i := range found {
		if found[i].format == format {
			return found[i].finds
		}
	}
	return finds{}
}

// checkPlaced gives buffers their addresses and refuses what does not fit.
func (m *Manifest) checkPlaced(buffers map[string]*Buffer) error {
	if err := m.place(); err != nil {
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

// checkWords refuses words that have no address or do not fit.
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
		err = under(key, badValue("%d bytes, there are %d %s", len(data), most, of))
	}
	return err
}

// place gives buffers that say no address one, each behind the last with a gap, and refuses those that overlap.
func (m *Manifest) place() error {
	next := uint64(valhallFirst)
	var order []*Buffer
	for i := range m.Buffers {
		b := &m.Buffers[i]
		if order = append(order, b); b.Address == 0 {
			continue
		}
		if b.Address > ValhallEnd-uint64(b.Bytes) {
			return under("buffers", under(b.Name, under("address", badValue("%d bytes at %#x; buffers lie below %#x", b.Bytes, b.Address, uint64(ValhallEnd)))))
		}
		next = max(next, behind(b))
	}
	for _, b := range order {
		if b.Address == 0 {
			b.Address = next
			next = behind(b)
			if b.Address > ValhallEnd-uint64(b.Bytes) {
				return under("buffers", under(b.Name, badValue("no room for %d bytes below %#x behind the others", b.Bytes, uint64(ValhallEnd))))
			}
		}
	}
	slices.SortFunc(order, func(a, b *Buffer) int { return cmp.Compare(a.Address, b.Address) })
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; a.Address+uint64(a.Bytes) > b.Address {
			return under("buffers", under(b.Name, badValue("at %#x, inside of %q: %d bytes at %#x", b.Address, a.Name, a.Bytes, a.Address)))
		}
	}
	return nil
}

// behind is where the next buffer may lie: with a gap, so that an access behind the end is found.
func behind(b *Buffer) uint64 {
	return (b.Address + uint64(b.Bytes) + 2*valhallAlign - 1) &^ (valhallAlign - 1)
}

// Words is numbers and addresses of buffers as they lie in memory, each at a multiple of its size.
func (m *Manifest) Words(list []LaunchArg) (data []byte, err error) {
	for _, a := range list {
		v, size := a.Bits, 4
		switch a.Type {
		case "i64", "u64", "f64":
			size = 8
		}
		if a.Buffer != "" {
			b, ok := m.Buffer(a.Buffer)
			if !ok {
				return nil, fmt.Errorf("there is no buffer %q", clip(a.Buffer))
			}
			v, size = b.Address, 8
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
