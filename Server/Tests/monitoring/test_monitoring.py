#!/usr/bin/env python3
"""Lets a real Prometheus scrape the server while some replies work and some fail, and checks that every query of
the alerts and of the dashboard returns data.

Usage: test_monitoring.py RAPPORT_SERVER
"""
import json
import math
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

MONITORING = Path(__file__).resolve().parents[3] / "packaging/monitoring"
PATIENCE = 120


def post(address, body):
    request = urllib.request.Request(
        address + "/chat-stream", json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def queries():
    """Each query with what it belongs to. An alert's threshold is left out, because nothing is wrong mostly."""
    rules = (MONITORING / "alerts.yml").read_text()
    for name, text in re.findall(r"- alert: (\w+)\n\s+expr: (?:>\n)?((?:.+\n)+?)\s+for:", rules):
        yield name, re.split(r" (?:>|==) [\d.]+\s*$", " ".join(text.split()))[0]
    for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$__rate_interval", "1m")


def values(prometheus, query):
    with urllib.request.urlopen(
            f"{prometheus}/api/v1/query?" + urllib.parse.urlencode({"query": query})) as response:
        found = json.load(response)["data"]["result"]
    return [float(row["value"][1]) for row in found if not math.isnan(float(row["value"][1]))]


def main(program):
    subprocess.run(["promtool", "check", "rules", MONITORING / "alerts.yml"], check=True)
    asked = list(queries())
    assert len(asked) == 5 + 10, asked
    with tempfile.TemporaryDirectory() as folder:
        # Nothing listens at port 9, so every reply of the model fails; a rehearsal needs none.
        server = subprocess.Popen(
            [program, "--port", "0", "--store", f"{folder}/rapport.db", "--base-url", "http://127.0.0.1:9/v1",
             "--model", "none"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={"HOME": folder, "PATH": "/usr/bin:/bin"})
        address = server.stdout.readline().split()[-1].rstrip("/")
        Path(folder, "prometheus.yml").write_text(
            "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
            f"rule_files: [{MONITORING}/alerts.yml]\n"
            "scrape_configs:\n"
            f"  - {{job_name: rapport, static_configs: [{{targets: ['{address.split('//')[1]}']}}]}}\n")
        port = 9917
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            missing, end = asked, time.monotonic() + PATIENCE
            while missing and time.monotonic() < end:
                post(address, {"first_message": True, "rehearsal": True})
                post(address, {"message": "I want to run a 10k"})
                time.sleep(1)
                try:
                    missing = [(name, query) for name, query in missing
                               if not values(f"http://127.0.0.1:{port}", query)]
                except OSError:
                    pass
            for name, query in missing:
                print(f"NOT: {name} returned nothing: {query}")
            assert not missing
            ready = urllib.request.Request(address + "/readyz")
            print(f"ok: {len(asked)} queries of alerts and dashboard return data")
            while time.monotonic() < end:
                post(address, {"message": "I want to run a 10k"})
                try:
                    urllib.request.urlopen(ready).close()
                except urllib.error.HTTPError as error:
                    problem = json.load(error)["error"]
                    assert error.code == 503 and problem["code"] == "model-failing", problem
                    print(f"ok: /readyz turned: {problem['message']}")
                    break
                time.sleep(2)
            else:
                raise AssertionError("/readyz stays ready while every reply fails")
        finally:
            prometheus.terminate()
            server.terminate()
            lines = server.stderr.read().splitlines()
            prometheus.wait()
    for line in lines:
        json.loads(line)
    failed = [json.loads(line) for line in lines if '"A reply failed"' in line]
    requests = {json.loads(line).get("request") for line in lines if '"message":"request"' in line}
    assert failed and all(line["level"] == "warning" and line["code"] == "model-unreachable"
                          and line["request"] in requests for line in failed), failed[:3]
    print(f"ok: {len(failed)} failed replies are warnings with their request, among {len(lines)} JSON lines")


if __name__ == "__main__":
    main(sys.argv[1])
