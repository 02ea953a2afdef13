//go:build linux && amd64

package amdgpu

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

// The topology that the compute node's driver shows: node 0 is the processor with its memory, node 1 the GPU. Source:
// Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c and kfd_crat.c.
const (
	kfdDevice   = "/sys/devices/virtual/kfd/kfd"
	kfdTopology = kfdDevice + "/topology"
)

// A property is a line of a file of properties.
type property struct {
	name string
	v    uint64
}

func propertyText(list []property) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s %d\n", p.name, p.v)
	}
	return b.String()
}

// describeKFD adds the files of the compute node to a tree.
func (d *Driver) describeKFD(t *host.Tree) error {
	t.Claim(kfdPath, "/sys/class/kfd", path.Dir(kfdDevice), fmt.Sprintf("/sys/dev/char/%d:", kfdMajor), moduleList, moduleFolder)
	if err := describeModule(t); err != nil {
		return err
	}
	if !d.hasKFD() {
		return nil
	}
	device := fmt.Sprintf("%d:0", kfdMajor)
	files := map[string]string{
		kfdPath:                            "",
		kfdDevice + "/dev":                 device + "\n",
		kfdDevice + "/uevent":              fmt.Sprintf("MAJOR=%d\nMINOR=0\nDEVNAME=kfd\n", kfdMajor),
		kfdTopology + "/generation_id":     "2\n",
		kfdTopology + "/system_properties": propertyText([]property{{"platform_oem", 0}, {"platform_id", 0}, {"platform_rev", 0}}),
	}
	d.describeCPU(files)
	d.describeGPU(files)
	for name, text := range files {
		if err := t.File(name, text); err != nil {
			return err
		}
	}
	for _, link := range []string{"/sys/class/kfd/kfd", "/sys/dev/char/" + device} {
		if err := t.Link(link, kfdDevice); err != nil {
			return err
		}
	}
	return nil
}

// The kernel module of the driver, which rocminfo looks for.
const (
	moduleList   = "/proc/modules"
	moduleFolder = "/sys/module/amdgpu"
)

// describeModule adds the module to the list of modules, if the machine has one.
func describeModule(t *host.Tree) error {
	const size = 8192
	list, _ := os.ReadFile(moduleList) // a kernel without modules has none
	files := map[string]string{
		moduleList:                  fmt.Sprintf("amdgpu %d 0 - Live 0x0000000000000000\n%s", size, list),
		moduleFolder + "/initstate": "live\n",
		moduleFolder + "/refcnt":    "0\n",
		moduleFolder + "/coresize":  fmt.Sprintf("%d\n", size),
	}
	for name, text := range files {
		if err := t.File(name, text); err != nil {
			return err
		}
	}
	return t.Dir(moduleFolder + "/holders")
}

// link describes the connection of two nodes, which is PCI Express.
func link(from, to uint64) string {
	const pci, weight, enabled = 2, 20, 1
	return propertyText([]property{{"type", pci}, {"version_major", 0}, {"version_minor", 0}, {"node_from", from}, {"node_to", to}, {"weight", weight},
		{"min_latency", 0}, {"max_latency", 0}, {"min_bandwidth", 0}, {"max_bandwidth", 0}, {"recommended_transfer_size", 0}, {"flags", enabled}})
}

// Kinds of memory.
const (
	heapSystem = 0
	heapVRAM   = 1 // all of which the program can map
)

// describeCPU adds the node of the processor: its memory, and the cache that every processor has, so that nothing
// depends on what the machine's own files say.
func (d *Driver) describeCPU(files map[string]string) {
	const node = kfdTopology + "/nodes/0"
	var info unix.Sysinfo_t
	memory := uint64(0)
	if unix.Sysinfo(&info) == nil {
		memory = info.Totalram * uint64(info.Unit)
	}
	files[node+"/gpu_id"], files[node+"/name"] = "0\n", "\n"
	files[node+"/properties"] = propertyText([]property{{"cpu_cores_count", uint64(runtime.NumCPU())}, {"simd_count", 0}, {"mem_banks_count", 1}, {"caches_count", 1}, {"io_links_count", 1},
		{"p2p_links_count", 0}, {"cpu_core_id_base", firstProcessor()}, {"simd_id_base", 0}, {"max_waves_per_simd", 0}, {"lds_size_in_kb", 0}, {"gds_size_in_kb", 0}, {"num_gws", 0},
		{"wave_front_size", 0}, {"array_count", 0}, {"simd_arrays_per_engine", 0}, {"cu_per_simd_array", 0}, {"simd_per_cu", 0}, {"max_slots_scratch_cu", 0}, {"gfx_target_version", 0},
		{"vendor_id", 0}, {"device_id", 0}, {"location_id", 0}, {"domain", 0}, {"drm_render_minor", 0}, {"hive_id", 0}, {"num_sdma_engines", 0}, {"num_sdma_xgmi_engines", 0},
		{"num_sdma_queues_per_engine", 0}, {"num_cp_queues", 0}, {"max_engine_clk_ccompute", 1000}})
	files[node+"/mem_banks/0/properties"] = propertyText([]property{{"heap_type", heapSystem}, {"size_in_bytes", memory}, {"flags", 0}, {"width", 64}, {"mem_clk_max", 0}})
	files[node+"/caches/0/properties"] = cache(0, 1, 32, 64, cacheData|cacheCPU)
	files[node+"/io_links/0/properties"] = link(0, 1)
}

// Kinds of caches.
const (
	cacheData        = 1 << 0
	cacheInstruction = 1 << 1
	cacheCPU         = 1 << 2
	cacheSIMD        = 1 << 3
)

func cache(processor, level, kib, line, kind uint64) string {
	return propertyText([]property{{"processor_id_low", processor}, {"level", level}, {"size", kib}, {"cache_line_size", line}, {"cache_lines_per_tag", 1},
		{"association", 16}, {"latency", 1}, {"type", kind}}) + "sibling_map 1\n"
}

// firstProcessor returns the APIC id of the first processor, by which libraries find its name.
func firstProcessor() uint64 {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		if name, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(name) == "apicid" {
			n, _ := strconv.ParseUint(strings.TrimSpace(value), 10, 32) // 0 if it is no number
			return n
		}
	}
	return 0
}

// Figures that all chips have.
const (
	simdsOfCU   = 4
	wavesOfSIMD = 10
	scratchOfCU = 32 // waves with scratch
	ldsKiB      = 64
	dmaEngines  = 2
	dmaQueues   = 2 // of an engine
	cpQueues    = 24
	firstSIMD   = 0x8000_1000
)

// Bits of the capabilities of a node.
const (
	capWatch        = 1 << 7
	capWatchPoints  = 2 << 8 // 4 of them: 2 is the logarithm
	capDoorbellType = 12
	capTwice        = 1 << 14 // rings of AQL queues are mapped twice
)

// describeGPU adds the node of the GPU.
func (d *Driver) describeGPU(files map[string]string) {
	const node = kfdTopology + "/nodes/1"
	c := d.chip
	files[node+"/gpu_id"], files[node+"/name"] = fmt.Sprintf("%d\n", d.gpuID()), c.Name+"\n"
	files[node+"/properties"] = propertyText([]property{{"cpu_cores_count", 0}, {"simd_count", uint64(c.TotalCUs() * simdsOfCU)}, {"mem_banks_count", 1}, {"caches_count", 3}, {"io_links_count", 1},
		{"p2p_links_count", 0}, {"cpu_core_id_base", 0}, {"simd_id_base", firstSIMD}, {"max_waves_per_simd", wavesOfSIMD}, {"lds_size_in_kb", ldsKiB}, {"gds_size_in_kb", 0}, {"num_gws", 0},
		{"wave_front_size", 64}, {"array_count", uint64(c.Engines * c.Arrays)}, {"simd_arrays_per_engine", uint64(c.Arrays)}, {"cu_per_simd_array", uint64(c.CUs)},
		{"simd_per_cu", simdsOfCU}, {"max_slots_scratch_cu", scratchOfCU}, {"gfx_target_version", uint64(c.Target)}, {"vendor_id", vendor}, {"device_id", uint64(c.Device)},
		{"location_id", slotBus << 8}, {"domain", slotDomain}, {"drm_render_minor", nodeMinor}, {"hive_id", 0}, {"num_sdma_engines", dmaEngines}, {"num_sdma_xgmi_engines", 0},
		{"num_sdma_queues_per_engine", dmaQueues}, {"num_cp_queues", cpQueues}, {"max_engine_clk_fcompute", c.ShaderClock / 1000}, {"local_mem_size", 0}, {"fw_version", uint64(firmwareVersion(firmwareMEC))},
		{"capability", uint64(capWatch | capWatchPoints | c.Doorbells<<capDoorbellType | capTwice)}, {"debug_prop", 0}, {"sdma_fw_version", uint64(c.DMAFirmware)}, {"unique_id", 0},
		{"max_engine_clk_ccompute", 1000}})
	files[node+"/mem_banks/0/properties"] = propertyText([]property{{"heap_type", heapVRAM}, {"size_in_bytes", c.VRAM}, {"flags", 0}, {"width", uint64(c.VRAMBits)}, {"mem_clk_max", c.MemoryClock / 1000}})
	files[node+"/caches/0/properties"] = cache(firstSIMD, 1, 16, 64, cacheData|cacheSIMD)
	files[node+"/caches/1/properties"] = cache(firstSIMD, 1, 16, 64, cacheData|cacheSIMD)
	files[node+"/caches/2/properties"] = cache(firstSIMD, 1, 32, 64, cacheInstruction|cacheSIMD)
	files[node+"/io_links/0/properties"] = link(1, 0)
}
