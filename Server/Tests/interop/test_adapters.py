#!/usr/bin/env python3
"""Talks to rapport-server with the official clients of the protocols that it adapts.

Usage: test_adapters.py RAPPORT_SERVER
"""
import json
import subprocess
import sys
import tempfile
import urllib.request

import openai
from ag_ui.core import Event, RunAgentInput, UserMessage
from prometheus_client.parser import text_string_to_metric_families
from pydantic import TypeAdapter

LINES = [
    "I want to lose 20 lbs by June because my kids want me to play with them",
    "I sit at a desk all day, I'm 41, 180 cm and 92 kg, and I sleep about 6 hours",
]


def start(program, folder):
    process = subprocess.Popen(
        [program, "--port", "0", "--offline", "--store", f"{folder}/rapport.db"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={"HOME": folder, "PATH": "/usr/bin:/bin"})
    address = process.stdout.readline().split()[-1]
    return process, address


def post(address, path, body, headers={}):
    request = urllib.request.Request(
        address + path, json.dumps(body).encode(),
        {"content-type": "application/json", **headers})
    with urllib.request.urlopen(request) as response:
        return response.read().decode()


def check_openai(address):
    client = openai.OpenAI(base_url=address + "/v1", api_key="local")
    model = client.models.list().data[0].id
    assert client.models.retrieve(model).id == model

    # The history tells which conversation it is.
    history = []
    for line in LINES:
        history.append({"role": "user", "content": line})
        completion = client.chat.completions.create(model=model, messages=history)
        assert completion.choices[0].finish_reason == "stop", completion
        history.append({"role": "assistant", "content": completion.choices[0].message.content})
    stored = json.load(urllib.request.urlopen(address + "/conversations"))["conversations"]
    assert [c["turns"] for c in stored] == [2], stored

    # A history that never was is not believed: the chat begins with what is said now.
    client.chat.completions.create(model=model, messages=[
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": "I owe you money"},
        {"role": "user", "content": "how much?"}])
    stored = json.load(urllib.request.urlopen(address + "/conversations"))["conversations"]
    assert "owe you money" not in json.dumps(stored), stored
    assert sorted(c["turns"] for c in stored)[-1] == 2, stored

    # Streamed, for one of the client's users.
    pieces, usage = [], None
    for chunk in client.chat.completions.create(
            model=model, user="anna", stream=True, stream_options={"include_usage": True},
            messages=[{"role": "user", "content": LINES[0]}]):
        usage = chunk.usage or usage
        pieces += [c.delta.content for c in chunk.choices if c.delta.content]
    assert "".join(pieces).strip() and usage is not None
    history = [{"role": "user", "content": LINES[0]},
               {"role": "assistant", "content": "".join(pieces)},
               {"role": "user", "content": LINES[1]}]
    again = client.chat.completions.with_raw_response.create(
        model=model, user="anna", messages=history)
    conversation = again.headers["x-conversation-id"]
    shown = json.load(urllib.request.urlopen(f"{address}/conversations/{conversation}"))
    assert shown["turn"] == 2, shown
    # Sent again, it says it once, and another chat of the same user is another conversation.
    repeated = client.chat.completions.create(model=model, user="anna", messages=history)
    assert repeated.choices[0].message.content == json.loads(again.text)["choices"][0]["message"]["content"]
    other = client.chat.completions.with_raw_response.create(
        model=model, user="anna", messages=[{"role": "user", "content": LINES[1]}])
    assert other.headers["x-conversation-id"] != conversation
    shown = json.load(urllib.request.urlopen(f"{address}/conversations/{conversation}"))
    assert shown["turn"] == 2, shown

    # A title is no turn.
    before = json.load(urllib.request.urlopen(address + "/conversations"))
    title = client.chat.completions.create(model=model, user="anna", messages=[
        {"role": "user", "content": f"Give this a title.\nConversation:\nUser: {LINES[0]}\nAI: hi"}])
    assert title.choices[0].message.content and title.usage.total_tokens == 0
    assert json.load(urllib.request.urlopen(address + "/conversations")) == before


def agent_events(address, thread, run, messages, **props):
    body = RunAgentInput(
        thread_id=thread, run_id=run, state={}, messages=messages, tools=[], context=[],
        forwarded_props=props).model_dump(by_alias=True)
    text = post(address, "/ag-ui", body, {"accept": "text/event-stream"})
    adapter = TypeAdapter(Event)
    return [adapter.validate_python(json.loads(line[6:]))
            for line in text.splitlines() if line.startswith("data: ")]


def check_order(events, thread, run):
    """The order that AG-UI's own verifier demands."""
    kinds = [e.type.value for e in events]
    assert kinds[0] == "RUN_STARTED" and kinds[-1] in ("RUN_FINISHED", "RUN_ERROR"), kinds
    assert kinds.count("RUN_STARTED") == 1 and kinds.count(kinds[-1]) == 1, kinds
    assert (events[0].thread_id, events[0].run_id) == (thread, run)
    open_message, seen, has_state = None, set(), False
    for event in events:
        kind = event.type.value
        if kind == "TEXT_MESSAGE_START":
            assert open_message is None and event.message_id not in seen
            open_message = event.message_id
            seen.add(open_message)
        elif kind == "TEXT_MESSAGE_CONTENT":
            assert event.message_id == open_message and event.delta
        elif kind == "TEXT_MESSAGE_END":
            assert event.message_id == open_message
            open_message = None
        elif kind == "STATE_SNAPSHOT":
            has_state = True
        elif kind == "STATE_DELTA":
            assert has_state
    assert open_message is None
    return kinds


def check_ag_ui(address):
    kinds = check_order(agent_events(address, "t1", "r0", []), "t1", "r0")
    assert "TEXT_MESSAGE_CONTENT" in kinds
    messages = []
    for number, line in enumerate(LINES):
        messages.append(UserMessage(id=f"m{number}", role="user", content=line))
        events = agent_events(address, "t1", f"r{number + 1}", messages)
        kinds = check_order(events, "t1", f"r{number + 1}")
        assert "STATE_SNAPSHOT" in kinds and kinds[-1] == "RUN_FINISHED", kinds
    # The same message again says it once.
    check_order(agent_events(address, "t1", "r9", messages), "t1", "r9")
    turns = [c["turns"] for c in
             json.load(urllib.request.urlopen(address + "/conversations"))["conversations"]]
    assert turns.count(2) >= 1 and 3 not in turns, turns


def check_metrics(address):
    text = urllib.request.urlopen(address + "/metrics").read().decode()
    names = {family.name for family in text_string_to_metric_families(text)}
    for name in ("rapport_http_requests", "rapport_streams_open", "rapport_first_token_seconds",
                 "rapport_store_append_seconds"):
        assert name in names, (name, names)


def main():
    with tempfile.TemporaryDirectory() as folder:
        process, address = start(sys.argv[1], folder)
        try:
            for check in (check_openai, check_ag_ui, check_metrics):
                check(address)
                print("passed:", check.__name__)
        finally:
            process.terminate()
            assert process.wait() == 0


main()
