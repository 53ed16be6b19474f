# leg words one ride: text is printed at once, JSON is returned.
function leg(w, i, j, k,   c, out, begin) {
  begin = way_first[w] + k * way_headway[w]
  if (!json) printf "  %s (run-%d)\n", way_name[w], way_base[w] + k + 1
  for (c = i; c <= j; c++) {
    if (!json) printf "    %s  %s\n", clock(begin + call_at[w, c]), stop_name[call_stop[w, c]]
    out = out (c > i ? ", " : "") "{\"id\": \"" call_stop[w, c] "\", \"name\": \"" stop_name[call_stop[w, c]] "\", \"time\": \"" clock(begin + call_at[w, c]) "\"}"
  }
  return sprintf("{\"line\": \"%s\", \"name\": \"%s\", \"kind\": \"%s\", \"runId\": \"run-%d\", \"stops\": [%s]}", way_line[w], way_name[w], way_kind[w], way_base[w] + k + 1, out)
}
