// Why the server refused something, in the person's language. The server's own sentences are for engineers, unless
// they answer a person's words.

import { currentLanguage, say } from "./words.js";

/** What the page says, by the server's code. */
const own = {
  unauthorized: "signIn", "cookie-refused": "signIn",
  "conversation-busy": "elsewhere", "conversation-held": "elsewhere",
  store: "storeFailed", "own-fault": "ownFault",
  stopping: "later", "no-space": "later", "accounts-unavailable": "later", "too-many": "later",
  "tokens-used-up": "tooFastToday",
  "too-large": "tooLong", "no-model": "noModelTitle", "discovery-used": "discoveryUsed", "no-journey": "noJourney",
};
/** What the server says in the person's language. */
const theirs = ["care", "resting", "no-entry"];
const theirWords = ["words", "date"];

/** Why a request failed. */
export function reason({ code, status, said, field, retryAfter }) {
  if (status === 429) return pause(retryAfter ?? 60);
  const isForThem = theirs.includes(code) || theirWords.includes(field) || currentLanguage() === "en";
  return ownWords(code) ?? (isForThem && said || say(status >= 400 && status < 500 ? "refused" : "failed"));
}

/** What the page says of a failure with this code; null if that's left to others. */
export function ownWords(code) { return own[code] ? say(own[code]) : null; }

/** Why a request of somebody failed who is new here, so that a limit is their network's. */
export function newcomerReason(error) {
  const isHour = error.code === "too-many" && error.retryAfter >= 120;
  return isHour ? say("manyNewPeople", { minutes: Math.ceil(error.retryAfter / 60) }) : reason(error);
}

/** For how long, in words: nobody counts to 42,139. */
function pause(seconds) {
  if (seconds < 120) return say("tooFast", { seconds });
  if (seconds < 7200) return say("tooFastMinutes", { minutes: Math.ceil(seconds / 60) });
  return say("tooFastToday");
}
