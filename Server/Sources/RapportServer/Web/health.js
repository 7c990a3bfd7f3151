// Health data: an export is sent once, with a bar of the bytes that have really gone, and what was
// found is listed. XMLHttpRequest is used because fetch can't report upload progress.

import { reason } from "./refusals.js";
import { request, requestJSON, RequestError } from "./stream.js";
import { element } from "./text.js";
import { currentLanguage, say } from "./words.js";

const dialog = document.getElementById("health");
const file = document.getElementById("health-file");
const progress = document.getElementById("health-progress");
const bar = document.getElementById("health-bar");
const bytes = document.getElementById("health-bytes");
const failure = document.getElementById("health-error");
const found = document.getElementById("health-found");
const done = document.getElementById("health-done");
const drop = document.getElementById("drop");
/** Why the server couldn't read a file, in the page's words. */
const unreadable = { "no-export": "healthNoExport", packed: "healthPacked", "too-large": "healthTooLarge" };

export function startHealth({ tell }) {
  let sending = null;
  document.getElementById("open-health").addEventListener("click", async () => {
    document.getElementById("menu").close();
    reset();
    dialog.showModal();
    const kept = await requestJSON("/health").catch(() => ({}));
    if (kept.state === "shared") list(kept.findings);
  });
  const send = (chosen) => {
    if (!chosen) return;
    sending?.abort();
    sending = upload(chosen);
  };
  file.addEventListener("change", () => send(file.files[0]));
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    send(event.dataTransfer.files[0]);
  });
  document.getElementById("health-no").addEventListener("click", async () => {
    sending?.abort();
    reset();
    try {
      await request("/health", { method: "DELETE" });
    } catch {
      return complain(say("healthKept"));
    }
    dialog.close();
    tell(say("healthRemoved"));
  });
}

function reset() {
  file.value = "";
  for (const part of [progress, failure, found, done]) part.hidden = true;
}

function upload(chosen) {
  reset();
  file.value = "";
  progress.hidden = false;
  const sending = new XMLHttpRequest();
  const isSnapshot = /\.json$/i.test(chosen.name);
  sending.open(isSnapshot ? "PUT" : "POST", isSnapshot ? "/health" : "/health/export");
  sending.setRequestHeader("Content-Type", isSnapshot ? "application/json" : "application/octet-stream");
  sending.upload.onprogress = (event) => show(event.loaded, event.total);
  sending.upload.onload = () => { bytes.textContent = say("healthReading"); };
  sending.onload = () => {
    progress.hidden = true;
    let answer = {};
    try { answer = JSON.parse(sending.responseText); } catch { /* The status says enough. */ }
    if (sending.status >= 300) return fail(refusal(sending, answer.error ?? answer));
    list(answer.findings);
  };
  sending.onerror = () => fail("");
  sending.send(chosen);
  return sending;
}

/** Why the server didn't take the file; nothing if it didn't say. */
function refusal(sending, problem) {
  if (sending.status === 413) return say("healthTooLarge");
  if (problem.reason && currentLanguage() !== "en") return say(unreadable[problem.reason] ?? "healthDamaged");
  const isKnown = problem.message || sending.status === 429;
  const retryAfter = Number(sending.getResponseHeader("Retry-After")) || null;
  return isKnown ? reason(new RequestError(sending.status, problem, retryAfter)) : "";
}

function show(done, total) {
  bar.max = total;
  bar.value = done;
  bytes.textContent = say("healthBytes", { done: size(done), total: size(total) });
}

function size(count) {
  const mebibytes = count / 1_048_576;
  return new Intl.NumberFormat(currentLanguage(), {
    style: "unit", unit: mebibytes < 1 ? "kilobyte" : "megabyte", maximumFractionDigits: mebibytes < 10 ? 1 : 0,
  }).format(mebibytes < 1 ? count / 1_024 : mebibytes);
}

function fail(reason) {
  progress.hidden = true;
  complain(say("healthFailed", { reason }));
}

function complain(text) {
  failure.hidden = false;
  failure.textContent = text;
}

function list(findings) {
  found.hidden = false;
  done.hidden = false;
  document.getElementById("findings").replaceChildren(
    ...(findings?.length ? findings : [say("healthNothing")]).map((finding) => element("li", finding)));
}
