#!/bin/sh
# A tour of the tools on stores and projects that exist only while it runs. It
# needs the programs of `make build`, git and a POSIX shell, and leaves nothing
# behind. Parts that are named, such as hop, are played alone.
set -eu
cd "$(dirname "$0")/.."
bin=$PWD/bin
packs=$PWD/packs

demo=$(mktemp -d "${TMPDIR:-/tmp}/bridle-demo-XXXXXX")
trap 'rm -rf "$demo"' EXIT
trap 'exit 130' INT TERM
mkdir "$demo/home" "$demo/project"

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
	bold=$(printf '\033[1m') dim=$(printf '\033[2m') green=$(printf '\033[32m') off=$(printf '\033[0m')
else
	bold='' dim='' green='' off=''
fi

top=$PWD
step=0
part() { printf '\n%s── %s%s\n' "$bold" "$1" "$off"; }
chapter() {
	step=$((step + 1))
	printf '\n%s%d. %s%s\n' "$bold" "$step" "$1" "$off"
}
say() { printf '   %s\n' "$@"; }

# show prints a command as a person would type it and what it answers, indented
# and cut at the width of a page, but for results. The first word says which exit code the story
# needs. only, where it is set, picks the lines of the answer that are shown.
only=
show() {
	want=$1
	shift
	[ -n "$only" ] || echo
	printf '   %s$ %s%s\n' "$dim" "$line" "$off"
	set +e
	"$@" >"$demo/answer" 2>&1 <"$input"
	got=$?
	set -e
	if [ "$got" -eq "$want" ] && [ -n "$only" ]; then
		sed -nE "/$only/ { s/^ */     /; s/,\$//; p; }" "$demo/answer" | awk '!seen[$0]++'
		only=
		return
	fi
	only=
	awk '
		# An envelope is shown from its result on, whole; what is around it is not
		# what the story is about.
		match($0, /"result":/) && length($0) > 150 { $0 = "{… " substr($0, RSTART) }
		/^\{… / { while (length($0) > 110) { print "     " substr($0, 1, 110); $0 = substr($0, 111) } }
		length($0) > 150 { $0 = substr($0, 1, 147) "..." }
		{ print "     " $0 }
	' "$demo/answer"
	if [ "$got" -ne "$want" ]; then
		printf '   the demo expected exit code %s and got %s\n' "$want" "$got" >&2
		exit 1
	fi
}

# run runs one of our programs, in the current folder, with an environment made
# from nothing, so that the demo behaves the same whatever is set in this shell.
# want_exit is the exit code that the story needs next, input what it reads.
want_exit=0
input=/dev/null
run() {
	line=
	for word in "$@"; do
		case $word in
		*[!A-Za-z0-9_./=:@%+,-]*) word="'$word'" ;;
		esac
		line="${line:+$line }$word"
	done
	program=$1
	shift
	want=$want_exit
	want_exit=0
	show "$want" env -i HOME="$demo/home" PATH="$bin:$PATH" TERM="${TERM:-dumb}" "$bin/$program" "$@"
}

# fact fails the demo when the last answer lacks what the story says about it.
fact() {
	grep -q -- "$1" "$demo/answer" || {
		printf '   the demo expected the answer to say %s\n' "$1" >&2
		exit 1
	}
	shift
	printf '   %s✓%s %s\n' "$green" "$off" "$*"
}

printf '%sBridle%s puts coding agents to work without letting go of the rein.\n' "$bold" "$off"
say "Everything below happens in $demo, which goes away at the end."
[ $# -gt 0 ] || set -- hcp hop hound
for part in "$@"; do
	[ -f "scripts/demo/$part.sh" ] || {
		printf 'there is no part "%s"; there are hcp, hop and hound\n' "$part" >&2
		exit 2
	}
	. "scripts/demo/$part.sh"
done

printf '\n%sThat was it.%s The same tools wait in %s: %shcpx doctor%s looks at this machine.\n' "$bold" "$off" "$bin" "$bold" "$off"
