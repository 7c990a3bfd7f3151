#!/usr/bin/env python3
"""Bring recorded conversations along to the scorer's answer with `about`, `withheld` and `stated`.

    python3 Fixtures/migrations/personal_facts.py [FOLDER [EVENTS]]
    rapport test FOLDER --update

FOLDER holds cassettes (Fixtures/conversations). EVENTS has the events that a build from before
the change stored when it played them, one `{"name", "event"}` a line, as far as code read
something personal there: `userSaid` with `statedAge` or `withholds`, and `bodyNoted`
(personal-facts.jsonl). Where the scorer now has to read what code read then, its recorded answer
gets the same statement, with the user's words for it. Running it again changes nothing.

`rapport test --update` then writes the new fingerprints; it shows whatever else changes.
"""
import json
import pathlib
import re
import sys

OLD = "evidence,retracted,care"
NEW = "evidence,retracted,withheld,stated,care"
HERE = pathlib.Path(__file__).resolve().parent


def fingerprint(texts):
    """Sources/Cassettes/Fingerprint.swift: FNV-1a over eight bytes at a time."""
    mask, state = (1 << 64) - 1, 0xCBF29CE484222325
    for text in texts:
        data = text.encode()
        whole = len(data) & ~7
        words = [int.from_bytes(data[i : i + 8], "little") for i in range(0, whole, 8)]
        for word in words + [int.from_bytes(data[whole:], "little"), len(data)]:
            state = ((state ^ word) * 0x100000001B3) & mask
            state ^= state >> 32
    return f"{state:016x}"


def age(text, years):
    """The words that state the age, and the number in them."""
    match = re.search(
        rf"(?:\b(?:I'?m|I am|age:?) )?\b{years}\b(?: years? old)?", text, re.IGNORECASE)
    if not match:
        return None  # The old build misread a number, such as the 68 of "1m68".
    return {"what": "age", "unit": "years", "numbers": [years], "quote": match.group()}


def measure(quote, note):
    """A height or weight as the quote has it."""
    number = float(re.search(r"\d+(?:[.,]\d+)?", quote).group().replace(",", "."))
    number = int(number) if number == int(number) else number
    metres = note.get("heightCentimetres") == round(number * 100, 1)
    height = metres or note.get("heightCentimetres") == number
    unit = "m" if metres else "cm" if height else "kg"
    if unit == "kg" and note.get("weightKilograms") != number:
        raise SystemExit(f"{quote}: write the unit by hand")
    return {"what": "height" if height else "weight", "unit": unit, "numbers": [number],
            "quote": quote}


def bare(text):
    """What code still reads by itself: numbers and units, and a refusal."""
    return not re.search(r"[^\W\d_]{3,}", re.sub(r"\b(?:kilos?|und)\b", "", text, flags=re.I))


def statements(event, text):
    """(`withheld`, `stated`) for what the event of the old build says."""
    withheld, stated = [], []
    if event["type"] == "userSaid":
        if "statedAge" in event:
            stated += filter(None, [age(text, event["statedAge"])])
        if "withholds" in event:
            sentence = next(s for s in re.split(r"(?<=[.!?])\s+", text)
                            if re.search(r"private|rather not", s))
            withheld.append({"facet": event["withholds"], "quote": sentence.rstrip(".!?")})
    elif event["quotes"] and not bare(text):
        stated += [measure(quote, event) for quote in event["quotes"]]
    for item in withheld + stated:
        quote = item.pop("quote")
        item.update(turn=event["turn"], quote=quote)
    return withheld, stated


def migrated(cassette, events):
    users = [message["user"] for message in cassette.get("transcript", []) if "user" in message]
    turns = {fingerprint(users[:count]): count for count in range(1, len(users) + 1)}
    left = list(events)
    for exchange in cassette["exchanges"]:
        request = exchange.get("request", {})
        if exchange.get("purpose") != "score" or request.get("structure") not in (OLD, NEW):
            continue
        request["structure"] = NEW
        answer = exchange["response"].get("json")
        if answer is None:
            continue
        for item in answer["evidence"]:
            item.setdefault("about", "self")
        care = answer.pop("care", "none")
        answer.setdefault("withheld", [])
        answer.setdefault("stated", [])
        answer["care"] = care
        newest = turns.get(request["words"], 0)
        for event in [event for event in left if event["turn"] <= newest]:
            left.remove(event)
            withheld, stated = statements(event, users[event["turn"] - 1])
            answer["withheld"] += [item for item in withheld if item not in answer["withheld"]]
            answer["stated"] += [item for item in stated if item not in answer["stated"]]
    for event in left:
        if any(statements(event, users[event["turn"] - 1])):
            print(f"  no scorer read turn {event['turn']}: {event}")
    return cassette


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "conversations")
    path = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else HERE / "personal-facts.jsonl")
    events = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        events.setdefault(row["name"], []).append(row["event"])
    for file in sorted(folder.rglob("*.json")):
        name = file.relative_to(folder).with_suffix("").as_posix()
        cassette = json.loads(file.read_text(encoding="utf-8"))
        before = json.dumps(cassette)
        cassette = migrated(cassette, events.get(name, []))
        if json.dumps(cassette) != before:
            text = json.dumps(cassette, ensure_ascii=False, indent=2)
            file.write_text(text + "\n", encoding="utf-8")
            print(name)


if __name__ == "__main__":
    main()
