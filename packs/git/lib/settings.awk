# Reads git config --null: a scope, then a key, a line feed and the value.
# Remote addresses lose whatever in them could be a credential.

function record(text) {
  if (have == 0) {
    if (text == "end") { complete = 1; return }
    scope = text; have = 1
    return
  }
  have = 0
  key = newline ? substr(text, 1, newline - 1) : text
  # A key without "=" means true.
  text = newline ? substr(text, newline + 2) : "true"
  if (verb == "config") items[++count] = "{\"key\": \"" key "\", \"value\": \"" text "\", \"scope\": \"" scope "\"}"
  else remote(key, text)
}

function remote(key, url,   name, push, clean) {
  name = substr(key, 8) # after "remote."
  push = name ~ /\.pushurl$/
  sub(/\.(pushurl|url)$/, "", name)
  clean = address(url)
  items[++count] = "{\"name\": \"" name "\", \"url\": \"" clean "\", \"direction\": \"" (push ? "push" : "fetch") "\", \"credentials_removed\": " bool(clean != url) "}"
}

function address(url,   at, scheme, host, path, cut, user) {
  if (url ~ /^[A-Za-z0-9+.-]*::/) return substr(url, 1, index(url, "::") + 1) "..."
  at = index(url, "://")
  if (!at) return url # a path, or user@host:path, in which no password has a place
  scheme = tolower(substr(url, 1, at - 1)); host = substr(url, at + 3)
  if (scheme ~ /^(http|https|ftp|ftps)$/ && match(host, /[?#]/)) host = substr(host, 1, RSTART - 1)
  cut = index(host, "/")
  path = cut ? substr(host, cut) : ""
  if (cut) host = substr(host, 1, cut - 1)
  user = ""
  while ((cut = index(host, "@")) > 0) { user = user substr(host, 1, cut); host = substr(host, cut + 1) }
  # What follows the colon is no port, so the slash stood inside a password.
  if (host ~ /:./ && host !~ /:[0-9]*$/ && host !~ /^\[/) return substr(url, 1, at + 2) "..."
  if (scheme ~ /^(http|https|ftp|ftps)$/) user = ""
  else if (index(user, ":")) user = substr(user, 1, index(user, ":") - 1) "@"
  return substr(url, 1, at + 2) user host path
}

function finish() {
  printf "{\"ok\": true, \"verb\": \"%s\", ", verb
  list(verb == "config" ? "settings" : "remotes", items, count)
  printf "}\n"
}
