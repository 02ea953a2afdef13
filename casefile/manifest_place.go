package casefile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/jsonfile"
	"github.com/heddle-gpu/heddle/internal/spell"
)

// Checks of manifests of Valhall, Rogue and Tesla: addresses of buffers, initial words of programs, the resource table.

// Limits of the initial words of programs.
const (
	maxUniformBytes = 1024
	maxDescriptors  = 4096 // of a table
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
			return jsonfile.At(err, "buffers", b.Name)
		}
	}
	f := findsOf(m.Format)
	for i := range m.Launches {
		l := &m.Launches[i]
		err := m.checkWords("args", l.Args, f.bytes, "bytes of "+f.args)
		for j, table := range l.Resources {
			if len(table) > maxDescriptors {
				err = cmp.Or(err, jsonfile.At(jsonfile.Bad("more than %d descriptors", maxDescriptors), "resources", jsonfile.Index(j)))
			}
			for n, name := range table {
				if name != "" && buffers[name] == nil {
					err = cmp.Or(err, jsonfile.At(jsonfile.Bad("there is no buffer %q", jsonfile.Clip(name)), "resources", jsonfile.Index(j), jsonfile.Index(n)))
				}
			}
		}
		if l.GlobalOffset != [3]int{} {
			err = cmp.Or(err, jsonfile.At(jsonfile.Bad("jobs of %s have none", f.name), "global_offset"))
		}
		if err != nil {
			return jsonfile.At(err, "launches", jsonfile.Index(i))
		}
	}
	return nil
}

// checkWords rejects words without an address or that do not fit.
func (m *Manifest) checkWords(key string, words []LaunchArg, most int, of string) error {
	for i, a := range words {
		if _, ok := m.Buffer(a.Buffer); a.Buffer != "" && !ok {
			return jsonfile.At(jsonfile.Bad("there is no buffer %q", jsonfile.Clip(a.Buffer)), key, jsonfile.Index(i), "buffer")
		}
		if a.LocalBytes != 0 {
			return jsonfile.At(jsonfile.Bad("%s", findsOf(m.Format).local), key, jsonfile.Index(i), "local_bytes")
		}
	}
	data, err := m.Words(words)
	if err == nil && len(data) > most {
		err = jsonfile.At(jsonfile.Bad("%s, there are %d %s", spell.Count(len(data), "byte"), most, of), key)
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
			return jsonfile.At(jsonfile.Bad("%s at %#x; buffers lie below %#x", spell.Count(b.Bytes, "byte"), b.Address, uint64(ValhallEnd)), "buffers", b.Name, "address")
		}
		next = max(next, after(b))
	}
	for _, b := range order {
		if b.Address == 0 {
			b.Address = next
			next = after(b)
			if b.Address > ValhallEnd-uint64(b.Bytes) {
				return jsonfile.At(jsonfile.Bad("no room for %s below %#x after the others", spell.Count(b.Bytes, "byte"), uint64(ValhallEnd)), "buffers", b.Name)
			}
		}
	}
	slices.SortFunc(order, func(a, b *Buffer) int { return cmp.Compare(a.Address, b.Address) })
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1], order[i]; a.Address+uint64(a.Bytes) > b.Address {
			return jsonfile.At(jsonfile.Bad("at %#x, inside of %q: %s at %#x", b.Address, a.Name, spell.Count(a.Bytes, "byte"), a.Address), "buffers", b.Name)
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
			return jsonfile.At(jsonfile.Bad("%q is none of global0 to global15, const0 to const15", jsonfile.Clip(b.Space)), "buffers", b.Name, "space")
		case space == "const" && (b.Address != 0 || b.Expect != ""):
			return jsonfile.At(jsonfile.Bad("constants lie at address 0, and no program changes them"), "buffers", b.Name)
		case b.Address+uint64(b.Bytes) > 1<<32 || b.Address > 1<<32:
			return jsonfile.At(jsonfile.Bad("%s at %#x; addresses have 32 bits", spell.Count(b.Bytes, "byte"), b.Address), "buffers", b.Name, "address")
		}
		for j := range i {
			a := &m.Buffers[j]
			if other, n, _ := a.Bank(); other == space && n == bank && a.Address < b.Address+uint64(b.Bytes) && b.Address < a.Address+uint64(a.Bytes) {
				return jsonfile.At(jsonfile.Bad("at %#x of %s, where %q lies: %s at %#x", b.Address, b.Space, a.Name, spell.Count(a.Bytes, "byte"), a.Address), "buffers", b.Name)
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
				return nil, fmt.Errorf("there is no buffer %q", jsonfile.Clip(a.Buffer))
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
