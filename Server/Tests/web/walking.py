"""Walking through a journey: over the API to the place that a test is about, and on the page from there."""

import json
import urllib.error
import urllib.request

from conftest import CODE, LINES, PATIENCE, Page

ENOUGH = [*LINES, "I'm 42, 180 cm, 92 kg and I walk a bit", "no injuries besides the knee",
          "I have dumbbells at home and a pool next door", "I want it because of my kids, by June",
          "I like swimming and I hate burpees"]


def is_talk(screen):
    return screen.get("input", {}).get("kind") == "message"


def shown(text):
    return " ".join(text.split())


def leads_on(screen, chosen=None):
    """The answer that leads on from a screen."""
    kind = screen.get("input", {}).get("kind")
    if screen["kind"] == "signIn" and kind == "email":
        return {"email": chosen or "kim@example.com", "consents": [one["id"] for one in screen["consents"]]}
    if kind == "code":
        return CODE
    if kind == "text":
        return chosen or "Kim"
    if kind == "open":
        return chosen or "Not much, three times a week"
    if kind == "number":
        return str(chosen or 60) if chosen or "value" not in screen["input"] else True
    if kind == "edit":
        return chosen or "approve"
    if screen.get("options") and (chosen or kind == "select" or "button" not in screen):
        return chosen or screen["options"][0]["id"]
    return True


class Road:
    """A journey over the API, begun anew unless told otherwise."""

    def __init__(self, coach, name, can="", begun=None, is_new=True):
        self.base, self.query = coach.address.rstrip("/"), f"?can={can}" if can else ""
        self.said = 0
        if begun:
            view = self._json("GET", f"/conversations/{begun}/journey{self.query}")
        else:
            view = self._json("POST", f"/journeys/{name}{self.query}", {"new": True} if is_new else {})
        self.id, self.screen = begun or view["conversation_id"], view["screen"]

    def _open(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"content-type": "application/json", "accept": "application/x-ndjson"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error

    def _json(self, method, path, body=None):
        return json.loads(self._open(method, path, body))

    def _lines(self, method, path, body=None):
        return [json.loads(line) for line in self._open(method, path, body).splitlines() if line.strip()]

    def act(self, **action):
        self.screen = self._json(
            "POST", f"/conversations/{self.id}/journey{self.query}", {**action, "at": self.screen["at"]})["screen"]
        return self.screen

    def reach(self, target=None, choices=None):
        for _ in range(120):
            screen = self.screen
            if screen.get("busy"):
                self.screen = self._lines("GET", f"/conversations/{self.id}/journey/stream{self.query}")[-1]
            elif screen["kind"] == "end" or (target and screen.get("step") == target):
                return screen
            elif is_talk(screen):
                self._talk()
            else:
                self.act(answer=leads_on(screen, (choices or {}).get(screen.get("step"))))
                assert not self.screen.get("problem"), self.screen
        raise AssertionError(f"never reached {target}: {self.screen}")

    def _talk(self):
        events = self._lines("GET", f"/conversations/{self.id}/stream")
        for _ in range(20):
            after = [event for event in events if event["type"] == "screen"]
            if after and not is_talk(after[-1]):
                self.screen = after[-1]
                return
            offered = next((event["options"] for event in events if event["type"] in ("choices", "paywall")), None)
            body = {"choice": offered[0]["id"]} if offered else {"message": ENOUGH[self.said % len(ENOUGH)]}
            self.said += "message" in body
            events = self._lines("POST", "/chat-stream", {"conversation_id": self.id, **body})
        raise AssertionError("the conversation doesn't end")


class Walk(Page):
    """Somebody who walks through a journey on the page."""

    def __init__(self, page, address):
        super().__init__(page, address)
        self.id, self.seen, self.said = None, [], 0

    def begin_journey(self, name, query=""):
        with self.page.expect_response(lambda one: one.url.endswith(f"/journeys/{name}{query}")) as got:
            self.page.goto(f"{self.address}?journey={name}")
        self.id = got.value.json()["conversation_id"]
        return self.settled()

    def screen(self):
        """What the server shows now."""
        return self.page.evaluate(
            "(id) => fetch(`/conversations/${id}/journey`).then((one) => one.json())", self.id)["screen"]

    def place(self):
        """Which screen the page shows; None while an answer is on its way."""
        return self.page.evaluate("""() => {
          const step = document.getElementById("step");
          if (!document.getElementById("conversation").hidden && !document.querySelector(".tour")) return "talk";
          if (document.getElementById("journey").hidden || step.inert || "busy" in step.dataset) return null;
          return step.dataset.at;
        }""")

    def settled(self):
        """Waits until the page shows what the server does, and returns it."""
        for _ in range(40 * PATIENCE):
            screen = self.screen()
            if not screen.get("busy") and self.place() == ("talk" if is_talk(screen) else screen["at"]):
                self.seen.append(screen.get("step", screen["kind"]))
                return screen
            self.page.wait_for_timeout(25)
        raise AssertionError(f"the page shows {self.place()}, the server {screen}")

    def after(self, before):
        """The next screen, once it's there."""
        was = "talk" if is_talk(before) else before["at"]
        for _ in range(100 * PATIENCE):
            if self.place() not in (None, was):
                return self.settled()
            self.page.wait_for_timeout(10)
        raise AssertionError(f"nothing follows {before}: the server shows {self.screen()}")

    def press(self, name=None, option=None):
        where = self.page.locator("#step")
        if option:
            where.locator(f"[data-option='{option}']").click()
        elif name:
            where.get_by_role("button", name=name, exact=True).click()
        else:
            where.locator("button[type=submit].primary").click()

    def answer(self, screen, choices=None):
        """Does what leads on from a screen."""
        chosen = (choices or {}).get(screen.get("step"))
        kind = screen.get("input", {}).get("kind")
        if is_talk(screen):
            return self.talk()
        if screen["kind"] == "tour":
            for _ in screen["tips"]:
                self.page.locator(".tip-bubble .primary").click()
        elif kind == "email":
            self.page.locator("#step input[type=email]").fill(chosen or "kim@example.com")
            for box in self.page.locator("#step input[type=checkbox]").all():
                box.check()
            self.press()
        elif kind == "code":
            self.paste(CODE)
        elif kind in ("text", "open", "number"):
            answer = leads_on(screen, chosen)
            if answer is not True:
                self.page.locator("#step textarea" if kind == "open" else "#step input").fill(answer)
            self.press()
        elif kind == "edit":
            self.press(option=chosen or "approve")
        elif screen.get("options") and (chosen or kind == "select" or "button" not in screen):
            self.press(option=chosen or screen["options"][0]["id"])
        else:
            self.press()
        return self.after(screen)

    def paste(self, code):
        self.page.evaluate("""(code) => {
          const data = new DataTransfer();
          data.setData("text", code);
          document.querySelector(".code input").dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""", code)

    def talk(self):
        """Talks until the journey's next screen."""
        for _ in range(14):
            self.rests()
            self.page.wait_for_timeout(100)
            screen = self.screen()
            if not is_talk(screen):
                return self.settled()
            if self.page.locator("#paywall").is_visible():
                self.page.locator("#subscribe").click()
            elif self.page.locator("#after button").count():
                self.page.locator("#after button").first.click()
            else:
                self.page.locator("#words").fill(ENOUGH[self.said % len(ENOUGH)])
                self.said += 1
                self.page.locator("#words").press("Enter")
        raise AssertionError("the conversation doesn't end")

    def back(self, screen):
        before = self.screen()
        self.page.locator("#talk-back" if is_talk(screen) else "#step-back").click()
        return self.after(before)

    def reach(self, target=None, choices=None, at_each=None):
        screen = self.settled()
        for _ in range(150):
            if screen["kind"] == "end" or (target and screen.get("step") == target):
                return screen
            here = (at_each(screen) if at_each else None) or screen
            # Whoever moved on there has come to a screen that is looked at, too.
            moved = here.get("step") != screen.get("step")
            screen = here if moved else self.answer(here, choices)
        raise AssertionError(f"never reached {target}; seen {self.seen}")
