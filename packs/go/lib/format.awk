# Reads gofmt -l: files whose form differs, and errors of files that do not
# parse. Vendored and hidden folders are somebody else's.

function line(text) {
  if (text ~ /\.go:[0-9]+:[0-9]+: /) { errors++; problem(text); return }
  if (text !~ /\.go$/) { strange = 1; problem(text); return }
  if (text ~ /(^|\/)(vendor|node_modules|\.[^\/.][^\/]*)\//) return
  if (++files <= limit) items[files] = "\"" quote(text) "\""
}

function finish() {
  if (strange || (code && !errors)) return fail("gofmt could not read that path")
  if (verb == "fmt.check") printf "{\"ok\": true, \"verb\": \"fmt.check\", \"formatted\": %s, \"count\": %d, ", bool(!files && !errors), files
  else printf "{\"ok\": true, \"verb\": \"fmt.write\", \"count\": %d, ", files
  list("files", items, capped(files)); printf ", "
  list("errors", problem_list, problems > 50 ? 50 : problems)
  printf ", \"truncated\": %s}\n", bool(files > limit || problems > 50)
}
