// i1 = colour
	mov o1, i1 <- end
