// A tour of a few tips: a light on each part of the coaching view that a tip is about, while the rest is
// dimmed.

import { element } from "./text.js";
import { say } from "./words.js";

const view = document.getElementById("conversation");
/** Where a tip's part is: the first of these that is on the screen. */
const parts = {
  workout: ['[data-card="program"]', "#open-cards", "#conversation > header"],
  progress: ['[data-card="week"]', "#open-cards", "#conversation > header"],
  chat: ["#composer .line"],
  program: ['[data-card="program"]', "#open-cards", "#conversation > header"],
};
/** How far the light reaches beyond its part. */
const edge = 6;
const gap = 16;

/** The light, and the tip's words beside it. */
export function tour(screen, send) {
  const tips = screen.tips ?? [];
  const made = element("div", "", { className: "tour" });
  const light = element("div", "", { className: "spot" });
  light.setAttribute("aria-hidden", "true");
  const bubble = element("div", "", { className: "tip-bubble" });
  const count = element("p", "", { className: "note" });
  const words = element("p", "", { className: "tip-words" });
  words.setAttribute("role", "status");
  const next = element("button", "", { type: "button", className: "primary" });
  const skip = element("button", screen.options?.[0]?.label ?? "", { type: "button", className: "secondary" });
  skip.dataset.option = screen.options?.[0]?.id ?? "skip";
  // What is lit may be an icon alone.
  const icon = element("p", "", { className: "tip-icon" });
  bubble.append(count, words, icon, next, skip);
  made.append(light, bubble);
  let at = 0;
  const point = () => {
    if (!made.isConnected) return;
    const part = find(tips[at]?.label);
    for (const lit of document.querySelectorAll("[data-lit]")) if (lit !== part) lit.removeAttribute("data-lit");
    part.dataset.lit = tips[at]?.label ?? "";
    name(icon, part);
    const place = part.getBoundingClientRect();
    // The cards are drawn after the tour has begun, and some of them below the screen.
    const isCut = place.top < edge || place.bottom > innerHeight - edge;
    if (isCut) part.scrollIntoView({ block: "nearest", behavior: "instant" });
    put(light, bubble, isCut ? part.getBoundingClientRect() : place);
  };
  const show = () => {
    const isLast = at >= tips.length - 1;
    count.textContent = say("tipOf", { number: at + 1, of: tips.length });
    words.textContent = tips[at]?.value ?? "";
    next.textContent = isLast ? screen.button?.label ?? say("next") : say("next");
    skip.hidden = isLast;
    point();
    next.focus({ preventScroll: true });
  };
  next.addEventListener("click", () => {
    if (at >= tips.length - 1) return send(true);
    at += 1;
    show();
  });
  skip.addEventListener("click", () => send(skip.dataset.option));
  follow(made, show, point);
  return made;
}

/** Shows the picture and the name of a button that has only an icon. Hides the line for other parts. */
function name(line, part) {
  const picture = part.matches("button") && !part.innerText.trim() ? part.querySelector("svg") : null;
  line.hidden = !picture;
  if (picture && line.dataset.part !== part.id) {
    line.dataset.part = part.id;
    line.replaceChildren(picture.cloneNode(true), element("span", part.getAttribute("aria-label") ?? ""));
  }
}

function find(name) {
  const found = (parts[name] ?? []).map((selector) => document.querySelector(selector));
  return found.find((part) => part?.getClientRects().length) ?? view;
}

/** Points anew in every frame: what is pointed at may move, or be drawn again. */
function follow(made, show, point) {
  const frame = () => {
    if (made.isConnected) {
      point();
      return requestAnimationFrame(frame);
    }
    for (const lit of document.querySelectorAll("[data-lit]")) lit.removeAttribute("data-lit");
  };
  requestAnimationFrame(() => {
    if (made.isConnected) show();
    frame();
  });
}

function put(light, bubble, part) {
  Object.assign(light.style, {
    left: `${part.left - edge}px`, top: `${part.top - edge}px`,
    width: `${part.width + 2 * edge}px`, height: `${part.height + 2 * edge}px` });
  const { width, height } = bubble.getBoundingClientRect();
  const below = part.bottom + edge + gap;
  const above = part.top - edge - gap - height;
  const top = below + height < innerHeight ? below : above > 0 ? above : (innerHeight - height) / 2;
  const left = Math.max(gap, Math.min(part.left + part.width / 2 - width / 2, innerWidth - width - gap));
  Object.assign(bubble.style, { left: `${left}px`, top: `${top}px` });
}
