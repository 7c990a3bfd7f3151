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
  /// Something that is measured, how its figures read, and what one is about, such as a day.
  private typealias Measure = (
    kind: Quantity, name: String, figure: @Sendable (Double) -> String, unit: String, per: String
  )

  private static let measures: [Measure] = [
    (.steps, "steps", HealthWords.about, "", " a day"),
    (.walkingDistance, "walking distance", HealthWords.tenths, " km", " a day"),
    (.activeEnergy, "active energy", HealthWords.about, " kcal", " a day"),
    (.exerciseMinutes, "exercise", HealthWords.about, " min", " a day"),
    (.standHours, "standing", HealthWords.tenths, " hours", " a day"),
    (.sleep, "sleep", HealthWords.hoursAndMinutes, "", " a night"),
    (.heartRate, "heart rate", HealthWords.about, "", " a minute"),
    (.restingHeartRate, "resting heart rate", HealthWords.about, "", " a minute"),
    (.heartRateVariability, "heart rate variability", HealthWords.about, " ms", ""),
    (.vo2Max, "VO₂ max", HealthWords.tenths, "", ""),
    (.bodyMass, "weight", HealthWords.tenths, " kg", ""),
    (.height, "height", { HealthWords.about($0 * 100) }, " cm", ""),
    (.bodyFat, "body fat", HealthWords.tenths, "%", ""),
    (.bodyMassIndex, "body mass index", HealthWords.tenths, "", ""),
    (.systolic, "blood pressure, upper", HealthWords.about, " mmHg", ""),
    (.diastolic, "blood pressure, lower", HealthWords.about, " mmHg", ""),
    (.glucose, "blood glucose", HealthWords.tenths, " mmol/L", ""),
  ]

  /// Hidden from someone under age.
  private static let forAdults: Set<Quantity> = [.sleep, .bodyMass, .bodyFat, .bodyMassIndex]

  private var measures: [Measure] {
    Self.measures.filter { !snapshot.profile.isMinor || !Self.forAdults.contains($0.kind) }
  }

  private static let drawn: [Quantity] = [
    .steps, .sleep, .bodyMass, .restingHeartRate, .heartRateVariability,
  ]

  /// What is drawn week by week.
  private var drawn: [(measure: Measure, weekly: [Double?])] {
    Self.drawn.compactMap { kind in
      guard let measure = measures.first(where: { $0.kind == kind }) else { return nil }
      return snapshot.series[kind].map { (measure, $0.weekly) }
    }
  }

  /// The most columns for a chart's name and for the label after it.
  private static let columnsBesideBars = 52
  private static let fewestBars = 8

  private var weekly: [[Double?]] {
    drawn.map(\.weekly)
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
    var charts = drawn.compactMap { measure, weekly -> [String]? in
      let bars = bars(weekly)
      let known = bars.compactMap { $0 }
      guard let first = known.first, let last = known.last else { return nil }
      let range = [first, last].map { measure.figure($0) + measure.unit }
        .joined(separator: " \(arrow) ")
      return [measure.name, Sparkline.render(bars, alphabet: alphabet), range]
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
    let measured = measures.compactMap { measure -> [String]? in
      guard let series = snapshot.series[measure.kind], let value = series.mean ?? series.latest
      else { return nil }
      let days = "\(series.days.counted("day"))"
      let figure = measure.figure(value) + measure.unit + measure.per
      return [measure.name, days, figure, series.latestOn.map(last) ?? ""]
    }
    return table(measured + [timeInBed, workouts].compactMap { $0 })
  }

  /// Used if no device tells who was asleep.
  private var timeInBed: [String]? {
    guard snapshot.series[.sleep] == nil, !snapshot.profile.isMinor, let sleep = snapshot.sleep,
      sleep.nightsInBed > 0, let hours = sleep.hoursInBed
    else { return nil }
    let nights = "\(sleep.nightsInBed.counted("night"))"
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
    measures.filter { snapshot.series[$0.kind] == nil && $0.kind != .diastolic }
      .filter { !($0.kind == .sleep && timeInBed != nil) }
      .map { $0.kind == .systolic ? "blood pressure" : $0.name }
      + (snapshot.workouts == nil ? ["workouts"] : [])
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
