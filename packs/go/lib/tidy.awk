# Reads go mod tidy -diff: nothing when go.mod and go.sum are tidy, otherwise a
# diff after whatever go has to say. It is cut at `limit` lines.

function line(text) {
  if (text ~ /^diff /) diff = 1
  if (!diff || text ~ /^go: /) { problem(text); return }
  if (++lines <= limit) body = body quote(text) "\\n"
}

function finish() {
  if (code && !diff) return fail("go could not check the module files")
  printf "{\"ok\": true, \"verb\": \"mod.check\", \"tidy\": %s, \"diff\": \"%s\", \"truncated\": %s}\n", bool(!diff), body, bool(lines > limit)
}
