package tesla

import (
	"context"
	"fmt"

	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// RunManifest runs all launches of a manifest on one of its builds, in order. It returns the buffers they leave, by name,
// and the result of each launch begun, both beside an error too once there are any.
func RunManifest(ctx context.Context, m *object.Manifest, b *object.Build, s launch.Settings) (map[string][]byte, []*launch.Result, error) {
	code, err := m.ReadCode(b)
	if err != nil {
		return nil, nil, err
	}
	base := Kernel{Code: code, Base: b.Address}
	constants := map[string][]byte{}
	for i := range m.Buffers {
		of := &m.Buffers[i]
		data, err := m.InitData(of)
		if err != nil {
			return nil, nil, err
		}
		switch space, bank, _ := of.Bank(); space { // the reader has refused others
		case "const":
			base.Const[bank], constants[of.Name] = data, data
		default:
			base.Buffers = append(base.Buffers, &Buffer{Name: of.Name, Bank: bank, Addr: of.Address, Data: data})
		}
	}
	left := func() map[string][]byte {
		data := map[string][]byte{}
		for name, c := range constants {
			data[name] = c
		}
		for _, b := range base.Buffers {
			data[b.Name] = b.Data
		}
		return data
	}
	var results []*launch.Result
	for i := range m.Launches {
		k := base
		if err := k.of(m, &m.Launches[i], b.Variant); err != nil {
			return left(), results, fmt.Errorf("%s: launches[%d]: %w", m.File, i, err)
		}
		r, err := k.Launch(ctx, s)
		if r != nil {
			results = append(results, r)
		}
		if err != nil {
			return left(), results, err
		}
	}
	return left(), results, nil
}

// of fills in what a launch of a manifest says.
func (k *Kernel) of(m *object.Manifest, l *object.Launch, variant string) error {
	k.Name, k.Shared, k.Local = l.Kernel, l.SharedBytes, l.PrivateBytes
	for i := range 3 {
		k.Grid[i], k.Block[i] = uint32(l.Grid[i]/l.Block[i]), uint32(l.Block[i])
	}
	set := tesla.Set()
	v, ok := set.Variant(variant)
	if !ok {
		return fmt.Errorf("there is no tesla:%s", variant)
	}
	t := set.At(v, 0)
	var err error
	if k.Target, err = t.With(t.Dialect, l.Options); err != nil {
		return err
	}
	if k.ABI, err = ParseABI(l.ABI); err != nil {
		return err
	}
	k.Params, err = m.Words(l.Args)
	return err
}
