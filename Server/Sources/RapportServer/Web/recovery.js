// Opening what this browser keeps in another one: a code that works once, and a link that holds it behind "#",
// which browsers send to nobody.

import { reason } from "./refusals.js";
import { request, requestJSON } from "./stream.js";
import { say } from "./words.js";

const sheet = document.getElementById("recovery");
const own = document.getElementById("recovery-own");
const code = document.getElementById("recovery-code");
const link = document.getElementById("recovery-link");
const entry = document.getElementById("recovery-entry");
const typed = document.getElementById("recovery-typed");
const warning = document.getElementById("recovery-warning");
const error = document.getElementById("recovery-error");
const openers = document.querySelectorAll("[data-recovery]");

/** Whether the code was offered. It is offered once, and stays in the menu. */
const offered = "rapport.recovery-offered";
const mark = "#recover=";
let isOffered = false;

export function startRecovery() {
  for (const opener of openers) {
    opener.addEventListener("click", () => {
      opener.closest("dialog")?.close();
      open({ enters: opener.dataset.recovery === "enter" });
    });
  }
  document.getElementById("recovery-copy").addEventListener("click", async (event) => {
    await navigator.clipboard.writeText(link.textContent).catch(() => {});
    event.target.textContent = say("recoveryCopied");
  });
  entry.addEventListener("submit", (event) => {
    event.preventDefault();
    recover(typed.value, warning.hidden ? "" : "&anew=true");
  });
}

/** Only who has no account needs a code. */
export function allowRecovery(person) {
  isOffered = person?.startsWith("device:") ?? false;
  for (const opener of openers) opener.hidden = !isOffered;
}

/** What to offer now that there is something worth keeping; null if nothing. */
export function recoveryOffer() {
  if (!isOffered || localStorage.getItem(offered)) return null;
  localStorage.setItem(offered, "yes");
  return { label: say("recoveryShow"), run: () => open({ enters: false }) };
}

/**
 * The code of the link that opened this page, which leaves the address.
 *
 * @returns {string | null}
 */
export function codeOfLink() {
  if (!location.hash.startsWith(mark)) return null;
  const found = decodeURIComponent(location.hash.slice(mark.length));
  history.replaceState(null, "", location.pathname + location.search);
  return found;
}

/**
 * Uses a link's code up in a browser that keeps nothing yet.
 *
 * @returns {Promise<boolean>} Whether the browser is that person now.
 */
export async function recoverAtFirst(text) {
  try {
    await request("/tokens/recover?cookie=true", { method: "POST", body: { code: text } });
    return true;
  } catch {
    return false;
  }
}

/** Shows the code, or the line for one, with what is known of it. */
export async function open({ enters, text = "" }) {
  own.hidden = enters;
  entry.hidden = !enters;
  error.hidden = warning.hidden = true;
  typed.value = text;
  sheet.showModal();
  if (enters) return typed.focus();
  try {
    const made = await requestJSON("/tokens/recovery", { method: "POST" });
    code.textContent = made.code;
    link.textContent = `${location.origin}/${mark}${made.code}`;
  } catch (problem) {
    own.hidden = true;
    fail(reason(problem));
  }
}

async function recover(text, anew) {
  error.hidden = true;
  try {
    await request(`/tokens/recover?cookie=true${anew}`, { method: "POST", body: { code: text } });
  } catch (problem) {
    // What this browser keeps would be out of reach, so it takes a second press.
    if (problem.code === "cookie-kept") return warning.hidden = false;
    if (problem.code === "code-unknown") return fail(say("recoveryUnknown"));
    if (problem.code === "bad-request") return fail(say("recoveryUnreadable"));
    return fail(reason(problem));
  }
  localStorage.clear();
  location.replace("/");
}

function fail(text) {
  error.hidden = false;
  error.textContent = text;
}
