"""Sources/CEncoder from Python, to compare it with the trained network."""

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path

from corpus import COUNT, ROOT
from tokens import Piece

SOURCES = [ROOT / "Sources/CEncoder" / f"CEncoder{part}.c" for part in ("", "Rows", "Sums", "Pieces", "Words")]
KINDS = ["portable", "AVX2", "AVX-VNNI", "AVX-512 VNNI"]


class _Model(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p)] + [
        (n, ctypes.c_int32) for n in (
            "layers", "pieces", "positions", "first", "separator", "unknown", "before", "coach")]


class _Piece(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int32) for n in ("id", "start", "end")]


class _Reading(ctypes.Structure):
    _fields_ = [("told", ctypes.c_float * COUNT), ("withdrawn", ctypes.c_float * COUNT),
                ("best", ctypes.c_int32 * COUNT)]


class Program:
    def __init__(self, file):
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "encoder.so"
            subprocess.run(
                [os.environ.get("CC", "clang"), "-O2", "-shared", "-fPIC",
                 "-I", ROOT / "Sources/CEncoder/include", *SOURCES, "-o", library, "-lm"],
                check=True)
            self.c = ctypes.CDLL(str(library))
        self.c.encoder_split.restype = ctypes.c_long
        self.c.encoder_memory_size.restype = ctypes.c_ulong
        data = Path(file).read_bytes()
        self._data = ctypes.create_string_buffer(len(data) + 64)
        place = -(-ctypes.addressof(self._data) // 64) * 64
        ctypes.memmove(place, data, len(data))
        self.model = _Model()
        if not self.c.encoder_open(
                ctypes.c_void_p(place), ctypes.c_ulong(len(data)), ctypes.byref(self.model)):
            raise ValueError(f"{file} is no model that the program can run")
        size = self.c.encoder_memory_size()
        self._memory = ctypes.create_string_buffer(size + 64)
        self.memory = ctypes.c_void_p(-(-ctypes.addressof(self._memory) // 64) * 64)
        self.best_kind = self.c.encoder_best_kind()
        self.kinds = [kind for kind in range(self.best_kind + 1) if self.c.encoder_has(kind)]

    def tokens(self, text):
        data = text.encode()
        found = (_Piece * (len(data) + 1))()
        count = self.c.encoder_split(
            ctypes.byref(self.model), data, ctypes.c_long(len(data)), found,
            ctypes.c_long(len(data) + 1))
        at = {}
        place = 0
        for index, character in enumerate(text):
            at[place] = index
            place += len(character.encode())
        at[place] = len(text)
        return [Piece(p.id, at[p.start], at[p.end]) for p in found[:count]]

    def read(self, ids, spoken, known=0, kind=None):
        """The chances of 24 facets told and withdrawn, and the best pieces."""
        reading = _Reading()
        self.c.encoder_read(
            ctypes.byref(self.model), self.best_kind if kind is None else kind, self.memory,
            (ctypes.c_int32 * len(ids))(*ids), ctypes.c_long(len(ids)), ctypes.c_long(spoken),
            ctypes.c_uint32(known), None, ctypes.byref(reading))
        return list(reading.told), list(reading.withdrawn), list(reading.best)

    def open_acts(self, file):
        data = Path(file).read_bytes()
        self._acts_data = ctypes.create_string_buffer(data, len(data))
        self.acts = (ctypes.c_void_p * 3)()
        if not self.c.encoder_acts_open(
                self._acts_data, ctypes.c_ulong(len(data)), ctypes.byref(self.model),
                ctypes.byref(self.acts)):
            raise ValueError(f"{file} holds no acts for this encoder")

    def act(self, ids, spoken, moment, text, acts, kind=None):
        """The odds of each of the `acts` in number."""
        data = text.encode()
        words, odds = (ctypes.c_float * acts)(), (ctypes.c_float * acts)()
        self.c.encoder_words(
            ctypes.byref(self.acts), ctypes.c_int(moment), data, ctypes.c_long(len(data)), words)
        self.c.encoder_act(
            ctypes.byref(self.model), ctypes.byref(self.acts),
            self.best_kind if kind is None else kind, self.memory,
            (ctypes.c_int32 * len(ids))(*ids), ctypes.c_long(len(ids)), ctypes.c_long(spoken),
            ctypes.c_int(moment), words, odds)
        return list(odds)
