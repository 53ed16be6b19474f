# Reads git diff --raw --numstat -z: first every file with its kind of change,
# then every file with its counts. Before that stand `head` values of the commit
# when there is one. The closing brace is left to the shell, which may add a patch.

function kind(letter) {
  return letter == "M" ? "modified" : letter == "A" ? "added" : letter == "D" ? "deleted" : letter == "R" ? "renamed" : \
    letter == "C" ? "copied" : letter == "T" ? "type_changed" : letter == "U" ? "unmerged" : "unknown"
}

function record(text,   part) {
  if (heads < head) { commit[++heads] = text; return }
  if (want == "") {
    if (text == "end") { complete = 1; return }
    if (substr(text, 1, 1) == ":") {
      split(text, part, " ")
      letter = substr(part[5], 1, 1)
      want = letter ~ /[RC]/ ? "from" : "path"
      return
    }
    split(text, part, "\\\\t") # numstat separates by tabs, which are \t in JSON text
    plus = part[1]; minus = part[2]
    text = substr(text, length(plus) + length(minus) + 5)
    if (text == "") { want = "count_from"; return }
    counts(text)
    return
  }
  if (want == "from") { from = ", " named("from", text, 0); want = "path"; return }
  if (want == "path") { file(text); want = ""; return }
  if (want == "count_from") { want = "count_path"; return }
  counts(text); want = ""
}

# The same path can come twice while it is unmerged; one item is enough.
function file(path) {
  if (!(path in index_of)) index_of[path] = ++files
  if (index_of[path] <= limit && (items[index_of[path]] == "" || letter != "U"))
    items[index_of[path]] = "{" named("path", path, 0) ", \"change\": \"" kind(letter) "\"" from
  from = ""
}
function counts(path,   i) {
  i = index_of[path]
  if (i == "" || (i in counted)) return
  counted[i] = 1
  if (plus == "-") { binary[i] = 1; return }
  additions += plus; deletions += minus
  item_plus[i] = plus; item_minus[i] = minus
}

function finish(   i, shown) {
  printf "{\"ok\": true, \"verb\": \"%s\", ", verb
  if (head) {
    printf "\"hash\": \"%s\", \"parents\": %s, \"author\": {\"name\": \"%s\", \"email\": \"%s\", \"date\": \"%s\"}, ", commit[1], words(commit[2]), commit[3], commit[4], commit[5]
    printf "\"committer\": {\"name\": \"%s\", \"email\": \"%s\", \"date\": \"%s\"}, \"subject\": \"%s\", \"body\": \"%s\", ", commit[6], commit[7], commit[8], commit[9], commit[10]
  } else printf "\"from\": \"%s\", \"to\": \"%s\", ", left, right
  printf "\"files_changed\": %d, \"additions\": %d, \"deletions\": %d, ", files, additions, deletions
  shown = files > limit ? limit : files
  for (i = 1; i <= shown; i++) {
    if (i in binary) items[i] = items[i] ", \"binary\": true}"
    else items[i] = items[i] ", \"additions\": " item_plus[i] + 0 ", \"deletions\": " item_minus[i] + 0 "}"
  }
  list("files", items, shown)
  printf ", \"truncated\": %s", bool(files > limit)
}
