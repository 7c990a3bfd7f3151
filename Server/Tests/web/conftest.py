"""Starts the model's mock, the server and a headless Chromium; every test gets a store of its own."""

import os
import re
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[3]
RAPPORT = os.environ.get("RAPPORT", str(ROOT / ".build/debug/rapport"))
SERVER = os.environ.get("RAPPORT_SERVER", str(ROOT / ".build/debug/rapport-server"))
SUPABASE_MOCK = os.environ.get("SUPABASE_MOCK", str(ROOT / ".build/debug/supabase-mock"))
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
SCREENSHOTS = Path(os.environ.get("SCREENSHOTS", ROOT / ".build/screenshots"))

# The conversation that the built-in mock knows.
LINES = [
    "drop about 20 lbs by june so i can keep up with my kids. no time though",
    "work. new job, 60h weeks. and my right knee is shot from marathons",
    "love swimming, hate burpees, pool next door. i'm 42, 4000 steps a day",
    "tue and thu mornings, 30 minutes. dinner is usually drive-thru. be blunt",
]

# What the mock of the account's project mails.
CODE = "246810"

# In seconds: only what is stuck takes as long, on any machine.
PATIENCE = int(os.environ.get("PATIENCE", 240))

expect.set_options(timeout=PATIENCE * 1_000)


class Process:
    """A program that prints its address on the first line that holds one."""

    def __init__(self, command, folder, name, settings=None, lines=0):
        self.command, self.folder, self.name = command, folder, name
        self.settings, self.lines = settings or {}, lines
        self.start()

    def start(self):
        home = str(self.folder)
        environment = {
            "PATH": os.environ["PATH"], "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home,
            "TMPDIR": home, **self.settings}
        self.log = open(self.folder / f"{self.name}.log", "ab")
        self.process = subprocess.Popen(
            self.command, cwd=home, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.log)
        self.address = self._address()

    def _address(self, limit=PATIENCE):
        text, until = b"", time.monotonic() + limit
        while time.monotonic() < until:
            ready, _, _ = select.select([self.process.stdout], [], [], 0.2)
            if ready:
                chunk = os.read(self.process.stdout.fileno(), 4096)
                assert chunk, f"{self.name} ended: {(self.folder / f'{self.name}.log').read_text()[-2000:]}"
                text += chunk
                found = re.search(rb"http://[\w.:\[\]]+(/v1)?", text)
                if found and text.count(b"\n") >= self.lines:
                    self.output = text.decode()
                    return found.group().decode()
        raise AssertionError(f"{self.name} printed no address: {text!r}")

    def kill(self, number=signal.SIGKILL):
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait()
        self.process.stdout.close()
        self.log.close()
        return code


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Coach:
    """A server with its mock, and ways to break both."""

    def __init__(self, folder, mock=None, rehearsal=False, store=None, arguments=(), account=False,
                 project=(), settings=None):
        self.folder, self.port, self.store = folder, free_port(), store or folder / "store.db"
        self.mock = None if rehearsal else Process([RAPPORT, "mock", *(mock or [])], folder, "mock")
        model = ["--offline"] if rehearsal else [
            "--base-url", self.mock.address, "--model", "mock-coach"]
        self.project = Process([SUPABASE_MOCK, "--code", CODE, *project], folder, "project", lines=2) if account else None
        found = dict(re.findall(r"(SUPABASE_\w+)=(\S+)", self.project.output)) if account else {}
        settings = {**found, **(settings(found) if settings else {})}
        self.server = Process(
            [SERVER, "--port", str(self.port), "--store", str(self.store), *model,
             *arguments],
            folder, "server", settings)
        self.address = f"http://127.0.0.1:{self.port}/"

    def restart(self, *arguments):
        """`arguments` hold until the next restart."""
        self.server.kill()
        command = self.server.command
        self.server.command = [*command, *arguments]
        self.server.start()
        self.server.command = command

    def stop(self):
        for process in (self.server, self.mock, self.project):
            if process:
                process.kill()


def copy_store(source, copy):
    """A copy of a store, with what only its journal holds yet."""
    with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(copy)) as other:
        one.backup(other)
    copy.chmod(0o600)
    return copy


def expect_soon(holds, limit=PATIENCE):
    """Asks again until it holds: what happens in the background tells nobody."""
    until = time.monotonic() + limit
    while not holds():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.05)


@pytest.fixture
def start_coach(tmp_path):
    started = []

    def start(**options):
        folder = tmp_path / f"coach{len(started)}"
        folder.mkdir()
        started.append(Coach(folder, **options))
        return started[-1]

    yield start
    for coach in started:
        coach.stop()


@pytest.fixture
def coach(start_coach):
    return start_coach()


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def browser_context(chromium):
    """Contexts that fail the test on a script error or on a request to anywhere but this machine."""
    opened, faults = [], []

    def new(**options):
        options.setdefault("viewport", {"width": 390, "height": 780})
        options.setdefault("locale", "en-US")
        options.setdefault("reduced_motion", "reduce")
        context = chromium.new_context(**options)
        context.set_default_timeout(PATIENCE * 1_000)
        opened.append(context)
        context.on("request", lambda request: faults.append(f"request to {request.url}")
                   if not re.match(r"(http://127\.0\.0\.1:|data:|blob:)", request.url) else None)
        context.on("weberror", lambda error: faults.append(f"script error: {error.error}"))
        context.on("console", lambda message: faults.append(f"console: {message.text}")
                   if message.type == "error" and "Failed to load resource" not in message.text else None)
        return context

    yield new
    for context in opened:
        context.close()
    assert faults == []


class Page:
    """What a person does on the page."""

    def __init__(self, page, address):
        self.page, self.address = page, address

    def open(self, query=""):
        self.page.goto(self.address + query)
        return self

    def begin(self):
        self.page.get_by_role("button", name="Let's begin").click()
        self.rests(coach=1)
        return self

    def rests(self, coach=None):
        """Waits until the coach has answered and the line can be used."""
        if coach is not None:
            expect(self.page.locator(".message.coach:not(:has(.thinking))")).to_have_count(coach)
        expect(self.page.locator(".thinking")).to_have_count(0)
        expect(self.page.locator("#messages")).not_to_have_attribute("aria-busy", "true")
        expect(self.page.locator("body")).not_to_have_attribute("data-mood", "speaking")

    def say(self, text, answers=1):
        before = self.coach_count()
        self.page.locator("#words").fill(text)
        self.page.locator("#words").press("Enter")
        self.rests(before + answers)
        return self

    def coach_count(self):
        return self.page.locator(".message.coach:not(:has(.thinking))").count()

    def texts(self):
        """Everything that was said, in order, as the page shows it."""
        said = self.page.locator("#messages .message").all_text_contents()
        return [" ".join(text.split()) for text in said]

    def to_summary(self):
        self.open().begin()
        for line in LINES[:-1]:
            self.say(line)
        self.say(LINES[-1], answers=2)
        return self

    def to_paywall(self):
        self.to_summary()
        self.page.get_by_role("button", name="Let's go").click()
        expect(self.page.locator("#paywall")).to_be_visible()
        return self


@pytest.fixture
def visit(browser_context):
    def visit(coach, **options):
        return Page(browser_context(**options).new_page(), coach.address)

    return visit
