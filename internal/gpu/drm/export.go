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
	switch {
	case s == nil:
		return unix.EINVAL
	case a.flags == syncFile:
		return unbuilt("SYNCOBJ_HANDLE_TO_FD: exporting a sync file")(f, c)
	case a.flags != 0:
		return unix.EINVAL
	}
	fd, err := c.Export(exportedSync{f.Device, s})
	a.fd = fd
	return err
}

// syncImport answers SYNCOBJ_FD_TO_HANDLE: the new handle is one more of the same object.
func syncImport(f *File, c *Call) error {
	a := Args[syncFDArgs](c)
	switch a.flags {
	case 0:
	case syncFile:
		return unbuilt("SYNCOBJ_FD_TO_HANDLE: importing a sync file")(f, c)
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
