# find: the stops whose name or id holds the query.
function command(query, unused, now,   i, id, n, out, text, word, w, names) {
  word = tolower(query)
  for (i = 1; i <= stops; i++) {
    id = stop_id[i]
    if (index(id, word) == 0 && index(tolower(stop_name[id]), word) == 0) continue
    names = ""
    for (w = 1; w <= lines; w++) if (on_line(line_way[w], id)) names = names (names == "" ? "" : ", ") "\"" way_line[line_way[w]] "\""
    out = out (n++ ? ", " : "") sprintf("{\"id\": \"%s\", \"name\": \"%s\", \"zone\": %d, \"lines\": [%s]}", id, stop_name[id], stop_zone[id], names)
    gsub(/"/, "", names)
    text = text sprintf("%s  %s (zone %d; %s)\n", id, stop_name[id], stop_zone[id], names)
  }
  if (json) printf "{\"ok\": true, \"verb\": \"find\", \"query\": \"%s\", \"count\": %d, \"places\": [%s]}\n", query, n, out
  else printf "%s", (n ? text : "no stop matches \"" query "\"\n")
}
function on_line(w, id,   i) {
  for (i = 1; i <= way_calls[w]; i++) if (call_stop[w, i] == id) return 1
  return 0
}
