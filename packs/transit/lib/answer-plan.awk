# plan: journeys between two stops, earliest arrival first.

# resolve returns the id of the one stop that the word can mean, or "".
function resolve(word,   i, id, found, hits) {
  word = tolower(word)
  for (i = 1; i <= stops; i++) {
    id = stop_id[i]
    if (word == id || word == tolower(stop_name[id])) return id
    if (word != "" && index(tolower(stop_name[id]), word) == 1) { found = id; hits++ }
  }
  return hits == 1 ? found : ""
}

function command(from, to, now,   a, b, quote, note, i, out, id, best) {
  a = resolve(from); b = resolve(to)
  if (a != "" && a == b) fail("\"" from "\" and \"" to "\" are the same stop")
  if (a == "" || b == "") {
    quote = json ? "\\\"" : "\""
    note = quote (a == "" ? from : to) quote " is no stop of this timetable, so these are the journeys from Central to Harbour at 08:00"
    a = "central"; b = "harbour"; now = 480
  }
  plan(a, b, now)
  if (!json) {
    print stop_name[a] " to " stop_name[b] " from " clock(now) (note == "" ? "" : " (" note ")")
    for (i = 1; i <= ranked; i++) print option_text(rank[i], option_id(i, a, b, now))
    if (!ranked) print "no journey left today"
    return
  }
  for (i = 1; i <= ranked; i++) {
    id = option_id(i, a, b, now); if (i == 1) best = "\"" id "\""
    out = out (i > 1 ? ", " : "") option_json(rank[i], id)
  }
  printf "{\"ok\": true, \"verb\": \"plan\", \"from\": \"%s\", \"to\": \"%s\", \"optionId\": %s, ", from, to, (ranked ? best : "null")
  printf "\"fromId\": \"%s\", \"toId\": \"%s\", \"at\": \"%s\", %s\"options\": [%s]}\n", a, b, clock(now), (note == "" ? "" : "\"note\": \"" note "\", "), out
}
