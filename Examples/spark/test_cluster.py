"""Runs score_job.py on a standalone cluster of two workers, kills one of them while it scores, and
compares every row with what one process makes of the same lines.

    python test_cluster.py PROGRAM
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS, LINES = 12, 40

# Whichever partition is first to get here waits for good: its worker is the one that is killed.
VICTIM = """#!/bin/sh
if mkdir "{folder}/chosen" 2>/dev/null; then
  head -n 3 >/dev/null
  echo $$ >"{folder}/victim.new" && mv "{folder}/victim.new" "{folder}/victim"
  exec sleep infinity
fi
# The program as it was shipped with the job.
exec ./{name} "$@"
"""

LOSSY = """#!/bin/sh
"{program}" "$@" | sed '$d'
"""


def say(text):
    print(f"test-spark: {text}", flush=True)


def fail(text):
    say(f"FAILED: {text}")
    sys.exit(1)


def sample_lines():
    """Labelled conversations under new ids, and what else turns up in files."""
    fixtures = HERE.parent.parent / "Fixtures" / "labelled"
    rows = [
        json.loads(line) for path in sorted(fixtures.glob("*.jsonl"))
        for line in path.read_text().splitlines() if line.strip()]
    odd = [
        "", "not json", '{"id": "no messages"}', '{"id": "nobody", "messages": []}', "[]",
        '{"id": "caf\u00e9 \u2028 \U0001f600", "messages": [{"role": "user", "content": "na\u00efve \u2028 text"}]}',
        '{"id": "inner return",\r"messages": [{"role": "user", "content": "I sleep 6 hours"}]}',
    ]
    for number in range(PARTS * LINES):
        if number % 11 == 10:
            yield odd[number // 11 % len(odd)]
        else:
            row = rows[number % len(rows)]
            yield json.dumps(
                {"id": f"{number}-{row.get('id')}", "messages": row["messages"]},
                ensure_ascii=False)


def write_parts(folder):
    folder.mkdir()
    lines = list(sample_lines())
    for part in range(PARTS):
        text = "\n".join(lines[part * LINES:(part + 1) * LINES]) + "\n"
        (folder / f"part-{part:05}.jsonl").write_bytes(text.encode())
    return lines


def script(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def wait_for(what, condition, process=None):
    while True:
        if found := condition():
            return found
        if process is not None and process.poll() is not None:
            fail(f"{what}: the process ended with {process.returncode} before")
        time.sleep(0.1)


class Cluster:
    """A master and two workers, each a process, on ports that the system chooses."""

    def __init__(self, folder):
        import pyspark

        self.folder = folder
        self.home = Path(pyspark.__file__).parent
        self.processes = []
        self.environment = dict(
            os.environ, SPARK_HOME=str(self.home), SPARK_LOCAL_IP="127.0.0.1",
            PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable,
            SPARK_DAEMON_MEMORY="256m")

    def start(self):
        master, log = self.launch(
            "master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1",
            "--port", "0", "--webui-port", "0")
        found = wait_for(
            "the master", lambda: re.search(r"spark://127\.0\.0\.1:\d+", log.read_text()), master)
        self.url = found.group()
        self.workers = []
        for name in ("worker-1", "worker-2"):
            worker, log = self.launch(
                name, "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--port", "0",
                "--webui-port", "0", "--cores", "1", "--memory", "768m",
                "--work-dir", str(self.folder / name), self.url)
            wait_for(
                name, lambda: "Successfully registered with master" in log.read_text(), worker)
            self.workers.append(worker)
        say(f"{self.url} with two workers, processes {[w.pid for w in self.workers]}")

    def launch(self, name, main, *arguments):
        log = self.folder / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(self.home / "bin" / "spark-class"), main, *arguments],
                env=self.environment, stdout=output, stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process, log

    def job(self, master, source, target, program, log, files=()):
        """Submits the job, along with files for the workers, and returns its process."""
        environment = dict(self.environment, PYSPARK_SUBMIT_ARGS=" ".join([
            "--master", master, *(f"--files {file}" for file in files),
            "--conf spark.executor.memory=512m", "--conf spark.executor.cores=1",
            "--conf spark.ui.enabled=false", "--conf spark.driver.host=127.0.0.1", "pyspark-shell"]))
        with log.open("wb") as output:
            return subprocess.Popen(
                [sys.executable, str(HERE / "score_job.py"), f"file://{source}/part-*.jsonl",
                 f"file://{target}", "--rapport", str(program)],
                env=environment, stdout=output, stderr=subprocess.STDOUT)

    def stop(self):
        for process in self.processes:
            kill_tree(process.pid)
            process.wait()


def parents(pid):
    """A process and those above it."""
    while pid > 1:
        yield pid
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except FileNotFoundError:
            return


def kill_tree(root):
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and int(path.name) != root and root in parents(int(path.name)):
            try:
                os.kill(int(path.name), signal.SIGKILL)
            except ProcessLookupError:
                pass
    try:
        os.kill(root, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_the_victim(cluster, folder, job):
    victim = int(wait_for(
        "a partition being scored",
        lambda: (folder / "victim").exists() and (folder / "victim").read_text(), job))
    above = set(parents(victim))
    worker = next((worker for worker in cluster.workers if worker.pid in above), None)
    if worker is None:
        fail(f"process {victim} belongs to neither worker: {above}")
    say(f"killing worker {worker.pid}, which is scoring a partition in process {victim}")
    kill_tree(worker.pid)
    worker.wait()


def expected_records(program, lines):
    run = subprocess.run(
        [program, "score", "-", "--format", "jsonl", "--inline-errors"],
        input="".join(f"{line}\n" for line in lines).encode(), capture_output=True)
    if run.returncode not in (0, 65):
        fail(f"the single process ended with {run.returncode}: {run.stderr.decode()[-500:]}")
    records = run.stdout.decode().split("\n")[:-1]
    if len(records) != len(lines):
        fail(f"the single process made {len(records)} records of {len(lines)} lines")
    return records


def written_rows(cluster, target):
    os.environ.update(cluster.environment)
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    rows = spark.read.parquet(f"file://{target}").orderBy("partition", "row").collect()
    spark.stop()
    return rows


def without_place(record):
    """A line without an id is named after its place, which is another one in a partition."""
    value = json.loads(record)
    value["id"] = re.sub(r"^standard input:\d+$", "standard input", value["id"])
    return value


def columns(row):
    """A record, made again from the columns of its row."""
    record = present(row.asDict(recursive=True))
    for name in ("partition", "row", "record"):
        del record[name]
    return record | {"id": re.sub(r"^standard input:\d+$", "standard input", row.id)}


def present(value):
    """The value without members that are null: a column can't tell them from missing ones."""
    if isinstance(value, dict):
        return {name: present(member) for name, member in value.items() if member is not None}
    return [present(item) for item in value] if isinstance(value, list) else value


def compare(rows, records):
    if len(rows) != len(records):
        fail(f"{len(rows)} rows for {len(records)} lines")
    for number, (row, record) in enumerate(zip(rows, records)):
        expected = without_place(record)
        if without_place(row.record) != expected:
            fail(f"line {number + 1}: {row.record} is not {record}")
        if columns(row) != present(expected):
            fail(f"line {number + 1}: the columns {columns(row)} are not {present(expected)}")
    errors = sum(row.error is not None for row in rows)
    say(f"{len(rows)} rows are what one process makes of the lines ({errors} of them errors)")


def score_with_a_loss(cluster, folder, program, lines):
    log = folder / "job.log"
    job = cluster.job(
        cluster.url, folder / "in", folder / "out",
        script(folder / "victim.sh", VICTIM.format(folder=folder, name=Path(program).name)), log,
        files=[program])
    try:
        kill_the_victim(cluster, folder, job)
        if job.wait() != 0:
            fail(f"the job ended with {job.returncode}:\n{log.read_text()[-3000:]}")
    finally:
        kill_tree(job.pid)
    say(log.read_text().strip().splitlines()[-1])
    compare(written_rows(cluster, folder / "out"), expected_records(program, lines))


def lose_a_line(cluster, folder, program):
    log = folder / "lossy.log"
    job = cluster.job(
        "local[2]", folder / "in", folder / "lossy",
        script(folder / "lossy.sh", LOSSY.format(program=program)), log)
    code = job.wait()
    if code == 0 or "lines went in" not in log.read_text():
        fail(f"a lost line went unnoticed (exit {code}):\n{log.read_text()[-3000:]}")
    if (folder / "lossy" / "_SUCCESS").exists():
        fail("a lost line left an output that looks finished")
    say("a filter that loses a line fails the job")


def main():
    program = str(Path(sys.argv[1]).resolve())
    folder = Path(tempfile.mkdtemp(prefix="rapport-spark-"))
    cluster = Cluster(folder)
    try:
        lines = write_parts(folder / "in")
        cluster.start()
        score_with_a_loss(cluster, folder, program, lines)
        lose_a_line(cluster, folder, program)
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
