"""The vendors' own Python clients against `rapport mock`: test_clients.py RAPPORT.

Each test starts a server with the faults it is about, talks to it as an application would, and
checks what the client makes of it.
"""

import json
import subprocess
import sys
import time

import anthropic
import openai

from suite import run, test

MODEL = "mock-coach"
GREETING = [{"role": "user", "content": "hello"}]
ANSWER = "Tell me more: what would you like to be able to do, and by when?"
SCHEMA = {
    "type": "object",
    "properties": {"evidence": {"type": "array", "items": {"type": "string"}}},
    "required": ["evidence"],
    "additionalProperties": False,
}


class Server:
    """`rapport mock` while the block runs."""

    def __init__(self, *arguments):
        self.arguments = arguments

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.argv[1], "mock", *self.arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), self.url
        return self

    def __exit__(self, *_):
        self.process.send_signal(subprocess.signal.SIGINT)
        code = self.process.wait()
        assert code == 0, f"rapport mock ended with {code}"

    def openai(self, retries=0, timeout=None):
        return openai.OpenAI(
            base_url=self.url, api_key="test", max_retries=retries, timeout=timeout)

    def anthropic(self, retries=0, timeout=None):
        return anthropic.Anthropic(
            base_url=self.url.removesuffix("/v1"), api_key="test", max_retries=retries,
            timeout=timeout)


def ask_openai(client, **more):
    return client.chat.completions.create(model=MODEL, messages=GREETING, **more)


def stream_openai(client):
    chunks = list(ask_openai(client, stream=True))
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    return text, chunks


def ask_anthropic(client, **more):
    return client.messages.create(model=MODEL, messages=GREETING, max_tokens=200, **more)


def stream_anthropic(client):
    with client.messages.stream(model=MODEL, messages=GREETING, max_tokens=200) as stream:
        text = "".join(stream.text_stream)
        return text, stream.get_final_message()


def expect(exceptions, action):
    try:
        result = action()
    except exceptions as error:
        return error
    raise AssertionError(f"expected {exceptions}, got {result!r}")


@test
def models_are_listed():
    with Server() as server:
        for client in (server.openai(), server.anthropic()):
            assert [model.id for model in client.models.list()] == [MODEL]
            assert client.models.retrieve(MODEL).id == MODEL
        expect(openai.NotFoundError, lambda: server.openai().models.retrieve("other"))
        expect(anthropic.NotFoundError, lambda: server.anthropic().models.retrieve("other"))


@test
def answers_come_whole_and_in_pieces():
    with Server() as server:
        answer = ask_openai(server.openai())
        assert answer.choices[0].message.content == ANSWER
        assert answer.choices[0].finish_reason == "stop" and answer.usage.total_tokens > 0
        text, chunks = stream_openai(server.openai())
        assert text == ANSWER and len(chunks) > 4

        message = ask_anthropic(server.anthropic())
        assert message.content[0].text == ANSWER and message.stop_reason == "end_turn"
        text, final = stream_anthropic(server.anthropic())
        assert text == ANSWER and final.stop_reason == "end_turn"
        assert final.usage.output_tokens > 0


@test
def structured_answers_are_json():
    with Server() as server:
        answer = ask_openai(server.openai(), response_format={
            "type": "json_schema",
            "json_schema": {"name": "evidence", "schema": SCHEMA, "strict": True}})
        assert json.loads(answer.choices[0].message.content)["evidence"] == []
        message = ask_anthropic(server.anthropic(), output_config={
            "format": {"type": "json_schema", "schema": SCHEMA}})
        assert json.loads(message.content[0].text)["evidence"] == []


@test
def limits_and_request_ids_are_told():
    with Server() as server:
        raw = server.openai().chat.completions.with_raw_response.create(
            model=MODEL, messages=GREETING)
        assert int(raw.headers["x-ratelimit-remaining-requests"]) > 0
        assert raw.parse()._request_id == raw.headers["x-request-id"]
        raw = server.anthropic().messages.with_raw_response.create(
            model=MODEL, messages=GREETING, max_tokens=9)
        assert int(raw.headers["anthropic-ratelimit-tokens-remaining"]) > 0
        assert raw.parse()._request_id == raw.headers["request-id"]


STATUSES = [
    (400, "BadRequestError"), (401, "AuthenticationError"), (403, "PermissionDeniedError"),
    (404, "NotFoundError"), (408, "APIStatusError"), (409, "ConflictError"),
    (422, "UnprocessableEntityError"), (429, "RateLimitError"), (500, "InternalServerError"),
    (503, "InternalServerError"), (529, "InternalServerError"),
]


@test
def every_status_is_its_exception():
    for code, name in STATUSES:
        with Server("--fault", f"status:{code}") as server:
            error = expect(getattr(openai, name), lambda: ask_openai(server.openai()))
            assert error.status_code == code and error.body["message"], error
            expect(getattr(openai, name), lambda: stream_openai(server.openai()))
            error = expect(getattr(anthropic, name), lambda: ask_anthropic(server.anthropic()))
            assert error.status_code == code and error.body["error"]["message"], error
            expect(getattr(anthropic, name), lambda: stream_anthropic(server.anthropic()))


@test
def what_a_request_lacks_is_told():
    with Server("--require-key") as server:
        keyless = {"Authorization": openai.omit} if hasattr(openai, "omit") else {}
        error = expect(openai.NotFoundError, lambda: server.openai().chat.completions.create(
            model="gpt-9", messages=GREETING))
        assert error.code == "model_not_found"
        if keyless:
            expect(openai.AuthenticationError,
                   lambda: ask_openai(server.openai(), extra_headers=keyless))
        expect(openai.BadRequestError, lambda: server.openai().chat.completions.create(
            model=MODEL, messages=[]))
        expect(anthropic.NotFoundError, lambda: server.anthropic().messages.create(
            model="claude-9", messages=GREETING, max_tokens=9))
        expect(anthropic.BadRequestError, lambda: server.anthropic().messages.create(
            model=MODEL, messages=[], max_tokens=9))


@test
def a_retry_is_enough_where_one_answer_failed():
    for fault in ("rate-limit:ms", "status:409", "status:500", "status:529"):
        with Server("--fault", fault, "--times", "1") as server:
            assert stream_openai(server.openai(retries=2))[0] == ANSWER
        with Server("--fault", fault, "--times", "1") as server:
            assert stream_anthropic(server.anthropic(retries=2))[0] == ANSWER


@test
def a_told_wait_is_kept():
    with Server("--fault", "rate-limit:ms", "--times", "1") as server:
        start = time.monotonic()
        ask_openai(server.openai(retries=1))
        assert time.monotonic() - start >= 0.75
    with Server("--fault", "rate-limit:date", "--times", "1") as server:
        start = time.monotonic()
        ask_anthropic(server.anthropic(retries=1))
        assert time.monotonic() - start >= 1.5


@test
def a_retry_that_the_server_refuses_is_not_made():
    with Server("--fault", "rate-limit:never", "--times", "1") as server:
        expect(openai.RateLimitError, lambda: ask_openai(server.openai(retries=3)))
    with Server("--fault", "rate-limit:quota") as server:
        error = expect(openai.RateLimitError, lambda: ask_openai(server.openai()))
        assert error.code == "insufficient_quota"


@test
def an_error_in_the_stream_is_raised():
    with Server("--fault", "stream-error") as server:
        expect(openai.APIError, lambda: stream_openai(server.openai()))
        error = expect(anthropic.APIStatusError, lambda: stream_anthropic(server.anthropic()))
        assert error.body["error"]["type"] == "overloaded_error"


@test
def a_cut_stream_is_no_answer():
    for close in ("unclean", "reset"):
        with Server("--fault", f"cut:after=6,close={close}") as server:
            expect(Exception, lambda: stream_openai(server.openai()))
            expect(Exception, lambda: stream_anthropic(server.anthropic()))
    # What ends cleanly looks finished to the openai client; only the finish reason is missing.
    with Server("--fault", "cut:after=4,close=clean") as server:
        text, chunks = stream_openai(server.openai())
        assert text != ANSWER and all(c.choices[0].finish_reason is None for c in chunks)


@test
def silence_is_a_timeout():
    for fault in ("mute", "silence:after=4"):
        with Server("--fault", fault) as server:
            expect(Exception, lambda: stream_openai(server.openai(timeout=0.5)))
            expect(Exception, lambda: stream_anthropic(server.anthropic(timeout=0.5)))


@test
def odd_framing_changes_nothing():
    for fault in ("split:at=30", "chunks:bytes=5,random=yes", "drip:pace=0", "no-done"):
        with Server("--fault", fault, "--seed", "7") as server:
            assert stream_openai(server.openai())[0] == ANSWER
            assert stream_anthropic(server.anthropic())[0] == ANSWER


@test
def an_answer_that_is_cut_short_says_so():
    with Server("--fault", "length") as server:
        assert ask_openai(server.openai()).choices[0].finish_reason == "length"
        assert ask_anthropic(server.anthropic()).stop_reason == "max_tokens"
    with Server("--fault", "refusal") as server:
        assert ask_openai(server.openai()).choices[0].message.refusal
        assert ask_anthropic(server.anthropic()).stop_reason == "refusal"


run(f"openai {openai.__version__}, anthropic {anthropic.__version__}")
