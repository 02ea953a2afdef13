"""Traces a wave from Python: hooks as functions, code at an address, memory mapped on demand.

    python3 trace.py libheddle.so

docs/waves.md shows the same in Go and C.
"""

import ctypes
import struct
import sys
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

import heddle

READ, WRITE, EXECUTE = 1, 2, 4
FAULT_MEMORY = 1
EVERYWHERE = c_uint64(0), c_uint64(2**64 - 1)


class Access(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("lane", c_int32), ("pc", c_uint64), ("address", c_uint64), ("space_address", c_uint64), ("space", c_char_p),
                ("size", c_uint64), ("value", c_uint64), ("data", c_void_p)]


class Halt(ctypes.Structure):
    _fields_ = [("reason", c_int32), ("reserved", c_uint32), ("pc", c_uint64), ("instructions", c_uint64)]


class WaveOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("engine", c_char_p), ("steps", c_uint64), ("timeout", c_uint32), ("lanes", c_uint32)]  # and more


INSTRUCTION = CFUNCTYPE(None, c_uint64, c_uint64, c_void_p)
ACCESS = CFUNCTYPE(None, c_uint64, POINTER(Access), c_void_p)
FAULT = CFUNCTYPE(c_int32, c_uint64, POINTER(heddle.Fault), c_void_p)

PROGRAM = b"""s_mov_b32 s0, 2
loop: v_add_f32 v2, 1.0, v2
s_sub_u32 s0, s0, 1
s_cmp_lg_u32 s0, 0
s_cbranch_scc1 loop
flat_store_dword v[0:1], v2
s_endpgm"""


def main(path):
    library = heddle.Library(path)
    with library.find("gfx803") as gcn:
        handle, options = c_uint64(), WaveOptions(struct_size=ctypes.sizeof(WaveOptions), lanes=1)
        library.call("heddle_wave_new", gcn.handle, None, c_size_t(0), byref(options), byref(handle))
        with heddle.Wave(library, handle) as wave:
            trace(library, wave)


def trace(library, wave):
    @INSTRUCTION
    def instruction(_, pc, user):
        text = ctypes.create_string_buffer(256)
        library.call("heddle_wave_print", wave.handle, c_uint64(pc), text, c_size_t(len(text)), None, None)
        v2 = struct.unpack("<f", struct.pack("<I", wave.get("v2")))[0]
        print(f"{pc:#x}  {text.value.decode():28} s0={wave.get('s0')} v2={v2:g}")

    @ACCESS
    def store(_, access, user):
        a = access.contents
        print(f"        store of {a.value:#x} at {a.address:#x} by lane {a.lane}")

    @FAULT
    def fault(_, what, user):
        f = what.contents
        if f.kind != FAULT_MEMORY:
            return 0
        page = f.address & ~0xFFF
        print(f"        a page at {page:#x}")
        library.call("heddle_wave_map", wave.handle, c_uint64(page), c_size_t(0x1000), c_uint32(READ | WRITE))
        return 1

    hook, halt = c_uint64(), Halt()
    library.call("heddle_wave_load_text", wave.handle, c_uint64(0x1000), PROGRAM, c_size_t(len(PROGRAM)))
    wave.set("v[0:1]", 0x20010)
    wave.set("pc", 0x1000)
    library.call("heddle_wave_on_instruction", wave.handle, *EVERYWHERE, instruction, None, byref(hook))
    library.call("heddle_wave_on_store", wave.handle, *EVERYWHERE, store, None, byref(hook))
    library.call("heddle_wave_on_fault", wave.handle, fault, None, byref(hook))
    library.call("heddle_wave_step", wave.handle, c_uint64(100), byref(halt))
    print(f"halt {halt.reason}, {halt.instructions} instructions")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
