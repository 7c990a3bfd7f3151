// What was sent and not yet answered. It's kept in the browser, so that neither a reload nor a closed tab loses it.
// Each message keeps the name it was sent with, so the server takes it once, however often and from however many
// tabs it's sent.

const prefix = "rapport.sent.";

/** `count` is how many messages of the person came before it, as the page knew. */
export function keepSent({ body, count }, conversation, person) {
  if (!body.message) return;
  localStorage.setItem(
    prefix + body.client_message_id, JSON.stringify({ body, count, conversation, person, at: Date.now() }));
}

export function dropSent({ body }) { localStorage.removeItem(prefix + body.client_message_id); }

/** What was sent to a conversation, the oldest first; null for one that has no id yet. */
export function sentTo(conversation) {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix))
    .map((key) => JSON.parse(localStorage.getItem(key)))
    .filter((sent) => sent?.conversation === conversation)
    .sort((one, other) => one.at - other.at);
}
