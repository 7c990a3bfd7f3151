"""Writes the trained network as Sources/CEncoder/encoder.model: whole numbers of eight bits with a
scale for each row. Sources/CEncoder/model.h describes the file."""

import argparse
import json
import struct
from pathlib import Path

import numpy as np
import torch

from corpus import COUNT
from reading import LIMITS
from network import HEADS, INNER, LAYERS, POSITIONS, WIDTH, Encoder
from tokens import ALONE, FOLDED_UP_TO, SPACE, Tokenizer, fold, kind

HERE = Path(__file__).resolve().parent
LONGEST = 448
OUTPUTS = 16
SLOTS = 32768


def folds():
    """For every character its parts, and the parts of all."""
    places, parts = [], []
    for code in range(FOLDED_UP_TO + 1):
        folded = fold(chr(code)) if not 0xD800 <= code < 0xE000 else ""
        places.append(len(parts) << 8 | len(folded))
        for character in folded:
            what = kind(character)
            parts.append({SPACE: 0x40000000, ALONE: 0x80000000 | ord(character)}.get(
                what, ord(character)))
    return np.array(places, "<u4"), np.array(parts, "<u4")


def spellings(pieces):
    """Spellings with a first byte that says whether they stand inside a word, and a hash table."""
    texts = []
    for piece in pieces:
        inside = piece.startswith("##") and len(piece) > 2
        texts.append(("#" + piece[2:] if inside else " " + piece).encode())
    starts = np.cumsum([0] + [len(t) for t in texts]).astype("<u4")
    slots = np.zeros(SLOTS, "<u2")
    for id, text in enumerate(texts):
        value = 0xCBF29CE484222325
        for byte in text:
            value = (value ^ byte) * 0x100000001B3 % 2**64
        place = (value ^ value >> 29) % SLOTS
        while slots[place]:
            place = (place + 1) % SLOTS
        slots[place] = id + 1
    return starts, np.frombuffer(b"".join(texts), np.uint8), slots, max(map(len, texts)) - 1


def rounded(weight):
    """Rows of whole numbers from -127 to 127, and each row's scale."""
    weight = weight.numpy().astype(np.float32)
    scales = np.maximum(np.abs(weight).max(1), 1e-12) / np.float32(127)
    return np.clip(np.rint(weight / scales[:, None]), -127, 127).astype(np.int8), scales


def packed(weight):
    """16 outputs after one another, four inputs of each at a time, plus 128."""
    whole, scales = rounded(weight)
    outputs, inputs = whole.shape
    shifted = (whole.astype(np.int16) + 128).astype(np.uint8)
    blocks = shifted.reshape(outputs // OUTPUTS, OUTPUTS, inputs // 4, 4).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(blocks), scales


def arrays(network, tokenizer, thresholds):
    w = {k: v.float() for k, v in network.state_dict().items()}
    starts, texts, slots, longest = spellings(tokenizer.pieces)
    words, word_scales = rounded(w["words.weight"])
    places, place_scales = rounded(w["places.weight"][:LONGEST])
    known = w.get("known.weight", torch.zeros(WIDTH, COUNT)).T
    found = [starts, texts, slots, *folds(), words, word_scales, places, place_scales,
             w["parts.weight"], known, torch.stack([w["norm.weight"], w["norm.bias"]]),
             torch.cat([w["head.weight"], w["back.weight"]]),
             torch.cat([w["head.bias"], w["back.bias"]]), thresholds]
    for i in range(LAYERS):
        for name in ("qkv", "out", "up", "down"):
            found += [*packed(w[f"layers.{i}.{name}.weight"]), w[f"layers.{i}.{name}.bias"]]
        for name in ("norm1", "norm2"):
            found.append(torch.stack([w[f"layers.{i}.{name}.{x}"] for x in ("weight", "bias")]))
    return [np.ascontiguousarray(a.numpy() if torch.is_tensor(a) else a) for a in found], longest


def main():
    options = argparse.ArgumentParser()
    options.add_argument("trained", type=Path, help="folder that train.py wrote")
    options.add_argument("--out", type=Path, default=HERE.parents[1] / "Sources/CEncoder/encoder.model")
    options = options.parse_args()
    settings = json.loads((options.trained / "settings.json").read_text())
    tokenizer = Tokenizer.reading(options.trained / "vocabulary.txt")
    network = Encoder(len(tokenizer.pieces), settings["knows"])
    network.load_state_dict(torch.load(options.trained / "weights.pt"))
    limits = settings.get("limits", LIMITS)
    limits = torch.tensor(
        [limits["told"]] * COUNT + [limits["withdrawn"]] * COUNT + [limits["gate"]])
    found, longest = arrays(network, tokenizer, torch.sigmoid(limits))
    data, header = bytearray(), 80
    starts, place = [], -(-(header + 4 * (len(found) + 1)) // 64)
    for array in found:
        starts.append(place)
        data += array.tobytes() + b"\0" * (-array.nbytes % 64)
        place += -(-array.nbytes // 64)
    starts.append(place)
    head = struct.pack(
        "<8s17I4x", b"ENCODER", 1, WIDTH, LAYERS, HEADS, INNER, COUNT, len(tokenizer.pieces),
        LONGEST, SLOTS, tokenizer.first, tokenizer.separator, tokenizer.unknown, 0x25A1, longest,
        len(starts), settings["before"], settings["coach"])
    head += struct.pack(f"<{len(starts)}I", *starts)
    head += b"\0" * (starts[0] * 64 - len(head))
    options.out.write_bytes(head + data)
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
