// For engineers (?insight, with the engineer's scope): the components with the words that carry
// them, the score over the turns, tokens and times; and a replay of any conversation, turn by turn.

import { RequestError, requestJSON } from "./stream.js";
import { element } from "./text.js";
import { currentLanguage, say } from "./words.js";

const panel = document.getElementById("insight");
const ready = 0.8;

/** `{turn, overall, ready, components, facets, weakest}` for each scored turn. */
let turns = [];
let shown = null;
let tokens = { input: 0, output: 0, requests: 0 };
let times = [];
let sentAt = null;
let current = null;
let recording = null;

/** `showRecording` draws a recorded conversation. */
export function startInsight(showRecording) {
  document.body.classList.add("with-insight");
  panel.hidden = false;
  addEventListener("rapport:sent", () => { sentAt = performance.now(); });
  const redraw = () => {
    recording = recordingField(showRecording);
    render();
  };
  redraw();
  return { open, recorded, scored, profile: () => {}, done, redraw };
}

async function open(id) {
  begin(id);
  const insight = id
    && await requestJSON(`/conversations/${encodeURIComponent(id)}/insight`).catch(() => null);
  if (current === id) recorded(insight, id);
}

function begin(id) {
  current = id;
  Object.assign(tokens, { input: 0, output: 0, requests: 0 });
  [turns, times, shown] = [[], [], null];
}

/** Shows the scores of a conversation that is over, or was stored. */
function recorded(insight, id = null) {
  begin(id);
  turns = (insight?.curve ?? []).map((point) => ({ ...point, facets: factsAt(insight.facets, point.turn) }));
  render();
}

/** Where a recording is chosen, to be played by the server. */
function recordingField(showRecording) {
  const field = element("label", "", { className: "recording" });
  const input = element("input", "", { type: "file", accept: ".json,application/json" });
  const problem = element("span", "", { className: "error" });
  problem.setAttribute("role", "alert");
  input.addEventListener("change", async () => {
    problem.textContent = "";
    try {
      const body = JSON.parse(await input.files[0].text());
      showRecording(await requestJSON("/recordings/replay", { method: "POST", body }));
    } catch (error) {
      problem.textContent = error instanceof RequestError ? error.message : say("notJSON");
    }
    input.value = "";
  });
  field.append(element("span", say("replayRecording")), input, problem);
  return field;
}

/** What was known by a turn, in the shape of a `scored` event. */
function factsAt(facets, turn) {
  return Object.fromEntries(facets.filter((facet) => facet.known && (facet.turn ?? 0) <= turn)
    .map(({ facet, quote, turn, reading, source }) => [facet, { quote, turn, reading, source }]));
}

function scored(event) {
  turns = [...turns.filter((turn) => turn.turn !== event.turn), event].sort((a, b) => a.turn - b.turn);
  shown = null;
  render();
}

function done(event) {
  tokens.input += event.usage?.input_tokens ?? 0;
  tokens.output += event.usage?.output_tokens ?? 0;
  tokens.requests += event.usage?.requests ?? 0;
  if (sentAt !== null) times.push({ turn: event.turn, seconds: (performance.now() - sentAt) / 1000 });
  sentAt = null;
  render();
}

function render() {
  const at = shown ?? turns.length - 1;
  const score = turns[at];
  const title = element("h2", say("insightTitle"), { id: "insight-title" });
  panel.replaceChildren(title, replay(at), recording);
  if (!score) {
    panel.append(element("p", say("insightNone")));
    return;
  }
  panel.append(summary(score), curve(at), table(score), costs());
}

function summary(score) {
  const state = score.ready ? say("insightReady")
    : score.weakest ? say("insightWeakest", { name: score.weakest }) : say("insightNotReady");
  return element("p", say("insightTurn", { turn: score.turn, overall: decimal(score.overall, 3), state }));
}

function replay(at) {
  const controls = element("div", "", { className: "replay" });
  const slider = element("input", "", {
    type: "range", min: 0, max: Math.max(0, turns.length - 1), value: Math.max(0, at),
    disabled: turns.length < 2 });
  slider.setAttribute("aria-label", say("turn"));
  slider.addEventListener("input", () => {
    shown = Number(slider.value);
    render();
    panel.querySelector("input[type=range]").focus();
    dispatchEvent(new CustomEvent("rapport:turn", { detail: turns[shown].turn }));
  });
  const live = element("button", say("latest"), { type: "button", disabled: shown === null });
  live.addEventListener("click", () => {
    shown = null;
    render();
    dispatchEvent(new CustomEvent("rapport:turn", { detail: null }));
  });
  controls.append(slider, live);
  return controls;
}

function table(score) {
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const [name, kind] of [[say("component"), ""], [say("score"), "figure"], ["", ""]]) {
    const cell = element("th", name, { className: kind, scope: "col" });
    head.append(cell);
  }
  const body = table.createTBody();
  for (const [name, value] of Object.entries(score.components)) {
    const row = body.insertRow();
    const words = element("td", "");
    words.append(element("strong", name));
    for (const [facet, basis] of Object.entries(score.facets ?? {})) {
      if (!facet.startsWith(`${name}.`)) continue;
      const said = basis.quote === undefined ? `${basis.reading} (${basis.source})` : basis.quote;
      words.append(element("q", said, { title: say("insightFound", { facet, turn: basis.turn ?? "–" }) }));
    }
    const meter = element("meter", "", { min: 0, max: 1, value });
    meter.setAttribute("aria-label", `${name} ${decimal(value, 2)}`);
    const bar = element("td");
    bar.append(meter);
    row.append(words, element("td", decimal(value, 2), { className: "figure" }), bar);
  }
  return table;
}

function curve(at) {
  const svg = shape("svg", { viewBox: "0 0 300 110", class: "curve", role: "img" });
  svg.setAttribute(
    "aria-label", say("insightCurve", { values: turns.map((turn) => decimal(turn.overall, 2)).join("; ") }));
  const x = (place) => 24 + (turns.length < 2 ? 130 : place * (266 / (turns.length - 1)));
  const y = (value) => 96 - value * 86;
  svg.append(shape("line", { x1: 24, x2: 290, y1: y(ready), y2: y(ready), class: "threshold" }));
  for (const value of [0, ready, 1]) {
    const label = shape("text", { x: 0, y: y(value) + 3 });
    label.textContent = decimal(value, 1);
    svg.append(label);
  }
  svg.append(shape("polyline", {
    class: "series", points: turns.map((turn, place) => `${x(place)},${y(turn.overall)}`).join(" ") }));
  turns.forEach((turn, place) => {
    svg.append(shape("circle", { cx: x(place), cy: y(turn.overall), r: place === at ? 5 : 3, class: "series-dot" }));
  });
  return svg;
}

function decimal(value, digits) {
  return value.toLocaleString(
    currentLanguage(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function shape(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function costs() {
  const last = times.at(-1);
  const parts = [say("insightCosts", tokens)];
  if (last) parts.push(say("insightLast", { seconds: decimal(last.seconds, 1) }));
  return element("p", parts.join("; "), { className: "note" });
}
