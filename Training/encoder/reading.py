"""From a network's logits to what is known, turn by turn."""

import torch

from corpus import COUNT

# In log odds: what a facet must exceed to count as told, or as taken back, and what one facet of a
# turn must exceed, or the turn says nothing.
LIMITS = {"told": 0.0, "withdrawn": 0.0, "gate": 0.0}
COACH_PIECES, BEFORE_PIECES, LONGEST = 64, 0, 320


class Framing:
    """How a turn becomes the network's input: `[CLS] before [SEP] coach [SEP] turn [SEP]`."""

    def __init__(self, tokenizer, before=BEFORE_PIECES, coach=COACH_PIECES):
        self.tokenizer, self.before, self.coach = tokenizer, before, coach

    def frame(self, turn):
        t = self.tokenizer
        said = [p.id for p in t.tokens(turn.coach)][-self.coach:]
        if self.before and turn.before:
            said = [p.id for p in t.tokens(turn.before)][-self.before:] + [t.separator] + said
        head = [t.first] + said + [t.separator]
        pieces = t.tokens(turn.text)[:LONGEST]
        return head + [p.id for p in pieces] + [t.separator], len(head), pieces


class Example:
    def __init__(self, framing, turn, number, source):
        self.ids, self.head, self.pieces = framing.frame(turn)
        self.new, self.known, self.withdrawn = turn.new, turn.known, turn.withdrawn
        self.number, self.source = number, source

    def quote(self, facet):
        """The input tokens that overlap the facet's quote."""
        place = self.new[facet]
        if place is None:
            return []
        return [self.head + i for i, p in enumerate(self.pieces)
                if p.start < place[1] and p.end > place[0]]


def batch(examples):
    longest = max(len(e.ids) for e in examples)
    ids = torch.zeros(len(examples), longest, dtype=torch.long)
    parts, spoken = torch.zeros_like(ids), torch.zeros_like(ids, dtype=torch.bool)
    for row, e in enumerate(examples):
        ids[row, :len(e.ids)] = torch.tensor(e.ids)
        parts[row, e.head:len(e.ids)] = 1
        spoken[row, e.head:e.head + max(1, len(e.pieces))] = True
    return ids, parts, torch.tensor([len(e.ids) for e in examples]), spoken


@torch.no_grad()
def logits(network, examples, size=48):
    """Turn logits (new facets) and withdrawal logits of every example."""
    network.eval()
    found = torch.zeros(len(examples), 2, COUNT)
    order = sorted(range(len(examples)), key=lambda i: len(examples[i].ids))
    for start in range(0, len(order), size):
        rows = order[start:start + size]
        chosen = [examples[i] for i in rows]
        known = torch.zeros(len(chosen), COUNT)
        for row, e in enumerate(chosen):
            known[row, list(e.known)] = 1
        _, turn, back = network(*batch(chosen), known)
        found[rows, 0], found[rows, 1] = turn, back
    return found


def readings(conversations, found, thresholds, withdrawal=0.0):
    """What is known, from the logits of all turns in order."""
    result, row = [], 0
    for conversation in conversations:
        known, past = {}, {}
        for number in range(1, len(conversation.turns) + 1):
            new, back = found[row]
            row += 1
            for f in range(COUNT):
                if f in known and back[f] > withdrawal:
                    past.setdefault(f, (known.pop(f), number))
                elif f not in known and f not in past and new[f] > thresholds[f]:
                    known[f] = number
        reading = dict(past)
        reading.update({f: (first, 10**6) for f, first in known.items()})
        result.append(reading)
    return result
