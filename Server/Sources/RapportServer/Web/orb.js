// The glowing orb. It breathes, listens while one types, thinks while a reply is awaited and speaks
// while words arrive. It is drawn, so it scales, follows the page's tint, and costs no download.

const moods = {
  breathing: { pace: 0.25, swell: 0.03, ripple: 0.012, glow: 0.55 },
  listening: { pace: 0.4, swell: 0.02, ripple: 0.03, glow: 0.75 },
  thinking: { pace: 0.9, swell: 0.035, ripple: 0.045, glow: 0.65 },
  speaking: { pace: 0.6, swell: 0.05, ripple: 0.03, glow: 0.9 },
};
const still = matchMedia("(prefers-reduced-motion: reduce)");

let mood = "breathing";
let shown = { ...moods.breathing };
let understanding = 0;
let phase = 0;
let last = 0;
let scheduled = false;

export function setMood(next) {
  mood = moods[next] ? next : "breathing";
  document.body.dataset.mood = mood;
  schedule();
}

export function setUnderstanding(level) {
  understanding = level;
  schedule();
}

export function startOrbs() {
  still.addEventListener("change", schedule);
  addEventListener("resize", schedule);
  document.addEventListener("visibilitychange", schedule);
  schedule();
}

function schedule() {
  if (scheduled || document.hidden) return;
  scheduled = true;
  requestAnimationFrame(draw);
}

function draw(now) {
  scheduled = false;
  const elapsed = Math.min(0.05, (now - last) / 1000);
  last = now;
  for (const key of Object.keys(shown)) {
    shown[key] += (moods[mood][key] - shown[key]) * (still.matches ? 1 : Math.min(1, elapsed * 3));
  }
  if (!still.matches) phase += elapsed * shown.pace * Math.PI * 2;
  for (const canvas of document.querySelectorAll("canvas[data-orb]")) {
    if (canvas.offsetParent !== null || canvas.closest("dialog[open]")) paint(canvas);
  }
  if (!still.matches) schedule();
}

function paint(canvas) {
  const scale = Math.min(2, devicePixelRatio || 1);
  const size = Math.round(canvas.clientWidth * scale);
  if (!size) return;
  if (canvas.width !== size) canvas.width = canvas.height = size;
  const context = canvas.getContext("2d");
  const middle = size / 2;
  const hue = 24 - understanding * 3;
  const radius = size * 0.31 * (1 + Math.sin(phase) * shown.swell);
  context.clearRect(0, 0, size, size);

  const halo = context.createRadialGradient(middle, middle, radius * 0.6, middle, middle, middle);
  halo.addColorStop(0, `hsl(${hue} 90% 66% / ${0.5 * shown.glow})`);
  halo.addColorStop(1, `hsl(${hue} 90% 66% / 0)`);
  context.fillStyle = halo;
  context.fillRect(0, 0, size, size);

  context.beginPath();
  const points = 72;
  for (let point = 0; point <= points; point++) {
    const angle = (point / points) * Math.PI * 2;
    const wave = Math.sin(angle * 3 + phase * 1.3) + Math.sin(angle * 5 - phase * 0.9) * 0.6;
    const reach = radius * (1 + wave * shown.ripple * 0.6);
    context.lineTo(middle + Math.cos(angle) * reach, middle + Math.sin(angle) * reach);
  }
  context.closePath();
  const light = context.createRadialGradient(
    middle - radius * 0.35, middle - radius * 0.4, radius * 0.1, middle, middle, radius * 1.1);
  light.addColorStop(0, `hsl(${hue + 12} 100% 90%)`);
  light.addColorStop(0.5, `hsl(${hue} 78% 64%)`);
  light.addColorStop(1, `hsl(${hue - 8} 62% 44%)`);
  context.fillStyle = light;
  context.fill();
}
