package stepping

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Memory returns the bytes from an address to the end of its segment. The error says which memory exists instead.
func Memory(env *exec.Env, id ir.SpaceID, bank uint8, addr uint64) ([]byte, error) {
	space := env.Space(id, bank)
	g, ok := space.Find(addr)
	if ok {
		return g.Data[addr-g.Base:], nil
	}
	var names []string
	for _, g := range space.Segments() {
		names = append(names, fmt.Sprintf("%s %#x-%#x", g.Name, g.Base, g.Base+uint64(len(g.Data))))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no %s memory", id)
	}
	return nil, fmt.Errorf("nothing at %#x of %s; there are %s", addr, id, strings.Join(names, ", "))
}

// Private returns up to n bytes of a lane's private memory. If data is not nil, it is written there first.
func Private(env *exec.Env, bank uint8, lane, lanes int, addr, n uint64, data []byte) (got []byte, err error) {
	if int(bank) >= len(env.Private) || env.Private[bank] == nil || lane >= lanes {
		return nil, errors.New("there is no private memory")
	}
	p := env.Private[bank]
	for i := range n {
		at, fault := p.Reach(lane, addr+i, 1, 1, mem.Read)
		if fault != nil {
			if i == 0 {
				err = fault
			}
			break
		}
		switch {
		case data == nil:
		case at.Device != nil:
			at.Device.Store(at.Addr, data[i:i+1])
		default:
			copy(at.Bytes, data[i:i+1])
		}
		got = append(got, at.Load(make([]byte, 1))[0])
	}
	return got, err
}
