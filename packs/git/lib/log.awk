# Reads commits or stashes, `fields` values each; `limit` of them are printed,
# and one more was asked for to know whether there are more.

function record(text) {
  if (have == 0 && text == "end") { complete = 1; return }
  value[++have] = text
  if (have < fields) return
  have = 0
  if (++count > limit) return
  if (verb == "stashes")
    items[count] = "{\"stash\": \"" value[1] "\", \"hash\": \"" value[2] "\", \"date\": \"" value[3] "\", \"subject\": \"" value[4] "\"}"
  else
    items[count] = "{\"hash\": \"" value[1] "\", \"parents\": " words(value[2]) ", \"author\": \"" value[3] "\", \"email\": \"" value[4] \
      "\", \"date\": \"" value[5] "\", \"subject\": \"" value[6] "\"}"
}

function finish() {
  printf "{\"ok\": true, \"verb\": \"%s\", ", verb
  list(verb == "stashes" ? "stashes" : "commits", items, count > limit ? limit : count)
  printf ", \"more\": %s}\n", bool(count > limit)
}
