package gcn

// expRows lists the one instruction of EXP.
func expRows() []row {
	return []row{
		// gfx6 gfx7 gfx8 mnemonic signature meaning doc
		{0x00, 0x00, 0x00, "exp", "", eff(export), "Up to four values a lane go to a target of the pipeline; with compr two pairs of 16 bits. With vm exec is the mask of the pixels that live on; done marks the last of its kind."},
	}
}
