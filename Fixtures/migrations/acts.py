#!/usr/bin/env python3
"""Bring recorded conversations along to readings that tell what each message does.

    python3 Fixtures/migrations/acts.py [FOLDER]
    rapport test FOLDER --update

FOLDER holds cassettes (Fixtures/conversations), or is one. Before, phrase lists decided what a reply
to an offer, a question, a summary or the paywall does, and only some messages were read. The events
that the old build stored (`expect.events`) tell what each of them did:

- The reading of a message that was read gets `acts`, and so do its old `withheld` and `answers`.
- A message that wasn't read gets a reading, unless it was a printed label.
- A message that was kept at the paywall is read there, not afterwards.
- An offer gets the coach's words before it. Put better ones in place of REACTION.

A quote is the whole message. What the events can't tell stays as it is, and is said. Running it again
changes nothing. `rapport test --update` then writes the new keys and numbers; it shows whatever else
changes. acts.json has the lists by which the old build took a reply for a refusal or for no answer.
"""
import copy
import json
import pathlib
import re
import sys
import unicodedata

from personal_facts import fingerprint

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "Prompts/shared"
REACTION = "I see."
LABELS = {"offer.goAhead": "Go on with what you have", "offer.minimal": "Take a careful first step",
          "offer.keepTalking": "Keep talking", "confirmation.goAhead": "Let's go",
          "paywall.continue": "Continue my coaching journey", "paywall.notNow": "Not now"}
IDS = {"offer": ["goAhead", "keepTalking"], "summary": ["goAhead"],
       "paywall": ["continue", "not-now"]}
NO_CARE = {"kind": "none", "quote": ""}


def plain(text):
    """Words without marks, case and accents, as the old build compared them."""
    text = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss"))
    text = "".join(c for c in text if not unicodedata.combining(c) and c not in "'’")
    return " ".join(re.findall(r"\w+|[^\w\s.,;:!?…\"()-]+", text))


def translations():
    for file in sorted(SHARED.glob("languages/*.json")):
        yield json.loads(file.read_text(encoding="utf-8"))


PHRASES = {name: {plain(phrase) for phrase in phrases} for name, phrases in json.loads(
    (HERE / "acts.json").read_text(encoding="utf-8")).items()}
PRINTED = {name: {plain(label)} | {plain(language["choices"][name]) for language in translations()}
           for name, label in LABELS.items()}


def openings(name):
    """How a fixed text begins, in each language."""
    texts = [(SHARED / f"texts/{name}.mustache").read_text(encoding="utf-8")]
    texts += [language["texts"].get(name, "") for language in translations()]
    return tuple(text.strip()[:12] for text in texts if text.strip())


WAITS, MINIMAL = openings("confirmation-waits"), openings("offer-minimal")


def is_label(line):
    """Whether it decides by itself: the printed words of a choice, its number or its id, or /done,
    which was stored as the words of an offer."""
    said = plain(line.text)
    if line.text.strip().lower() == "/done" or line.kind == "said" and line.is_done:
        return True
    if line.phase == "summary" and line.events[1:] == ["summarised"]:
        return False  # The summary was cut, and nothing had been printed.
    names = {"summary": ["confirmation.goAhead"], "paywall": ["paywall.continue", "paywall.notNow"],
             "offer": ["offer.minimal" if line.is_minimal else "offer.goAhead", "offer.keepTalking"]
             }.get(line.phase, [])
    return bool(names) and (said in ("1", "2") or said in map(plain, IDS[line.phase])) \
        or any(said in PRINTED[name] for name in names)


def means(text, name):
    """Whether a reply consists of an old list's phrases, and of words around them."""
    words = plain(text).split()
    found = False
    while words:
        length = next((n for n in range(len(words), 0, -1)
                       if " ".join(words[:n]) in PHRASES[name]), 0)
        if not length and words[0] not in PHRASES["fillers"]:
            return False
        found = found or length > 0
        words = words[max(1, length):]
    return found


class Line:
    """Something the user typed, what it answered, and the events until the next line."""

    def __init__(self, kind, phase, turn, text):
        self.kind, self.phase, self.turn, self.text = kind, phase, turn, text
        self.events = []
        self.new_turn = turn
        self.is_done = self.is_minimal = False
        self.reply = ""


def lines_of(cassette):
    """The lines in order. `kind` is said, held, declined, continued, or released for words that were
    held and sent later."""
    users = [message["user"] for message in cassette["transcript"] if "user" in message]
    typed = [step["user"] for step in cassette["script"] if "user" in step]
    spoken = replies(cassette)
    lines, phase, turn, held = [], "question", 0, 0

    def add(kind):
        line = Line(kind, phase, turn, users[turn - 1] if kind in ("said", "released") else "")
        line.reply = spoken.get(turn, "")
        line.is_minimal = spoken.get(turn - 1, "").startswith(MINIMAL)
        if kind != "released":
            stored = [line.text.strip(), *PRINTED["offer.goAhead"]]
            while kind == "said" and typed and typed[0].strip() not in stored \
                    and not (typed[0].strip().lower() == "/done" and plain(line.text) in stored) \
                    and not (phase in IDS and plain(typed[0]) in [*map(plain, IDS[phase]), "1", "2"]):
                typed.pop(0)  # It was refused, or there was nothing to end.
            line.is_done = bool(typed) and typed[0].strip().lower() == "/done"
            line.text = line.text or (typed[0] if typed else "")
            del typed[:1]
        lines.append(line)

    for event in cassette["expect"]["events"]:
        if event == "userSaid":
            turn += 1
            released = held and phase == "coaching"
            add("released" if released else "said")
            held = 0 if released else held
        elif event == "messageHeld":
            add("held")
            held += 1
        elif event == "paywallDeclined":
            add("declined")
        elif event == "entitled" and phase == "paywall":
            add("continued")
        if lines:
            lines[-1].events.append(event)
        if event == "asked" and phase in ("offer", "body"):
            # Somebody who was told to get help is asked how they are, and the offer stays.
            earlier = lines[-2].events if len(lines) > 1 else []
            phase = phase if "cared" in earlier else "question"
        else:
            phase = {"offered": "offer", "bodyAsked": "body", "summarised": "summary",
                     "discoveryCompleted": "agreed", "paywallShown": "paywall",
                     "entitled": "coaching", "coached": "coaching"}.get(event, phase)
    if turn != len(users):
        raise ValueError(f"{turn} messages in its events, {len(users)} in its transcript")
    return lines


def replies(cassette):
    """The coach's first message after each user turn."""
    found, turn = {}, 0
    for message in cassette["transcript"]:
        if "user" in message:
            turn += 1
        else:
            found.setdefault(turn, message["coach"])
    return found


def acts_of(line, was_read, ends):
    """What the line did, as (act, what); None if the events don't tell."""
    events = set(line.events)
    if line.kind == "continued":
        return [("continues", "")]
    if line.kind == "declined":
        return [("not-now", "")]
    if "cared" in events or line.kind in ("held", "released"):
        return []
    if line.phase == "summary":
        if "discoveryCompleted" in events:
            return [("agrees", "")]
        if "synthesised" in events:
            return [("corrects", "")] if was_read else None
        if "asked" in events:
            return [("postpones" if line.reply.startswith(WAITS) else "rejects", "")]
        return [] if was_read else [("agrees", "")] if "summarised" in events else None
    if line.phase == "offer":
        if was_read:
            return [("talks-on", "")] if events & {"asked", "synthesised", "bodyAsked"} else []
        if "synthesised" in events:
            return [("goes-on", "")]
        return [("talks-on", "")] if "asked" in events else None
    if line.phase == "body" and not was_read:
        # Numbers and a plain no were never read, and aren't now.
        asks = "bodyAsked" in events and "bodyNoted" not in events
        return [("asks", "question")] if asks else []
    if line.phase in ("question", "body"):
        if ends and "synthesised" in events:
            return [("stops", "")]
        if was_read:
            return []
        if "synthesised" in events:
            return [("stops", "")]
        if means(line.text, "nonAnswer"):
            return [("unsure", "")]
        if means(line.text, "declineToAnswer"):
            return [("declines", "")]
        return [("asks", "question")] if "?" in line.text else None
    return [] if was_read else None


def act(name, what, turn, quote):
    return {"act": name, "what": what, "turn": turn, "quote": quote}


def reading(line, acts):
    """An answer of somebody who read only that."""
    acts = [act(name, what, line.new_turn, line.text) for name, what in acts]
    if line.phase in ("offer", "summary", "paywall"):
        return {"acts": acts, "evidence": [], "care": dict(NO_CARE)}
    return {"evidence": [], "retracted": [], "stated": [], "care": dict(NO_CARE),
            "understanding": [], "notes": [], "acts": acts}


def rewrite(answer, line, acts):
    """The old members as acts, and care with the words that need it."""
    found = [act(name, what, line.new_turn, line.text) for name, what in acts]
    for item in answer.pop("withheld", []):
        found.append(act("declines", item["facet"], item["turn"], item["quote"]))
    for item in answer.pop("answers", []):
        name = "agrees" if item["says"] == "yes" else "rejects"
        found.append(act(name, "", item["turn"], item["quote"]))
    care = answer.get("care", "none")
    if isinstance(care, str):
        answer["care"] = dict(NO_CARE) if care == "none" else {"kind": care, "quote": line.text}
    answer["acts"] = found


def renumbered(value, turns):
    """The same JSON with the numbers that turns have now."""
    if isinstance(value, list):
        return [renumbered(item, turns) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: turns.get(item, item) if key == "turn" and isinstance(item, int)
            else renumbered(item, turns) for key, item in value.items()}


def number_anew(lines):
    """Gives lines at the paywall that are messages now a turn. Returns new numbers by old ones."""
    turns, number, last_held = {0: 0}, 0, None
    for line in lines:
        if line.kind == "released":
            turns[line.turn] = last_held
            continue
        if line.kind == "said" or line.kind == "held" or not is_label(line):
            number += 1
        line.new_turn = number
        if line.kind == "said":
            turns[line.turn] = number
        elif line.kind == "held":
            last_held = number
    return turns


def is_migrated(exchange):
    answer = exchange["response"].get("json")
    names = exchange.get("request", {}).get("structure") or ""
    return isinstance(answer, dict) and "acts" in answer or "acts" in names.split(",")


def migrated(cassette, say):
    scores = [one for one in cassette["exchanges"] if one.get("purpose") == "score"]
    if any(is_migrated(one) for one in scores):
        return cassette
    if not cassette.get("transcript") or not cassette.get("expect", {}).get("events"):
        say("it has no transcript or no events, so nothing tells what its messages did")
        return cassette
    try:
        lines = lines_of(cassette)
    except ValueError as error:
        say(f"left alone: {error}")
        return cassette
    cassette = copy.deepcopy(cassette)
    users = [message["user"] for message in cassette["transcript"] if "user" in message]
    by_words = {fingerprint(users[:count]): count for count in range(len(users) + 1)}
    turns = number_anew(lines)
    ends = cassette["expect"].get("outcome") == "ended"
    offers = any("offered" in line.events for line in lines)

    # The exchanges that answer each turn of the old build, in order.
    groups, newest = {}, 0
    for exchange in cassette["exchanges"]:
        newest = max(newest, by_words.get(exchange.get("request", {}).get("words"), newest))
        groups.setdefault(newest, []).append(exchange)

    def is_score(exchange):
        return exchange.get("purpose") == "score"

    result = groups.pop(0, [])
    release, before = {}, {}
    for line in lines:
        if line.kind == "released":
            release = {line.turn: [one for one in groups.get(line.turn, []) if is_score(one)]}
    for line in lines:
        group = groups.pop(line.turn, []) if line.kind in ("said", "released") else []
        read = [one for one in group if is_score(one)]
        if line.kind == "released":
            result += [one for one in group if not is_score(one)]
            continue
        if line.kind in ("declined", "continued") and is_label(line):
            continue
        if line.kind == "held" and len([one for one in lines if one.kind == "held"]) == 1:
            read = next(iter(release.values()), [])
            result += read
        acts = acts_of(line, bool(read), ends and not offers and not is_label(line))
        if acts is None:
            if not is_label(line):
                say(f"turn {line.turn}: the events don't tell what {line.text[:40]!r} does")
            acts = []
        elif not read and not is_label(line) and line.kind != "said" \
                or not read and not is_label(line) and acts:
            response = {"json": reading(line, acts)}
            # A prompt that grew, and took fewer tokens than the last, would look cut.
            if "retracted" in response["json"] and "usage" in before:
                response["usage"] = dict(before["usage"], output=1)
            group.insert(0, {"purpose": "score", "response": response})
        before = read[-1]["response"] if read else before
        for one in read:
            answer = one["response"].get("json")
            if isinstance(answer, dict):
                one["response"]["json"] = answer = renumbered(answer, turns)
                rewrite(answer, line, acts)
            elif acts:
                say(f"turn {line.turn}: its reading isn't JSON; write {acts} into it by hand")
        if line.kind in ("declined", "continued", "held"):
            # Later exchanges of the same turn, such as the coach's reply, come after it.
            late = [one for one in result if one.get("purpose") == "coach"
                    and by_words.get(one.get("request", {}).get("words")) == line.turn]
            result = [one for one in result if one not in late] + group + late
        else:
            result += group
        if "offered" in line.events:
            result.append({"purpose": "offer", "response": {"text": REACTION}})
    for turn in sorted(groups):
        result += groups[turn]
    for one in result:
        answer = one["response"].get("json")
        if isinstance(answer, dict) and not is_score(one):
            one["response"]["json"] = renumbered(answer, turns)
    cassette["exchanges"] = result
    for turn in cassette["expect"].get("turns", []):
        turn["turn"] = turns.get(turn["turn"], turn["turn"])
    return cassette


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "conversations")
    for file in sorted(folder.rglob("*.json")) if folder.is_dir() else [folder]:
        name = file.relative_to(folder).with_suffix("").as_posix() if folder.is_dir() else file.stem
        cassette = json.loads(file.read_text(encoding="utf-8"))
        if "exchanges" not in cassette or "script" not in cassette:
            continue
        after = migrated(cassette, lambda text: print(f"  {name}: {text}"))
        if after != cassette:
            text = json.dumps(after, ensure_ascii=False, indent=2)
            file.write_text(text + "\n", encoding="utf-8")
            print(name)


if __name__ == "__main__":
    main()
