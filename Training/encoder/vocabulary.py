"""Chooses the word pieces that the program needs, and writes vocabulary.txt.

Kept are the marks and single letters, every piece of the training text, and the pieces of the
most frequent English words, until `--size` is reached.
"""

import argparse
import collections
from pathlib import Path

from wordfreq import top_n_list

from corpus import conversations, pretrained, sentences
from tokens import Tokenizer


def main():
    options = argparse.ArgumentParser()
    options.add_argument("texts", nargs="+", type=Path)
    options.add_argument("--size", type=int, default=11600)
    options.add_argument("--out", type=Path, default=Path(__file__).parent / "vocabulary.txt")
    options = options.parse_args()
    full = Tokenizer.reading(pretrained() / "vocab.txt")
    kept = [full.pad, full.unknown, full.first, full.separator]
    kept += [i for i, p in enumerate(full.pieces)
             if len(p) == 1 and p.isascii() or len(p) == 3 and p.startswith("##") and p.isascii()]
    seen = collections.Counter()
    for path in options.texts:
        for conversation in (sentences if path.suffix == ".txt" else conversations)(path):
            for turn in conversation.turns:
                for text in (turn.coach, turn.text):
                    seen.update(piece.id for piece in full.tokens(text))
    kept += sorted(seen, key=lambda id: (-seen[id], id))
    print(f"{len(set(kept))} pieces of the text")
    for word in top_n_list("en", 60000):
        kept += [piece.id for piece in full.tokens(word)]
    kept = [id for id in dict.fromkeys(kept) if id < len(full.pieces)]
    print(f"{len(kept)} with the pieces of frequent words")
    kept = sorted(kept[:options.size])
    options.out.write_text("".join(f"{full.pieces[id]}\n" for id in kept), encoding="utf-8")


if __name__ == "__main__":
    main()
