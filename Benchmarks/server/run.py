"""Load on rapport-server, beside the same model calls relayed without an engine, in the same rounds.

    python3 server/run.py SERVER RELAY BUILD      (make -C Benchmarks server does it all)

SERVER is rapport-server, RELAY the Hummingbird relay, and BUILD the folder with `model`, `load` and the
virtual environment of the FastAPI relay. Each round runs everybody in a random order. Prints medians, the
ratios within each round, the model calls of a turn, and the CPU time that each program took for one.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return answer.read()


class Process:
    """A server on a free port, ready when it answers a request."""

    def __init__(self, command, port, **environment):
        self.port = port
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | environment,
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                get(port, "/")
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit(f"{command[0]} doesn't answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def children(self):
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return [self.process.pid] + [int(pid) for pid in pathlib.Path(path).read_text().split()]

    def peak_mib(self):
        total = 0
        for pid in self.children():
            for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    total += int(line.split()[1])
        return total / 1024

    def cpu_seconds(self):
        ticks = 0
        for pid in self.children():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


class Bench:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.build = arguments.build
        self.folder = folder
        self.random = random.Random(arguments.seed)
        self.requests = folder / "requests"
        self.requests.mkdir()

    def model(self, words=20, gap=0, wait=0, keep=False):
        port = free_port()
        command = [self.build / "model", port, words, gap, wait]
        return Process(command + ([self.requests] if keep else []), port)

    def contestants(self):
        return {"rapport": self.rapport, "hummingbird": self.relay, "fastapi": self.fastapi}

    def rapport(self, model, store=None, server=None):
        port = free_port()
        store = store or pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "store.db"
        command = [server or self.arguments.server, "--port", port, "--store", store]
        command += ["--base-url", f"http://127.0.0.1:{model.port}/v1", "--model", "bench"]
        command += ["--log-level", "warning", "--streams", 10000]
        return Process(command, port, RAPPORT_TIME_LIMIT="86400")

    def before(self, model):
        return self.rapport(model, server=self.arguments.before)

    def relay(self, model):
        port = free_port()
        url = f"http://127.0.0.1:{model.port}/v1"
        return Process([self.arguments.relay, port, url, self.requests], port)

    def fastapi(self, model):
        port = free_port()
        command = [self.build / "venv/bin/uvicorn", "fastapi_relay:app", "--app-dir", HERE]
        command += ["--port", port, "--log-level", "warning", "--workers", os.cpu_count()]
        return Process(
            command,
            port,
            MODEL=f"http://127.0.0.1:{model.port}/v1",
            REQUESTS=str(self.requests),
        )

    def load(self, server, clients, seconds, stalled=0, ramp=0):
        command = [self.build / "load", server.port, clients, seconds, stalled, ramp]
        output = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if output.returncode:
            raise SystemExit(output.stderr)
        result = json.loads(output.stdout)
        if not result["turns"]:
            raise SystemExit(f"no turn was completed: {output.stdout}")
        return result

    def keep_requests(self):
        """The coach's requests to its model, for the relays."""
        with self.model(keep=True) as model, self.rapport(model) as server:
            self.load(server, 1, 1)
        for name in ("evidence-1", "reply-1", "starters-1"):
            if not (self.requests / f"{name}.json").exists():
                raise SystemExit(f"no request for {name} was made")

    # The suites.

    def turns(self):
        print(f"Streamed turns per second, {self.arguments.clients} people at once, a model that answers at once")
        makers = self.contestants() | ({"before": self.before} if self.arguments.before else {})
        results = {name: [] for name in makers}
        for _ in range(self.arguments.rounds):
            for name in self.shuffled(makers):
                results[name].append(self.round(makers[name]))
        for name, rounds in results.items():
            ratios = [mine["rate"] / limit["rate"] for mine, limit in zip(rounds, results["hummingbird"])]
            median = lambda key: statistics.median(key(round) for round in rounds)
            print(
                f"  {name:12} {median(lambda r: r['rate']):8.0f}/s"
                f"  ratio {statistics.median(ratios):5.2f} ({' '.join(f'{ratio:.2f}' for ratio in ratios)})"
                f"  turn p50 {median(lambda r: r['turn_ms']['p50']):6.1f} ms, p99 {median(lambda r: r['turn_ms']['p99']):6.1f} ms"
                f"  {median(lambda r: r['peak']):4.0f} MiB"
                f"  failures {sum(r['failures'] for r in rounds)}"
            )
            # A busy machine changes how many turns fit into a second, but hardly what one costs.
            cpu = [mine["cpu_ms"]["server"] / limit["cpu_ms"]["server"] for mine, limit in zip(rounds, results["hummingbird"])]
            print(
                f"  {'':12} a turn: model calls "
                + ", ".join(f"{median(lambda r: r['calls'][kind]):.2f} {kind}" for kind in rounds[0]["calls"])
                + "; CPU "
                + ", ".join(f"{part} {median(lambda r: r['cpu_ms'][part]):.2f} ms" for part in rounds[0]["cpu_ms"])
                + f" (server's ratio {statistics.median(cpu):.2f}, {min(cpu):.2f}–{max(cpu):.2f})"
            )

    def shuffled(self, makers):
        names = list(makers)
        self.random.shuffle(names)
        return names

    def round(self, make):
        with self.model() as model, make(model) as server:
            before = (server.cpu_seconds(), model.cpu_seconds())
            result = self.load(server, self.arguments.clients, self.arguments.seconds)
            count = max(1, result["all_turns"])
            spent = {
                "server": server.cpu_seconds() - before[0],
                "model": model.cpu_seconds() - before[1],
                "load": result["cpu_seconds"],
            }
            calls = json.loads(get(model.port, "/count"))
            return result | {
                "cpu_ms": {part: seconds * 1000 / count for part, seconds in spent.items()},
                "calls": {kind: number / count for kind, number in calls.items()},
                "rate": result["turns"] / result["seconds"],
                "peak": server.peak_mib(),
            }

    def streams(self):
        count = self.arguments.streams
        print(f"{count} streams open at once, every answer of the model takes 2 s, 20 words")
        makers = self.contestants() | ({"before": self.before} if self.arguments.before else {})
        for name in self.shuffled(makers):
            with self.model(20, 100_000, 2_000_000) as model, makers[name](model) as server:
                result = self.load(server, count, 15, ramp=4)
                delay = result["delay_ms"]
                print(
                    f"  {name:12} delay added to a word p50 {delay['p50']:.2f} ms, p99 {delay['p99']:.2f} ms"
                    f"  peak {server.peak_mib():.0f} MiB  {result['words'] / result['seconds']:.0f} words/s"
                    f"  failures {result['failures']}"
                )

    def start(self):
        servers = {"rapport": self.arguments.server}
        if self.arguments.before:
            servers["before"] = self.arguments.before
        times = {name: [] for name in servers}
        with self.model() as model:
            for name in [name for _ in range(21) for name in self.shuffled(servers)]:
                store = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "store.db"
                began = time.monotonic()
                server = subprocess.Popen(
                    [servers[name], "--port", "0", "--store", store, "--model", "bench"]
                    + ["--base-url", f"http://127.0.0.1:{model.port}/v1"],
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                port = server.stdout.readline().rsplit(":", 1)[1].strip()
                get(port, "/readyz")
                times[name].append((time.monotonic() - began) * 1000)
                server.terminate()
                server.wait()
        for name, values in times.items():
            print(
                f"From start to ready: {name:12} median {statistics.median(values):.1f} ms"
                f" ({min(values):.1f}–{max(values):.1f})"
            )

    def slow(self):
        print("200 people, without and with 20 more who ask for 20,000 words and read nothing")
        ratios, delays = [], []
        for _ in range(self.arguments.rounds):
            row = []
            for stalled in (0, 20):
                with self.model(20, 10_000, 0) as model, self.rapport(model) as server:
                    row.append(self.load(server, 200, self.arguments.seconds, stalled) | {"peak": server.peak_mib()})
            ratios.append(row[1]["turns"] / row[0]["turns"])
            delays.append((row[0]["delay_ms"]["p99"], row[1]["delay_ms"]["p99"], row[0]["peak"], row[1]["peak"]))
        middle = [statistics.median(column) for column in zip(*delays)]
        print(
            f"  turns with/without: {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
            f"  delay p99 {middle[0]:.2f} → {middle[1]:.2f} ms  peak {middle[2]:.0f} → {middle[3]:.0f} MiB"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server", type=pathlib.Path)
    parser.add_argument("relay", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1, help="decides the order in each round")
    parser.add_argument("--before", type=pathlib.Path, help="an earlier rapport-server, for comparison")
    parser.add_argument("--only", choices=["turns", "streams", "start", "slow"])
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(dir=arguments.build))
    try:
        bench = Bench(arguments, folder)
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores before the run")
        bench.keep_requests()
        for suite in (bench.turns, bench.streams, bench.start, bench.slow):
            if arguments.only in (None, suite.__name__):
                suite()
                sys.stdout.flush()
    finally:
        shutil.rmtree(folder)


main()
