#!/bin/sh
# Proves this pack against a runtime: hcpx from PATH, or the one that $HCPX names.
# Works in a store of its own unless HCP_HOME is set. No real money is involved.
set -eu
pack=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
hcpx=${HCPX:-hcpx}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HCP_HOME=${HCP_HOME:-$work/store}
export HCP_HOME

"$hcpx" lint "$pack" --json
"$hcpx" install "$pack" --json
"$hcpx" activate ledger --json

# 1. reads, then the installer family twice over
"$hcpx" exec ledger list --json
"$hcpx" exec ledger setup.status --json
"$hcpx" exec ledger setup.apply --json
"$hcpx" exec ledger setup.apply --json | grep '"created": *false'
"$hcpx" exec ledger setup.update --json
"$hcpx" exec ledger connect --json -- provider=demo

# 2. the gated write without confirm is refused
if "$hcpx" exec ledger transfer --json -- amount=2.80 payee=demo-transit >"$work/refused"; then
  echo 'proof: transfer ran without confirm' >&2
  exit 1
fi
grep '"confirm required"' "$work/refused"

# 3. the same write with confirm runs, and its entry is listed
"$hcpx" exec ledger transfer --json -- amount=2.80 payee=demo-transit confirm=true
"$hcpx" exec ledger list --json -- limit=1 | grep '"2.80"'

# 4. the four flags
"$hcpx" availability ledger --json
