"""From Enter to the first word of the reply, at a terminal, with a model that takes its time.

The model is a server in this process: it takes 1,200 ms to score and 400 ms to the first word of a
reply. `rapport chat` runs on a pseudo-terminal, and a person types a message and presses Enter: at once,
after a pause in which the draft is being read, and after one in which it was read to its end; each with
the reading of drafts on and off. The same once more with a model that answers one request at a time,
whether anybody still waits for it or not, and with one that takes ten requests in half a minute, from
somebody who stops behind every word.

    python3 typing_latency.py ../.build/release/rapport [ROUNDS]

Ends with 1 where the reply took more than 500 ms after a long pause, or where it came later with the
reading of drafts than without (by more than the noise allowed below).
"""

import http.server
import json
import os
import pty
import select
import signal
import statistics
import sys
import tempfile
import threading
import time

SCORE, FIRST_WORD = 1.2, 0.4
WINDOW, MOST = 30, 10
BAR, NOISE = 0.5, 0.05
# A row: the model, how long to pause behind a word, and before Enter.
ROWS = {
    "no pause": ("plain", 0, 0.0), "800 ms": ("plain", 0, 0.8), "2,000 ms": ("plain", 0, 2.0),
    "one at a time": ("serial", 0, 0.8), "ten in 30 s": ("limited", 0.4, 0.4),
}
MESSAGE = "I want to lose 20 pounds by June, and I have no time for it"
EVIDENCE = {
    "evidence": [{"facet": "goalClarity.outcome", "turn": 1, "quote": "lose 20 pounds"}],
    "retracted": [],
    "care": "none",
}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    one_at_a_time, counting = threading.Lock(), threading.Lock()
    recent = []

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.startswith("/limited") and (wait := self.turned_away()):
            return self.refuse(wait)
        if self.path.startswith("/serial"):
            with self.one_at_a_time:
                return self.answer(body)
        self.answer(body)

    def turned_away(self):
        with self.counting:
            now = time.monotonic()
            self.recent[:] = [at for at in self.recent if at > now - WINDOW]
            if len(self.recent) < MOST:
                return self.recent.append(now)
            return self.recent[0] + WINDOW - now

    def refuse(self, wait):
        self.send_response(429)
        self.send_header("retry-after", str(int(wait) + 1))
        self.send_header("content-length", "0")
        self.end_headers()

    def answer(self, body):
        schema = body.get("response_format", {}).get("json_schema", {}).get("name")
        greets = not any(m["role"] == "assistant" for m in body["messages"])
        try:
            if schema == "evidence":
                time.sleep(SCORE)
                self.stream(json.dumps(EVIDENCE))
            elif schema:
                self.stream("{}")
            elif greets:
                self.stream("Hey. What would you like to change?")
            else:
                time.sleep(FIRST_WORD)
                self.stream("Xylophones! What gets in the way?")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def stream(self, text):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for delta, finish in (({"content": text}, None), ({}, "stop")):
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m",
                     "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


class Terminal:
    def __init__(self, program, arguments, folder):
        self.screen, self.seen = b"", 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(program, [program, *arguments], {"HOME": folder, "TERM": "xterm"})

    def read(self, seconds):
        if select.select([self.fd], [], [], max(seconds, 0))[0]:
            self.screen += os.read(self.fd, 65536)

    def expect(self, text, seconds=20):
        """When the text appeared."""
        end = time.monotonic() + seconds
        while (at := self.screen.find(text, self.seen)) < 0:
            if time.monotonic() > end:
                raise SystemExit(f"no {text!r} in {self.screen[-500:]!r}")
            self.read(0.2)
        self.seen = at + len(text)
        return time.monotonic()

    def rest(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(min(0.05, end - time.monotonic()))

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def measure(program, url, pauses, previews):
    behind_a_word, before_enter = pauses
    Model.recent.clear()
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["chat", "--no-health", "--base-url", url, "--model", "m"]
        terminal = Terminal(program, arguments + ([] if previews else ["--no-preview"]), folder)
        try:
            terminal.expect(b"change?")
            terminal.expect(b"You")
            terminal.rest(0.3)
            for piece in MESSAGE.split(" ") if behind_a_word else [MESSAGE]:
                os.write(terminal.fd, (piece + " " * bool(behind_a_word)).encode())
                terminal.rest(behind_a_word)
            terminal.expect(b"it")
            terminal.rest(before_enter)
            pressed = time.monotonic()
            os.write(terminal.fd, b"\r")
            return terminal.expect(b"Xylophones") - pressed
        finally:
            terminal.close()


def main():
    program = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    print(f"{'':20}{'drafts read':>14}{'not read':>14}   (median of {rounds}, worst)")
    failed = False
    for name, (kind, *pauses) in ROWS.items():
        figures = {True: [], False: []}
        for _ in range(rounds):
            for previews in figures:
                figures[previews].append(measure(program, f"{url}/{kind}/v1", pauses, previews))
        shown = [f"{statistics.median(f) * 1000:.0f}, {max(f) * 1000:.0f} ms" for f in figures.values()]
        print(f"{name:20}{shown[0]:>14}{shown[1]:>14}", flush=True)
        failed |= kind == "plain" and pauses[1] > SCORE + 0.3 and max(figures[True]) > BAR
        failed |= statistics.median(figures[True]) > statistics.median(figures[False]) + NOISE
    sys.exit(failed)


main()
