"""The page in a real browser: from the welcome to coaching, and what can go wrong on the way."""

import json
import re
import sqlite3
from contextlib import closing
from datetime import date, timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import LINES, ROOT, SCREENSHOTS, Page, expect_soon
from playwright.sync_api import expect

INJECTIONS = [
    "<script>window.hurt=1</script>", "<img src=x onerror=window.hurt=1>", "<svg onload=window.hurt=1>",
    "<svg/onload=window.hurt=1>", "\"><script>window.hurt=1</script>", "'><img src=x onerror=window.hurt=1>",
    "</textarea><script>window.hurt=1</script>", "</li><script>window.hurt=1</script>",
    "</title><script>window.hurt=1</script>", "<iframe srcdoc='<script>parent.hurt=1</script>'></iframe>",
    "<iframe src=javascript:parent.hurt=1>", "<a href=\"javascript:window.hurt=1\">go</a>",
    "[go](javascript:window.hurt=1)", "![x](x onerror=window.hurt=1)", "<details open ontoggle=window.hurt=1>",
    "<video><source onerror=window.hurt=1></video>", "<audio src=x onerror=window.hurt=1>",
    "<body onload=window.hurt=1>", "<input autofocus onfocus=window.hurt=1>",
    "<select autofocus onfocus=window.hurt=1>", "<marquee onstart=window.hurt=1>",
    "<object data=javascript:window.hurt=1>", "<embed src=javascript:window.hurt=1>",
    "<math><mi xlink:href=javascript:window.hurt=1>x</mi></math>", "<style>*{display:none}</style>",
    "<link rel=stylesheet href=//127.0.0.1/x.css>", "<meta http-equiv=refresh content='0;url=/hurt'>",
    "<base href=//127.0.0.1/>", "<form action=/hurt><button>x</button></form>", "{{7*7}}", "${7*7}",
    "<!--<img src=x onerror=window.hurt=1>-->", "<![CDATA[<script>window.hurt=1</script>]]>",
    "&lt;script&gt;window.hurt=1&lt;/script&gt;", "\\u003cscript\\u003ewindow.hurt=1\\u003c/script\\u003e",
    "%3Cscript%3Ewindow.hurt=1%3C/script%3E", "<scr<script>ipt>window.hurt=1</scr</script>ipt>",
    "<template><img src=x onerror=window.hurt=1></template>", "**<img src=x onerror=window.hurt=1>**",
    "`<img src=x onerror=window.hurt=1>`",
]


def serious(page):
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found if one["impact"] in ("serious", "critical")]


def shoot(page, name):
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")


def test_everything_is_in_the_one_main_part(start_coach, visit):
    coach = start_coach(rehearsal=True)
    one = visit(coach).open()
    page = one.page

    def landmarks():
        expect(page.locator("main:visible")).to_have_count(1)
        found = [one["id"] for one in Axe().run(page).response["violations"]]
        return [rule for rule in found if rule == "region" or rule.startswith("landmark")]

    expect(page.locator("#begin")).to_be_visible()
    assert landmarks() == []
    page.get_by_role("button", name="Let's begin").click()
    expect(page.locator("#rehearse")).to_be_visible()
    assert landmarks() == []
    page.locator("#rehearse").click()
    one.rests(coach=1)
    expect(page.locator("#starters")).to_be_visible()
    assert landmarks() == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_whole_way(coach, visit, width, scheme):
    one = visit(coach, viewport={"width": width, "height": 800}, color_scheme=scheme).open()
    page = one.page
    name = f"{width}-{scheme}"
    expect(page.get_by_role("heading", name="This is your space.")).to_be_visible()
    expect(page.get_by_text("No judgment. Just a conversation.")).to_be_visible()
    assert serious(page) == []
    shoot(page, f"welcome-{name}")

    one.begin()
    expect(page.locator(".message.mine")).to_have_count(0)
    expect(page.get_by_role("button", name="lose fat")).to_be_visible()
    assert page.get_by_role("progressbar").count() == 0
    assert serious(page) == []
    shoot(page, f"greeting-{name}")

    for line in LINES[:-1]:
        one.say(line)
    one.say(LINES[-1], answers=2)
    expect(page.locator(".message.coach").nth(-2)).to_contain_text("two short swims a week")
    expect(page.get_by_role("button", name="Actually, let me clarify")).to_be_visible()
    expect(page.locator("body")).to_have_attribute("data-understanding", "4")
    assert serious(page) == []
    shoot(page, f"summary-{name}")

    page.get_by_role("button", name="Let's go").click()
    expect(page.get_by_role("dialog", name="your coach is ready when you are.")).to_be_visible()
    summary = page.locator(".message.coach").nth(-2)
    assert summary.bounding_box()["y"] + summary.bounding_box()["height"] <= \
        page.locator("#paywall").bounding_box()["y"]
    expect(page.get_by_text("This is a demo")).to_be_visible()
    assert serious(page) == []
    shoot(page, f"paywall-{name}")

    page.get_by_role("button", name="Continue my coaching journey").click()
    one.rests()
    expect(page.locator(".message.coach").last).to_contain_text("Twenty pounds by June")
    assert serious(page) == []
    shoot(page, f"coaching-{name}")


def test_not_now_keeps_what_is_typed_and_asks_again(coach, visit):
    one = visit(coach).to_paywall()
    page = one.page
    page.get_by_role("button", name="Not now").click()
    expect(page.locator("#paywall")).to_be_hidden()
    one.rests()
    page.reload()
    one.rests(coach=5)
    expect(page.locator("#paywall")).to_be_hidden()
    page.locator("#words").fill("what about tuesday?")
    page.locator("#words").press("Enter")
    expect(page.locator("#paywall")).to_be_visible()
    expect(page.locator(".message.mine").last).to_contain_text("what about tuesday?")
    page.reload()
    expect(page.locator("#paywall")).to_contain_text("what about tuesday?")
    page.get_by_role("button", name="Continue my coaching journey").click()
    one.rests()
    assert one.texts()[-1].startswith("Coach:") and "Twenty pounds by June" in one.texts()[-1]


def not_now(one):
    one.page.get_by_role("button", name="Not now").click()
    expect(one.page.locator("#paywall")).to_be_hidden()
    one.rests()


def test_clarifying_asks_what_to_change(coach, visit):
    one = visit(coach).to_summary()
    one.page.get_by_role("button", name="Actually, let me clarify").click()
    expect(one.page.locator(".notice").last).to_contain_text("What would you change?")
    expect(one.page.locator("#words")).to_be_focused()
    expect(one.page.locator("#after button")).to_have_count(0)


def test_after_not_now_one_can_still_continue(coach, visit):
    one = visit(coach).to_paywall()
    not_now(one)
    again = one.page.locator("#after").get_by_role("button", name="Continue my coaching journey")
    expect(again).to_be_visible()
    one.page.reload()
    expect(again).to_be_visible()
    expect(one.page.locator("#paywall")).to_be_hidden()
    assert serious(one.page) == []
    again.click()
    one.rests()
    expect(one.page.locator(".message.coach").last).to_contain_text("Twenty pounds by June")
    expect(again).to_have_count(0)


def test_the_paywall_opens_for_what_another_tab_said(coach, visit):
    one = visit(coach).to_paywall()
    not_now(one)
    other = Page(one.page.context.new_page(), coach.address).open()
    not_now(other)
    other.page.locator("#words").fill("what about tuesday?")
    other.page.locator("#words").press("Enter")
    for page in (other.page, one.page):
        expect(page.locator("#paywall-held")).to_contain_text("what about tuesday?")


def test_the_paywall_opens_for_what_was_said_just_before_a_reload(coach, visit):
    one = visit(coach).to_paywall()
    not_now(one)
    stored = one.page.evaluate("localStorage.getItem('rapport.conversation')")
    one.page.request.post(
        f"{coach.address}/chat-stream", data={"conversation_id": stored, "message": "what about tuesday?"})
    one.page.reload()
    expect(one.page.locator("#paywall-held")).to_contain_text("what about tuesday?")


def test_the_paywall_keeps_only_what_is_held(coach, visit):
    one = visit(coach).to_paywall()
    not_now(one)
    one.page.locator("#words").fill("what about tuesday?")
    one.page.locator("#words").press("Enter")
    expect(one.page.locator("#paywall")).to_be_visible()
    not_now(one)
    one.say("sometimes I want to kill myself")
    expect(one.page.locator("#paywall")).to_be_hidden()
    other = Page(one.page.context.new_page(), coach.address).open()
    expect(other.page.locator("#paywall-held")).to_contain_text("what about tuesday?")


def test_escape_at_the_paywall_means_not_now(coach, visit):
    one = visit(coach).to_paywall()
    one.page.keyboard.press("Escape")
    expect(one.page.locator("#paywall")).to_be_hidden()
    one.rests()


def reload(one):
    before = one.texts()
    one.page.reload()
    one.rests(coach=sum(text.startswith("Coach:") for text in before))
    assert one.texts() == before


def test_reload_at_every_phase(coach, visit):
    one = visit(coach).open().begin()
    page = one.page
    reload(one)
    one.say(LINES[0])
    reload(one)
    for line in LINES[1:-1]:
        one.say(line)
    one.say(LINES[-1], answers=2)
    reload(one)
    page.get_by_role("button", name="Let's go").click()
    expect(page.locator("#paywall")).to_be_visible()
    page.reload()
    expect(page.locator("#paywall")).to_be_visible()
    page.get_by_role("button", name="Continue my coaching journey").click()
    one.rests()
    reload(one)


def test_the_draft_survives_a_reload(coach, visit):
    one = visit(coach).open().begin()
    one.page.locator("#words").fill("half a thou")
    one.page.reload()
    expect(one.page.locator("#words")).to_have_value("half a thou")


def test_offline_and_back(coach, visit):
    one = visit(coach).open().begin()
    page = one.page
    page.context.set_offline(True)
    page.locator("#words").fill(LINES[0])
    page.locator("#words").press("Enter")
    expect(page.get_by_role("status").filter(has_text="offline")).to_be_visible()
    expect(page.locator(".message.mine")).to_contain_text(LINES[0])
    page.context.set_offline(False)
    one.rests(coach=2)
    assert len([text for text in one.texts() if LINES[0] in text]) == 1


def test_nothing_moves_under_the_pointer_on_the_first_page(coach, visit):
    one = visit(coach)
    one.page.add_init_script("""
        addEventListener("DOMContentLoaded", () => {
          const welcome = document.getElementById("welcome");
          new MutationObserver(() => {
            if (!welcome.hidden) window.hadWays ??= !document.getElementById("ways").hidden;
          }).observe(welcome, { attributes: true });
        });""")
    one.open()
    expect(one.page.locator("#begin")).to_be_visible()
    assert one.page.evaluate("window.hadWays")


def test_a_first_visit_logs_no_errors(start_coach, visit):
    coach = start_coach(arguments=["--device-tokens"])
    one = visit(coach)
    errors = []
    one.page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    one.open().begin()
    assert one.page.context.cookies() != []
    one.page.get_by_role("button", name="Menu").click()
    one.page.get_by_role("button", name="What you know about me").click()
    expect(one.page.locator("#profile-body")).to_contain_text("I don't know enough yet")
    assert errors == []


def test_coaching_without_a_program_logs_no_errors(coach, visit):
    one = visit(coach, viewport={"width": 1280, "height": 800})
    errors = []
    one.page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    one.to_paywall()
    one.page.get_by_role("button", name="Continue my coaching journey").click()
    one.rests()
    expect(one.page.locator("[data-card=program]")).to_contain_text("A program appears here")
    assert errors == []


def test_a_code_or_its_link_opens_it_in_another_browser(start_coach, visit):
    coach = start_coach(arguments=["--device-tokens"])
    one = visit(coach).to_paywall()
    one.page.get_by_role("button", name="Not now").click()
    # It's offered once.
    one.page.get_by_role("button", name="Show me the code").click()
    link = one.page.locator("#recovery-link")
    expect(link).to_contain_text("#recover=")
    other = visit(coach)
    sent = []
    other.page.on("request", lambda request: sent.append((request.url, request.headers.get("referer", ""))))
    other.page.goto(link.text_content())
    expect(other.page.locator("#begin")).to_be_visible()
    assert "#" not in other.page.url
    code = one.page.locator("#recovery-code").text_content()
    assert not any(code in text for pair in sent for text in pair)
    people = [page.evaluate("fetch('/me').then((one) => one.json())")["person"] for page in (one.page, other.page)]
    assert people[0] == people[1]
    # A browser that is somebody else is asked once more, and a used code says so.
    third = visit(coach).open()
    third.page.get_by_role("button", name="I have a recovery code").click()
    third.page.locator("#recovery-typed").fill("nonsense")
    use = third.page.get_by_role("button", name="Open what it belongs to")
    use.click()
    expect(third.page.locator("#recovery-warning")).to_be_visible()
    use.click()
    expect(third.page.locator("#recovery-error")).to_contain_text("16 letters and figures")
    third.page.locator("#recovery-typed").fill(code)
    use.click()
    expect(third.page.locator("#recovery-error")).to_contain_text("works once")


def test_links_and_code_are_drawn(coach, visit):
    one = visit(coach).open()
    drawn = one.page.evaluate("""async () => {
      const { formatted } = await import("/text.js");
      const box = document.createElement("div");
      box.append(formatted("See [the plan](https://example.com/a) or https://example.com/b.\\n```\\nsquats  3x5\\n```\\n"
        + "[no](javascript:alert(1)) and `one` *two*"));
      return box.innerHTML;
    }""")
    assert '<a href="https://example.com/a" target="_blank" rel="noopener noreferrer">the plan</a>' in drawn
    assert '>https://example.com/b</a>.' in drawn
    assert "<pre><code>squats  3x5\n</code></pre>" in drawn
    assert "[no](javascript:alert(1)) and <code>one</code> <em>two</em>" in drawn


def test_a_table_is_drawn(coach, visit):
    drawn = visit(coach).open().page.evaluate("""async () => {
      const { formatted } = await import("/text.js");
      const box = document.createElement("div");
      box.append(formatted("Your week:\\n| Day | **What** |\\n|:---|---:|\\n| Mon | a \\\\| b |\\n| Tue | <b>x</b> |\\n\\nSo | so."));
      return box.innerHTML;
    }""")
    assert drawn == (
        "<p>Your week:</p><table><tr><th>Day</th><th><strong>What</strong></th></tr>"
        "<tr><td>Mon</td><td>a | b</td></tr><tr><td>Tue</td><td>&lt;b&gt;x&lt;/b&gt;</td></tr></table><p>So | so.</p>")


def test_offline_and_back_between_replies(coach, visit):
    one = visit(coach).open().begin()
    one.page.context.set_offline(True)
    expect(one.page.get_by_role("status").filter(has_text="offline")).to_be_visible()
    one.page.context.set_offline(False)
    expect(one.page.get_by_role("status").filter(has_text="offline")).to_have_count(0)
    one.say(LINES[0])


def test_a_reply_that_failed_is_asked_for_again(start_coach, visit):
    coach = start_coach(mock=["--fault", "status:code=401", "--times", "2", "--only", "ask"])
    one = visit(coach).open().begin()
    again = one.page.get_by_role("button", name="Try again")
    one.page.locator("#words").fill(LINES[0])
    one.page.locator("#words").press("Enter")
    expect(again).to_be_visible()
    # After a reload the coach still owes a reply.
    one.page.reload()
    again.click()
    one.rests(coach=2)
    assert [LINES[0] in text for text in one.texts()] == [False, True, False]
    one.say(LINES[1])
    assert len(one.texts()) == len(set(one.texts())) == 5


@pytest.mark.parametrize("purpose, locale, reason", [
    ("score", "en-US", "Reading what you wrote … ("),
    ("ask", "de-DE", "Ich warte auf das Modell … ("),
])
def test_a_long_wait_says_what_is_waited_for(start_coach, visit, purpose, locale, reason):
    coach = start_coach(mock=["--fault", "mute", "--only", purpose])
    one = visit(coach, locale=locale)
    one.page.clock.install()
    one.open()
    one.page.locator("#begin").click()
    one.rests(coach=1)
    one.page.locator("#words").fill(LINES[0])
    one.page.locator("#words").press("Enter")
    expect(one.page.locator(".thinking")).to_be_visible()
    status = one.page.get_by_role("status").filter(has_text=reason)

    def said():
        one.page.clock.run_for(1_000)
        return status.is_visible()
    expect_soon(said)


def test_a_reply_can_be_stopped(start_coach, visit):
    coach = start_coach(mock=["--fault", "silence:after=8", "--only", "ask", "--times", "1"])
    one = visit(coach).open().begin()
    one.page.locator("#words").fill(LINES[0])
    one.page.locator("#words").press("Enter")
    # The reply has begun and won't end by itself.
    begun = one.page.locator(".message.coach").nth(1).locator("p").first
    expect(begun).not_to_be_empty()
    stop = one.page.get_by_role("button", name="Stop the reply")
    stop.click()
    one.rests(coach=2)
    expect(stop).to_be_hidden()
    expect(one.page.get_by_role("button", name="Try again")).to_have_count(0)
    # What was said stays, a reload writes no other reply, and the conversation goes on.
    reload(one)
    one.say(LINES[1])
    assert [line for line in LINES[:2] if not any(line in text for text in one.texts())] == []


def test_what_is_entered_during_a_reply_is_sent_after_it(start_coach, visit):
    coach = start_coach(mock=["--fault", "chunks:bytes=80,pace=40", "--only", "prose"])
    one = visit(coach).open().begin()
    words = one.page.locator("#words")
    words.fill(LINES[0])
    words.press("Enter")
    expect(one.page.locator(".thinking")).to_be_visible()
    words.fill("and " + LINES[1])
    words.press("Enter")
    expect(words).to_have_value("and " + LINES[1])
    expect(one.page.locator(".message.mine")).to_have_count(2)
    one.rests(coach=3)
    expect(words).to_have_value("")
    assert sum(LINES[1] in text for text in one.texts()) == 1


def test_the_page_says_that_a_line_waits_until_the_reply_ends(start_coach, visit):
    coach = start_coach(mock=["--fault", "silence:after=8", "--only", "ask", "--times", "1"])
    one = visit(coach).open().begin()
    words = one.page.locator("#words")
    words.fill(LINES[0])
    words.press("Enter")
    words.fill(LINES[1])
    words.press("Enter")
    # The reply has begun and won't end by itself.
    expect(one.page.locator(".message.coach").nth(1).locator("p").first).not_to_be_empty()
    waits = one.page.get_by_role("status").filter(has_text="as soon as I've finished")
    expect(waits).to_be_visible()
    # What is still being typed isn't sent by itself.
    words.press_sequentially(" and")
    expect(waits).to_have_count(0)


def test_back_closes_what_lies_over_the_page(coach, visit):
    one = visit(coach).open().begin()
    page = one.page
    for _ in range(2):
        page.get_by_role("button", name="Menu").click()
        expect(page.locator("#menu")).to_be_visible()
        page.go_back()
        expect(page.locator("#menu")).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="What you know about me").click()
    expect(page.locator("#profile")).to_be_visible()
    page.go_back()
    expect(page.locator("#profile")).to_be_hidden()
    assert len(one.texts()) == 1
    # Closing a sheet otherwise leaves nothing to go back to.
    page.get_by_role("button", name="Menu").click()
    page.keyboard.press("Escape")
    expect_soon(lambda: not page.evaluate("history.state?.isSheet === true"))
    one.say(LINES[0])


def test_something_leads_down_to_the_latest_message(coach, visit):
    one = visit(coach, viewport={"width": 390, "height": 300}).open().begin()
    one.say(LINES[0]).say(LINES[1])
    down = one.page.get_by_role("button", name="Down to the latest message")
    expect(down).to_be_hidden()
    one.page.locator("#log").evaluate("(log) => log.scrollTo(0, 0)")
    down.click()
    expect(down).to_be_hidden()
    assert one.page.locator("main:visible").count() == 1
    assert serious(one.page) == []


def test_a_greeting_that_failed_is_asked_for_again(start_coach, visit):
    coach = start_coach(mock=["--fault", "status:code=401", "--times", "1", "--only", "greet"])
    one = visit(coach).open()
    one.page.get_by_role("button", name="Let's begin").click()
    one.page.get_by_role("button", name="Try again").click()
    one.rests(coach=1)
    one.say(LINES[0])


def test_the_page_goes_on_by_itself_when_the_store_was_away(coach, visit):
    one = visit(coach).open().begin()
    with closing(sqlite3.connect(coach.store)) as store:
        # Held for longer than the server waits for it.
        store.execute("BEGIN IMMEDIATE")
        one.page.locator("#words").fill(LINES[0])
        one.page.locator("#words").press("Enter")
        expect(one.page.get_by_role("status").filter(has_text="Trying again")).to_be_visible()
        store.rollback()
    one.rests(coach=2)
    assert [LINES[0] in text for text in one.texts()] == [False, True, False]
    one.say(LINES[1])


def test_a_killed_server_in_the_middle_of_a_reply(start_coach, visit):
    coach = start_coach(mock=["--fault", "chunks:bytes=80,pace=40", "--only", "prose"])
    one = visit(coach).open().begin()
    one.say(LINES[0])
    one.page.locator("#words").fill(LINES[1])
    one.page.locator("#words").press("Enter")
    expect(one.page.locator(".waiting-to-send")).to_have_count(0)
    expect(one.page.locator(".thinking")).to_be_visible()
    coach.server.kill()
    expect(one.page.get_by_role("status").filter(has_text="saved")).to_be_visible()
    expect(one.page.locator(".message.mine").last).to_contain_text(LINES[1])
    coach.server.start()
    one.rests(coach=3)
    texts = one.texts()
    assert len([text for text in texts if LINES[1] in text]) == 1
    assert len(texts) == len(set(texts)) == 5


def test_two_tabs_show_the_same(coach, visit):
    one = visit(coach).open().begin()
    other = Page(one.page.context.new_page(), coach.address).open()
    other.rests(coach=1)
    one.say(LINES[0])
    other.rests(coach=2)
    assert other.texts() == one.texts()
    other.say(LINES[1])
    one.rests(coach=3)
    assert other.texts() == one.texts()


@pytest.mark.parametrize("width", [320, 390])
def test_nothing_is_cut_off_on_a_narrow_screen(coach, visit, width):
    one = visit(coach, viewport={"width": width, "height": 568}).to_paywall()
    page = one.page
    for _ in ["paywall", "conversation"]:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if page.locator("#paywall").is_visible():
            box = page.get_by_role("button", name="Not now").bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width
            page.get_by_role("button", name="Not now").click()
            one.rests()
    one.page.get_by_role("button", name="Menu").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_coachs_name_stays_whole_on_half_a_phone(start_coach, visit):
    coach = start_coach(rehearsal=True)
    page = visit(coach, viewport={"width": 195, "height": 420}).open().page
    page.get_by_role("button", name="Let's begin").click()
    page.get_by_role("button", name="Rehearse without a model").click()
    # With everything that the header can hold.
    for extra in ["rehearsing", "open-cards", "talk-back"]:
        page.evaluate("(id) => { document.getElementById(id).hidden = false; }", extra)
        assert page.evaluate("document.documentElement.scrollWidth") <= 195
        lines = page.locator(".coach-name").evaluate("""(name) => {
          const words = document.createRange();
          words.selectNodeContents(name);
          return words.getClientRects().length;
        }""")
        assert lines == 1


def test_what_is_known_ends_with_the_doctors_note(coach, visit):
    page = visit(coach).to_summary().page
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="What you know about me").click()
    note = page.locator("#profile-body > p.note")
    expect(note).to_contain_text("doctor")
    expect(page.locator("#profile-body li").filter(has_text=note.text_content())).to_have_count(0)
    # The bullets stay within the column.
    assert page.locator("#profile-body ul").evaluate_all(
        "(lists) => lists.every((list) => parseFloat(getComputedStyle(list).paddingLeft) >= 16)")


def test_by_keyboard_alone(coach, visit):
    one = visit(coach).open()
    page = one.page
    expect(page.get_by_role("button", name="Let's begin")).to_be_focused()
    page.keyboard.press("Enter")
    one.rests(coach=1)
    expect(page.locator("#words")).to_be_focused()
    for number, line in enumerate(LINES):
        page.keyboard.type(line)
        page.keyboard.press("Enter")
        one.rests(coach=2 + number + (number == 3))
        expect(page.locator("#words")).to_be_focused()
    tab_to(page, "Let's go")
    page.keyboard.press("Enter")
    expect(page.locator("#paywall")).to_be_visible()
    tab_to(page, "Continue my coaching journey")
    page.keyboard.press("Enter")
    one.rests(coach=7)


def tab_to(page, name, shift=True):
    target = page.get_by_role("button", name=name)
    for _ in range(40):
        if target.evaluate("(button) => button === document.activeElement"):
            return
        page.keyboard.press("Shift+Tab" if shift else "Tab")
    raise AssertionError(f"Tab never reaches {name}")


def test_starters_write_into_the_line_and_go_at_forty_characters(coach, visit):
    one = visit(coach).open().begin()
    page = one.page
    page.get_by_role("button", name="lose fat").click()
    expect(page.locator("#words")).to_have_value("I want to lose fat")
    expect(page.locator(".message.mine")).to_have_count(0)
    page.locator("#words").press_sequentially(" " + "x" * 38)
    expect(page.locator("#starters")).to_be_visible()
    page.locator("#words").press_sequentially("yy")
    expect(page.locator("#starters")).to_be_hidden()


def test_injected_markup_of_the_user_is_text(coach, visit):
    one = visit(coach).open().begin()
    page = one.page
    elements = page.evaluate("document.querySelectorAll('script, img, iframe, object, embed, style, base').length")
    one.page.locator("#words").fill("\n".join(INJECTIONS))
    one.page.locator("#words").press("Enter")
    one.rests()
    shown = page.locator(".message.mine").last.evaluate("(item) => item.lastChild.textContent")
    assert shown == "\n".join(INJECTIONS)
    reload(one)
    assert page.evaluate("window.hurt") is None
    assert page.evaluate(
        "document.querySelectorAll('script, img, iframe, object, embed, style, base').length") == elements


def test_injected_markup_of_the_model_is_text(start_coach, tmp_path, visit):
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"version": 1, "models": ["mock-coach"], "rules": [
        {"purpose": "ask", "when": {"structure": "none"}, "response": {"text": "\n\n".join(INJECTIONS)}}]}))
    coach = start_coach(mock=["--rules", str(rules)])
    one = visit(coach).open()
    page = one.page
    page.get_by_role("button", name="Let's begin").click()
    one.rests(coach=1)
    allowed = {"LI", "P", "BR", "SPAN", "STRONG", "EM", "CODE", "UL", "OL", "I"}
    names = page.locator("#messages").evaluate(
        "(list) => Array.from(list.querySelectorAll('*'), (item) => item.tagName)")
    assert set(names) <= allowed
    assert page.evaluate("window.hurt") is None
    assert "<script>window.hurt=1</script>" in one.texts()[0]
    attributes = page.locator("#messages").evaluate(
        "(list) => Array.from(list.querySelectorAll('*')).flatMap((item) => item.getAttributeNames())")
    assert set(attributes) <= {"class", "aria-hidden", "start"}


def test_without_a_model_the_page_offers_the_rehearsal(start_coach, visit):
    coach = start_coach(rehearsal=True)
    one = visit(coach).open()
    page = one.page
    page.get_by_role("button", name="Let's begin").click()
    page.get_by_role("button", name="Rehearse without a model").click()
    one.rests(coach=1)
    expect(page.get_by_text("Rehearsal", exact=True)).to_be_visible()
    one.say("I want to run a 5k in May because I'm tired of being out of breath")
    assert one.coach_count() == 2


@pytest.mark.parametrize("locale, title, button, starter", [
    ("es-ES", "Un espacio para hablar con calma.", "Empecemos", "perder grasa"),
    ("de-DE", "Hier ist Raum zum Reden.", "Los geht's", "Fett verlieren")])
def test_the_page_speaks(coach, visit, locale, title, button, starter):
    page = visit(coach, locale=locale).open().page
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page.get_by_role("button", name=button)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", locale[:2])
    page.get_by_role("button", name=button).click()
    expect(page.get_by_role("button", name=starter)).to_be_visible()


@pytest.mark.parametrize("status, headers, problem, said", [
    (401, {}, {"code": "unauthorized", "message": "Send a token."}, "Die Sitzung ist abgelaufen."),
    (429, {"Retry-After": "42"}, {"code": "too-many", "message": "That was a lot."}, "In 42 s geht es weiter."),
    (429, {"Retry-After": "9000"}, {"code": "tokens-used-up", "message": "That's all."}, "Das reicht für heute."),
    (403, {}, {"code": "no-account", "message": "Sign in first."}, "Das hat nicht geklappt."),
    (500, {}, {"code": "own-fault", "message": "Something went wrong."}, "Bei uns ist etwas schiefgegangen."),
])
def test_refusals_are_in_the_pages_language(coach, visit, status, headers, problem, said):
    one = visit(coach, locale="de-DE").open()
    one.page.locator("#begin").click()
    one.rests(coach=1)
    one.page.route("**/chat-stream", lambda route: route.fulfill(
        status=status, headers=headers, json={"error": problem}))
    one.page.locator("#words").fill(LINES[0])
    one.page.locator("#words").press("Enter")
    expect(one.page.locator("#status")).to_contain_text(said)


def test_what_is_no_export_is_told_in_the_pages_language(coach, visit):
    page = visit(coach, locale="de-DE").open().page
    page.locator("#begin").click()
    page.locator("#open-health").evaluate("(button) => button.click()")
    page.locator("#health-file").set_input_files({"name": "notes.xml", "mimeType": "text/xml", "buffer": b"<notes/>"})
    expect(page.locator("#health-error")).to_contain_text("kein Apple-Health-Export")


def test_the_limit_of_journeys_is_told_in_the_pages_language(coach, visit):
    page = visit(coach, locale="es-ES").open().page
    page.route("**/journeys/*", lambda route: route.fulfill(
        status=429, headers={"Retry-After": "3000"}, json={"error": {"code": "too-many", "message": "A lot."}}))
    page.locator("#ways-list button").first.click()
    expect(page.get_by_role("alert")).to_contain_text("Seguimos en 50 minutos.")


def test_too_many_new_people_are_told_in_the_pages_language(start_coach, visit):
    coach = start_coach(arguments=["--device-tokens", "--new-people-per-hour", "1"])
    expect(visit(coach, locale="de-DE").open().page.locator("#begin")).to_be_visible()
    page = visit(coach, locale="de-DE").open().page
    expect(page.locator("#status")).to_contain_text("Aus diesem Netz sind in der letzten Stunde sehr viele neue Leute gekommen.")
    expect(page.get_by_role("button", name="Noch einmal versuchen")).to_be_visible()


def test_insight_shows_components_and_quotes(coach, visit):
    one = visit(coach, viewport={"width": 1280, "height": 900}).open("?insight").begin()
    one.say(LINES[0]).say(LINES[1])
    page = one.page
    panel = page.locator("#insight")
    expect(panel.get_by_text("goalClarity", exact=True)).to_be_visible()
    expect(panel.locator("tbody tr")).to_have_count(10)
    expect(panel.get_by_text("drop about 20 lbs")).to_be_visible()
    overall = panel.get_by_text(re.compile(r"Turn 2: 0\.\d+ overall"))
    expect(overall).to_be_visible()
    assert serious(page) == []
    panel.get_by_role("slider", name="Turn").fill("0")
    expect(panel.get_by_text(re.compile(r"Turn 1: 0\.\d+ overall"))).to_be_visible()
    shoot(page, "insight-1280")
    page.reload()
    expect(overall).to_be_visible()


def test_insight_follows_the_language(coach, visit):
    page = visit(coach, viewport={"width": 1280, "height": 900}, locale="de-DE").open("?insight").page
    expect(page.get_by_role("heading", name="Was der Coach versteht")).to_be_visible()
    expect(page.get_by_label("Eine Aufnahme abspielen")).to_be_visible()
    page.evaluate("localStorage.clear()")
    page.request.patch(f"{coach.address}/me", data={"language": "es"})
    page.reload()
    expect(page.get_by_role("heading", name="Lo que entiende el coach")).to_be_visible()
    expect(page.get_by_label("Reproducir una grabación")).to_be_visible()


def test_a_recording_is_replayed_turn_by_turn(coach, visit):
    one = visit(coach, viewport={"width": 1280, "height": 900}).open("?insight").begin()
    one.say(LINES[0])
    page = one.page
    field = page.get_by_label("Replay a recording")
    field.set_input_files({"name": "no.json", "mimeType": "application/json", "buffer": b"{}"})
    expect(page.locator("#insight").get_by_role("alert")).to_contain_text("version")
    field.set_input_files(str(ROOT / "Fixtures/conversations/happy-path/organ-loft.json"))
    expect(page.locator(".notice", has_text="Nothing can be said in it")).to_be_visible()
    expect(page.locator("#composer")).to_be_hidden()
    mine = page.locator(".mine:visible")
    expect(page.locator("#insight").get_by_text(re.compile(r"Turn \d+: 0\.\d+ overall"))).to_be_visible()
    whole = mine.count()
    assert whole > 1
    page.get_by_role("slider", name="Turn").fill("0")
    expect(mine).to_have_count(1)
    assert serious(page) == []
    shoot(page, "recording-1280")
    page.reload()
    expect(page.get_by_text(LINES[0])).to_be_visible()
    expect(page.locator("#composer")).to_be_visible()


def test_language_and_time_zone_stay_with_the_person(coach, visit):
    page = visit(coach, timezone_id="Europe/Madrid").open().begin().page
    page.get_by_role("button", name="Menu").click()
    with page.expect_response(lambda response: response.request.method == "PATCH"):
        page.get_by_label("Language").select_option("es")
    elsewhere = visit(coach, timezone_id="Europe/Madrid").open().page
    expect(elsewhere.locator("html")).to_have_attribute("lang", "es")
    assert elsewhere.evaluate("fetch('/me').then((one) => one.json())")["time_zone"] == "Europe/Madrid"


def test_a_health_export_is_read_and_shown(coach, visit):
    page = visit(coach).open().begin().page
    today = date.today()
    steps = "".join(
        f'<Record type="HKQuantityTypeIdentifierStepCount" sourceName="Phone" unit="count" value="4200"'
        f' creationDate="{day} 12:00:00 +0000" startDate="{day} 10:00:00 +0000" endDate="{day} 11:00:00 +0000"/>\n'
        for day in (today - timedelta(days=back) for back in range(40)))
    export = f'<?xml version="1.0"?>\n<HealthData locale="en_US"><ExportDate value="{today} 12:00:00 +0000"/>\n{steps}</HealthData>'
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Bring your health data").click()
    file = page.locator("#health-file")
    file.set_input_files({"name": "notes.xml", "mimeType": "text/xml", "buffer": b"<notes/>"})
    expect(page.get_by_role("alert").filter(has_text="kept nothing of it")).to_be_visible()
    expect(page.get_by_role("button", name="Done")).to_be_hidden()
    file.set_input_files({"name": "export.xml", "mimeType": "text/xml", "buffer": export.encode()})
    expect(page.locator("#findings")).to_contain_text("4,200 steps")
    assert serious(page) == []
    shoot(page, "health-390")
    page.get_by_role("button", name="Done").click()
    expect(page.locator("#health")).to_be_hidden()
    state = "fetch('/health').then((answer) => answer.json()).then((health) => health.state)"
    assert page.evaluate(state) == "shared"


def test_health_data_is_only_gone_when_the_server_says_so(coach, visit):
    page = visit(coach).open().begin().page
    state = "fetch('/health').then((answer) => answer.json()).then((health) => health.state)"
    page.route("**/health", lambda route: route.abort() if route.request.method == "DELETE" else route.continue_())
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Bring your health data").click()
    refuse = page.get_by_role("button", name="Don't use it")
    refuse.click()
    expect(page.get_by_role("alert").filter(has_text="I may still use what you shared")).to_be_visible()
    expect(page.get_by_text("I won't use it.")).to_have_count(0)
    assert page.evaluate(state) == "unasked"
    page.unroute_all()
    refuse.click()
    expect(page.locator("#health")).to_be_hidden()
    expect(page.locator(".notice").filter(has_text="I won't use it.")).to_be_visible()
    assert page.evaluate(state) == "declined"
