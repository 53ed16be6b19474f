# Reads go list: eight values for each package; before the first stands the folder
# that the packages' folders are shown relative to. Every package ends with a line
# feed, so the first value of the next one begins with it.

function record(text) {
  if (!started) { started = 1; here = text; return }
  if (have == 0) {
    if (newline == 1) text = substr(text, 3)
    if (text == "end") { complete = 1; return }
  }
  value[++have] = text
  if (have < 8) return
  have = 0
  if (++count > limit) return
  items[count] = "{\"package\": \"" value[1] "\", \"name\": " or_null(value[2]) ", \"dir\": \"" below(value[3]) "\", \"go_files\": " value[4] + 0 \
    ", \"test_files\": " value[5] + 0 ", \"imports\": " value[6] + 0 ", \"doc\": " or_null(value[7]) (value[8] == "" ? "" : ", \"error\": \"" value[8] "\"") "}"
  if (value[8] != "") broken++
}

function below(dir) {
  if (dir == here) return "."
  return index(dir, here "/") == 1 ? substr(dir, length(here) + 2) : dir
}

function finish() {
  printf "{\"ok\": true, \"verb\": \"packages\", \"count\": %d, \"broken\": %d, ", count, broken
  list("packages", items, count > limit ? limit : count)
  printf ", \"truncated\": %s}\n", bool(count > limit)
}
