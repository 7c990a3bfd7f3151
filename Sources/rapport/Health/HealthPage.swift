import HealthRecords
import Terminal

/// A snapshot as a page for people.
struct HealthPage {
  let snapshot: HealthSnapshot
  let alphabet: BarChart.Alphabet
  /// Width for sentences, in columns; nil for no wrapping.
  let width: Int?

  struct Part {
    var text: String
    var role: TextRole
  }

  var parts: [Part] {
    var parts = head
    section(
      weeksInBar == 1 ? "Week by week" : "Week by week, \(weeksInBar) weeks per bar", charts, &parts
    )
    section("What's in it", present, &parts)
    section("What stands out", findings, &parts)
    let missing = absent
    if !missing.isEmpty {
      parts.append(
        Part(text: wrapped("Not included: \(missing.joined(separator: ", ")).", 0), role: .dim))
    }
    let left = snapshot.leftOut.map(\.inWords)
    if !left.isEmpty {
      parts.append(Part(text: "", role: .coach))
      for line in left { parts.append(Part(text: wrapped(line + ".", 2), role: .dim)) }
    }
    return parts
  }

  private func section(_ title: String, _ lines: [String], _ parts: inout [Part]) {
    if lines.isEmpty { return }
    parts.append(Part(text: title, role: .bold))
    parts.append(Part(text: lines.joined(separator: "\n") + "\n", role: .coach))
  }

  private var head: [Part] {
    var lines = [
      "Your health data from \(day(snapshot.from)) to \(day(snapshot.through)): "
        + "\(snapshot.days) days\(records)."
    ]
    if let day = snapshot.exportedOn { lines.append("Exported on \(self.day(day)).") }
    var parts = [Part(text: wrapped(lines.joined(separator: " "), 0) + "\n", role: .coach)]
    if snapshot.profile.isMinor {
      let words =
        "By the birth date in it you are under 18, so I say nothing about weight and sleep. Those are "
        + "for a parent and a doctor to look at with you."
      parts.append(Part(text: wrapped(words, 0) + "\n", role: .notice))
    }
    if present.isEmpty {
      let words =
        "Nothing in these days stands out. "
        + (snapshot.leftOut.isEmpty
          ? "Try more days (--days)." : "What I had to leave out is listed below.")
      parts.append(Part(text: wrapped(words, 0) + "\n", role: .notice))
    }
    return parts
  }

  /// A snapshot made by an app has no record count.
  private var records: String {
    let count = snapshot.readings.records
    return count == 0
      ? "" : ", \(HealthWords.exact(count)) \(count == 1 ? "record" : "records") read"
  }

  private func day(_ day: Day) -> String { "\(day.inWords) \(day.parts.year)" }

  private var findings: [String] {
    let bullet = alphabet == .unicode ? "• " : "- "
    return snapshot.findings.map { finding in
      let lines = wrapped(finding.text, 4).dropFirst(4)
      return "  " + bullet + lines
    }
  }

  /// The text wrapped to the width, with each line indented.
  private func wrapped(_ text: String, _ indent: Int) -> String {
    var reply = ReplyText(width: width.map { max(20, $0 - indent) })
    let margin = String(repeating: " ", count: indent)
    return (reply.feed(text) + reply.finish()).split(
      separator: "\n", omittingEmptySubsequences: false
    )
    .map { margin + $0 }.joined(separator: "\n")
  }
}

// Charts and tables.

extension HealthPage {
  private struct Row {
    var name: String
    var series: HealthSeries?
    /// Hidden from someone under age.
    var isForAdults = false
    var show: (Double) -> String
  }

  private func shown(_ rows: [Row]) -> [Row] {
    rows.filter { !($0.isForAdults && snapshot.profile.isMinor) }
  }

  private var rows: [Row] {
    let series = snapshot.series
    return shown([
      Row(name: "steps", series: series[.steps], show: HealthWords.about),
      Row(
        name: "sleep", series: series[.sleep], isForAdults: true, show: HealthWords.hoursAndMinutes),
      Row(name: "weight", series: series[.bodyMass], isForAdults: true) {
        HealthWords.tenths($0) + " kg"
      },
      Row(name: "resting heart rate", series: series[.restingHeartRate], show: HealthWords.about),
      Row(name: "heart rate variability", series: series[.heartRateVariability]) {
        HealthWords.about($0) + " ms"
      },
    ])
  }

  /// The most columns for a chart's name and for the label after it.
  private static let columnsBesideBars = 52
  private static let fewestBars = 8

  private var weekly: [[Double?]] {
    rows.compactMap(\.series?.weekly)
      + (snapshot.workouts.map { [$0.weekly.map { $0 == 0 ? nil : Double($0) }] } ?? [])
  }

  /// Weeks before the first measurement are not drawn.
  private var emptyWeeks: Int {
    weekly.compactMap { $0.firstIndex { $0 != nil } }.min() ?? 0
  }

  /// How many weeks share a bar, so that the charts fit.
  private var weeksInBar: Int {
    guard let width, let all = weekly.map(\.count).max() else { return 1 }
    let most = all - emptyWeeks
    let room = max(width - Self.columnsBesideBars, Self.fewestBars)
    return max(1, (most + room - 1) / room)
  }

  /// The mean of each group of weeks; only the first group can be short.
  private func bars(_ all: [Double?]) -> [Double?] {
    let (size, weeks) = (weeksInBar, Array(all.dropFirst(emptyWeeks)))
    guard size > 1 else { return weeks }
    let first = weeks.count % size
    let starts = (first > 0 ? [0] : []) + stride(from: first, to: weeks.count, by: size)
    return starts.enumerated().map { index, start in
      let end = index + 1 < starts.count ? starts[index + 1] : weeks.count
      let known = weeks[start..<end].compactMap { $0 }
      return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
    }
  }

  private var charts: [String] {
    var charts = rows.compactMap { row -> [String]? in
      let bars = bars(row.series?.weekly ?? [])
      let known = bars.compactMap { $0 }
      guard let first = known.first, let last = known.last else { return nil }
      let range = row.show(first) + " " + arrow + " " + row.show(last)
      return [row.name, Sparkline.render(bars, alphabet: alphabet), range]
    }
    if let workouts = snapshot.workouts {
      let bars = bars(workouts.weekly.map(Double.init))
      let drawn = Sparkline.render(bars.map { $0 == 0 ? nil : $0 }, from: 0, alphabet: alphabet)
      let ends = [bars.first, bars.last].map { HealthWords.tenths(($0 ?? 0) ?? 0) }
      charts.append(["workouts", drawn, "\(ends[0]) \(arrow) \(ends[1]) a week"])
    }
    return table(charts)
  }

  private var arrow: String { alphabet == .unicode ? "→" : "to" }

  private var present: [String] {
    let measured = quantities.compactMap { row -> [String]? in
      guard let series = row.series, let value = series.mean ?? series.latest else { return nil }
      let days = "\(series.days) \(series.days == 1 ? "day" : "days")"
      return [row.name, days, row.show(value), series.latestOn.map(last) ?? ""]
    }
    return table(measured + [timeInBed, workouts].compactMap { $0 })
  }

  /// Used if no device tells who was asleep.
  private var timeInBed: [String]? {
    guard snapshot.series[.sleep] == nil, !snapshot.profile.isMinor, let sleep = snapshot.sleep,
      sleep.nightsInBed > 0, let hours = sleep.hoursInBed
    else { return nil }
    let nights = "\(sleep.nightsInBed) \(sleep.nightsInBed == 1 ? "night" : "nights")"
    return ["time in bed", nights, HealthWords.hoursAndMinutes(hours) + " a night", ""]
  }

  private var workouts: [String]? {
    snapshot.workouts.map { workouts in
      [
        "workouts", "\(workouts.count)", "\(HealthWords.about(workouts.minutes)) min",
        last(workouts.lastOn),
      ]
    }
  }

  /// Shown if a quantity ends before the days do.
  private func last(_ day: Day) -> String {
    day < snapshot.through ? "until \(day.inWords)" : ""
  }

  private var absent: [String] {
    quantities.filter { $0.series == nil && $0.name != "blood pressure, lower" }
      .filter { !($0.name == "sleep" && timeInBed != nil) }
      .map { $0.name == "blood pressure, upper" ? "blood pressure" : $0.name }
      + (snapshot.workouts == nil ? ["workouts"] : [])
  }

  private var quantities: [Row] {
    let series = snapshot.series
    return shown([
      Row(name: "steps", series: series[.steps]) { HealthWords.about($0) + " a day" },
      Row(name: "walking distance", series: series[.walkingDistance]) {
        HealthWords.tenths($0) + " km a day"
      },
      Row(name: "active energy", series: series[.activeEnergy]) {
        HealthWords.about($0) + " kcal a day"
      },
      Row(name: "exercise", series: series[.exerciseMinutes]) {
        HealthWords.about($0) + " min a day"
      },
      Row(name: "standing", series: series[.standHours]) {
        HealthWords.tenths($0) + " hours a day"
      },
      Row(name: "sleep", series: series[.sleep], isForAdults: true) {
        HealthWords.hoursAndMinutes($0) + " a night"
      },
      Row(name: "heart rate", series: series[.heartRate]) { HealthWords.about($0) + " a minute" },
      Row(name: "resting heart rate", series: series[.restingHeartRate]) {
        HealthWords.about($0) + " a minute"
      },
      Row(name: "heart rate variability", series: series[.heartRateVariability]) {
        HealthWords.about($0) + " ms"
      },
      Row(name: "VO₂ max", series: series[.vo2Max], show: HealthWords.tenths),
      Row(name: "weight", series: series[.bodyMass], isForAdults: true) {
        HealthWords.tenths($0) + " kg"
      },
      Row(name: "height", series: series[.height]) { HealthWords.about($0 * 100) + " cm" },
      Row(name: "body fat", series: series[.bodyFat], isForAdults: true) {
        HealthWords.tenths($0) + "%"
      },
      Row(
        name: "body mass index", series: series[.bodyMassIndex], isForAdults: true,
        show: HealthWords.tenths),
      Row(name: "blood pressure, upper", series: series[.systolic]) {
        HealthWords.about($0) + " mmHg"
      },
      Row(name: "blood pressure, lower", series: series[.diastolic]) {
        HealthWords.about($0) + " mmHg"
      },
      Row(name: "blood glucose", series: series[.glucose]) { HealthWords.tenths($0) + " mmol/L" },
    ])
  }

  /// Aligns columns, without trailing spaces. If the table is too wide, it drops the last column.
  private func table(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? displayWidth(of: $0[column]) : 0 }.max() ?? 0
    }
    let all = widths.reduce(0) { $0 + $1 + 2 }
    if let width, all > width, columns > 3 { return table(rows.map { Array($0.dropLast()) }) }
    return rows.map { row in
      var line = " "
      for (column, cell) in row.enumerated() {
        line += " " + cell
        guard row[(column + 1)...].contains(where: { !$0.isEmpty }) else { break }
        line += String(repeating: " ", count: widths[column] - displayWidth(of: cell) + 1)
      }
      return line
    }
  }
}
