"""The page goes on over PostgreSQL when servers and the database are killed.

    python3 -m pytest Server/Tests/postgres/test_browser.py
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "web"))
from conftest import LINES, RAPPORT, SERVER, Page, browser_context, chromium, visit  # noqa: E402, F401

from test_two_servers import Setting  # noqa: E402

# From attempt to attempt the page waits longer, up to 13 seconds, and a killed database takes its own time.
expect.set_options(timeout=900_000)

KILLS = 40 if os.environ.get("RAPPORT_SOAK") == "1" else 8


@pytest.fixture
def setting(tmp_path_factory):
    folder = tmp_path_factory.mktemp("postgres")
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o755)
    setting = Setting(folder, RAPPORT, SERVER, local=True)
    yield setting
    setting.stop()


class Behind:
    """What a page needs to know of a coach: here, the proxy."""

    def __init__(self, setting):
        self.address = f"http://127.0.0.1:{setting.proxy.port}/"


def test_the_page_goes_on_over_postgresql(setting, visit):  # noqa: F811
    chance = random.Random(44)
    one = visit(Behind(setting)).open().begin()
    said, kills = [], 0
    for number, line in enumerate(LINES[:-1]):
        coach = one.coach_count()
        one.page.locator("#words").fill(line)
        one.page.locator("#words").press("Enter")
        said.append(line)
        for _ in range(KILLS // (len(LINES) - 1) + 1):
            time.sleep(chance.uniform(0, 0.6))  # A kill comes at any moment.
            if kills % 4 == 3:
                setting.database.kill()
                time.sleep(chance.uniform(0, 0.5))
                setting.database.start()
            else:
                server = chance.choice(setting.servers)
                server.kill()
                server.start()
                server.address()
            kills += 1
        one.rests(coach + 1)
    texts = one.texts()
    assert [sum(line in text for text in texts) for line in said] == [1] * len(said)
    assert len(texts) == len(set(texts)) == 2 * len(said) + 1
    one.page.reload()
    one.rests(coach=len(said) + 1)
    assert one.texts() == texts
    assert kills >= KILLS
    print(f"ok: {kills} kills of servers and the database; the page shows {len(texts)} messages, each once")
