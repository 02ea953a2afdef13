// Work on bytes, and on halves of words.

// Base64 of 48 bytes an item.
kernel void base64(global const uchar* in, global uchar* out, constant uchar* digits) {
  uint g = get_global_id(0);
  in += g * 48; out += g * 64;
  for (int i = 0; i < 16; ++i) {
    uint x = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[4 * i] = digits[x >> 18]; out[4 * i + 1] = digits[x >> 12 & 63];
    out[4 * i + 2] = digits[x >> 6 & 63]; out[4 * i + 3] = digits[x & 63];
  }
}

// How often a word of four letters occurs in the 256 from the item's place on, with one letter wrong at most.
kernel void search(global const uchar* text, constant uchar* word, global uint* out) {
  uint g = get_global_id(0), found = 0;
  for (uint i = 0; i < 256; ++i) {
    int wrong = 0;
    for (int k = 0; k < 4; ++k) wrong += text[g + i + k] != word[k];
    found += wrong < 2;
  }
  out[g] = found;
}

// Levels of 16 bits: sums and differences with saturation, as a filter of sound has them.
kernel void sound(global const short* in, global short* out, int n) {
  int g = get_global_id(0);
  short a = in[g], b = 0;
  for (int i = 1; i < n; ++i) {
    short x = in[g + i];
    a = add_sat(a, (short)(x >> 2)); b = sub_sat(b, (short)(x ^ i)); a ^= b >> 1;
  }
  out[g] = a;
}
