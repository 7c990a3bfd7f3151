"""What happens to a store from outside: versions, kills while it's brought up to date, full disks, TLS.

    python3 Server/Tests/postgres/test_stores.py RAPPORT RAPPORT_SERVER [SEED]
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cluster import PASSWORD, Cluster, free_port
from test_two_servers import ROOT, SOAK, Program, check, note
from visitor import LINES, Broken, Refused, Visitor

SESSIONS = 100_000 if SOAK else 2_000
KILLS = 30 if SOAK else 5

# What each release's program did to the store of the one before.
TO_FORMAT_2 = "ALTER TABLE event ADD COLUMN version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0)"
FORMATS = (1, 2, 3)


def run(rapport, folder, *arguments, store):
    """The command's status and what it printed."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), "RAPPORT_STORE": str(store)}
    done = subprocess.run(
        [rapport, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert PASSWORD not in done.stdout + done.stderr
    return done.returncode, done.stdout, done.stderr


# SQLite.


def earlier_store(rapport, folder, version):
    """A store as an earlier release left it, with many conversations."""
    path = folder / f"format-{version}.db"
    if version == 3:
        # Format 4 only added a table.
        earlier_store(rapport, folder, 1).rename(path)
        assert run(rapport, folder, "sessions", "list", store=path)[0] == 0
    else:
        shutil.copy(ROOT / "Fixtures/stores/discovering.db", path)
    with sqlite3.connect(path) as database:
        if version == 2:
            database.execute(TO_FORMAT_2)
        if version == 3:
            database.execute("DROP TABLE outbox")
        columns = ", ".join(
            row[1] for row in database.execute("PRAGMA table_info(event)") if row[1] != "session")
        wanted = SESSIONS - database.execute("SELECT count(*) FROM session").fetchone()[0]
        database.execute(
            "CREATE TEMP TABLE copies AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            " SELECT printf('copy%08d', i) AS id, i FROM n", (wanted,))
        if wanted > 0:
            database.execute("INSERT INTO session (id, created_ms) SELECT id, i FROM copies")
            database.execute(
                f"INSERT INTO event (session, {columns}) SELECT copies.id, {columns} FROM copies, event"
                " WHERE event.session = (SELECT session FROM event WHERE session NOT LIKE 'copy%' LIMIT 1)"
                " AND position <= 2")
        database.execute(f"PRAGMA user_version = {version}")
    database.close()
    return path


def contents(path):
    database = sqlite3.connect(path)
    try:
        return database.execute(
            "SELECT count(*), count(DISTINCT session), sum(position), sum(at_ms), sum(length(json)), group_concat(DISTINCT kind)"
            " FROM event").fetchone() + database.execute("SELECT count(*) FROM session").fetchone()
    finally:
        database.close()


def format_of(path):
    database = sqlite3.connect(path)
    try:
        return database.execute("PRAGMA user_version").fetchone()[0]
    finally:
        database.close()


def sqlite_migrations(rapport, folder, chance):
    for version in FORMATS:
        path = earlier_store(rapport, folder, version)
        before, cut = contents(path), 0
        earlier = folder / "earlier.db"
        shutil.copy(path, earlier)
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "RAPPORT_STORE": str(path)}
        for _ in range(KILLS):
            process = subprocess.Popen(
                [rapport, "sessions", "list", "--json"], env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.01, 0.6 if SOAK else 0.25))  # A kill comes at any moment.
            process.kill()
            process.wait()
            if format_of(path) == version:
                cut += 1
                assert contents(path) == before
            else:
                # It was done already, so the next one starts over.
                for part in ("", "-wal", "-shm"):
                    Path(f"{path}{part}").unlink(missing_ok=True)
                shutil.copy(earlier, path)
        status, _, errors = run(rapport, folder, "sessions", "list", "--json", store=path)
        assert status == 0, errors
        assert contents(path) == before, f"format {version}: {contents(path)} instead of {before}"
        database = sqlite3.connect(path)
        assert database.execute("PRAGMA user_version").fetchone()[0] > max(FORMATS)
        assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        database.execute("PRAGMA user_version = 99")
        database.close()
        status, _, errors = run(rapport, folder, "sessions", "list", store=path)
        assert status != 0 and "newer version" in errors, errors
        assert contents(path) == before
        note(f"ok: SQLite format {version} with {before[-1]} conversations came up to date; of {KILLS} kills, {cut} came "
             "before that; a newer format is refused")
        path.unlink()


# PostgreSQL.


def server_command(server, *arguments):
    return [server, "--port", free_port(), "--offline", *arguments]


def postgres_migrations(rapport, server, folder, chance):
    """There is one released schema, so what can be cut is making it."""
    database = Cluster(folder)
    try:
        environment, cut = {"RAPPORT_STORE": database.url()}, 0
        for number in range(KILLS):
            one = Program(server_command(server), folder, "making", environment)
            time.sleep(chance.uniform(0.02, 0.35))  # A kill comes at any moment.
            found = database.psql("rapport", "SELECT to_regclass('rapport.server_key') IS NOT NULL")
            cut += found == ["f"]
            one.kill()
            if found == ["t"] and number < KILLS - 1:
                database.psql("rapport", "SET client_min_messages = error; DROP SCHEMA rapport CASCADE")
        one = Program(server_command(server), folder, "making", environment)
        one.address()
        assert one.kill(signal.SIGTERM) == 0
        database.psql(
            "rapport",
            f"""INSERT INTO rapport.session (id, created_ms, person)
                SELECT 'copy' || lpad(i::text, 8, '0'), i, 'local' FROM generate_series(1, {SESSIONS}) AS i;
                INSERT INTO rapport.event (session, position, at_ms, kind, json, version, attempt)
                SELECT id, 1, created_ms, 'userSaid', '{{"type":"userSaid","turn":1,"text":"hello"}}', 1, 0
                FROM rapport.session""")
        begun = time.monotonic()
        one = Program(server_command(server), folder, "making", environment)
        one.address()
        took = time.monotonic() - begun
        assert one.kill(signal.SIGTERM) == 0
        assert database.psql("rapport", "SELECT count(*) FROM rapport.session") == [str(SESSIONS)]
        database.psql("rapport", "UPDATE rapport.format SET version = 99")
        status, _, errors = run(rapport, folder, "sessions", "list", store=database.url())
        assert status != 0 and "newer version" in errors, errors
        note(f"ok: PostgreSQL's tables were made after {cut} kills before they were there; with {SESSIONS} conversations "
             f"the server starts in {took:.1f} s; a newer schema is refused")
    finally:
        database.remove()
        shutil.rmtree(database.folder, ignore_errors=True)


def tls(rapport, server, folder):
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    for name in ("ours", "theirs"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt")
    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
            "-keyout", "server.key", "-out", "server.csr")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ours.crt", "-CAkey", "ours.key", "-CAcreateserial",
            "-days", "2", "-extfile", "names", "-out", "server.crt")
    database = Cluster(folder, certificate=(folder / "server.crt", folder / "server.key"))
    try:
        def url(host="localhost", mode="verify-full", root="ours"):
            return f"{database.url(host=host)}?sslmode={mode}&sslrootcert={folder}/{root}.crt&hostaddr=127.0.0.1"

        one = Program(server_command(server), folder, "encrypted", {"RAPPORT_STORE": url()})
        port = int(one.address().rsplit(":", 1)[1])
        visitor = Visitor("encrypted", port)
        visitor.turn()
        visitor.turn()
        events = check(visitor)
        plain = database.psql(
            "postgres", "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
            " WHERE application_name = 'rapport' AND NOT ssl")
        encrypted = database.psql(
            "postgres", "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
            " WHERE application_name = 'rapport' AND ssl")
        assert plain == ["0"] and encrypted != ["0"], (plain, encrypted)
        listed = run(rapport, folder, "sessions", "list", "--json", store=url())
        assert listed[0] == 0 and visitor.conversation in listed[1], listed
        assert one.kill(signal.SIGTERM) == 0
        wrong = {
            "another authority": url(root="theirs"), "another name": url(host="db.example.com"),
            "no encryption": url(mode="disable"),
        }
        for name, address in wrong.items():
            status, _, errors = run(rapport, folder, "sessions", "list", store=address)
            assert status == 73, f"{name}: {status} {errors}"
        note(f"ok: {events} events over TLS, checked against a test authority (verify-full); refused: {', '.join(wrong)}")
    finally:
        database.remove()
        shutil.rmtree(database.folder, ignore_errors=True)


def full_disk(rapport, server, folder):
    """The disk fills up while somebody talks: what was acknowledged stays, and it goes on after."""
    try:
        database = Cluster(folder, fills_up=True)
    except (OSError, subprocess.CalledProcessError):
        return note("The full disk was NOT tried: that needs root, for a file system of its own.")
    try:
        one = Program(server_command(server), folder, "filling", {"RAPPORT_STORE": database.url()})
        visitor = Visitor("filling", int(one.address().rsplit(":", 1)[1]))
        visitor.turn()
        visitor.turn()
        ballast = database.folder / "ballast"
        with open(ballast, "wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
                    file.flush()
            except OSError:
                pass
        refused, answered = 0, 0
        # The write-ahead log's last file still has room, so it takes a while until nothing is taken.
        for number in range(2, 400):
            body = {"conversation_id": visitor.conversation, "message": f"{LINES[number % 4]} ({number})"}
            try:
                events = list(visitor.stream("POST", "/chat-stream", body))
                if events[-1][2].get("failed") or not any(name == "done" for _, name, _ in events):
                    refused += 1
                else:
                    answered += 1
            except (Broken, Refused):
                refused += 1
            if refused >= 3:
                break
        assert refused >= 3, f"{answered} messages were taken by a full disk"
        ballast.unlink()
        # PostgreSQL stops itself if its write-ahead log can't grow.
        database.kill()
        database.start()
        visitor.messages, visitor.acknowledged = [], []
        events = visitor.stored()
        assert [event["position"] for event in events] == list(range(1, len(events) + 1))
        said = [event["event"]["text"] for event in events if event["event"]["type"] == "userSaid"]
        assert len(said) >= 1 + answered, f"{len(said)} messages are stored, {1 + answered} were acknowledged"
        assert len(set(said)) == len(said), "something was stored twice"
        fresh = Visitor("after", visitor.port)
        fresh.turn()
        check(fresh)
        assert one.kill(signal.SIGTERM) == 0
        note(f"ok: a full disk refused {refused} messages after {answered}; all {len(events)} events are there, and it goes on")
    finally:
        database.remove()


def main():
    rapport, server = (str(Path(path).resolve()) for path in sys.argv[1:3])
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 46)
    with tempfile.TemporaryDirectory(prefix="rapport-stores-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        sqlite_migrations(rapport, folder, chance)
        postgres_migrations(rapport, server, folder, chance)
        tls(rapport, server, folder)
        full_disk(rapport, server, folder)


if __name__ == "__main__":
    main()
