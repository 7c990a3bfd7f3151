"""Trains the encoder. See README.md."""

import argparse
import json
import random
import time
from pathlib import Path

import torch
from torch.nn import functional as F

import measure
from corpus import COUNT, ROOT, conversations, pretrained, sentences
from network import Encoder
from reading import Example, Framing, batch, logits, readings
from tokens import Tokenizer

HERE = Path(__file__).resolve().parent


def split(options):
    """Training, validation and held-out conversations; always the same ones.

    Held out for the figures: 30 register conversations, three of each register. For choosing: a
    fifth of dev and two of each register."""
    train, validation, held = [], [], []
    dev = conversations(ROOT / "Fixtures/labelled/dev.jsonl")
    for index, conversation in enumerate(dev):
        (validation if index % 5 == 4 else train).append(conversation)
    by_register = {}
    for conversation in conversations(ROOT / "Training/registers/mixed.jsonl"):
        by_register.setdefault(conversation.register, []).append(conversation)
    for rows in by_register.values():
        held += rows[:3]
        validation += rows[3:5]
        train += rows[5:]
    for path in sorted((ROOT / "Training/registers").glob("*.jsonl")):
        if path.stem not in ("mixed", "unlabelled"):
            train += conversations(path)
    if options.no_registers:
        train = [c for c in train if c.register == "ordinary"]
    for path in sorted((ROOT / "Training/strangers").glob("learn-*.jsonl")):
        train += conversations(path)
    for path in sorted((ROOT / "Training").glob("*.jsonl")):
        train += conversations(path)
    if not options.no_sentences:
        for path in sorted((ROOT / "Training").glob("*.txt")):
            train += sentences(path)
        if not options.no_registers:
            for path in sorted((ROOT / "Training/registers").glob("*.txt")):
                train += sentences(path)
    if options.all:
        train += validation
    return train, validation, held


def examples(framing, rows):
    return [Example(framing, turn, number, c.source)
            for c in rows for number, turn in enumerate(c.turns, 1)]


def batches(rows, dice, pieces):
    """Examples of like length together, at most `pieces` tokens a batch."""
    keyed = sorted(rows, key=lambda e: len(e.ids) + dice.uniform(-8, 8))
    found, now, longest = [], [], 0
    for e in keyed:
        longest = max(longest, len(e.ids))
        if now and longest * (len(now) + 1) > pieces:
            found.append(now)
            now, longest = [], len(e.ids)
        now.append(e)
    found.append(now)
    dice.shuffle(found)
    return found


def loss(network, rows, options, dice):
    known = torch.zeros(len(rows), COUNT)
    target, weight = torch.zeros(len(rows), COUNT), torch.ones(len(rows), COUNT)
    back, back_weight = torch.zeros(len(rows), COUNT), torch.zeros(len(rows), COUNT)
    for row, e in enumerate(rows):
        told = list(e.known)
        weight[row, told] = 0
        back_weight[row, told] = 1
        target[row, list(e.new)] = 1
        back[row, list(e.withdrawn)] = 1
        if dice.random() < 0.5:
            told = [f for f in told if dice.random() > 0.3]
        known[row, told] = 1
        if e.withdrawn:
            weight[row, list(e.withdrawn)] = 0
    tokens, turn, gone = network(*batch(rows), known)
    total = (F.binary_cross_entropy_with_logits(turn, target, reduction="none") * weight).sum()
    total = total + 0.5 * (
        F.binary_cross_entropy_with_logits(gone, back, reduction="none") * back_weight).sum()
    for row, e in enumerate(rows):
        for f in e.new:
            places = e.quote(f)
            if places:
                inside = torch.logsumexp(tokens[row, places, f], 0)
                total = total + options.quotes * (turn[row, f] - inside)
    return total / len(rows)


def main():
    o = argparse.ArgumentParser()
    o.add_argument("--out", type=Path, required=True)
    o.add_argument("--further", type=Path, help="folder of a run to begin with")
    o.add_argument("--epochs", type=int, default=4)
    o.add_argument("--stop", type=int, help="ends after this many of the epochs")
    o.add_argument("--steps", type=int, help="ends after this many batches: a trial that it runs")
    o.add_argument("--rate", type=float, default=1e-4)
    o.add_argument("--head-rate", type=float, default=1e-3)
    o.add_argument("--pieces", type=int, default=2048, help="tokens a batch")
    o.add_argument("--seed", type=int, default=1)
    o.add_argument("--quotes", type=float, default=0.3)
    o.add_argument("--before", type=int, default=0, help="pieces of the turn before")
    o.add_argument("--coach", type=int, default=64, help="pieces of the coach's last words")
    o.add_argument("--knows", action="store_true")
    o.add_argument("--average", type=float, default=0.0, help="decay of the weights' mean")
    o.add_argument("--no-registers", action="store_true")
    o.add_argument("--no-sentences", action="store_true")
    o.add_argument("--all", action="store_true", help="train on the validation text too")
    o.add_argument("--threads", type=int, default=1)
    o = o.parse_args()
    model = pretrained()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    dice = random.Random(o.seed)
    o.out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.reading(HERE / "vocabulary.txt")
    full = Tokenizer.reading(model / "vocab.txt")
    framing = Framing(tokenizer, o.before, o.coach)
    train, validation, held = split(o)
    rows, tests = examples(framing, train), examples(framing, validation)
    print(f"{len(train)} conversations, {len(rows)} turns, "
          f"{sum(len(e.ids) for e in rows)} tokens; {len(validation)} to choose on", flush=True)
    network = Encoder(len(tokenizer.pieces), o.knows)
    network.load_pretrained(model, [full.ids[p] for p in tokenizer.pieces])
    if o.further:
        learned = torch.load(o.further / "weights.pt")
        # The vocabulary may be another; word vectors are not trained.
        learned["words.weight"] = network.words.weight.detach()
        network.load_state_dict(learned, strict=False)
    for part in (network.words, network.places, network.parts):
        part.requires_grad_(False)
    heads = [p for n, p in network.named_parameters() if n.split(".")[0] in ("head", "back", "known")]
    body = [p for n, p in network.named_parameters() if n.split(".")[0] not in ("head", "back", "known") and p.requires_grad]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": o.rate}, {"params": heads, "lr": o.head_rate}],
        weight_decay=0.01, fused=True)
    steps = o.epochs * len(batches(rows, random.Random(0), o.pieces))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1, s / (0.06 * steps)) * max(0.02, 1 - s / steps))
    mean = {k: v.clone() for k, v in network.state_dict().items()} if o.average else None
    begun, spent, step = time.time(), time.process_time(), 0
    for epoch in range(1, o.epochs + 1):
        network.train()
        summed = number = 0
        for chosen in batches(rows, dice, o.pieces)[:o.steps]:
            optimizer.zero_grad(set_to_none=True)
            value = loss(network, chosen, o, dice)
            value.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            summed, number = summed + float(value.detach()), number + 1
            if mean and step % 4 == 0:
                keep = min(o.average, (4 + step) / (40 + step))
                for k, v in network.named_parameters():
                    if v.requires_grad:
                        mean[k].lerp_(v.detach(), 1 - keep)
            if step == 50:
                print(f"50 steps of {steps}: {time.time() - begun:.0f} s, CPU {time.process_time() - spent:.0f} s", flush=True)
        shown = network
        if mean:
            shown = Encoder(len(tokenizer.pieces), o.knows)
            shown.load_state_dict(mean)
        found = logits(shown, tests)
        f = measure.figures([measure.counts(c, r) for c, r in zip(
            validation, readings(validation, found, [0.0] * COUNT))])
        print(f"epoch {epoch}: loss {summed / number:.3f} " + " ".join(
            f"{k} {v:.3f}" for k, v in f.items()) + f" CPU {time.process_time() - spent:.0f} s", flush=True)
        torch.save(shown.state_dict(), o.out / "weights.pt")
        if o.steps or epoch == o.stop:
            break
    (o.out / "vocabulary.txt").write_text("".join(p + "\n" for p in tokenizer.pieces))
    settings = {k: str(v) if isinstance(v, Path) else v for k, v in vars(o).items()}
    (o.out / "settings.json").write_text(json.dumps(settings))
    print(measure.table(validation, readings(validation, found, [0.0] * COUNT)))
    best = max((measure.figures([measure.counts(c, r) for c, r in zip(
        validation, readings(validation, found, [t / 4] * COUNT))])["f1"], t / 4) for t in range(-6, 7))
    print("one threshold:", best)


if __name__ == "__main__":
    main()
