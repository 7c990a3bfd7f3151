"""Chooses thresholds for the head for acts on what its folds read, writes Sources/CEncoder/acts.model
(Sources/CEncoder/model.h describes it), and checks that the program reads as the trained network does."""

import argparse
import math
import struct
import sys
from pathlib import Path

import numpy as np
import torch

from acts import (
    ACTS, FOLDS, HELD, INNER, KNOWN_WORDS, LAYERS, MODEL, MOMENTS, PLAIN, TAKEN, WIDTH, Reader, Words,
    fold_of, is_unfamiliar, known_words, messages, odds, trunk, vocabulary)
from corpus import ROOT
from program import KINDS, Program

# Taken wrongly, these move a conversation on. They are sure only if no other act that changes the course is in
# doubt and hardly a word is new, and then above every message that doesn't do them, but for this share at an
# offer and a question, where the summary that follows can still be corrected.
STRICT = {"question": ["stops"], "offer": ["goes-on"], "summary": ["agrees"], "wall": ["continues"],
          "coaching": ["agrees"]}
WRONG, LEAST_CHANCE = {"offer": 0.012, "question": 0.004}, 0.6
MARGIN = 0.1
# These change no course, so they cast no doubt.
ADDED = ["reports", "changes-limit", "ends-limit", "changes-goal"]
# Of what is sure, the share that must be right for the others.
PRECISION, LEAST_OTHER = 0.96, 0.6
# From which chance on an act is possible. A person who only answers a question isn't to be asked what they
# meant; at the others a question costs less than an error.
POSSIBLE = {"question": 0.35, "offer": 0.25, "summary": 0.25, "wall": 0.25, "coaching": 0.35}
# Of the network's log odds: the mean difference that rounding to eight bits may make.
MEAN = 0.25


# What the words say counts half of what the network says, and both together are this much too sure.
WORDS, TEMPERATURE = 0.5, 0.7


def logit(chance):
    return math.log(chance / (1 - chance)) / TEMPERATURE


def strict_bound(found, does, wrong):
    """The least log odds above which no more than a share of the messages is that don't do it."""
    others = np.sort(found[~does])[::-1]
    return max(float(others[int(wrong * len(others))]) + MARGIN, logit(LEAST_CHANCE))


def sure_bound(found, does):
    """The least log odds above which nearly all messages do it."""
    best = math.inf
    order = np.argsort(-found)
    right = np.cumsum(does[order])
    for place, index in enumerate(order):
        if right[place] >= PRECISION * (place + 1):
            best = float(found[index])
    return max(best, logit(LEAST_OTHER))


def bounds(rows, found, unfamiliar):
    """For each moment and act, the log odds from which it is possible and sure."""
    chosen = np.full((len(MOMENTS), 2, len(ACTS)), math.inf, np.float32)
    for place, moment in enumerate(MOMENTS):
        here = np.array([row.moment == place for row in rows])
        does = {act: np.array([act in row.acts for row in rows])[here] for act in TAKEN[moment]}
        odds = {act: found[here, ACTS.index(act)] for act in TAKEN[moment]}
        doubted = unfamiliar[here]
        # The strict ones last, because they depend on the others.
        for act in sorted(TAKEN[moment], key=lambda act: act in STRICT[moment]):
            possible = logit(POSSIBLE[moment])
            if act in STRICT[moment]:
                sure = strict_bound(np.where(doubted, -math.inf, odds[act]), does[act],
                                    WRONG.get(moment, 0))
                taken = (odds[act] >= sure) & ~doubted
                print(f"{moment} {act}: {(taken & does[act]).sum()} of {does[act].sum()} taken, "
                      f"{(taken & ~does[act]).sum()} of {(~does[act]).sum()} wrongly")
            else:
                sure = sure_bound(odds[act], does[act])
                if act not in ADDED:
                    doubted |= (odds[act] >= possible) & (odds[act] < sure)
            chosen[place, :, ACTS.index(act)] = min(possible, sure), sure
    return chosen


def arrays(network, words, known, chosen):
    w = {k: v.float().numpy() for k, v in network.state_dict().items()}
    biases = w["biases"] + WORDS * words.biases.detach().numpy()
    found = [w["own.parts"], w["moments"], w["own.norm"], w["each"], w["first"], biases, np.exp(chosen)]
    for layer in range(LAYERS):
        for name in ("qkv", "out", "up", "down"):
            found += [network.scales(layer, name).detach().numpy(), w[f"own.{layer}_{name}_biases"]]
        found += [w[f"own.{layer}_norm1"], w[f"own.{layer}_norm2"]]
    table = words.table.detach().numpy()
    scale = np.abs(table).max() / 127
    found.append(np.array(WORDS * scale))
    bits = np.zeros(KNOWN_WORDS, np.uint8)
    bits[list(known)] = 1
    return ([array.astype("<f4") for array in found]
            + [np.rint(table / scale).astype("i1"), np.packbits(bits, bitorder="little")])


def write(path, network, words, known, chosen):
    head = struct.pack(
        "<8s14I", b"ACTS", 1, WIDTH, LAYERS, INNER, len(ACTS), len(MOMENTS), *[0] * 8)
    path.write_bytes(head + b"".join(a.tobytes() for a in arrays(network, words, known, chosen)))
    print(f"{path}: {path.stat().st_size / 1e3:.0f} kB")


def check(path, network, words, rows):
    program = Program(MODEL)
    program.open_acts(path)

    def read(row, kind=None):
        return program.act(row.ids, row.head, row.moment, row.text, len(ACTS), kind)

    with torch.no_grad():
        wanted = (odds(network, rows) + WORDS * words(*Words.places(rows))).numpy()
    found = np.array([read(row) for row in rows])
    for kind in program.kinds:
        for row in rows[::20]:
            if read(row, kind) != read(row):
                sys.exit(f"{KINDS[kind]} and {KINDS[program.best_kind]} give different numbers")
    different = np.abs(np.log(found) - wanted)
    print(f"log odds of {len(rows)} messages: mean difference from the network {different.mean():.3f}")
    if different.mean() > MEAN:
        sys.exit("The program does not read as the network does.")


def main():
    o = argparse.ArgumentParser()
    o.add_argument("trained", type=Path, help="folder that train_acts.py wrote")
    o.add_argument("--out", type=Path, default=ROOT / "Sources/CEncoder/acts.model")
    o = o.parse_args()
    torch.set_num_threads(1)
    rows = messages(vocabulary())
    others = sum(([row for row in rows if fold_of(row.writer) == fold] for fold in range(FOLDS)), [])
    found = np.concatenate(
        [torch.load(o.trained / f"fold-{fold}.pt").numpy() for fold in range(FOLDS)], axis=1)
    network, words = Reader(trunk()), Words()
    for part, learned in zip((network, words), torch.load(o.trained / "weights.pt")):
        part.load_state_dict(learned)
    kept = [index for index, row in enumerate(others) if row.writer not in PLAIN]
    known = [known_words([row for row in others if fold_of(row.writer) != fold]) for fold in range(FOLDS)]
    unfamiliar = np.array([is_unfamiliar(row.text, known[fold_of(row.writer)]) for row in others])
    chosen = bounds(
        [others[index] for index in kept], (found[0] + WORDS * found[1])[kept], unfamiliar[kept])
    write(o.out, network, words, known_words(others), chosen)
    check(o.out, network, words, [row for row in rows if row.writer in HELD])


if __name__ == "__main__":
    main()
