// Package pm4 has the command streams of AMD GPUs of gfx6, gfx7 and gfx8 as data: the registers with their fields, the
// packets of the graphics and compute rings (PM4) and those of the DMA rings, all from three tables of text. It decodes
// words to packets and to text. It executes nothing; package cp does.
package pm4
