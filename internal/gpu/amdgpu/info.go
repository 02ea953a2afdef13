//go:build linux && amd64

package amdgpu

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/drm"
)

type infoArgs struct {
	ptr         uint64
	size, query uint32
	arg         [4]uint32
}

// Queries of INFO.
const (
	infoAccel         = 0x00
	infoHWIP          = 0x02
	infoHWIPCount     = 0x03
	infoTimestamp     = 0x05
	infoFirmware      = 0x0e
	infoBytesMoved    = 0x0f
	infoVRAMUsage     = 0x10
	infoGTTUsage      = 0x11
	infoGDS           = 0x13
	infoVRAMGTT       = 0x14
	infoRegisters     = 0x15
	infoDevice        = 0x16
	infoVisibleUsage  = 0x17
	infoEvictions     = 0x18
	infoMemory        = 0x19
	infoSensor        = 0x1d
	infoPageFaults    = 0x1e
	infoVRAMLost      = 0x1f
	infoRAS           = 0x20
	infoVideoCaps     = 0x21
	infoMaxRegisters  = 128
	firmwareFeatures  = 46
	counterKHz        = 25_000
	virtualAddressMin = 2 << 20
)

func info(c *client, call *drm.Call) error {
	a := drm.Args[infoArgs](call)
	answer, err := c.answer(a)
	if err != nil {
		return err
	}
	return drm.PutArray(call, a.ptr, answer[:min(len(answer), int(a.size))])
}

// answer returns the answer to a query of INFO.
func (c *client) answer(a *infoArgs) ([]byte, error) {
	d := c.d
	switch a.query {
	case infoAccel:
		return words(1), nil
	case infoHWIP:
		return d.hwIP(a.arg[0]), nil
	case infoHWIPCount:
		if a.arg[0] > ipDMA {
			return words(0), nil
		}
		return words(1), nil
	case infoTimestamp:
		return bytesOf(d.now()), nil
	case infoFirmware:
		return firmware(a.arg[0])
	case infoVRAMUsage, infoVisibleUsage:
		return bytesOf(d.vram.Used()), nil
	case infoGTTUsage:
		return bytesOf(d.gtt.Used()), nil
	case infoBytesMoved, infoEvictions, infoPageFaults, infoRAS:
		return bytesOf(uint64(0)), nil
	case infoVRAMLost:
		return words(0), nil
	case infoGDS:
		return words(64<<10, 4096, 64<<10, 16, 4, 16, 4, 0), nil
	case infoVRAMGTT:
		return bytesOf([3]uint64{d.chip.VRAM, d.chip.VRAM, gttSize}), nil
	case infoRegisters:
		return d.registers(a.arg)
	case infoDevice:
		return bytesOf(d.deviceInfo()), nil
	case infoMemory:
		return bytesOf(c.memoryInfo()), nil
	case infoSensor:
		return d.sensor(a.arg[0])
	case infoVideoCaps:
		return nil, unix.EINVAL // no video
	}
	c.Once("INFO query %#x is not built", a.query)
	return nil, unix.EINVAL
}

// bytesOf returns the bytes of a structure.
func bytesOf[T any](v T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)) }

func words(w ...uint32) []byte {
	if len(w) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 4*len(w))
}

// now is the GPU's clock, of counterKHz.
func (d *Driver) now() uint64 {
	return uint64(drm.Monotonic().Nanoseconds()) / (1_000_000 / counterKHz)
}

// Kinds of hardware.
const (
	ipGraphics = iota
	ipCompute
	ipDMA
)

type hwIPInfo struct {
	major, _   uint32
	_          uint64 // capabilities
	startAlign uint32
	sizeAlign  uint32
	rings      uint32 // a bit for each
	_          uint32 // version

}

// hwIP describes a kind of hardware: the number of its rings, and its version.
func (d *Driver) hwIP(kind uint32) []byte {
	switch kind {
	case ipGraphics:
		return bytesOf(hwIPInfo{major: uint32(d.chip.Gen), startAlign: 32, sizeAlign: 32, rings: 1})
	case ipCompute:
		return bytesOf(hwIPInfo{major: uint32(d.chip.Gen), startAlign: 32, sizeAlign: 32, rings: 0xf})
	case ipDMA:
		major := map[int]uint32{6: 1, 7: 2, 8: 3}[d.chip.Gen]
		return bytesOf(hwIPInfo{major: major, startAlign: 256, sizeAlign: 4, rings: 3})
	}
	return bytesOf(hwIPInfo{})
}

// firmware returns the versions of microcode that drivers expect features of.
func firmware(kind uint32) ([]byte, error) {
	version := firmwareVersion(kind)
	if version == 0 {
		return words(0, 0), nil
	}
	return words(version, firmwareFeatures), nil
}

// firmwareMEC is the number of the microcode of compute queues.
const firmwareMEC = 8

// firmwareVersion returns the version of a kind of microcode, 0 if there is none.
func firmwareVersion(kind uint32) uint32 {
	return map[uint32]uint32{4: 166, 5: 252, 6: 142, firmwareMEC: 730}[kind] // ME, PFP, CE, MEC
}

// registers answers a read of registers.
func (d *Driver) registers(arg [4]uint32) ([]byte, error) {
	off, n, instance := arg[0], arg[1], arg[2]
	if n == 0 || n > infoMaxRegisters {
		return nil, unix.EINVAL
	}
	list := make([]uint32, n)
	for i := range list {
		v, ok := d.chip.Register(off+uint32(i), instance)
		if !ok {
			return nil, unix.EINVAL
		}
		list[i] = v
	}
	return words(list...), nil
}

// Sensors.
const (
	sensorClock       = 1
	sensorMemoryClock = 2
	sensorTemperature = 3
	sensorLoad        = 4
	sensorPower       = 5
	sensorStableClock = 8
	sensorStableMem   = 9
)

func (d *Driver) sensor(kind uint32) ([]byte, error) {
	switch kind {
	case sensorClock, sensorStableClock:
		return words(uint32(d.chip.ShaderClock / 1000)), nil
	case sensorMemoryClock, sensorStableMem:
		return words(uint32(d.chip.MemoryClock / 1000)), nil
	case sensorTemperature:
		return words(25_000), nil
	case sensorLoad, sensorPower:
		return words(0), nil
	}
	return nil, unix.EINVAL
}

type heapInfo struct{ total, usable, usage, largest uint64 }

// memoryInfo describes VRAM, visible VRAM, and GTT.
func (c *client) memoryInfo() [3]heapInfo {
	of := func(h *drm.Heap) heapInfo { return heapInfo{h.Size, h.Size, h.Used(), h.Size * 3 / 4} }
	return [3]heapInfo{of(&c.d.vram), of(&c.d.vram), of(&c.d.gtt)}
}

// deviceInfo is the structure of INFO_DEV_INFO as Linux 6.1 has it.
type deviceInfo struct {
	device, _, externalRev, pciRev     uint32
	family, engines, arrays, counter   uint32
	engineClock, memoryClock           uint64
	cus, _                             uint32
	cuBitmap                           [4][4]uint32
	rbMask, rbs, contexts, pcie        uint32
	_                                  uint64 // flags
	vaMin, vaMax                       uint64
	vaAlign, pteFragment, gartPage, ce uint32
	vramType, vramBits, _, offchip     uint32
	_                                  [4]uint64 // of later chips
	_                                  [4]uint32
	wave, vgprs, cusPerArray, tccs     uint32
	gsTable, gsPrims, gsWaves, lanes   uint32
	alwaysOnBitmap                     [4][4]uint32
	_                                  [2]uint64 // high addresses
	_                                  [2]uint32
	_                                  [3]uint64 // disabled parts of L2, lowest clocks
}

func (d *Driver) deviceInfo() deviceInfo {
	c := d.chip
	i := deviceInfo{
		device: c.Device, externalRev: c.ExternalRev, pciRev: c.Revision, family: c.Family,
		engines: uint32(c.Engines), arrays: uint32(c.Arrays), counter: counterKHz,
		engineClock: c.ShaderClock, memoryClock: c.MemoryClock, cus: uint32(c.TotalCUs()),
		rbMask: c.RBMask(), rbs: uint32(c.RBs * c.Engines), contexts: 8, pcie: 3,
		vaMin: virtualAddressMin, vaMax: drm.VMSize, vaAlign: 4096, pteFragment: 64 << 10, gartPage: 4096, ce: 32 << 10,
		vramType: c.VRAMType, vramBits: c.VRAMBits, wave: 64, vgprs: 256, cusPerArray: uint32(c.CUs), tccs: uint32(c.TCCs),
		gsTable: 32, gsPrims: 1792, gsWaves: c.GSThreads, lanes: 16,
	}
	if c.Gen >= 7 {
		i.offchip = 1
	}
	for e := range c.Engines {
		for a := range c.Arrays {
			i.cuBitmap[e][a], i.alwaysOnBitmap[e][a] = c.CUMask(), c.CUMask()
		}
	}
	return i
}
