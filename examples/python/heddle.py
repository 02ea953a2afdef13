"""heddle from Python, by ctypes: what heddle.h declares, as far as this example needs it. Nothing but Python's own library is used.

    python3 heddle.py libheddle.so KERNEL.hsaco

docs/capi.md says how libheddle.so is built. Names and members are those of cmd/libheddle/heddle.h.
"""

import array
import ctypes
import struct
import sys
from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

ABI = 2
ALL_LANES = -1
READ_ONLY = 1
ARG_BUFFER, ARG_VALUE = 1, 2


class Fault(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("lane", c_int32), ("lanes", c_uint64), ("pc", c_uint64), ("address", c_uint64), ("bytes", c_uint64),
                ("access", c_char_p), ("segment", c_char_p), ("instruction", c_char_p), ("reason", c_char_p)]  # and more


class Error(ctypes.Structure):
    _fields_ = [("status", c_int32), ("message", c_char_p), ("item_count", c_size_t), ("items", c_void_p), ("fault", POINTER(Fault))]


class Assembly(ctypes.Structure):
    _fields_ = [("code", c_void_p), ("size", c_size_t), ("base", c_uint64), ("label_count", c_size_t), ("labels", c_void_p)]


class Arg(ctypes.Structure):
    _fields_ = [("kind", c_uint32), ("flags", c_uint32), ("data", c_void_p), ("size", c_size_t)]


class LaunchOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("kernel", c_char_p), ("engine", c_char_p), ("grid", c_uint32 * 3), ("block", c_uint32 * 3),
                ("offset", c_uint64 * 3), ("steps", c_uint64), ("total", c_uint64), ("memory", c_uint64), ("timeout", c_uint32),
                ("workers", c_uint32), ("exact", c_uint32), ("relaxed", c_uint32), ("print", c_void_p), ("user", c_void_p)]


class HeddleError(Exception):
    """What a call said. fault is (pc, lane, address, reason) if a guest did something wrong."""

    def __init__(self, status, message, fault):
        super().__init__(message)
        self.status, self.fault = status, fault


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        if self.lib.heddle_abi() != ABI:
            raise ImportError(f"{path} has ABI {self.lib.heddle_abi()}, and this file was written for {ABI}")
        self.lib.heddle_free.argtypes = [c_void_p]
        self.lib.heddle_close.argtypes = [c_uint64]
        self.lib.heddle_version.restype = c_char_p

    def call(self, name, *args):
        """Calls a function whose last parameter is the place for an error, and raises it."""
        error = POINTER(Error)()
        status = getattr(self.lib, name)(*args, byref(error))
        if status == 0:
            return
        try:
            fault = error.contents.fault
            if fault:
                fault = (fault.contents.pc, fault.contents.lane, fault.contents.address, fault.contents.reason.decode())
            raise HeddleError(status, error.contents.message.decode(), fault or None)
        finally:
            self.lib.heddle_free(error)

    def find(self, name):
        isa = c_uint64()
        self.call("heddle_isa_find", name.encode(), byref(isa))
        return ISA(self, isa)

    def module(self, path):
        handle = c_uint64()
        self.call("heddle_module_open", path.encode(), byref(handle))
        return Module(self, handle)


class Handle:
    """What heddle_close ends, at the end of a with statement."""

    def __init__(self, library, handle):
        self.heddle, self.handle = library, handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.heddle.lib.heddle_close(self.handle)


class ISA(Handle):
    def assemble(self, text):
        src, made = text.encode(), POINTER(Assembly)()
        self.heddle.call("heddle_assemble", self.handle, src, c_size_t(len(src)), c_uint64(0), byref(made))
        try:
            return ctypes.string_at(made.contents.code, made.contents.size)
        finally:
            self.heddle.lib.heddle_free(made)

    def disassemble(self, code):
        text, size, used = ctypes.create_string_buffer(256), c_size_t(), c_size_t()
        while code:
            self.heddle.call("heddle_print", self.handle, code, c_size_t(len(code)), c_uint64(0), text, c_size_t(len(text)), byref(size), byref(used))
            yield text.value.decode()
            code = code[used.value:]

    def wave(self, program):
        src, wave = program.encode(), c_uint64()
        self.heddle.call("heddle_wave_new", self.handle, src, c_size_t(len(src)), None, byref(wave))
        return Wave(self.heddle, wave)


class Wave(Handle):
    def set(self, name, value, lane=ALL_LANES):
        self.heddle.call("heddle_wave_set", self.handle, name.encode(), c_int32(lane), c_uint64(value))

    def get(self, name, lane=0):
        value = c_uint64()
        self.heddle.call("heddle_wave_get", self.handle, name.encode(), c_int32(lane), byref(value))
        return value.value

    def run(self):
        self.heddle.call("heddle_wave_run", self.handle)


class Module(Handle):
    def launch(self, grid, block, *args):
        """Launches the only kernel. An array is a buffer that the kernel works on where it is, bytes are a value."""
        passed, keep = (Arg * len(args))(), []
        for to, arg in zip(passed, args):
            if isinstance(arg, array.array):
                to.kind, to.data, to.size = ARG_BUFFER, arg.buffer_info()[0], len(arg) * arg.itemsize
            else:
                keep.append(ctypes.create_string_buffer(arg, len(arg)))
                to.kind, to.data, to.size = ARG_VALUE, ctypes.addressof(keep[-1]), len(arg)
        options = LaunchOptions(struct_size=ctypes.sizeof(LaunchOptions), grid=(grid, 1, 1), block=(block, 1, 1))
        self.heddle.call("heddle_launch", self.handle, byref(options), passed, c_size_t(len(args)), None)


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def number(u):
    return struct.unpack("<f", struct.pack("<I", u))[0]


def main(library, kernel):
    heddle = Library(library)
    with heddle.find("gfx803") as gcn:
        code = gcn.assemble("v_fma_f32 v0, v1, v2, 1.0\ns_endpgm")
        print(code.hex(), *gcn.disassemble(code), sep="\n")
        try:
            gcn.assemble("v_fma_f32 v0, v1")
        except HeddleError as e:
            print(e)
        with gcn.wave("v_fma_f32 v0, v1, v2, 1.0") as wave:
            wave.set("v1", bits(1.5))
            for lane, x in enumerate([2.25, -3.0, float("inf")]):
                wave.set("v2", bits(x), lane)
            wave.run()
            print([number(wave.get("v0", lane)) for lane in range(3)])
    x, y = array.array("f", range(8)), array.array("f", [0.5] * 8)
    with heddle.module(kernel) as saxpy:
        saxpy.launch(64, 64, x, y, struct.pack("<f", 10), struct.pack("<i", len(x)))
        print(y.tolist())
        try:
            saxpy.launch(64, 64, x, y, struct.pack("<f", 10), struct.pack("<i", 64))
        except HeddleError as e:
            print("pc %#x, lane %d, %#x: %s" % e.fault)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
