# Reads go mod graph: "module@version module@version" on every line. `about`
# keeps the edges that touch one module.

function line(text,   part, n) {
  n = split(text, part, " ")
  if (n != 2 || text ~ /^go: /) { problem(text); return }
  if (about != "" && path(part[1]) != about && path(part[2]) != about) return
  if (++edges <= limit) items[edges] = "{\"from\": \"" quote(part[1]) "\", \"to\": \"" quote(part[2]) "\"}"
}
function path(module) { return index(module, "@") ? substr(module, 1, index(module, "@") - 1) : module }

function finish() {
  if (code) return fail("go could not read the module graph")
  printf "{\"ok\": true, \"verb\": \"mod.graph\", \"count\": %d, ", edges
  list("edges", items, capped(edges))
  printf ", \"truncated\": %s}\n", bool(edges > limit)
}
