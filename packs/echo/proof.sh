#!/bin/sh
# Proves this pack against a runtime: hcpx from PATH, or the one that $HCPX names.
# Works in a store of its own unless HCP_HOME is set.
set -eu
pack=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
hcpx=${HCPX:-hcpx}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HCP_HOME=${HCP_HOME:-$work/store}
export HCP_HOME

"$hcpx" lint "$pack" --json
"$hcpx" install "$pack" --json
"$hcpx" activate echo --json

# 1. both reads
"$hcpx" exec echo echo.ping --json | grep 'pong'
"$hcpx" exec echo echo.say --json -- message=hi | grep '"hi"'

# 2. there is no write to refuse; a missing argument is refused instead
if "$hcpx" exec echo echo.say --json >"$work/refused"; then
  echo 'proof: say ran without "message"' >&2
  exit 1
fi

# 3. the four flags
"$hcpx" availability echo --json
