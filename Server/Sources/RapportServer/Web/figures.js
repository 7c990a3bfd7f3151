// What a screen shows besides words: a cycle of days, the flame, and confetti.

import { say } from "./words.js";

const colors = { green: "feeding", blue: "fasting" };
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** An SVG element with attributes. */
function shape(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A ring with one arc per day, and its parts named below it. */
export function cycle(parts) {
  const figure = document.createElement("figure");
  figure.className = "cycle";
  const days = parts.reduce((sum, part) => sum + part.days, 0);
  const ring = shape("svg", { viewBox: "0 0 120 120", "aria-hidden": "true" });
  let day = 0;
  for (const part of parts) {
    for (let count = 0; count < part.days; count++, day++) {
      ring.append(arc(day / days, (day + 1) / days, colors[part.color] ?? "other"));
    }
  }
  const legend = document.createElement("figcaption");
  for (const part of parts) {
    const line = document.createElement("span");
    line.className = `day ${colors[part.color] ?? "other"}`;
    line.textContent = `${part.label}: ${part.days === 1 ? say("oneDay") : say("days", { days: part.days })}`;
    legend.append(line);
  }
  figure.append(ring, legend);
  return figure;
}

function arc(from, to, kind) {
  const gap = 0.012;
  const point = (share) => {
    const angle = (share - 0.25) * 2 * Math.PI;
    return `${(60 + 46 * Math.cos(angle)).toFixed(2)} ${(60 + 46 * Math.sin(angle)).toFixed(2)}`;
  };
  return shape("path", {
    class: `day ${kind}`, d: `M${point(from + gap)}A46 46 0 0 1 ${point(to - gap)}` });
}

export function flame() {
  return shape("svg", { viewBox: "0 0 64 80", class: "flame", "aria-hidden": "true" },
    shape("path", { class: "outer", d: "M32 2C36 18 56 26 56 50a24 24 0 0 1-48 0C8 38 16 34 18 24c6 4 8 8 9 14C32 30 34 16 32 2Z" }),
    shape("path", { class: "inner", d: "M33 34c2 8 11 12 11 24a12 12 0 0 1-24 0c0-7 5-9 7-15 3 3 4 5 5 8 2-5 2-11 1-17Z" }));
}

/** Paper falls for two seconds. Nothing moves for those who asked for less motion. */
export function confetti(parent) {
  if (still.matches) return;
  const canvas = document.createElement("canvas");
  canvas.className = "confetti";
  canvas.setAttribute("aria-hidden", "true");
  parent.append(canvas);
  const context = canvas.getContext("2d");
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  const pieces = Array.from({ length: 120 }, () => ({
    x: Math.random() * canvas.width, y: -Math.random() * canvas.height * 0.6,
    fall: 160 + Math.random() * 240, drift: (Math.random() - 0.5) * 80, turn: Math.random() * 6,
    color: `hsl(${Math.floor(Math.random() * 60) + 5} 85% ${55 + Math.random() * 20}%)`,
  }));
  const begun = performance.now();
  const draw = (now) => {
    const seconds = (now - begun) / 1000;
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (const piece of pieces) {
      context.save();
      context.translate(piece.x + piece.drift * seconds, piece.y + piece.fall * seconds);
      context.rotate(piece.turn * seconds);
      context.fillStyle = piece.color;
      context.fillRect(-4, -6, 8, 12);
      context.restore();
    }
    if (seconds < 4 && canvas.isConnected) requestAnimationFrame(draw); else canvas.remove();
  };
  requestAnimationFrame(draw);
}
