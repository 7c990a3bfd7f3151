// An onboarding flow: the server says what to show, this sends what the person does, and goes on by
// itself after a lost connection. A step that is a conversation is the page's own conversation.

import { canHear } from "./composer.js";
import { reason } from "./refusals.js";
import { closeTip, draw, openTip, setBusy } from "./steps.js";
import { events, request, requestJSON, RequestError } from "./stream.js";
import { element } from "./text.js";
import { say } from "./words.js";

const status = document.getElementById("journey-status");
const topics = document.getElementById("topics");
const talkBack = document.getElementById("talk-back");

/** What the page around it does. */
let page = null;
/** The journey on screen. */
const open = { id: null, screen: null, isSending: false, follow: null };

/** `around` has `show(id)`, `showSteps(id)`, `showHome(id)`, `welcome()` and `changed(id)`. */
export function start(around) {
  page = around;
  document.getElementById("step-back").addEventListener("click", () => act({ back: true }));
  document.getElementById("step-info").addEventListener("click", () => {
    if (open.screen?.info) forgetTip(); else act({ info: true });
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) forgetTip();
  });
  document.getElementById("journey").addEventListener("click", (event) => {
    if (!event.target.closest("button, input, textarea, label, a, .tip")) forgetTip();
  });
  talkBack.addEventListener("click", () => act({ back: true }));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && open.screen?.input?.kind === "code") show(open.screen);
  });
  addEventListener("rapport:menu", () => listWays(
    document.getElementById("menu-ways"), document.getElementById("menu-ways-list")));
}

/** Draws the screen again, in another language. */
export function redraw() {
  if (open.screen) isTalk(open.screen) ? showTopics(open.id, open.screen) : show(open.screen);
}

/** The tip closes; what was typed meanwhile stays. */
function forgetTip() {
  if (!open.screen?.info) return;
  const { info, ...rest } = open.screen;
  open.screen = rest;
  closeTip();
}

export function leave() {
  open.follow?.abort();
  Object.assign(open, { id: null, screen: null, isSending: false, follow: null });
  topics.hidden = true;
  talkBack.hidden = true;
  hide();
}

/** Whether the screen is the conversation's. */
export function isTalk(screen) { return screen.input?.kind === "message"; }

// MARK: Which journeys there are

/** Fills a list with the journeys, if there are any. */
export async function listWays(box, list) {
  const { journeys = [] } = await requestJSON("/journeys").catch(() => ({}));
  box.hidden = journeys.length === 0;
  list.replaceChildren();
  for (const journey of journeys) {
    const button = element("button", "", { type: "button", className: "row" });
    button.dataset.journey = journey.name;
    const state = journey.conversation_id ? say(journey.completed ? "finished" : "resume") : "";
    button.append(element("span", journey.title), element("small", state));
    button.addEventListener("click", () => begin(journey.name));
    const item = element("li");
    item.append(button);
    list.append(item);
  }
}

/** Starts a journey, or resumes it; false if it can't. */
export async function begin(name, isNew = false) {
  try {
    const view = await requestJSON(`/journeys/${encodeURIComponent(name)}${await can()}`, {
      method: "POST", body: isNew ? { new: true } : {} });
    enter(view.conversation_id, view.screen);
    return true;
  } catch (error) {
    const line = element("p", reason(error), { className: "error" });
    line.setAttribute("role", "alert");
    document.getElementById("ways").after(line);
    return false;
  }
}

/** The screen of a session, as it stands on the server. */
export async function present(id) {
  const view = await requestJSON(`${path(id)}${await can()}`);
  return view.screen;
}

async function can() { return await canHear() ? "?can=microphone" : ""; }

function path(id) { return `/conversations/${encodeURIComponent(id)}/journey`; }

// MARK: Screens

/** Shows a screen, as steps or as the conversation. */
export function enter(id, screen) {
  const wasTalking = open.id === id && open.screen && isTalk(open.screen);
  open.follow?.abort();
  Object.assign(open, { id, screen, follow: null, isSending: false });
  if (isTalk(screen)) return wasTalking ? showTopics(id, screen) : page.show(id);
  if (screen.kind === "tour") page.showHome(id); else page.showSteps(id);
  show(screen);
  if (screen.busy) follow();
}

function show(screen) {
  open.screen = screen;
  topics.hidden = true;
  talkBack.hidden = true;
  setBusy(false);
  draw(screen, act, screen.kind === "end" ? endings(screen) : []);
}

/** What can be done once a journey is over. */
function endings(screen) {
  const talk = element("button", say("talk"), { type: "button", className: "primary" });
  const { id } = open;
  talk.addEventListener("click", () => page.show(id));
  const again = element("button", say("startOver"), { type: "button", className: "secondary" });
  again.addEventListener("click", () => begin(screen.journey, true));
  return [talk, again];
}

/** What the conversation is about, each with how much of it is known. */
export function showTopics(id, screen) {
  Object.assign(open, { id, screen });
  talkBack.hidden = screen.back === "none";
  topics.hidden = !screen.segments?.length;
  topics.replaceChildren(...(screen.segments ?? []).map((topic) => {
    const percent = Math.round(topic.fill * 100);
    const item = element("li", "", { className: topic.current ? "topic current" : "topic" });
    const bar = element("span", "", { className: "segment" });
    const fill = element("i");
    fill.style.width = `${percent}%`;
    bar.append(fill);
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", say("topicAt", { title: topic.title, percent }));
    item.append(element("span", topic.title), bar);
    return item;
  }));
}

// MARK: Answers

/** Sends what the person did. The same answer goes out again after a lost connection: `at` names the
 * screen it belongs to, so it counts once. */
async function act(action, draft = null) {
  if (open.isSending || !open.screen) return;
  const { id, screen } = open;
  const asked = await permitted(action, screen);
  open.isSending = true;
  setBusy(true);
  open.follow?.abort();
  for (let attempt = 0; open.id === id; attempt++) {
    try {
      const view = await requestJSON(`${path(id)}${await can()}`, {
        method: "POST", body: { ...asked, at: screen.at } });
      if (open.id !== id) return;
      open.isSending = false;
      hide();
      if (draft && !view.screen.problem) sessionStorage.removeItem(draft);
      if (action.info && view.screen.info && view.screen.at === screen.at) {
        open.screen = view.screen;
        setBusy(false);
        return openTip(view.screen.info);
      }
      page.changed(id);
      return enter(id, view.screen);
    } catch (error) {
      if (open.id !== id) return;
      if (error instanceof RequestError && error.screen) {
        open.isSending = false;
        return enter(id, error.screen);
      }
      const isPassing = error.status === 0 || error.status >= 500 || error.status === 409;
      if (!isPassing) {
        open.isSending = false;
        setBusy(false);
        return error.status === 404 ? page.welcome() : tell(reason(error));
      }
      tell(say(error.status === 409 ? "elsewhere" : "journeySaving"));
      await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, 500 * 2 ** attempt)));
    }
  }
}

/** A permission is granted by the browser first; without it, the answer is no. */
async function permitted(action, screen) {
  if (screen.kind !== "permission" || action.answer !== "allow") return action;
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    for (const track of stream.getTracks()) track.stop();
    return action;
  } catch {
    tell(say("micDenied"));
    return { answer: "decline" };
  }
}

/** Draws what comes while a document is written, until it can be answered. */
async function follow() {
  const { id } = open;
  const mine = open.follow = new AbortController();
  for (let attempt = 0; open.follow === mine; attempt++) {
    try {
      const response = await request(`${path(id)}/stream${await can()}`, {
        signal: mine.signal, headers: { Accept: "text/event-stream" } });
      for await (const event of events(response)) {
        if (open.follow !== mine) return;
        hide();
        if (event.type === "screen") show(event);
      }
      if (open.follow !== mine || !open.screen.busy) return;
    } catch (error) {
      if (error.name === "AbortError" || open.follow !== mine) return;
      tell(say("reconnecting"));
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, 500 * 2 ** attempt)));
  }
}

function tell(text) {
  status.hidden = false;
  status.textContent = text;
}

function hide() {
  status.hidden = true;
  status.replaceChildren();
}
