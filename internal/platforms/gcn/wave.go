package gcn

import (
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa/gcn"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
)

// waveRegisters is the initial register layout of a launch's waves, as RSRC1 and RSRC2 of a kernel descriptor or of a
// dispatch's registers request it.
type waveRegisters struct {
	user    []uint32 // from s0 up: the same in all waves
	mode    uint32
	ids     int // from v0 up: number of axes of the work-item id
	groupID [3]bool
	info    bool // group info
	offset  bool // scratch wave offset
}

// A waveStart starts the waves of a launch.
type waveStart struct {
	regs    waveRegisters
	block   [3]uint32                              // work-items of a whole group
	origin  [3]uint32                              // the id of the first group
	places  [3][]uint32                            // by axis: the positions of a whole group's work-items
	scratch func(g *launch.Group, wave int) uint64 // the scratch wave offset
	order   *appendOrder                           // nil: no append is ordered
}

// newWaveStart decodes RSRC1 and RSRC2 of a descriptor. user are the user SGPRs; those that are not counted are
// dropped, and those that are missing are 0.
func newWaveStart(desc *object.Descriptor, user []uint32, block [3]uint32, scratch func(g *launch.Group, wave int) uint64) *waveStart {
	n := desc.UserSGPRs()
	r := waveRegisters{mode: computeMode(desc), ids: min(desc.ItemIDs(), 3), info: desc.GroupInfo(), offset: desc.ScratchOffset()}
	r.user = append(slices.Clone(user), make([]uint32, max(n-len(user), 0))...)[:n]
	for i := range 3 {
		r.groupID[i] = desc.GroupID(i)
	}
	s := &waveStart{regs: r, block: block, scratch: scratch}
	g := launch.Group{Size: block}
	for i := range s.places {
		s.places[i] = make([]uint32, int(block[0])*int(block[1])*int(block[2]))
	}
	g.Places(0, s.places)
	return s
}

// UserData is what a kernel may request in user SGPRs.
type UserData struct {
	Scratch        [4]uint32 // the resource of scratch
	Packet         uint64    // address of the dispatch packet
	Queue          uint64    // address of the queue
	Kernarg        uint64    // address of the arguments
	ID             uint64    // of the dispatch
	FlatScratch    [2]uint32 // the offset of scratch, and the bytes of a lane
	PrivateSegment uint32    // bytes of a lane
	Groups         [3]uint32 // number of groups of each axis
}

// A userSGPR is a value that a kernel may request. They are listed in the order in which they are laid out from s0 up.
type userSGPR struct {
	asked func(*object.Descriptor) bool
	words func(*UserData) []uint32
}

// Source: docs/reference/gcn.md 9.1, properties.
var userSGPRs = []userSGPR{
	{(*object.Descriptor).PrivateSegmentBuffer, func(u *UserData) []uint32 { return u.Scratch[:] }},
	{(*object.Descriptor).DispatchPtr, func(u *UserData) []uint32 { return pair(u.Packet) }},
	{(*object.Descriptor).QueuePtr, func(u *UserData) []uint32 { return pair(u.Queue) }},
	{(*object.Descriptor).KernargPtr, func(u *UserData) []uint32 { return pair(u.Kernarg) }},
	{(*object.Descriptor).DispatchID, func(u *UserData) []uint32 { return pair(u.ID) }},
	{(*object.Descriptor).FlatScratchInit, func(u *UserData) []uint32 { return u.FlatScratch[:] }},
	{(*object.Descriptor).PrivateSegmentSize, func(u *UserData) []uint32 { return []uint32{u.PrivateSegment} }},
	groupCount(0), groupCount(1), groupCount(2),
}

// groupCount is the user SGPR with the number of groups along an axis, which early code objects may request.
func groupCount(axis int) userSGPR {
	return userSGPR{
		func(d *object.Descriptor) bool { return d.GroupCount(axis) },
		func(u *UserData) []uint32 { return u.Groups[axis : axis+1] },
	}
}

func pair(v uint64) []uint32 { return []uint32{uint32(v), uint32(v >> 32)} }

// Words returns the user SGPRs that a kernel descriptor requests.
func (u *UserData) Words(desc *object.Descriptor) (words []uint32) {
	for _, r := range userSGPRs {
		if r.asked(desc) {
			words = append(words, r.words(u)...)
		}
	}
	return words
}

// userWords returns the user SGPRs of the kernel.
func (d *dispatch) userWords() []uint32 {
	u := &UserData{Scratch: d.scratch.resource(), Packet: packetAddr, Queue: queueAddr, FlatScratch: [2]uint32{scratchBase, d.scratch.lane},
		PrivateSegment: d.scratch.lane, Groups: d.grid.Groups}
	if len(d.kernarg) > 0 {
		u.Kernarg = kernargAddr
	}
	return u.Words(&d.kernel.Descriptor)
}

// userRegisters returns what user SGPRs hold when a wave starts.
func (d *dispatch) userRegisters() []uint32 {
	words := append(d.userWords(), make([]uint32, d.kernel.Descriptor.UserSGPRs())...)[:d.kernel.Descriptor.UserSGPRs()]
	for _, r := range d.k.Registers {
		for i := range words {
			if r.Reg.exec == 0 && r.Reg.cell == gcn.SGPR(i) && len(r.Values) > 0 {
				words[i] = r.Values[0]
			}
		}
	}
	return words
}

// Begins returns the registers that have a defined value when a wave of a kernel starts. Source: docs/reference/gcn.md
// 9.2.
func Begins(desc *object.Descriptor) []ir.Span {
	n := desc.UserSGPRs()
	for i := range 3 {
		n += oneIf(desc.GroupID(i))
	}
	n += oneIf(desc.GroupInfo()) + oneIf(desc.ScratchOffset())
	return []ir.Span{{Cell: gcn.SGPR(0), Count: uint16(n)}, {Cell: gcn.VGPR(0), Count: uint16(min(desc.ItemIDs(), 3))}}
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// computeMode returns the initial MODE register of a kernel. Source: docs/reference/gcn.md 3 and 9.1.
func computeMode(desc *object.Descriptor) uint32 {
	m := uint32(desc.FloatMode()) | uint32(desc.Exceptions())<<12
	if desc.DX10Clamp() {
		m |= 1 << 8
	}
	if desc.IEEE() {
		m |= 1 << 9
	}
	if desc.Debug() {
		m |= 1 << 11
	}
	return m
}

// NewGroup implements launch.Target: only the waves differ between groups.
func (d *dispatch) NewGroup(*launch.Group, *exec.Env) error { return nil }

// InitWave implements launch.Target.
func (d *dispatch) InitWave(g *launch.Group, wave int, st *exec.State, _ *exec.Env) error {
	if d.k.Fill != 0 {
		fill(st, d.k.Fill)
	}
	d.start.init(g, wave, st)
	d.given(st)
	return nil
}

var _ launch.Restartable = (*dispatch)(nil)

// Restart implements launch.Restartable.
func (d *dispatch) Restart(g *launch.Group, wave int, st *exec.State) {
	d.start.place(g, wave, st)
	d.given(st)
}

// init sets the registers of a wave. Source: docs/reference/gcn.md 9.2.
func (s *waveStart) init(g *launch.Group, wave int, st *exec.State) {
	copy(st.Words(gcn.SGPR(0)), s.regs.user)
	s.place(g, wave, st)
	s.itemIDs(g, wave, st)
	setMachine(st, s.regs.mode)
	if g.Waves > 1 {
		st.Set(gcn.CellStatus, 0, gcn.StatusInGroup)
	}
}

// place sets the registers after the user SGPRs: those that depend on the group, and the scratch offset, which is the
// same in all groups.
func (s *waveStart) place(g *launch.Group, wave int, st *exec.State) {
	s.order.begin(g, wave)
	sgprs := st.S[st.Index(gcn.SGPR(len(s.regs.user))):]
	n := 0
	push := func(v uint32) {
		sgprs[n] = v
		n++
	}
	for axis, asked := range s.regs.groupID {
		if asked {
			push(s.origin[axis] + g.ID[axis])
		}
	}
	if s.regs.info {
		push(s.groupInfo(g, wave))
	}
	if s.regs.offset {
		push(uint32(s.scratch(g, wave)))
	}
}

// given sets the registers for which the caller gives a value.
func (d *dispatch) given(st *exec.State) {
	for i := range d.k.Registers {
		d.k.Registers[i].put(st)
	}
}

// itemIDs writes the work-item ids of the lanes to v0 and up.
func (s *waveStart) itemIDs(g *launch.Group, wave int, st *exec.State) {
	first := wave * st.Lanes
	var rows [3][]uint32
	for i := range max(s.regs.ids, 1) {
		rows[i] = st.Row(gcn.VGPR(i))[:bits.Len64(st.Live)]
		if g.Size == s.block {
			copy(rows[i], s.places[i][first:])
		}
	}
	if g.Size != s.block {
		g.Places(first, rows)
	}
}

// groupInfo returns the workgroup info word. Source: LLVM, "User Guide for AMDGPU Backend", initial kernel execution
// state. Where no append is ordered, the ordered append term holds the number of the wave: ACO computes
// gl_LocalInvocationIndex from it. See docs/reference/gcn.md 9.2.
func (s *waveStart) groupInfo(g *launch.Group, wave int) uint32 {
	term := uint32(wave)
	if s.order != nil {
		term = s.order.term(g, wave)
	}
	w := uint32(g.Waves)&0x3f | term<<6
	if wave == 0 {
		w |= 1 << 31
	}
	return w
}

// setMachine sets the state that every wave has, however it is started.
func setMachine(st *exec.State, mode uint32) {
	st.Set(gcn.CellMode, 0, mode)
	st.Set(gcn.CellPrivateBase, 0, privateAperture)
	st.Set(gcn.CellSharedBase, 0, sharedAperture)
}

// fill writes a value to all vector and scalar registers.
func fill(st *exec.State, v uint32) {
	for i := range st.Machine.Files[gcn.FileV].Count {
		row := st.Row(gcn.VGPR(i))
		for lane := range row {
			row[lane] = v
		}
	}
	for i := range st.Machine.Files[gcn.FileS].Count {
		st.Set(gcn.SGPR(i), 0, v)
	}
}
