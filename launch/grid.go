package launch

import (
	"fmt"
	"math/bits"
)

// A Grid is the shape of a launch. The axes are x, y, z; none may be zero.
type Grid struct {
	Groups [3]uint32
	Block  [3]uint32 // work-items of a whole group
	Items  [3]uint32 // work-items in total; 0: those of whole groups. Fewer cut the last groups of the axis short.
}

// A Group is one group of a grid.
type Group struct {
	ID    [3]uint32
	Index uint64    // in order of dispatch: x fastest, then y
	Size  [3]uint32 // work-items; less than Grid.Block at a partial edge
	Items int       // product of Size
	Waves int
	// Slot is the number of the slot in its session, from 0: no two groups that run at once have the same. Run has as many
	// slots as workers.
	Slot int
}

// maxItems limits the work-items of a group; no machine has more.
const maxItems = 1 << 16

// Cover returns the grid with the fewest groups that contains all work-items. The last groups of an axis may be
// partial.
func Cover(items, block [3]uint32) Grid {
	g := Grid{Block: block, Items: items}
	for i := range items {
		if block[i] != 0 {
			g.Groups[i] = items[i]/block[i] + min(1, items[i]%block[i])
		}
	}
	return g
}

// check returns the number of groups, or an error if the grid is invalid.
func (g *Grid) check() (groups uint64, err error) {
	groups = 1
	items := uint64(1)
	for i := range 3 {
		n, b := uint64(g.Groups[i]), uint64(g.Block[i])
		if n == 0 || b == 0 {
			return 0, fmt.Errorf("launch: grid of %v groups of %v items: an axis is zero", g.Groups, g.Block)
		}
		if all := uint64(g.Items[i]); all != 0 && (all > n*b || all <= (n-1)*b) {
			return 0, fmt.Errorf("launch: %d items do not fill %d groups of %d on axis %c", all, n, b, "xyz"[i])
		}
		hi, lo := bits.Mul64(groups, n)
		if items *= b; hi != 0 || items > maxItems {
			return 0, fmt.Errorf("launch: grid of %v groups of %v items is too large; a group has at most %d items", g.Groups, g.Block, maxItems)
		}
		groups = lo
	}
	return groups, nil
}

// id returns the ID of the group of that index.
func (g *Grid) id(index uint64) [3]uint32 {
	gx, gy := uint64(g.Groups[0]), uint64(g.Groups[1])
	return [3]uint32{uint32(index % gx), uint32(index / gx % gy), uint32(index / gx / gy)}
}

// next returns the ID of the group after one.
func (g *Grid) next(id [3]uint32) [3]uint32 {
	for i := range 2 {
		if id[i]++; id[i] < g.Groups[i] {
			return id
		}
		id[i] = 0
	}
	id[2]++
	return id
}

// size returns the work-items of a group on each axis.
func (g *Grid) size(id [3]uint32) [3]uint32 {
	size := g.Block
	for i := range 3 {
		if rest := g.Items[i] - id[i]*g.Block[i]; g.Items[i] != 0 {
			size[i] = min(size[i], rest)
		}
	}
	return size
}

// group returns the group of that index, in waves of that many lanes.
func (g *Grid) group(index uint64, lanes int) Group {
	id := g.id(index)
	r := Group{ID: id, Index: index, Size: g.size(id), Items: 1}
	for i := range 3 {
		r.Items *= int(r.Size[i])
	}
	r.Waves = (r.Items + lanes - 1) / lanes
	return r
}

// Lanes returns the mask of the lanes that exist in a wave of the group. Work-items are numbered x fastest, then y;
// lane i of wave w is work-item w*lanes+i.
func (g *Group) Lanes(wave, lanes int) uint64 {
	n := min(g.Items-wave*lanes, lanes)
	return ^uint64(0) >> (64 - n)
}

// Item returns the position in the group of a lane of a wave.
func (g *Group) Item(wave, lanes, lane int) [3]uint32 {
	i := uint32(wave*lanes + lane)
	x, y := g.Size[0], g.Size[1]
	return [3]uint32{i % x, i / x % y, i / x / y}
}

func fill(row []uint32, v uint32) {
	for i := range row {
		row[i] = v
	}
}

// Places writes the positions in the group of the work-items from first on into rows, one row per axis, as many as row
// 0 is long. Rows 1 and 2 may be nil.
func (g *Group) Places(first int, rows [3][]uint32) {
	at := g.Item(first, 1, 0)
	x, y, z := at[0], at[1], at[2]
	if x+uint32(len(rows[0])) <= g.Size[0] { // in one row of the group
		for i := range rows[0] {
			rows[0][i] = x + uint32(i)
		}
		fill(rows[1][:min(len(rows[1]), len(rows[0]))], y)
		fill(rows[2][:min(len(rows[2]), len(rows[0]))], z)
		return
	}
	for i := range rows[0] {
		rows[0][i] = x
		if i < len(rows[1]) {
			rows[1][i] = y
		}
		if i < len(rows[2]) {
			rows[2][i] = z
		}
		if x++; x == g.Size[0] {
			x, y = 0, y+1
		}
		if y == g.Size[1] {
			y, z = 0, z+1
		}
	}
}
