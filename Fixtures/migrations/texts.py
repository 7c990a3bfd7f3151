#!/usr/bin/env python3
"""Carries changed fixed texts of a prompt pack over to recorded conversations.

  git worktree add OLD HEAD~1
  Fixtures/migrations/texts.py OLD/Prompts/fitness Prompts/fitness Fixtures/conversations
  Fixtures/migrations/texts.py OLD/Prompts/shared Prompts/shared Fixtures/conversations
  rapport test Fixtures/conversations --update

It compares the files under texts/ and care/, piece by piece between placeholders and line ends,
and replaces each changed piece in the JSON files. `rapport test --update` then renews the keys.
"""

import json
import pathlib
import re
import sys


def pieces(path):
    text = re.sub(r"<!--.*?-->\s*", "", path.read_text(encoding="utf-8"), flags=re.S)
    parts = (part.strip() for part in re.split(r"\{\{.*?\}\}|\n", text))
    return [part for part in parts if len(part) > 8]


def changes(old, new):
    pairs = {}
    for path in sorted(old.glob("texts/*")) + sorted(old.glob("care/*")):
        now = new / path.relative_to(old)
        if not now.exists():
            continue
        before, after = pieces(path), pieces(now)
        if len(before) != len(after):
            sys.exit(f"{now}: the pieces between placeholders don't correspond")
        pairs.update(pair for pair in zip(before, after) if pair[0] != pair[1])
    return sorted(pairs.items(), key=lambda pair: -len(pair[0]))


def escaped(text):
    return json.dumps(text, ensure_ascii=False)[1:-1]


def main(old, new, *folders):
    pairs = [(escaped(a), escaped(b)) for a, b in changes(pathlib.Path(old), pathlib.Path(new))]
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.json")):
            before = after = path.read_text(encoding="utf-8")
            for a, b in pairs:
                after = after.replace(a, b)
            if after != before:
                path.write_text(after, encoding="utf-8")
                print(path)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
