#!/bin/sh
# Proves this pack against a runtime: hcpx from PATH, or the one that $HCPX names.
# Works in a store of its own unless HCP_HOME is set, and in a project of its own;
# nothing is asked of a registry.
set -eu
pack=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
hcpx=${HCPX:-hcpx}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HCP_HOME=${HCP_HOME:-$work/store}
export HCP_HOME

mkdir "$work/project"
cd "$work/project"
printf '{ "name": "proof", "version": "1.0.0", "scripts": { "prepack": "touch ran" }, "dependencies": { "absent": "1.0.0" } }\n' >package.json

"$hcpx" lint "$pack" --json
"$hcpx" install "$pack" --json
"$hcpx" activate npm --json

# 1. reads, among them one whose npm ends with code 1 because it found something
"$hcpx" exec npm doctor --json | grep '"proof"'
"$hcpx" exec npm ls --json | grep '"sound": *false'
"$hcpx" exec npm scripts --json | grep '"prepack"'
"$hcpx" exec npm pack.files --json | grep '"package.json"'
[ ! -e ran ]

# 2. there is no write to refuse; an address in place of a name is refused instead
if "$hcpx" exec npm view --json -- package=https://example.com/x.tgz >"$work/refused"; then
  echo 'proof: view took an address' >&2
  exit 1
fi

# 3. the four flags
"$hcpx" availability npm --json
