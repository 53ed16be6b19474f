#!/bin/sh
# Proves this pack against a runtime: hcpx from PATH, or the one that $HCPX names.
# Works in a store of its own unless HCP_HOME is set; the runtime installs this
# pack by itself the first time it opens a store.
set -eu
pack=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
hcpx=${HCPX:-hcpx}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HCP_HOME=${HCP_HOME:-$work/store}
export HCP_HOME

"$hcpx" lint "$pack" --json
"$hcpx" activate hcp-cli --json

# 1. reads
"$hcpx" exec hcp-cli hcp.doctor --json
"$hcpx" exec hcp-cli hcp.list --json | grep '"hcp-cli"'
"$hcpx" exec hcp-cli hcp.availability --json -- pack_id=hcp-cli

# 2. the gated write without confirm is refused, and so is the bootstrap pack's removal
if "$hcpx" exec hcp-cli hcp.uninstall --json -- pack_id=transit >"$work/refused"; then
  echo 'proof: uninstall ran without confirm' >&2
  exit 1
fi
grep '"confirm required"' "$work/refused"
if "$hcpx" uninstall hcp-cli --json; then
  echo 'proof: the bootstrap pack was removed' >&2
  exit 1
fi

# 3. the four flags
"$hcpx" availability hcp-cli --json
