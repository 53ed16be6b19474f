# follow: where one vehicle run is.
function command(id, unused, now,   number, w, k, begin, end, c, state, upcoming) {
  number = substr(id, 5)
  if (id !~ /^run-[1-9][0-9]*$/ || length(number) > 6 || number + 0 > runs)
    fail("there is no run \"" id "\"; take a runId from the result of show, run-1 to run-" runs)
  for (w = 1; w < ways && number + 0 > way_base[w + 1]; w++) ;
  k = number - way_base[w] - 1
  begin = way_first[w] + k * way_headway[w]; end = begin + call_at[w, way_calls[w]]
  state = now < begin ? "scheduled" : now >= end ? "arrived" : "running"
  for (c = 1; c < way_calls[w] && begin + call_at[w, c] <= now; c++) ;
  upcoming = state == "arrived" ? "" : call_stop[w, c]
  if (!json) {
    printf "run-%d  %s  %s to %s  %s", number, way_name[w], stop_name[call_stop[w, 1]], stop_name[call_stop[w, way_calls[w]]], state
    print (upcoming == "" ? "" : "  next " stop_name[upcoming] " at " clock(begin + call_at[w, c]))
    return
  }
  printf "{\"ok\": true, \"verb\": \"follow\", \"runId\": \"run-%d\", \"observedAt\": \"%s\", \"line\": \"%s\", \"from\": \"%s\", \"to\": \"%s\", \"state\": \"%s\", \"next\": %s, \"run\": %s}\n",
    number, clock(now), way_line[w], call_stop[w, 1], call_stop[w, way_calls[w]], state,
    (upcoming == "" ? "null" : "{\"stop\": \"" upcoming "\", \"time\": \"" clock(begin + call_at[w, c]) "\"}"), leg(w, 1, way_calls[w], k)
}
