package main

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
)

// span applies --start and --stop.
func (c *disCmd) span(p *disassembly) error {
	start, stop := p.a.given("start"), p.a.given("stop")
	if !start && !stop {
		return nil
	}
	if len(p.Pieces) == 0 {
		return fmt.Errorf("%s: has no code, of which a part could be listed", c.File)
	}
	r := asm.Range{From: p.Pieces[0].Base, To: p.Pieces[0].End()}
	for _, s := range p.Pieces {
		r.From, r.To = min(r.From, s.Base), max(r.To, s.End())
	}
	if start {
		if err := c.begins(p, c.Start, fmt.Sprintf("--start %#x", c.Start)); err != nil {
			return err
		}
		r.From = c.Start
	}
	if stop {
		if !p.ends(c.Stop) {
			if err := c.begins(p, c.Stop, fmt.Sprintf("--stop %#x", c.Stop)); err != nil {
				return err
			}
		}
		r.To = c.Stop
	}
	if r.From >= r.To {
		return fmt.Errorf("--stop %#x is not after the start, %#x", r.To, r.From)
	}
	p.parts = []asm.Range{r}
	return nil
}

// ends reports whether a piece ends at an address.
func (p *disassembly) ends(addr uint64) bool {
	for _, s := range p.Pieces {
		if addr == s.End() {
			return true
		}
	}
	return false
}

// begins reports an address that is not the start of a line of a listing.
func (c *disCmd) begins(p *disassembly, addr uint64, what string) error {
	var where []string
	for _, s := range p.Pieces {
		if addr < s.Base || addr >= s.End() {
			where = append(where, fmt.Sprintf("%#x-%#x", s.Base, s.End()))
			continue
		}
		at, size := asm.LineAt(p.Target, s.Code, s.Base, addr, p.Data)
		if at == addr {
			return nil
		}
		return hinted{fmt.Errorf("%s lies inside the instruction of %d bytes at %#x", what, size, at), fmt.Sprintf("instructions begin at %#x and %#x", at, at+uint64(size))}
	}
	if len(where) > 4 {
		where = append(where[:4], fmt.Sprintf("and %d more", len(where)-4))
	}
	return fmt.Errorf("%s is outside of the code, which is %s", what, strings.Join(where, ", "))
}
