package profiles

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// csvHead are the columns before the counts.
var csvHead = []string{"isa", "kernel", "address", "symbol", "function", "inlined_into", "file", "line", "column", "instruction", "units"}

// WriteCSV writes a row for each instruction, as RFC 4180 says.
func WriteCSV(w io.Writer, list []Profile) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	metrics, head := metricsOf(pointers(list)...), slices.Clone(csvHead)
	for _, m := range metrics {
		head = append(head, m.Name)
	}
	rows := [][]string{head}
	for i := range list {
		for k := range list[i].List {
			rows = append(rows, list[i].row(&list[i].List[k], metrics))
		}
	}
	return out.WriteAll(rows)
}

// row returns the row of an instruction.
func (p *Profile) row(in *Inst, metrics []*Metric) []string {
	levels := p.levels(in)
	var into []string
	for i := len(levels) - 2; i >= len(levels)-len(in.Frames); i-- {
		into = append(into, levels[i].name)
	}
	row := []string{p.ISA, p.kernels(), fmt.Sprintf("%#x", in.Addr), in.Symbol, levels[len(levels)-1].name, strings.Join(into, " "),
		in.At.File, positive(in.At.Line), positive(in.At.Col), in.Text, strings.Join(in.Units, " ")}
	for i := range row { // names may be any text
		row[i] = strings.Map(printed, row[i])
		if row[i] != "" && strings.Contains("=+-@", row[i][:1]) { // a formula to spreadsheets
			row[i] = "'" + row[i]
		}
	}
	for _, m := range metrics {
		row = append(row, strconv.FormatUint(m.Of(in), 10))
	}
	return row
}

// printed replaces characters that may control a terminal.
func printed(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}

// positive formats a number from 1; "": it is not known.
func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}
