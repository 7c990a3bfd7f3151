// The paywall lies over the conversation and hides nothing of the coach's last words.

import { toEnd } from "./conversation.js";
import { say } from "./words.js";

const dialog = document.getElementById("paywall");
/** The conversation in which this tab was last told "not now". */
const declined = "rapport.paywall-declined";

/** Whether "not now" still holds: it does until something is said. */
export function isDeclined(id) { return id !== null && sessionStorage.getItem(declined) === id; }

export function openPaywall(paywall) {
  sessionStorage.removeItem(declined);
  const held = document.getElementById("paywall-held");
  // The newest of one's messages, behind the words that only a screen reader hears.
  const words = [...document.querySelectorAll("#messages .mine")].at(-1)?.lastChild.textContent;
  held.hidden = !paywall.held || !words;
  held.textContent = held.hidden ? "" : say("held", { words });
  if (!dialog.open) dialog.showModal();
  // The coach's last words end just above the sheet.
  document.getElementById("log").style.paddingBottom = `${dialog.offsetHeight + 16}px`;
  toEnd(true);
}

export function closePaywall() {
  if (dialog.open) dialog.close();
  document.getElementById("log").style.paddingBottom = "";
}

export function startPaywall({ choose, current }) {
  const decline = () => {
    closePaywall();
    sessionStorage.setItem(declined, current());
    choose("notNow");
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
