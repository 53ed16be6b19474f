#!/bin/sh
# Proves this pack against a runtime: hcpx from PATH, or the one that $HCPX names.
# Works in a store of its own unless HCP_HOME is set, and in a module of its own
# that needs nothing from the network.
set -eu
pack=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
hcpx=${HCPX:-hcpx}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HCP_HOME=${HCP_HOME:-$work/store}
export HCP_HOME

mkdir "$work/project"
cd "$work/project"
printf 'module example.com/proof\n\ngo 1.21\n' >go.mod
printf 'package proof\nfunc  Two() int { return 2 }\n' >two.go
printf 'package proof\n\nimport "testing"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fail()\n\t}\n}\n' >two_test.go

"$hcpx" lint "$pack" --json
"$hcpx" install "$pack" --json
"$hcpx" activate go --json

# 1. reads, and the tests
"$hcpx" exec go doctor --json | grep '"example.com/proof"'
"$hcpx" exec go packages --json
"$hcpx" exec go fmt.check --json | grep '"two.go"'
"$hcpx" exec go test --json -- pattern=./... | grep '"passed": *true'

# 2. the gated write without confirm is refused
if "$hcpx" exec go fmt.write --json >"$work/refused"; then
  echo 'proof: fmt.write ran without confirm' >&2
  exit 1
fi
grep '"confirm required"' "$work/refused"

# 3. the same write with confirm runs
"$hcpx" exec go fmt.write --json -- confirm=true | grep '"two.go"'
"$hcpx" exec go fmt.check --json | grep '"formatted": *true'

# 4. the four flags
"$hcpx" availability go --json
