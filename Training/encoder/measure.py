"""Measures readings against labels, over every prefix of every conversation."""

import random

from corpus import COUNT, READY_ABOVE, WEIGHTS


def counts(conversation, reading):
    """(right, wrong, missed, absolute errors, wrong ready decisions, prefixes, and of the turns
    that say nothing new: how many, and how many gave evidence).

    `reading` maps a facet to (turn, until), like labels.
    """
    right = wrong = missed = unready = 0
    errors = []
    for turn in range(1, len(conversation.turns) + 1):
        truth = [conversation.known(f, turn) for f in range(COUNT)]
        guess = [_known(reading, f, turn) for f in range(COUNT)]
        right += sum(t and g for t, g in zip(truth, guess))
        wrong += sum(g and not t for t, g in zip(truth, guess))
        missed += sum(t and not g for t, g in zip(truth, guess))
        a, b = _overall(truth), _overall(guess)
        errors.append(abs(a - b) / 10000)
        unready += (a > READY_ABOVE) != (b > READY_ABOVE)
    quiet = [n for n, turn in enumerate(conversation.turns, 1) if not turn.new]
    noisy = sum(any(
        first == n and f not in conversation.turns[n - 1].known
        for f, (first, _) in reading.items()) for n in quiet)
    return right, wrong, missed, sum(errors), unready, len(errors), len(quiet), noisy


def _known(reading, facet, after):
    first, until = reading.get(facet, (10**6, 0))
    return first <= after < until


def _overall(known):
    return sum(w for w, k in zip(WEIGHTS, known) if k)


def figures(rows):
    right, wrong, missed, error, unready, prefixes, quiet, noisy = map(sum, zip(*rows))
    return {
        "f1": 2 * right / max(1, 2 * right + wrong + missed),
        "precision": right / max(1, right + wrong),
        "recall": right / max(1, right + missed),
        "mae": error / prefixes,
        "ready": unready / prefixes,
        "noise": noisy / max(1, quiet),
    }


def interval(rows, name, rounds=1000):
    """The 90% interval from resampling the conversations."""
    dice = random.Random(7)
    found = sorted(
        figures(dice.choices(rows, k=len(rows)))[name] for _ in range(rounds))
    return found[rounds // 20], found[-rounds // 20]


def table(conversations, readings, intervals=False):
    groups = {}
    for conversation, reading in zip(conversations, readings):
        row = counts(conversation, reading)
        groups.setdefault("all", []).append(row)
        groups.setdefault(conversation.register, []).append(row)
        if conversation.register != "ordinary":
            groups.setdefault("registers", []).append(row)
    lines = [f"{'':14} {'n':>4} {'F1':>6} {'prec':>6} {'rec':>6} {'MAE':>6} {'ready':>6} {'noise':>6}"]
    for name in sorted(groups, key=lambda n: (n not in ("all", "ordinary", "registers"), n)):
        rows = groups[name]
        f = figures(rows)
        line = f"{name:14} {len(rows):4}" + "".join(
            f" {f[k]:6.3f}" for k in ("f1", "precision", "recall", "mae", "ready", "noise"))
        if intervals:
            line += "  F1 %.3f-%.3f, MAE %.3f-%.3f" % (interval(rows, "f1") + interval(rows, "mae"))
        lines.append(line)
    return "\n".join(lines)
