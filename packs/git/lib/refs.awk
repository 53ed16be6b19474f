# Reads git for-each-ref, eight values for each branch or tag. Every reference
# ends with a line feed, so the first value begins with one from the second on.

function record(text,   short, skip) {
  if (have == 0) {
    skip = newline == 1 ? 1 : 0
    if (skip) text = substr(text, 3)
    if (text == "end") { complete = 1; return }
    short = text; sub(/^refs\/(heads|tags|remotes)\//, "", short)
    name = named("name", short, skip + length(text) - length(short))
    remote = text ~ /^refs\/remotes\//
  }
  value[++have] = text
  if (have < 8) return
  have = 0
  if (++count > limit) return
  if (value[8] != "") { alias[count] = 1; return } # origin/HEAD and the like name another branch
  items[count] = verb == "tags" ? tag() : branch()
}

function tag() {
  return "{" name ", \"hash\": \"" (value[3] == "" ? value[2] : value[3]) "\", \"annotated\": " bool(value[3] != "") \
    ", \"date\": " or_null(value[6]) ", \"subject\": \"" value[7] "\"}"
}

function branch(   out) {
  out = "{" name ", \"hash\": \"" value[2] "\", \"current\": " bool(value[3] == "*") ", \"remote\": " bool(remote) ", \"upstream\": " or_null(value[4])
  if (value[4] != "") out = out ", \"gone\": " bool(value[5] == "gone") ", \"ahead\": " number(value[5], "ahead ") ", \"behind\": " number(value[5], "behind ")
  return out ", \"date\": \"" value[6] "\", \"subject\": \"" value[7] "\"}"
}
function number(text, key,   at) {
  at = index(text, key)
  return at ? substr(text, at + length(key)) + 0 : 0
}

function finish(   i, n, shown, more) {
  printf "{\"ok\": true, \"verb\": \"%s\", ", verb
  if (count > limit) { more = 1; count = limit }
  for (i = 1; i <= count; i++) if (!(i in alias)) shown[++n] = items[i]
  list(verb, shown, n)
  printf ", \"more\": %s}\n", bool(more)
}
