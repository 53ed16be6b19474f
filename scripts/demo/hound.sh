# The part about Hound, sourced by demo.sh.
part 'Exactly which bytes will an operation change, and can anyone check it later?'

bakery=$demo/bakery
in_bakery() { git -C "$bakery" -c user.name=Demo -c user.email=demo@example.invalid "$@" >/dev/null; }
mkdir "$bakery"
in_bakery init -q -b main .
printf 'bread 2.80\nrolls 0.45\n' >"$bakery/prices"
printf '.hound/\n' >"$bakery/.gitignore"
in_bakery add .
in_bakery commit -q -m 'open the bakery'

# hound runs in the bakery's folder.
hound() {
	cd "$bakery"
	run hound "$@"
	cd "$top"
}
driver=drivers/stamp/hound-driver.json
# plan makes a plan outside the repository and keeps its id.
plan() {
	hound plan --driver "$driver" --operation stamp.write --as-of "$1" --output "$demo/$2.json"
	plan_id=$(sed 's/.*"plan_id":"\([0-9a-f]*\)".*/\1/' "$demo/$2.json")
}

chapter 'A driver proposes, a person sees exactly what'
say 'A driver is a program of the repository. It may read, and it may propose a' \
	'write: the exact bytes of every file, before and after. This one is freshly' \
	'made, and tried with everything short of an execution.'
hound driver init drivers/stamp --id stamp
in_bakery add drivers
in_bakery commit -q -m 'add a driver'
hound driver check --driver "$driver" --deep
fact '"name":"plan stamp.write again","ok":true' 'it plans the same twice'
plan 2026-01-31 first
hound show --text "$demo/first.json"
fact '+as of 2026-01-31' 'the reviewer sees every byte'

chapter 'Approved, carried out, recorded'
want_exit=3
hound execute --driver "$driver" --plan "$demo/first.json"
fact 'approval_needed' 'without an approval nothing happens'
hound approve --plan "$demo/first.json" --reviewer ana --expires-at 2099-01-01T00:00:00Z --output "$demo/approval.json"
hound execute --driver "$driver" --plan "$demo/first.json" --approval "$demo/approval.json"
fact '"changed_paths":\["stamp/stamp.txt"\]' 'that file changed, as planned, and no other'
record=.hound/runs/$plan_id
hound verify "$record"
fact '"valid":true' 'the record holds what was planned, approved, asked and answered'

chapter 'A plan that no longer holds is refused, and explained'
plan 2026-02-28 second
printf 'bread 3.00\nrolls 0.45\n' >"$bakery/prices"
want_exit=2
hound explain "$demo/second.json" --driver "$driver"
fact 'prices' 'somebody changed the prices since'
in_bakery checkout -q -- prices

chapter 'A driver that touches anything else is caught'
say 'The driver is changed so that its read also lowers a price.'
sed 's|^read/stamp.read)|read/stamp.read) echo "bread 0.10" >prices|' "$bakery/drivers/stamp/driver.sh" >"$demo/driver.sh"
cp "$demo/driver.sh" "$bakery/drivers/stamp/driver.sh"
in_bakery commit -q -a -m 'a bad change'
want_exit=1
hound invoke --driver "$driver" --operation stamp.read
fact '"code":"mutation"' 'the read is refused, and names the file'

chapter 'A forged record is caught'
say 'Somebody makes the record say that another date was stamped.'
for name in plan request; do
	sed 's/2026-01-31/2026-01-30/' "$bakery/$record/$name.json" >"$demo/forged" && cat "$demo/forged" >"$bakery/$record/$name.json"
done
want_exit=1
hound verify "$record"
fact '"code":"invalid_record"' 'every hash and every relation is computed again'
