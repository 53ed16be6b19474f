# Sums up go test -json: one flat object on every line, whose strings are JSON
# already. Of every test the last lines are remembered and shown if it fails.

function parse(text,   key) {
  split("", f)
  text = substr(text, 2)
  while (match(text, /^,?"[A-Za-z]+":/)) {
    key = substr(text, RSTART, RLENGTH); gsub(/[",:]/, "", key)
    text = substr(text, RLENGTH + 1)
    if (substr(text, 1, 1) == "\"") {
      if (!match(text, /^"([^"\\]|\\.)*"/)) return
      f[key] = substr(text, 2, RLENGTH - 2)
    } else {
      match(text, /^[^,}]*/)
      f[key] = substr(text, 1, RLENGTH)
    }
    text = substr(text, RLENGTH + 1)
  }
}

function line(text) {
  if (substr(text, 1, 2) != "{\"") { problem(text); return }
  parse(text)
  if (f["Action"] == "output") remember(f["Package"] SUBSEP f["Test"], f["Output"])
  else if (f["Action"] == "build-output") build(f["Output"])
  else if (f["Action"] ~ /^(pass|fail|skip)$/) {
    if (f["Test"] == "") package_done()
    else test_done()
  }
}

function build(text) {
  sub(/\\n$/, "", text)
  if (text ~ /^#/ || text == "") return
  if (++problems <= 50) problem_list[problems] = "\"" text "\""
  if (problems <= 3) reason = reason (problems > 1 ? "; " : "") text
}

# remember keeps the last `tail` lines of a test; go's own headings are noise.
function remember(id, text) {
  if (text ~ /^=== /) return
  size[id]++
  output[id, size[id]] = text
  delete output[id, size[id] - tail]
}

# recall returns them, 4000 bytes at most, and forgets them.
function recall(id,   i, text, first) {
  first = size[id] - tail + 1
  if (first < 1) first = 1
  cut = first > 1
  for (i = size[id]; i >= first; i--) {
    if (length(text) + length(output[id, i]) > 4000) { cut = 1; break }
    text = output[id, i] text
  }
  forget(id)
  return text
}
function forget(id,   i) {
  for (i = size[id] - tail + 1; i <= size[id]; i++) delete output[id, i]
  delete size[id]
}

# A test whose subtest failed is listed only if it has something of its own to say.
function test_done(   id, name, talks, i) {
  id = f["Package"] SUBSEP f["Test"]
  tests[f["Action"]]++; in_package[f["Package"]]++
  if (f["Action"] != "fail") { forget(id); return }
  for (name = f["Test"]; sub(/\/[^\/]*$/, "", name);) child_failed[f["Package"], name] = 1
  for (i = size[id]; i > 0 && i > size[id] - tail; i--) if (output[id, i] !~ /^ *--- /) talks = 1
  if (((f["Package"], f["Test"]) in child_failed) && !talks) { forget(id); return }
  if (++failures > limit) { forget(id); return }
  failure_list[failures] = "{\"package\": \"" f["Package"] "\", \"test\": \"" f["Test"] "\", \"elapsed_s\": " f["Elapsed"] + 0 ", \"output\": \"" recall(id) "\", \"cut\": " bool(cut) "}"
  shown[f["Package"]] = 1
}

function package_done(   id, item) {
  id = f["Package"] SUBSEP ""
  packages++; results[f["Action"]]++; elapsed += f["Elapsed"]
  item = "{\"package\": \"" f["Package"] "\", \"result\": \"" f["Action"] "\", \"tests\": " in_package[f["Package"]] + 0 ", \"elapsed_s\": " f["Elapsed"] + 0
  if (f["Action"] == "fail" && !(f["Package"] in shown)) item = item ", \"output\": \"" recall(id) "\""
  else forget(id)
  if (packages <= limit || f["Action"] == "fail") items[++listed] = item "}"
}

function finish() {
  if (!packages && code) return fail("go test ended without a result")
  printf "{\"ok\": true, \"verb\": \"test\", \"passed\": %s, ", bool(code == 0)
  printf "\"packages\": {\"passed\": %d, \"failed\": %d, \"without_tests\": %d}, ", results["pass"], results["fail"], results["skip"]
  printf "\"tests\": {\"passed\": %d, \"failed\": %d, \"skipped\": %d}, \"elapsed_s\": %.3f, ", tests["pass"], tests["fail"], tests["skip"], elapsed
  list("failed_tests", failure_list, capped(failures)); printf ", "
  list("results", items, listed); printf ", "
  list("errors", problem_list, problems > 50 ? 50 : problems)
  printf ", \"truncated\": %s}\n", bool(failures > limit || packages > listed || problems > 50)
}
