"""The same model calls as the coach's, streamed on by FastAPI and sse-starlette, without an engine.

    MODEL=http://127.0.0.1:8000/v1 REQUESTS=folder uvicorn fastapi_relay:app
"""

import json
import os
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
from fastapi import FastAPI
from pydantic import BaseModel
from sse_starlette.sse import EventSourceResponse

URL = os.environ["MODEL"] + "/chat/completions"
# By kind and turn, such as "reply-2". A kind that's missing in a turn isn't asked for in it.
REQUESTS = {path.stem: path.read_bytes() for path in Path(os.environ["REQUESTS"]).glob("*.json")}


class Ask(BaseModel):
    message: str
    conversation_id: str | None = None


@asynccontextmanager
async def lifespan(app):
    connector = aiohttp.TCPConnector(limit=0)
    app.state.session = aiohttp.ClientSession(
        connector=connector, headers={"content-type": "application/json"}
    )
    yield
    await app.state.session.close()


app = FastAPI(lifespan=lifespan)


async def words(name):
    if name not in REQUESTS:
        return
    async with app.state.session.post(URL, data=REQUESTS[name]) as response:
        async for line in response.content:
            if not line.startswith(b"data: {"):
                continue
            choices = json.loads(line[6:])["choices"]
            if choices and (text := choices[0]["delta"].get("content")):
                yield text


async def collected(name):
    return "".join([text async for text in words(name)])


async def reply(ask):
    # A conversation is known by its next turn: nothing is stored.
    turn = int(ask.conversation_id or 1)
    if evidence := await collected(f"evidence-{turn}"):
        json.loads(evidence)
    async for text in words(f"reply-{turn}"):
        yield event({"type": "delta", "text": text})
    yield event({"type": "done", "conversation_id": str(turn + 1)})
    if starters := await collected(f"starters-{turn}"):
        yield event({"type": "starters", "categories": json.loads(starters)})


def event(value):
    return {"event": value["type"], "data": json.dumps(value, separators=(",", ":"))}


@app.post("/chat-stream")
async def chat(ask: Ask):
    return EventSourceResponse(reply(ask))
