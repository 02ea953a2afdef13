//go:build linux && amd64

package amdgpu

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
)

// The compute node, /dev/kfd, as ROCm's runtime uses it: memory at the addresses of the program, queues in memory,
// events. Source: Linux, include/uapi/linux/kfd_ioctl.h and drivers/gpu/drm/amd/amdkfd; libhsakmt 5.2.3.

// RequestTypes are the types of the ioctls that the nodes answer, and sync files.
const RequestTypes = "dK>"

const (
	kfdPath  = "/dev/kfd"
	kfdMajor = 510 // Linux takes a free number
)

// pagedVariable makes libhsakmt allocate pageable memory of the device, which the device shares, in place of giving it
// pages of the program, which it does not.
const pagedVariable = "HSA_USERPTR_FOR_PAGED_MEM"

// Environ returns the environment of a program with what its drivers need to be told.
func (d *Driver) Environ(env []string) []string {
	set := func(e string) bool { return strings.HasPrefix(e, pagedVariable+"=") }
	if !d.hasKFD() || slices.ContainsFunc(env, set) {
		return env
	}
	return append(slices.Clip(env), pagedVariable+"=0")
}

// hasKFD reports whether the chip has a compute node: Linux has none of gfx6 and of bonaire.
func (d *Driver) hasKFD() bool { return d.chip.Target != 0 }

// gpuID is the number of the GPU for requests.
func (d *Driver) gpuID() uint32 { return d.chip.Device }

// A kfd is an open compute node. Linux has one for each process, whatever descriptors it has.
type kfd struct {
	*drm.Device
	d      *Driver
	number int // of the open
	ctx    context.Context
	stop   context.CancelFunc
	work   sync.WaitGroup

	file     *drm.File // the render node whose address space is used; nil: none yet
	c        *client   // of file
	doorbell *drm.Buffer
	hidden   atomic.Uint64 // the address to which offsets in FLAT_SCRATCH are added

	memory  kfdMemory
	events  kfdEvents
	queues  map[uint32]*userQueue
	polling *poller
}

// kfdRequests are the requests of the node.
func kfdRequests() []drm.RequestOf[*kfd] {
	return []drm.RequestOf[*kfd]{
		{Nr: 0x01, Name: "GET_VERSION", Size: 8, Do: kfdVersion},
		{Nr: 0x02, Name: "CREATE_QUEUE", Size: 88, Do: createQueue},
		{Nr: 0x03, Name: "DESTROY_QUEUE", Size: 8, Do: destroyQueue},
		{Nr: 0x04, Name: "SET_MEMORY_POLICY", Size: 32, Do: forGPU(16)}, // how caches behave, and there are none
		{Nr: 0x05, Name: "GET_CLOCK_COUNTERS", Size: 40, Do: clockCounters},
		{Nr: 0x06, Name: "GET_PROCESS_APERTURES", Size: 400, Do: apertures},
		{Nr: 0x07, Name: "UPDATE_QUEUE", Size: 24, Do: updateQueue},
		{Nr: 0x08, Name: "CREATE_EVENT", Size: 32, Do: createEvent},
		{Nr: 0x09, Name: "DESTROY_EVENT", Size: 8, Do: destroyEvent},
		{Nr: 0x0a, Name: "SET_EVENT", Size: 8, Do: setEvent},
		{Nr: 0x0b, Name: "RESET_EVENT", Size: 8, Do: resetEvent},
		{Nr: 0x0c, Name: "WAIT_EVENTS", Size: 24, Do: waitEvents},
		{Nr: 0x0d, Name: "DBG_REGISTER", Size: 8, Do: kfdRefuse(unix.EPERM)}, // deprecated: Linux refuses these, too
		{Nr: 0x0e, Name: "DBG_UNREGISTER", Size: 8, Do: kfdRefuse(unix.EPERM)},
		{Nr: 0x0f, Name: "DBG_ADDRESS_WATCH", Size: 16, Do: kfdRefuse(unix.EPERM)},
		{Nr: 0x10, Name: "DBG_WAVE_CONTROL", Size: 16, Do: kfdRefuse(unix.EPERM)},
		{Nr: 0x11, Name: "SET_SCRATCH_BACKING_VA", Size: 16, Do: setScratch},
		{Nr: 0x12, Name: "GET_TILE_CONFIG", Size: 40, Do: tileConfig},
		{Nr: 0x13, Name: "SET_TRAP_HANDLER", Size: 24, Do: forGPU(16)}, // traps are faults here
		{Nr: 0x14, Name: "GET_PROCESS_APERTURES_NEW", Size: 16, Do: aperturesNew},
		{Nr: 0x15, Name: "ACQUIRE_VM", Size: 8, Do: acquireVM},
		{Nr: 0x16, Name: "ALLOC_MEMORY_OF_GPU", Size: 40, Do: allocMemory},
		{Nr: 0x17, Name: "FREE_MEMORY_OF_GPU", Size: 8, Do: freeMemory},
		{Nr: 0x18, Name: "MAP_MEMORY_TO_GPU", Size: 24, Do: mapMemory},
		{Nr: 0x19, Name: "UNMAP_MEMORY_FROM_GPU", Size: 24, Do: unmapMemory},
		{Nr: 0x1a, Name: "SET_CU_MASK", Size: 16, Do: setCUMask},
		{Nr: 0x1b, Name: "GET_QUEUE_WAVE_STATE", Size: 24, Do: kfdUnbuilt("GET_QUEUE_WAVE_STATE: saved waves of a queue")},
		{Nr: 0x1c, Name: "GET_DMABUF_INFO", Size: 32, Do: kfdUnbuilt("GET_DMABUF_INFO: importing buffers")},
		{Nr: 0x1d, Name: "IMPORT_DMABUF", Size: 24, Do: kfdUnbuilt("IMPORT_DMABUF: importing buffers")},
		{Nr: 0x1e, Name: "ALLOC_QUEUE_GWS", Size: 16, Do: kfdRefuse(unix.ENODEV)}, // gfx9 has it
		{Nr: 0x1f, Name: "SMI_EVENTS", Size: 8, Do: kfdUnbuilt("SMI_EVENTS: events for system management")},
		{Nr: 0x20, Name: "SVM", Size: 24, Do: kfdRefuse(unix.EPERM)}, // gfx9 has it
		{Nr: 0x21, Name: "SET_XNACK_MODE", Size: 4, Do: xnackMode},
		{Nr: 0x22, Name: "CRIU_OP", Size: 56, Do: kfdUnbuilt("CRIU_OP: saving a process")},
		{Nr: 0x23, Name: "AVAILABLE_MEMORY", Size: 16, Do: availableMemory},
		// Of AMD's own kernel: Linux refuses them.
		{Nr: 0x80, Name: "IPC_IMPORT_HANDLE", Size: 48, Do: kfdUnbuilt("IPC_IMPORT_HANDLE: memory of other processes")},
		{Nr: 0x81, Name: "IPC_EXPORT_HANDLE", Size: 32, Do: kfdUnbuilt("IPC_EXPORT_HANDLE: memory of other processes")},
		{Nr: 0x82, Name: "DBG_TRAP", Size: 32, Do: kfdRefuse(unix.EINVAL)},
		{Nr: 0x83, Name: "CROSS_MEMORY_COPY", Size: 40, Do: kfdUnbuilt("CROSS_MEMORY_COPY: memory of other processes")},
		{Nr: 0x84, Name: "RLC_SPM", Size: 24, Do: kfdUnbuilt("RLC_SPM: performance counters")},
	}
}

// kfdRefuse answers what Linux refuses on these chips.
func kfdRefuse(e unix.Errno) func(*kfd, *drm.Call) error {
	return func(*kfd, *drm.Call) error { return e }
}

// kfdUnbuilt answers what the device should do and this one does not, as Linux answers requests that it does not know.
func kfdUnbuilt(what string) func(*kfd, *drm.Call) error {
	return func(k *kfd, _ *drm.Call) error {
		k.Once("%s: %s is not built", kfdPath, what)
		return unix.EINVAL
	}
}

// kfdNode returns the compute node.
func (d *Driver) kfdNode(dev *drm.Device) *host.Node {
	table, opens := drm.TableOf(kfdRequests()), 0
	return &host.Node{Path: kfdPath, Major: kfdMajor, Arena: dev.Arena, Open: func() (host.File, error) {
		opens++ // one goroutine opens files
		k := &kfd{Device: dev, d: d, number: opens, queues: map[uint32]*userQueue{}}
		k.ctx, k.stop = context.WithCancel(context.Background())
		k.polling = newPoller(k)
		return &kfdFile{k, table}, nil
	}}
}

// A kfdFile is a kfd with its requests.
type kfdFile struct {
	*kfd
	table *drm.Table[*kfd]
}

// Ioctl implements host.File.
func (f *kfdFile) Ioctl(h *host.Call) {
	f.polling.wake() // a program that calls may have written packets before
	drm.Serve(f.Device, f.table, kfdPath, f.kfd, h)
}

// Closed implements host.File.
func (f *kfdFile) Closed() {
	f.stop()
	f.work.Wait()
	for _, q := range f.queues {
		q.release()
	}
	f.memory.release(f.kfd)
	if f.events.page != nil {
		f.events.page.Release()
	}
	if f.doorbell != nil {
		f.doorbell.Release()
	}
	if f.file != nil {
		f.file.Release()
	}
}

func kfdVersion(_ *kfd, c *drm.Call) error {
	*drm.Args[[2]uint32](c) = [2]uint32{1, 11} // of Linux 6.1
	return nil
}

// forGPU answers a request that has no effect here, whose structure has the number of the GPU at an offset.
func forGPU(at int) func(*kfd, *drm.Call) error {
	return func(k *kfd, c *drm.Call) error {
		if drm.Args[[6]uint32](c)[at/4] != k.d.gpuID() {
			return unix.EINVAL
		}
		return nil
	}
}

type clockArgs struct {
	gpu, cpu, system, frequency uint64
	gpuID, _                    uint32
}

func clockCounters(k *kfd, c *drm.Call) error {
	a := drm.Args[clockArgs](c)
	if a.gpuID != k.d.gpuID() && a.gpuID != 0 { // 0 is the processor
		return unix.EINVAL
	}
	now := func(clock int32) uint64 {
		var ts unix.Timespec
		if unix.ClockGettime(clock, &ts) != nil {
			return 0
		}
		return uint64(ts.Nano())
	}
	a.cpu, a.system, a.frequency = now(unix.CLOCK_MONOTONIC_RAW), now(unix.CLOCK_BOOTTIME), 1_000_000_000
	if a.gpu = 0; a.gpuID != 0 {
		a.gpu = k.d.now()
	}
	return nil
}

// An aperture is struct kfd_process_device_apertures: the flat addresses of LDS and scratch, and the addresses at which
// the GPU can have memory.
type aperture struct {
	ldsBase, ldsLimit, scratchBase, scratchLimit, gpuBase, gpuLimit uint64
	gpuID, _                                                        uint32
}

// kfdLowest is the lowest address of memory. Those below are offsets in scratch that FLAT_SCRATCH gives.
const kfdLowest = 4 << 30

func (k *kfd) aperture() aperture {
	return aperture{gcn.SharedBase, gcn.SharedBase | 0xffff_ffff, gcn.PrivateBase, gcn.PrivateBase | 0xffff_ffff,
		kfdLowest, drm.VMSize - 1, k.d.gpuID(), 0}
}

const mostApertures = 7

func apertures(k *kfd, c *drm.Call) error {
	a := drm.Args[struct {
		list [mostApertures]aperture
		n, _ uint32
	}](c)
	a.list[0], a.n = k.aperture(), 1
	return nil
}

func aperturesNew(k *kfd, c *drm.Call) error {
	a := drm.Args[struct {
		ptr  uint64
		n, _ uint32
	}](c)
	room := a.n
	if a.n = 1; room == 0 {
		return nil
	}
	return drm.PutArray(c, a.ptr, []aperture{k.aperture()})
}

// acquireVM makes the address space of an open render node that of the file.
func acquireVM(k *kfd, c *drm.Call) error {
	a := *drm.Args[[2]uint32](c)
	if a[1] != k.d.gpuID() {
		return unix.EINVAL
	}
	f, ok := c.FileOf(int32(a[0])).(*drm.File)
	if !ok {
		return unix.EINVAL
	}
	if f == k.file {
		return nil
	}
	if k.file != nil {
		return unix.EBUSY
	}
	if !f.Retain() {
		return unix.EBADF
	}
	k.file, k.c = f, f.Client.(*client)
	return nil
}

// setScratch sets the base of scratch for flat addresses, in units of 64 KiB.
func setScratch(k *kfd, c *drm.Call) error {
	a := drm.Args[struct {
		va       uint64
		gpuID, _ uint32
	}](c)
	if a.gpuID != k.d.gpuID() || a.va > drm.VMSize>>16 {
		return unix.EINVAL
	}
	k.hidden.Store(a.va << 16)
	return nil
}

type tileArgs struct {
	tiles, macros                   uint64
	tileCount, macroCount           uint32
	gpuID, addrConfig, banks, ranks uint32
}

func tileConfig(k *kfd, c *drm.Call) error {
	a := drm.Args[tileArgs](c)
	if a.gpuID != k.d.gpuID() {
		return unix.EINVAL
	}
	chip := k.d.chip
	a.tileCount, a.macroCount = min(a.tileCount, uint32(len(chip.TileModes))), min(a.macroCount, uint32(len(chip.MacroTileModes)))
	a.addrConfig, a.banks, a.ranks = chip.AddrConfig, chip.RAMConfig&3, chip.RAMConfig>>2&1
	if err := drm.PutArray(c, a.tiles, chip.TileModes[:a.tileCount]); err != nil {
		return err
	}
	return drm.PutArray(c, a.macros, chip.MacroTileModes[:a.macroCount])
}

// xnackMode says that page faults are not retried, which no chip before gfx9 can.
func xnackMode(_ *kfd, c *drm.Call) error {
	on := drm.Args[int32](c)
	if *on > 0 {
		return unix.EPERM
	}
	*on = 0
	return nil
}

func availableMemory(k *kfd, c *drm.Call) error {
	a := drm.Args[struct {
		available uint64
		gpuID, _  uint32
	}](c)
	if a.gpuID != k.d.gpuID() {
		return unix.EINVAL
	}
	a.available = k.d.vram.Size - k.d.vram.Used()
	return nil
}
