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
"$hcpx" activate transit --json

# 1. every command is a read
"$hcpx" exec transit find --json -- query=Central | grep '"central"'
"$hcpx" exec transit plan --json -- from=A to=B | grep '"opt-1"'
"$hcpx" exec transit show --json -- optionId=opt-1
"$hcpx" exec transit status --json
"$hcpx" exec transit follow --json -- runId=run-1

# 2. there is no write to refuse; a missing argument is refused instead
if "$hcpx" exec transit plan --json -- from=A >"$work/refused"; then
  echo 'proof: plan ran without "to"' >&2
  exit 1
fi

# 3. the four flags
"$hcpx" availability transit --json
