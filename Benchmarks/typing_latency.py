"""From Enter to the first word of the reply, at a terminal, with a model that takes its time.

The model is a server in this process: it takes 1,200 ms to read a message and 400 ms to the first word of a
reply. `rapport chat` runs on a pseudo-terminal, and a person types messages and presses Enter, each
conversation once with the question asked while the model reads and once after it. The same once more with a
model that answers one request at a time.

    python3 typing_latency.py ../.build/release/rapport [ROUNDS]

Ends with 1 where the first word came more than 60 ms after the model's own first word although the program
didn't have to wait, or where reading ahead made a reply later (by more than the noise allowed below).
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
BAR, NOISE = 0.06, 0.05
# What is said, and whether the next question is sure without the model's reading.
MESSAGES = [
    ("I want to lose 20 pounds by June", True),
    ("my knee hurts when I run", True),
    ("the pain in my back wakes me every night", False),
    ("I love swimming and there is a pool next door", True),
]
EVIDENCE = {
    "evidence": [{"facet": "goalClarity.outcome", "turn": 1, "quote": "lose 20 pounds"}],
    "retracted": [],
    "care": "none",
}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    one_at_a_time = threading.Lock()

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.startswith("/serial"):
            with self.one_at_a_time:
                return self.answer(body)
        self.answer(body)

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
                self.stream("Xylophones! What else?")
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


def measure(program, url, ahead):
    """From Enter to the first word, for each message."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["chat", "--no-health", "--base-url", url, "--model", "m", "--read-ahead", ahead]
        terminal = Terminal(program, arguments, folder)
        try:
            terminal.expect(b"change?")
            times = []
            for message, _ in MESSAGES:
                terminal.expect(b"You")
                terminal.rest(0.3)
                os.write(terminal.fd, message.encode())
                terminal.rest(0.2)
                pressed = time.monotonic()
                os.write(terminal.fd, b"\r")
                times.append(terminal.expect(b"Xylophones") - pressed)
            return times
        finally:
            terminal.close()


def main():
    program = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    print(f"{'':50}{'read ahead':>16}{'not':>16}   (median of {rounds}, worst)")
    failed = False
    for kind in "plain", "serial":
        runs = {ahead: [measure(program, f"{url}/{kind}/v1", ahead) for _ in range(rounds)]
                for ahead in ("on", "off")}
        for place, (message, is_sure) in enumerate(MESSAGES):
            on, off = ([times[place] for times in runs[ahead]] for ahead in ("on", "off"))
            shown = [f"{statistics.median(f) * 1000:.0f}, {max(f) * 1000:.0f} ms" for f in (on, off)]
            print(f"{kind + ': ' + message:50}{shown[0]:>16}{shown[1]:>16}", flush=True)
            failed |= kind == "plain" and is_sure and statistics.median(on) > FIRST_WORD + BAR
            failed |= statistics.median(on) > statistics.median(off) + NOISE
    sys.exit(failed)


main()
