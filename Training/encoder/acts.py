"""What a message does (agrees, declines, asks for a reason ...), read with the encoder's own weights.

The matrices and word vectors are those of Sources/CEncoder/encoder.model and stay as they are. Learned are
scales, biases and norms beside them, a vector for each moment, and the outputs.
"""

import json
import random
import struct
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from corpus import ROOT
from network import HEADS, INNER, LAYERS, WIDTH
from tokens import Tokenizer

MODEL = ROOT / "Sources/CEncoder/encoder.model"
TEXT = ROOT / "Training/acts"
MOMENTS = ["question", "offer", "summary", "wall", "coaching"]
ACTS = [
    "agrees", "corrects", "rejects", "postpones", "goes-on", "talks-on", "stops", "declines", "unsure",
    "asks-reason", "asks-plan", "asks-service", "asks-coaching", "continues", "not-now", "reports",
    "changes-limit", "ends-limit", "changes-goal", "low"]
# What a message can do at each moment.
TAKEN = {
    "question": ["postpones", "stops", "declines", "unsure", "asks-reason", "asks-plan", "asks-service",
                 "asks-coaching", "low"],
    "offer": ["postpones", "goes-on", "talks-on", "asks-reason", "asks-plan", "asks-service", "low"],
    "summary": ["agrees", "corrects", "rejects", "postpones", "asks-plan", "asks-service"],
    "wall": ["asks-service", "asks-coaching", "continues", "not-now", "reports"],
    "coaching": ["agrees", "corrects", "rejects", "postpones", "unsure", "asks-reason", "reports",
                 "changes-limit", "ends-limit", "changes-goal"],
}
MASK = torch.tensor([[float(act in TAKEN[moment]) for act in ACTS] for moment in MOMENTS])
# Where the coach's words say what the message answers. Elsewhere the program's own sentences come
# before it, and they change.
COACH_COUNTS = ["question", "coaching"]
COACH_PIECES, LONGEST = 64, 320
HELD = ["w03", "w09", "w15", "w21", "w27", "w42", "w47", "w51", "w57", "w61"]
FOLDS = 3
# Short and plain messages, some of them there to mislead. They choose no thresholds.
PLAIN = [f"w{number:02d}" for number in range(31, 39)]


@dataclass
class Message:
    writer: str
    moment: int
    text: str
    acts: list
    ids: list
    head: int

    @property
    def target(self):
        return torch.tensor([float(act in self.acts) for act in ACTS])


def messages(tokenizer):
    found = []
    for path in sorted(TEXT.glob("w*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            unknown = set(row["acts"]) - set(TAKEN[row["moment"]])
            if unknown:
                raise SystemExit(f"{path.name}: {sorted(unknown)} at {row['moment']}: {row['text']}")
            found.append(message(tokenizer, row))
    return found


def message(tokenizer, row):
    t = tokenizer
    coach = row["coach"] if row["moment"] in COACH_COUNTS else ""
    head = [t.first] + [p.id for p in t.tokens(coach)][-COACH_PIECES:] + [t.separator]
    text = [p.id for p in t.tokens(row["text"])][:LONGEST]
    return Message(row["writer"], MOMENTS.index(row["moment"]), row["text"], row["acts"],
                   head + text + [t.separator], len(head))


def fold_of(writer):
    """Which of the parts a writer is in; none if held out for the figures."""
    learned = [w for w in (f"w{n:02d}" for n in range(1, 66)) if w not in HELD + PLAIN] + PLAIN
    return None if writer in HELD else learned.index(writer) % FOLDS


def vocabulary():
    return Tokenizer.reading(ROOT / "Training/encoder/vocabulary.txt")


def trunk(path=MODEL):
    """The encoder's arrays as fractions, and the scales of its matrices' rows."""
    data = path.read_bytes()
    header = struct.unpack("<8s17I4x", data[:80])
    pieces, positions, count = header[7], header[8], header[15]
    starts = struct.unpack(f"<{count}I", data[80:80 + 4 * count])

    def array(index, kind, *shape):
        found = np.frombuffer(data, kind, int(np.prod(shape)), 64 * starts[index]).reshape(shape)
        return torch.tensor(found.astype(np.float32))

    found = {
        "words": array(5, "i1", pieces, WIDTH) * array(6, "<f4", pieces)[:, None],
        "places": array(7, "i1", positions, WIDTH) * array(8, "<f4", positions)[:, None],
        "parts": array(9, "<f4", 2, WIDTH), "norm": array(11, "<f4", 2, WIDTH)}
    shapes = {"qkv": (3 * WIDTH, WIDTH), "out": (WIDTH, WIDTH), "up": (INNER, WIDTH), "down": (WIDTH, INNER)}
    for layer in range(LAYERS):
        first = 15 + 14 * layer
        for place, (name, (outputs, inputs)) in enumerate(shapes.items()):
            blocks = array(first + 3 * place, "u1", outputs // 16, inputs // 4, 16, 4) - 128
            whole = blocks.permute(0, 2, 1, 3).reshape(outputs, inputs)
            scales = array(first + 3 * place + 1, "<f4", outputs)
            found[f"{layer}.{name}"] = whole
            found[f"{layer}.{name}.scales"] = scales
            found[f"{layer}.{name}.biases"] = array(first + 3 * place + 2, "<f4", outputs)
        found[f"{layer}.norm1"] = array(first + 12, "<f4", 2, WIDTH)
        found[f"{layer}.norm2"] = array(first + 13, "<f4", 2, WIDTH)
    return found


class Reader(nn.Module):
    """The log odds of each act: the sum of the pieces' odds, times those of the first piece."""

    def __init__(self, arrays, dropout=0.1, last=0.2):
        super().__init__()
        self.dropout, self.last = dropout, last
        own = {"parts": arrays["parts"], "norm": arrays["norm"]}
        for name, array in arrays.items():
            layer, _, what = name.partition(".")
            if what in ("qkv", "out", "up", "down"):
                self.register_buffer(f"fixed_{layer}_{what}", array, persistent=False)
                self.register_buffer(
                    f"scales_{layer}_{what}", arrays[f"{name}.scales"], persistent=False)
                own[f"{layer}_{what}_factors"] = torch.ones(len(array))
                own[f"{layer}_{what}_biases"] = arrays[f"{name}.biases"]
            elif what in ("norm1", "norm2"):
                own[f"{layer}_{what}"] = array
        self.register_buffer("words", arrays["words"], persistent=False)
        self.register_buffer("places", arrays["places"], persistent=False)
        self.own = nn.ParameterDict({k: nn.Parameter(v.clone()) for k, v in own.items()})
        self.moments = nn.Parameter(0.02 * torch.randn(len(MOMENTS), WIDTH))
        self.each = nn.Parameter(0.02 * torch.randn(len(ACTS), WIDTH))
        self.first = nn.Parameter(0.02 * torch.randn(len(ACTS), WIDTH))
        self.biases = nn.Parameter(torch.full((len(MOMENTS), len(ACTS)), -5.0))

    def scales(self, layer, name):
        return getattr(self, f"scales_{layer}_{name}") * self.own[f"{layer}_{name}_factors"]

    def linear(self, x, layer, name):
        # Rounded to 16 bits, but multiplied in 32: few processors are fast in 16.
        sums = F.linear(x.bfloat16().float(), getattr(self, f"fixed_{layer}_{name}"))
        return sums * self.scales(layer, name) + self.own[f"{layer}_{name}_biases"]

    def normalize(self, x, name):
        return F.layer_norm(x, (WIDTH,), self.own[name][0], self.own[name][1], 1e-12)

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def states(self, ids, parts, lengths, moments):
        n, t = ids.shape
        x = F.embedding(ids, self.words) + self.places[:t] + self.own["parts"][parts]
        x = self.drop(self.normalize(x + self.moments[moments][:, None], "norm"))
        mask = (torch.arange(t) < lengths[:, None])[:, None, None]
        for layer in range(LAYERS):
            q, k, v = self.linear(x, layer, "qkv").view(n, t, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
            seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            seen = seen.transpose(1, 2).reshape(n, t, WIDTH)
            x = self.normalize(x + self.drop(self.linear(seen, layer, "out")), f"{layer}_norm1")
            inner = F.gelu(self.linear(x, layer, "up"))
            x = self.normalize(x + self.drop(self.linear(inner, layer, "down")), f"{layer}_norm2")
        return x

    def forward(self, ids, parts, lengths, spoken, moments):
        x = F.dropout(self.states(ids, parts, lengths, moments), self.last, self.training)
        pieces = F.linear(x, self.each).masked_fill(~spoken[..., None], -1e4)
        return torch.logsumexp(pieces, 1) + F.linear(x[:, 0], self.first) + self.biases[moments]


def batch(rows):
    longest = max(len(row.ids) for row in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    parts, spoken = torch.zeros_like(ids), torch.zeros_like(ids, dtype=torch.bool)
    for index, row in enumerate(rows):
        ids[index, :len(row.ids)] = torch.tensor(row.ids)
        parts[index, row.head:len(row.ids)] = 1
        spoken[index, row.head:max(row.head + 1, len(row.ids) - 1)] = True
    lengths = torch.tensor([len(row.ids) for row in rows])
    return ids, parts, lengths, spoken, torch.tensor([row.moment for row in rows])


def batches(rows, dice, pieces=1024, most=32):
    """Messages of like length together."""
    found, now, longest = [], [], 0
    for row in sorted(rows, key=lambda row: len(row.ids) + dice.uniform(-6, 6)):
        longest = max(longest, len(row.ids))
        if now and (longest * (len(now) + 1) > pieces or len(now) == most):
            found.append(now)
            now, longest = [], len(row.ids)
        now.append(row)
    found.append(now)
    dice.shuffle(found)
    return found


def loss(network, rows):
    found = network(*batch(rows))
    target = torch.stack([row.target for row in rows])
    wrong = F.binary_cross_entropy_with_logits(found, target, reduction="none")
    return (wrong * MASK[[row.moment for row in rows]]).sum() / len(rows)


@torch.no_grad()
def odds(network, rows, size=64):
    """The log odds of every act of every message."""
    network.eval()
    found = torch.zeros(len(rows), len(ACTS))
    order = sorted(range(len(rows)), key=lambda i: len(rows[i].ids))
    for start in range(0, len(order), size):
        chosen = order[start:start + size]
        found[chosen] = network(*batch([rows[i] for i in chosen]))
    return found


def train(rows, epochs=8, rate=2e-3, seed=1, shown=print, trial=None):
    """A trial ends after so many batches of each epoch."""
    torch.manual_seed(seed)
    dice = random.Random(seed)
    network = Reader(trunk())
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.0)
    steps = epochs * len(batches(rows, random.Random(seed)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1, (s + 1) / (0.06 * steps)) * max(0.02, 1 - s / steps))
    for epoch in range(1, epochs + 1):
        network.train()
        values = []
        for chosen in batches(rows, dice)[:trial]:
            optimizer.zero_grad(set_to_none=True)
            value = loss(network, chosen)
            value.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            values.append(float(value.detach()))
        shown(f"epoch {epoch} of {epochs}: loss {sum(values) / len(values):.3f}")
    return network


# MARK: Words

# Rows of the table for words wherever they stand, and for words at a moment.
ROWS_ANYWHERE, ROWS_AT_MOMENT = 4096, 8192
STEP, SPREAD, ALL = 0x100000001B3, 0x9E3779B97F4A7C15, 2**64 - 1
LONGEST_WORD = 32


def _hash(data, value=0xCBF29CE484222325):
    for byte in data:
        value = (value ^ byte) * STEP & ALL
    return value


def _joined(hashes):
    value = len(hashes)
    for other in hashes:
        value = (value ^ other) * SPREAD & ALL
        value ^= value >> 29
    return value


def _row(value, salt, rows):
    value = (value ^ salt) * SPREAD & ALL
    return (value ^ value >> 32) % rows


def words(text):
    """Hashes of words and marks, of two and three in a row, and of three and four letters of a word; as
    Sources/CEncoder/CEncoderWords.c makes them."""
    found, before, earlier = [], _hash(b"^"), None
    for data in _split(text.encode()) + [None]:
        now = _hash(b"$" if data is None else data)
        if data is not None:
            found.append(now)
        found.append(_joined([before, now]))
        if earlier is not None:
            found.append(_joined([earlier, before, now]))
        earlier, before = before, now
        if data is not None and data[0] < 128 and _is_letter(data[0]):
            inside = b"<" + data[:LONGEST_WORD] + b">"
            for count in (3, 4):
                found += [_hash(inside[i:i + count], count) for i in range(len(inside) - count + 1)]
    return found


def _is_letter(byte):
    return byte == 39 or 48 <= byte <= 57 or 97 <= byte <= 122


def _split(data):
    """Words of ASCII letters and digits; every other character by itself."""
    found, word, place = [], b"", 0
    data = data.replace("\u2019".encode(), b"'")
    while place < len(data):
        byte = data[place:place + 1].lower()
        if _is_letter(byte[0]):
            word, place = word + byte, place + 1
            continue
        if word:
            found.append(word)
            word = b""
        size = 1 if byte[0] < 0xC0 else 2 if byte[0] < 0xE0 else 3 if byte[0] < 0xF0 else 4
        character = data[place:place + size]
        if byte[0] > 32:
            found.append(character)
        place += size
    return found + [word] if word else found


# Bits for the words that were learned from.
KNOWN_WORDS = 2**17


def known_words(rows):
    """The places of the bits that are set."""
    return {_row(_hash(word), len(MOMENTS), KNOWN_WORDS)
            for row in rows for word in _split(row.text.encode()) if 97 <= word[0] <= 122}


def is_unfamiliar(text, known):
    """Whether more than a fifth of the words are new."""
    found = [word for word in _split(text.encode()) if 97 <= word[0] <= 122]
    places = [_row(_hash(word), len(MOMENTS), KNOWN_WORDS) for word in found]
    return 5 * sum(place not in known for place in places) > len(found)


class Words(nn.Module):
    """What the words themselves say of each act, beside the network."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(ROWS_ANYWHERE + ROWS_AT_MOMENT, len(ACTS)))
        self.biases = nn.Parameter(torch.full((len(MOMENTS), len(ACTS)), -2.0))

    @staticmethod
    def places(rows):
        places, starts, shares = [], [], []
        for row in rows:
            found = words(row.text)
            starts.append(len(places))
            places += [_row(value, len(MOMENTS), ROWS_ANYWHERE) for value in found]
            places += [ROWS_ANYWHERE + _row(value, row.moment, ROWS_AT_MOMENT) for value in found]
            shares += [(len(found) + 1) ** -0.5] * (2 * len(found))
        return (torch.tensor(places), torch.tensor(starts), torch.tensor(shares),
                torch.tensor([row.moment for row in rows]))

    def forward(self, places, starts, shares, moments):
        shares = shares.expand(len(places))
        found = F.embedding_bag(places, self.table, starts, mode="sum", per_sample_weights=shares)
        return found + self.biases[moments]


def train_words(rows, steps, decay=2e-5):
    network, places = Words(), Words.places(rows)
    target = torch.stack([row.target for row in rows])
    mask = MASK[[row.moment for row in rows]]
    optimizer = torch.optim.Adam(network.parameters(), lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        wrong = F.binary_cross_entropy_with_logits(network(*places), target, reduction="none")
        value = (wrong * mask).sum() / len(rows) + decay * network.table.square().sum()
        value.backward()
        optimizer.step()
    return network
