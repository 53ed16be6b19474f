# Writes a patch (hexadecimal bytes, at most `most` + 1 of them) as one JSON
# member; a patch that is longer ends after its last whole line.

BEGIN { text_init() }
{
  for (b = 1; b <= NF; b++) {
    if (++seen > most) { cut = 1; exit }
    line = line text_byte($b)
    if ($b == "0a") { lines[++count] = line; line = "" }
  }
}
END {
  if (!cut && line != "") lines[++count] = line text_end()
  printf ", \"patch\": \""
  for (i = 1; i <= count; i++) printf "%s", lines[i]
  printf "\", \"patch_truncated\": %s", (cut ? "true" : "false")
}
