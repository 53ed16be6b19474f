# --- json text: the same lines in every pack ---
# Words come as hexadecimal bytes with 00 after each. They become JSON text in
# ASCII; what is not UTF-8 becomes U+FFFD, as Unicode recommends.
function text_init(   i, h) {
  for (i = 0; i < 256; i++) {
    h = sprintf("%02x", i)
    text_value[h] = i
    if (i < 32 || i == 127) text_ascii[h] = sprintf("\\u%04x", i)
    else if (i < 127) text_ascii[h] = sprintf("%c", i)
  }
  text_ascii["09"] = "\\t"; text_ascii["0a"] = "\\n"; text_ascii["0d"] = "\\r"
  text_ascii["22"] = "\\\""; text_ascii["5c"] = "\\\\"
}
function text_point(c) {
  if (c < 65536) return sprintf("\\u%04x", c)
  c -= 65536
  return sprintf("\\u%04x\\u%04x", 55296 + int(c / 1024), 56320 + c % 1024)
}
function text_byte(h,   n, out) {
  n = text_value[h]
  if (text_need) {
    if (n >= text_low && n <= text_high) {
      text_code = text_code * 64 + n % 64; text_low = 128; text_high = 191
      return --text_need ? "" : text_point(text_code)
    }
    text_need = 0; text_bad = 1; out = "\\ufffd"
  }
  if (n < 128) return out text_ascii[h]
  text_low = 128; text_high = 191
  if (n >= 194 && n <= 223) { text_need = 1; text_code = n - 192 }
  else if (n >= 224 && n <= 239) {
    text_need = 2; text_code = n - 224
    if (n == 224) text_low = 160
    if (n == 237) text_high = 159
  } else if (n >= 240 && n <= 244) {
    text_need = 3; text_code = n - 240
    if (n == 240) text_low = 144
    if (n == 244) text_high = 143
  } else { text_bad = 1; return out "\\ufffd" }
  return out
}
function text_end(   out) {
  if (text_need) { text_need = 0; text_bad = 1; out = "\\ufffd" }
  return out
}
# --- end of json text ---
