# Reads go vet -json, which indents by tabs: analyzers stand at two, a finding's
# position and message at four. Whatever is no JSON is a package that does not
# build.

function line(text) {
  if (text ~ /^\t\t"[^"]*": [[{]$/) { analyzer = text; sub(/^\t\t"/, "", analyzer); sub(/".*$/, "", analyzer) }
  else if (text ~ /^\t\t\t\t"posn": "/) posn = string(text)
  else if (text ~ /^\t\t\t\t"message": "/) found(string(text))
  else if (text ~ /^\t\t\t"error": "/) problem(analyzer ": " string(text))
  else if (text ~ /^# /) package_named = 1
  else if (text !~ /^[\t{}]/) problem(text)
}

function found(message) {
  if (++findings > limit) return
  items[findings] = "{\"analyzer\": \"" analyzer "\", " place(posn) ", \"message\": \"" message "\"}"
}

function finish() {
  if (code && !findings && !package_named) return fail("go vet ended without a finding")
  printf "{\"ok\": true, \"verb\": \"vet\", \"clean\": %s, \"count\": %d, ", bool(!findings && !problems), findings
  list("findings", items, capped(findings)); printf ", "
  list("errors", problem_list, problems > 50 ? 50 : problems)
  printf ", \"truncated\": %s}\n", bool(findings > limit || problems > 50)
}
