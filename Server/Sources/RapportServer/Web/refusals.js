// Why the server refused something: in the page's own words where people meet it, in the server's elsewhere.

import { say } from "./words.js";

const sessionEnded = ["unauthorized", "cookie-refused"];

/** Why a request failed. */
export function reason({ code, status, said, retryAfter }) {
  if (status === 429) return pause(retryAfter ?? 60);
  if (sessionEnded.includes(code)) return say("signIn");
  return said || say("failed");
}

/** The same for somebody who is new here, so that a limit is their network's. */
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
