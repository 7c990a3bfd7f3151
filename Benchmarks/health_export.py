#!/usr/bin/env python3
"""Writes a made-up Apple Health export, and checks a snapshot of it.

health_export.py --megabytes 100 FILE        writes FILE and FILE.expected.json
health_export.py --check FILE SNAPSHOT       compares `rapport health FILE --json` with what was written

Records come by type and in order of time, as the Health app writes them. The same size gives the same
bytes.
"""
import argparse, datetime, json, random, sys

LAST = datetime.date(2026, 1, 31)
ZONE = "+0100"
DEVICE = ("&lt;&lt;HKDevice: 0x%x&gt;, name:%s, manufacturer:Apple Inc., model:%s, "
          "hardware:%s, software:11.3&gt;")
SOURCES = {
    "watch": ("Kim\u2019s Apple Watch", DEVICE % (0x28000A0, "Apple Watch", "Watch", "Watch7,1")),
    "phone": ("Kim\u2019s iPhone", DEVICE % (0x28000B0, "iPhone", "iPhone", "iPhone15,2")),
}
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 12 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!ATTLIST VisionPrescription
  type CDATA #REQUIRED
<!ELEMENT RightEye EMPTY>
]>
<HealthData locale="en_NL">
 <ExportDate value="%s 09:12:42 %s"/>
 <Me HKCharacteristicTypeIdentifierDateOfBirth="1987-03-14"/>
"""


def clock(second):
    return "%02d:%02d:%02d" % (second // 3600, second // 60 % 60, second % 60)


class Writer:
    def __init__(self):
        self.random = random.Random(7)
        self.sums = dict(records=0, steps=0, heartRates=0, sleepHours=0.0, workouts=0)

    def record(self, kind, source, unit, day, start, seconds, value, inner=""):
        name, device = SOURCES[source]
        self.sums["records"] += 1
        begin, end = f"{day} {clock(start)} {ZONE}", f"{day} {clock(start + seconds)} {ZONE}"
        unit = f' unit="{unit}"' if unit else ""
        tag = (f' <Record type="HK{kind}" sourceName="{name}" sourceVersion="11.3" device="{device}"'
               f'{unit} creationDate="{end}" startDate="{begin}" endDate="{end}" value="{value}"')
        return tag + (f">\n{inner} </Record>\n" if inner else "/>\n")

    def heart_rate(self, day, counts):
        self.sums["heartRates"] += 200 * counts
        context = '  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="0"/>\n'
        return "".join(self.record("QuantityTypeIdentifierHeartRate", "watch", "count/min", day,
                                   at, 0, self.random.randrange(48, 140), context)
                       for at in range(0, 86400, 432))

    def steps(self, day, counts):
        text = ""
        for source, places in (("watch", range(25000, 79000, 600)), ("phone", range(25300, 79000, 1200))):
            for at in places:
                value = self.random.randrange(1, 200)
                # The phone's records lie behind the watch's where both are: they count for nothing.
                self.sums["steps"] += value * counts if source == "watch" else 0
                text += self.record("QuantityTypeIdentifierStepCount", source, "count", day, at,
                                    600 if source == "watch" else 300, value)
        return text

    def energy(self, day, counts):
        return "".join(self.record("QuantityTypeIdentifierBasalEnergyBurned", "watch", "kcal", day, at,
                                   58, "%.3f" % self.random.uniform(0.05, 9))
                       for at in range(0, 86000, 172))

    def sleep(self, day, counts):
        text, at = "", self.random.randrange(0, 5000)
        for stage in ("Core", "Deep", "Core", "REM", "Core", "REM"):
            minutes = self.random.randrange(20, 90)
            self.sums["sleepHours"] += counts * minutes / 60
            text += self.record("CategoryTypeIdentifierSleepAnalysis", "watch", "", day, at, minutes * 60,
                                "HKCategoryValueSleepAnalysisAsleep" + stage)
            at += minutes * 60
        return text

    def workout(self, day, counts):
        if self.random.random() > 0.4:
            return ""
        self.sums["workouts"] += counts
        begin, end = f"{day} 07:00:00 {ZONE}", f"{day} 07:30:00 {ZONE}"
        return (f' <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" '
                f'durationUnit="min" sourceName="{SOURCES["watch"][0]}" startDate="{begin}" '
                f'endDate="{end}">\n  <WorkoutStatistics '
                f'type="HKQuantityTypeIdentifierDistanceWalkingRunning" startDate="{begin}" '
                f'endDate="{end}" sum="5.1" unit="km"/>\n </Workout>\n')


KINDS = ("heart_rate", "steps", "energy", "sleep", "workout")


def write(path, megabytes):
    probe = Writer()
    a_day = sum(len(getattr(probe, kind)("2026-01-01", 0).encode()) for kind in KINDS)
    days, writer = max(90, megabytes * 1_000_000 // a_day), Writer()
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD % (LAST, ZONE))
        for kind in KINDS:
            for back in range(days, 0, -1):
                day = (LAST - datetime.timedelta(days=back)).isoformat()
                file.write(getattr(writer, kind)(day, 1 if back <= 90 else 0))
        file.write("</HealthData>\n")
    with open(path + ".expected.json", "w") as file:
        json.dump(writer.sums, file)


def check(path, snapshot):
    found, expected = json.loads(snapshot), json.load(open(path + ".expected.json"))
    series = found["series"]
    pairs = [
        ("records", found["readings"]["records"]),
        ("steps", series["steps"]["mean"] * series["steps"]["days"]),
        ("heartRates", series["heartRate"]["readings"]),
        ("sleepHours", found["sleep"]["totalHours"]),
        ("workouts", found["workouts"]["count"]),
    ]
    wrong = [name for name, value in pairs if abs(value - expected[name]) > 0.5]
    for name, value in pairs:
        print(f"{name}: {value:.2f}, written {expected[name]:.2f}")
    sys.exit(f"different: {', '.join(wrong)}" if wrong else 0)


parser = argparse.ArgumentParser()
parser.add_argument("--megabytes", type=int, default=100)
parser.add_argument("--check", action="store_true")
parser.add_argument("arguments", nargs="+")
options = parser.parse_args()
if options.check:
    check(*options.arguments)
else:
    write(options.arguments[0], options.megabytes)
