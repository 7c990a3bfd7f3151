// Reads the server's event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html)
// from a fetch, since EventSource can't send a message and can't be told to stop.

/** A failed request. `status` is 0 if the server couldn't be reached, and `said` is the server's reason. */
export class RequestError extends Error {
  constructor(status, problem = {}, retryAfter = null) {
    super(problem.message ?? `status ${status}`);
    this.status = status;
    this.code = problem.code ?? null;
    this.said = problem.message ?? null;
    this.field = problem.field ?? null;
    this.conversation = problem.conversation_id ?? null;
    this.screen = problem.screen ?? null;
    this.retryAfter = retryAfter;
  }
}

/** Sends a request to the server this page came from. Errors are `RequestError`s. */
export async function request(path, { method = "GET", body, headers = {}, signal } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method, signal, credentials: "same-origin", cache: "no-store",
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RequestError(0);
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new RequestError(response.status, problem.error ?? problem,
    Number(response.headers.get("Retry-After")) || null);
}

export async function requestJSON(path, options) {
  return (await request(path, options)).json();
}

/** The server sends something every 15 seconds, so a stream that's silent for longer is dead, in milliseconds. */
const silence = 20000;
/** A stream's headers come at once, so a connection without them is soon given up, in milliseconds. */
const beginning = 5000;
/** How many connections to one server a browser keeps. All of them can be dead; after that, the server is slow. */
const keptConnections = 6;

/** How long an attempt to open a stream waits for its headers. */
export function headersPatience(attempt) { return attempt < keptConnections ? beginning : silence; }

/** The promise's value. If nothing comes for `most` milliseconds, calls `giveUp` and fails as if the server couldn't be
 * reached, with the code `silent`. */
export function alive(promise, giveUp = () => {}, most = silence) {
  let timer;
  const dead = new Promise((_, reject) => {
    timer = setTimeout(() => { giveUp(); reject(new RequestError(0, { code: "silent" })); }, most);
  });
  return Promise.race([promise, dead]).finally(() => clearTimeout(timer));
}

/** Yields `{id, type, ...}` for each event until the stream ends. */
export async function* events(response) {
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let rest = "";
  let event = fresh();
  try {
    for (;;) {
      const { value, done } = await alive(reader.read(), () => reader.cancel().catch(() => {}));
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A carriage return at the end of a piece may be half of a line break.
      const lines = rest.split(/\r\n|\n|\r(?=[^])/);
      rest = lines.pop();
      for (const line of lines) {
        if (line === "") {
          const parsed = parse(event);
          event = fresh();
          if (parsed) yield parsed;
        } else {
          take(line, event);
        }
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function fresh() { return { id: null, name: "", data: [] }; }

function take(line, event) {
  const colon = line.indexOf(":");
  if (colon === 0) return;
  const field = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (field === "data") event.data.push(value);
  if (field === "event") event.name = value;
  if (field === "id" && !value.includes("\0")) event.id = value;
}

function parse(event) {
  if (event.data.length === 0) return null;
  try {
    const data = JSON.parse(event.data.join("\n"));
    return { type: event.name || "message", ...data, id: event.id };
  } catch {
    return null;
  }
}
