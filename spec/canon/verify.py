#!/usr/bin/env python3
"""Check accepted.json with Python's own json module. Exits 1 on a difference."""
import hashlib
import json
import pathlib
import sys


def canonical(text):
    return json.dumps(json.loads(text), ensure_ascii=False, allow_nan=False,
                      sort_keys=True, separators=(",", ":"))


vectors = json.loads((pathlib.Path(__file__).parent / "accepted.json").read_text("utf-8"))
wrong = 0
for v in vectors["documents"]:
    form = canonical(v["input"])
    if (form, hashlib.sha256(form.encode()).hexdigest()) != (v["canonical"], v["sha256"]):
        wrong += 1
        print("differs:", v["name"])
for literal, form in vectors["floats"]:
    if canonical(literal) != form:
        wrong += 1
        print("differs:", literal)
print(len(vectors["documents"]), "documents,", len(vectors["floats"]), "floats,", wrong, "wrong")
sys.exit(wrong > 0)
