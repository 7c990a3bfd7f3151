// A tour of a few tips: the rest of the page is dimmed around the part that a tip is about.

import { element } from "./text.js";
import { say } from "./words.js";

const parts = { workout: "homeWorkout", progress: "homeProgress", chat: "homeChat", program: "homeProgram" };

/** The parts of the home screen, a light on one of them, and its tip. */
export function tour(screen, send) {
  const tips = screen.tips ?? [];
  const made = element("div", "", { className: "tour" });
  const home = element("div", "", { className: "home" });
  home.setAttribute("aria-hidden", "true");
  const tiles = tips.map((tip) => {
    const tile = element("div", say(parts[tip.label] ?? tip.label), { className: "tile" });
    home.append(tile);
    return tile;
  });
  const bubble = element("div", "", { className: "tip-bubble" });
  const count = element("p", "", { className: "note" });
  const words = element("p", "", { className: "tip-words" });
  words.setAttribute("role", "status");
  const next = element("button", "", { type: "button", className: "primary" });
  const skip = element("button", screen.options?.[0]?.label ?? "", { type: "button", className: "secondary" });
  skip.dataset.option = screen.options?.[0]?.id ?? "skip";
  bubble.append(count, words, next, skip);
  made.append(home, bubble);
  let at = 0;
  const show = () => {
    const isLast = at >= tips.length - 1;
    tiles.forEach((tile, place) => tile.classList.toggle("lit", place === at));
    count.textContent = say("tipOf", { number: at + 1, of: tips.length });
    words.textContent = tips[at]?.value ?? "";
    next.textContent = isLast ? screen.button?.label ?? say("next") : say("next");
    skip.hidden = isLast;
  };
  next.addEventListener("click", () => {
    if (at >= tips.length - 1) return send(true);
    at += 1;
    show();
  });
  skip.addEventListener("click", () => send(skip.dataset.option));
  show();
  return made;
}
