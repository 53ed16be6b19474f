# Reads go list -m: nine values for each module, with a line feed before every
# one but the first. With `updates` only what deserves attention is shown.

function record(text) {
  if (have == 0) {
    if (newline == 1) text = substr(text, 3)
    if (text == "end") { complete = 1; return }
  }
  value[++have] = text
  if (have < 9) return
  have = 0
  total++
  if (value[3] == "true") return main_module()
  if (updates == "true" && value[6] == "" && value[7] == "" && value[8] == "") return
  if (++count > limit) return
  items[count] = "{\"module\": \"" value[1] "\", \"version\": " or_null(value[2]) ", \"indirect\": " (value[4] == "true" ? "true" : "false") \
    member("replaced_by", value[5]) member("update", value[6]) member("deprecated", value[7]) member("retracted", value[8]) member("error", value[9]) "}"
}
function member(key, text) {
  gsub(/^ +| +$/, "", text)
  return text == "" ? "" : ", \"" key "\": \"" text "\""
}
function main_module() {
  main = main (main == "" ? "" : ", ") "\"" value[1] "\""
}

function finish() {
  printf "{\"ok\": true, \"verb\": \"mod.list\", \"main\": [%s], \"total\": %d, ", main, total
  list("modules", items, count > limit ? limit : count)
  printf ", \"truncated\": %s}\n", bool(count > limit)
}
