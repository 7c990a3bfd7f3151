"""Two servers behind nginx on one PostgreSQL, with kills of each.

    python3 Server/Tests/postgres/test_two_servers.py RAPPORT RAPPORT_SERVER [SEED]
"""

import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from cluster import ESCAPED, PASSWORD, Cluster, Proxy, free_port, wait_for_port
from visitor import LINES, Refused, Visitor

ROOT = Path(__file__).resolve().parents[3]
SOAK = os.environ.get("RAPPORT_SOAK") == "1"
VISITORS, SERVER_KILLS, DATABASE_KILLS = (16, 100, 100) if SOAK else (8, 10, 6)


class Program:
    def __init__(self, command, folder, name, environment=None):
        self.command, self.folder, self.name = list(map(str, command)), folder, name
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), **(environment or {})}
        self.start()

    def start(self):
        self.log = open(self.folder / f"{self.name}.log", "ab")
        self.process = subprocess.Popen(
            self.command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.log)

    def address(self, limit=900):
        text, until = b"", time.monotonic() + limit
        while time.monotonic() < until:
            ready, _, _ = select.select([self.process.stdout], [], [], 0.2)
            if ready:
                chunk = os.read(self.process.stdout.fileno(), 4096)
                assert chunk, f"{self.name} ended: {(self.folder / f'{self.name}.log').read_text()[-2000:]}"
                text += chunk
                found = re.search(rb"http://[\w.:\[\]]+(/v1)?", text)
                if found:
                    return found.group().decode()
        raise AssertionError(f"{self.name} printed no address: {text!r}")

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        code = self.process.wait()
        self.process.stdout.close()
        self.log.close()
        return code


def note(text):
    print(text, flush=True)


class Setting:
    """The database, the model's mock, two servers and the proxy."""

    def __init__(self, folder, rapport, server, local=False):
        """`local`: nobody signs in."""
        self.folder, self.rapport = folder, rapport
        self.database = Cluster(folder)
        # Replies take a while, so that kills find them half written.
        self.mock = Program([rapport, "mock", "--fault", "chunks:bytes=80,pace=12"], folder, "mock")
        model = self.mock.address()
        self.ports = [free_port(), free_port()]
        self.servers = [
            Program(
                [server, "--port", port, "--base-url", model, "--model", "mock-coach",
                 "--turns-per-minute", 100_000, "--tokens-per-day", 1_000_000_000,
                 *([] if local else ["--device-tokens"])],
                folder, f"server-{number}", {"RAPPORT_STORE": self.database.url()})
            for number, port in enumerate(self.ports)]
        for one in self.servers:
            one.address()
        self.proxy = Proxy(folder, self.ports)

    def visitor(self, name):
        visitor = Visitor(name, self.proxy.port)
        visitor.token = visitor.json("POST", "/tokens", {})["token"]
        return visitor

    def stop(self):
        self.proxy.stop()
        codes = [server.kill(signal.SIGTERM) for server in self.servers]
        self.mock.kill()
        self.database.kill()
        assert codes == [0, 0], f"the servers ended with {codes}"


def check(visitor):
    """What the visitor saw is what is stored, once and without a gap."""
    events = visitor.stored()
    assert [event["position"] for event in events] == list(range(1, len(events) + 1)), visitor.name
    shown = []
    for event in events:
        payload = event["event"]
        kind = payload["type"]
        if kind == "userSaid" and not payload.get("releasesHeld"):
            shown.append(("user", payload["text"]))
        elif kind == "messageHeld":
            shown.append(("user", payload["text"]))
        elif kind in ("greeted", "asked", "summarised", "coached", "cared", "offered", "bodyAsked"):
            shown.append(("coach", payload.get("text") or payload["reply"]["text"]))
    said = [text for role, text in shown if role == "user"]
    assert len(set(said)) == len(said), f"{visitor.name}: something was stored twice"
    lost = [text for text in visitor.acknowledged if text not in said]
    assert not lost, f"{visitor.name}: acknowledged and lost: {lost}"
    assert visitor.messages == shown, (
        f"{visitor.name} sees\n{visitor.messages}\nbut stored is\n{shown}")
    return len(events)


def any_server_takes_any_turn(setting):
    visitor = setting.visitor("wanderer")
    for _ in range(4):
        visitor.turn()
    events = check(visitor)
    assert len(visitor.servers) == 2, f"only {visitor.servers} answered"
    note(f"ok: {events} events of one conversation, written by {len(visitor.servers)} servers in turn")


def ask(visitor, *request, port):
    """The other server may not have let go yet; a client tries again."""
    while True:
        try:
            return visitor.json(*request, port=port)
        except Refused as refused:
            if refused.code != "conversation-held":
                raise


def any_server_takes_any_answer(setting):
    """Each answer of a journey goes to the other server, and both show the same screen."""
    visitor = setting.visitor("form")
    view = visitor.json("POST", "/journeys/trainer-structured", {}, port=setting.ports[0])
    path = f"/conversations/{view['conversation_id']}/journey"
    steps = []

    for number in range(1, 15):
        here = setting.ports[number % 2]
        screen = view["screen"]
        assert ask(visitor, "GET", path, port=here)["screen"] == screen, screen["step"]
        steps.append(screen["step"])
        kind = screen.get("input", {}).get("kind")
        answer = "Kim" if kind in ("text", "open") else \
            screen["options"][0]["id"] if kind == "select" else True
        view = ask(visitor, "POST", path, {"answer": answer, "at": screen["at"]}, port=here)
    assert len(set(steps)) == len(steps) == 14, steps
    note(f"ok: {len(steps)} screens of one journey, answered at both servers in turn")


def any_server_keeps_the_log(setting):
    """What is noted at one server is corrected, added up and exported at the other."""
    visitor = setting.visitor("lifter")
    one, other = setting.ports
    view = visitor.json("POST", "/journeys/trainer-structured", {}, port=one)
    path = f"/conversations/{view['conversation_id']}"
    for words in ("did 3x5 squats at 60 kg", "ran 5k in 31 min"):
        ask(visitor, "POST", f"{path}/log", {"words": words}, port=one)
    ask(visitor, "PUT", f"{path}/log/1", {"words": "squats 3x5 at 65 kg"}, port=other)
    ask(visitor, "PATCH", f"{path}/goals", {"goal": "squat 100 kg"}, port=one)
    log = visitor.json("GET", f"{path}/log", port=other)
    assert [entry.get("kilograms") for entry in log["entries"]] == [None, 65], log
    weeks = visitor.json("GET", f"{path}/progress", port=one)["weeks"]
    assert weeks[-1]["kilograms"] == 975, weeks
    assert visitor.json("GET", f"{path}/goals", port=other)["goal"] == "squat 100 kg"
    assert len(visitor.json("GET", f"{path}/log/export?format=json", port=other)) == 2
    note("ok: one log, kept at both servers in turn")


def two_turns_at_once(setting):
    """Two servers get a message for the same conversation at the same time: both are stored, or one is
    refused by name. Nothing is mixed."""
    visitor = setting.visitor("twins")
    visitor.turn()
    outcomes = []

    def say(number):
        one = Visitor(f"twin-{number}", setting.ports[number], visitor.token)
        body = {"message": f"{LINES[0]} [{number}]", "conversation_id": visitor.conversation}
        try:
            outcomes.append([name for _, name, _ in one.stream("POST", "/chat-stream", body)][-1])
        except Refused as refusal:
            outcomes.append(refusal.code)

    for _ in range(3):
        threads = [threading.Thread(target=say, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    answered = sum(outcome not in ("conversation-held", "conversation-busy") for outcome in outcomes)
    events = visitor.stored()
    said = [event for event in events if event["event"]["type"] == "userSaid"]
    assert [event["position"] for event in events] == list(range(1, len(events) + 1))
    assert len(said) == answered >= 3, (outcomes, len(said))
    note(f"ok: of 6 racing turns {answered} were answered and the others refused by name; none was mixed")


def kills(setting, seed):
    """Kills of servers and of the database at random moments, while everybody talks."""
    chance = random.Random(seed)
    visitors = [setting.visitor(f"v{number}") for number in range(VISITORS)]
    is_over, problems = threading.Event(), []

    def talk(visitor):
        try:
            while not is_over.is_set() and visitor.said < 40:
                visitor.turn()
        except Exception as error:  # Reported by the main thread.
            problems.append(f"{visitor.name}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=talk, args=(visitor,)) for visitor in visitors]
    for thread in threads:
        thread.start()
    plan = ["server"] * SERVER_KILLS + ["database"] * DATABASE_KILLS
    chance.shuffle(plan)
    for what in plan:
        time.sleep(chance.uniform(0.2, 1.5))  # Kills come at any moment; that takes real time.
        if what == "server":
            server = chance.choice(setting.servers)
            server.kill()
            time.sleep(chance.uniform(0, 0.3))
            server.start()
            server.address()
        else:
            setting.database.kill()
            time.sleep(chance.uniform(0, 0.5))
            setting.database.start()
        if problems:
            break
    is_over.set()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "somebody's turn never ended"
    assert not problems, "\n".join(problems)
    for visitor in visitors:
        visitor.turn()
    events = sum(check(visitor) for visitor in visitors)
    cuts, resumed = sum(v.cuts for v in visitors), sum(v.resumed for v in visitors)
    turns = sum(v.said for v in visitors)
    assert cuts > 0, "no kill hit anybody"
    note(
        f"ok: {SERVER_KILLS} kills of servers and {DATABASE_KILLS} of PostgreSQL; {turns} turns, {cuts} cut, "
        f"{resumed} resumed by event id; {events} events, none lost, none doubled (seed {seed})")
    return visitors


def commands(setting, visitors):
    """`rapport sessions` and `rapport score` read from the database."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(setting.folder), "TMPDIR": str(setting.folder),
        "RAPPORT_STORE": setting.database.url()}

    def run(*arguments, status=0, **extra):
        done = subprocess.run(
            [setting.rapport, *arguments], env={**environment, **extra}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True)
        (setting.folder / "commands.log").open("a").write(done.stdout + done.stderr)
        assert done.returncode == status, f"{arguments}: {done.returncode}: {done.stderr[-1000:]}"
        return done.stdout

    url = setting.database.url()
    for visitor in visitors[:2]:
        person = visitor.json("GET", "/me")["person"]
        listed = [json.loads(line) for line in run("sessions", "list", "--json", "--person", person).splitlines()]
        assert [one["id"] for one in listed] == [visitor.conversation]
        exported = json.loads(run(
            "sessions", "export", visitor.conversation, "--format", "json", "--person", person, "--store", url))
        assert exported["events"] == visitor.stored()
    scored = [json.loads(line) for line in run("score", "--store", url, "--format", "jsonl").splitlines()]
    ids = {record["id"] for record in scored}
    assert {visitor.conversation for visitor in visitors} <= ids, "a conversation wasn't scored"
    shown = run("config", "get", "store")
    assert "rapport" in shown and "127.0.0.1" in shown
    # A wrong password, and a database that isn't there.
    for wrong in (url.replace(ESCAPED, ESCAPED + "2"), url.replace("/rapport", "/missing"), url + "?nonsense=1"):
        run("sessions", "--store", wrong, status=73)
    run("chat", "--offline", status=64)
    note(f"ok: rapport sessions lists and exports, and rapport score scores {len(scored)} conversations")


def nothing_leaked(setting):
    secrets = [PASSWORD, ESCAPED, "p@ss", "p%40ss"]
    for log in [*setting.folder.glob("*.log"), setting.folder / "nginx/nginx-errors"]:
        text = log.read_text(errors="replace")
        for secret in [*secrets, *(["keep up with my kids"] if log.name.startswith("server") else [])]:
            assert secret not in text, f"{log.name} holds {secret!r}"
    note("ok: no password and no word of anybody in a log, an output or an error")


def main():
    rapport, server = (Path(path).resolve() for path in sys.argv[1:3])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    with tempfile.TemporaryDirectory(prefix="rapport-postgres-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        setting = Setting(folder, rapport, server)
        try:
            any_server_takes_any_turn(setting)
            any_server_takes_any_answer(setting)
            any_server_keeps_the_log(setting)
            two_turns_at_once(setting)
            visitors = kills(setting, seed)
            commands(setting, visitors)
        except BaseException:
            for log in folder.glob("server-*.log"):
                print(f"── {log.name}\n{log.read_text()[-1500:]}", file=sys.stderr)
            raise
        setting.stop()
        nothing_leaked(setting)


if __name__ == "__main__":
    main()
