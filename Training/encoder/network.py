"""The encoder: a small pretrained transformer with one output for each facet and token."""

import json
import math
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from corpus import COUNT

WIDTH, LAYERS, HEADS, INNER, POSITIONS = 384, 6, 12, 1536, 512


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, x, mask):
        n, t, _ = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(n, t, WIDTH)
        x = self.norm1(x + self.out(seen))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Encoder(nn.Module):
    """Token logits and turn logits; a turn's logit is the log-sum-exp of its tokens'."""

    def __init__(self, pieces, knows=False):
        super().__init__()
        self.words = nn.Embedding(pieces, WIDTH)
        self.places = nn.Embedding(POSITIONS, WIDTH)
        self.parts = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(WIDTH, COUNT)
        self.back = nn.Linear(WIDTH, COUNT)
        self.known = nn.Linear(COUNT, WIDTH, bias=False) if knows else None
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.constant_(self.head.bias, -6.0)
        nn.init.normal_(self.back.weight, std=0.02)
        nn.init.constant_(self.back.bias, -4.0)
        if knows:
            nn.init.normal_(self.known.weight, std=0.02)

    def hidden(self, ids, parts, lengths, known=None):
        t = ids.shape[1]
        mask = torch.arange(t)[None, :] < lengths[:, None]
        x = self.words(ids) + self.places(torch.arange(t))[None] + self.parts(parts)
        if self.known is not None:
            x = x + self.known(known)[:, None]
        x = self.drop(self.norm(x))
        mask = mask[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def forward(self, ids, parts, lengths, spoken, known=None):
        """`spoken` marks the tokens of the user's turn."""
        x = self.hidden(ids, parts, lengths, known)
        tokens = self.head(self.drop(x)).float()
        tokens = tokens.masked_fill(~spoken[..., None], -1e4)
        return tokens, torch.logsumexp(tokens, 1), self.back(x[:, 0]).float()

    def load_pretrained(self, folder, kept):
        """Takes over MiniLM's weights; `kept` are the kept pieces' rows in its vocabulary."""
        from safetensors.torch import load_file

        folder = Path(folder)
        config = json.loads((folder / "config.json").read_text())
        assert (config["hidden_size"], config["num_hidden_layers"]) == (WIDTH, LAYERS), config
        w = {k.removeprefix("bert."): v for k, v in load_file(folder / "model.safetensors").items()}
        e, own = "embeddings.", self.state_dict()
        own["words.weight"] = w[e + "word_embeddings.weight"][kept]
        own["places.weight"] = w[e + "position_embeddings.weight"]
        own["parts.weight"] = w[e + "token_type_embeddings.weight"]
        names = {"norm.": e + "LayerNorm."}
        for i in range(LAYERS):
            far, near = f"encoder.layer.{i}.", f"layers.{i}."
            names |= {
                near + "out.": far + "attention.output.dense.",
                near + "norm1.": far + "attention.output.LayerNorm.",
                near + "up.": far + "intermediate.dense.",
                near + "down.": far + "output.dense.",
                near + "norm2.": far + "output.LayerNorm.",
            }
            for kind in ("weight", "bias"):
                own[f"{near}qkv.{kind}"] = torch.cat(
                    [w[f"{far}attention.self.{x}.{kind}"] for x in ("query", "key", "value")])
        for near, far in names.items():
            for kind in ("weight", "bias"):
                own[near + kind] = w[far + kind]
        self.load_state_dict(own)
