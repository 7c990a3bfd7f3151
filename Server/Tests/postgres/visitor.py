"""Somebody who talks with the coach as the documentation says, and comes back when the connection breaks."""

import http.client
import json
import time

LINES = [
    "drop about 20 lbs by june so i can keep up with my kids. no time though",
    "work. new job, 60h weeks. and my right knee is shot from marathons",
    "love swimming, hate burpees, pool next door. i'm 42, 4000 steps a day",
    "tue and thu mornings, 30 minutes. dinner is usually drive-thru. be blunt",
]


class Broken(Exception):
    """The connection ended before the reply did."""


class Refused(Exception):
    def __init__(self, status, code):
        super().__init__(f"{status} {code}")
        self.status, self.code = status, code


class Visitor:
    def __init__(self, name, port, token=None):
        self.name, self.port, self.token = name, port, token
        self.conversation, self.last_id = None, None
        # What is on the screen: (role, text), and how much of it was there before this reply.
        self.messages, self.before, self.partial = [], 0, None
        self.said, self.acknowledged = 0, []
        self.servers, self.cuts, self.resumed = set(), 0, 0
        self.ids = set()

    # Requests.

    def request(self, method, path, body=None, headers=None, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=900)
        fields = dict(headers or {})
        if body is not None:
            fields["Content-Type"] = "application/json"
        if self.token:
            fields["Authorization"] = f"Bearer {self.token}"
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, fields)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Broken() from error
        self.servers.add(answer.headers.get("X-Answered-By", "").split(",")[-1].strip())
        return connection, answer

    def json(self, method, path, body=None, port=None):
        connection, answer = self.request(method, path, body, port=port)
        try:
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Broken() from error
        finally:
            connection.close()
        if answer.status >= 500:
            raise Broken()
        if answer.status >= 400:
            raise Refused(answer.status, json.loads(text)["error"]["code"])
        return json.loads(text)

    def stream(self, method, path, body=None, headers=None, port=None):
        """Events of a stream; ends only with `done`."""
        connection, answer = self.request(method, path, body, headers, port)
        try:
            if answer.status >= 400:
                text = answer.read()
                if answer.status >= 500:
                    raise Broken()
                raise Refused(answer.status, json.loads(text)["error"]["code"])
            event, is_done = {}, False
            while True:
                line = answer.readline().decode()
                if not line:
                    if is_done:
                        return
                    raise Broken()
                line = line.rstrip("\n")
                if not line:
                    if "data" in event:
                        data = json.loads(event["data"])
                        is_done = is_done or event["event"] == "done"
                        yield event["id"], event["event"], data
                    event = {}
                elif not line.startswith(":"):
                    field, _, value = line.partition(": ")
                    event[field] = value
        except (OSError, http.client.HTTPException) as error:
            raise Broken() from error
        finally:
            connection.close()

    # The screen.

    def show(self, identity, name, data):
        assert identity not in self.ids, f"{self.name} got {identity} twice"
        self.ids.add(identity)
        self.last_id = identity
        if name == "restart":
            del self.messages[self.before:]
            self.partial = None
        elif name == "delta":
            if self.partial is None:
                self.partial = len(self.messages)
                self.messages.append(("coach", ""))
            role, text = self.messages[self.partial]
            self.messages[self.partial] = (role, text + data["text"])
        elif name == "message" and data.get("purpose") != "confirmation":
            message = (data.get("role", "coach"), data["text"])
            if self.partial is None:
                self.messages.append(message)
            else:
                self.messages[self.partial] = message
            self.partial = None
        elif name == "done":
            self.partial = None
            self.conversation = data["conversation_id"]

    def turn(self):
        """Says the next line, whatever breaks in between."""
        text = None if self.said == 0 else f"{LINES[(self.said - 1) % len(LINES)]} ({self.said})"
        body = {"client_message_id": f"{self.name}-{self.said}"}
        body.update({"first_message": True} if text is None else {"message": text})
        if self.conversation:
            body["conversation_id"] = self.conversation
        self.before, self.last_id, self.partial = len(self.messages), None, None
        if text is not None:
            self.messages.append(("user", text))
        is_asked = True
        while True:
            try:
                failed = self.follow(body if is_asked else None)
            except Broken:
                self.cuts += 1
                # With an id, the rest is asked for. Without one, the request is sent again; its name makes
                # that harmless.
                is_asked = self.last_id is None or self.conversation is None
                if is_asked:
                    self.start_over(text)
                else:
                    self.resumed += 1
                time.sleep(0.05)
                continue
            except Refused as refusal:
                if refusal.code in ("conversation-busy", "conversation-held", "stopping"):
                    time.sleep(0.05)
                    continue
                if refusal.code == "unknown-event-id":
                    raise AssertionError(f"{self.name}: {self.last_id} was refused") from refusal
                raise
            if text is not None and ("user", text) not in self.messages[self.before:]:
                # The server never got it.
                is_asked = True
                self.start_over(text)
                continue
            if failed:
                is_asked = False
                self.last_id = self.last_id or None
                time.sleep(0.05)
                continue
            break
        self.said += 1
        if text is not None:
            self.acknowledged.append(text)

    def start_over(self, text):
        del self.messages[self.before:]
        self.partial, self.last_id = None, None
        if text is not None:
            self.messages.append(("user", text))

    def follow(self, body):
        """Whether the reply failed."""
        failed = False
        if body is not None:
            events = self.stream("POST", "/chat-stream", body)
        else:
            events = self.stream(
                "GET", f"/conversations/{self.conversation}/stream",
                headers={"Last-Event-ID": self.last_id} if self.last_id else {})
        for identity, name, data in events:
            if self.conversation is None:
                self.conversation = identity.split(".")[0]
            self.show(identity, name, data)
            if name == "done":
                failed = data["failed"]
        return failed

    def stored(self):
        return self.json("GET", f"/conversations/{self.conversation}/export?format=json")["events"]
