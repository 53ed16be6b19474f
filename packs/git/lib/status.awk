# Reads git status --porcelain=v2 --branch --show-stash -z. The variables
# `operation` and `limit` come from the shell.

function kind(letter) {
  return letter == "M" ? "modified" : letter == "A" ? "added" : letter == "D" ? "deleted" : \
    letter == "R" ? "renamed" : letter == "C" ? "copied" : letter == "T" ? "type_changed" : "unknown"
}
function conflict(xy) {
  return xy == "DD" ? "both_deleted" : xy == "AU" ? "added_by_us" : xy == "UD" ? "deleted_by_them" : \
    xy == "UA" ? "added_by_them" : xy == "DU" ? "deleted_by_us" : xy == "AA" ? "both_added" : "both_modified"
}

function add_staged(item) { if (++staged <= limit) staged_list[staged] = item "}" }
function add_unstaged(item) { if (++unstaged <= limit) unstaged_list[unstaged] = item "}" }

# change files one entry under staged and unstaged, as its two letters say.
function change(xy, path, from) {
  if (substr(xy, 1, 1) != ".") add_staged("{" path ", \"change\": \"" kind(substr(xy, 1, 1)) "\"" (substr(xy, 1, 1) ~ /[RC]/ ? from : ""))
  if (substr(xy, 2, 1) != ".") add_unstaged("{" path ", \"change\": \"" kind(substr(xy, 2, 1)) "\"" (substr(xy, 2, 1) ~ /[RC]/ ? from : ""))
}

function record(text,   type, path) {
  if (renamed != "") {
    change(renamed, renamed_path, ", " named("from", text, 0)); renamed = ""
    return
  }
  if (text == "end") { complete = 1; return }
  type = substr(text, 1, 2)
  if (type == "# ") header(rest(text, 1))
  else if (type == "1 ") {
    path = rest(text, 8)
    change(substr(text, 3, 2), named("path", path, length(text) - length(path)), "")
  } else if (type == "2 ") {
    path = rest(text, 9)
    renamed = substr(text, 3, 2); renamed_path = named("path", path, length(text) - length(path))
  } else if (type == "u ") {
    path = rest(text, 10)
    if (++conflicts <= limit) conflict_list[conflicts] = "{" named("path", path, length(text) - length(path)) ", \"kind\": \"" conflict(substr(text, 3, 2)) "\"}"
  } else if (type == "? ") {
    if (++untracked <= limit) untracked_list[untracked] = "{" named("path", rest(text, 1), 2) "}"
  }
}

function header(text,   value, pair) {
  value = rest(text, 1)
  if (text ~ /^branch.oid /) oid = value == "(initial)" ? "" : value
  else if (text ~ /^branch.head /) { detached = value == "(detached)"; branch = detached ? "" : value }
  else if (text ~ /^branch.upstream /) upstream = value
  else if (text ~ /^branch.ab /) { split(value, pair, " "); ahead = pair[1] + 0; behind = -pair[2] }
  else if (text ~ /^stash /) stashes = value
}

function capped(n) { return n > limit ? limit : n }
function finish() {
  printf "{\"ok\": true, \"verb\": \"status\", \"branch\": %s, \"detached\": %s, \"head\": %s, ", or_null(branch), bool(detached), or_null(oid)
  printf "\"upstream\": %s, \"ahead\": %s, \"behind\": %s, ", or_null(upstream), (ahead == "" ? "null" : ahead), (behind == "" ? "null" : behind)
  printf "\"operation\": %s, \"stashes\": %d, \"clean\": %s, ", or_null(operation), stashes, bool(staged + unstaged + untracked + conflicts == 0)
  printf "\"counts\": {\"staged\": %d, \"unstaged\": %d, \"untracked\": %d, \"conflicts\": %d}, ", staged, unstaged, untracked, conflicts
  list("staged", staged_list, capped(staged)); printf ", "
  list("unstaged", unstaged_list, capped(unstaged)); printf ", "
  list("untracked", untracked_list, capped(untracked)); printf ", "
  list("conflicts", conflict_list, capped(conflicts))
  printf ", \"truncated\": %s}\n", bool(staged > limit || unstaged > limit || untracked > limit || conflicts > limit)
}
