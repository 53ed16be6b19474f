# Reads the words as hexadecimal bytes with 00 after each, from standard input.
BEGIN { text_init() }
{
  for (b = 1; b <= NF; b++) {
    if ($b != "00") { word = word text_byte($b); continue }
    words[++count] = word text_end(); word = ""
  }
}
END {
  start(words[1], words[2], words[3])
}
