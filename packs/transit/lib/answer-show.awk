# show: one journey of plan, stop by stop.
function command(id, unused, now,   part, n, number, from, to, i, f, legs, out) {
  n = split(id, part, ".")
  if (part[1] !~ /^opt-[1-9]$/ || (n != 1 && n != 4)) fail("\"" id "\" is no option id; take one from the result of plan, such as opt-1")
  number = substr(part[1], 5) + 0; from = "central"; to = "harbour"; now = 480
  if (n == 4) {
    from = part[2]; to = part[3]
    if (!(from in stop_name) || !(to in stop_name) || from == to || part[4] !~ /^([01][0-9]|2[0-3])[0-5][0-9]$/)
      fail("\"" id "\" is no option id; take one from the result of plan, such as opt-1")
    now = substr(part[4], 1, 2) * 60 + substr(part[4], 3, 2)
  }
  plan(from, to, now)
  if (number > ranked) fail("there is no option \"" id "\"; plan offers " ranked " for that journey")
  n = split(option_legs[rank[number]], legs, " ")
  if (!json) print option_text(rank[number], id)
  for (i = 1; i <= n; i++) { split(legs[i], f, ":"); out = out (i > 1 ? ", " : "") leg(f[1], f[2], f[3], f[4]) }
  if (json) printf "{\"ok\": true, \"verb\": \"show\", \"optionId\": \"%s\", \"option\": %s, \"legs\": [%s]}\n", id, option_json(rank[number], id), out
}
