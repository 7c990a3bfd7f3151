"""`rapport program --ics` read by the icalendar library: a journey's program becomes a calendar that other
programs open, with its time zone and its reminders, whatever a model calls its sessions.

    test_calendar.py RAPPORT
"""

import json
import os
import subprocess
import sys
import tempfile
from datetime import date, datetime, timedelta

import icalendar

from suite import run, test

RAPPORT = os.path.abspath(sys.argv[1])
ANSWERS = [
    True, "local", "decline",
    "I want to lose 10 kg by June so I can keep up with my kids.",
    "My knee hurts when I squat, and after work I'm too tired to start.",
    "I like swimming and hate running. I have dumbbells at home.",
    "I could train Tuesday and Thursday evenings. I work nine to five.",
    "I'm 180 cm and 92 kg, and I walk about 5,000 steps a day.",
] + ["I'd rather not say."] * 12


COACH = os.path.join(
    os.path.dirname(__file__), "../../Sources/MockServer/Resources/coach.json")
HOSTILE = [
    "Legs, arms; and \\back\\, 100%:\"quoted\"",
    "BEGIN:VEVENT END:VCALENDAR DTSTART:19700101",
    "Kräftigung für Füße 🏋️‍♀️🏋️‍♀️ " + "überlang " * 20,
    "\u202eevil\u202c =2+5+cmd|' /C calc'!A0",
]


def start(home, answers, *model):
    lines = "".join(json.dumps({"answer": answer}) + "\n" for answer in answers)
    result = subprocess.run(
        [RAPPORT, "start", "trainer", "--json", "--store", f"{home}/s.db", *(model or ["--offline"])],
        input=lines, capture_output=True, text=True, env={**os.environ, "HOME": home,
        "TZ": "Europe/Berlin"}, check=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def next_answer(screen):
    """What leads on from a screen."""
    options = [option["id"] for option in screen.get("options", [])]
    for wanted in ("approve", "skip", "decline", "local"):
        if wanted in options:
            return wanted
    if screen["kind"] == "text":
        return "Sam"
    return options[0] if options and not screen.get("button") else True


def finished(home, *model):
    """Walks a journey to its end."""
    screens = start(home, ANSWERS, *model)
    for _ in range(40):
        last = [line for line in screens if line["type"] == "screen"][-1]
        if last["kind"] == "end":
            return
        screens = start(home, [next_answer(last)], *model)
    raise AssertionError(last)


def exported(home):
    path = f"{home}/workouts.ics"
    subprocess.run(
        [RAPPORT, "program", "--ics", path, "--store", f"{home}/s.db"], check=True,
        env={**os.environ, "HOME": home}, capture_output=True)
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    for line in data.split(b"\r\n"):
        assert len(line) <= 75, line
        line.decode()
    calendar = icalendar.Calendar.from_ical(data)
    assert not calendar.errors, calendar.errors
    for event in calendar.walk("VEVENT"):
        assert not event.errors, event.errors
    return calendar.walk("VEVENT")


@test
def a_rehearsed_program_is_a_calendar():
    with tempfile.TemporaryDirectory() as home:
        finished(home)
        events = exported(home)
    assert len(events) == 8, len(events)
    assert len({str(event["UID"]) for event in events}) == 8
    for event in events:
        start_at = event.decoded("DTSTART")
        assert isinstance(start_at, (date, datetime)), start_at
        assert start_at.weekday() in (1, 3), start_at
        alarm, = event.walk("VALARM")
        assert isinstance(alarm.decoded("TRIGGER"), timedelta)
        assert alarm["ACTION"] == "DISPLAY"


def hostile_rules():
    """The built-in coach, with a program whose texts could break a calendar."""
    with open(COACH, encoding="utf-8") as file:
        rules = json.load(file)
    for rule in rules["rules"]:
        program = rule["response"].get("json", {}) if rule.get("purpose") == "draft" else {}
        if "sessions" not in program:
            continue
        program["title"] = HOSTILE[1]
        for session, title in zip(program["sessions"], HOSTILE[::2]):
            session["title"] = title
            for exercise, name in zip(session["exercises"], HOSTILE[1::2]):
                exercise["note"] = name
    return rules


@test
def hostile_names_stay_text_and_a_second_export_updates():
    with tempfile.TemporaryDirectory() as home:
        with open(f"{home}/rules.json", "w", encoding="utf-8") as file:
            json.dump(hostile_rules(), file)
        mock = subprocess.Popen(
            [RAPPORT, "mock", "--rules", f"{home}/rules.json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = mock.stdout.readline().strip()
            finished(home, "--base-url", address, "--model", "mock-coach")
        finally:
            mock.terminate()
        events, again = exported(home), exported(home)
    assert len(events) == 16, len(events)
    titles = {str(event["SUMMARY"]) for event in events}
    assert titles == {title.strip() for title in HOSTILE[::2]}, titles
    assert any(HOSTILE[1] in str(event["DESCRIPTION"]) for event in events)
    assert [str(event["UID"]) for event in events] == [str(event["UID"]) for event in again]


run(f"icalendar {icalendar.__version__}")
