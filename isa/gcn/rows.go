package gcn

import "github.com/heddle-gpu/heddle/isa"

// No such instruction in this generation: four and five characters wide, for alignment.
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
	told := func(f family, source string) family {
		f.source = source
		return f
	}
	lane := family{words: laneWords, lack: isa.LackUnbuilt, source: "docs/reference/gcn.md 7.1"}
	scalar := family{words: scalarWords, scalar: true, unit: unitSALU, lack: isa.LackUnbuilt, source: "docs/reference/gcn.md 4"}
	special := scalar
	special.unit = unitInternal
	buffer := family{words: bufferWords, unit: unitVMEM, lack: isa.LackUnbuilt, source: "docs/reference/gcn.md 8.1", cells: reads(hiddenExec)}
	interp := family{words: interpWords, lack: isa.LackUnbuilt, cells: reads(hiddenExec, hiddenM0), source: "docs/reference/gcn.md 7.5"}
	return []family{
		of(told(vector, "docs/reference/gcn.md 7.6"), "VOP1", vop1(), vop1Forms), of(told(vector, "docs/reference/gcn.md 7.6"), "VOP2", vop2(), vop2Forms),
		of(told(vector, "docs/reference/gcn.md 1.4"), "VOPC", vopc(), vopcForms), of(told(vector, "docs/reference/gcn.md 7.1"), "VOP3", vop3(), vop3Forms),
		of(lane, "VOP1", lane1(), lane1Forms), of(lane, "VOP2", lane2(), lane2Forms), of(lane, "VOP3", lane3(), lane3Forms),
		of(scalar, "SOP2", sop2(), sop2Forms), of(scalar, "SOP1", sop1(), sop1Forms), of(scalar, "SOPC", sopc(), sopcForms),
		of(scalar, "SOPK", sopk(), sopkForms), of(special, "SOPP", sopp(), soppForms),
		{name: "SMEM", unit: unitSMEM, scalar: true, rows: smemRows(), words: smemWords, forms: smemForms, source: "docs/reference/gcn.md 4.7", lack: isa.LackUnbuilt},
		{name: "DS", unit: unitLDS, rows: dsRows(), words: dsWords, forms: dsForms, source: "docs/reference/gcn.md 8.3", lack: isa.LackUnbuilt, cells: reads(hiddenExec, hiddenM0)},
		{name: "FLAT", unit: unitFlat, rows: flatRows(), words: flatWords, forms: flatForms, source: "docs/reference/gcn.md 8.2", lack: isa.LackUnbuilt, cells: reads(hiddenExec, hiddenFlatScratch, hiddenAperture)},
		of(buffer, "MUBUF", mubufRows(), mubufForms()), of(buffer, "MTBUF", mtbufRows(), mtbufForms()),
		{name: "MIMG", unit: unitVMEM, rows: mimgRows(), words: mimgWords, forms: mimgForms, source: "docs/reference/gcn.md 8.4", lack: isa.LackUnbuilt, cells: reads(hiddenExec)},
		{name: "EXP", unit: unitExport, rows: expRows(), forms: expForms(), source: "docs/reference/gcn.md 8.4", lack: isa.LackUnbuilt, cells: reads(hiddenExec)},
		of(interp, "VINTRP", vintrpRows(), vintrpForms), of(interp, "VOP3", vop3Interp(), interp3Forms),
	}
}
