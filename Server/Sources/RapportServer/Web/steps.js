// Draws a journey's screen, whatever journey it's from: title, words, figures, one field, one button.

import { field, draftKey } from "./fields.js";
import { confetti, cycle, flame } from "./figures.js";
import { setMood } from "./orb.js";
import { element, spans } from "./text.js";
import { tour } from "./tour.js";
import { say } from "./words.js";

const step = document.getElementById("step");
const progress = document.getElementById("step-progress");
const back = document.getElementById("step-back");
const info = document.getElementById("step-info");
const moods = { pulse: "speaking", excited: "speaking", think: "thinking" };
const wordPause = 150;
let timers = [];

/** Draws a screen. `act` sends what the person does; `extras` are buttons of the page's own. */
export function draw(screen, act, extras = []) {
  for (const timer of timers) clearTimeout(timer);
  timers = [];
  // What the coach said last isn't part of this screen.
  document.getElementById("announcer").textContent = "";
  step.onclick = null;
  step.dataset.kind = screen.kind;
  step.dataset.at = screen.at;
  step.toggleAttribute("data-busy", Boolean(screen.busy));
  step.dataset.place = screen.orb?.place ?? "";
  header(screen);
  if (screen.kind === "end") screen = { ...screen, orb: { size: "medium", motion: "float" } };
  const parts = [orb(screen), section(screen), title(screen), ...words(screen), ...figures(screen)];
  const asked = form(screen, act, extras);
  if (screen.info) asked.form.prepend(tip(screen.info));
  step.replaceChildren(...parts.filter(Boolean), asked.form);
  setMood(screen.busy ? "thinking" : moods[screen.orb?.motion] ?? "breathing");
  if (screen.confetti) confetti(document.getElementById("journey"));
  if (screen.wordByWord) speak(asked.form);
  if (screen.tap && asked.button) tapAnywhere(asked.button);
  focus(screen, asked);
  scrollTo(0, 0);
}

/** What stands there can't be used while an answer is on its way. */
export function setBusy(isBusy) { step.toggleAttribute("inert", isBusy); }

// MARK: Above the question

function header(screen) {
  back.hidden = screen.back === "none";
  info.hidden = !screen.hasInfo;
  info.setAttribute("aria-expanded", String(Boolean(screen.info)));
  progress.replaceChildren();
  if (screen.place) progress.append(element("p", say("stepOf", screen.place), { className: "place" }));
  if (screen.segments?.length && screen.kind !== "conversation") progress.append(segments(screen.segments));
}

/** One bar per section, filled as far as it's answered. */
function segments(list) {
  const row = element("div", "", { className: "segments" });
  const current = list.findIndex((one) => one.current);
  const at = current < 0 ? list.length - 1 : current;
  row.setAttribute("role", "img");
  row.setAttribute("aria-label", say("sectionOf", {
    title: list[at].title, number: at + 1, of: list.length, percent: Math.round(list[at].fill * 100) }));
  for (const segment of list) {
    const bar = element("span", "", { className: segment.current ? "segment current" : "segment" });
    const fill = element("i");
    fill.style.width = `${Math.round(segment.fill * 100)}%`;
    bar.append(fill);
    row.append(bar);
  }
  return row;
}

function orb(screen) {
  if (!screen.orb) return null;
  const canvas = element("canvas", "", { className: `orb ${screen.orb.size ?? "medium"}` });
  canvas.dataset.orb = "";
  canvas.dataset.motion = screen.orb.motion ?? "breathe";
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}

function section(screen) {
  return screen.section ? element("p", screen.section, { className: "section" }) : null;
}

function title(screen) {
  return element("h1", screen.title, { id: "step-title", tabIndex: -1 });
}

function words(screen) {
  const parts = (screen.body ?? []).map((line) => spans(element("p", "", { className: "lead" }), line));
  // Above what it stands for in detail, so that a phone shows it without scrolling.
  if (screen.diagram?.length) parts.push(cycle(screen.diagram));
  if (screen.bullets?.length) {
    const list = element("ul", "", { className: "bullets" });
    for (const bullet of screen.bullets) list.append(element("li", bullet));
    parts.push(list);
  }
  return parts;
}

/** Opens the tip on the screen as it stands. */
export function openTip(text) {
  const made = tip(text);
  step.querySelector(".answer").prepend(made);
  info.setAttribute("aria-expanded", "true");
  made.tabIndex = -1;
  made.focus();
}

export function closeTip() {
  document.getElementById("step-tip")?.remove();
  info.setAttribute("aria-expanded", "false");
  info.focus();
}

function tip(text) {
  const note = element("p", text, { className: "tip", id: "step-tip" });
  note.setAttribute("role", "note");
  return note;
}

// MARK: Figures and rows

function figures(screen) {
  const parts = [];
  if (screen.figure === "flame") parts.push(flame());
  if (screen.document?.request) parts.push(element("blockquote", screen.document.request, { className: "request" }));
  if (screen.refusal) {
    const refusal = element("p", screen.refusal, { className: "refusal" });
    refusal.setAttribute("role", "alert");
    parts.push(refusal);
  }
  if (screen.rows?.length) parts.push(...sections(screen.rows));
  if (screen.diff?.length) parts.push(diff(screen.diff));
  return parts;
}

/** The rows, in a list for each heading among them. */
function sections(list) {
  const parts = [];
  let part = [];
  const close = () => {
    if (part.length) parts.push(rows(part));
    part = [];
  };
  for (const row of list) {
    if (!row.heading) {
      part.push(row);
      continue;
    }
    close();
    parts.push(element("h2", row.label, { className: "heading" }));
    if (row.value) parts.push(element("p", row.value, { className: "note" }));
  }
  close();
  return parts;
}

function rows(list) {
  const made = element("dl", "", { className: "rows" });
  for (const row of list) {
    const group = element("div");
    group.append(element("dt", row.label), element("dd", row.value));
    made.append(group);
  }
  return made;
}

/** A change before it's applied; what goes and what comes is named, not only colored. */
function diff(lines) {
  const list = element("ul", "", { className: "diff" });
  for (const line of lines) {
    const kind = { removed: "del", added: "ins" }[line.change] ?? "span";
    const item = element("li", "", { className: line.change });
    const text = element(kind, line.text);
    if (kind !== "span") item.append(element("span", `${say(line.change)}: `, { className: "visually-hidden" }));
    item.append(text);
    list.append(item);
  }
  return list;
}

// MARK: The answer

function form(screen, act, extras) {
  const made = element("form", "", { className: "answer", noValidate: true, autocomplete: "off" });
  const submit = submitButton(screen);
  const changed = () => { if (submit && asked) submit.disabled = !asked.isReady(); };
  const asked = field(screen, act, changed);
  const send = (answer) => act({ answer }, draftKey(screen));
  if (asked) made.append(asked.node);
  if (screen.problem) {
    const problem = element("p", screen.problem, { className: "error", id: "step-problem" });
    problem.setAttribute("role", "alert");
    made.append(problem);
  }
  if (screen.kind === "tour") {
    made.append(tour(screen, send));
    return { form: made, button: null, field: null };
  }
  if (screen.waiting) made.append(waiting(screen.waiting));
  const options = choices(screen, send, Boolean(asked));
  const isCards = screen.input?.kind === "select";
  if (isCards) made.append(...options);
  if (submit) made.append(submit);
  if (!isCards) made.append(...options);
  if (screen.input?.kind === "code") made.append(...countdown(screen, made));
  made.append(...extras);
  changed();
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    if (asked ? asked.isReady() : submit && !submit.disabled) send(asked ? asked.answer() : true);
  });
  return { form: made, button: submit, field: asked };
}

function submitButton(screen) {
  if (!screen.button || screen.busy) return null;
  // A card is chosen and sent in one; the button is for keeping what was chosen, or choosing none.
  if (screen.input?.kind === "select" && !screen.button.enabled) return null;
  return element("button", screen.button.label, {
    type: "submit", className: "primary", disabled: !screen.button.enabled });
}

function waiting(text) {
  const line = element("p", "", { className: "waiting" });
  line.setAttribute("role", "status");
  const dots = element("span", "", { className: "thinking" });
  dots.setAttribute("aria-hidden", "true");
  dots.append(element("i"), element("i"), element("i"));
  line.append(dots, text);
  return line;
}

/** Cards for a question, plain buttons for a way to go. The first way is the emphasized one. */
function choices(screen, send, hasField) {
  const isQuestion = screen.input?.kind === "select";
  const options = screen.kind === "tour" ? [] : screen.options ?? [];
  const buttons = options.map((option, place) => {
    const isFirst = place === 0 && (!hasField || screen.kind === "review") && !screen.button;
    const button = element("button", "", {
      type: "button", className: isQuestion ? "card" : isFirst ? "primary" : "secondary" });
    button.dataset.option = option.id;
    if (isQuestion) button.setAttribute("aria-pressed", String(option.id === screen.input.value));
    if (option.icon) {
      const icon = element("span", option.icon, { className: "icon" });
      icon.setAttribute("aria-hidden", "true");
      button.append(icon);
    }
    button.append(element("span", option.label, { className: "label" }));
    if (option.detail) button.append(element("small", option.detail));
    button.addEventListener("click", () => send(option.id));
    return button;
  });
  if (!isQuestion || buttons.length === 0) return buttons;
  const group = element("div", "", { className: "cards" });
  group.setAttribute("role", "group");
  group.setAttribute("aria-labelledby", "step-title");
  group.append(...buttons);
  return [group];
}

/** A new code can be asked for after a while. */
function countdown(screen, made) {
  const button = made.querySelector("[data-option=resend]");
  const note = element("p", "", { className: "note" });
  const until = Date.now() + screen.input.resendIn * 1000;
  const show = () => {
    const seconds = Math.ceil((until - Date.now()) / 1000);
    if (button) button.disabled = seconds > 0;
    note.textContent = seconds > 0 ? say("resendIn", { seconds }) : "";
    if (seconds > 0) timers.push(setTimeout(show, 1000));
  };
  show();
  return [note];
}

// MARK: Word by word

/** The words appear at a reading pace; a key or a click shows the rest. The button comes last. */
function speak(made) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const lines = step.querySelectorAll("h1, .lead");
  let count = 0;
  for (const line of lines) {
    const text = line.textContent;
    line.replaceChildren();
    for (const part of text.split(/(\s+)/)) {
      if (part.trim() === "") {
        line.append(part);
        continue;
      }
      const word = element("span", part, { className: "word" });
      word.style.animationDelay = `${count++ * wordPause}ms`;
      line.append(word);
    }
  }
  const hush = () => {
    made.classList.remove("later");
    step.classList.add("said");
    removeEventListener("keydown", hush);
    made.querySelector("button")?.focus({ preventScroll: true });
  };
  step.classList.remove("said");
  made.classList.add("later");
  step.onclick = hush;
  addEventListener("keydown", hush);
  timers.push(setTimeout(hush, count * wordPause + 400));
}

function tapAnywhere(button) {
  step.onclick = (event) => {
    if (!event.target.closest("button, a, input, .tip")) button.click();
  };
}

function focus(screen, { form: made, button, field: asked }) {
  const target = (screen.info && document.getElementById("step-tip"))
    || asked?.focus || (button && !button.disabled ? button : null)
    || made.querySelector("[aria-pressed=true]") || document.getElementById("step-title");
  if (target.id === "step-tip") target.tabIndex = -1;
  target.focus({ preventScroll: true });
}
