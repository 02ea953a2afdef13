//go:build linux && amd64

package host_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
)

// nativeCode opens the path after it, calls ioctl 'd' 1 with a word of 40, which the device answers with 7, and exits
// with the word; with 99 if the answer is not 7; with the error's number if the path does not open.
//
//	mov eax, 2; lea rdi, [path]; mov esi, 2; xor edx, edx; syscall; test eax, eax; js fail
//	mov edi, eax; mov esi, 0x6401; lea rdx, [word]; mov eax, 16; syscall
//	cmp eax, 7; mov edi, 99; jne out; mov edi, [word]
//	out: mov eax, 60; syscall
//	fail: neg eax; mov edi, eax; jmp out
//	word: .quad 40
//	path:
var nativeCode = []byte{
	0xb8, 2, 0, 0, 0, 0x48, 0x8d, 0x3d, 0x47, 0, 0, 0, 0xbe, 2, 0, 0, 0, 0x31, 0xd2, 0x0f, 0x05, 0x85, 0xc0, 0x78, 0x2c,
	0x89, 0xc7, 0xbe, 1, 0x64, 0, 0, 0x48, 0x8d, 0x15, 0x24, 0, 0, 0, 0xb8, 16, 0, 0, 0, 0x0f, 0x05, 0x83, 0xf8, 7, 0xbf, 99, 0, 0, 0, 0x75, 6, 0x8b, 0x3d, 0x0d, 0, 0, 0,
	0xb8, 60, 0, 0, 0, 0x0f, 0x05,
	0xf7, 0xd8, 0x89, 0xc7, 0xeb, 0xf3,
	40, 0, 0, 0, 0, 0, 0, 0,
}

// oldCode opens the path after it by the system call of 32-bit programs, which 64-bit programs can make, too, and exits
// with the error's number.
//
//	mov eax, 5; mov ebx, path; mov ecx, 2; int 0x80; mov ebx, eax; neg ebx; mov eax, 1; int 0x80
//	path:
var oldCode = []byte{0xb8, 5, 0, 0, 0, 0xbb, 0, 0, 0, 0, 0xb9, 2, 0, 0, 0, 0xcd, 0x80, 0x89, 0xc3, 0xf7, 0xdb, 0xb8, 1, 0, 0, 0, 0xcd, 0x80}

// userCode exits with the lowest byte of the effective user id.
//
//	mov eax, 107; syscall; mov edi, eax; mov eax, 60; syscall
var userCode = []byte{0xb8, 107, 0, 0, 0, 0x0f, 0x05, 0x89, 0xc7, 0xb8, 60, 0, 0, 0, 0x0f, 0x05}

const (
	elfBase = 0x40_0000
	i386    = 3  // EM_386
	amd64   = 62 // EM_X86_64
)

// static writes a program without a dynamic linker: code, and the path of the device after it. absolute is where the
// code has the path's address; 0: nowhere.
func static(t *testing.T, machine uint16, code []byte, absolute int) string {
	t.Helper()
	code = append(append(bytes.Clone(code), node...), 0)
	head := uint32(64 + 56)
	if machine == i386 {
		head = 52 + 32
	}
	if absolute > 0 {
		binary.LittleEndian.PutUint32(code[absolute:], elfBase+head+uint32(len(code)-len(node)-1))
	}
	size := uint64(head) + uint64(len(code))
	const exec, all = 2, 7 // ET_EXEC; readable, writable, executable
	b := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...)
	var fields []any
	if machine == i386 {
		b[4] = 1
		fields = []any{uint16(exec), machine, uint32(1), uint32(elfBase + head), uint32(52), uint32(0), uint32(0), uint16(52), uint16(32), uint16(1), [3]uint16{},
			uint32(1), uint32(0), uint32(elfBase), uint32(elfBase), uint32(size), uint32(size), uint32(all), uint32(4096)}
	} else {
		fields = []any{uint16(exec), machine, uint32(1), uint64(elfBase + head), uint64(64), uint64(0), uint32(0), uint16(64), uint16(56), uint16(1), [3]uint16{},
			uint32(1), uint32(all), uint64(0), uint64(elfBase), uint64(elfBase), size, size, uint64(4096)}
	}
	var err error
	for _, f := range fields {
		if b, err = binary.Append(b, binary.LittleEndian, f); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "static")
	if err := os.WriteFile(file, append(b, code...), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestABIs: a program that no dynamic linker has loaded finds the device, also if it has another owner and the
// set-user-ID bit, which has no effect; calls of the 32-bit ABI do not find it.
func TestABIs(t *testing.T) {
	const found, enoent, other = 41, 2, 65534
	owned := func(t *testing.T, file string) {
		if err := errors.Join(os.Chown(file, other, other), os.Chmod(file, 0o4755|os.ModeSetuid)); err != nil {
			t.Skip("NOT RUN: ", err)
		}
	}
	for _, c := range []struct {
		name     string
		machine  uint16
		code     []byte
		absolute int
		prepare  func(t *testing.T, file string)
		alone    int // the exit code without heddle; 0: not tried
		want     int
	}{
		{"static", amd64, nativeCode, 0, nil, 0, found},
		{"setuid", amd64, nativeCode, 0, owned, 0, found},
		{"user", amd64, userCode, 0, owned, other & 0xff, os.Geteuid() & 0xff},
		{"int80", amd64, oldCode, 6, nil, enoent, enoent},
		{"i386", i386, oldCode, 6, nil, enoent, enoent},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := static(t, c.machine, c.code, c.absolute)
			if c.prepare != nil {
				c.prepare(t, file)
			}
			if c.alone != 0 {
				var e *exec.ExitError
				if err := exec.Command(file).Run(); !errors.As(err, &e) || e.ExitCode() != c.alone {
					t.Skipf("NOT RUN: without heddle the program does not end with %d: %v", c.alone, err)
				}
			}
			_, e, err := runProgram(t, file)
			status := &host.Exit{}
			if err != nil && !errors.As(err, &status) || status.Code != c.want {
				t.Fatalf("%v, want exit code %d", err, c.want)
			}
			if opened := c.want == found; (e.opened == 1) != opened {
				t.Errorf("opened %d times", e.opened)
			}
		})
	}
}
