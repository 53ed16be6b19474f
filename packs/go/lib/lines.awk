# Reads what a tool prints, line by line, and after it the line "exit N", which a
# line feed keeps apart from an unfinished line before it. Every line goes to
# line(), which each command defines for itself, and finish() prints the answer
# with `code` set to N. What is no part of an answer is kept with problem(); when
# there is no answer at all, fail() ends with it.

BEGIN { here = ENVIRON["HERE"] }
{
  if (held) pass(last)
  last = $0; held = 1
}
END {
  while (--blanks > 0) line("") # one of them is the separating line feed
  code = substr(last, 6) + 0
  finish()
  if (failed) exit 1
}

# pass holds empty lines back until something follows them.
function pass(text) {
  if (text == "") { blanks++; return }
  for (; blanks > 0; blanks--) line("")
  line(text)
}

function problem(text) {
  if (text == "" || text ~ /^#/ || text ~ /^go: (downloading|finding|extracting) /) return
  if (++problems <= 50) problem_list[problems] = "\"" quote(text) "\""
  sub(/^go: /, "", text)
  if (problems <= 3) reason = reason (problems > 1 ? "; " : "") text
}

function fail(fallback) {
  print program ": " (reason == "" ? fallback : substr(reason, 1, 500)) > "/dev/stderr"
  failed = 1
}

# quote makes text the inside of a JSON string.
function quote(text,   i, c, out) {
  if (text !~ /[\001-\037\177"\\]/) return text
  if (!("\t" in escape)) {
    for (i = 1; i < 32; i++) escape[sprintf("%c", i)] = sprintf("\\u%04x", i)
    escape[sprintf("%c", 127)] = "\\u007f"
    escape["\t"] = "\\t"; escape["\""] = "\\\""; escape["\\"] = "\\\\"
  }
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    out = out (c in escape ? escape[c] : c)
  }
  return out
}

function bool(condition) { return condition ? "true" : "false" }
function capped(n) { return n > limit ? limit : n }

# list prints items[1..n] as the JSON list `key`.
function list(key, items, n,   i) {
  printf "\"%s\": [", key
  for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? ", " : ""), items[i]
  printf "]"
}

# string returns the JSON string that follows the first colon of a member.
function string(text) {
  sub(/^[^:]*: *"/, "", text); sub(/",?$/, "", text)
  return text
}

# place splits "file:line:column" and takes the project's folder off the file.
function place(text,   part, n, file) {
  n = split(text, part, ":")
  file = substr(text, 1, length(text) - length(part[n]) - length(part[n - 1]) - 2)
  if (here != "" && index(file, here "/") == 1) file = substr(file, length(here) + 2)
  return "\"file\": \"" file "\", \"line\": " part[n - 1] + 0 ", \"column\": " part[n] + 0
}
