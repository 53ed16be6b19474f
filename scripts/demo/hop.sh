# The part about Hop, sourced by demo.sh.
part 'Where does an agent work, and how does its work become accepted?'

shop=$demo/shop
git_quietly() { git -C "$shop" -c user.name=Demo -c user.email=demo@example.invalid "$@" >/dev/null; }
mkdir "$shop"
git_quietly init -q -b main .
printf 'bread 2.80\nmilk 1.20\n' >"$shop/prices"
printf 'open 8 to 18\n' >"$shop/hours"
git_quietly add .
git_quietly commit -q -m 'open the shop'
printf 'bread 2.80\nmilk 1.20\napples 0.90\n' >"$shop/prices"
git_quietly commit -q -a -m 'sell apples'

# hop runs in the shop's folder. begin also reads what the agent is asked.
hop() {
	cd "$shop"
	run hop "$@"
	cd "$top"
}
# begin asks an agent for something and keeps the ids of its attempt.
begin() {
	printf '%s\n' "$2" >"$demo/asked"
	input=$demo/asked
	say '' "asked of $1: $2"
	hop begin --agent "$1" --heredoc
	input=/dev/null
	state=$(sed -n 's/.*HOP_STATE_ID=\([^ ]*\).*/\1/p' "$demo/answer")
	place=$(sed -n 's/^Workspace: //p' "$demo/answer")
}
# propose freezes an attempt and keeps the id of the proposal.
propose() {
	hop propose --summary "$2" "$1"
	proposal=$(grep -o 'R_[0-9A-Z]*' "$demo/answer" | head -n 1)
}

chapter 'Two agents at once'
say 'A shop has a small history. Two agents are asked for something at the same' \
	'time. Each request is recorded before anything happens because of it, and' \
	'each agent gets a workspace of its own.'
begin codex 'Bread costs 3 from now on.'
one=$state one_place=$place
begin claude 'Everything gets 10 cents cheaper.'
two=$state two_place=$place
fact 'Workspace' 'two workspaces, and nothing of the shop itself was touched'

chapter 'Checked on exactly what was recorded'
say 'Both change the price of bread.'
sed 's/^bread .*/bread 3.00/' "$one_place/prices" >"$demo/prices" && cp "$demo/prices" "$one_place/prices"
awk '{ printf "%s %.2f\n", $1, $2 - 0.10 }' "$two_place/prices" >"$demo/prices" && cp "$demo/prices" "$two_place/prices"
say '' 'A check runs in a clean checkout of the recorded state, never in a folder that' \
	'somebody may be editing.'
hop check "$one" -- grep -q '^bread 3.00' prices
propose "$one" 'bread costs 3.00'
first=$proposal
propose "$two" 'ten cents off'
second=$proposal

chapter 'What fits lands, what does not is refused'
hop land "$first" -- grep -q '^bread' prices
fact 'A_' 'validated on the composed result, then accepted'
say '' 'The other proposal changed the same file from an older price list.'
want_exit=20
hop land "$second" -- grep -q '^bread' prices
fact 'prices' 'refused, with the path that both sides changed; nothing is lost'

chapter 'Undo rewrites nothing'
hop undo
hop history
say '' 'Every state is still there, and the folder of the shop was never touched:'
line='cat prices'
show 0 cat "$shop/prices"
fact 'bread 2.80' 'landing and taking are two acts: hop sync writes the accepted state here'
