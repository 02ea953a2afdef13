use serde_json::{json, Value};

// Knows v_xor_b32 of vector registers, in its short form. WRONG in the environment makes it an or.
pub fn step(code: &[u8], state: &mut Value) -> bool {
    let Ok(word) = <[u8; 4]>::try_from(code) else { return false };
    let w = u32::from_le_bytes(word);
    if w >> 25 != 0x15 || w & 511 < 256 {
        return false;
    }
    let reg = |n: u32| format!("v{}", n & 255);
    let regs = &mut state["regs"];
    let exec = regs["exec_lo"].as_u64().unwrap();
    let (a, b) = (regs[&reg(w)].clone(), regs[&reg(w >> 9)].clone());
    let wrong = std::env::var("WRONG").is_ok();
    for (lane, d) in regs[&reg(w >> 17)].as_array_mut().unwrap().iter_mut().enumerate() {
        if exec >> lane & 1 == 1 {
            let (x, y) = (a[lane].as_u64().unwrap(), b[lane].as_u64().unwrap());
            *d = json!(if wrong { x | y } else { x ^ y });
        }
    }
    state["pc"] = json!(state["pc"].as_u64().unwrap() + 4);
    true
}
