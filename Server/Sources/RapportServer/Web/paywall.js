// The paywall lies over the conversation and hides nothing of the coach's last words.

import { toEnd } from "./conversation.js";
import { say } from "./words.js";

const dialog = document.getElementById("paywall");
/** The conversation in which this tab was last told "not now", and how many messages it held then. */
const declined = "rapport.paywall-declined";
/** How many messages it holds. */
let count = 0;

function answer(id, held) { return `${id} ${held}`; }

/** Whether "not now" still holds: it does until one more message is held. */
export function isDeclined(id, held) { return sessionStorage.getItem(declined) === answer(id, held); }

/** How many of the messages on the screen it holds, as far as is known. */
export function heldOnScreen() { return document.querySelectorAll("#messages .held").length; }

/** Opens it. If `said`, the bubble of what was just said, isn't known to be held, the count tells whether it is. */
export function openPaywall({ held: now, title }, said = null) {
  count = now;
  // What the coach may claim depends on how much is known.
  if (title) document.getElementById("paywall-title").textContent = title;
  if (heldOnScreen() < count) said?.classList.add("held");
  // The newest, behind the words that only a screen reader hears.
  const newest = [...document.querySelectorAll("#messages .held")].at(-1);
  const words = count > 0 ? newest?.lastChild.textContent : null;
  const held = document.getElementById("paywall-held");
  held.hidden = !words;
  held.textContent = words ? say("held", { words }) : "";
  if (!dialog.open) dialog.showModal();
  // The coach's last words end just above the sheet.
  document.getElementById("log").style.paddingBottom = `${dialog.offsetHeight + 16}px`;
  toEnd(true);
}

export function isPaywallOpen() { return dialog.open; }

export function closePaywall() {
  if (dialog.open) dialog.close();
  document.getElementById("log").style.paddingBottom = "";
}

export function startPaywall({ choose, current }) {
  const decline = () => {
    closePaywall();
    choose("notNow");
    sessionStorage.setItem(declined, answer(current(), count));
  };
  document.getElementById("subscribe").addEventListener("click", () => {
    closePaywall();
    choose("continue");
  });
  document.getElementById("not-now").addEventListener("click", decline);
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    decline();
  });
}
