// The line one types in: it grows, keeps the draft through a reload, and holds the starters.

import { setMood } from "./orb.js";
import { element } from "./text.js";
import { currentLanguage, say } from "./words.js";

const line = document.getElementById("words");
const chips = document.getElementById("starters");
const send = document.getElementById("send");
const stop = document.getElementById("stop");
const ownCharactersThatHideStarters = 40;

const drafts = "rapport.draft.";
const newDraft = `${drafts}new`;
let draftKey = newDraft;
let starters = null;
/** What the line held right after a starter was put into it. */
let picked = "";

export function draftOf(conversation) {
  const next = conversation === null ? newDraft : drafts + conversation;
  if (next !== draftKey) queue(false);
  draftKey = next;
  setLine(localStorage.getItem(draftKey) ?? "");
}

/** Moves the draft when a conversation has got its id. */
export function nameDraft(conversation) {
  const text = line.value;
  localStorage.removeItem(draftKey);
  draftKey = drafts + conversation;
  if (text) localStorage.setItem(draftKey, text);
}

export function lineText() { return line.value; }

export function setLine(text) {
  line.value = text;
  changed();
}

/** Puts words that couldn't be sent before what was typed since. */
export function putBack(text) { setLine(joined(text, line.value)); }

/** Puts them into the line of the next conversation. */
export function keepForNext(text) {
  localStorage.setItem(newDraft, joined(text, localStorage.getItem(newDraft)));
}

function joined(...texts) { return texts.filter(Boolean).join("\n"); }

export function focusLine() { line.focus({ preventScroll: true }); }

export function showStarters(next) {
  starters = next;
  picked = "";
  chips.replaceChildren();
  chips.scrollLeft = 0;
  for (const category of next?.categories ?? []) {
    chips.append(element("span", category.title, { className: "category" }));
    for (const suggestion of category.suggestions) {
      const chip = element("button", suggestion.label, { type: "button" });
      chip.addEventListener("click", () => pick(suggestion.text));
      chips.append(chip);
    }
  }
  placeStarters();
}

function pick(text) {
  const own = line.value.trim();
  setLine(own ? `${own} ${text}` : text);
  picked = line.value;
  focusLine();
  line.setSelectionRange(line.value.length, line.value.length);
}

function placeStarters() {
  const own = picked && line.value.startsWith(picked) ? line.value.slice(picked.length) : line.value;
  chips.hidden = !starters?.categories?.length || own.trim().length >= ownCharactersThatHideStarters;
}

function changed() {
  if (line.value) localStorage.setItem(draftKey, line.value); else localStorage.removeItem(draftKey);
  line.style.height = "auto";
  line.style.height = `${line.scrollHeight}px`;
  send.disabled = line.value.trim() === "";
  placeButtons();
  placeStarters();
}

/** While a reply is written and nothing is typed, the button stops it. */
export function placeButtons() {
  const isStop = isBusy() && line.value.trim() === "";
  if (isStop && document.activeElement === send) stop.focus();
  stop.hidden = !isStop;
  send.hidden = isStop;
}

let isBusy = () => false;
/** The line is sent as soon as the reply is complete. */
let isQueued = false;
let tellQueue = () => {};

function queue(next) {
  if (isQueued === next) return;
  isQueued = next;
  tellQueue(next);
}

/** Sends what was entered during the reply. */
export function sendQueued() {
  if (isQueued) document.getElementById("composer").requestSubmit();
}

/** `onSend` returns whether the words were taken; only then does the line empty. While `busy`, they wait for the reply's
 * end, and `onQueue` hears whether any wait. */
export function startComposer({ onSend, onQueue, onStop, busy }) {
  const form = document.getElementById("composer");
  [isBusy, tellQueue] = [busy, onQueue];
  stop.addEventListener("click", onStop);
  line.addEventListener("input", () => {
    queue(false);
    changed();
    if (document.body.dataset.mood !== "thinking" && document.body.dataset.mood !== "speaking") {
      setMood(line.value ? "listening" : "breathing");
    }
  });
  line.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = line.value.trim();
    queue(text !== "" && busy());
    if (isQueued) return;
    if (text && onSend(text)) {
      setLine("");
      showStarters(null);
    }
  });
  changed();
}

/** Whether the browser recognizes speech on the device, and hasn't been told not to. */
export async function canHear(language = currentLanguage()) {
  const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;
  if (!Recognition?.available) return false;
  const onDevice = await Recognition.available({ langs: [language], processLocally: true }).catch(() => "");
  const permission = await navigator.permissions?.query({ name: "microphone" }).catch(() => null);
  return onDevice === "available" && permission?.state !== "denied";
}

/** Speech goes into the line only where the browser recognizes it on the device. */
export async function offerVoice(language, tell) {
  const button = document.getElementById("voice");
  button.hidden = true;
  if (!await canHear(language)) return;
  button.hidden = false;
  dictate(button, language, tell, { read: () => line.value, write: setLine, focus: focusLine });
}

/** The same for another field; null where the browser can't. */
export async function offerDictation(area) {
  if (!await canHear()) return null;
  const button = document.getElementById("voice").cloneNode(true);
  button.removeAttribute("id");
  button.classList.add("voice");
  button.hidden = false;
  dictate(button, currentLanguage(), () => {}, {
    read: () => area.value, focus: () => area.focus(),
    write(text) {
      area.value = text;
      area.dispatchEvent(new Event("input"));
    },
  });
  return button;
}

function dictate(button, language, tell, { read, write, focus }) {
  const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;
  let recognition = null;
  button.onclick = async () => {
    if (recognition) {
      recognition.stop();
      return;
    }
    const before = read();
    recognition = Object.assign(new Recognition(), {
      lang: language, processLocally: true, continuous: true, interimResults: true });
    recognition.onresult = (event) => {
      const heard = Array.from(event.results, (result) => result[0].transcript).join(" ");
      write([before, heard].filter(Boolean).join(" "));
    };
    recognition.onerror = (event) => {
      if (event.error === "not-allowed") tell(say("voiceDenied"));
    };
    recognition.onend = () => {
      recognition = null;
      button.setAttribute("aria-pressed", "false");
      setMood("breathing");
      focus();
    };
    recognition.start();
    button.setAttribute("aria-pressed", "true");
    setMood("listening");
    tell(say("listening"));
  };
}
