package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unicorn are the functions of Unicorn 2.1.4, its queries and controls and its kinds of hooks, from its header
// unicorn.h.
const unicorn = `uc_version uc_arch_supported uc_open uc_close uc_query uc_ctl uc_errno uc_strerror
uc_reg_write uc_reg_read uc_reg_write2 uc_reg_read2 uc_reg_write_batch uc_reg_read_batch uc_reg_write_batch2 uc_reg_read_batch2
uc_mem_write uc_mem_read uc_vmem_read uc_vmem_write uc_vmem_translate uc_emu_start uc_emu_stop uc_hook_add uc_hook_del
uc_mem_map uc_mem_map_ptr uc_mmio_map uc_mem_unmap uc_mem_protect uc_mem_regions
uc_context_alloc uc_free uc_context_save uc_context_restore uc_context_size uc_context_free
uc_context_reg_write uc_context_reg_read uc_context_reg_write2 uc_context_reg_read2
uc_context_reg_write_batch uc_context_reg_read_batch uc_context_reg_write_batch2 uc_context_reg_read_batch2
UC_QUERY_MODE UC_QUERY_PAGE_SIZE UC_QUERY_ARCH UC_QUERY_TIMEOUT
UC_CTL_UC_MODE UC_CTL_UC_PAGE_SIZE UC_CTL_UC_ARCH UC_CTL_UC_TIMEOUT UC_CTL_UC_USE_EXITS UC_CTL_UC_EXITS_CNT UC_CTL_UC_EXITS UC_CTL_CPU_MODEL
UC_CTL_TB_REQUEST_CACHE UC_CTL_TB_REMOVE_CACHE UC_CTL_TB_FLUSH UC_CTL_TLB_FLUSH UC_CTL_TLB_TYPE UC_CTL_TCG_BUFFER_SIZE UC_CTL_CONTEXT_MODE
UC_HOOK_INTR UC_HOOK_INSN UC_HOOK_CODE UC_HOOK_BLOCK UC_HOOK_MEM_READ_UNMAPPED UC_HOOK_MEM_WRITE_UNMAPPED UC_HOOK_MEM_FETCH_UNMAPPED
UC_HOOK_MEM_READ_PROT UC_HOOK_MEM_WRITE_PROT UC_HOOK_MEM_FETCH_PROT UC_HOOK_MEM_READ UC_HOOK_MEM_WRITE UC_HOOK_MEM_FETCH
UC_HOOK_MEM_READ_AFTER UC_HOOK_INSN_INVALID UC_HOOK_EDGE_GENERATED UC_HOOK_TCG_OPCODE UC_HOOK_TLB_FILL`

var quoted = regexp.MustCompile("`([^`]+)`")

// codes returns the code texts of a table cell.
func codes(cell string) (list []string) {
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		list = append(list, m[1])
	}
	return list
}

// goNames returns the exported functions, methods and constants of some packages, as programs write them: Wave.Step,
// Find, exec.FaultCode.
func goNames(t *testing.T, dirs map[string]string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for dir, prefix := range dirs {
		files, err := filepath.Glob(filepath.Join(repository(t), dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, files, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			p, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(p, func(n ast.Node) bool {
				switch x := n.(type) {
				case *ast.FuncDecl:
					name := x.Name.Name
					if x.Recv != nil {
						of := x.Recv.List[0].Type
						if star, ok := of.(*ast.StarExpr); ok {
							of = star.X
						}
						if id, ok := of.(*ast.Ident); ok {
							name = id.Name + "." + name
						}
					}
					names[prefix+name] = true
					return false
				case *ast.ValueSpec:
					for _, id := range x.Names {
						names[prefix+id.Name] = true
					}
				}
				return true
			})
		}
	}
	return names
}

// TestUnicorn: the table of docs/waves.md has each function, query, control and hook of Unicorn once, and the names of
// its counterparts exist.
func TestUnicorn(t *testing.T) {
	_, table, ok := strings.Cut(read(t, "docs", "waves.md"), "| Unicorn | Go | C | |\n|---|---|---|---|\n")
	if !ok {
		t.Fatal("docs/waves.md has no table of Unicorn's functions")
	}
	header := read(t, "cmd", "libheddle", "heddle.h")
	ours := goNames(t, map[string]string{".": "", "exec": "exec.", "mem": "mem."})
	seen := map[string]int{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 {
			t.Errorf("%d cells in %s", len(cells), line)
			continue
		}
		for _, name := range codes(cells[0]) {
			seen[strings.TrimSuffix(name, ":")]++
		}
		for _, name := range codes(cells[1]) {
			if !ours[name] {
				t.Errorf("there is no %s in Go: %s", name, line)
			}
		}
		for _, name := range codes(cells[2]) {
			if !strings.Contains(header, " "+name+"(") && !strings.Contains(header, "*"+name+"(") {
				t.Errorf("there is no %s in C: %s", name, line)
			}
		}
		for _, name := range codes(cells[3]) {
			if strings.Contains(name, ".") && !ours[name] && !strings.HasPrefix(name, "heddle_") || strings.HasPrefix(name, "HEDDLE_") && !strings.Contains(header, name) {
				t.Errorf("there is no %s: %s", name, line)
			}
		}
		if strings.TrimSpace(cells[1]) == "" && strings.TrimSpace(cells[2]) == "" && strings.TrimSpace(cells[3]) == "" && !strings.HasSuffix(strings.TrimSpace(cells[0]), ":") {
			t.Errorf("nothing is said: %s", line)
		}
	}
	for _, name := range strings.Fields(unicorn) {
		if seen[name] != 1 {
			t.Errorf("%s is in the table %d times", name, seen[name])
		}
		delete(seen, name)
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		t.Errorf("%s is no function or hook of Unicorn", name)
	}
}
