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
    ACTS, FOLDS, HELD, INNER, LAYERS, MODEL, MOMENTS, TAKEN, WIDTH, Reader, Words, fold_of, messages, odds,
    trunk, vocabulary)
from corpus import ROOT
from program import KINDS, Program

# Taken wrongly, these are a failure, however rare: none of the folds' messages is. The margin is in log odds.
STRICT = {"question": ["stops"], "offer": ["goes-on"], "summary": ["agrees"], "wall": ["continues"],
          "coaching": ["agrees"]}
MARGIN, LEAST_CHANCE = 0.25, 0.8
# Of what is sure, the share that must be right for the others.
PRECISION, LEAST_OTHER = 0.95, 0.6
# From which chance on an act is possible. A person who only answers a question isn't to be asked what they
# meant; at the others a question costs less than an error.
POSSIBLE = {"question": 0.35, "offer": 0.2, "summary": 0.2, "wall": 0.2, "coaching": 0.35}
# Of the network's log odds: the mean difference that rounding to eight bits may make.
MEAN = 0.25


# What the words say counts half of what the network says, and both together are this much too sure.
WORDS, TEMPERATURE = 0.5, 0.7


def logit(chance):
    return math.log(chance / (1 - chance)) / TEMPERATURE


def sure_bound(found, does, strict):
    """The least log odds from which an act is sure."""
    if strict:
        return max(float(found[~does].max()) + MARGIN, logit(LEAST_CHANCE))
    best = math.inf
    order = np.argsort(-found)
    right = np.cumsum(does[order])
    for place, index in enumerate(order):
        if right[place] >= PRECISION * (place + 1):
            best = float(found[index])
    return max(best, logit(LEAST_OTHER))


def bounds(rows, found):
    """For each moment and act, the log odds from which it is possible and sure."""
    chosen = np.full((len(MOMENTS), 2, len(ACTS)), math.inf, np.float32)
    moments = np.array([row.moment for row in rows])
    for place, moment in enumerate(MOMENTS):
        here = moments == place
        for act in TAKEN[moment]:
            index = ACTS.index(act)
            does = np.array([act in row.acts for row in rows])[here]
            sure = sure_bound(found[here, index], does, act in STRICT[moment])
            chosen[place, :, index] = min(logit(POSSIBLE[moment]), sure), sure
    return chosen


def arrays(network, words, chosen):
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
    return [array.astype("<f4") for array in found] + [np.rint(table / scale).astype("i1")]


def write(path, network, words, chosen):
    head = struct.pack(
        "<8s14I", b"ACTS", 1, WIDTH, LAYERS, INNER, len(ACTS), len(MOMENTS), *[0] * 8)
    path.write_bytes(head + b"".join(a.tobytes() for a in arrays(network, words, chosen)))
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
    parts = [[row for row in rows if fold_of(row.writer) == fold] for fold in range(FOLDS)]
    found = np.concatenate(
        [torch.load(o.trained / f"fold-{fold}.pt").numpy() for fold in range(FOLDS)], axis=1)
    network, words = Reader(trunk()), Words()
    for part, learned in zip((network, words), torch.load(o.trained / "weights.pt")):
        part.load_state_dict(learned)
    write(o.out, network, words, bounds(sum(parts, []), found[0] + WORDS * found[1]))
    check(o.out, network, words, [row for row in rows if row.writer in HELD])


if __name__ == "__main__":
    main()
