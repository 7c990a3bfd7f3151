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
REQUESTS = {
    name: (Path(os.environ["REQUESTS"]) / f"{name}.json").read_bytes()
    for name in ("evidence", "reply", "starters")
}


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
    json.loads(await collected("evidence"))
    async for text in words("reply"):
        yield event({"type": "delta", "text": text})
    yield event({"type": "done", "conversation_id": ask.conversation_id or "one"})
    if ask.conversation_id is None:
        starters = json.loads(await collected("starters"))
        yield event({"type": "starters", "categories": starters})


def event(value):
    return {"event": value["type"], "data": json.dumps(value, separators=(",", ":"))}


@app.post("/chat-stream")
async def chat(ask: Ask):
    return EventSourceResponse(reply(ask))
