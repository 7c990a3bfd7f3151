import Foundation
import IncrementalJSON
import Terminal
import TestSupport
import Testing

/// `rapport health`, run as people run it.
@Suite(.integration)
struct HealthCommandTests {
  private static func record(_ type: String, _ value: String, _ unit: String, _ time: String)
    -> String
  {
    " <Record type=\"HKQuantityTypeIdentifier\(type)\" sourceName=\"Ana\u{2019}s Watch\" "
      + "unit=\"\(unit)\" startDate=\"\(time)\" endDate=\"\(time)\" value=\"\(value)\"/>\n"
  }

  private static func export(_ elements: String, head: String = "") -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(head)<HealthData locale=\"en_GB\">\n"
      + " <ExportDate value=\"2026-02-01 10:00:00 +0100\"/>\n\(elements)</HealthData>\n"
  }

  /// Steps and weight on every day of January, with clocks all over the world.
  private static let january = export(
    (1...31).map { day in
      let date = "2026-01-" + (day < 10 ? "0" : "") + "\(day)"
      let zone = ["+0000", "+0545", "-0800", "+1400"][day % 4]
      return record("StepCount", "\(7000 + 10 * day)", "count", "\(date) 23:30:00 \(zone)")
        + record("BodyMass", "\(80 + Double(day) / 10)", "kg", "\(date) 00:30:00 \(zone)")
    }.joined()
      + record("BodyMass", "-81.5", "kg", "2026-01-10 07:00:00 +0100"))

  private func household(_ text: String = january) throws -> Household {
    let household = try Household()
    try household.write(text, to: "export.xml")
    return household
  }

  @Test func thePageShowsWhatIsThereAndWhatIsNot() throws {
    let result = try household().run("health", "export.xml")
    #expect(result.status == 0 && result.errors == "")
    for words in [
      "Your health data from 3 November 2025 to 31 January 2026: 90 days, 63 records read.",
      "Week by week", "steps   ▁", "→", "  steps   31 days  7,200 a day",
      "You walk about 7,200 steps a day, measured on 31 of 90 days.",
      "Not included: walking distance", "1 record ignored: body mass -81.5 kg (not plausible).",
    ] { #expect(result.output.contains(words), "\(words)\n\(result.output)") }
    #expect(!result.output.contains("Ana"))
    #expect(!result.output.utf8.contains(0x1B))
  }

  @Test func withoutUnicodeThePageIsASCII() throws {
    let household = try household()
    household.environment["LANG"] = "C"
    let output = try household.run("health", "export.xml").output
    #expect(output.replacing("VO₂", with: "").utf8.allSatisfy { $0 < 0x80 }, "\(output)")
  }

  /// The same figures wherever and in whatever language the machine is.
  @Test func localeAndTimeZoneChangeNothing() throws {
    let household = try household()
    var outputs: Set<String> = []
    for zone in ["UTC", "America/Los_Angeles", "Asia/Kathmandu", "Pacific/Kiritimati"] {
      for locale in ["C.UTF-8", "de_DE.UTF-8", "ar_EG.UTF-8", "tr_TR.UTF-8"] {
        household.environment.merge(["TZ": zone, "LANG": locale, "LC_ALL": locale]) { $1 }
        outputs.insert(try household.run("health", "export.xml", "--json").output)
      }
    }
    #expect(outputs.count == 1)
    let snapshot = try JSONValue(parsing: try #require(outputs.first))
    #expect(snapshot["series"]?["steps"]?["days"]?.doubleValue == 31)
    #expect(snapshot["series"]?["bodyMass"]?["latestOn"]?.stringValue == "2026-01-31")
  }

  @Test func daysAndTheLastOfThemCanBeChosen() throws {
    let output = try household().run(
      "health", "export.xml", "--days", "10", "--until", "2026-01-20", "--json"
    ).output
    let snapshot = try JSONValue(parsing: output)
    #expect(snapshot["from"]?.stringValue == "2026-01-11")
    #expect(snapshot["through"]?.stringValue == "2026-01-20")
    #expect(snapshot["series"]?["bodyMass"]?["latest"]?.doubleValue == 82)
  }

  @Test func aSnapshotIsShownAsItsExportIs() throws {
    let household = try household()
    let page = try household.run("health", "export.xml")
    let snapshot = try household.run("health", "export.xml", "--json")
    try household.write(snapshot.output, to: "s.json")
    #expect(try household.run("health", "s.json").output == page.output)
    #expect(try household.run("health", "s.json", "--json").output == snapshot.output)
    let other = try household.run("health", "s.json", "--days", "30")
    #expect(other.status == 64 && other.errors.contains("a snapshot with fixed days"))
    try household.write(snapshot.output.replacing("\"version\"", with: "\"versoin\""), to: "s.json")
    #expect(try household.run("health", "s.json").status == 65)
  }

  @Test func ofSomebodyUnderAgeNeitherWeightNorSleepIsShown() throws {
    let birth = "<Me HKCharacteristicTypeIdentifierDateOfBirth=\"2012-03-01\"/>"
    let nights = (1...20).map { day in
      let date = "2026-01-" + (day < 10 ? "0" : "") + "\(day)"
      return "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"Watch\" "
        + "startDate=\"\(date) 01:00:00 +0000\" endDate=\"\(date) 06:00:00 +0000\" "
        + "value=\"HKCategoryValueSleepAnalysisAsleepCore\"/>"
    }.joined()
    let household = try household(
      Self.export(birth + nights + Self.record("BodyMass", "51", "kg", "2026-01-10 07:00:00 +0100"))
    )
    let page = try household.run("health", "export.xml")
    #expect(page.status == 0 && page.output.contains("you are under 18"))
    let rest = page.output.split(separator: "with you.").last ?? ""
    for word in ["sleep", "weight", "51", "body"] {
      #expect(!rest.contains(word), "\(page.output)")
    }
  }

  /// Two years of steps at several widths.
  @Test(arguments: [60, 80, 100])
  func chartsFitTheTerminal(columns: Int) throws {
    let steps = (0..<500).map { index in
      let date = Date(timeIntervalSince1970: 1_769_800_000 - Double(index) * 86_400)
      return Self.record(
        "StepCount", "\(7000 + index)", "count",
        date.formatted(.iso8601).prefix(10) + " 12:00:00 +0000")
    }.joined()
    let household = try household(Self.export(steps))
    let terminal = try household.startOnTerminal(
      "health", "export.xml", "--days", "730", shell: "stty cols \(columns) && exec \"$@\"")
    try terminal.expect("Not included")
    #expect(try terminal.expectExit() == 0)
    let lines = terminal.screen.split(whereSeparator: \.isNewline)
      .map { $0.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "") }
      .filter { !$0.contains("\u{1B}") }
    #expect(lines.contains { $0.contains("weeks per bar") })
    #expect(lines.allSatisfy { displayWidth(of: String($0)) <= columns }, "\(lines)")
  }

  @Test func wrongOptionsAreUsage() throws {
    let household = try household()
    for options in [["--days", "0"], ["--days", "1000"], ["--until", "tomorrow"], []] {
      let result = try household.run(["health"] + (options.isEmpty ? [] : ["export.xml"] + options))
      #expect(result.status == 64 && result.output == "")
    }
  }

  @Test(arguments: [
    ("", "The file is empty."),
    ("<?xml version=\"1.0\"?>\n<ClinicalDocument/>", "This is export_cda.xml; I need export.xml."),
    ("<html>", "it starts with <html> instead of <HealthData>"),
    ("weight,80", "This is not an Apple Health export"),
    (String(january.dropLast(40)), "The file ends early, after 62 records."),
    (january + january, "There is more data after the end"),
    (january.replacing("</HealthData>", with: "</Nonsense>"), "(line 67, byte "),
  ])
  func whatCannotBeReadIsSaidAndIsBadData(text: String, words: String) throws {
    let result = try household(text).run("health", "export.xml")
    #expect(result.status == 65 && result.output == "")
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test func aFileThatIsNotThereIsNamed() throws {
    let result = try Household().run("health", "gone.zip")
    #expect(result.status == 65)
    #expect(result.errors.contains("gone.zip: No such file or directory"))
  }

  @Test func whatAFileSaysNeverSteersTheTerminal() throws {
    let evil = "\u{1B}]0;x\u{7}\u{202E}kg"
    let text = Self.export(Self.record("BodyMass", "80", evil, "2026-01-10 07:00:00 +0100"))
    let household = try household(text.replacing("\u{1B}", with: "&#27;"))
    for options in [[], ["--json"]] {
      let result = try household.run(["health", "export.xml"] + options)
      #expect(result.status == 0)
      #expect(
        (result.output + result.errors).unicodeScalars.allSatisfy {
          $0 == "\n" || ($0.value >= 0x20 && $0.value != 0x202E && $0.value != 0x7F)
        })
    }
    let terminal = try household.startOnTerminal("health", "export.xml")
    try terminal.expect("unknown unit")
    #expect(try terminal.expectExit() == 0)
    #expect(!terminal.output.contains(0x07))
  }

  @Test func nothingTheFileNamesIsFetchedOrOpened() throws {
    let household = try Household()
    let fifo = household.folder + "/secret"
    // Whoever opens it waits until somebody writes, and nobody does.
    #expect(mkfifo(fifo, 0o600) == 0)
    for head in [
      "<!DOCTYPE HealthData SYSTEM \"\(fifo)\">\n",
      "<!DOCTYPE HealthData [<!ENTITY x SYSTEM \"file://\(fifo)\">]>\n",
      "<!DOCTYPE HealthData [<!ENTITY % p SYSTEM \"\(fifo)\"> %p;]>\n",
    ] {
      try household.write(Self.export("", head: head), to: "export.xml")
      let result = try household.run("health", "export.xml")
      #expect(result.status == (head.contains("ENTITY") ? 65 : 0), "\(result.errors)")
    }
  }

  @Test func daysAfterTheExportAreSaidToBeMissing() throws {
    let household = try household()
    let plain = try household.run("health", "export.xml")
    for until in ["2026-02-01", "2026-03-01"] {
      let late = try household.run("health", "export.xml", "--until", until)
      #expect(late.status == 0 && late.output == plain.output)
      #expect(
        late.errors.contains(
          "The export was made on 1 February 2026: I look at the days up to 31 January 2026"))
    }
    let early = try household.run("health", "export.xml", "--until", "2026-01-31")
    #expect(early.errors == "")
  }

  /// Ctrl-C and a request to end while a pipe is waited for: one that nobody writes to, and one
  /// that stands still.
  @Test(
    arguments: [SIGINT, SIGTERM],
    [
      "exec \"$@\"",
      // A free descriptor, which `sh` cannot choose.
      "exec bash -c 'exec {other}<>pipe; printf \"<HealthData>\" >&$other; exec \"$@\"' bash \"$@\"",
    ])
  func whatIsWaitedForCanBeLeft(signal: Int32, start: String) throws {
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "health", "pipe", shell: "mkfifo pipe; " + start)
    try terminal.expect("Reading pipe")
    terminal.signal(signal)
    try terminal.expect("I stopped reading and kept nothing.")
    #expect(try terminal.expectExit() >> 8 == 130)
    #expect(terminal.hasItsModesBack)
  }

  /// Ctrl-C while a pipe is read that never ends.
  @Test func controlCStopsCleanly() throws {
    let household = try Household()
    let endless =
      "{ printf '<HealthData>'; while printf '%65536s' ' '; do :; done; } 2>/dev/null"
    let terminal = try household.startOnTerminal(
      "health", "endless", shell: "mkfifo endless && { \(endless) > endless & } && exec \"$@\"")
    try terminal.expect("Reading endless")
    try terminal.expect("B/s")
    terminal.type("\u{3}")
    try terminal.expect("I stopped reading and kept nothing.")
    // A wait status: the exit code is its second byte.
    #expect(try terminal.expectExit() >> 8 == 130)
    #expect(terminal.hasItsModesBack)
  }
}
