import HealthRecords
import Terminal

/// A snapshot as a page that a person likes to read.
struct HealthPage {
  let snapshot: HealthSnapshot
  let alphabet: BarChart.Alphabet
  /// Columns to break sentences to; nil for none.
  let width: Int?

  struct Part {
    var text: String
    var role: TextRole
  }

  var parts: [Part] {
    var parts = head
    section("Week by week", charts, &parts)
    section("What is there", present, &parts)
    section("What I see", findings, &parts)
    let missing = absent
    if !missing.isEmpty {
      parts.append(
        Part(text: wrapped("Not there: \(missing.joined(separator: ", ")).", 0), role: .dim))
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
        "By the birth date in it you are under 18: I say nothing about weight and sleep, which are "
        + "for a parent and a doctor to look at with you."
      parts.append(Part(text: wrapped(words, 0) + "\n", role: .notice))
    }
    if present.isEmpty, snapshot.workouts == nil {
      let words =
        "There is nothing in these days that I could say anything about. More days (--days) may help."
      parts.append(Part(text: wrapped(words, 0) + "\n", role: .notice))
    }
    return parts
  }

  /// A snapshot that an app made counts none.
  private var records: String {
    let count = snapshot.readings.records
    return count == 0 ? "" : ", \(HealthWords.exact(count)) records read"
  }

  private func day(_ day: Day) -> String { "\(day.inWords) \(day.parts.year)" }

  private var findings: [String] {
    let bullet = alphabet == .unicode ? "• " : "- "
    return snapshot.findings.map { finding in
      let lines = wrapped(finding.text, 4).dropFirst(4)
      return "  " + bullet + lines
    }
  }

  /// The text broken to the width, each line indented.
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
    var show: (Double) -> String
  }

  private var rows: [Row] {
    let series = snapshot.series
    return [
      Row(name: "steps", series: series.steps, show: HealthWords.about),
      Row(name: "sleep", series: series.sleep, show: HealthWords.hoursAndMinutes),
      Row(name: "weight", series: series.bodyMass) { HealthWords.tenths($0) + " kg" },
      Row(name: "resting heart rate", series: series.restingHeartRate, show: HealthWords.about),
      Row(name: "heart rate variability", series: series.heartRateVariability) {
        HealthWords.about($0) + " ms"
      },
    ]
  }

  private var charts: [String] {
    var charts = rows.compactMap { row -> (String, String, String)? in
      guard let series = row.series, series.weekly.contains(where: { $0 != nil }) else {
        return nil
      }
      let weeks = series.weekly.compactMap { $0 }
      let range =
        (weeks.first.map(row.show) ?? "") + " " + arrow + " " + (weeks.last.map(row.show) ?? "")
      return (row.name, Sparkline.render(series.weekly, alphabet: alphabet), range)
    }
    if let workouts = snapshot.workouts {
      let bars = Sparkline.render(
        workouts.weekly.map { $0 > 0 ? Double($0) : nil }, from: 0, alphabet: alphabet)
      let ends = "\(workouts.weekly.first ?? 0) \(arrow) \(workouts.weekly.last ?? 0) a week"
      charts.append(("workouts", bars, ends))
    }
    return table(charts.map { [$0.0, $0.1, $0.2] })
  }

  private var arrow: String { alphabet == .unicode ? "→" : "to" }

  private var present: [String] {
    table(
      quantities.compactMap { name, series, show in
        guard let series, let value = series.mean ?? series.latest else { return nil }
        let days = "\(series.days) \(series.days == 1 ? "day" : "days")"
        return [name, days, show(value), series.latestOn.map(last) ?? ""]
      }
        + (snapshot.workouts.map { workouts in
          [
            [
              "workouts", "\(workouts.count)", "\(HealthWords.about(workouts.minutes)) min",
              last(workouts.lastOn),
            ]
          ]
        } ?? []))
  }

  /// Said where a quantity ends before the days do.
  private func last(_ day: Day) -> String {
    day < snapshot.through ? "until \(day.inWords)" : ""
  }

  private var absent: [String] {
    quantities.filter { $0.1 == nil && $0.0 != "blood pressure, lower" }
      .map { $0.0 == "blood pressure, upper" ? "blood pressure" : $0.0 }
      + (snapshot.workouts == nil ? ["workouts"] : [])
  }

  private var quantities: [(String, HealthSeries?, (Double) -> String)] {
    let series = snapshot.series
    return [
      ("steps", series.steps, { HealthWords.about($0) + " a day" }),
      ("walking distance", series.walkingDistance, { HealthWords.tenths($0) + " km a day" }),
      ("active energy", series.activeEnergy, { HealthWords.about($0) + " kcal a day" }),
      ("exercise", series.exerciseMinutes, { HealthWords.about($0) + " min a day" }),
      ("standing", series.standHours, { HealthWords.tenths($0) + " hours a day" }),
      ("sleep", series.sleep, { HealthWords.hoursAndMinutes($0) + " a night" }),
      ("heart rate", series.heartRate, { HealthWords.about($0) + " a minute" }),
      ("resting heart rate", series.restingHeartRate, { HealthWords.about($0) + " a minute" }),
      ("heart rate variability", series.heartRateVariability, { HealthWords.about($0) + " ms" }),
      ("VO₂ max", series.vo2Max, { HealthWords.tenths($0) }),
      ("weight", series.bodyMass, { HealthWords.tenths($0) + " kg" }),
      ("height", series.height, { HealthWords.about($0 * 100) + " cm" }),
      ("body fat", series.bodyFat, { HealthWords.tenths($0) + " %" }),
      ("body mass index", series.bodyMassIndex, { HealthWords.tenths($0) }),
      ("blood pressure, upper", series.systolic, { HealthWords.about($0) + " mmHg" }),
      ("blood pressure, lower", series.diastolic, { HealthWords.about($0) + " mmHg" }),
      ("blood glucose", series.glucose, { HealthWords.tenths($0) + " mmol/L" }),
    ]
  }

  /// Columns under each other, with nothing behind the last.
  private func table(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? displayWidth(of: $0[column]) : 0 }.max() ?? 0
    }
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
