"""Checks that the program reads as the trained network does: the same pieces of all texts, the
same numbers on every kind of processor, and chances within a tolerance of the network's."""

import argparse
import json
import sys
import time
from pathlib import Path

import torch

from corpus import COUNT, ROOT, conversations, sentences
from network import Encoder
from program import KINDS, Program
from reading import Example, Framing, logits
from tokens import Tokenizer

# Of chances: the largest difference, the mean, and the share of decisions that differ.
LARGEST, MEAN, DECISIONS = 0.25, 0.005, 0.004


def main():
    options = argparse.ArgumentParser()
    options.add_argument("trained", type=Path)
    options.add_argument("--file", type=Path, default=ROOT / "Sources/CEncoder/encoder.model")
    options.add_argument("--turns", type=int, default=600)
    options = options.parse_args()
    program = Program(options.file)
    tokenizer = Tokenizer.reading(options.trained / "vocabulary.txt")
    texts = pieces = 0
    everything = [c for p in sorted((ROOT / "Training").glob("*.jsonl")) for c in conversations(p)]
    everything += [c for p in sorted((ROOT / "Training").glob("*.txt")) for c in sentences(p)]
    everything += conversations(ROOT / "Fixtures/labelled/dev.jsonl")
    odd = ["Füße’s naïve… “ok”\u200b 🙄🏽 日本 e\u0301\u0301 \x00\x1f" + "a" * 70, "ﬁnd ½ £5 İstanbul №5"]
    for text in odd + [t for c in everything for turn in c.turns for t in (turn.coach, turn.text)]:
        mine, its = tokenizer.tokens(text), program.tokens(text)
        if mine != its:
            sys.exit(f"different pieces of {text!r}:\n{mine}\n{its}")
        texts, pieces = texts + 1, pieces + len(mine)
    print(f"{texts} texts, {pieces} pieces: the same")

    settings = json.loads((options.trained / "settings.json").read_text())
    network = Encoder(len(tokenizer.pieces), settings["knows"])
    network.load_state_dict(torch.load(options.trained / "weights.pt"))
    framing = Framing(tokenizer, settings["before"], settings["coach"])
    dev = conversations(ROOT / "Fixtures/labelled/dev.jsonl")
    examples = [Example(framing, turn, n, c.source)
                for c in dev for n, turn in enumerate(c.turns, 1)][:options.turns]
    wanted = torch.sigmoid(logits(network, examples))
    found = torch.zeros_like(wanted)
    begun = time.process_time()
    for row, e in enumerate(examples):
        known = sum(1 << f for f in e.known)
        told, withdrawn, _ = program.read(e.ids, e.head, known)
        found[row, 0], found[row, 1] = torch.tensor(told), torch.tensor(withdrawn)
    spent = time.process_time() - begun
    for kind in program.kinds:
        for e in examples[::20]:
            known = sum(1 << f for f in e.known)
            if program.read(e.ids, e.head, known, kind) != program.read(e.ids, e.head, known):
                sys.exit(f"{KINDS[kind]} and {KINDS[program.best_kind]} give different numbers")
    print(f"the same numbers on {', '.join(KINDS[kind] for kind in program.kinds)}")
    difference = (wanted[:, 0] - found[:, 0]).abs()
    other = ((wanted[:, 0] > 0.5) != (found[:, 0] > 0.5)).float().mean()
    print(f"chances of {len(examples)} turns x {COUNT} facets: largest difference "
          f"{difference.max():.4f}, mean {difference.mean():.5f}; {other:.3%} of decisions differ; "
          f"{len(examples) / spent:.0f} turns a second")
    if difference.max() > LARGEST or difference.mean() > MEAN or other > DECISIONS:
        sys.exit("The program does not read as the network does.")


if __name__ == "__main__":
    main()
