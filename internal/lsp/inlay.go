package lsp

import "fmt"

type inlayHint struct {
	Position    position `json:"position"`
	Label       string   `json:"label"`
	PaddingLeft bool     `json:"paddingLeft"`
	Tooltip     string   `json:"tooltip,omitempty"`
}

// mostInlay is how many bytes of a line are shown.
const mostInlay = 16

// inlayHints returns the address and the bytes of each line of a range that gives any. Lines with an error have none.
func (d *snapshot) inlayHints(p rangeParams) (any, error) {
	list := []inlayHint{}
	b := d.built()
	wrong, bare := map[int]bool{}, map[int]bool{}
	for _, e := range b.errs {
		wrong[e.Line-1] = true
	}
	for _, e := range b.textOnly {
		bare[e.Line-1] = true
	}
	last := min(p.Range.End.Line, len(d.lines)-1)
	if p.Range.End.Character == 0 && last == p.Range.End.Line && last > p.Range.Start.Line {
		last--
	}
	for n := max(0, p.Range.Start.Line); n <= last; n++ {
		on := d.on(n)
		if len(on) == 0 || wrong[n] {
			continue
		}
		h := inlayHint{Position: d.position(d.lines[n] + len(d.line(n))), PaddingLeft: true}
		if h.Label = bytesText(on); bare[n] {
			h.Label = "no public encoding"
		}
		if h.Tooltip = "address and bytes, in memory order"; on[0].section != "" {
			h.Tooltip = fmt.Sprintf("place in %s and bytes, in memory order", on[0].section)
		}
		list = append(list, h)
	}
	return list, nil
}

// bytesText returns the address and the first bytes of a line.
func bytesText(on []placed) string {
	var code []byte
	size := 0
	for _, p := range on {
		size += len(p.code)
		code = append(code, p.code[:min(len(p.code), max(0, mostInlay-len(code)))]...)
	}
	text := fmt.Sprintf("%04x: %x", on[0].addr, code)
	if size > len(code) {
		text += fmt.Sprintf("… %d bytes", size)
	}
	return text
}
