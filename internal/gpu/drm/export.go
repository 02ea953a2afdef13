//go:build linux && amd64

package drm

import "golang.org/x/sys/unix"

// An exportedSync is a synchronisation object as descriptors stand for it.
type exportedSync struct {
	dev  *Device
	sync *Sync
}

// Closed implements host.Object.
func (exportedSync) Closed() {}

// syncFile asks for a sync file, or says that the descriptor is one: a fence in place of the object that holds it.
const syncFile = 1

type syncFDArgs struct {
	handle, flags uint32
	fd            int32
	_             uint32
}

// syncExport answers SYNCOBJ_HANDLE_TO_FD.
func syncExport(f *File, c *Call) error {
	a := Args[syncFDArgs](c)
	s := f.Sync(a.handle)
	if s == nil || a.flags&^syncFile != 0 {
		return unix.EINVAL
	}
	var err error
	if a.flags == 0 {
		a.fd, err = c.ExportSync(s)
		return err
	}
	fence := s.Find(0)
	if fence == nil {
		return unix.EINVAL
	}
	a.fd, err = c.ExportFence(fence)
	return err
}

// ExportSync gives the program a descriptor of a synchronisation object.
func (c *Call) ExportSync(s *Sync) (fd int32, err error) {
	return c.Export(exportedSync{c.dev, s})
}

// ExportFence gives the program a sync file of a fence, nil for one that has been signalled. It has input for poll when
// the fence is signalled.
func (c *Call) ExportFence(fence *Fence) (fd int32, err error) {
	fence = orSignalled(fence)
	return exportFence(c.Call, exportedFence{c.dev, fence, []*Fence{fence}, c.dev.Version().Name})
}

// syncImport answers SYNCOBJ_FD_TO_HANDLE: the new handle is one more of the same object. The fence of a sync file is
// what the object of a handle holds from then on.
func syncImport(f *File, c *Call) error {
	a := Args[syncFDArgs](c)
	switch a.flags {
	case 0:
	case syncFile:
		e, ok := c.Exported(a.fd).(exportedFence)
		if !ok || e.dev != f.Device {
			return unix.EINVAL
		}
		s := f.Sync(a.handle)
		if s == nil {
			return unix.ENOENT
		}
		s.Set(e.fence)
		f.changed.wake()
		return nil
	default:
		return unix.EINVAL
	}
	e, ok := c.Exported(a.fd).(exportedSync)
	if !ok || e.dev != f.Device {
		return unix.EINVAL
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a.handle = f.newHandle()
	f.syncs[a.handle] = e.sync
	return nil
}
