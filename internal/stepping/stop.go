package stepping

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/mem"
)

// ErrAgain ends a run so that it can be restarted to reach an earlier place.
var ErrAgain = errors.New("begin again")

// ErrQuit ends a run on request of the user.
var ErrQuit = errors.New("quit")

// ErrStopped ends a run at one of its Stops.
var ErrStopped = errors.New("stopped")

// Both calls several steppers one after the other.
type Both []exec.Stepper

// Before implements exec.Stepper.
func (b Both) Before(s *exec.Step) error {
	for _, x := range b {
		if err := x.Before(s); err != nil {
			return err
		}
	}
	return nil
}

// After implements exec.Stepper.
func (b Both) After(s *exec.Step, stop exec.Stop) {
	for _, x := range b {
		x.After(s, stop)
	}
}

// A Dump is the state of a wave before an instruction: everything that is not zero.
type Dump struct {
	Kernel string
	Where  exec.Where
	Place  loc.Place
	Text   string
	Live   uint64
	Exec   uint64
	Regs   []Change
	Zero   int // number of registers that are zero
	Group  []Region

	head string
}

// A Region is the bytes of a segment.
type Region struct {
	Name string
	Base uint64
	Data []byte
}

// NewDump copies the state of the wave.
func NewDump(s *exec.Step) *Dump {
	st := s.State
	d := &Dump{Kernel: s.Env.Kernel, Where: s.Env.Where, Place: ir.PlaceOf(s.Program, s.PC), Text: oneLine(s.Text()), Live: st.Live, Exec: st.Exec,
		head: Head(s)}
	says, _ := ir.Describe(s.Program)
	eachCell(st.Machine, func(c ir.Cell) {
		switch {
		case st.Machine.Kind(c) == ir.ExecMask:
		case zero(st, c):
			d.Zero++
		default:
			d.Regs = append(d.Regs, LookAt(st, says, c))
		}
	})
	for bank, space := range s.Env.Spaces[ir.GroupSpace] {
		d.Group = append(d.Group, regions(space, bank)...)
	}
	return d
}

// regions returns the segments of a space.
func regions(space *mem.Space, bank int) (list []Region) {
	if space == nil {
		return nil
	}
	for _, g := range space.Segments() {
		name := g.Name
		if bank != 0 {
			name = fmt.Sprintf("%s:%d", name, bank)
		}
		list = append(list, Region{name, g.Base, append([]byte(nil), g.Data...)})
	}
	return list
}

// Head returns the position of a wave: its name, address, source, and the next instruction.
func Head(s *exec.Step) string {
	return fmt.Sprintf("%s  %s  %s", WhoText(&s.Env.Where), strings.TrimRight(placeText(s), " "), oneLine(s.Text()))
}

// Head returns the position of the wave.
func (d *Dump) Head() string { return d.head }

// Render returns the dump as text, with the values of some lanes.
func (d *Dump) Render(lanes LaneRange) string {
	var b strings.Builder
	fmt.Fprintf(&b, "stopped before\n%s\n", d.head)
	if d.Kernel != "" {
		fmt.Fprintf(&b, "  kernel  %s\n", printable(d.Kernel))
	}
	if d.Place.Text.Known() {
		fmt.Fprintf(&b, "  text    %s\n", printable(d.Place.Text.String()))
	}
	if d.Place.Source.Known() {
		fmt.Fprintf(&b, "  source  %s\n", printable(d.Place.Source.String()))
	}
	fmt.Fprintf(&b, "  live    %#x\n  exec    %#x\n", d.Live, d.Exec)
	for i := range d.Regs {
		fmt.Fprintf(&b, "  %s\n", d.Regs[i].Text(lanes))
	}
	fmt.Fprintf(&b, "  %d more registers are zero\n", d.Zero)
	for _, r := range d.Group {
		fmt.Fprintf(&b, "  memory of the group, %q: %d bytes from %#x\n", r.Name, len(r.Data), r.Base)
		b.WriteString(HexDump(r.Base, r.Data))
	}
	return b.String()
}

// JSON returns the dump for tools.
func (d *Dump) JSON() any {
	type region struct {
		Name string `json:"name"`
		Base uint64 `json:"base"`
		Hex  string `json:"hex"`
	}
	out := struct {
		Kernel string    `json:"kernel,omitempty"`
		Group  [3]uint32 `json:"group"`
		Wave   int       `json:"wave"`
		PC     uint64    `json:"pc"` // as in addr
		loc.JSON
		Source    string         `json:"source,omitempty"` // FILE:LINE:COL
		Text      string         `json:"text"`
		Live      string         `json:"live"`
		Exec      string         `json:"exec"`
		Registers map[string]any `json:"registers"` // those that are not zero
		Memory    []region       `json:"group_memory"`
	}{d.Kernel, d.Where.Group, d.Where.Wave, d.Place.Addr, d.Place.JSON(), d.Place.Source.String(), d.Text, fmt.Sprintf("%#x", d.Live),
		fmt.Sprintf("%#x", d.Exec), map[string]any{}, []region{}}
	for i := range d.Regs {
		out.Registers[d.Regs[i].Name] = d.Regs[i].value(LaneRange{0, ir.MaxLanes - 1})
	}
	for _, r := range d.Group {
		out.Memory = append(out.Memory, region{r.Name, r.Base, fmt.Sprintf("%x", r.Data)})
	}
	return out
}

// rowBytes is the number of bytes per line of a memory dump.
const rowBytes = 16

// HexDump shows bytes in words of four, lowest byte last, and omits lines equal to the previous one.
func HexDump(base uint64, data []byte) string {
	var b strings.Builder
	last, skipped := "", false
	for off := 0; off < len(data); off += rowBytes {
		row := data[off:min(off+rowBytes, len(data))]
		if text := string(row); text == last && off+rowBytes < len(data) {
			if !skipped {
				b.WriteString("  *\n")
			}
			skipped = true
			continue
		}
		last, skipped = string(row), false
		fmt.Fprintf(&b, "  %#08x ", base+uint64(off))
		for len(row) > 0 {
			n := min(4, len(row))
			b.WriteByte(' ')
			for i := n - 1; i >= 0; i-- {
				fmt.Fprintf(&b, "%02x", row[i])
			}
			row = row[n:]
		}
		b.WriteByte('\n')
	}
	return b.String()
}
