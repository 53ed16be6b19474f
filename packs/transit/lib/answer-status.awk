# status: how each line runs.
function delay(id) { return id == "B4" ? 4 : 0 }
function command(first, second, now,   i, w, late, runs_now, out) {
  for (i = 1; i <= lines; i++) {
    w = line_way[i]; late = delay(way_line[w])
    runs_now = now >= way_first[w] && now <= way_first[w] + (way_runs[w] - 1) * way_headway[w]
    if (!json) printf "%s  %s  %s\n", way_line[w], way_name[w], (runs_now ? (late ? late " min late" : "on time") : "not running")
    out = out (i > 1 ? ", " : "") sprintf("{\"line\": \"%s\", \"name\": \"%s\", \"kind\": \"%s\", \"state\": \"%s\", \"delayMin\": %d, \"everyMin\": %d}",
      way_line[w], way_name[w], way_kind[w], runs_now ? (late ? "delayed" : "on_time") : "not_running", runs_now ? late : 0, way_headway[w])
  }
  if (json) printf "{\"ok\": true, \"verb\": \"status\", \"observedAt\": \"%s\", \"lines\": [%s]}\n", clock(now), out
}
