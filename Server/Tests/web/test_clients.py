"""Pages of other origins that use the server with OpenAI's JavaScript library."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What openai-node adds to its requests in a browser.
STAINLESS = {
    "x-stainless-arch": "unknown", "x-stainless-lang": "js", "x-stainless-os": "Unknown",
    "x-stainless-package-version": "6.9.1", "x-stainless-retry-count": "0",
    "x-stainless-runtime": "browser:chrome", "x-stainless-runtime-version": "141.0.0",
    "x-stainless-timeout": "600",
}

ASK = """async ([address, method, path, headers, body]) => {
  try {
    const answer = await fetch(address + path, {
      method, headers: { authorization: "Bearer local", accept: "application/json", ...headers },
      body: body && JSON.stringify(body) })
    return [answer.status, await answer.text(), answer.headers.get("x-conversation-id")]
  } catch (error) { return [0, String(error), null] }
}"""


class BlankPage(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>A client</title><link rel=icon href=data:,>")

    def log_message(self, *_):
        pass


@contextmanager
def a_page():
    """The origin of a blank page."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BlankPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_javascript_library_works_on_a_page_of_a_listed_origin(start_coach, browser_context):
    with a_page() as origin:
        coach = start_coach(arguments=["--allow-origin", origin])
        page = browser_context().new_page()
        page.goto(origin)

        def ask(method, path, body=None, **headers):
            sent = {**STAINLESS, **headers, **({"content-type": "application/json"} if body else {})}
            return page.evaluate(ASK, [coach.address, method, path, sent, body])

        assert ask("GET", "v1/models/rapport-coach")[0] == 200
        said = {"role": "user", "content": "I want to run a 10k"}
        status, text, conversation = ask(
            "POST", "v1/chat/completions", {"model": "rapport-coach", "stream": True, "messages": [said]})
        assert status == 200 and "data: [DONE]" in text and conversation
        # Another version of the library may send more.
        status, text, named = ask(
            "POST", "v1/chat/completions",
            {"model": "rapport-coach", "messages": [{"role": "user", "content": "No time before work"}]},
            **{"x-conversation-id": conversation, "x-stainless-helper-method": "stream", "openai-beta": "x"})
        assert status == 200 and named == conversation
        # An error can be read, too.
        status, text, _ = ask("GET", "v1/models/gpt-5")
        assert status == 404 and "model_not_found" in text


def test_a_page_of_another_origin_gets_nothing(start_coach, chromium):
    with a_page() as origin, a_page() as listed:
        coach = start_coach(arguments=["--allow-origin", listed])
        context = chromium.new_context()
        try:
            page = context.new_page()
            page.goto(origin)
            assert page.evaluate(ASK, [coach.address, "GET", "v1/models", STAINLESS, None])[0] == 0
        finally:
            context.close()
