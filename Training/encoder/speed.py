"""Turns a second of the program and of PyTorch, on the same weights and turns, one thread each.

Processor time is measured, so that other programs on the machine do not matter much."""

import argparse
import json
import time
from pathlib import Path

import torch

from corpus import COUNT, ROOT, conversations
from network import Encoder
from program import KINDS, Program
from reading import Example, Framing, logits
from tokens import Tokenizer


def rate(turns, work):
    begun = time.process_time()
    work()
    return turns / (time.process_time() - begun)


def main():
    o = argparse.ArgumentParser()
    o.add_argument("trained", type=Path)
    o.add_argument("--file", type=Path, default=ROOT / "Sources/CEncoder/encoder.model")
    o.add_argument("--turns", type=int, default=400)
    o = o.parse_args()
    torch.set_num_threads(1)
    settings = json.loads((o.trained / "settings.json").read_text())
    tokenizer = Tokenizer.reading(o.trained / "vocabulary.txt")
    network = Encoder(len(tokenizer.pieces), settings["knows"])
    network.load_state_dict(torch.load(o.trained / "weights.pt"))
    program = Program(o.file)
    framing = Framing(tokenizer, settings["before"], settings["coach"])
    dev = conversations(ROOT / "Fixtures/labelled/dev.jsonl")
    rows = [Example(framing, t, n, "") for c in dev for n, t in enumerate(c.turns, 1)][:o.turns]
    pieces = sum(len(e.ids) for e in rows)
    print(f"{len(rows)} turns, {pieces / len(rows):.0f} pieces each")

    def run(kind):
        for e in rows:
            program.read(e.ids, e.head, 0, kind)

    torches, programs = [], []
    logits(network, rows[:32])
    for _ in range(3):
        torches.append(max(rate(len(rows), lambda: logits(network, rows, size)) for size in (1, 32)))
        programs.append(rate(len(rows), lambda: run(program.best_kind)))
    a, b = sorted(torches)[1], sorted(programs)[1]
    print(f"PyTorch {a:.0f}, program {b:.0f} turns a second ({KINDS[program.best_kind]}): {b / a:.1f} times")
    for kind in program.kinds[:-1]:
        print(f"{KINDS[kind]}: {rate(len(rows), lambda: run(kind)):.0f} turns a second")


if __name__ == "__main__":
    main()
