//go:build linux && amd64

package amdgpu

import (
	"encoding/binary"
	"fmt"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

// Where the device is. No machine has this domain of PCI.
const (
	slot                = "fffe:01:00.0"
	slotDomain, slotBus = 0xfffe, 1
	vendor              = 0x1002
	device              = "/sys/devices/pcifffe:00/" + slot
	subsys              = 0x0b37
	vgaClass            = 0x030000 // the class of PCI: a VGA controller
)

// Describe adds the files of /dev and /sys that drivers look for to a tree. It hides other GPUs.
func (d *Driver) Describe(t *host.Tree) error {
	if err := d.describeKFD(t); err != nil {
		return err
	}
	t.Claim("/dev/dri", "/sys/dev/char/226:", "/sys/class/drm", "/sys/devices/pcifffe:00", "/sys/bus/pci/devices/"+slot)
	config := binary.LittleEndian.AppendUint16(nil, vendor)
	config = binary.LittleEndian.AppendUint16(config, uint16(d.chip.Device))
	config = append(config, 0, 0, 0, 0, byte(d.chip.Revision), 0, 0, 3)
	config = append(config, make([]byte, 256-len(config))...)
	binary.LittleEndian.PutUint16(config[0x2c:], vendor)
	binary.LittleEndian.PutUint16(config[0x2e:], subsys)
	files := []struct{ name, text string }{
		{nodePath, ""},
		{device + "/vendor", fmt.Sprintf("0x%04x\n", vendor)},
		{device + "/device", fmt.Sprintf("0x%04x\n", d.chip.Device)},
		{device + "/subsystem_vendor", fmt.Sprintf("0x%04x\n", vendor)},
		{device + "/subsystem_device", fmt.Sprintf("0x%04x\n", subsys)},
		{device + "/revision", fmt.Sprintf("0x%02x\n", d.chip.Revision)},
		{device + "/class", fmt.Sprintf("0x%06x\n", vgaClass)},
		{device + "/config", string(config)},
		{device + "/uevent", fmt.Sprintf("DRIVER=amdgpu\nPCI_CLASS=%X\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\nPCI_SLOT_NAME=%s\n",
			vgaClass, vendor, d.chip.Device, vendor, subsys, slot)},
		{device + "/drm/renderD128/dev", "226:128\n"},
		{device + "/drm/renderD128/uevent", "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"},
	}
	for _, f := range files {
		if err := t.File(f.name, f.text); err != nil {
			return err
		}
	}
	links := []struct{ name, to string }{
		{device + "/subsystem", "../../../bus/pci"},
		{device + "/drm/renderD128/device", "../.."},
		{"/sys/dev/char/226:128", "../../devices/pcifffe:00/" + slot + "/drm/renderD128"},
		{"/sys/class/drm/renderD128", "../../devices/pcifffe:00/" + slot + "/drm/renderD128"},
		{"/sys/bus/pci/devices/" + slot, "../../../devices/pcifffe:00/" + slot},
	}
	for _, l := range links {
		if err := t.Link(l.name, l.to); err != nil {
			return err
		}
	}
	return nil
}
