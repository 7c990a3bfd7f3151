// What a screen asks for. Each field draws itself into the form and says what the answer is: `true` for
// what stood there already, so that nobody has said something by not touching it.

import { offerDictation } from "./composer.js";
import { element } from "./text.js";
import { say } from "./words.js";

/** `{node, focus, answer(), isReady()}` for the screen's input; null if it asks for nothing. */
export function field(screen, act, changed) {
  const make = makers[screen.input?.kind];
  return make ? make(screen, act, changed) : null;
}

const makers = { text, open, edit, number, stepper, timeRange, email, code };

/** What was typed and not yet sent, kept through a reload. */
export function draftKey(screen) { return `rapport.answer.${screen.journey}.${screen.step}`; }

function drafted(screen, node, value) {
  const key = draftKey(screen);
  node.value = sessionStorage.getItem(key) ?? value ?? "";
  node.addEventListener("input", () => {
    if (node.value === (value ?? "")) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, node.value);
  });
  return node;
}

function labelled(screen, node) {
  node.setAttribute("aria-labelledby", "step-title");
  if (screen.problem) {
    node.setAttribute("aria-invalid", "true");
    node.setAttribute("aria-describedby", "step-problem");
  }
  return node;
}

/** Enter sends, as in the conversation; with Shift it begins a new line. */
function sendOnEnter(area) {
  area.enterKeyHint = "send";
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    area.form?.requestSubmit();
  });
}

/** A typed line or text: an answer if it isn't what stood there. */
function typed(screen, node, changed, { value = "", optional = screen.button?.enabled ?? false } = {}) {
  node.addEventListener("input", changed);
  return {
    focus: node,
    answer: () => node.value === value && value !== "" ? true : node.value.trim() === "" && !value ? true : node.value,
    isReady: () => optional || node.value.trim() !== "",
  };
}

function text(screen, act, changed) {
  const { placeholder = "", maxLength, value } = screen.input;
  const node = labelled(screen, element("input", "", {
    type: "text", placeholder, maxLength: maxLength ?? 200, autocomplete: "off", className: "line-field" }));
  drafted(screen, node, value);
  return { node, ...typed(screen, node, changed, { value }) };
}

function open(screen, act, changed) {
  const { placeholder = "", pills = [], voice, value } = screen.input;
  const area = labelled(screen, element("textarea", "", { rows: 3, placeholder, maxLength: 16000 }));
  drafted(screen, area, value);
  sendOnEnter(area);
  const node = element("div", "", { className: "open-field" });
  const box = element("div", "", { className: "box" });
  box.append(area);
  node.append(box);
  if (voice) {
    offerDictation(area).then((button) => { if (button) box.append(button); });
  }
  if (pills.length) {
    const row = element("div", "", { className: "pills" });
    for (const pill of pills) {
      const chip = element("button", pill, { type: "button", className: "pill" });
      chip.addEventListener("click", () => {
        const own = area.value.trim();
        area.value = own && !pills.includes(own) ? `${own} ${pill}` : pill;
        area.dispatchEvent(new Event("input"));
        area.focus();
      });
      row.append(chip);
    }
    node.append(row);
  }
  return { node, ...typed(screen, area, changed, { value }) };
}

/** A change to a document, in words. */
function edit(screen, act, changed) {
  const area = labelled(screen, element("textarea", "", {
    rows: 2, placeholder: screen.input.placeholder ?? "", maxLength: 4000 }));
  drafted(screen, area, "");
  sendOnEnter(area);
  const node = element("div", "", { className: "open-field" });
  const box = element("div", "", { className: "box" });
  const send = element("button", say("change"), { type: "submit", className: "secondary" });
  send.disabled = area.value.trim() === "";
  area.addEventListener("input", () => { send.disabled = area.value.trim() === ""; });
  box.append(area);
  node.append(box, send);
  return { node, focus: null, answer: () => area.value, isReady: () => area.value.trim() !== "" };
}

function number(screen, act, changed) {
  const { min, max, unit, whole, value } = screen.input;
  const shown = value === undefined ? "" : String(value);
  const node = element("div", "", { className: "number-field" });
  const input = labelled(screen, element("input", "", {
    type: "text", inputMode: whole ? "numeric" : "decimal", autocomplete: "off", className: "line-field" }));
  drafted(screen, input, shown);
  const row = element("div", "", { className: "with-unit" });
  row.append(input);
  if (unit) row.append(element("span", unit, { className: "unit" }));
  node.append(row, element("p", say("range", { min, max }), { className: "note" }));
  return { node, ...typed(screen, input, changed, { value: shown }) };
}

// MARK: Steppers

/** A field that has buttons isn't focused where that brings up a keyboard over half the screen. */
function opensNoKeyboard() { return !matchMedia("(pointer: coarse)").matches; }

function stepper(screen, act) {
  const input = screen.input;
  let value = input.value;
  let isTouched = false;
  let isTyped = false;
  const node = element("div", "", { className: "stepper-field" });
  const row = element("div", "", { className: "stepper" });
  const line = labelled(screen, element("input", "", { type: "text", autocomplete: "off", className: "line-field" }));
  line.value = input.text;
  line.setAttribute("role", "spinbutton");
  const show = () => {
    line.value = measure(value, input);
    line.setAttribute("aria-valuenow", value);
    line.setAttribute("aria-valuetext", line.value);
  };
  line.setAttribute("aria-valuemin", input.min);
  line.setAttribute("aria-valuemax", input.max);
  line.setAttribute("aria-valuenow", value);
  line.setAttribute("aria-valuetext", input.text);
  const step = (presses) => {
    value = stepped(value, presses, input);
    [isTouched, isTyped] = [true, false];
    show();
  };
  const press = (label, sign, presses) => {
    const button = element("button", sign, { type: "button", className: "round", tabIndex: -1 });
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => step(presses));
    return button;
  };
  line.addEventListener("input", () => { isTyped = true; });
  line.addEventListener("focus", () => line.select());
  line.addEventListener("keydown", (event) => {
    const presses = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!presses) return;
    event.preventDefault();
    step(presses);
  });
  row.append(press(say("less"), "−", -1), line, press(say("more"), "+", 1));
  node.append(row);
  if (screen.units) node.append(units(screen.units, act));
  return {
    node, focus: opensNoKeyboard() ? line : null, isReady: () => true,
    answer: () => isTyped ? line.value : isTouched ? value : true,
  };
}

/** The value after presses of + or −, on whole inches and pounds if that's what is shown. */
function stepped(value, presses, { by, scale, min, max }) {
  const moved = scale === 1 ? value + presses * by : (Math.round(value / scale) + presses) * scale;
  return Math.min(max, Math.max(min, moved));
}

function measure(value, { quantity, scale, unit }) {
  if (unit === "in") {
    const inches = Math.round(value / scale);
    return `${Math.floor(inches / 12)}'${inches % 12}"`;
  }
  const shown = quantity === "weight" && scale === 1 ? Math.round(value * 10) / 10
    : quantity === "height" || scale !== 1 ? Math.round(value / scale) : value;
  return [shown, unit].filter((part) => part !== undefined).join(" ");
}

function units(current, act) {
  const row = element("div", "", { className: "units" });
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", say("units"));
  for (const name of ["metric", "imperial"]) {
    const button = element("button", say(name), { type: "button", className: "pill" });
    button.setAttribute("aria-pressed", String(name === current));
    button.addEventListener("click", () => { if (name !== current) act({ units: name }); });
    row.append(button);
  }
  return row;
}

// MARK: Times

function timeRange(screen) {
  const input = screen.input;
  const node = element("div", "", { className: "range-field" });
  const ends = { start: input.start, end: input.end };
  const length = element("p", lengthWords(ends), { className: "length" });
  length.setAttribute("role", "status");
  const make = (name) => {
    const label = element("label", say(name === "start" ? "from" : "until"));
    const time = element("input", "", { type: "time", required: true, value: ends[name] });
    time.addEventListener("input", () => {
      if (time.value) ends[name] = time.value;
      length.textContent = lengthWords(ends);
    });
    label.append(time);
    return label;
  };
  const row = element("div", "", { className: "times" });
  const labels = [make("start"), make("end")];
  row.append(...labels);
  node.append(row, length);
  return {
    node, focus: opensNoKeyboard() ? labels[0].lastChild : null, isReady: () => true,
    answer: () => ends.start === input.start && ends.end === input.end ? true : { ...ends },
  };
}

function lengthWords({ start, end }) {
  const minutes = (text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  const length = (minutes(end) - minutes(start) + 1440) % 1440 || 1440;
  const [hours, rest] = [Math.floor(length / 60), length % 60];
  return [
    hours === 1 ? say("oneHour") : hours ? say("hours", { hours }) : "",
    rest ? say("minutes", { minutes: rest }) : "",
  ].filter(Boolean).join(" ");
}

// MARK: Signing in

function email(screen, act, changed) {
  const node = element("div", "", { className: "sign-in" });
  const input = labelled(screen, element("input", "", {
    type: "email", autocomplete: "email", inputMode: "email", className: "line-field",
    placeholder: screen.input.placeholder ?? "", maxLength: 254 }));
  drafted(screen, input, screen.input.value);
  input.addEventListener("input", changed);
  // Before anybody agrees to something.
  input.addEventListener("change", () => input.reportValidity());
  node.append(input);
  const boxes = (screen.consents ?? []).map((consent) => {
    const label = element("label", "", { className: "consent" });
    const box = element("input", "", { type: "checkbox", checked: consent.given });
    box.dataset.consent = consent.id;
    box.addEventListener("change", changed);
    const words = element("span", consent.label);
    label.append(box, words);
    node.append(label, ...document(consent));
    return box;
  });
  return {
    node, focus: input,
    isReady: () => input.value.trim() !== "" && input.checkValidity() && boxes.every((box) => box.checked),
    answer: () => ({
      email: input.value.trim(),
      consents: boxes.filter((box) => box.checked).map((box) => box.dataset.consent),
    }),
  };
}

/** Where the text that is agreed to can be read; only a real address of the web becomes a link. */
function document({ url, label, note }) {
  const parts = [];
  if (/^https:\/\//i.test(url ?? "")) {
    const link = element("a", say("read"), { href: url, target: "_blank", rel: "noopener noreferrer", className: "read" });
    link.setAttribute("aria-label", `${say("read")}: ${label}`);
    parts.push(link);
  }
  if (note) parts.push(element("p", note, { className: "note" }));
  return parts;
}

/** How many digits a code can have, whatever the journey expects: the project that sends it decides. */
const CODE_DIGITS = { least: 6, most: 10 };
/** The digits of the code in pasted text: the one number of that length, also in groups or twice, or all there are. */
function codeIn(text) {
  const alone = text.replace(/[\s\p{P}]/gu, "");
  for (const parts of [[alone], text.split(/\D+/), text.split(/[^\d\p{Zs}\p{Pd}]+/u)]) {
    const codes = parts.map((part) => part.replace(/[\p{Zs}\p{Pd}]/gu, "")).filter((part) => /^\d+$/.test(part))
      .filter(({ length }) => length >= CODE_DIGITS.least && length <= CODE_DIGITS.most);
    if (new Set(codes).size === 1) return codes[0];
  }
  return text.replace(/\D/g, "");
}

/** How long somebody may take for one more digit than expected before the code is sent, in milliseconds. */
const ONE_MORE_DIGIT = 700;

/**
 * One box for each digit: it moves on by itself, takes a pasted code, and sends the last digit. A longer code
 * gets more boxes; if the expected length was wrong once, a typed one waits for the button.
 */
function code(screen, act) {
  const node = element("div", "", { className: "code" });
  node.setAttribute("role", "group");
  node.setAttribute("aria-labelledby", "step-title");
  const expected = screen.input.digits;
  const most = Math.max(expected, CODE_DIGITS.most);
  const boxes = [];
  const addBox = () => {
    const place = boxes.length;
    const box = element("input", "", {
      type: "text", inputMode: "numeric", maxLength: most, autocomplete: place ? "off" : "one-time-code" });
    box.setAttribute("aria-label", say("digit", { number: place + 1 }));
    if (screen.problem) box.setAttribute("aria-invalid", "true");
    listen(box, place);
    boxes.push(box);
    node.append(box);
  };
  const value = () => boxes.map((box) => box.value).join("");
  const isComplete = () =>
    value().length >= Math.min(expected, CODE_DIGITS.least) && boxes.slice(0, value().length).every((box) => box.value);
  let sending;
  const fill = (from, digits, isPasted) => {
    while (boxes.length < Math.min(from + digits.length, most)) addBox();
    [...digits].slice(0, boxes.length - from).forEach((digit, place) => { boxes[from + place].value = digit; });
    const next = boxes[Math.min(from + digits.length, boxes.length - 1)];
    next.focus();
    // What is typed behind the last digit comes after it.
    if (next.value) next.setSelectionRange(1, 1);
    if (isPasted && isComplete()) return act({ answer: value() });
    if (screen.problem || !isComplete() || value().length < expected) return;
    sending = setTimeout(() => { if (node.isConnected) act({ answer: value() }); }, ONE_MORE_DIGIT);
  };
  const listen = (box, place) => {
    box.addEventListener("focus", () => box.select());
    box.addEventListener("input", () => {
      clearTimeout(sending);
      const digits = codeIn(box.value);
      box.value = "";
      if (digits) fill(place, digits, digits.length >= CODE_DIGITS.least);
    });
    box.addEventListener("paste", (event) => {
      event.preventDefault();
      clearTimeout(sending);
      fill(place, codeIn(event.clipboardData.getData("text")), true);
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Backspace" && !box.value && place > 0) {
        boxes[place - 1].value = "";
        boxes[place - 1].focus();
      }
      if (event.key === "ArrowLeft" && place > 0) boxes[place - 1].focus();
      if (event.key === "ArrowRight" && place + 1 < boxes.length) boxes[place + 1].focus();
    });
  };
  while (boxes.length < expected) addBox();
  return { node, focus: boxes[0], isReady: isComplete, answer: value };
}
