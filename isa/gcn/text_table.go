package gcn

// texts returns n texts by value, which f appends; they share one string. A value for which f appends nothing has "".
func texts(n int, f func(dst []byte, v int) []byte) []string {
	var room [512]int32
	ends := append(room[:0], make([]int32, n)...)
	buf := make([]byte, 0, 16*n)
	for v := range ends {
		buf = f(buf, v)
		ends[v] = int32(len(buf))
	}
	all, table := string(buf), make([]string, n)
	from := int32(0)
	for v, end := range ends {
		table[v], from = all[from:end], end
	}
	return table
}
