# Reads go version -m of one program: its name and toolchain, then its module,
# dependencies and build settings, each behind a tab.

function line(text,   part) {
  if (text !~ /^\t/) {
    if (text ~ /: [^ ]+$/ && toolchain == "") { toolchain = text; sub(/^.*: /, "", toolchain) }
    problem(text)
    return
  }
  split(substr(text, 2), part, "\t")
  if (part[1] == "path") main = quote(part[2])
  else if (part[1] == "mod") module = "{\"module\": \"" quote(part[2]) "\", \"version\": \"" quote(part[3]) "\"}"
  else if (part[1] == "dep") { if (++deps <= limit) dep_list[deps] = "{\"module\": \"" quote(part[2]) "\", \"version\": \"" quote(part[3]) "\"}" }
  else if (part[1] == "build") {
    text = substr(text, 8)
    settings[++count] = "{\"key\": \"" quote(substr(text, 1, index(text, "=") - 1)) "\", \"value\": \"" quote(substr(text, index(text, "=") + 1)) "\"}"
  }
}

function finish() {
  if (code || toolchain == "") return fail("that file is no Go program")
  printf "{\"ok\": true, \"verb\": \"version\", \"go\": \"%s\", \"package\": %s, \"module\": %s, ", quote(toolchain), (main == "" ? "null" : "\"" main "\""), (module == "" ? "null" : module)
  list("dependencies", dep_list, capped(deps)); printf ", "
  list("build", settings, count)
  printf ", \"truncated\": %s}\n", bool(deps > limit)
}
