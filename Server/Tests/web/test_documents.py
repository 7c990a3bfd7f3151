"""A goal and a program that a model drafts, changed in words on the page."""

import pytest
from conftest import Coach, copy_store
from playwright.sync_api import expect
from test_journeys import SKIPPED, picture
from test_page import serious
from walking import Road, Walk


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A store with a conversation that the mock's goal and program rest on."""
    coach = Coach(tmp_path_factory.mktemp("told"))
    Road(coach, "trainer").reach("assessmentPrompt")
    coach.stop()
    return coach.store


@pytest.fixture
def reviewing(told, start_coach, browser_context, tmp_path):
    """Somebody who waits for a draft, which the model writes slowly enough to be seen."""

    def begin(step=None, pace=25):
        coach = start_coach(
            store=copy_store(told, tmp_path / "told.db"),
            mock=["--fault", f"chunks:bytes=160,pace={pace}", "--only", "draft"])
        if step:
            Road(coach, "trainer", is_new=False).reach(step, SKIPPED)
        one = Walk(browser_context().new_page(), coach.address)
        one.begin_journey("trainer")
        return one

    return begin


def asks(one, words):
    """Asks for a change, and returns the screen that shows it."""
    before = one.settled()
    one.page.locator("#step textarea").fill(words)
    one.page.locator("#step .open-field button").click()
    return one.after(before)


def rows(page):
    return [" ".join(text.split()) for text in page.locator("#step .rows dd").all_text_contents()]


def test_a_draft_streams_in_and_is_approved(reviewing):
    one = reviewing(pace=60)
    page, screen = one.page, one.settled()
    one.press(option="skip")
    screen = one.after(screen)
    assert screen["step"] == "firstName"
    page.locator("#step input").fill("Kim")
    one.press()
    draft = one.after(screen)
    assert draft["step"] == "goalDraft" and draft["title"].startswith("Kim")
    assert "Drop about 20 lbs by June" in rows(page)[0]
    assert serious(page) == []
    picture(page, "document-goal")
    one.press()
    one.after(draft)
    # A change is shown before it's made, and one word takes it back.
    change = asks(one, "make it six months")
    assert change["document"]["state"] == "changing"
    expect(page.locator("#step ins").first).to_contain_text("six months")
    expect(page.locator("#step del").first).to_contain_text("June")
    assert serious(page) == []
    picture(page, "document-goal-change")
    one.press(option="apply")
    changed = one.after(change)
    assert "in six months" in " ".join(rows(page))
    undone = asks(one, "undo")
    assert "in six months" not in " ".join(rows(page)), undone
    page.evaluate("""() => {
      window.counts = new Set();
      new MutationObserver(() => {
        const step = document.getElementById("step");
        if ("busy" in step.dataset) window.counts.add(step.querySelectorAll(".rows dd").length);
      }).observe(document.getElementById("step"), { childList: true, subtree: true });
    }""")
    one.press(option="approve")
    program = one.after(undone)
    assert program["step"] == "programDraft"
    page.wait_for_function("!('busy' in document.getElementById('step').dataset)")
    assert page.evaluate("window.counts.size") >= 3, "the program came all at once"
    assert changed["step"] == undone["step"] == "goalReview"


def test_a_program_is_changed_refused_and_activated(reviewing):
    one = reviewing("programReview")
    page, screen = one.page, one.settled()
    was = rows(page)
    # Shorter: shown, then left as it was.
    change = asks(one, "make Thursday shorter")
    expect(page.locator("#step del").first).to_contain_text("30")
    expect(page.locator("#step ins").first).to_be_visible()
    picture(page, "document-shorter")
    one.press(option="discard")
    kept = one.after(change)
    assert rows(page) == was
    # Applied, reloaded, undone.
    change = asks(one, "make Thursday shorter")
    page.reload()
    assert one.settled()["document"]["state"] == "changing"
    expect(page.locator("#step ins").first).to_be_visible()
    one.press(option="apply")
    one.after(change)
    assert rows(page) != was
    page.reload()
    one.settled()
    asks(one, "undo")
    assert rows(page) == was
    # What goes against a limit is refused until it's confirmed.
    refused = asks(one, "add a run on Saturday")
    assert refused["refusal"]
    expect(page.get_by_role("alert")).to_contain_text("knee")
    assert serious(page) == []
    picture(page, "document-refused")
    one.press(option="discard")
    one.after(refused)
    assert rows(page) == was
    refused = asks(one, "add a run on Saturday")
    one.press(option="apply")
    confirmed = one.after(refused)
    expect(page.locator("#step")).to_contain_text("Easy run")
    one.press(option="approve")
    assert one.after(confirmed)["step"] == "notifications"
    assert screen["step"] == kept["step"] == "programReview"
    program = page.request.get(f"{one.address}conversations/{one.id}/program?span=all").json()
    assert "Run" in [session["title"] for session in program["sessions"]], program
