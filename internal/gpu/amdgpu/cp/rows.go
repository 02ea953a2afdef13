package cp

import (
	"fmt"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
)

// A row says how a packet is executed: with the values of the named fields, in their order. NAME? is 0 for packets that
// lack the field, and NAME=0 a field of which other values are not built; it is not passed.
type row struct {
	name     string // with /N for the form that has N words
	graphics bool   // only the graphics ring has it
	fields   string
	run      func(r *run, v []uint64) error
}

// rows are the packets that are built, by their names in packets.txt of package pm4.
func rows() []row {
	return []row{
		{"NOP", false, "", nothing},
		{"CONTEXT_CONTROL", false, "update_load load_config load_context load_uconfig load_gfx_sh load_cs_sh load_ce_ram=0 shadow_config=0 shadow_context=0 shadow_uconfig=0 shadow_gfx_sh=0 shadow_cs_sh=0", contextControl},
		{"CLEAR_STATE", false, "command=0", clearState},
		{"SET_CONFIG_REG", false, "reg", setIn(pm4.ConfigBase)},
		{"SET_SH_REG", false, "reg", setIn(pm4.ShBase)},
		{"SET_SH_REG_INDEX", false, "reg", setIn(pm4.ShBase)},
		{"SET_CONTEXT_REG", false, "reg", setIn(pm4.ContextBase)},
		{"SET_UCONFIG_REG", false, "reg", setIn(pm4.UconfigBase)},
		{"SET_UCONFIG_REG_INDEX", false, "reg", setIn(pm4.UconfigBase)},
		{"CONTEXT_REG_RMW", false, "reg mask data", contextRMW},
		{"LOAD_CONFIG_REG", false, "addr", loadIn(pm4.ConfigBase, loadConfig)},
		{"LOAD_SH_REG", false, "addr", loadIn(pm4.ShBase, loadSh)},
		{"LOAD_CONTEXT_REG", false, "addr", loadIn(pm4.ContextBase, loadContext)},
		{"LOAD_UCONFIG_REG", false, "addr", loadIn(pm4.UconfigBase, loadUconfig)},
		{"LOAD_SH_REG_INDEX", false, "index=0 format=0 addr reg count", loadIndexIn(pm4.ShBase)},
		{"LOAD_CONTEXT_REG_INDEX", false, "index=0 format=0 addr reg count", loadIndexIn(pm4.ContextBase)},

		{"INDIRECT_BUFFER", false, "addr size chain pre_ena=0", indirectBuffer},
		{"INDIRECT_BUFFER_SI", false, "addr size chain", indirectBuffer},
		{"COND_EXEC/3", false, "addr count", condExec},
		{"COND_EXEC/4", false, "addr count control=0", condExec},
		{"PRED_EXEC", false, "devices count", predExec},
		{"SET_PREDICATION", false, "addr visible op continue", setPredication},
		{"REWIND", false, "valid offload=0", rewind},

		{"WRITE_DATA", false, "dst_sel one_addr addr", writeData},
		{"COPY_DATA", false, "src_sel dst_sel wide src dst", copyData},
		{"CP_DMA", false, "src_sel src dst_sel dst bytes src_swap=0 dst_swap=0 src_space=0 dst_space=0 src_fixed=0 dst_fixed=0", dmaData},
		{"DMA_DATA", false, "src_sel src dst_sel dst bytes src_swap=0 dst_swap=0 src_space=0 dst_space=0 src_fixed=0 dst_fixed=0", dmaData},
		{"MEM_SEMAPHORE", false, "op addr write_one mailbox=0 client=0", memSemaphore},
		{"ATOMIC_MEM", false, "atomic command addr data compare", atomicMem},

		{"EVENT_WRITE/1", false, "type", eventWrite},
		{"EVENT_WRITE/3", false, "type addr", eventWrite},
		{"EVENT_WRITE_EOP", false, "type addr data_sel data", eventEnd},
		{"EVENT_WRITE_EOS", false, "type addr data_sel data", eventShader},
		{"RELEASE_MEM", false, "type addr data_sel data", eventEnd},
		{"ACQUIRE_MEM", false, "", nothing},
		{"SURFACE_SYNC", false, "", nothing},
		{"PFP_SYNC_ME", false, "", nothing},
		{"WAIT_REG_MEM", false, "function space operation=0 addr reference mask", waitRegMem},
		{"COND_WRITE", false, "function space addr reference mask write_space write data", condWrite},

		{"SET_BASE", false, "index addr", setBase},
		{"STRMOUT_BUFFER_UPDATE", true, "store_filled source data_type buffer dst offset", streamUpdate},
		{"INDEX_TYPE", true, "type", indexType},
		{"INDEX_BASE", true, "addr", indexBase},
		{"INDEX_BUFFER_SIZE", true, "count", indexSize},
		{"NUM_INSTANCES", true, "count", numInstances},
		{"DRAW_PREAMBLE", true, "prim vgt ls_hs", drawPreamble},
		{"DRAW_INDEX_AUTO", true, "count initiator", drawAuto},
		{"DRAW_INDEX_2", true, "max addr count initiator", drawIndex2},
		{"DRAW_INDEX_OFFSET_2", true, "max offset count initiator", drawOffset2},
		{"DRAW_INDEX_IMMD", true, "count initiator", drawImmediate},
		{"DRAW_INDIRECT", true, "offset vertex_reg instance_reg initiator", drawIndirect},
		{"DRAW_INDEX_INDIRECT", true, "offset vertex_reg instance_reg initiator", drawIndirect},
		{"DRAW_INDIRECT_MULTI", true, "offset vertex_reg instance_reg initiator draw_enable draw_reg count count_indirect count_addr stride", drawMulti},
		{"DRAW_INDEX_INDIRECT_MULTI", true, "offset vertex_reg instance_reg initiator draw_enable draw_reg count count_indirect count_addr stride", drawMulti},
		{"DISPATCH_DIRECT", false, "x y z initiator", dispatchDirect},
		{"DISPATCH_INDIRECT/2", false, "offset initiator", dispatchIndirect},
		{"DISPATCH_INDIRECT/3", false, "addr initiator", dispatchAt},
	}
}

// dmaRows are the packets of DMA rings that are built, by their names in dma.txt.
func dmaRows() []row {
	return []row{
		{"NOP", false, "", nothing},
		{"TRAP", false, "context?", dmaTrap},
		{"FENCE", false, "addr data flags=0?", dmaFence},
		{"COPY_LINEAR", false, "src dst bytes? count? broadcast=0? dst_swap=0? src_swap=0?", dmaCopy},
		{"COPY_LINEAR_BYTES", false, "src dst count", dmaCopy},
		{"COPY_LINEAR_SUB_WINDOW", false, "element src src_x src_y src_z src_pitch src_slice dst dst_x dst_y dst_z dst_pitch dst_slice width height depth src_swap=0 dst_swap=0", dmaWindow},
		{"COPY_TILED_SUB_WINDOW", false, "detile tiled tiled_x tiled_y tiled_z pitch slice linear linear_x linear_y linear_z linear_pitch linear_slice width height depth linear_swap=0 tiled_swap=0", dmaTiledWindow},
		{"COPY_T2T_SUB_WINDOW", false, "src src_x src_y src_z src_pitch src_slice dst dst_x dst_y dst_z dst_pitch dst_slice width height depth src_swap=0 dst_swap=0", dmaTiles},
		{"WRITE", false, "dst flags=0", dmaWrite},
		{"WRITE_LINEAR", false, "dst swap=0", dmaWrite},
		{"CONSTANT_FILL", false, "dst data bytes? count? unit? swap=0? flags=0?", dmaFill},
		{"INDIRECT_BUFFER", false, "addr size", dmaIndirect},
		{"TIMESTAMP_GET", false, "addr", dmaTimestamp},
		{"TIMESTAMP_GET_GLOBAL", false, "addr", dmaTimestamp},
		{"POLL_REG_MEM", false, "function space addr reference mask", dmaPoll},
		{"COND_EXEC", false, "addr reference count", dmaCondExec},
		{"SEMAPHORE", false, "signal addr write_one? mailbox=0? low=0? high=0?", dmaSemaphore},
		{"ATOMIC", false, "atomic loop addr data compare", atomicMem},
	}
}

// maxParts is the largest number of fields in a row.
const maxParts = 16

// A compiled row has its fields resolved.
type compiled struct {
	parts    []pm4.Part
	zeros    []pm4.Part
	graphics bool
	run      func(r *run, v []uint64) error
}

// A rowTable has the rows of a generation by the packets that they execute.
type rowTable struct{ of map[*pm4.Def]*compiled }

var tables = sync.OnceValue(func() map[int]*rowTable {
	all := map[int]*rowTable{}
	for _, gen := range []int{6, 7, 8} {
		t := &rowTable{map[*pm4.Def]*compiled{}}
		compile(t, pm4.Packets(gen), rows())
		compile(t, pm4.DMAPackets(gen), dmaRows())
		all[gen] = t
	}
	return all
})

func rowsOf(gen int) *rowTable { return tables()[gen] }

// compile adds the rows of packets that there are.
func compile(t *rowTable, defs []*pm4.Def, rows []row) {
	for _, w := range rows {
		name, words, sized := strings.Cut(w.name, "/")
		for _, d := range defs {
			if d.Name == name && (!sized || words == fmt.Sprint(d.Min)) {
				t.of[d] = w.compile(d)
			}
		}
	}
}

// compile resolves a row's fields: a mistake in it panics. Fields with ? are 0 for packets that lack them.
func (w row) compile(d *pm4.Def) *compiled {
	c := &compiled{graphics: w.graphics, run: w.run}
	for _, name := range strings.Fields(w.fields) {
		name, optional := strings.CutSuffix(name, "?")
		name, zero := strings.CutSuffix(name, "=0")
		p, ok := d.Part(name)
		if !ok && !optional {
			panic(fmt.Sprintf("cp: %s has no field %s", d.Name, name))
		}
		if !ok {
			p = pm4.Part{Word: 1 << 30, High: -1} // reads as 0
		}
		if zero {
			c.zeros = append(c.zeros, p)
			continue
		}
		c.parts = append(c.parts, p)
	}
	if len(c.parts) > maxParts {
		panic("cp: " + w.name + " has too many fields")
	}
	return c
}

// nothing executes packets that only wait for what is done already, or that name what is coherent.
func nothing(*run, []uint64) error { return nil }
