"""What was sent and not yet answered is never lost, never said twice, and never said elsewhere."""

import json
import socket
import threading
import time
import urllib.request

import pytest
from conftest import LINES, Page, free_port
from playwright.sync_api import expect

KEPT = "Object.keys(localStorage).filter((key) => key.startsWith('rapport.sent.'))"


def send(one, text):
    one.page.locator("#words").fill(text)
    one.page.locator("#words").press("Enter")


def ask(coach, path, method="GET"):
    with urllib.request.urlopen(urllib.request.Request(coach.address + path, method=method)) as answer:
        return json.load(answer)


def said(coach, conversation):
    stored = ask(coach, f"conversations/{conversation}")["messages"]
    return [message["text"] for message in stored if message["role"] == "user"]


def current(one):
    return one.page.evaluate("localStorage.getItem('rapport.conversation')")


def expect_unsent(one):
    expect(one.page.get_by_role("status").filter(has_text="I'll send it")).to_be_visible()


def sent_to_nobody(coach, one, text):
    """Sends something while the server is away, and closes the tab."""
    coach.server.kill()
    send(one, text)
    expect_unsent(one)
    one.page.goto("about:blank")
    coach.server.start()


def test_what_was_sent_survives_a_reload(coach, visit):
    one = visit(coach).open().begin()
    sent_to_nobody(coach, one, LINES[0])
    one.open().rests(coach=2)
    assert [LINES[0] in text for text in one.texts()] == [False, True, False]
    assert said(coach, current(one)) == [LINES[0]]
    assert one.page.evaluate(KEPT) == []


def test_while_the_server_is_away_a_reload_says_what_is_kept(coach, visit):
    one = visit(coach).open().begin()
    one.page.route("**/chat-stream", lambda route: route.abort())
    send(one, LINES[0])
    expect_unsent(one)
    one.page.route("**/conversations/*", lambda route: route.abort())
    one.page.reload()
    expect_unsent(one)
    one.page.unroute_all()
    one.rests(coach=2)
    assert said(coach, current(one)) == [LINES[0]]


def test_two_tabs_send_it_once(coach, visit):
    one = visit(coach).open().begin()
    other = Page(one.page.context.new_page(), coach.address).open()
    other.rests(coach=1)
    coach.server.kill()
    send(one, LINES[0])
    expect_unsent(one)
    send(other, LINES[1])
    expect_unsent(other)
    coach.server.start()
    # A third tab finds both messages while the others still try to send them.
    third = Page(one.page.context.new_page(), coach.address).open()
    for tab in (one, other, third):
        tab.rests()
    conversation = current(one)
    assert sorted(said(coach, conversation)) == sorted(LINES[:2])
    for tab in (one, other, third):
        tab.open().rests(coach=3)
        assert [sum(line in text for text in tab.texts()) for line in LINES[:2]] == [1, 1]
    assert one.page.evaluate(KEPT) == []


@pytest.mark.parametrize("count", [0, 9])
def test_what_the_server_has_is_not_sent_again(coach, visit, count):
    """`count` is what the tab that sent it knew, which may be out of date."""
    one = visit(coach).open().begin()
    with one.page.expect_request("**/chat-stream") as sending:
        one.say(LINES[0])
    one.say(LINES[1])
    body, conversation = json.loads(sending.value.post_data), current(one)
    del body["conversation_id"]
    before = one.texts()
    one.page.evaluate(
        "([name, sent]) => localStorage.setItem(`rapport.sent.${name}`, JSON.stringify(sent))",
        [body["client_message_id"], {"body": body, "count": count, "conversation": conversation,
                                     "person": "local", "at": 0}])
    one.open().rests(coach=3)
    assert one.texts() == before
    assert said(coach, conversation) == LINES[:2]
    assert one.page.evaluate(KEPT) == []


def test_it_is_not_said_in_another_conversation(coach, visit):
    one = visit(coach).open().begin()
    first = current(one)
    one.page.route("**/chat-stream", lambda route: route.abort())
    send(one, LINES[0])
    expect_unsent(one)
    one.page.get_by_role("button", name="Menu").click()
    one.page.get_by_role("button", name="Start a new conversation").click()
    one.page.unroute_all()
    one.begin().say(LINES[1])
    assert current(one) != first
    assert (said(coach, first), said(coach, current(one))) == ([], [LINES[1]])
    # Back there, it's sent.
    one.page.evaluate("(id) => localStorage.setItem('rapport.conversation', id)", first)
    one.open().rests(coach=2)
    assert said(coach, first) == [LINES[0]]


def test_a_forgotten_conversation_gives_it_back(coach, visit):
    one = visit(coach).open().begin()
    conversation = current(one)
    sent_to_nobody(coach, one, LINES[0])
    ask(coach, f"conversations/{conversation}", "DELETE")
    one.open().begin()
    expect(one.page.locator("#words")).to_have_value(LINES[0])
    expect(one.page.locator(".message.mine")).to_have_count(0)
    assert said(coach, current(one)) == []
    assert one.page.evaluate(KEPT) == []


def test_a_conversation_forgotten_while_it_is_open_gives_it_back(coach, visit):
    one = visit(coach).open().begin()
    conversation = current(one)
    coach.server.kill()
    send(one, LINES[0])
    expect_unsent(one)
    one.page.locator("#words").fill("and one more thing")
    one.page.route("**/chat-stream", lambda route: route.abort())
    coach.server.start()
    ask(coach, f"conversations/{conversation}", "DELETE")
    one.page.unroute_all()
    one.begin()
    expect(one.page.locator("#words")).to_have_value(f"{LINES[0]}\nand one more thing")
    assert said(coach, current(one)) == []


def test_somebody_else_neither_sends_nor_sees_it(start_coach, visit):
    coach = start_coach(arguments=["--device-tokens"])
    one = visit(coach).open().begin()
    sent_to_nobody(coach, one, LINES[0])
    cookies = one.page.context.cookies()
    one.page.context.clear_cookies()
    one.open().begin()
    expect(one.page.locator("#words")).to_have_value("")
    one.say(LINES[1])
    assert not any(LINES[0] in text for text in one.texts())
    # The first person's conversation still gets it.
    one.page.context.add_cookies(cookies)
    stored = one.page.evaluate("fetch('/conversations').then((answer) => answer.json())")
    one.page.evaluate(
        "(id) => localStorage.setItem('rapport.conversation', id)",
        stored["conversations"][0]["conversation_id"])
    one.open().rests(coach=2)
    assert any(LINES[0] in text for text in one.texts())


def test_what_is_refused_goes_before_what_was_typed_since(coach, visit):
    one = visit(coach).open().begin()
    held = []
    one.page.route("**/chat-stream", lambda route: held.append(route))
    send(one, LINES[0])
    expect(one.page.locator(".waiting-to-send")).to_be_visible()
    one.page.locator("#words").fill("and one more thing")
    held[0].fulfill(status=429, headers={"Retry-After": "60"}, json={"error": {"code": "too-fast"}})
    expect(one.page.locator("#words")).to_have_value(f"{LINES[0]}\nand one more thing")
    expect(one.page.locator(".message.mine")).to_have_count(0)
    assert one.page.evaluate(KEPT) == []


def test_what_may_have_been_taken_before_a_refusal_is_not_offered_again(coach, visit):
    one = visit(coach).open().begin()
    tries = []

    def answer(route):
        tries.append(route)
        if len(tries) == 1:
            route.fetch()
            route.abort()
        else:
            route.fulfill(status=429, json={"error": {"code": "too-fast"}})

    one.page.route("**/chat-stream", answer)
    send(one, LINES[0])
    again = one.page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    expect(one.page.locator("#words")).to_have_value("")
    one.page.unroute_all()
    again.click()
    one.rests(coach=2)
    assert said(coach, current(one)) == [LINES[0]]


def test_a_choice_counts_once_when_the_server_is_killed(start_coach, visit):
    coach = start_coach(mock=["--fault", "chunks:bytes=80,pace=40", "--only", "coach"])
    one = visit(coach).to_paywall()
    one.page.get_by_role("button", name="Continue my coaching journey").click()
    expect(one.page.locator("body")).to_have_attribute("data-mood", "speaking")
    coach.server.kill()
    coach.server.start()
    one.rests(coach=7)
    texts = one.texts()
    assert len(texts) == len(set(texts))
    # The question before the paywall isn't part of what is stored.
    one.page.reload()
    one.rests(coach=6)
    assert one.texts()[-1] == texts[-1]


def test_what_begins_a_conversation_is_sent_again_after_a_reload(coach, visit):
    one = visit(coach).open()
    held = []
    one.page.route("**/chat-stream", lambda route: held.append(route))
    one.page.get_by_role("button", name="Let's begin").click()
    expect(one.page.locator(".thinking")).to_be_visible()
    held[0].fulfill(status=429, json={"error": {"code": "too-fast"}})
    expect(one.page.locator(".thinking")).to_have_count(0)
    one.page.unroute_all()
    one.page.route("**/chat-stream", lambda route: route.abort())
    send(one, LINES[0])
    expect_unsent(one)
    one.page.unroute_all()
    one.open().rests(coach=1)
    assert said(coach, current(one)) == [LINES[0]]
    assert len(ask(coach, "conversations")["conversations"]) == 1


class DeadLine:
    """A network that dies silently: connections stay open, and what's sent on them is gone."""

    def __init__(self, port):
        self.target, self.port, self.is_dead, self.lines = port, free_port(), False, []
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            line = {"is_dead": self.is_dead}
            self.lines.append(line)
            for source, target in [(client, server), (server, client)]:
                threading.Thread(target=self._pass, args=(source, target, line), daemon=True).start()

    def drop(self):
        """What is open dies, and what is opened from now on lives, as after a change of networks."""
        for line in self.lines:
            line["is_dead"] = True

    def _pass(self, source, target, line):
        try:
            while data := source.recv(65536):
                line["is_dead"] = line["is_dead"] or self.is_dead
                if not line["is_dead"]:
                    target.sendall(data)
            if not line["is_dead"]:
                target.shutdown(socket.SHUT_WR)
        except OSError:
            target.close()


def test_a_line_that_dies_silently_is_noticed(coach, visit):
    line = DeadLine(coach.port)
    coach.address = f"http://127.0.0.1:{line.port}/"
    one = visit(coach)
    one.page.clock.install()
    one.open().begin()
    line.is_dead = True
    send(one, LINES[0])
    expect(one.page.locator("#words")).to_have_value("")
    one.page.clock.run_for(3_000)
    expect(one.page.get_by_role("status").filter(has_text="connection")).to_have_count(0)
    one.page.clock.run_for(4_000)
    expect_unsent(one)
    expect(one.page.get_by_text("saved")).to_have_count(0)
    line.is_dead = False
    one.page.clock.run_for(15_000)
    one.rests(coach=2)
    coach.address = f"http://127.0.0.1:{coach.port}/"
    assert said(coach, current(one)) == [LINES[0]]


def test_a_line_that_dies_in_mid_reply_is_back_within_a_minute(start_coach, visit):
    coach = start_coach(mock=["--fault", "silence:after=8", "--only", "ask", "--times", "1"])
    line = DeadLine(coach.port)
    coach.address = f"http://127.0.0.1:{line.port}/"
    one = visit(coach)
    one.page.clock.install()
    one.open().begin()
    send(one, LINES[0])
    expect(one.page.locator("body")).to_have_attribute("data-mood", "speaking")
    # As many connections as a browser keeps.
    one.page.evaluate("Promise.all(Array.from({ length: 8 }, () => fetch('/status').then((one) => one.text())))")
    line.drop()
    lost = one.page.get_by_role("status").filter(has_text="reconnecting")
    one.page.clock.run_for(21_000)
    expect(lost).to_be_visible()
    seconds = 21
    while lost.is_visible():
        assert seconds < 60
        one.page.clock.run_for(1_000)
        # What the network does takes real time.
        time.sleep(0.2)
        seconds += 1
