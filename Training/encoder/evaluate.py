"""Reads labeled conversations with the exported model, turn by turn, and prints the figures.

`--held` measures on the conversations that train.py holds out; a file of Fixtures/unseen may be
measured too. `--tune` chooses thresholds on the validation text and writes them to settings.json.
"""

import argparse
import json
import math
from pathlib import Path

import measure
from corpus import COUNT, ROOT, conversations
from program import Program
from reading import LIMITS, Example, Framing
from tokens import Tokenizer
from train import split


# Chosen on the validation text too: turns that say nothing give a third less evidence with it, at
# the same F1.
GATE = 0.5


# A target or date needs an outcome, a detail a barrier, a lesson something that was tried.
RESTS = {1: 0, 2: 0, 5: 4, 21: 20}


def logit(chance):
    chance = min(max(chance, 1e-6), 1 - 1e-6)
    return math.log(chance / (1 - chance))


class Reader:
    def __init__(self, program, framing, limits):
        self.program, self.framing = program, framing
        self.told, self.withdrawn, self.gate = limits["told"], limits["withdrawn"], limits["gate"]

    def read(self, conversation):
        """Facet to (turn, until), and the logits of every turn for facets not known before."""
        known, past, rows = {}, {}, []
        for number, turn in enumerate(conversation.turns, 1):
            e = Example(self.framing, turn, number, "")
            told, withdrawn, _ = self.program.read(e.ids, e.head, sum(1 << f for f in known))
            rows.append([logit(p) for p in told])
            new = [f for f in range(COUNT)
                   if f not in known and f not in past and rows[-1][f] > self.told]
            new = [f for f in new if f not in RESTS or RESTS[f] in known or RESTS[f] in new]
            for f in list(known):
                if logit(withdrawn[f]) > self.withdrawn:
                    past[f] = (known.pop(f), number)
            if any(rows[-1][f] > self.gate for f in new):
                known.update({f: number for f in new})
        return {**past, **{f: (first, 10**6) for f, first in known.items()}}, rows


def tune(conversations, reader):
    """The threshold that gives the best F1: one for all facets."""
    reader.told = reader.gate = 0.0
    rows = [reader.read(c)[1] for c in conversations]

    def f1(limit):
        right = wrong = missed = 0
        for conversation, logits in zip(conversations, rows):
            for f in range(COUNT):
                first = next((n for n, l in enumerate(logits, 1) if l[f] > limit), 10**6)
                for turn in range(1, len(logits) + 1):
                    truth, guess = conversation.known(f, turn), first <= turn
                    right += truth and guess
                    wrong += guess and not truth
                    missed += truth and not guess
        return 2 * right / max(1, 2 * right + wrong + missed)

    return max((step / 4 for step in range(-6, 7)), key=f1)


def main():
    o = argparse.ArgumentParser()
    o.add_argument("trained", type=Path)
    o.add_argument("files", nargs="*", type=Path)
    o.add_argument("--file", type=Path, default=ROOT / "Sources/CEncoder/encoder.model")
    o.add_argument("--held", action="store_true")
    o.add_argument("--validation", action="store_true")
    o.add_argument("--tune", action="store_true")
    o.add_argument("--intervals", action="store_true")
    o = o.parse_args()
    settings = json.loads((o.trained / "settings.json").read_text())
    framing = Framing(Tokenizer.reading(o.trained / "vocabulary.txt"), settings["before"], settings["coach"])
    reader = Reader(Program(o.file), framing, settings.get("limits", LIMITS))
    _, validation, held = split(argparse.Namespace(no_registers=False, no_sentences=True, all=False))
    if o.tune:
        halves = [validation[0::2], validation[1::2]]
        before, after = [], []
        for own, other in (halves, halves[::-1]):
            limit = tune(other, reader)
            for told, gate, rows in ((0.0, 0.0, before), (limit, GATE, after)):
                reader.told, reader.gate = told, gate
                rows += [measure.counts(c, reader.read(c)[0]) for c in own]
        print("F1 on the other half: at 0 %.3f, with thresholds %.3f" % tuple(
            measure.figures(rows)["f1"] for rows in (before, after)))
        reader.told, reader.gate = tune(validation, reader), GATE
        settings["limits"] = {"told": reader.told, "withdrawn": reader.withdrawn, "gate": GATE}
        print(settings["limits"])
        (o.trained / "settings.json").write_text(json.dumps(settings))
    texts = [(str(p), conversations(p, measuring=True)) for p in o.files]
    texts += [("held out", held)] * o.held + [("validation", validation)] * o.validation
    for name, rows in texts:
        print(name)
        print(measure.table(rows, [reader.read(c)[0] for c in rows], o.intervals))


if __name__ == "__main__":
    main()
