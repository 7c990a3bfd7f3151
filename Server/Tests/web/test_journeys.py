"""The journeys in a real browser: every screen is read from the server and answered on the page, so a
new journey needs no new test."""

import os

import pytest
from conftest import LINES, Page
from playwright.sync_api import expect
from test_page import INJECTIONS, serious, shoot
from walking import ENOUGH, Road

JOURNEYS = [("discovery", "fitness"), ("trainer", "fitness"), ("trainer-structured", "fitness"),
            ("matador", "nutrition")]


class Walk(Page):
    """Somebody who walks through a journey on the page."""

    def __init__(self, page, address):
        super().__init__(page, address)
        self.id, self.seen, self.said = None, [], 0

    def begin_journey(self, name, query=""):
        with self.page.expect_response(lambda one: one.url.endswith(f"/journeys/{name}{query}")) as got:
            self.page.goto(f"{self.address}?journey={name}")
        self.id = got.value.json()["conversation_id"]
        return self.settled()

    def screen(self):
        """What the server shows now."""
        return self.page.evaluate(
            "(id) => fetch(`/conversations/${id}/journey`).then((one) => one.json())", self.id)["screen"]

    def settled(self):
        """Waits until the page shows what the server does, and returns it."""
        for _ in range(200):
            screen = self.screen()
            if not screen.get("busy") and self.shows(screen):
                self.seen.append(screen.get("step", screen["kind"]))
                return screen
            self.page.wait_for_timeout(50)
        raise AssertionError(f"the page doesn't show {screen}")

    def shows(self, screen):
        if is_talk(screen):
            return self.page.locator("#conversation").is_visible()
        title = self.page.locator("#step-title")
        return title.is_visible() and title.inner_text().strip() == shown(screen["title"]) \
            and self.page.locator("#step").get_attribute("data-kind") == screen["kind"] \
            and self.page.locator("#step").get_attribute("inert") is None

    def press(self, name=None, option=None):
        where = self.page.locator("#step")
        if option:
            where.locator(f"[data-option='{option}']").click()
        elif name:
            where.get_by_role("button", name=name, exact=True).click()
        else:
            where.locator("button[type=submit].primary").click()

    def answer(self, screen, choices=None):
        """Does what leads on from a screen."""
        chosen = (choices or {}).get(screen.get("step"))
        kind = screen.get("input", {}).get("kind")
        if is_talk(screen):
            return self.talk()
        if screen["kind"] == "tour":
            for _ in screen["tips"]:
                self.page.locator(".tip-bubble .primary").click()
        elif kind == "text":
            self.page.locator("#step input").fill(chosen or "Kim")
            self.press()
        elif kind == "open":
            self.page.locator("#step textarea").fill(chosen or "Not much, three times a week")
            self.press()
        elif kind == "number":
            if chosen or "value" not in screen["input"]:
                self.page.locator("#step input").fill(str(chosen or 60))
            self.press()
        elif kind == "edit":
            self.press(option=chosen or "approve")
        elif screen.get("options") and (chosen or kind == "select" or "button" not in screen):
            self.press(option=chosen or screen["options"][0]["id"])
        else:
            self.press()
        return self.after(screen)

    def after(self, before):
        """The next screen, once it's there."""
        for _ in range(200):
            screen = self.screen()
            if screen["at"] != before["at"] and not screen.get("busy") and self.shows(screen):
                self.seen.append(screen.get("step", screen["kind"]))
                return screen
            self.page.wait_for_timeout(50)
        raise AssertionError(f"nothing follows {before}: the server shows {self.screen()}")

    def talk(self):
        """Talks until the journey's next screen."""
        for _ in range(14):
            self.rests()
            self.page.wait_for_timeout(100)
            screen = self.screen()
            if not is_talk(screen):
                return self.settled()
            if self.page.locator("#paywall").is_visible():
                self.page.locator("#subscribe").click()
            elif self.page.locator("#after button").count():
                self.page.locator("#after button").first.click()
            else:
                self.page.locator("#words").fill(ENOUGH[self.said % len(ENOUGH)])
                self.said += 1
                self.page.locator("#words").press("Enter")
        raise AssertionError("the conversation doesn't end")

    def reach(self, target=None, choices=None, at_each=None):
        screen = self.settled()
        for _ in range(90):
            if screen["kind"] == "end" or (target and screen.get("step") == target):
                return screen
            if at_each:
                screen = at_each(screen) or screen
            screen = self.answer(screen, choices)
        raise AssertionError(f"never reached {target}; seen {self.seen}")


def is_talk(screen):
    return screen.get("input", {}).get("kind") == "message"


def shown(text):
    return " ".join(text.split())


@pytest.fixture
def walk(browser_context):
    def walk(coach, name, **options):
        one = Walk(browser_context(**options).new_page(), coach.address)
        one.begin_journey(name)
        return one

    return walk


@pytest.fixture
def start_pack(start_coach):
    return lambda pack: start_coach(rehearsal=True, arguments=["--prompts", pack])


# MARK: The whole way

@pytest.mark.parametrize("name, pack", JOURNEYS)
def test_each_journeys_whole_way(start_pack, walk, name, pack):
    one = walk(start_pack(pack), name)
    checked = set()

    def look(screen):
        fits(one.page)
        picture(one.page, f"{name}-{len(one.seen):02}-{screen.get('step', screen['kind'])}")
        if screen["kind"] not in checked:
            checked.add(screen["kind"])
            for scheme in ("light", "dark"):
                one.page.emulate_media(color_scheme=scheme)
                assert serious(one.page) == [], screen["kind"]

    end = one.reach(at_each=look)
    assert end["kind"] == "end"
    look(end)
    expect(one.page.get_by_role("button", name="Talk with your coach")).to_be_visible()


def fits(page):
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 390, "height": 780})


def picture(page, name):
    """At both widths, in both schemes; all of them only if asked for, since they take a while."""
    every = "EVERY_SCREENSHOT" in os.environ
    for width in (390, 1280) if every else (390,):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark") if every else ("light",):
            page.emulate_media(color_scheme=scheme)
            shoot(page, f"journey-{name}-{width}-{scheme}")


# MARK: Back, reload and tips

@pytest.mark.parametrize("name, pack", JOURNEYS)
def test_back_and_reload_at_every_step_and_every_tip(start_pack, walk, name, pack):
    one = walk(start_pack(pack), name)
    done = set()

    def probe(screen):
        step = screen.get("step")
        if step in done:
            return None
        done.add(step)
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
        before = one.screen()
        one.page.locator("#talk-back" if is_talk(screen) else "#step-back").click()
        after = one.after(before)
        if screen["back"] == "asks":
            assert after["kind"] == "confirmation"
            one.press(option="no")
            assert one.after(after)["step"] == step
            before = one.screen()
            one.page.locator("#talk-back" if is_talk(screen) else "#step-back").click()
            after = one.after(before)
            one.press(option="yes")
            after = one.after(after)
        assert after["step"] != step
        return after

    assert one.reach(at_each=probe, choices={"assessmentPrompt": "now"})["kind"] == "end"
    steps = {row for row in one.seen}
    assert done <= steps


# MARK: Both ways of every choice

@pytest.mark.parametrize("choices, reaches, skips", [
    ({"assessmentPrompt": "now"}, {"ready", "pushups", "squat", "plank", "pulse", "bend"}, set()),
    ({"assessmentPrompt": "skip"}, {"firstName"}, {"ready", "pushups"}),
])
def test_both_ways_of_the_assessment(start_pack, walk, choices, reaches, skips):
    one = walk(start_pack("fitness"), "trainer")
    one.reach("goalReview", choices)
    assert reaches <= set(one.seen) and not skips & set(one.seen)


def test_starting_over_asks_first_and_drops_the_answers(start_pack, walk):
    one = walk(start_pack("fitness"), "trainer-structured")
    one.reach("complete")
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
    one = walk(start_pack("fitness"), "trainer-structured")
    page = one.page
    one.reach("height")
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
    one = walk(start_pack("fitness"), "trainer-structured")
    page = one.page
    screen = one.reach("goals")
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


def test_the_flame_stands_still_for_less_motion(start_pack, browser_context):
    coach = start_pack("fitness")
    for motion, count in (("no-preference", "infinite"), ("reduce", "1")):
        page = browser_context(reduced_motion=motion).new_page()
        show_screen(page, coach.address, {
            "kind": "reveal", "step": "reveal", "title": "You're all set!", "figure": "flame",
            "button": {"label": "Start", "enabled": True}})
        expect(page.locator(".flame")).to_be_visible()
        assert page.locator(".flame").evaluate(
            "(flame) => getComputedStyle(flame).animationIterationCount") == count


def test_the_segments_fill_in_proportion(start_pack, walk):
    one = walk(start_pack("fitness"), "trainer-structured")
    screen = one.reach("gender")
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
def test_confetti_only_where_motion_is_welcome(start_pack, browser_context, motion, pieces):
    page = browser_context(reduced_motion=motion).new_page()
    show_screen(page, start_pack("fitness").address, {
        "kind": "success", "step": "success", "title": "You're all set, Kim!", "confetti": True,
        "rows": [{"label": "First workout", "value": "Monday"}], "button": {"label": "Go", "enabled": True}})
    expect(page.locator("#step-title")).to_have_text("You're all set, Kim!")
    expect(page.locator(".confetti")).to_have_count(pieces)


def show_screen(page, address, screen):
    """Shows a screen that the server would only show days later."""
    whole = {"type": "screen", "journey": "trainer", "back": "none", "at": "9.x", **screen}
    body = {"conversation_id": "someone", "screen": whole}
    page.route("**/journeys/trainer*", lambda route: route.fulfill(json=body))
    page.goto(f"{address}?journey=trainer")


def test_the_tour_points_at_four_parts_and_is_skippable(start_pack, walk):
    coach = start_pack("fitness")
    Road(coach, "trainer").reach("tour", {"assessmentPrompt": "skip"})
    one = walk(coach, "trainer")
    page, tour = one.page, one.screen()
    for width, height in ((390, 780), (320, 568), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        one.settled()
        for place, tip in enumerate(tour["tips"]):
            expect(page.locator(".tip-words")).to_have_text(tip["value"])
            expect(page.get_by_text(f"{place + 1} of 4")).to_be_visible()
            lit = page.locator(f"#conversation [data-lit={tip['label']}], #cards [data-lit={tip['label']}]")
            expect(lit).to_be_visible()
            # The part moves as the view is drawn, and the light with it.
            expect(page.locator(f"[data-lit={tip['label']}]")).to_have_count(1)
            if place < 3:
                page.get_by_role("button", name="Next").click()
    assert serious(page) == []
    page.reload()
    one.settled()
    one.press(option="skip")
    assert one.after(tour)["kind"] == "end"
    expect(page.locator("[data-lit]")).to_have_count(0)
    page.get_by_role("button", name="Talk with your coach").click()
    expect(page.locator("#words")).to_be_editable()
    # Once: the journey that is begun again later is at its end.
    one.begin_journey("trainer")
    assert one.settled()["kind"] == "end"


# Whether the light is around the part, and the words are on the screen.
def test_a_reminder_offers_its_three_ways(start_pack, browser_context):
    page = browser_context().new_page()
    show_screen(page, start_pack("fitness").address, {
        "kind": "reminder", "step": "assessmentPrompt", "title": "Is now a good time?", "options": [
            {"id": "now", "label": "Do it now"}, {"id": "later", "label": "Remind me later"},
            {"id": "never", "label": "I'll skip it"}]})
    for name in ("Do it now", "Remind me later", "I'll skip it"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
    assert serious(page) == []
    with page.expect_request("**/conversations/someone/journey*") as sent:
        page.get_by_role("button", name="Remind me later").click()
    assert sent.value.post_data_json == {"answer": "later", "at": "9.x"}


def test_a_change_is_shown_before_it_is_made(start_pack, browser_context):
    page = browser_context().new_page()
    show_screen(page, start_pack("fitness").address, {
        "kind": "review", "step": "programReview", "title": "Your program", "back": "asks",
        "refusal": "That goes against what you told me: your knee.",
        "document": {"kind": "program", "state": "changing", "source": "template", "request": "add jumps"},
        "diff": [
            {"change": "same", "text": "Tuesday: swim"}, {"change": "removed", "text": "Thursday: 40 min"},
            {"change": "added", "text": "Thursday: 20 min"}],
        "options": [{"id": "apply", "label": "Apply it anyway"}, {"id": "discard", "label": "Leave it as it was"}]})
    expect(page.locator("del")).to_have_text("Thursday: 40 min")
    expect(page.locator("ins")).to_have_text("Thursday: 20 min")
    expect(page.get_by_role("alert")).to_have_text("That goes against what you told me: your knee.")
    expect(page.get_by_text("add jumps")).to_be_visible()
    assert serious(page) == []
    picture(page, "diff")


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
    one = walk(start_pack("fitness"), "trainer-structured")
    page = one.page
    before = one.reach("name")
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
