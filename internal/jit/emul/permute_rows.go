package emul

// permutes move elements about.
func permutes() []row {
	return append(append(resizes(), parts()...), []row{
		{"vpshufb", dynamic(shuffleByte)}, {"vpshufd", static[uint32](1, fields)},
		{"vpshufhw", static[uint16](1, within128(8, func(imm, j int) int {
			if j < 4 {
				return j
			}
			return 4 + imm>>(2*(j-4))&3
		}))},
		{"vpshuflw", static[uint16](1, within128(8, func(imm, j int) int {
			if j >= 4 {
				return j
			}
			return imm >> (2 * j) & 3
		}))},
		{"vshufps", static[uint32](2, shufps)}, {"vshufpd", static[uint64](2, shufpd)},
		{"vpunpcklbw", static[uint8](2, unpack(16, 0))}, {"vpunpckhbw", static[uint8](2, unpack(16, 1))},
		{"vpunpcklwd", static[uint16](2, unpack(8, 0))}, {"vpunpckhwd", static[uint16](2, unpack(8, 1))},
		{"vpunpckldq", static[uint32](2, unpack(4, 0))}, {"vpunpckhdq", static[uint32](2, unpack(4, 1))},
		{"vpunpcklqdq", static[uint64](2, unpack(2, 0))}, {"vpunpckhqdq", static[uint64](2, unpack(2, 1))},
		{"vunpcklps", static[uint32](2, unpack(4, 0))}, {"vunpckhps", static[uint32](2, unpack(4, 1))},
		{"vunpcklpd", static[uint64](2, unpack(2, 0))}, {"vunpckhpd", static[uint64](2, unpack(2, 1))},
		{"vpacksswb", pack[int16, uint8](true)}, {"vpackuswb", pack[int16, uint8](false)},
		{"vpackssdw", pack[int32, uint16](true)}, {"vpackusdw", pack[int32, uint16](false)},
		{"vpalignr", static[uint8](2, alignBytes)}, {"valignd", static[uint32](2, alignElements)}, {"valignq", static[uint64](2, alignElements)},

		{"vpermb", byIndex[uint8](0, 1, 1)}, {"vpermw", byIndex[uint16](0, 1, 1)},
		{"vpermd", byIndex[uint32](0, 1, 1)}, {"vpermps", byIndex[uint32](0, 1, 1)},
		{"vpermq", either(static[uint64](1, quarters), byIndex[uint64](0, 1, 1))},
		{"vpermpd", either(static[uint64](1, quarters), byIndex[uint64](0, 1, 1))},
		{"vpermilps", either(static[uint32](1, fields), dynamic(func(x uint32, i int) int { return i&^3 + int(x&3) }))},
		{"vpermilpd", either(static[uint64](1, byBits), dynamic(func(x uint64, i int) int { return i&^1 + int(x>>1&1) }))},
		{"vpermi2b", byIndex[uint8](0, 1, 2)}, {"vpermi2w", byIndex[uint16](0, 1, 2)},
		{"vpermi2d", byIndex[uint32](0, 1, 2)}, {"vpermi2ps", byIndex[uint32](0, 1, 2)},
		{"vpermi2q", byIndex[uint64](0, 1, 2)}, {"vpermi2pd", byIndex[uint64](0, 1, 2)},
		{"vpermt2b", byIndex[uint8](1, 0, 2)}, {"vpermt2w", byIndex[uint16](1, 0, 2)},
		{"vpermt2d", byIndex[uint32](1, 0, 2)}, {"vpermt2ps", byIndex[uint32](1, 0, 2)},
		{"vpermt2q", byIndex[uint64](1, 0, 2)}, {"vpermt2pd", byIndex[uint64](1, 0, 2)},
		{"vpmultishiftqb", bitsOf},
		{"vperm2f128", static[uint64](2, halves)}, {"vperm2i128", static[uint64](2, halves)},
		{"vshuff32x4", static[uint32](2, blocks(4))}, {"vshuff64x2", static[uint64](2, blocks(2))},
		{"vshufi32x4", static[uint32](2, blocks(4))}, {"vshufi64x2", static[uint64](2, blocks(2))},

		{"vblendps", static[uint32](2, blend(8))}, {"vblendpd", static[uint64](2, blend(8))},
		{"vpblendw", static[uint16](2, blend(8))}, {"vpblendd", static[uint32](2, blend(8))},
		{"vblendvps", chosen[int32]}, {"vblendvpd", chosen[int64]}, {"vpblendvb", chosen[int8]},
		{"vblendmps", blendMasked[uint32]}, {"vblendmpd", blendMasked[uint64]}, {"vpblendmb", blendMasked[uint8]},
		{"vpblendmw", blendMasked[uint16]}, {"vpblendmd", blendMasked[uint32]}, {"vpblendmq", blendMasked[uint64]},
		{"vpcompressd", compress[uint32]}, {"vpcompressq", compress[uint64]}, {"vcompressps", compress[uint32]}, {"vcompresspd", compress[uint64]},
		{"vpexpandd", expand[uint32]}, {"vpexpandq", expand[uint64]}, {"vexpandps", expand[uint32]}, {"vexpandpd", expand[uint64]},
	}...)
}

// parts take parts out of vectors, put them in, or repeat them.
func parts() []row {
	return []row{
		{"vextractf128", part[uint64](16)}, {"vextracti128", part[uint64](16)},
		{"vextractf32x4", part[uint32](16)}, {"vextractf64x2", part[uint64](16)}, {"vextractf32x8", part[uint32](32)}, {"vextractf64x4", part[uint64](32)},
		{"vextracti32x4", part[uint32](16)}, {"vextracti64x2", part[uint64](16)}, {"vextracti32x8", part[uint32](32)}, {"vextracti64x4", part[uint64](32)},
		{"vinsertf128", insert[uint64](16)}, {"vinserti128", insert[uint64](16)},
		{"vinsertf32x4", insert[uint32](16)}, {"vinsertf64x2", insert[uint64](16)}, {"vinsertf32x8", insert[uint32](32)}, {"vinsertf64x4", insert[uint64](32)},
		{"vinserti32x4", insert[uint32](16)}, {"vinserti64x2", insert[uint64](16)}, {"vinserti32x8", insert[uint32](32)}, {"vinserti64x4", insert[uint64](32)},
		{"vbroadcastss", repeat[uint32](4)}, {"vbroadcastsd", repeat[uint64](8)},
		{"vbroadcastf128", repeat[uint64](16)}, {"vbroadcasti128", repeat[uint64](16)},
		{"vbroadcastf32x2", repeat[uint32](8)}, {"vbroadcastf32x4", repeat[uint32](16)}, {"vbroadcastf32x8", repeat[uint32](32)},
		{"vbroadcastf64x2", repeat[uint64](16)}, {"vbroadcastf64x4", repeat[uint64](32)},
		{"vbroadcasti32x2", repeat[uint32](8)}, {"vbroadcasti32x4", repeat[uint32](16)}, {"vbroadcasti32x8", repeat[uint32](32)},
		{"vbroadcasti64x2", repeat[uint64](16)}, {"vbroadcasti64x4", repeat[uint64](32)},
		{"vpbroadcastb", repeat[uint8](1)}, {"vpbroadcastw", repeat[uint16](2)}, {"vpbroadcastd", repeat[uint32](4)}, {"vpbroadcastq", repeat[uint64](8)},
		{"vpbroadcastmw2d", maskWords(4, 16)}, {"vpbroadcastmb2q", maskWords(8, 8)},
	}
}

// maskWords repeats the low bits of a mask register.
func maskWords(elem int, bits uint) func(s *step) {
	return func(s *step) {
		s.vector(elem, elem, 0, func(m *Machine, s *step) { m.d.fill(m.K[s.src[0].reg]&(1<<bits-1), s.elem) })
	}
}

// resizes are between elements of different sizes, and masks.
func resizes() []row {
	return []row{
		{"vpmovzxbw", converted(narrow[uint8, uint16])}, {"vpmovsxbw", converted(narrow[int8, uint16])},
		{"vpmovzxbd", converted(narrow[uint8, uint32])}, {"vpmovsxbd", converted(narrow[int8, uint32])},
		{"vpmovzxbq", converted(narrow[uint8, uint64])}, {"vpmovsxbq", converted(narrow[int8, uint64])},
		{"vpmovzxwd", converted(narrow[uint16, uint32])}, {"vpmovsxwd", converted(narrow[int16, uint32])},
		{"vpmovzxwq", converted(narrow[uint16, uint64])}, {"vpmovsxwq", converted(narrow[int16, uint64])},
		{"vpmovzxdq", converted(narrow[uint32, uint64])}, {"vpmovsxdq", converted(narrow[int32, uint64])},
		{"vpmovwb", converted(narrow[uint16, uint8])}, {"vpmovswb", converted(nearest[int16, uint8])}, {"vpmovuswb", converted(nearest[uint16, uint8])},
		{"vpmovdb", converted(narrow[uint32, uint8])}, {"vpmovsdb", converted(nearest[int32, uint8])}, {"vpmovusdb", converted(nearest[uint32, uint8])},
		{"vpmovqb", converted(narrow[uint64, uint8])}, {"vpmovsqb", converted(nearest[int64, uint8])}, {"vpmovusqb", converted(nearest[uint64, uint8])},
		{"vpmovdw", converted(narrow[uint32, uint16])}, {"vpmovsdw", converted(nearest[int32, uint16])}, {"vpmovusdw", converted(nearest[uint32, uint16])},
		{"vpmovqw", converted(narrow[uint64, uint16])}, {"vpmovsqw", converted(nearest[int64, uint16])}, {"vpmovusqw", converted(nearest[uint64, uint16])},
		{"vpmovqd", converted(narrow[uint64, uint32])}, {"vpmovsqd", converted(nearest[int64, uint32])}, {"vpmovusqd", converted(nearest[uint64, uint32])},
		{"vpmovm2b", fromMask(1)}, {"vpmovm2w", fromMask(2)}, {"vpmovm2d", fromMask(4)}, {"vpmovm2q", fromMask(8)},
		{"vpmovb2m", signs(1)}, {"vpmovw2m", signs(2)}, {"vpmovd2m", signs(4)}, {"vpmovq2m", signs(8)},
	}
}
