"""Trains the head for acts. See README.md.

With `--fold N` it learns without that part of the writers and keeps what it reads in their messages, which
chooses the thresholds; without, it learns from all writers that aren't held out.
"""

import argparse
from functools import partial
from pathlib import Path

import torch

from acts import Words, fold_of, messages, odds, train, train_words, vocabulary


def main():
    o = argparse.ArgumentParser()
    o.add_argument("--out", type=Path, required=True, help="folder for weights and readings")
    o.add_argument("--fold", type=int)
    o.add_argument("--epochs", type=int, default=8)
    o.add_argument("--steps", type=int, help="batches of each epoch: a trial that it runs")
    o.add_argument("--seed", type=int, default=1)
    o.add_argument("--threads", type=int, default=1)
    o = o.parse_args()
    torch.set_num_threads(o.threads)
    o.out.mkdir(parents=True, exist_ok=True)
    rows = [row for row in messages(vocabulary()) if fold_of(row.writer) is not None]
    others = [row for row in rows if fold_of(row.writer) == o.fold]
    learned = [row for row in rows if fold_of(row.writer) != o.fold]
    words = train_words(learned, o.steps or 150)
    network = train(learned, o.epochs, seed=o.seed, shown=partial(print, flush=True), trial=o.steps)
    if o.fold is None:
        torch.save([network.state_dict(), words.state_dict()], o.out / "weights.pt")
    else:
        with torch.no_grad():
            found = torch.stack([odds(network, others), words(*Words.places(others))])
        torch.save(found, o.out / f"fold-{o.fold}.pt")


if __name__ == "__main__":
    main()
