#!/bin/sh
# Proves this pack against a runtime: hcpx from PATH, or the one that $HCPX names.
# Works in a store of its own unless HCP_HOME is set, and in a repository of its own.
set -eu
pack=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
hcpx=${HCPX:-hcpx}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HCP_HOME=${HCP_HOME:-$work/store}
export HCP_HOME

mkdir "$work/project"
cd "$work/project"
git init -q
echo one >file

"$hcpx" lint "$pack" --json
"$hcpx" install "$pack" --json
"$hcpx" activate git --json

# 1. reads
"$hcpx" exec git status --json | grep '"file"'
"$hcpx" exec git log --json

# 2. the gated write without confirm is refused
if "$hcpx" exec git commit --json -- message=first include=all >"$work/refused"; then
  echo 'proof: commit ran without confirm' >&2
  exit 1
fi
grep '"confirm required"' "$work/refused"

# 3. the same write with confirm runs, and its commit is in the history
"$hcpx" exec git commit --json -- message=first include=all 'author_name=Proof' author_email=proof@example.com confirm=true
"$hcpx" exec git log --json | grep '"first"'
"$hcpx" exec git branch.create --json -- branch=proof

# 4. the four flags
"$hcpx" availability git --json
