"""What is said stays text however it arrives, and stays out of everything that is written beside the store."""

import json
import re
import socket
import threading

import pytest
from conftest import LINES, RAPPORT, Page, free_port
from playwright.sync_api import expect
from test_page import INJECTIONS

CANARIES = ["xylophone-canary", "canary.person@example.org", "sk-canary-0123456789abcdef"]


class ByteByByte:
    """Stands between the browser and the server, and hands on each byte alone."""

    def __init__(self, port):
        self.target, self.port = port, free_port()
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    @staticmethod
    def _pass(source, target, splits):
        try:
            while data := source.recv(65536):
                # The page's own files would take long, and are no reply.
                if splits and b"event: " in data:
                    for byte in data:
                        target.sendall(bytes([byte]))
                else:
                    target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            target.close()


def test_injected_markup_is_text_split_at_every_byte(start_coach, tmp_path, visit):
    """From the model to the server, and from the server to the page."""
    rules = tmp_path / "rules.json"
    text = "\n\n".join(INJECTIONS)
    assert len(INJECTIONS) >= 40
    rules.write_text(json.dumps({"version": 1, "models": ["mock-coach"], "rules": [
        {"purpose": "ask", "when": {"structure": "none"}, "response": {"text": text}}]}))
    coach = start_coach(mock=["--rules", str(rules), "--fault", "drip:pace=0", "--only", "prose"])
    between = ByteByByte(coach.port)
    coach.address = f"http://127.0.0.1:{between.port}/"
    one = visit(coach).open()
    page = one.page
    kinds = "script, img, iframe, object, embed, style, base, link, meta, form, svg, video, audio, template"
    # Whatever appears at any moment of the reply, not only what's left of it.
    page.evaluate("""(kinds) => {
      window.found = [];
      new MutationObserver((changes) => {
        for (const change of changes) {
          for (const node of change.addedNodes) {
            if (node.nodeType !== 1) continue;
            for (const one of [node, ...node.querySelectorAll('*')]) {
              if (one.matches(kinds)) window.found.push(one.outerHTML);
              for (const name of one.getAttributeNames()) {
                if (name.startsWith('on') || name === 'href' || name === 'src') window.found.push(one.outerHTML);
              }
            }
          }
        }
      }).observe(document.getElementById('messages'), { childList: true, subtree: true, attributes: true });
    }""", kinds)
    page.get_by_role("button", name="Let's begin").click()
    one.rests(coach=1)
    shown = one.texts()[0]
    for injection in ("<script>window.hurt=1</script>", "<svg/onload=window.hurt=1>", "{{7*7}}"):
        assert injection in shown
    assert page.evaluate("window.found") == []
    assert page.evaluate("window.hurt") is None
    between.listener.close()


@pytest.mark.parametrize("signs_in", [False, True], ids=["local", "device"])
def test_nothing_said_or_secret_is_written_beside_the_store(start_coach, visit, signs_in):
    words, email, key = CANARIES
    coach = start_coach(arguments=["--log-level", "debug", *(["--device-tokens"] if signs_in else [])])
    # The key has to come from the environment, and its address from the same place.
    coach.server.kill()
    command, model = coach.server.command, coach.mock.address
    place = command.index("--base-url")
    coach.server.command = command[:place] + command[place + 4:]
    coach.server.settings = {"RAPPORT_API_KEY": key, "RAPPORT_BASE_URL": model, "RAPPORT_MODEL": "mock-coach"}
    coach.server.start()
    one = visit(coach)
    written = []
    one.page.on("console", lambda message: written.append(message.text))
    one.to_paywall()
    one.page.get_by_role("button", name="Continue my coaching journey").click()
    one.rests()
    one.say(f"my secret is {words}, write to {email}")
    expect(one.page.locator(".message.mine").last).to_contain_text(words)
    one.page.reload()
    one.rests()
    coach.restart()
    one.page.reload()
    one.rests()
    secrets = [words, email, key, *LINES]
    cookies = [cookie["value"] for cookie in one.page.context.cookies()]
    assert bool(cookies) == signs_in
    secrets += cookies
    ask = "(path) => fetch(path).then(async (one) => one.status + ' ' + await one.text())"
    for path in ("metrics", "healthz", "readyz", "status", "openapi.json", "nothing-of-this-kind"):
        answer = one.page.evaluate(ask, coach.address + path)
        assert answer.startswith("200") or path == "nothing-of-this-kind" or (path == "metrics" and signs_in)
        written.append(answer)
    for file in coach.folder.rglob("*"):
        # The store is where it belongs.
        if file.is_file() and not re.match(r"store\.db", file.name):
            written.append(file.read_text(errors="replace"))
    assert (coach.folder / "server.log").stat().st_size > 500
    for text in written:
        for secret in secrets:
            assert secret not in text, f"{secret!r} in {text[:300]!r}"


def test_a_refused_cookie_is_kept_until_the_person_says_otherwise(start_coach, visit):
    """A clock that is wrong for a while, or a key that isn't there, takes nothing away."""
    coach = start_coach(arguments=["--device-tokens"])
    one = visit(coach).open().begin()
    cookies = one.page.context.cookies()
    (kept,) = [cookie for cookie in cookies if cookie["name"] == "rapport-token"]
    one.page.context.add_cookies([{**kept, "value": kept["value"] + "x"}])
    one.page.reload()
    status = one.page.get_by_text("I can't open what this browser has kept with me")
    expect(status).to_be_visible()
    values = [cookie["value"] for cookie in one.page.context.cookies()]
    assert values == [kept["value"] + "x"]
    # What was wrong is right again.
    one.page.context.add_cookies([kept])
    one.page.reload()
    one.rests(coach=1)
    one.page.context.add_cookies([{**kept, "value": kept["value"] + "x"}])
    one.page.reload()
    one.page.get_by_role("button", name="Begin anew").click()
    expect(one.page.get_by_role("button", name="Let's begin")).to_be_visible()
