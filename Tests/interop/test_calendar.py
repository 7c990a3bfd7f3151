"""`rapport program --ics` read by the icalendar library: a rehearsed journey's program becomes a calendar that
other programs open, with its time zone and its reminders.

    test_calendar.py RAPPORT
"""

import json
import os
import subprocess
import sys
import tempfile
from datetime import date, datetime, timedelta

import icalendar

RAPPORT = os.path.abspath(sys.argv[1])
ANSWERS = [
    True, "local", "decline",
    "I want to lose 10 kg by June so I can keep up with my kids.",
    "My knee hurts when I squat, and after work I'm too tired to start.",
    "I like swimming and hate running. I have dumbbells at home.",
    "I could train Tuesday and Thursday evenings. I work nine to five.",
    "I'm 180 cm and 92 kg, and I walk about 5,000 steps a day.",
] + ["I'd rather not say."] * 12


def start(home, answers):
    lines = "".join(json.dumps({"answer": answer}) + "\n" for answer in answers)
    result = subprocess.run(
        [RAPPORT, "start", "trainer", "--offline", "--json", "--store", f"{home}/s.db"],
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


def main():
    with tempfile.TemporaryDirectory() as home:
        screens = start(home, ANSWERS)
        for _ in range(40):
            last = [line for line in screens if line["type"] == "screen"][-1]
            if last["kind"] == "end":
                break
            screens = start(home, [next_answer(last)])
        assert last["kind"] == "end", last
        path = f"{home}/workouts.ics"
        subprocess.run(
            [RAPPORT, "program", "--ics", path, "--store", f"{home}/s.db"], check=True,
            env={**os.environ, "HOME": home}, capture_output=True)
        with open(path, "rb") as file:
            calendar = icalendar.Calendar.from_ical(file.read())
    assert not calendar.errors, calendar.errors
    events = calendar.walk("VEVENT")
    assert len(events) == 8, len(events)
    assert len({str(event["UID"]) for event in events}) == 8
    for event in events:
        assert not event.errors, event.errors
        start_at = event.decoded("DTSTART")
        assert isinstance(start_at, (date, datetime)), start_at
        assert start_at.weekday() in (1, 3), start_at
        alarm, = event.walk("VALARM")
        assert isinstance(alarm.decoded("TRIGGER"), timedelta)
        assert alarm["ACTION"] == "DISPLAY"
    print(f"ok   {len(events)} sessions with reminders, read by icalendar {icalendar.__version__}")


main()
