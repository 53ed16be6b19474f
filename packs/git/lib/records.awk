# Cuts the bytes on standard input (hexadecimal, from od) into records, each
# ended by the byte in `separator`, and hands them as JSON text to record(),
# which every command defines for itself. When the tool's last piece of output
# was written, the shell adds the record "end"; record() meets it where a new
# item would begin, sets `complete`, and finish() prints the answer. If the tool
# failed half-way the mark is missing and nothing is printed.

BEGIN { text_init(); if (separator == "") separator = "00" }
{
  for (b = 1; b <= NF; b++) {
    h = $b
    if (h == separator) {
      record(word text_end())
      word = ""; bytes = 0; newline = 0; text_bad = 0
      continue
    }
    if (h == "0a" && !newline) newline = length(word) + 1
    byte[++bytes] = h
    if (h in text_ascii && !text_need) word = word text_ascii[h] # the common case, without a call
    else word = word text_byte(h)
  }
}
END { if (!complete) exit 1; finish() }

# named writes member `key` with a name that is the current record from byte
# `skip` on. A name that is not UTF-8 is exact only in key_b64.
function named(key, text, skip) {
  return "\"" key "\": \"" text "\"" (text_bad ? ", \"" key "_b64\": \"" base64(skip + 1) "\"" : "")
}

function base64(from,   i, n, out, digits) {
  digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  for (i = from; i <= bytes; i += 3) {
    n = text_value[byte[i]] * 65536
    if (i < bytes) n += text_value[byte[i + 1]] * 256
    if (i + 1 < bytes) n += text_value[byte[i + 2]]
    out = out substr(digits, int(n / 262144) + 1, 1) substr(digits, int(n / 4096) % 64 + 1, 1)
    out = out (i < bytes ? substr(digits, int(n / 64) % 64 + 1, 1) : "=")
    out = out (i + 1 < bytes ? substr(digits, n % 64 + 1, 1) : "=")
  }
  return out
}

# rest returns what follows the n-th space of text.
function rest(text, n) {
  while (n-- > 0) text = substr(text, index(text, " ") + 1)
  return text
}

# words turns "a b" into a JSON list.
function words(text,   n, i, part, out) {
  n = split(text, part, " ")
  for (i = 1; i <= n; i++) out = out (i > 1 ? ", " : "") "\"" part[i] "\""
  return "[" out "]"
}

function or_null(text) { return text == "" ? "null" : "\"" text "\"" }
function bool(condition) { return condition ? "true" : "false" }

# list prints items[1..n] as the JSON list `key`.
function list(key, items, n,   i) {
  printf "\"%s\": [", key
  for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? ", " : ""), items[i]
  printf "]"
}

# utc writes seconds since 1970 as RFC 3339.
function utc(t,   day, era, e, y, d, m) {
  day = int(t / 86400); t -= day * 86400
  if (t < 0) { t += 86400; day-- }
  day += 719468; era = int(day / 146097); e = day - era * 146097
  y = int((e - int(e / 1460) + int(e / 36524) - int(e / 146096)) / 365)
  d = e - (365 * y + int(y / 4) - int(y / 100)); m = int((5 * d + 2) / 153)
  d = d - int((153 * m + 2) / 5) + 1; m = m < 10 ? m + 3 : m - 9
  return sprintf("%04d-%02d-%02dT%02d:%02d:%02dZ", y + era * 400 + (m <= 2), m, d, int(t / 3600), int(t / 60) % 60, t % 60)
}
