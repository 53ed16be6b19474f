# The timetable, and what every command needs. The file of a command defines
# command(first, second, now), which answers with two words and a minute of the day.
# Operands are words that are their own JSON text, and a time such as 08:30; without
# them words.awk reads the words.
function fail(sentence) {
  print "transit: " sentence > "/dev/stderr"
  exit 1
}

function clock(minutes) { return sprintf("%02d:%02d", int(minutes / 60), minutes % 60) }

# Stops: id, name, fare zone. Lines: id, name, kind, first and last departure
# and headway in minutes, then stop:minutes from the start of the line. Every
# line also runs the other way round.
function timetable() {
  stop("central", "Central", 1); stop("harbour", "Harbour", 1)
  stop("museum", "Museum Quarter", 1); stop("university", "University", 1)
  stop("northgate", "Northgate", 2); stop("riverside", "Riverside", 2)
  stop("hillcrest", "Hillcrest", 2); stop("lakeside", "Lakeside", 3)
  stop("airport", "Airport", 3)
  line("R1", "Airport Rail", "rail", 300, 1410, 15, "airport:0 northgate:8 central:17 harbour:21")
  line("T2", "Tram 2", "tram", 305, 1425, 8, "northgate:0 university:6 central:11 museum:15 harbour:20")
  line("B4", "Bus 4", "bus", 320, 1380, 12, "hillcrest:0 riverside:9 museum:16 central:21 lakeside:38")
  line("B7", "Bus 7", "bus", 330, 1350, 20, "airport:0 lakeside:14 riverside:31 university:40")
  line("F1", "Harbour Ferry", "ferry", 420, 1260, 30, "harbour:0 riverside:12 lakeside:30")
}
function stop(id, name, zone) {
  stop_id[++stops] = id; stop_name[id] = name; stop_zone[id] = zone
}
function line(id, name, kind, begin, end, headway, calls,   n, i, part, pair, d, total) {
  n = split(calls, part, " ")
  split(part[n], pair, ":"); total = pair[2]
  for (d = 0; d < 2; d++) {
    way_line[++ways] = id; way_name[ways] = name; way_kind[ways] = kind
    way_first[ways] = begin; way_headway[ways] = headway; way_calls[ways] = n
    way_runs[ways] = int((end - begin) / headway) + 1
    way_base[ways] = runs; runs += way_runs[ways]
    for (i = 1; i <= n; i++) {
      split(part[d ? n + 1 - i : i], pair, ":")
      call_stop[ways, i] = pair[1]
      call_at[ways, i] = d ? total - pair[2] : pair[2] + 0
    }
  }
  line_way[++lines] = ways - 1
}

function start(first, second, time) {
  command(first, second, substr(time, 1, 2) * 60 + substr(time, 4, 2))
}

BEGIN {
  timetable()
  if (ARGC > 1) { start(ARGV[1] "", ARGV[2] "", ARGV[3]); exit }
}
