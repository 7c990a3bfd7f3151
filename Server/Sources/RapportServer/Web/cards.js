// Quiet cards beside the coaching conversation: what the log adds up to, the goal, the program, the last
// look back, and the log itself, which can be corrected. The server says every figure; this draws them.

import { addNotice } from "./conversation.js";
import { bars, dots, figureOf, longDay, shortDay } from "./plots.js";
import { reason } from "./refusals.js";
import { requestJSON } from "./stream.js";
import { element } from "./text.js";
import { currentLanguage, say } from "./words.js";

const side = document.getElementById("cards");
const sheet = document.getElementById("cards-sheet");
const body = document.getElementById("cards-body");
const opener = document.getElementById("open-cards");
const wide = matchMedia("(min-width: 64rem)");
const kilogramsPerPound = 0.45359237;
const kilometersPerMile = 1.609344;
const entriesAtFirst = 8;
const weeksShown = 12;

/** What the cards are drawn from, each with its address. */
const sources = {
  progress: () => requestJSON(path(`progress?language=${currentLanguage()}`)),
  goals: () => requestJSON(path("goals")),
  review: () => requestJSON(path("review")),
  program: () => requestJSON(path("program?span=week&optional=true")),
  log: () => requestJSON(path(`log?limit=${shown.entries}&language=${currentLanguage()}`)),
};
const all = Object.keys(sources);
const ofEntries = ["progress", "log"];
/** What a turn's notices, by code, and its messages change on the cards. */
const changedBy = { noted: ofEntries, constraint: ["goals", "program"], review: ["progress", "goals", "review", "program"] };
const changedByQuestion = ["goals", "review"];

let page = null;
let shown = fresh(null);
/** The entry that is being corrected. */
let correcting = null;
/** Numbers the requests, so that an answer that comes too late is dropped. */
let asked = 0;

/** `around` has `show(id)`, which shows the conversation again. */
export function startCards(around) {
  page = around;
  opener.addEventListener("click", () => {
    place();
    sheet.showModal();
    refresh();
  });
  wide.addEventListener("change", place);
}

/** Shows the cards of a conversation that is coached; hides them for any other. */
export function showCards(id, phase) {
  const isCoached = Boolean(id) && phase === "coaching";
  const isOther = shown.id !== id;
  if (isOther) {
    shown = fresh(id);
    correcting = null;
    body.replaceChildren();
  }
  document.body.classList.toggle("with-cards", isCoached);
  opener.hidden = !isCoached;
  if (!isCoached) {
    if (sheet.open) sheet.close();
    side.hidden = true;
    return;
  }
  place();
  if (sheet.open) refresh([...shown.stale]);
}

/** `known` is what the server last said of each source, and `latest` the request that asked for it. */
function fresh(id) { return { id, entries: entriesAtFirst, known: {}, latest: {}, stale: new Set(all) }; }

/** Remembers what an event of the conversation changes; it's fetched once the turn is over. */
export function changeCards({ type, code, purpose }) {
  const changed = type === "notice" ? changedBy[code] : type === "choices" ? changedByQuestion
    : purpose === "care" ? ["progress"] : null;
  for (const source of changed ?? []) shown.stale.add(source);
}

/** The cards stand beside the conversation if there's room, and otherwise in a sheet. */
function place() {
  if (opener.hidden) return;
  side.hidden = !wide.matches;
  (wide.matches ? side : sheet).append(body);
  if (wide.matches && sheet.open) sheet.close();
  if (wide.matches) refresh([...shown.stale]);
}

/** Draws the cards again, in another language or unit. */
export function redrawCards() { if (!opener.hidden) refresh(); }

function path(rest) { return `/conversations/${encodeURIComponent(shown.id)}/${rest}`; }

/** Fetches what the cards are drawn from, or some of it, and draws them. */
async function refresh(names = all) {
  if (names.length === 0) return;
  const mine = shown;
  const number = ++asked;
  for (const name of names) {
    mine.stale.delete(name);
    mine.latest[name] = number;
  }
  try {
    await Promise.all(names.map(async (name) => {
      const answer = await sources[name]();
      if (mine.latest[name] === number) mine.known[name] = answer;
    }));
    if (mine === shown && all.every((name) => name in mine.known)) draw(mine.known);
  } catch {
    for (const name of names) mine.stale.add(name);
    if (mine === shown && body.childElementCount === 0) body.append(element("p", say("cardsFailed"), { className: "note" }));
  }
}

function draw({ progress, goals, review: { review }, program, log }) {
  const focused = document.activeElement?.closest("#cards-body") ? document.activeElement.dataset.keep : null;
  const typed = Object.fromEntries(
    Array.from(body.querySelectorAll("input[data-keep]"), (input) => [input.dataset.keep, input.value]));
  const opened = new Set(Array.from(body.querySelectorAll("details[open]"), (one) => one.closest(".card-box")?.dataset.card));
  body.replaceChildren(
    weekCard(progress), volumeCard(progress), paceCard(progress), ...weightCard(progress),
    adherenceCard(progress), bestsCard(progress), goalCard(goals), programCard(program),
    reviewCard(review), logCard(log, progress.units));
  for (const [name, value] of Object.entries(typed)) {
    const input = body.querySelector(`input[data-keep="${CSS.escape(name)}"]`);
    if (input) input.value = value;
  }
  for (const details of body.querySelectorAll("details")) details.open = opened.has(details.closest(".card-box").dataset.card);
  if (focused) body.querySelector(`[data-keep="${CSS.escape(focused)}"]`)?.focus();
}

// MARK: Cards

function card(name, title, ...content) {
  const box = element("section", "", { className: "card-box" });
  box.dataset.card = name;
  const heading = element("h3", title, { id: `card-${name}` });
  box.setAttribute("aria-labelledby", heading.id);
  box.append(heading, ...content.filter(Boolean));
  return box;
}

/** What a card without figures says; `units` are those of its example. */
function empty(key, units) { return element("p", say(key, examples(units)), { className: "note" }); }

function examples(units) {
  const [squat, press, weight, run] = units === "imperial" ? [135, 85, 176.8, 3] : [60, 40, 80.2, 5];
  const [load, distance] = units === "imperial" ? ["lb", "mi"] : ["kg", "km"];
  return {
    squat: `${squat} ${load}`, press: `${press} ${load}`, weight: `${figure(weight, 1)} ${load}`, run: `${run} ${distance}` };
}

function line(text, className = "") { return text ? element("p", text, { className }) : null; }

function weekCard(progress) {
  const week = progress.weeks.at(-1);
  const content = [];
  if (!week) {
    content.push(empty("weekEmpty", progress.units));
  } else {
    const days = week.sessions === 1 ? say("oneDayTrained") : say("daysTrained", { count: week.sessions });
    const plan = progress.sessionsPerWeek ? ` ${say("ofPlan", { count: progress.sessionsPerWeek })}` : "";
    content.push(line(days + plan, "figure-line"));
    const amounts = [
      week.kilograms > 0 && say("lifted", { amount: load(week.kilograms, progress.units) }),
      week.kilometers > 0 && say("covered", { amount: distance(week.kilometers, progress.units) }),
      week.minutes > 0 && say("minutesIn", { count: figure(week.minutes, 0) }),
    ].filter(Boolean);
    content.push(line(amounts.join(", ")));
    const { weeks, longest } = progress.streak;
    if (weeks > 0) content.push(line(weeks === 1 && longest <= 1 ? say("streakOne") : say("streak", { count: weeks, longest }), "soft"));
  }
  return card("week", say("week"), ...content, unitsSwitch(progress.units));
}

function unitsSwitch(units) {
  const box = element("div", "", { className: "units-switch" });
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", say("units"));
  for (const [name, key] of [["metric", "unitsWeight"], ["imperial", "unitsImperial"]]) {
    const button = element("button", say(key), { type: "button" });
    button.dataset.keep = `units-${name}`;
    button.setAttribute("aria-pressed", String(name === units));
    button.addEventListener("click", () => change(() => requestJSON("/me", { method: "PATCH", body: { units: name } })));
    box.append(button);
  }
  return box;
}

function volumeCard({ weeks, units }) {
  const points = weeks.slice(-weeksShown).map(({ monday, kilograms }) => ({ day: monday, value: inLoads(kilograms, units) }));
  if (!points.some(({ value }) => value > 0)) return card("volume", say("volume"), empty("volumeEmpty", units));
  const format = (value) => `${figure(value, 0)}`;
  return card("volume", say("volume"), figureOf(
    `${say("volumeLead")} (${units === "imperial" ? "lb" : "kg"})`, bars(points, { format }),
    [say("columnWeek"), units === "imperial" ? "lb" : "kg"],
    points.map(({ day, value }) => [shortDay(day), format(value)])));
}

function paceCard({ activities, units }) {
  const running = activities.find(({ measure }) => measure === "pace");
  if (!running) return card("pace", say("pace"), empty("paceEmpty", units));
  const { kilometers, unit } = running.paceOver;
  const points = running.sessions.slice(-30).map(({ date, value }) => ({
    day: date, value: value * kilometers }));
  return card("pace", say("pace"), figureOf(
    say("paceLead", { title: capital(running.title), unit }), dots(points, { format: clock }),
    [say("columnDay"), `min/${unit}`], points.map(({ day, value }) => [shortDay(day), clock(value)])),
  line(movement(running), "soft"));
}

/** No card at all after care about eating. */
function weightCard({ weight, units, hidesWeight }) {
  if (hidesWeight) return [];
  if (!weight) return [card("weight", say("weight"), empty("weightEmpty", units))];
  const convert = ({ date, kilograms }) => ({ day: date, value: inLoads(kilograms, units) });
  const points = weight.days.slice(-60).map(convert);
  const format = (value) => figure(value, 1);
  const unit = units === "imperial" ? "lb" : "kg";
  const trend = weight.perWeek === undefined ? say("weightSteady")
    : say("weightTrend", { change: `${signed(inLoads(weight.perWeek, units))} ${unit}` });
  const first = points[0].day;
  const lineThrough = weight.line?.map(convert).filter(({ day }) => day >= first);
  return [card("weight", say("weight"), figureOf(
    `${say("weight")} (${unit})`,
    dots(points, { format, joined: false, trend: lineThrough?.length === 2 ? lineThrough : null }),
    [say("columnDay"), unit], points.map(({ day, value }) => [shortDay(day), format(value)])),
  line(trend, "soft"))];
}

function adherenceCard({ weeks, sessionsPerWeek, adherence }) {
  const points = weeks.slice(-weeksShown).map(({ monday, sessions }) => ({ day: monday, value: sessions }));
  if (points.length === 0) return card("adherence", say("adherence"), empty("adherenceEmpty"));
  const format = (value) => figure(value, 0);
  const caption = sessionsPerWeek
    ? `${say("adherenceNone")} (${say("planned", { count: sessionsPerWeek })})` : say("adherenceNone");
  const columns = [say("columnWeek"), say("columnTrained"), ...(sessionsPerWeek ? [say("columnPlanned")] : [])];
  return card("adherence", say("adherence"), figureOf(
    caption, bars(points, { format, line: sessionsPerWeek, whole: true }), columns,
    points.map(({ day, value }) => [shortDay(day), format(value), ...(sessionsPerWeek ? [format(sessionsPerWeek)] : [])])),
  adherence ? line(say("adherenceSum", adherence), "soft") : null);
}

function bestsCard({ activities, milestones }) {
  if (activities.length === 0) return card("bests", say("bests"), empty("bestsEmpty"));
  const list = element("ul", "", { className: "plain" });
  for (const activity of activities.slice(0, 6)) {
    const item = element("li");
    item.append(
      element("strong", capital(activity.title)), ": ",
      say("bestOn", { value: activity.bestText, date: shortDay(activity.best.date) }),
      element("small", say(`measure_${activity.measure}`)));
    const moved = movement(activity);
    if (moved) item.append(element("small", moved));
    list.append(item);
  }
  const reached = element("ul", "", { className: "plain" });
  for (const { text, date } of milestones.slice(-5).reverse()) {
    const item = element("li", capital(text));
    item.append(element("small", shortDay(date)));
    reached.append(item);
  }
  return card("bests", say("bests"), list,
    ...(milestones.length ? [element("h4", say("milestones")), reached] : []));
}

function movement({ plateau, trend }) {
  if (plateau) return say("plateau");
  return trend && trend.direction !== "same" ? say(`trend_${trend.direction}`) : "";
}

function goalCard({ goal, original, limits, cycle }) {
  const content = goal ? [line(goal, "figure-line")] : [empty("goalEmpty")];
  if (original && original !== goal) content.push(line(say("goalFirst", { goal: original }), "soft"));
  if (cycle) {
    const [{ kind, number, of, rows }] = cycle.days;
    content.push(line(say("cycleDay", { kind, number, count: of })));
    for (const { label, value } of rows) content.push(line(`${label}: ${value}`, "soft"));
  }
  const kept = limits.filter(({ status }) => status !== "refused");
  if (kept.length) {
    const list = element("ul", "", { className: "plain" });
    for (const limit of kept) list.append(limitItem(limit));
    content.push(element("h4", say("limits")), list);
  }
  return card("goal", say("goalCard"), ...content);
}

function limitItem(limit) {
  const item = element("li", limit.detail);
  const dates = [
    say("limitNoted", { date: shortDay(limit.notedAt) }),
    limit.archivedAt ? say("limitArchived", { date: shortDay(limit.archivedAt) })
      : limit.expiresAt && say("limitUntil", { date: shortDay(limit.expiresAt) }),
    limit.quote && limit.quote !== limit.detail && say("limitQuote", { quote: limit.quote }),
  ].filter(Boolean);
  item.append(element("small", dates.join(", ")));
  if (limit.status === "archived") item.className = "over";
  if (limit.status === "active") {
    const over = button(say("limitOver"), () => change(() => requestJSON(
      path("goals"), { method: "PATCH", body: { limit: limit.id, holds: false } })));
    over.setAttribute("aria-label", `${say("limitOver")}: ${limit.detail}`);
    item.append(over);
  }
  return item;
}

function programCard(program) {
  if (!program) return card("program", say("programCard"), empty("programEmpty"));
  if (program.isOver) {
    const ended = say("programOver", { title: program.title, day: longDay(program.end) });
    return card("program", say("programOverCard"), line(ended), element("p", say("programNext"), { className: "note" }));
  }
  const list = element("ul", "", { className: "plain" });
  for (const session of program.sessions) {
    const when = [shortDay(session.date), session.time].filter(Boolean).join(", ");
    const item = element("li", session.title);
    item.append(element("small", `${when}, ${say("minutesShort", { count: session.minutes })}`));
    list.append(item);
  }
  const link = element("a", say("programCalendar"), { href: path("program.ics"), download: "", className: "quiet-link" });
  return card("program", say("programCard"), line(program.title, "figure-line"), list, link);
}

function reviewCard(review) {
  const now = button(say("reviewNow"), async () => {
    await change(() => requestJSON(path("review"), { method: "POST" }));
    if (sheet.open) sheet.close();
    page.show(shown.id);
  });
  now.dataset.keep = "review";
  if (!review) return card("review", say("reviewCard"), empty("reviewEmpty"), now);
  const content = [element("small", shortDay(review.through)), ...review.moved.map((text) => line(text))];
  if (review.moved.length === 0) content.push(line(review.text.split("\n")[0]));
  if (review.proposal) content.push(line(review.proposal.text));
  if (review.open) content.push(line(say("reviewOpen"), "soft"));
  return card("review", say("reviewCard"), ...content, now);
}

// MARK: The log

function logCard(log, units) {
  const list = element("ul", "", { className: "plain log-list" });
  for (const entry of log.entries) {
    list.append(entry.number === correcting ? correctItem(entry) : entryItem(entry));
  }
  const content = log.entries.length ? [list] : [empty("logEmpty")];
  if (log.count > log.entries.length) {
    content.push(button(say("logMore", { count: log.count }), () => {
      shown.entries = 10_000;
      refresh(["log"]);
    }));
  }
  content.push(addForm(log.today, units));
  if (log.count > 0) {
    content.push(element("a", say("logCsv"), {
      href: path("log/export?format=csv"), download: "", className: "quiet-link" }));
  }
  return card("log", say("logCard"), ...content);
}

function entryItem(entry) {
  const item = element("li", capital(entry.line));
  item.append(element("small", shortDay(entry.date)));
  const correct = button(say("correct"), () => {
    correcting = entry.number;
    refresh(["log"]).then(() => body.querySelector(`[data-keep="words-${entry.number}"]`)?.focus());
  });
  correct.dataset.keep = `correct-${entry.number}`;
  correct.setAttribute("aria-label", say("correctEntry", { entry: entry.line }));
  item.append(correct);
  return item;
}

function correctItem(entry) {
  const item = element("li");
  item.append(correction(entry, {
    done() {
      correcting = null;
      refresh(ofEntries).then(() => body.querySelector(`[data-keep="correct-${entry.number}"]`)?.focus());
    },
  }));
  return item;
}

/** A form that corrects or removes an entry. */
function correction(entry, { done }) {
  const form = element("form", "", { className: "entry-form" });
  const words = field(say("correctEntry", { entry: entry.line }), entry.words);
  words.dataset.keep = `words-${entry.number}`;
  const day = field(say("logDay"), entry.date, "date");
  const problem = element("p", "", { className: "error" });
  problem.setAttribute("role", "alert");
  const remove = button(say("removeEntry"), () => attempt(problem, async () => {
    await requestJSON(path(`log/${entry.number}`), { method: "DELETE" });
    announce(say("removedEntry", { entry: entry.line }));
    done(null);
  }));
  const row = element("div", "", { className: "form-row" });
  row.append(element("button", say("save"), { type: "submit" }), remove, button(say("cancel"), () => done(entry)));
  form.append(words, day, row, problem);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!words.value.trim()) return words.focus();
    attempt(problem, async () => {
      const body = { words: words.value, date: day.value || null };
      const { entries: [corrected] } = await requestJSON(path(`log/${entry.number}`), { method: "PUT", body });
      done(corrected);
    });
  });
  return form;
}

function addForm(today, units) {
  const form = element("form", "", { className: "entry-form" });
  const words = field(say("logAdd"), "");
  words.placeholder = say("logAddHint", examples(units));
  words.dataset.keep = "add-words";
  const day = field(say("logDay"), today, "date");
  day.max = today;
  const problem = element("p", "", { className: "error" });
  problem.setAttribute("role", "alert");
  const add = element("button", say("logAddButton"), { type: "submit" });
  const row = element("div", "", { className: "form-row" });
  row.append(day, add);
  form.append(words, row, problem);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!words.value.trim()) return words.focus();
    attempt(problem, async () => {
      // A day that the words name, such as "yesterday", counts unless another one was picked.
      const date = day.value && day.value !== today ? day.value : null;
      const { care } = await requestJSON(path("log"), { method: "POST", body: { words: words.value, date } });
      words.value = "";
      if (care) {
        if (sheet.open) sheet.close();
        addNotice(care);
      }
      await refresh(ofEntries);
    });
  });
  return form;
}

function field(label, value, type = "text") {
  const input = element("input", "", { type, value, className: "line-field", autocomplete: "off" });
  input.setAttribute("aria-label", label);
  return input;
}

function button(text, run) {
  const made = element("button", text, { type: "button", className: "quiet-link" });
  made.addEventListener("click", run);
  return made;
}

async function attempt(problem, work) {
  problem.textContent = "";
  try { await work(); } catch (error) { problem.textContent = reason(error); }
}

/** Changes something on the server, then draws what it says. */
async function change(work) {
  try { await work(); } catch (error) { addNotice(reason(error), "error"); }
  await refresh();
}

/**
 * What was just noted, in a line of the conversation with a way to correct it.
 *
 * `notice` is the notice's element.
 */
export function offerCorrection(notice, entries) {
  const id = shown.id;
  for (const noted of entries) {
    const open = button(say("correct"), async () => {
      if (shown.id !== id) return;
      const log = await requestJSON(path(`log?language=${currentLanguage()}`)).catch(() => null);
      const entry = log?.entries.find(({ number }) => number === noted.number);
      if (!entry) return open.remove();
      const form = correction(entry, {
        done(corrected) {
          form.remove();
          const words = corrected ? say("notedEntry", { entry: corrected.line }) : say("removedEntry", { entry: entry.line });
          if (entries.length === 1) notice.firstChild.textContent = words; else announce(words);
          if (corrected) {
            notice.append(open);
            open.focus();
          }
          if (wide.matches) refresh(ofEntries);
        },
      });
      open.remove();
      notice.append(form);
      form.querySelector("input").focus();
    });
    if (entries.length > 1) open.setAttribute("aria-label", `${say("correct")}: ${noted.activity}`);
    notice.append(" ", open);
  }
}

function announce(text) { document.getElementById("announcer").textContent = text; }

// MARK: Figures

function figure(value, decimals) {
  return value.toLocaleString(currentLanguage(), { maximumFractionDigits: decimals });
}

function signed(value) {
  return value.toLocaleString(currentLanguage(), { maximumFractionDigits: 1, signDisplay: "exceptZero" }).replace("-", "−");
}

function inLoads(kilograms, units) { return units === "imperial" ? kilograms / kilogramsPerPound : kilograms; }

function load(kilograms, units) { return `${figure(inLoads(kilograms, units), 0)} ${units === "imperial" ? "lb" : "kg"}`; }

function distance(kilometers, units) {
  return units === "imperial" ? `${figure(kilometers / kilometersPerMile, 1)} mi` : `${figure(kilometers, 1)} km`;
}

/** Seconds as `6:12`. */
function clock(seconds) {
  const all = Math.round(seconds);
  return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, "0")}`;
}

function capital(text) { return text.charAt(0).toLocaleUpperCase(currentLanguage()) + text.slice(1); }
