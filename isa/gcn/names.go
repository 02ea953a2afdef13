package gcn

import "github.com/heddle-gpu/heddle/isa"

// Fields that meanings and kinds read.
const (
	nameSrc0 isa.Name = iota
	nameSrc1
	nameSrc2
	nameVdst
	nameSdst
	nameClamp
	nameOmod
	nameSrc0Neg
	nameSrc1Neg
	nameSrc2Neg
	nameSrc0Abs
	nameSrc1Abs
	nameSrc2Abs
	nameSrc0Sext
	nameSrc1Sext
	nameSrc0Sel
	nameSrc1Sel
	nameDstSel
	nameDstUnused
	nameDPPCtrl
	nameBoundCtrl
	nameRowMask
	nameBankMask
	nameSimm16
	nameSsrc0
	nameSsrc1
	nameSdata
	nameSbase
	nameOffset
	nameSoffset
	nameOffset0
	nameOffset1
	nameGDS
	nameAddr
	nameData
	nameData0
	nameData1
	nameVaddr
	nameVdata
	nameSrsrc
	nameDmask
	nameTfe
	nameVsrc0
	nameVsrc1
	nameVsrc2
	nameVsrc3
	nameVsrc
	nameAttr
	nameHigh
	nameEn
	nameTgt
	nameCompr
	nameDone
	nameVM
	nameIdxen
	nameOffen
	nameGLC
	nameFormat
	nameSsamp
	nameUnorm
	nameDA
	nameR128
	nameD16
	nameLDS
)

var names = []string{
	nameSrc0: "src0", nameSrc1: "src1", nameSrc2: "src2", nameVdst: "vdst", nameSdst: "sdst", nameClamp: "clamp", nameOmod: "omod",
	nameSrc0Neg: "src0.neg", nameSrc1Neg: "src1.neg", nameSrc2Neg: "src2.neg",
	nameSrc0Abs: "src0.abs", nameSrc1Abs: "src1.abs", nameSrc2Abs: "src2.abs",
	nameSrc0Sext: "src0.sext", nameSrc1Sext: "src1.sext",
	nameSrc0Sel: "src0_sel", nameSrc1Sel: "src1_sel", nameDstSel: "dst_sel", nameDstUnused: "dst_unused",
	nameDPPCtrl: "dpp_ctrl", nameBoundCtrl: "bound_ctrl", nameRowMask: "row_mask", nameBankMask: "bank_mask",
	nameSimm16: "simm16", nameSsrc0: "ssrc0", nameSsrc1: "ssrc1", nameSdata: "sdata", nameSbase: "sbase", nameOffset: "offset", nameSoffset: "soffset",
	nameOffset0: "offset0", nameOffset1: "offset1", nameGDS: "gds", nameAddr: "addr", nameData: "data",
	nameData0: "data0", nameData1: "data1", nameVaddr: "vaddr", nameVdata: "vdata", nameSrsrc: "srsrc",
	nameDmask: "dmask", nameTfe: "tfe", nameVsrc0: "vsrc0", nameVsrc1: "vsrc1",
	nameVsrc2: "vsrc2", nameVsrc3: "vsrc3", nameVsrc: "vsrc", nameAttr: "attr", nameHigh: "high",
	nameEn: "en", nameTgt: "tgt", nameCompr: "compr", nameDone: "done", nameVM: "vm",
	nameIdxen: "idxen", nameOffen: "offen", nameGLC: "glc", nameFormat: "format",
	nameSsamp: "ssamp", nameUnorm: "unorm", nameDA: "da", nameR128: "r128", nameD16: "d16", nameLDS: "lds",
}
