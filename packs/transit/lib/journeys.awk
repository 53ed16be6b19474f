# Journeys between two stops: for plan, which offers them, and show.
function money(cents) { return sprintf("%d.%02d", int(cents / 100), cents % 100) }

# search extends a journey from stop `at`, reached at minute `now`, by every ride
# on a line not yet used. A change takes 3 minutes; two changes are the most.
function search(at, goal, now, legs, trail,   w, i, j, k, leave, arrive, next_stop, ride) {
  for (w = 1; w <= ways; w++) {
    if (index(trail, "/" way_line[w] "/")) continue
    for (i = 1; i < way_calls[w]; i++) if (call_stop[w, i] == at) break
    if (i >= way_calls[w]) continue
    k = int((now - way_first[w] - call_at[w, i] + way_headway[w] - 1) / way_headway[w])
    if (now <= way_first[w] + call_at[w, i]) k = 0
    if (k >= way_runs[w]) continue
    leave = way_first[w] + k * way_headway[w]
    for (j = i + 1; j <= way_calls[w]; j++) {
      next_stop = call_stop[w, j]
      if (index(trail, "/" next_stop "/")) continue
      ride = w ":" i ":" j ":" k
      arrive = leave + call_at[w, j]
      if (next_stop == goal) keep(legs == "" ? ride : legs " " ride, arrive)
      else if (split(legs, ignored, " ") < 2)
        search(next_stop, goal, arrive + 3, legs == "" ? ride : legs " " ride, trail way_line[w] "/" next_stop "/")
    }
  }
}

# keep records a complete journey; price follows the zones touched.
function keep(legs, arrive,   n, i, part, f, low, high, zone, price) {
  n = split(legs, part, " ")
  low = 9; high = 0; price = 150
  for (i = 1; i <= n; i++) {
    split(part[i], f, ":")
    if (i == 1) option_leave[options + 1] = way_first[f[1]] + f[4] * way_headway[f[1]] + call_at[f[1], f[2]]
    zone = stop_zone[call_stop[f[1], f[2]]]; if (zone < low) low = zone; if (zone > high) high = zone
    zone = stop_zone[call_stop[f[1], f[3]]]; if (zone < low) low = zone; if (zone > high) high = zone
    if (way_kind[f[1]] == "ferry") price += 120
  }
  options++
  option_legs[options] = legs; option_arrive[options] = arrive
  option_changes[options] = n - 1; option_fare[options] = price + 90 * (high - low + 1)
}

# plan fills rank[1..ranked] with the journeys worth offering, earliest arrival
# first: the best one on each combination of lines, none over half an hour later
# than the best of all.
function plan(from, to, now,   i, j, used, best, t) {
  options = ranked = 0
  search(from, to, now, "", "/" from "/")
  for (i = 1; i <= options; i++) {
    used = lines_of(i)
    if (!(used in best) || before(i, best[used])) best[used] = i
    if (!(0 in best) || before(i, best[0])) best[0] = i
  }
  for (i = 1; i <= options; i++)
    if (best[lines_of(i)] == i && option_arrive[i] <= option_arrive[best[0]] + 30) rank[++ranked] = i
  for (i = 2; i <= ranked; i++)
    for (j = i; j > 1 && before(rank[j], rank[j - 1]); j--) { t = rank[j]; rank[j] = rank[j - 1]; rank[j - 1] = t }
  if (ranked > 5) ranked = 5
}
function before(a, b) {
  if (option_arrive[a] != option_arrive[b]) return option_arrive[a] < option_arrive[b]
  if (option_changes[a] != option_changes[b]) return option_changes[a] < option_changes[b]
  if (option_fare[a] != option_fare[b]) return option_fare[a] < option_fare[b]
  return a < b
}

# An option id says which journey it is, so that show needs no memory: opt-1 is
# the first one from Central to Harbour at 08:00, opt-2.airport.museum.0930 the
# second one from Airport to Museum Quarter at 09:30.
function option_id(n, from, to, now,   c) {
  if (from == "central" && to == "harbour" && now == 480) return "opt-" n
  c = clock(now); sub(/:/, "", c)
  return "opt-" n "." from "." to "." c
}

function lines_of(o,   n, i, part, f, out) {
  n = split(option_legs[o], part, " ")
  for (i = 1; i <= n; i++) { split(part[i], f, ":"); out = out (i > 1 ? (json ? ", " : " + ") : "") (json ? "\"" way_line[f[1]] "\"" : way_line[f[1]]) }
  return out
}
function option_json(o, id) {
  return sprintf("{\"id\": \"%s\", \"depart\": \"%s\", \"arrive\": \"%s\", \"durationMin\": %d, \"changes\": %d, \"fare\": \"%s\", \"currency\": \"EUR\", \"lines\": [%s]}",
    id, clock(option_leave[o]), clock(option_arrive[o]), option_arrive[o] - option_leave[o], option_changes[o], money(option_fare[o]), lines_of(o))
}
function option_text(o, id) {
  return sprintf("%s  %s to %s  %d min  %d changes  EUR %s  %s", id, clock(option_leave[o]), clock(option_arrive[o]),
    option_arrive[o] - option_leave[o], option_changes[o], money(option_fare[o]), lines_of(o))
}
