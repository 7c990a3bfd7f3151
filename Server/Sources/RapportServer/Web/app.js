// The conversation, as the events of POST /chat-stream tell it. Text is always set as text.
const list = document.querySelector("#conversation");
const status = document.querySelector("#status");
const form = document.querySelector("#say");
const field = document.querySelector("#message");
let conversation = null;
let rehearsal = false;
let writing = null;

function bubble(role, text) {
  const item = document.createElement("li");
  item.className = role;
  item.textContent = text;
  list.append(item);
  return item;
}

function take(event) {
  switch (event.type) {
    case "delta":
      writing ??= bubble("coach", "");
      writing.textContent += event.text;
      break;
    case "message":
      writing ??= bubble(event.role, "");
      writing.textContent = event.text;
      writing = null;
      break;
    case "notice":
      status.textContent = event.text;
      break;
    case "paywall":
      bubble("coach", event.title + "\n" + event.note);
      break;
    case "done":
      conversation = event.conversation_id;
      break;
  }
}

async function ask(body) {
  status.textContent = "";
  const response = await fetch("/chat-stream", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/x-ndjson" },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    status.textContent = (await response.json()).error.message;
    return;
  }
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) take(JSON.parse(line));
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const message = field.value;
  field.value = "";
  bubble("user", message);
  await ask({ conversation_id: conversation, message, rehearsal: rehearsal || undefined });
});

const server = await (await fetch("/status")).json();
rehearsal = !server.model;
await ask({ first_message: true, rehearsal: rehearsal || undefined });
