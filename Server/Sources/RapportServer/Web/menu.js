// The menu: other conversations, what the coach knows, and forgetting.

import { addNotice } from "./conversation.js";
import { dropSent, sentTo } from "./outbox.js";
import { reason } from "./refusals.js";
import { request, requestJSON } from "./stream.js";
import { element } from "./text.js";
import { currentLanguage, languages, say } from "./words.js";

const menu = document.getElementById("menu");
const list = document.getElementById("conversations");
const profile = document.getElementById("profile");
const confirmForget = document.getElementById("confirm-forget");
const accountError = document.getElementById("account-error");

export function closeMenu() { menu.close(); }

export function startMenu({ show, welcome, current, onLanguage }) {
  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  for (const button of document.querySelectorAll("[data-menu]")) {
    button.addEventListener("click", () => openMenu(show, current()));
  }
  document.getElementById("new-conversation").addEventListener("click", () => {
    menu.close();
    welcome();
  });
  document.getElementById("open-profile").addEventListener("click", () => {
    menu.close();
    showProfile(current());
  });
  document.getElementById("forget").addEventListener("click", () => {
    menu.close();
    confirmForget.showModal();
  });
  document.getElementById("forget-yes").addEventListener("click", async () => {
    confirmForget.close();
    const id = current();
    try {
      await request(`/conversations/${encodeURIComponent(id)}`, { method: "DELETE" });
      localStorage.removeItem(`rapport.draft.${id}`);
      for (const sent of sentTo(id)) dropSent(sent);
      welcome();
    } catch (error) {
      addNotice(reason(error), "error");
    }
  });
  document.getElementById("sign-out").addEventListener("click", signOut);
  const language = document.getElementById("language");
  language.append(...languages().map(({ code, name }) => element("option", name, { value: code, lang: code })));
  language.addEventListener("change", () => {
    onLanguage(language.value);
    listConversations(show, current());
  });
}

function openMenu(show, id) {
  const exportLink = document.getElementById("export");
  exportLink.hidden = !id;
  if (id) exportLink.href = `/conversations/${encodeURIComponent(id)}/export?format=markdown`;
  for (const name of ["forget", "open-profile"]) document.getElementById(name).hidden = !id;
  document.getElementById("language").value = currentLanguage();
  menu.showModal();
  listConversations(show, id);
  showAccount();
  dispatchEvent(new Event("rapport:menu"));
}

/** Who has signed in within a journey, and what is still on its way to their account. */
async function showAccount() {
  drawAccount(await requestJSON("/account").catch(() => ({})));
}

async function signOut() {
  try {
    drawAccount(await requestJSON("/account", { method: "DELETE" }));
  } catch {
    accountError.hidden = false;
    accountError.textContent = say("signOutFailed");
  }
}

function drawAccount({ signed_in: isSignedIn, email, rows }) {
  accountError.hidden = true;
  document.getElementById("account").hidden = !isSignedIn;
  document.getElementById("account-email").textContent = say("signedInAs", { email: email ?? "" });
  const line = document.getElementById("account-rows");
  const missing = (rows?.waiting ?? 0) + (rows?.set_aside ?? 0);
  line.hidden = missing === 0;
  line.textContent = missing === 1 ? say("oneRowWaits") : say("rowsWait", { count: missing });
}

async function listConversations(show, id) {
  list.replaceChildren();
  const { conversations = [] } = await requestJSON("/conversations").catch(() => ({}));
  for (const conversation of conversations) {
    const button = element("button", "", { type: "button", className: "row" });
    const when = new Date(conversation.updated);
    button.append(
      element("span", conversation.first_words || say("untitled")),
      element("small", when.toLocaleDateString(currentLanguage(), { day: "numeric", month: "short" })));
    if (conversation.conversation_id === id) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => {
      menu.close();
      show(conversation.conversation_id);
    });
    const item = element("li");
    item.append(button);
    list.append(item);
  }
}

async function showProfile(id) {
  const body = document.getElementById("profile-body");
  body.replaceChildren(element("p", "…"));
  profile.showModal();
  const found = await requestJSON(`/conversations/${encodeURIComponent(id)}/profile?optional=true`).catch(() => null);
  body.replaceChildren();
  if (!found?.system) {
    body.append(element("p", say("profileNone")));
    return;
  }
  const { personaProfile: persona, userGoals: goals, constraints, unsupported = [] } = found.system;
  const known = (pointer, value) => unsupported.includes(pointer) ? null : value;
  section(body, say("goals"), [
    known("/userGoals/primary", goals?.primary), known("/userGoals/timeline", goals?.timeline),
    known("/userGoals/deeper", goals?.deeper),
  ]);
  section(body, say("constraints"), Object.entries(constraints ?? {}).flatMap(([name, list]) =>
    list.map((constraint, place) => known(`/constraints/${name}/${place}`, constraint.detail))));
  section(body, say("approach"), [persona?.role, persona?.communicationStyle]);
  if (persona?.medicalDisclaimer) body.append(element("p", persona.medicalDisclaimer, { className: "note" }));
}

/** A heading and a list of those texts that are there. */
function section(body, title, items) {
  const texts = items.filter(Boolean);
  if (texts.length === 0) return;
  body.append(element("h3", title));
  const entries = body.appendChild(element("ul", "", { className: "bullets" }));
  for (const text of texts) entries.append(element("li", text));
}
