// One conversation on the screen: what was said, what the coach is doing, and what comes next.

import { setMood, setUnderstanding } from "./orb.js";
import { element, formatted, spans } from "./text.js";
import { say } from "./words.js";

const messages = document.getElementById("messages");
const after = document.getElementById("after");
const log = document.getElementById("log");
const status = document.getElementById("status");
const announcer = document.getElementById("announcer");

/** The coach's bubble that is being written, with the text so far. */
let writing = null;
let slowTimer = null;
/** What the present exchange put on the screen, its own message included. */
let turnItems = [];
/** What the status says while it has nothing else to say. */
let standing = "";

export function clearConversation() {
  messages.replaceChildren();
  after.replaceChildren();
  writing = null;
  hideStatus();
  setMood("breathing");
}

/** Adds what the user said, and returns the bubble. What is held waits at the paywall. */
export function addMine(text, { isSent = true, isHeld = false } = {}) {
  const bubble = element("li", text, { className: isSent ? "message mine" : "message mine waiting-to-send" });
  if (isHeld) bubble.classList.add("held");
  bubble.prepend(element("span", `${say("you")}: `, { className: "visually-hidden" }));
  messages.insertBefore(bubble, writing?.bubble ?? null);
  if (writing) turnItems.push(bubble);
  toEnd(true);
  return bubble;
}

export function addCoach(message) {
  finish(startBubble(), message.text, message.cut);
}

function startBubble() {
  const bubble = element("li", "", { className: "message coach" });
  messages.append(bubble);
  turnItems.push(bubble);
  return bubble;
}

function finish(bubble, text, cut) {
  bubble.replaceChildren(
    element("span", `${say("coach")}: `, { className: "visually-hidden" }), formatted(text));
  if (cut) bubble.append(element("p", say("cut"), { className: "cut" }));
}

/**
 * Three dots where the coach's words will stand.
 *
 * @param text Says at once why this wait isn't the usual one.
 * @param reason What is waited for, if it takes long.
 * @param seconds How long the text holds; null for until something comes.
 */
export function startWaiting(text = "", reason = say("waitWriting"), seconds = null) {
  if (!writing) {
    const bubble = startBubble();
    const dots = element("span", "", { className: "thinking" });
    dots.setAttribute("aria-hidden", "true");
    dots.append(element("i"), element("i"), element("i"));
    bubble.append(dots);
    writing = { bubble, text: "" };
    toEnd();
  }
  setMood("thinking");
  if (text) showStatus(text); else hideStatus();
  const shown = status.firstChild;
  if (text && seconds !== null) setTimeout(() => { if (status.firstChild === shown) hideStatus(); }, seconds * 1000);
  nameTheWait(reason);
}

/** After five seconds of silence, says what it still waits for, and for how long. */
function nameTheWait(reason) {
  clearInterval(slowTimer);
  const since = Date.now();
  slowTimer = setInterval(() => {
    const seconds = Math.round((Date.now() - since) / 1000);
    if (seconds >= 5 && !standing) showStatus(say("slow", { reason, seconds }));
  }, 1000);
}

export function addDelta(text) {
  if (!writing) startWaiting();
  clearInterval(slowTimer);
  hideStatus();
  setMood("speaking");
  const first = writing.text === "";
  writing.text += text;
  if (first) writing.bubble.replaceChildren(element("p"));
  writing.bubble.firstChild.textContent = writing.text;
  writing.bubble.firstChild.style.whiteSpace = "pre-wrap";
  toEnd();
}

export function startTurn(bubble) { turnItems = bubble ? [bubble] : []; }

/** The server tells this exchange again from its beginning: what was shown of it goes. */
export function dropTurn() {
  stopWriting();
  for (const item of turnItems) item.remove();
  turnItems = [];
  startWaiting();
}

export function endTurn() {
  stopWriting();
  turnItems = [];
}

export function addMessage(message) {
  const bubble = writing?.bubble ?? startBubble();
  writing = null;
  clearInterval(slowTimer);
  hideStatus();
  finish(bubble, message.text, message.cut);
  announcer.textContent = say("arrived", { text: message.text });
  toEnd();
}

/** Takes away the bubble that never became a message. */
export function stopWriting() {
  clearInterval(slowTimer);
  writing?.bubble.remove();
  writing = null;
  hideStatus();
  setMood("breathing");
}

export function addNotice(text, level = "info") {
  const notice = spans(element("li", "", { className: `notice ${level}` }), text);
  messages.insertBefore(notice, writing?.bubble ?? null);
  turnItems.push(notice);
  announcer.textContent = text;
  toEnd();
  return notice;
}

export function showStatus(text, action = null) {
  status.hidden = false;
  status.replaceChildren(element("span", text));
  if (!action) return;
  const button = element("button", action.label, { type: "button" });
  button.addEventListener("click", action.run);
  status.append(button);
}

export function hideStatus() {
  if (standing) return showStatus(standing);
  status.hidden = true;
  status.replaceChildren();
}

/** Says something for as long as nothing else is to be said; empty for no longer. */
export function keepStatus(text) {
  const isFree = text || status.textContent === standing;
  standing = text;
  if (isFree) hideStatus();
}

export function showChoices(options, choose) {
  after.replaceChildren();
  options.forEach((option, place) => {
    const button = element("button", option.label, {
      type: "button", className: place === 0 ? "primary" : "secondary" });
    button.dataset.choice = option.id;
    button.addEventListener("click", () => choose(option));
    after.append(button);
  });
  toEnd();
}

export function hideChoices() { after.replaceChildren(); }

export function understand(level) {
  document.body.dataset.understanding = String(Math.max(0, Math.min(4, level)));
  setUnderstanding(level);
}

/** Shows the conversation as it stood when `turn` was scored; all of it if null. */
export function showUntil(turn) {
  let mine = 0;
  for (const item of messages.children) {
    if (item.classList.contains("mine")) mine += 1;
    item.hidden = turn !== null && mine > turn;
  }
  after.hidden = turn !== null;
  toEnd(true);
}

/** The log follows what is added, unless the reader has scrolled up. */
let follows = true;
const wayDown = document.getElementById("to-end");
log.addEventListener("scroll", () => {
  follows = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  wayDown.hidden = follows;
});
wayDown.addEventListener("click", () => {
  toEnd(true);
  log.focus({ preventScroll: true });
});

export function toEnd(always = false) {
  follows ||= always;
  if (follows) log.scrollTop = log.scrollHeight;
  wayDown.hidden = follows;
}
