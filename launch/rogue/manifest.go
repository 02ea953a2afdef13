package rogue

import (
	"context"
	"encoding/binary"

	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// RunManifest runs all launches of a manifest on one of its builds, in order. It returns the buffers that they leave,
// by name, and the result of each launch that started; both are valid together with an error once there are any.
func RunManifest(ctx context.Context, m *object.Manifest, b *object.Build, s launch.Settings) (map[string][]byte, []*launch.Result, error) {
	code, err := m.ReadCode(b)
	if err != nil {
		return nil, nil, err
	}
	base := Kernel{Code: code, Base: b.Address}
	base.Bundles, _ = b.Instructions.([]isa.Bundle) // nil: the code holds all
	for i := range m.Buffers {
		of := &m.Buffers[i]
		data, err := m.InitData(of)
		if err != nil {
			return nil, nil, err
		}
		base.Buffers = append(base.Buffers, &Buffer{Name: of.Name, Addr: of.Address, Data: data})
	}
	results, err := launch.Launches(m, func(l *object.Launch) (func() (*launch.Result, error), error) {
		k := base
		err := k.of(m, l, b.Variant)
		return func() (*launch.Result, error) { return k.Launch(ctx, s) }, err
	})
	left := map[string][]byte{}
	for _, b := range base.Buffers {
		left[b.Name] = b.Data
	}
	return left, results, err
}

// of fills in the fields that a launch of a manifest sets.
func (k *Kernel) of(m *object.Manifest, l *object.Launch, variant string) error {
	k.Name = l.Kernel
	for i := range 3 {
		k.Groups[i], k.Block[i] = uint32(l.Grid[i]/l.Block[i]), uint32(l.Block[i])
	}
	var err error
	if k.Target, err = rogue.Set().Target(isa.Config{Variant: variant, Options: l.Options}); err != nil {
		return err
	}
	words, err := m.Words(l.Args)
	if err != nil {
		return err
	}
	for i := range len(words) / 4 {
		k.Shared = append(k.Shared, binary.LittleEndian.Uint32(words[4*i:]))
	}
	return nil
}
