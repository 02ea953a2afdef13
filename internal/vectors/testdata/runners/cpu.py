import os


def step(code, state):
    """Knows v_xor_b32 of vector registers, in its short form. WRONG in the environment makes it an or."""
    w = int.from_bytes(code, "little")
    if len(code) != 4 or w >> 25 != 0x15 or w & 511 < 256:
        return False
    regs = state["regs"]
    d, a, b = (regs["v%d" % n] for n in (w >> 17 & 255, w & 255, w >> 9 & 255))
    for lane in range(len(d)):
        if regs["exec_lo"] >> lane & 1:
            d[lane] = a[lane] | b[lane] if os.environ.get("WRONG") else a[lane] ^ b[lane]
    state["pc"] += 4
    return True
