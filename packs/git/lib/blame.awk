# Reads git blame --porcelain line by line and prints runs of neighbouring lines
# that come from the same commit.

function record(text,   part, key) {
  if (!inside) {
    if (text == "end") { complete = 1; return }
    split(text, part, " ")
    hash = part[1]; line = part[3]; inside = 1
    return
  }
  if (substr(text, 1, 2) == "\\t") { attribute(); inside = 0; return }
  key = substr(text, 1, index(text " ", " ") - 1)
  if (key == "author") author[hash] = rest(text, 1)
  else if (key == "author-mail") { email[hash] = rest(text, 1); gsub(/[<>]/, "", email[hash]) }
  else if (key == "author-time") date[hash] = utc(rest(text, 1) + 0)
  else if (key == "summary") subject[hash] = rest(text, 1)
}

function attribute() {
  total++
  if (runs && run_hash[runs] == hash && run_end[runs] == line - 1) { run_end[runs] = line; return }
  run_hash[++runs] = hash; run_start[runs] = line; run_end[runs] = line
}

# origin describes the commit of a run. For lines that are not committed git makes
# up an author, a date and a subject, so there they are absent.
function origin(h) {
  if (h ~ /^0+$/) return "\"hash\": null"
  return "\"hash\": \"" h "\", \"author\": \"" author[h] "\", \"email\": \"" email[h] "\", \"date\": \"" date[h] "\", \"subject\": \"" subject[h] "\""
}

function finish(   i, h, items, shown) {
  shown = runs > limit ? limit : runs
  for (i = 1; i <= shown; i++) {
    h = run_hash[i]
    items[i] = "{\"start\": " run_start[i] ", \"end\": " run_end[i] ", " origin(h) "}"
  }
  printf "{\"ok\": true, \"verb\": \"blame\", \"lines\": %d, ", total
  list("runs", items, shown)
  printf ", \"truncated\": %s}\n", bool(runs > limit)
}
