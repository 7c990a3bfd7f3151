// Small plots, drawn as SVG from the server's figures. Each has its figures as a table behind it, for
// screen readers and for whoever wants to read them.

import { element } from "./text.js";
import { currentLanguage, say } from "./words.js";

const width = 320;
const height = 132;
const edge = { left: 46, right: 10, top: 12, bottom: 22 };

function shape(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

/** `yyyy-mm-dd` as days since 1970. */
export function dayNumber(text) { return Date.parse(`${text}T00:00:00Z`) / 86_400_000; }

/** A date as people write it, without the year. */
export function shortDay(text) {
  return new Date(`${text}T00:00:00Z`).toLocaleDateString(
    currentLanguage(), { day: "numeric", month: "short", timeZone: "UTC" });
}

/** A day with its year. */
export function longDay(text) {
  return new Date(`${text}T00:00:00Z`).toLocaleDateString(
    currentLanguage(), { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

/** Round steps that cover the values: at most four lines. */
function ticks(low, high) {
  const span = high - low || 1;
  const rough = span / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const from = Math.floor(low / step) * step;
  const lines = [];
  for (let value = from; value < high + step * 0.999; value += step) lines.push(Number(value.toFixed(6)));
  return lines;
}

/** Grid lines with their figures; returns where a value stands. */
function axis(svg, values, fromZero, format, steps = null) {
  const low = fromZero ? 0 : Math.min(...values);
  const lines = steps ?? ticks(low, Math.max(...values));
  const [first, last] = [lines[0], lines.at(-1)];
  const y = (value) => height - edge.bottom
    - (value - first) / (last - first || 1) * (height - edge.top - edge.bottom);
  for (const value of lines) {
    svg.append(
      shape("line", { class: "grid", x1: edge.left, x2: width - edge.right, y1: y(value), y2: y(value) }),
      shape("text", { x: edge.left - 6, y: y(value) + 3.5, "text-anchor": "end" }, format(value)));
  }
  return y;
}

function canvas() {
  // The figure's caption and its table say it; the drawing is for the eye.
  return shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", "aria-hidden": "true" });
}

/** First and last day below the plot; the last one only where there's room for it. */
function ends(svg, from, through, right = width - edge.right) {
  const y = height - 6;
  svg.append(shape("text", { x: edge.left, y }, shortDay(from)));
  if (through !== from && right - edge.left > 110) {
    svg.append(shape("text", { x: right, y, "text-anchor": "end" }, shortDay(through)));
  }
}

/**
 * One bar a week, `[{day, value}]`.
 *
 * `line` is a value to compare with, such as the plan; null for none.
 */
export function bars(points, { format, line = null, whole = false }) {
  const svg = canvas();
  const most = Math.max(...points.map((point) => point.value), line ?? 0, whole ? 1 : 0.001);
  const y = axis(svg, [0, most], true, format, whole ? wholeSteps(most) : null);
  // A few weeks stand at the left, above their date.
  const room = Math.min(42, (width - edge.left - edge.right) / points.length);
  points.forEach((point, place) => {
    if (point.value <= 0) return;
    const top = y(point.value);
    svg.append(shape("rect", {
      class: place === points.length - 1 ? "bar now" : "bar", rx: Math.min(3, room * 0.2),
      x: edge.left + room * (place + 0.15), width: room * 0.7, y: top,
      height: Math.max(1, height - edge.bottom - top) }));
  });
  if (line !== null) {
    svg.append(shape("line", {
      class: "planned", x1: edge.left, x2: width - edge.right, y1: y(line), y2: y(line) }));
  }
  ends(svg, points[0].day, points.at(-1).day, edge.left + room * points.length);
  return svg;
}

function wholeSteps(most) {
  const step = Math.max(1, Math.ceil(most / 4));
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, place) => place * step);
}

/**
 * Values over days, `[{day, value}]`, joined where `joined`; `trend` is a line `[{day, value}]` through them.
 */
export function dots(points, { format, joined = true, trend = null }) {
  const svg = canvas();
  const y = axis(svg, [...points, ...(trend ?? [])].map((point) => point.value), false, format);
  const [from, through] = [dayNumber(points[0].day), dayNumber(points.at(-1).day)];
  const x = (day) => edge.left + 6 + (through === from
    ? (width - edge.left - edge.right) / 2 : (dayNumber(day) - from) / (through - from) * (width - edge.left - edge.right - 12));
  const path = (list) => list.map((point) => `${x(point.day).toFixed(1)},${y(point.value).toFixed(1)}`).join(" ");
  if (trend) svg.append(shape("polyline", { class: "trend", points: path(trend) }));
  if (joined && points.length > 1) svg.append(shape("polyline", { class: "series", points: path(points) }));
  points.forEach((point, place) => svg.append(shape("circle", {
    class: "dot", cx: x(point.day).toFixed(1), cy: y(point.value).toFixed(1),
    r: place === points.length - 1 ? 4 : 2.5 })));
  ends(svg, points[0].day, points.at(-1).day);
  return svg;
}

/** A plot with its caption, and its figures as a table that opens. */
export function figureOf(caption, svg, columns, rows) {
  const figure = element("figure", "", { className: "figure" });
  figure.append(element("figcaption", caption), svg);
  const details = element("details");
  const table = element("table");
  table.append(element("caption", caption, { className: "visually-hidden" }));
  const head = table.createTHead().insertRow();
  for (const column of columns) head.append(element("th", column, { scope: "col" }));
  const body = table.createTBody();
  for (const [first, ...rest] of rows) {
    const row = body.insertRow();
    row.append(element("th", first, { scope: "row" }), ...rest.map((text) => element("td", text)));
  }
  details.append(element("summary", say("tableOf")), table);
  figure.append(details);
  return figure;
}
