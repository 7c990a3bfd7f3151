// The paywall lies over the conversation and hides nothing of the coach's last words.

import { toEnd } from "./conversation.js";
import { say } from "./words.js";

const dialog = document.getElementById("paywall");

export function openPaywall(paywall) {
  const insight = document.getElementById("paywall-insight");
  insight.hidden = true;
  const held = document.getElementById("paywall-held");
  const words = paywall.held_messages ?? [];
  held.hidden = words.length === 0;
  held.textContent = words.length ? say("held", { words: words.at(-1) }) : "";
  if (!dialog.open) dialog.showModal();
  // The coach's last words end just above the sheet.
  document.getElementById("log").style.paddingBottom = `${dialog.offsetHeight + 16}px`;
  toEnd(true);
}

export function closePaywall() {
  if (dialog.open) dialog.close();
  document.getElementById("log").style.paddingBottom = "";
}

export function startPaywall({ choose }) {
  document.getElementById("subscribe").addEventListener("click", () => {
    closePaywall();
    choose("continue");
  });
  document.getElementById("not-now").addEventListener("click", () => {
    closePaywall();
    choose("notNow");
  });
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    closePaywall();
    choose("notNow");
  });
}
