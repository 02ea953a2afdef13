package rogue

import (
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/group"
	"github.com/heddle-gpu/heddle/isa/rogue/internal/listing"
)

// Names of fields, operands and parts that the code of the set reads.
const (
	nameDA     isa.Name = iota // decode assist: bytes before phases 1 and 0
	nameLength                 // words of the group modulo 16
	namePhases                 // of a main group: an index of group.PhaseSets; of a bit group: bits
	nameOlchk
	nameW1
	nameW0
	nameCC
	nameEnd
	nameAtom
	nameRepeat // number of repetitions minus one
	nameB0     // banks and numbers of sources, by position in their map
	nameB1
	nameB2
	nameN0
	nameN1
	nameN2
	nameMux
	nameIS1 // to nameIS5, by selector
	nameIS2
	nameIS3
	nameIS4
	nameIS5
	nameDB0 // banks and numbers of results
	nameDB1
	nameD0
	nameD1
	nameSat
	nameLP
	nameNeg0 // sign, absolute value, floor and element of sources
	nameNeg1
	nameNeg2
	nameAbs0
	nameAbs1
	nameAbs2
	nameFlr0
	nameFlr2
	nameElem0
	nameElem1
	nameElem2
	nameScale
	nameRound
	nameFormat
	namePart // of a range reduction
	nameIter
	nameCosine
	namePred // P0 is written
	nameCin
	nameMask
	nameMov0
	nameMov1
	nameType
	nameP2End
	nameSrc // selectors of sources
	nameData
	nameAddr
	nameBurst
	nameMaskSrc
	nameDst
	nameImm
	nameStream
	nameDRC
	nameCount
	nameMode
	nameCache
	nameSLC
	nameSize
	nameOp
	nameChan
	nameLOD
	namePPLOD
	nameProj
	nameBypass
	nameNNCoords
	nameSNO
	nameSOO
	nameTAO
	nameF16
	nameSched
	nameFCNorm
	nameArray
	nameFreeP
	nameIFB
	nameRate
	nameTemps
	nameVendor
	nameCountSrc
	nameCountOp
	nameShift1
	nameShift2
	nameTestSrc
	nameTestOp
	nameMaskA
	nameMaskB
	nameLink
	nameBPred
	nameOffset
	nameAdjust
	namePCnd
	nameID
	nameTarget
	nameCoeff
	nameWCoeff
	namePersp
	nameTexture
	nameSampler
	nameIdxCoeff
	nameIdxW
	nameComparison
	nameSink
	nameWrite
	nameZAbs // of the factor z of sums of products
	nameZClamp
	nameJop
	nameKop
	nameHalf1 // halves of words that tests compare
	nameHalf2
	nameHalfIn // halves of words that float instructions read and write
	nameHalfOut
	nameInteger // of samples: texel coordinates
	nameF16Input
	nameDirect
	numNames
)

var names = [numNames]string{nameDA: "da", nameLength: "length", namePhases: "phases", nameOlchk: "olchk", nameW1: "w1p", nameW0: "w0p", nameCC: "cc", nameEnd: "end",
	nameAtom: "atom", nameRepeat: "rpt", nameB0: "b0", nameB1: "b1", nameB2: "b2", nameN0: "n0", nameN1: "n1", nameN2: "n2", nameMux: "is0",
	nameIS1: "is1", nameIS2: "is2", nameIS3: "is3", nameIS4: "is4", nameIS5: "is5", nameDB0: "db0", nameDB1: "db1", nameD0: "d0", nameD1: "d1", nameSat: "sat", nameLP: "lp",
	nameNeg0: "s0neg", nameNeg1: "s1neg", nameNeg2: "s2neg", nameAbs0: "s0abs", nameAbs1: "s1abs", nameAbs2: "s2abs", nameFlr0: "s0flr", nameFlr2: "s2flr",
	nameElem0: "s0elem", nameElem1: "s1elem", nameElem2: "s2elem", nameScale: "scale", nameRound: "rtz", nameFormat: "pck_format", namePart: "red_part", nameIter: "iter",
	nameCosine: "red_type", namePred: "pwen", nameCin: "cin", nameMask: "maskw0", nameMov0: listing.FieldMove0, nameMov1: listing.FieldMove1, nameType: "type", nameP2End: group.EndOfPhase2,
	nameSrc: "srcsel", nameData: "srcseldata", nameAddr: "srcseladd", nameBurst: "burstlen", nameMaskSrc: "srcmask", nameDst: "dstsel", nameImm: "imm", nameStream: "stream_id",
	nameDRC: "drc", nameCount: "count", nameMode: "mode", nameCache: "cachemode", nameSLC: "slccache", nameSize: "dsize", nameOp: "op",
	nameChan: "chan", nameLOD: "lodm", namePPLOD: "pplod", nameProj: "proj", nameBypass: "sbmode", nameNNCoords: "nncoords", nameSNO: "sno", nameSOO: "soo", nameTAO: "tao",
	nameF16: "f16", nameSched: "sched_ctrl", nameFCNorm: "fcnorm", nameArray: "array", nameFreeP: "freep", nameIFB: "ifb", nameRate: "rate", nameTemps: "commontmp",
	nameVendor: "ph0", nameCountSrc: "count_src", nameCountOp: "count_op", nameShift1: "shift1_op", nameShift2: "shift2_op", nameTestSrc: "tst_src", nameTestOp: "tst_op",
	nameMaskA: "mska", nameMaskB: "mskb", nameLink: "link", nameBPred: "bpred", nameOffset: "offset", nameAdjust: "adjust", namePCnd: listing.FieldCondition, nameID: "id",
	nameTarget: "tgt", nameCoeff: "coff", nameWCoeff: "woff", namePersp: "p", nameTexture: "texoff", nameSampler: "smpoff", nameIdxCoeff: "coff_idx_ctrl", nameIdxW: "woff_idx_ctrl",
	nameComparison: "comparison", nameSink: "dsel", nameZAbs: "zabs", nameZClamp: "zclamp", nameJop: "jop", nameKop: "kop", nameHalf1: "is1f16", nameHalf2: "is2f16", nameHalfIn: "f16in", nameHalfOut: "f16out", nameWrite: "wrt", nameInteger: "integer", nameF16Input: "f16input", nameDirect: "direct"}

// progName is the name of the pack whose format is a value.
const progName = "pck.prog"
