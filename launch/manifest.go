package launch

import (
	"context"
	"fmt"
	"maps"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/mem"
)

// RunManifest runs all launches of a manifest on one of its builds, in order. It returns the buffers that they leave,
// by name, and the result of each launch that started; both are valid together with an error once there are any.
func (f *Platform) RunManifest(ctx context.Context, m *casefile.Manifest, b *casefile.Build, s Settings) (map[string][]byte, []*Result, error) {
	if f.Manifest != nil {
		return f.Manifest(ctx, m, b, s)
	}
	r := manifestRun{platform: f, m: m, build: b, declared: s.Declared}
	results, err := r.run(ctx, s)
	left := map[string][]byte{}
	for _, b := range r.base.Buffers {
		left[b.Name] = b.Data
	}
	return left, results, err
}

// A manifestRun is a run of a manifest on a build.
type manifestRun struct {
	platform *Platform
	m        *casefile.Manifest
	build    *casefile.Build
	code     []byte
	base     Kernel            // what all launches share
	options  map[string]string // of base.Program
	declared bool              // Settings.Declared
}

func (r *manifestRun) run(ctx context.Context, s Settings) (results []*Result, err error) {
	if r.code, err = r.m.ReadCode(r.build); err != nil {
		return nil, err
	}
	if len(r.code) == 0 {
		return nil, fmt.Errorf("%s: %s: there is no code", r.m.File, r.build.File)
	}
	r.base.Entry = r.build.Address
	for i := range r.m.Buffers {
		if err := r.buffer(&r.m.Buffers[i]); err != nil {
			return nil, err
		}
	}
	for i := range r.m.Launches {
		k, err := r.kernel(&r.m.Launches[i])
		if err != nil {
			return results, fmt.Errorf("%s: launches[%d]: %w", r.m.File, i, err)
		}
		res, err := r.platform.Compute.Launch(ctx, k, s)
		if res != nil {
			results = append(results, res)
		}
		if err != nil {
			return results, err
		}
	}
	return results, nil
}

// buffer adds a buffer with its initial contents.
func (r *manifestRun) buffer(of *casefile.Buffer) error {
	data, err := r.m.InitData(of)
	if err != nil {
		return err
	}
	b := &Buffer{Name: of.Name, Addr: of.Address, Data: data, Unset: of.Unset()}
	if r.declared && of.Input() {
		b.Uses = mem.Read
	}
	if of.Space != "" {
		b.Space = r.platform.Spaces()[of.Space] // the reader has rejected others
	}
	r.base.Buffers = append(r.base.Buffers, b)
	return nil
}

// kernel returns the kernel of a launch.
func (r *manifestRun) kernel(l *casefile.Launch) (*Kernel, error) {
	if r.base.Program == nil || !maps.Equal(r.options, l.Options) {
		code, err := r.platform.Compute.Code(r.build, l.Options, r.code)
		if err != nil {
			return nil, err
		}
		r.base.Program, r.options = exec.NewProgram(code), l.Options
	}
	k := r.base
	k.Name, k.GroupBytes, k.PrivateBytes, k.ABI, k.Preload = l.Kernel, l.SharedBytes, l.PrivateBytes, l.ABI, uint16(l.Preload)
	for i := range 3 {
		k.Groups[i], k.Block[i] = uint32(l.Grid[i]/l.Block[i]), uint32(l.Block[i])
	}
	for _, names := range l.Resources {
		var t []*Buffer
		for _, name := range names {
			t = append(t, k.Buffer(name)) // nil if the name is empty
		}
		k.Tables = append(k.Tables, t)
	}
	var err error
	k.Args, err = r.m.Words(l.Args)
	return &k, err
}

// RunsManifests reports whether there are manifests for the instruction set.
func (f *Platform) RunsManifests() bool { return f.Manifest != nil || f.Compute != nil }
