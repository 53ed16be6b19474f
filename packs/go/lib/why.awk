# Reads go mod why: a heading, then the chain of packages that leads to the one
# asked for, or one line in parentheses that says there is none.

function line(text) {
  if (text ~ /^# /) { heading = 1; return }
  if (!heading) { problem(text); return }
  if (text ~ /^\(/) { none = 1; return }
  if (text ~ /^go: /) { problem(text); return }
  if (text != "") items[++count] = "\"" quote(text) "\""
}

function finish() {
  if (code || !heading) return fail("go could not explain that")
  printf "{\"ok\": true, \"verb\": \"mod.why\", \"needed\": %s, ", bool(count > 0 && !none)
  list("chain", items, count)
  printf "}\n"
}
