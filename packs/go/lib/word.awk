# Writes each NUL-terminated word on standard input as JSON text.
BEGIN { text_init() }
{
  for (b = 1; b <= NF; b++) {
    if ($b == "00") { printf "%s", line text_end(); line = "" }
    else line = line text_byte($b)
  }
}
