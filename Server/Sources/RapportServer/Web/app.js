// The coach in a browser. The server decides everything about the conversation; this page draws its
// events, sends what is typed, and goes on by itself after a lost connection.

import { changeCards, offerCorrection, redrawCards, showCards, startCards } from "./cards.js";
import {
  draftOf, focusLine, keepForNext, lineText, nameDraft, offerVoice, placeButtons, putBack, sendQueued, setLine, showStarters, startComposer,
} from "./composer.js";
import * as screen from "./conversation.js";
import { startHealth } from "./health.js";
import * as journey from "./journey.js";
import { closeMenu, startMenu } from "./menu.js";
import { dropSent, keepSent, sentTo } from "./outbox.js";
import { heldOnScreen, isDeclined, isPaywallOpen, openPaywall, startPaywall } from "./paywall.js";
import { allowRecovery, codeOfLink, open as openRecovery, recoverAtFirst, recoveryOffer, startRecovery } from "./recovery.js";
import { setMood, startOrbs } from "./orb.js";
import { newcomerReason, ownWords, reason } from "./refusals.js";
import { alive, events, headersPatience, request, requestJSON, RequestError } from "./stream.js";
import { element } from "./text.js";
import { currentLanguage, languageWasChosen, say, translate, useLanguage } from "./words.js";

const kept = "rapport.conversation";
const wantsInsight = new URLSearchParams(location.search).has("insight");
const composer = document.getElementById("composer");
const otherTabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("rapport") : null;

const messages = document.getElementById("messages");

/** The conversation that is open. */
const open = {
  id: null, lastEvent: null, phase: null, rehearsal: false, stop: null,
  /** Whether something was said elsewhere that isn't on the screen. */
  isStale: false,
  /** How many held messages there were when that was last noticed by their number. */
  missed: null,
  /** Whether a reply isn't over yet. */
  get busy() { return messages.getAttribute("aria-busy") === "true"; },
  set busy(value) {
    messages.setAttribute("aria-busy", value);
    placeButtons();
  },
};
/** A conversation that another tab, program or server still writes to. */
const heldCodes = ["conversation-busy", "conversation-held"];
/** How often such a refusal is taken before the page says so: about half a minute. */
const patience = 8;
/** What was sent and not yet answered, so that it can be sent again if the server never got it. */
let unanswered = null;
/** Why the present reply failed, so far as a notice said. */
let trouble = null;
/** Failures that pass without anybody doing something. */
const passing = ["store", ...heldCodes];
/** Asks for the reply that failed once more; null if none did. */
let again = null;
/** How often it was asked for without anybody doing something. */
let retries = 0;
/** Who this browser is to the server. */
let person = null;
let insight = null;
let service = { model: true };

// MARK: What the server says

const drawn = {
  waiting(event) {
    if (event.for === "retry") {
      screen.startWaiting(say("waitRetry", { seconds: Math.round(event.seconds) }), undefined, event.seconds);
    } else if (event.for === "writer") {
      screen.startWaiting(say("stillWriting"));
    } else if (event.for === "synthesis") {
      screen.startWaiting(say("waitSynthesis"), say("waitSynthesis"));
    } else {
      screen.startWaiting("", say(event.for === "reading" ? "waitReading" : "waitWriting"));
    }
  },
  delta: (event) => screen.addDelta(event.text),
  restart(event) {
    const isRepeated = event.reason === "repeated";
    if (isRepeated && unanswered?.isLate) return showStored(unanswered);
    screen.dropTurn();
    if (unanswered) unanswered.isStored = isRepeated;
  },
  message(event) {
    if (event.role === "user") {
      screen.addMine(event.text, { isHeld: event.held });
      if (unanswered?.body.message === event.text) unanswered.isStored = true;
    } else {
      screen.addMessage(event);
    }
  },
  understanding: (event) => screen.understand(event.value),
  choices(event) {
    const options = event.options.map((option) => ({ ...option }));
    if (options.length === 1) options.push({ id: "clarify", label: say("clarify") });
    screen.showChoices(options, choose);
  },
  starters: (event) => showStarters(event),
  notice(event) {
    // The words themselves stand above.
    if (event.code === "held-sent") return;
    if (event.level === "error") trouble = event.code;
    const text = event.level === "error" ? ownWords(event.code) ?? event.text : event.text;
    const notice = screen.addNotice(text, event.level);
    if (event.about?.entries) offerCorrection(notice, event.about.entries);
  },
  paywall(event) {
    const said = unanswered?.body.message ? unanswered.bubble : null;
    // Another tab may have said something that isn't on the screen yet.
    if (!said && open.missed !== event.held && heldOnScreen() < event.held) {
      open.missed = event.held;
      open.isStale = true;
    }
    if (said || !isDeclined(open.id, event.held)) openPaywall(event, said);
  },
  scored(event) { insight?.scored(event); },
  profile(event) { insight?.profile(event); },
  screen(event) {
    if (journey.isTalk(event)) journey.showTopics(open.id, event); else journey.enter(open.id, event);
  },
  done(event) {
    open.phase = event.phase;
    open.busy = false;
    if (event.conversation_id) name(event.conversation_id);
    screen.endTurn();
    showCards(open.id, open.phase);
    if (open.phase === "paywall" && !isPaywallOpen()) offerToContinue();
    insight?.done(event);
    const sent = unanswered;
    unanswered = null;
    if (sent && !event.failed) dropSent(sent);
    if (sent) otherTabs?.postMessage({ changed: open.id });
    const wasStopped = open.wasStopped;
    open.wasStopped = false;
    if (event.failed && !wasStopped) return failed();
    retries = 0;
    if (["paywall", "coaching"].includes(open.phase) && !isPaywallOpen()) offerRecovery();
    if (sent && !sent.isStored) return turn({ ...sent, isLate: true });
    // Another tab or program said something in between, or more waits to be sent.
    if (open.id && (open.isStale || sent?.wasHeld || sent?.isLate && sentTo(open.id).length > 0)) return show(open.id);
    sendQueued();
  },
};

/** Once, where what was said has become a profile. */
function offerRecovery() {
  const offer = recoveryOffer();
  if (!offer) return;
  const button = element("button", offer.label, { type: "button", className: "quiet-link" });
  button.addEventListener("click", offer.run);
  screen.addNotice(say("recoveryOffer")).append(" ", button);
}

/** The way back to the paywall's yes, after "Not now". */
function offerToContinue() {
  screen.showChoices([{ id: "continue", label: say("subscribe") }], ({ id }) => turn(newRequest({ choice: id })));
}

/** Another attempt shows what is stored, and the coach goes on from there. */
function failed() {
  const id = open.id;
  const mine = again = () => show(id);
  if (!passing.includes(trouble) || retries === patience) {
    return screen.showStatus(say("replyFailed"), { label: say("again"), run: again });
  }
  const seconds = Math.min(10, 2 ** retries++);
  screen.showStatus(say("retrying", { seconds }));
  setTimeout(() => { if (again === mine) mine(); }, seconds * 1000);
}

/** The oldest message that the server never got. What it got is kept here no longer. */
function lostRequest(id, stored) {
  const own = stored.messages.filter((message) => message.role === "user").map((message) => message.text);
  for (const sent of sentTo(id)) {
    if (!own.slice(sent.count).includes(sent.body.message)) return late(sent);
    dropSent(sent);
  }
  return null;
}

/** A kept message, to be sent once more. */
function late({ body, count }) {
  return { body, count, bubble: screen.addMine(body.message, { isSent: false }), isStored: true, isLate: true };
}

/** The server had the message all along, so what it has is shown from the beginning. */
function showStored(sent) {
  dropSent(sent);
  unanswered = null;
  open.stop?.abort();
  show(open.id);
}

/** Sends what would have begun a conversation once more, if there is such a message. */
function beginAgain() {
  const sent = sentTo(null).find((one) => one.person === person);
  if (!sent) return false;
  leave();
  only("conversation");
  draftOf(null);
  turn(late(sent));
  return true;
}

function draw(event) {
  if (event.id) open.lastEvent = event.id;
  changeCards(event);
  drawn[event.type]?.(event);
}

function name(id) {
  if (open.id === id) return;
  open.id = id;
  localStorage.setItem(kept, id);
  nameDraft(id);
  if (unanswered) keepSent(unanswered, id, person);
}

// MARK: What the person does

/** Whether the words were taken; if not, they stay in the line. */
function sendWords(text) {
  if (open.busy) return false;
  const count = messages.querySelectorAll(".mine").length;
  turn({ ...newRequest({ message: text }, screen.addMine(text, { isSent: false })), count });
  return true;
}

/** What came of the reply stays. */
async function stopReply() {
  if (!open.busy || !open.id) return;
  open.wasStopped = true;
  await request(`/conversations/${encodeURIComponent(open.id)}/stop`, { method: "POST" })
    .catch(() => { open.wasStopped = false; });
}

function choose(option) {
  if (open.busy) return;
  if (option.id === "clarify" || option.id === "change") {
    screen.hideChoices();
    screen.addNotice(say("whatToChange"));
    return focusLine();
  }
  turn(newRequest({ choice: option.id }, screen.addMine(option.label, { isSent: false })));
}

function newRequest(words, bubble = null) {
  return { body: { ...words, client_message_id: identifier() }, bubble, isStored: true };
}

function identifier() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
}

// MARK: Streams

/**
 * Sends a request and draws the answer. If the connection breaks, the same request goes out again:
 * the server takes it once and returns the reply to the first one.
 */
async function turn(sent) {
  unanswered = sent;
  keepSent(sent, open.id, person);
  screen.hideChoices();
  screen.startTurn(sent.bubble);
  dispatchEvent(new Event("rapport:sent"));
  await talk((signal) => request("/chat-stream", {
    method: "POST", signal, headers: { Accept: "text/event-stream" },
    body: {
      ...(open.id ? { conversation_id: open.id } : {}), ...(open.rehearsal ? { rehearsal: true } : {}),
      ...sent.body,
    },
  }).then((response) => {
    sent.bubble?.classList.remove("waiting-to-send");
    return response;
  }));
}

/** Goes on with the conversation where its stream stands. */
async function follow() {
  if (open.busy || !open.id) return;
  await talk(resumed);
}

function resumed(signal) {
  return request(`/conversations/${encodeURIComponent(open.id)}/stream`, {
    signal, headers: {
      Accept: "text/event-stream", ...(open.lastEvent ? { "Last-Event-ID": open.lastEvent } : {}) },
  });
}

/** Draws one answer until its `done`, over as many connections as that takes. */
async function talk(connect) {
  open.stop?.abort();
  const mine = open.stop = new AbortController();
  open.busy = true;
  [trouble, again] = [null, null];
  if (unanswered) screen.startWaiting();
  const isFirst = { event: true };
  let refusals = 0;
  for (let attempt = 0; ; attempt++) {
    let pause = attempt;
    try {
      const line = new AbortController();
      const response = await alive(
        connect(AbortSignal.any([mine.signal, line.signal])), () => line.abort(), headersPatience(attempt));
      screen.hideStatus();
      if (unanswered) unanswered.mayBeStored = true;
      for await (const event of events(response)) {
        if (mine !== open.stop) return;
        attempt = 0;
        if (isFirst.event && event.id && open.id === null) name(event.id.split(".")[0]);
        isFirst.event = false;
        draw(event);
      }
      if (mine !== open.stop || !open.busy) return;
      connect = resumed;
    } catch (error) {
      if (error.name === "AbortError" || mine !== open.stop) return;
      if (!open.busy) return;
      const isHeld = heldCodes.includes(error.code) && ++refusals < patience;
      if (isHeld) {
        if (unanswered) unanswered.wasHeld = true;
        await later(attempt, mine.signal, () => screen.startWaiting(say("stillWriting")));
        if (mine !== open.stop) return;
        continue;
      }
      if (error instanceof RequestError && error.status >= 400 && error.status !== 502 && error.status !== 504
        && error.code !== "stopping" && error.code !== "store") {
        open.busy = false;
        return refuse(error);
      }
      if (!isFirst.event) connect = resumed;
      if (unanswered) unanswered.mayBeStored = true;
      // Another connection may be alive, and this one was waited for.
      if (error.code === "silent") pause = 0;
    }
    await later(pause, mine.signal, lost);
    if (mine !== open.stop) return;
  }
}

function lost() {
  sayLost(unanswered?.bubble?.classList.contains("waiting-to-send"));
  setMood("breathing");
}

function sayLost(isUnsent) {
  screen.showStatus(say(!navigator.onLine ? "offline" : isUnsent ? "resending" : "reconnecting"));
}

/** Says why it waits, and waits before the next attempt, or until the connection is back. */
function later(attempt, signal, explain) {
  explain();
  const delay = Math.min(10_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delay);
    addEventListener("online", () => { clearTimeout(timer); resolve(); }, { once: true });
    signal.addEventListener("abort", resolve, { once: true });
  });
}

/** Says why a request was refused, and puts its words back into the line. If an earlier attempt may have been taken,
 * they stay in the outbox until the conversation is shown again. */
function refuse(error) {
  const sent = unanswered;
  unanswered = null;
  screen.stopWriting();
  if (sent && !sent.mayBeStored) {
    dropSent(sent);
    sent.bubble?.remove();
    if (sent.body.message) putBack(sent.body.message);
  }
  const again = { label: say("again"), run: () => open.id ? show(open.id) : beginAgain() || welcome() };
  if (error.code === "no-model") return only("no-model");
  if (error.code === "discovery-used" && error.conversation) return show(error.conversation);
  if (error.status === 404 || error.code === "unknown-event-id" || error.code === "choice-not-offered") {
    return open.id ? show(open.id) : welcome();
  }
  if (error.status === 409) return screen.showStatus(say("elsewhere"), again);
  if (error.status === 401) return screen.showStatus(say("signIn"));
  if (error.status === 413) return screen.showStatus(say("tooLong"));
  screen.showStatus(reason(error), again);
}

/** The browser's Back closes what lies over the page. */
function keepBackWithinSheets() {
  const sheets = [...document.querySelectorAll("dialog")];
  const isOpen = () => sheets.some((sheet) => sheet.open);
  const watch = new MutationObserver(() => {
    const isSheet = history.state?.isSheet === true;
    if (isOpen() && !isSheet) history.pushState({ isSheet: true }, "");
    if (!isOpen() && isSheet) history.back();
  });
  for (const sheet of sheets) watch.observe(sheet, { attributeFilter: ["open"] });
  addEventListener("popstate", () => {
    if (history.state?.isSheet) return;
    sheets.filter((sheet) => sheet.open).forEach((sheet) => {
      // A sheet that Escape doesn't close stays.
      if (sheet.dispatchEvent(new Event("cancel", { cancelable: true }))) sheet.close();
      else history.pushState({ isSheet: true }, "");
    });
  });
}

// MARK: Which screen

function only(shown) {
  document.getElementById("conversation").inert = false;
  document.getElementById("cards").inert = false;
  document.getElementById("journey").classList.remove("over");
  for (const id of ["welcome", "no-model", "conversation", "journey"]) document.getElementById(id).hidden = id !== shown;
}

export async function welcome() {
  leave();
  only(null);
  // A list that came later would move the button away under the pointer.
  const ways = journey.listWays(document.getElementById("ways"), document.getElementById("ways-list"));
  await Promise.race([ways, new Promise((resolve) => setTimeout(resolve, 3_000))]);
  if (open.id || open.busy) return;
  only("welcome");
  document.getElementById("begin").focus();
}

function leave() {
  open.stop?.abort();
  [again, unanswered] = [null, null];
  journey.leave();
  Object.assign(open, { id: null, lastEvent: null, phase: null, busy: false, stop: null, isStale: false });
  localStorage.removeItem(kept);
  composer.hidden = false;
  showCards(null);
  screen.clearConversation();
  screen.understand(0);
  showStarters(null);
}

async function begin() {
  if (!service.model && !open.rehearsal) return only("no-model");
  only("conversation");
  draftOf(null);
  badge();
  insight?.open(null);
  focusLine();
  turn(newRequest({ first_message: true }));
}

function badge() { document.getElementById("rehearsing").hidden = !open.rehearsal; }

/** Shows a session as the server has it: a journey's step, or the conversation. */
export async function show(id) {
  let stored, step;
  try {
    stored = await requestJSON(`/conversations/${encodeURIComponent(id)}`);
    // A journey that's over comes back for a reminder only.
    if (stored.journey?.completed) step = await reminder(id);
    else if (stored.journey) step = await journey.present(id);
    if (step?.kind === "end") step = null;
  } catch (error) {
    if (error.status === 404) return gone(id);
    only("conversation");
    sayLost(sentTo(id).length > 0);
    setTimeout(() => show(id), 2_000);
    return;
  }
  leave();
  closeMenu();
  if (step && !journey.isTalk(step)) return journey.enter(id, step);
  showTalk(id, stored);
  if (step) journey.showTopics(id, step);
}

/** What a journey that's over reminds of; null if nothing, or if that can't be known. */
async function reminder(id) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await journey.present(id);
    } catch (error) {
      // A reply that another page follows can still be on its way.
      if (!heldCodes.includes(error.code) || attempt === patience) return null;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** Leaves a conversation that was deleted or belongs to somebody else. Unanswered words move to the next one. */
function gone(id) {
  if (open.id === id && lineText()) {
    keepForNext(lineText());
    setLine("");
  }
  for (const sent of sentTo(id).filter((one) => one.person === person)) {
    keepForNext(sent.body.message);
    dropSent(sent);
  }
  welcome();
}

/** Shows a conversation, then follows it. */
function showTalk(id, stored) {
  only("conversation");
  Object.assign(open, { id, phase: stored.phase, rehearsal: stored.rehearsal || open.rehearsal });
  localStorage.setItem(kept, id);
  draftOf(id);
  badge();
  drawStored(stored);
  showCards(id, stored.phase);
  insight?.open(id);
  focusLine();
  const lost = lostRequest(id, stored);
  if (lost) turn(lost); else follow();
}

/** Makes room for a journey's steps. */
function showSteps(id) {
  open.stop?.abort();
  unanswered = null;
  Object.assign(open, { id, lastEvent: null, phase: null, busy: false, stop: null });
  localStorage.setItem(kept, id);
  screen.clearConversation();
  showCards(null);
  closeMenu();
  only("journey");
}

/** Shows the coaching view, with a journey's tour of it above. */
async function showHome(id) {
  showSteps(id);
  const view = document.getElementById("conversation");
  [view.hidden, view.inert] = [false, true];
  document.getElementById("journey").classList.add("over");
  document.getElementById("cards").inert = true;
  showCards(id, "coaching");
  draftOf(id);
  const stored = await requestJSON(`/conversations/${encodeURIComponent(id)}`).catch(() => null);
  if (stored && open.id === id && view.inert) drawStored(stored);
}

function drawStored(stored) {
  for (const message of stored.messages) {
    if (message.role === "user") screen.addMine(message.text, { isHeld: message.held }); else screen.addCoach(message);
  }
  screen.understand(stored.understanding ?? 0);
  screen.toEnd(true);
}

/** Shows a recording that the server played. Nothing can be said in it; a reload leaves it. */
function showRecording({ title, complete, conversation, insight: found }) {
  const before = open.id;
  leave();
  if (before) localStorage.setItem(kept, before);
  only("conversation");
  composer.hidden = true;
  screen.addNotice(say(complete ? "recording" : "recordingBroken", { title }));
  drawStored(conversation);
  insight.recorded(found);
}

async function start() {
  translate();
  startOrbs();
  startComposer({
    onSend: sendWords, onStop: stopReply, busy: () => open.busy,
    onQueue: (isQueued) => screen.keepStatus(isQueued ? say("sendsAfter") : ""),
  });
  keepBackWithinSheets();
  startPaywall({
    current: () => open.id,
    choose: (id) => {
      turn(newRequest({ choice: id }));
      focusLine();
    },
  });
  startMenu({ show, welcome, current: () => open.id, onLanguage: changeLanguage });
  journey.start({
    show, showSteps, showHome, welcome, changed: (id) => otherTabs?.postMessage({ changed: id }) });
  startCards({ show });
  startRecovery();
  startHealth({ current: () => open.id, tell: (text) => screen.addNotice(text) });
  document.getElementById("begin").addEventListener("click", begin);
  document.getElementById("rehearse").addEventListener("click", () => {
    open.rehearsal = true;
    begin();
  });
  addEventListener("offline", () => screen.showStatus(say("offline")));
  // A reply that is being read goes on by itself.
  addEventListener("online", () => {
    if (composer.hidden && !open.id) return;
    screen.hideStatus();
    again?.();
  });
  otherTabs?.addEventListener("message", ({ data }) => {
    if (data.changed !== open.id) return;
    if (open.busy) open.isStale = true; else show(open.id);
  });
  addEventListener("rapport:turn", ({ detail }) => screen.showUntil(detail));
  if (wantsInsight) insight = (await import("./insight.js")).startInsight(showRecording);
  offerVoice(currentLanguage(), (text) => screen.addNotice(text));

  service = await requestJSON("/status").catch(() => service);
  const code = codeOfLink();
  const isRecovered = code && !localStorage.getItem(visited) && (await recoverAtFirst(code));
  if (isRecovered) localStorage.setItem(visited, "yes");
  if (!(await identify())) return;
  if (code && !isRecovered) openRecovery({ enters: true, text: code });
  const id = localStorage.getItem(kept);
  const query = new URLSearchParams(location.search);
  const named = query.get("journey");
  if (named) {
    // A reload then shows where the journey is, rather than starting it.
    query.delete("journey");
    history.replaceState(null, "", query.size ? `?${query}` : location.pathname);
    if (await journey.begin(named)) return;
  }
  if (id) show(id); else if (!beginAgain()) welcome();
}

/** Whether this browser was here before. */
const visited = "rapport.visited";

/** How often a refused cookie is tried again, in milliseconds. */
const cookiePatience = 30000;

/**
 * If the server requires sign-in, gets this browser an anonymous identity, kept in a cookie. The
 * person's language and time zone are kept with them, on the server. A cookie that is refused is kept, since
 * it may be a clock's fault: only the person's own word replaces it.
 *
 * @returns {Promise<boolean>} Whether the page can go on.
 */
async function identify() {
  if (service.sign_in?.device_tokens && !localStorage.getItem(visited)) {
    // Nobody's settings are asked for. A cookie that is there all the same is kept.
    await request("/tokens?cookie=true", { method: "POST" }).catch(() => {});
  }
  localStorage.setItem(visited, "yes");
  let me = await requestJSON("/me").catch((error) => error);
  if (me.status === 401 && service.sign_in?.device_tokens) {
    if (me.code === "cookie-refused") return explainRefusedCookie();
    const problem = await request("/tokens?cookie=true", { method: "POST" }).catch((error) => error);
    me = await requestJSON("/me").catch((error) => error);
    if (me.status === 401 && problem instanceof RequestError) {
      only("conversation");
      screen.showStatus(newcomerReason(problem), { label: say("again"), run: () => location.reload() });
      return false;
    }
  }
  if (!me.person) return true;
  person = me.person;
  allowRecovery(service.sign_in?.device_tokens ? person : null);
  if (me.language && !languageWasChosen()) {
    useLanguage(me.language);
    insight?.redraw();
  }
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (here && me.time_zone !== here) keepSettings({ time_zone: here });
  return true;
}

function explainRefusedCookie() {
  only("conversation");
  screen.showStatus(say("cookieRefused"), {
    label: say("beginAnew"),
    async run() {
      try {
        await request("/tokens?cookie=true&anew=true", { method: "POST" });
      } catch (error) {
        return screen.showStatus(newcomerReason(error), { label: say("again"), run: () => location.reload() });
      }
      localStorage.removeItem(kept);
      location.reload();
    },
  });
  composer.hidden = true;
  const timer = setInterval(async () => {
    const me = await requestJSON("/me").catch(() => null);
    if (!me?.person) return;
    clearInterval(timer);
    location.reload();
  }, cookiePatience);
  return false;
}

/** Not worth a word if it fails: the next start tries again. */
function keepSettings(settings) {
  requestJSON("/me", { method: "PATCH", body: settings }).catch(() => {});
}

function changeLanguage(next) {
  useLanguage(next);
  keepSettings({ language: next });
  offerVoice(next, (text) => screen.addNotice(text));
  journey.redraw();
  redrawCards();
  insight?.redraw();
}

start();
