"""The cards beside the coaching conversation: what is noted, added up, corrected and drawn."""

import datetime
import json
import re

from playwright.sync_api import expect
from test_page import LINES, serious, shoot


def coached(start_coach, visit, **options):
    """A rehearsed conversation whose discovery is over, made over HTTP, and a page that shows it."""
    coach = start_coach(rehearsal=True)
    one = visit(coach, **options)
    request = one.page.request

    def send(body):
        answer = request.post(coach.address + "chat-stream", data=body)
        assert answer.ok, answer.text()
        return re.findall(r"data: (.*)", answer.text())

    def last(events, kind):
        found = [json.loads(event) for event in events]
        return next((event for event in reversed(found) if event["type"] == kind), None)

    events = send({"first_message": True, "rehearsal": True})
    one.id = last(events, "done")["conversation_id"]
    for line in LINES:
        events = send({"conversation_id": one.id, "message": line})
    for _ in range(20):
        done = last(events, "done")
        if done["phase"] == "coaching":
            break
        offered = last(events, "paywall") or last(events, "choices")
        choice = "continue" if offered and offered["type"] == "paywall" else \
            offered["options"][0]["id"] if offered else None
        events = send({"conversation_id": one.id, **({"choice": choice} if choice else {"message": "/done"})})
    assert last(events, "done")["phase"] == "coaching", events
    one.path = f"{coach.address}conversations/{one.id}"
    one.coach = coach
    return showing(one, one)


def showing(one, other):
    """Lets another page open the same conversation."""
    other.page.add_init_script(f"localStorage.setItem('rapport.conversation', '{one.id}')")
    return other


def weeks_of_training(one, weeks=8):
    """A log that fills every plot, and stops growing at the end."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    for week in range(weeks):
        day = today - datetime.timedelta(days=7 * (weeks - 1 - week))
        load = min(60 + 2.5 * week, 72.5)
        for words, back in [
            (f"did 3x5 squats at {load} kg", 0), (f"ran 5k in {33 - week * 0.4:.0f} min", 2),
            (f"weighed {84.5 - week * 0.4:.1f} kg", 1),
        ]:
            date = str(day - datetime.timedelta(days=back))
            answer = one.page.request.post(f"{one.path}/log", data={"words": words, "date": date})
            assert answer.status == 201, answer.text()


def cards(page):
    return page.locator("#cards-body")


def test_cards_show_what_the_log_adds_up_to(start_coach, visit):
    one = coached(start_coach, visit)
    weeks_of_training(one)
    for width, scheme in [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")]:
        view = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme}
        page = showing(one, visit(one.coach, **view)).open().page
        if width < 1024:
            page.get_by_role("button", name="Show your progress").click()
        for name in ["volume", "pace", "weight", "adherence"]:
            expect(cards(page).locator(f'[data-card="{name}"] svg.plot')).to_be_visible()
        expect(cards(page).get_by_text("No gain over the last three comparable sessions")).to_be_visible()
        expect(cards(page).locator('[data-card="weight"] .trend')).to_have_count(1)
        # The figures behind a plot, as a table.
        volume = cards(page).locator('[data-card="volume"]')
        volume.get_by_text("The figures").click()
        expect(volume.get_by_role("row").nth(8)).to_be_visible()
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        shoot(page, f"cards-{width}-{scheme}")
        scroller = page.locator("#cards" if width >= 1024 else "#cards-sheet")
        for part in range(1, 4):
            scroller.evaluate("(box, part) => box.scrollTo(0, part * 760)", part)
            shoot(page, f"cards-{width}-{scheme}-{part}")


def test_what_is_noted_can_be_corrected_in_its_line(start_coach, visit):
    one = coached(start_coach, visit, viewport={"width": 1280, "height": 844}).open()
    page = one.page
    one.rests()
    for text in ["it adds up here", "Sets with a load", "A distance with its time", "Your weight fills this",
                 "once you've activated one", "Nothing is noted yet"]:
        expect(cards(page).get_by_text(text)).to_be_visible()
    shoot(page, "cards-1280-empty")
    # Heavy squats don't go with the bad knee that was told of, so the coach asks about it.
    one.say("did 3x5 squats at 60 kg, felt easy", answers=2)
    expect(page.get_by_role("button", name="Yes, please")).to_be_visible()
    line = page.locator(".notice", has_text="Noted: squats 3×5 at 60 kg, felt easy")
    expect(line).to_be_visible()
    expect(cards(page).locator('[data-card="week"]')).to_contain_text("900 kg lifted")
    line.get_by_role("button", name="Correct").press("Enter")
    field = page.locator(".notice").get_by_label(re.compile("Correct: squats"))
    expect(field).to_be_focused()
    expect(field).to_have_value("squats 3×5 at 60 kg, felt easy")
    shoot(page, "cards-1280-correcting")
    field.fill("what a day")
    field.press("Enter")
    expect(page.locator(".notice").get_by_role("alert")).to_contain_text("squats 3x5 60kg")
    field.fill("squats 3x5 at 65 kg")
    field.press("Enter")
    expect(page.locator(".notice", has_text="Noted: squats 3×5 at 65 kg")).to_be_visible()
    expect(cards(page).locator('[data-card="week"]')).to_contain_text("975 kg lifted")
    assert serious(page) == []


def test_the_log_is_kept_in_its_card_by_keyboard(start_coach, visit):
    one = coached(start_coach, visit, viewport={"width": 320, "height": 640}).open()
    page = one.page
    one.rests()
    page.get_by_role("button", name="Show your progress").press("Enter")
    log = cards(page).locator('[data-card="log"]')
    expect(log.get_by_label("What you did")).to_have_attribute("placeholder", "3x5 squats at 60 kg")
    log.get_by_label("What you did").fill("ran 5k in 31 min")
    log.get_by_label("What you did").press("Enter")
    expect(log.locator("li")).to_contain_text("Run 5 km in 31 min (6:12 min/km)")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # In the person's units, which stay with them.
    cards(page).get_by_role("button", name="lb, mi").click()
    expect(log.locator("li")).to_contain_text("mi in 31 min")
    # Examples are in these units, too.
    expect(log.get_by_label("What you did")).to_have_attribute("placeholder", "3x5 squats at 135 lb")
    expect(cards(page).get_by_text("weighed 176.8 lb")).to_be_visible()
    log.get_by_role("button", name="Correct").press("Enter")
    expect(log.get_by_label(re.compile("Correct: run"))).to_be_focused()
    log.get_by_role("button", name="Remove").press("Enter")
    expect(log.get_by_text("Nothing is noted yet")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#cards-sheet")).to_be_hidden()
    expect(page.get_by_role("button", name="Show your progress")).to_be_focused()


def test_a_look_back_is_proposed_and_answered(start_coach, visit):
    one = coached(start_coach, visit, viewport={"width": 1280, "height": 844}, locale="de-DE")
    page = one.page
    weeks_of_training(one)
    one.open()
    one.rests()
    review = cards(page).locator('[data-card="review"]')
    review.get_by_role("button", name="Jetzt zurückblicken").click()
    expect(page.locator(".message.coach").last).to_contain_text("Here's where you stand.")
    # The coach's own words are in the language that the person writes in.
    change = page.get_by_role("button", name="I'd like it another way")
    change.click()
    expect(page.locator("#words")).to_be_focused()
    expect(change).to_have_count(0)
    page.reload()
    one.rests()
    shoot(page, "cards-1280-proposal")
    page.get_by_role("button", name="Yes, let's do that").click()
    one.rests()
    expect(page.locator(".notice", has_text="Agreed, and noted.")).to_be_visible()
    expect(cards(page).locator('[data-card="volume"]')).to_contain_text("Sätze × Wiederholungen × Gewicht")


def test_a_turn_fetches_only_what_it_changes(start_coach, visit):
    one = coached(start_coach, visit, viewport={"width": 1280, "height": 844})
    page, asked = one.page, []
    page.on("request", lambda request: asked.append(request.url.removeprefix(one.path + "/").split("?")[0])
            if request.method == "GET" and request.url.startswith(one.path) else None)

    def fetched():
        cards = sorted(name for name in asked if name in ("progress", "goals", "review", "program", "log"))
        asked.clear()
        return cards

    one.open()
    one.rests()
    expect(cards(page).locator('[data-card="log"]')).to_be_visible()
    assert fetched() == ["goals", "log", "program", "progress", "review"]
    one.say("good morning to you")
    assert fetched() == []
    one.say("weighed 84.5 kg")
    expect(cards(page).locator('[data-card="log"] li')).to_contain_text("84.5 kg")
    assert fetched() == ["log", "progress"]
    # The coach then asks about the bad knee, if its questions led to hearing of it.
    limits = page.request.get(f"{one.path}/goals").json()["limits"]
    asks = any("knee" in json.dumps(limit) for limit in limits)
    one.say("ran 5k in 31 min", answers=2 if asks else 1)
    expect(cards(page).locator('[data-card="week"]')).to_contain_text("5 km")
    assert fetched() == (["goals", "log", "progress", "review"] if asks else ["log", "progress"])
