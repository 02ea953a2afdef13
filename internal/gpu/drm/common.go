//go:build linux && amd64

package drm

import "golang.org/x/sys/unix"

// common are the requests that all drivers share.
var common = []Request{
	{0x00, "VERSION", 64, version},
	{0x09, "GEM_CLOSE", 8, gemClose},
	{0x0c, "GET_CAP", 16, getCap},
	{0x0d, "SET_CLIENT_CAP", 16, refuse},
	{0x02, "GET_MAGIC", 4, refuse}, // of primary nodes
	{0x0a, "GEM_FLINK", 8, refuse},
	{0x0b, "GEM_OPEN", 16, refuse},
	{0x01, "GET_UNIQUE", 16, refuse},
	{0x2d, "PRIME_HANDLE_TO_FD", 12, bufferExport},
	{0x2e, "PRIME_FD_TO_HANDLE", 12, bufferImport},
	{0xbf, "SYNCOBJ_CREATE", 8, syncCreate},
	{0xc0, "SYNCOBJ_DESTROY", 8, syncDestroy},
	{0xc1, "SYNCOBJ_HANDLE_TO_FD", 16, syncExport},
	{0xc2, "SYNCOBJ_FD_TO_HANDLE", 16, syncImport},
	{0xc3, "SYNCOBJ_WAIT", 32, syncWait},
	{0xc4, "SYNCOBJ_RESET", 16, syncReset},
	{0xc5, "SYNCOBJ_SIGNAL", 16, syncSignal},
	{0xca, "SYNCOBJ_TIMELINE_WAIT", 40, syncTimelineWait},
	{0xcb, "SYNCOBJ_QUERY", 24, syncQuery},
	{0xcc, "SYNCOBJ_TRANSFER", 32, syncTransfer},
	{0xcd, "SYNCOBJ_TIMELINE_SIGNAL", 24, syncTimelineSignal},
}

// refuse answers what a render node refuses on every machine.
func refuse(*File, *Call) error { return unix.EACCES }

type versionArgs struct {
	major, minor, patch int32
	_                   uint32
	nameLen, name       uint64
	dateLen, date       uint64
	textLen, text       uint64
}

func version(f *File, c *Call) error {
	v, a := f.Version(), Args[versionArgs](c)
	a.major, a.minor, a.patch = int32(v.Major), int32(v.Minor), int32(v.Patch)
	for _, s := range []struct {
		size *uint64
		at   uint64
		text string
	}{{&a.nameLen, a.name, v.Name}, {&a.dateLen, a.date, v.Date}, {&a.textLen, a.text, v.Text}} {
		if s.at != 0 && *s.size != 0 {
			if err := PutArray(c, s.at, []byte(s.text[:min(*s.size, uint64(len(s.text)))])); err != nil {
				return err
			}
		}
		*s.size = uint64(len(s.text))
	}
	return nil
}

type capArgs struct{ cap, value uint64 }

func getCap(f *File, c *Call) error {
	a := Args[capArgs](c)
	v, ok := f.Cap(a.cap)
	if !ok {
		return unix.EINVAL
	}
	a.value = v
	return nil
}

func gemClose(f *File, c *Call) error {
	h := *Args[uint32](c)
	f.mu.Lock()
	b := f.buffers[h]
	delete(f.buffers, h)
	f.mu.Unlock()
	if b == nil {
		return unix.EINVAL
	}
	f.VM.dropBuffer(b)
	b.Release()
	return nil
}
