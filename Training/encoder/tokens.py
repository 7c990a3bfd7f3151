"""Splits text into the encoder's word pieces, exactly as Sources/CEncoder does it.

Characters are mapped one by one (`fold`), so that the program needs a table and no Unicode
library. Marks and symbols stand alone, as in BERT, and typographic marks become plain ones.
"""

import unicodedata
from dataclasses import dataclass
from pathlib import Path

PLAIN = {"’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'", "“": '"', "”": '"', "„": '"',
         "–": "-", "—": "-", "‑": "-", "−": "-", "…": "..."}
LONGEST_WORD = 64
# Characters of these blocks are read; all others are unknown symbols.
FOLDED_UP_TO = 0x2FFF

SPACE, ALONE, PART = range(3)


def kind(character):
    """What a folded character is to the splitter."""
    if character.isspace():
        return SPACE
    if character.isascii():
        return PART if character.isalnum() else ALONE
    category = unicodedata.category(character)
    return PART if category[0] in "LNM" else ALONE


def fold(character):
    """The characters that stand for one character; empty if it is dropped."""
    if character in PLAIN:
        return PLAIN[character]
    if character in "\t\n\r":
        return " "
    if ord(character) > FOLDED_UP_TO:
        return "" if character in "\ufe0e\ufe0f\ufeff\ufffd" else "\u25a1"
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Cn", "Co", "Mn"):
        return ""
    if category[0] == "Z":
        return " "
    parts = unicodedata.normalize("NFD", character.lower())
    return "".join(c for c in parts if unicodedata.category(c) != "Mn")


@dataclass(frozen=True)
class Piece:
    id: int
    start: int
    end: int


class Tokenizer:
    def __init__(self, pieces):
        self.pieces = list(pieces)
        self.ids = {piece: index for index, piece in enumerate(self.pieces)}
        self.pad, self.unknown, self.first, self.separator = (
            self.ids[name] for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]"))
        self.longest = max(len(p.removeprefix("##")) for p in self.pieces)
        self._known = {}

    @staticmethod
    def reading(path):
        return Tokenizer(Path(path).read_text(encoding="utf-8").split("\n")[:-1])

    def tokens(self, text):
        """The pieces of a text, with the characters of the text that each covers."""
        found, word, places = [], [], []

        def close():
            if word:
                found.extend(self._word("".join(word), places))
                word.clear()
                places.clear()

        for place, character in enumerate(text):
            for folded in fold(character):
                what = kind(folded)
                if what == PART:
                    word.append(folded)
                    places.append(place)
                    continue
                close()
                if what == ALONE:
                    found.append(Piece(self.ids.get(folded, self.unknown), place, place + 1))
        close()
        return found

    def _word(self, word, places):
        cuts = self._known.get(word)
        if cuts is None:
            cuts = self._known[word] = self._cuts(word)
        return [Piece(id, places[a], places[b - 1] + 1) for id, a, b in cuts]

    def _cuts(self, word):
        if len(word) > LONGEST_WORD:
            return [(self.unknown, 0, len(word))]
        cuts, start = [], 0
        while start < len(word):
            for end in range(min(len(word), start + self.longest), start, -1):
                id = self.ids.get(("##" if start else "") + word[start:end])
                if id is not None:
                    cuts.append((id, start, end))
                    start = end
                    break
            else:
                return [(self.unknown, 0, len(word))]
        return cuts
