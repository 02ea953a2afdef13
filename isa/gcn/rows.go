package gcn

import "github.com/heddle-gpu/heddle/isa"

// No such instruction in this generation: four and five wide, to line up.
const (
	____  = -1
	_____ = -1
)

// families are all rows, in the order of listings.
func families() []family {
	reads := func(cells ...hidden) (ts []touch) {
		for _, c := range cells {
			ts = append(ts, touch{c, isa.Use})
		}
		return ts
	}
	vector := family{words: vectorWords, lack: isa.LackUnbuilt, cells: reads(hiddenExec)}
	of := func(f family, name string, rows []row, forms []form) family {
		f.name, f.rows, f.forms = name, rows, forms
		return f
	}
	lane := family{words: laneWords, lack: isa.LackUnbuilt, source: "docs/reference/gcn.md 7.1"}
	scalar := family{words: scalarWords, lack: isa.LackUnbuilt, source: "docs/reference/gcn.md 4"}
	buffer := family{words: bufferWords, lack: isa.LackUnbuilt}
	interp := family{words: interpWords, lack: isa.LackGraphics}
	mubuf := of(buffer, "MUBUF", mubufRows, mubufForms())
	mubuf.cells = reads(hiddenExec)
	return []family{
		of(vector, "VOP1", vop1, vop1Forms), of(vector, "VOP2", vop2, vop2Forms), of(vector, "VOPC", vopc(), vopcForms),
		of(vector, "VOP3", vop3, vop3Forms),
		of(lane, "VOP1", lane1, lane1Forms), of(lane, "VOP2", lane2, lane2Forms), of(lane, "VOP3", lane3, lane3Forms),
		of(scalar, "SOP2", sop2, sop2Forms), of(scalar, "SOP1", sop1, sop1Forms), of(scalar, "SOPC", sopc, sopcForms),
		of(scalar, "SOPK", sopk, sopkForms), of(scalar, "SOPP", sopp, soppForms),
		{name: "SMEM", rows: smemRows, words: smemWords, forms: smemForms, lack: isa.LackUnbuilt},
		{name: "DS", rows: dsRows, words: dsWords, forms: dsForms, lack: isa.LackUnbuilt, cells: reads(hiddenExec, hiddenM0)},
		{name: "FLAT", rows: flatRows, words: flatWords, forms: flatForms, lack: isa.LackUnbuilt, cells: reads(hiddenExec, hiddenFlatScratch, hiddenAperture)},
		mubuf, of(buffer, "MTBUF", mtbufRows, mtbufForms()),
		{name: "MIMG", rows: mimgRows, words: mimgWords, forms: mimgForms, lack: isa.LackGraphics},
		{name: "EXP", rows: expRows, forms: expForms(), lack: isa.LackGraphics},
		of(interp, "VINTRP", vintrpRows, vintrpForms), of(interp, "VOP3", vop3Interp, interp3Forms),
	}
}
