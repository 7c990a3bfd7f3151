"""The journeys in a real browser: every screen is read from the server and answered on the page, so a
new journey needs no new test."""

import os

import pytest
from conftest import Coach, copy_store, expect_soon
from playwright.sync_api import expect
from test_page import INJECTIONS, serious, shoot
from walking import Road, Walk, is_talk, shown

EVERY = "EVERY_SCREENSHOT" in os.environ
SKIPPED = {"assessmentPrompt": "skip"}
JOURNEYS = [("discovery", "fitness"), ("trainer", "fitness"), ("trainer-structured", "fitness"),
            ("matador", "nutrition")]


@pytest.fixture
def walk(browser_context):
    def walk(coach, name, at=None, choices=None, **options):
        """`at`: the step that the page begins at."""
        if at:
            Road(coach, name, is_new=False).reach(at, choices)
        one = Walk(browser_context(**options).new_page(), coach.address)
        one.begin_journey(name)
        return one

    return walk


@pytest.fixture(scope="session")
def talked(tmp_path_factory):
    """A store with a trainer's journey whose conversation is over, which takes seconds."""
    coach = Coach(tmp_path_factory.mktemp("talked"), rehearsal=True, arguments=["--prompts", "fitness"])
    Road(coach, "trainer").reach("assessmentPrompt")
    coach.stop()
    return coach.store


@pytest.fixture
def after_talk(talked, start_coach, tmp_path):
    """A server with a copy of it."""
    store = copy_store(talked, tmp_path / "talked.db")
    return start_coach(rehearsal=True, arguments=["--prompts", "fitness"], store=store)


@pytest.fixture
def start_pack(start_coach):
    return lambda pack: start_coach(rehearsal=True, arguments=["--prompts", pack])


# MARK: The whole way

@pytest.mark.parametrize("name, pack", JOURNEYS)
def test_each_journeys_whole_way_with_back_reload_and_tip_at_every_step(start_pack, walk, name, pack):
    one = walk(start_pack(pack), name)
    done, checked = set(), set()

    def look(screen):
        fits(one.page)
        kind = (screen["kind"], screen.get("input", {}).get("kind"))
        if kind not in checked or EVERY:
            picture(one.page, f"{name}-{len(done):02}-{screen.get('step', screen['kind'])}")
        if kind not in checked:
            checked.add(kind)
            for scheme in ("dark", "light"):
                one.page.emulate_media(color_scheme=scheme)
                assert serious(one.page) == [], screen["kind"]

    def probe(screen):
        step = screen.get("step")
        if step in done:
            return None
        done.add(step)
        look(screen)
        one.page.reload()
        again = one.settled()
        assert {**again, "at": None} == {**screen, "at": None}
        if screen.get("hasInfo") and not is_talk(screen):
            one.page.locator("#step-info").click()
            expect(one.page.locator("#step-tip")).to_be_visible()
            assert shown(one.page.locator("#step-tip").inner_text()) == shown(one.screen()["info"])
            one.page.locator("#step-info").click()
            expect(one.page.locator("#step-tip")).to_be_hidden()
        if screen["back"] == "none":
            assert not one.page.locator("#step-back").is_visible()
            return None
        after = one.back(screen)
        if screen["back"] == "asks":
            assert after["kind"] == "confirmation"
            one.press(option="no")
            again = one.after(after)
            assert again["step"] == step
            after = one.back(again)
            one.press(option="yes")
            after = one.after(after)
        assert after["step"] != step
        return after

    end = one.reach(at_each=probe, choices={"assessmentPrompt": "now"})
    assert end["kind"] == "end"
    assert done <= set(one.seen)
    look(end)
    expect(one.page.get_by_role("button", name="Talk with your coach")).to_be_visible()
    if name == "trainer":
        assert {"ready", "pushups", "squat", "plank", "pulse", "bend"} <= done


def fits(page):
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 390, "height": 780})


def picture(page, name):
    """At both widths and in both schemes if every one is asked for, since they take a while."""
    for width in (390, 1280) if EVERY else (390,):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark") if EVERY else ("light",):
            page.emulate_media(color_scheme=scheme)
            shoot(page, f"journey-{name}-{width}-{scheme}")


# MARK: Both ways of every choice

def test_the_assessment_can_be_skipped(after_talk, walk):
    one = walk(after_talk, "trainer", at="assessmentPrompt")
    screen = one.settled()
    one.press(option="skip")
    assert one.after(screen)["step"] == "firstName"


def test_starting_over_asks_first_and_drops_the_answers(start_pack, walk):
    one = walk(start_pack("fitness"), "trainer-structured", at="complete")
    screen = one.settled()
    again = next(option["id"] for option in screen["options"] if option["id"] != "create")
    one.press(option=again)
    asked = one.after(screen)
    assert asked["kind"] == "confirmation"
    one.press(option="no")
    assert one.after(asked)["step"] == "complete"
    screen = one.screen()
    one.press(option=again)
    asked = one.after(screen)
    one.press(option="yes")
    first = one.after(asked)
    assert first["step"] == "name" and "value" not in first["input"]


@pytest.mark.parametrize("goal, calories", [
    ("loseWeight", 1800), ("maintainWeight", 2000), ("gainMuscle", 2000)])
def test_each_goal_has_its_calories(start_pack, walk, goal, calories):
    one = walk(start_pack("nutrition"), "matador")
    screen = one.reach("calories", {"goal": goal})
    assert screen["input"]["value"] == calories
    expect(one.page.locator("#step input")).to_have_value(str(calories))
    expect(one.page.get_by_text("Step 2 of 5")).to_be_visible()


SPEECH = """globalThis.SpeechRecognition = class {
  static async available() { return "available"; }
  start() {} stop() { this.onend?.(); }
};"""


@pytest.mark.parametrize("grants, option, next_step", [
    (True, "allow", "intake"), (False, "allow", "intake"), (True, "decline", "intake")])
def test_both_ways_of_a_permission(start_pack, browser_context, grants, option, next_step):
    context = browser_context()
    context.add_init_script(SPEECH)
    context.add_init_script(f"if (navigator.mediaDevices) navigator.mediaDevices.getUserMedia = async () => {{ "
                            f"if (!{str(grants).lower()}) throw new Error('no'); "
                            "return {getTracks: () => []}; };")
    one = Walk(context.new_page(), start_pack("fitness").address)
    one.begin_journey("trainer", "?can=microphone")
    before = one.reach("voice")
    expect(one.page.get_by_role("button", name="Enable Voice")).to_be_visible()
    with one.page.expect_request(lambda request: request.method == "POST") as sent:
        one.press(option=option)
    granted = grants and option == "allow"
    assert sent.value.post_data_json["answer"] == ("allow" if granted else "decline")
    assert one.after(before)["step"] == next_step


def test_without_speech_the_page_says_so(start_pack, walk):
    one = walk(start_pack("fitness"), "trainer")
    one.reach("voice")
    expect(one.page.get_by_text("I can't use a microphone here, so we'll type.")).to_be_visible()
    expect(one.page.get_by_role("button", name="Enable Voice")).to_have_count(0)


# MARK: Fields

def test_a_stepper_by_button_key_and_typing(start_pack, walk):
    one = walk(start_pack("fitness"), "trainer-structured", at="height")
    page = one.page
    line = page.get_by_role("spinbutton")
    expect(line).to_have_value("5'7\"")
    page.get_by_role("button", name="More").click()
    expect(line).to_have_value("5'8\"")
    line.press("ArrowDown")
    line.press("ArrowDown")
    expect(line).to_have_value("5'6\"")
    before = one.screen()
    page.get_by_role("button", name="cm and kg").click()
    one.after(before)
    expect(page.get_by_role("spinbutton")).to_have_value("170 cm")
    page.get_by_role("spinbutton").fill("181")
    before = one.screen()
    one.press()
    one.after(before)
    before = one.screen()
    page.locator("#step-back").click()
    assert one.after(before)["input"]["value"] == 181


def test_a_number_out_of_range_and_a_window_across_midnight(start_pack, walk):
    one = walk(start_pack("nutrition"), "matador")
    page = one.page
    one.reach("calories")
    page.locator("#step input").fill("900")
    one.press()
    expect(page.get_by_role("alert")).to_have_text("Calorie target must be at least 1000")
    assert one.screen()["step"] == "calories"
    page.locator("#step input").fill("1,950")
    before = one.screen()
    one.press()
    one.after(before)
    expect(page.locator(".length")).to_have_text("8 hours")
    page.get_by_label("From").fill("20:30")
    page.get_by_label("Until").fill("04:00")
    expect(page.locator(".length")).to_have_text("7 hours 30 minutes")
    reveal = one.reach("reveal")
    values = {row["label"]: row["value"] for row in reveal["rows"]}
    assert values["Daily target"] == "1950 kcal"
    assert "20:30 to 04:00" in values["Eating window"]
    expect(page.locator(".flame")).to_be_visible()


def test_a_pill_fills_the_line_and_a_draft_survives_a_reload(start_pack, walk):
    one = walk(start_pack("fitness"), "trainer-structured", at="goals")
    page = one.page
    screen = one.settled()
    page.get_by_role("button", name=screen["input"]["pills"][0]).click()
    area = page.locator("#step textarea")
    expect(area).to_have_value(screen["input"]["pills"][0])
    area.press_sequentially(" by June")
    page.reload()
    expect(area).to_have_value(screen["input"]["pills"][0] + " by June")
    one.press()
    assert one.after(screen)["step"] != "goals"


def test_a_tip_closes_three_ways_and_keeps_what_is_typed(start_pack, walk):
    one = walk(start_pack("nutrition"), "matador")
    page = one.page
    one.reach("calories")
    page.locator("#step input").fill("1700")
    tip, button = page.locator("#step-tip"), page.locator("#step-info")
    for close in (button.click, lambda: page.keyboard.press("Escape"),
                  lambda: page.locator("#step-title").click()):
        button.click()
        expect(tip).to_contain_text("feeding days")
        expect(button).to_have_attribute("aria-expanded", "true")
        close()
        expect(tip).to_be_hidden()
        expect(button).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#step input")).to_have_value("1700")


def test_the_flame_stands_still_for_less_motion(start_pack, walk):
    coach = start_pack("nutrition")
    for motion, count in (("no-preference", "infinite"), ("reduce", "1")):
        one = walk(coach, "matador", at="reveal", reduced_motion=motion)
        expect(one.page.locator(".flame")).to_be_visible()
        assert one.page.locator(".flame").evaluate(
            "(flame) => getComputedStyle(flame).animationIterationCount") == count


def test_the_segments_fill_in_proportion(start_pack, walk):
    one = walk(start_pack("fitness"), "trainer-structured", at="gender")
    screen = one.settled()
    bars = one.page.locator(".segments .segment")
    expect(bars).to_have_count(10)
    widths = bars.evaluate_all("(bars) => bars.map((bar) => bar.firstChild.style.width)")
    assert widths == [f"{round(segment['fill'] * 100)}%" for segment in screen["segments"]]
    assert widths[0] == "67%" and set(widths[1:]) == {"0%"}
    expect(one.page.get_by_role("img", name="ABOUT YOU: section 1 of 10, 67% done")).to_be_visible()
    expect(one.page.locator(".section")).to_have_text("ABOUT YOU")


def test_injected_markup_is_text_in_every_field(start_pack, walk):
    one = walk(start_pack("fitness"), "trainer-structured")
    page = one.page
    count = "document.querySelectorAll('script, img, iframe, object, embed, style, base').length"
    elements = page.evaluate(count)

    def probe(screen):
        kind = screen.get("input", {}).get("kind")
        if kind == "text":
            page.locator("#step input").fill("<img src=x onerror=window.hurt=1>")
        elif kind == "open":
            page.locator("#step textarea").fill("\n".join(INJECTIONS))
        else:
            assert page.evaluate("window.hurt") is None
            assert page.evaluate(count) == elements
            return None
        one.press()
        return one.after(screen)

    one.reach("complete", at_each=probe)
    expect(page.locator("#step-title")).to_contain_text("<img src=x onerror=window.hurt=1>")
    assert page.evaluate("window.hurt") is None and page.evaluate(count) == elements


# MARK: The rest

def test_the_welcome_comes_word_by_word_or_at_once(start_pack, browser_context):
    coach = start_pack("fitness")
    moving = Walk(browser_context(reduced_motion="no-preference").new_page(), coach.address)
    moving.begin_journey("trainer")
    begin = moving.page.get_by_role("button", name="Begin Your Journey")
    assert moving.page.locator(".word").count() > 20
    expect(begin).to_be_hidden()
    moving.page.keyboard.press("Space")
    expect(begin).to_be_visible()
    expect(begin).to_be_focused()
    still = Walk(browser_context().new_page(), coach.address)
    still.begin_journey("trainer")
    expect(still.page.get_by_role("button", name="Begin Your Journey")).to_be_visible()
    assert still.page.locator(".word").count() == 0


@pytest.mark.parametrize("motion, pieces", [("no-preference", 1), ("reduce", 0)])
def test_confetti_only_where_motion_is_welcome(after_talk, walk, motion, pieces):
    one = walk(after_talk, "trainer", at="success", choices=SKIPPED, reduced_motion=motion)
    assert one.settled()["confetti"]
    expect(one.page.locator("#step-title")).to_contain_text("Kim")
    expect(one.page.locator(".confetti")).to_have_count(pieces)


def test_the_tour_points_at_four_parts_and_is_skippable(after_talk, walk):
    coach = after_talk
    Road(coach, "trainer", is_new=False).reach("tour", SKIPPED)
    one = walk(coach, "trainer")
    page, tour = one.page, one.screen()
    for width, height in ((390, 780), (320, 568), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        one.settled()
        for place, tip in enumerate(tour["tips"]):
            expect(page.locator(".tip-words")).to_have_text(tip["value"])
            expect(page.get_by_text(f"{place + 1} of 4")).to_be_visible()
            # An icon that is lit has its name beside the words.
            icon = page.locator("#open-cards[data-lit]")
            if icon.count():
                expect(page.locator(".tip-icon")).to_have_text(icon.get_attribute("aria-label"))
            else:
                expect(page.locator(".tip-icon")).to_be_hidden()
            assert page.locator("#announcer").text_content() == ""
            # The last one is only ended.
            expect(page.get_by_role("button", name="Skip", exact=True)).to_be_visible(visible=place < 3)
            lit = page.locator(f"#conversation [data-lit={tip['label']}], #cards [data-lit={tip['label']}]")
            expect(lit).to_be_visible()
            expect(page.locator(f"[data-lit={tip['label']}]")).to_have_count(1)
            # The part moves as the view is drawn, and the light with it.
            expect_soon(lambda: page.evaluate(POINTS_AT, tip["label"]))
            if place < 3:
                page.get_by_role("button", name="Next", exact=True).click()
    assert serious(page) == []
    page.reload()
    one.settled()
    # Skipping ends it at any tip, not only at the first.
    for _ in range(2):
        page.get_by_role("button", name="Next", exact=True).click()
    one.press(option="skip")
    assert one.after(tour)["kind"] == "end"
    expect(page.locator("[data-lit]")).to_have_count(0)
    with page.expect_response(lambda one: one.url.endswith("/stream")):
        page.get_by_role("button", name="Talk with your coach").click()
    # The coach's words are stored, so the journey's place moves with them.
    one.rests()
    # Once: the journey that is begun again later is at its end.
    one.begin_journey("trainer")
    assert one.settled()["kind"] == "end"


# Whether the light is around the part and both are on the screen, and the tip's words too.
POINTS_AT = """(name) => {
  const [part, spot, bubble] = [`[data-lit=${name}]`, ".spot", ".tip-bubble"].map(
    (one) => document.querySelector(one)?.getBoundingClientRect());
  const isSeen = (one) => one.left >= 0 && one.right <= innerWidth && one.top >= 0 && one.bottom <= innerHeight;
  return Boolean(part) && spot.left <= part.left && part.right <= spot.right
    && spot.top <= part.top && part.bottom <= spot.bottom && isSeen(part) && isSeen(bubble);
}"""


def test_a_week_of_visits(after_talk, walk):
    """What was skipped is asked again when it's due: later, then no more."""
    coach = after_talk
    one = walk(coach, "trainer", at="assessmentPrompt")
    page, before = one.page, one.settled()
    one.press(option="skip")
    one.after(before)
    Road(coach, "trainer", begun=one.id).reach()

    def visit_on(day):
        coach.restart("--days-ahead", str(day))
        page.reload()

    def is_away():
        expect(page.locator("#words")).to_be_editable()
        expect(page.locator("#journey")).to_be_hidden()

    visit_on(6)
    is_away()
    visit_on(8)
    reminder = one.settled()
    assert reminder["kind"] == "reminder" and reminder["step"] == "assessmentPrompt"
    assert [option["id"] for option in reminder["options"]] == ["now", "later", "never"]
    assert serious(page) == []
    picture(page, "reminder")
    one.press(option="later")
    one.after(reminder)
    visit_on(10)
    is_away()
    visit_on(12)
    reminder = one.settled()
    assert reminder["kind"] == "reminder"
    one.press(option="now")
    assert one.after(reminder)["step"] == "ready"


def test_no_more_reminders(after_talk, walk):
    coach = after_talk
    Road(coach, "trainer", is_new=False).reach(choices=SKIPPED)
    coach.restart("--days-ahead", "8")
    one = walk(coach, "trainer")
    reminder = one.settled()
    one.press(option="never")
    one.after(reminder)
    coach.restart("--days-ahead", "40")
    one.page.reload()
    expect(one.page.locator("#words")).to_be_editable()
    expect(one.page.locator("#journey")).to_be_hidden()


def test_matador_by_keyboard_alone(start_pack, walk):
    one = walk(start_pack("nutrition"), "matador")
    page = one.page
    screen = one.settled()
    while screen["kind"] != "end":
        for _ in range(30):
            if page.evaluate("""() => document.activeElement.closest('#step')
                && document.activeElement.matches('.card, button.primary, input[type=text]')"""):
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        screen = one.after(screen)
    assert one.seen[-1] == "end"


def test_an_answer_waits_for_the_connection_and_counts_once(start_pack, walk):
    one = walk(start_pack("fitness"), "trainer-structured", at="name")
    page = one.page
    before = one.settled()
    page.locator("#step input").fill("Kim")
    page.context.set_offline(True)
    one.press()
    expect(page.locator("#journey-status")).to_contain_text("saved")
    page.context.set_offline(False)
    assert one.after(before)["step"] == "age"


def test_two_tabs_show_the_same_step(start_pack, walk):
    one = walk(start_pack("nutrition"), "matador")
    other = Walk(one.page.context.new_page(), one.address)
    other.page.goto(one.address)
    other.id = one.id
    assert other.settled()["step"] == "goal"
    one.reach("calories")
    assert other.settled()["step"] == "calories"


def test_journeys_are_offered_and_resumed(start_pack, visit):
    one = visit(start_pack("fitness")).open()
    page = one.page
    expect(page.locator("#ways").get_by_role("button")).to_have_count(3)
    page.locator("[data-journey=trainer]:visible").click()
    expect(page.locator("#step-title")).to_have_text("I'm your trainer.")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Start a new conversation").click()
    resume = page.locator("#ways [data-journey=trainer]")
    expect(resume).to_contain_text("Resume")
    resume.click()
    expect(page.locator("#step-title")).to_have_text("I'm your trainer.")


@pytest.mark.parametrize("locale, back, length", [("es-ES", "Atrás", "8 horas"), ("de-DE", "Zurück", "8 Stunden")])
def test_the_pages_own_words_follow_the_language(start_pack, walk, locale, back, length):
    one = walk(start_pack("nutrition"), "matador", locale=locale)
    one.reach("window")
    expect(one.page.get_by_role("button", name=back)).to_be_visible()
    expect(one.page.locator(".length")).to_have_text(length)


def test_the_page_allows_no_inline_code(start_pack, walk):
    one = walk(start_pack("nutrition"), "matador")
    policy = one.page.request.get(one.address).headers["content-security-policy"]
    assert "unsafe" not in policy and "script-src 'self'" in policy
    assert one.page.locator("[style]:not(:is(.segment i, .word, textarea))").count() == 0
