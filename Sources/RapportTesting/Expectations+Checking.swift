public import Cassettes
import ContextQuality
import IncrementalJSON
import Intake
import LanguageModels
import Signals

extension Expectations {
  /// The expectations that fail for a run; empty if all hold.
  public func mismatches(in run: ConversationRun) -> [Mismatch] {
    var found: [Mismatch] = []
    func compare(_ path: String, _ expected: String, _ actual: String) {
      if expected != actual {
        found.append(Mismatch(path: path, expected: expected, actual: actual))
      }
    }
    if let outcome { compare("outcome", outcome.rawValue, run.outcome.rawValue) }
    if let discoveryComplete {
      compare(
        "discoveryComplete", discoveryComplete.text,
        Completion.text(of: run.completions))
    }
    let seen = run.turns
    for (index, turn) in turns.enumerated() {
      found += turn.mismatches(with: seen, path: "turns[\(index)]")
    }
    if let facets { found += Self.facetMismatches(facets, run) }
    if asksOnlyWhatIsMissing == true { found += Self.needlessQuestions(run) }
    found += forbidden(neverAsked, in: run.questions.map(\.reply.text), "neverAsked")
    found += forbidden(neverShown, in: run.outputs.flatMap(\.shownTexts), "neverShown")
    if let care {
      compare("care", care.map(\.text).joinedLines, run.care.map(\.text).joinedLines)
    }
    if let events {
      compare(
        "events", events.map(\.rawValue).joinedLines,
        run.events.compactMap(\.event?.kind.rawValue).joinedLines)
    }
    if let coachingEvents {
      let seen = run.coachingEvents.enumerated().map { index, event in
        // Where only a kind is expected, only kinds are compared.
        let isKind = coachingEvents.indices.contains(index) && coachingEvents[index]["type"] == nil
        return isKind ? event["type"] ?? event : event
      }
      compare(
        "coachingEvents", coachingEvents.map(\.comparable).joinedLines,
        seen.map(\.comparable).joinedLines)
    }
    if let paywall {
      compare(
        "paywall", paywall.map(\.rawValue).joinedLines,
        run.paywallSteps.map(\.rawValue).joinedLines)
    }
    if let notices {
      compare("notices", notices.joinedLines, run.notices.map(\.code).joinedLines)
    }
    if let usage {
      compare(
        "usage", "input \(usage.input), output \(usage.output)",
        "input \(run.usage.input), output \(run.usage.output)")
    }
    found += synthesisMismatches(run)
    return found
  }

  private func forbidden(_ texts: [String], in shown: [String], _ path: String) -> [Mismatch] {
    texts.enumerated().compactMap { index, text in
      guard let place = shown.first(where: { $0.lowercased().contains(text.lowercased()) }) else {
        return nil
      }
      return Mismatch(path: "\(path)[\(index)]", expected: "never: \(text)", actual: place)
    }
  }

  private static func facetMismatches(
    _ claims: [Evidence], _ run: ConversationRun
  ) -> [Mismatch] {
    let expected = claims.map(\.line).sorted()
    let actual = run.known.map(\.line).sorted()
    guard expected != actual else { return [] }
    let wrong = claims.first { !actual.contains($0.line) }
    let member = wrong.map { [JSONLines.Step.member($0.facet.description)] } ?? []
    return [
      Mismatch(
        path: "facets", expected: expected.joinedLines, actual: actual.joinedLines,
        place: [.member("expect"), .member("facets")] + member)
    ]
  }

  /// Questions about facets that were already known.
  private static func needlessQuestions(_ run: ConversationRun) -> [Mismatch] {
    guard let state = run.state else { return [] }
    var replay = state.atStart
    return run.events.compactMap { recorded in
      defer { replay.apply(recorded) }
      guard case .asked(let question) = recorded.event else { return nil }
      let known = question.facets.filter { replay.ledger.known.contains($0) }
      let isEmpty = question.facets.isEmpty && !question.components.isEmpty
      guard !known.isEmpty || isEmpty else { return nil }
      return Mismatch(
        path: "asksOnlyWhatIsMissing", expected: "a question about something unknown",
        actual: "asked about \(known.map(\.description).joined(separator: ", ")): "
          + question.reply.text)
    }
  }

  private func synthesisMismatches(_ run: ConversationRun) -> [Mismatch] {
    guard !synthesis.isEmpty || constraintsRestOnTurns == true else { return [] }
    guard let made = run.synthesis else {
      return [Mismatch(path: "synthesis", expected: "a synthesis", actual: "none was made")]
    }
    var found = synthesis.enumerated().compactMap { index, claim in
      claim.mismatch(in: made.system.json, path: "synthesis[\(index)] \(claim.pointer)")
    }
    if constraintsRestOnTurns == true {
      let loose = made.system.unsupported.filter { $0.hasPrefix("/constraints/") }
      if !loose.isEmpty {
        found.append(
          Mismatch(
            path: "constraintsRestOnTurns",
            expected: "every constraint is supported by the user's words or a reading",
            actual: "unsupported: " + loose.joined(separator: ", ")))
      }
    }
    return found
  }
}

extension Expectations.Turn {
  fileprivate func mismatches(with turns: [ConversationRun.Turn], path: String) -> [Mismatch] {
    guard let seen = turns.first(where: { $0.turn == turn }) else {
      return [
        Mismatch(
          path: path, expected: "user turn \(turn)",
          actual: "the conversation has \(turns.count)")
      ]
    }
    var found: [Mismatch] = []
    func compare(_ name: String, _ expected: String, _ actual: String) {
      if expected != actual {
        found.append(
          Mismatch(path: "\(path).\(name)", expected: expected, actual: actual, remark: seen.quoted)
        )
      }
    }
    if let overall, !overall.holds(for: seen.components.points) {
      compare("overall", overall.text, Expectations.Score.exactly(seen.components.points).text)
    }
    for claim in components {
      guard let component = seen.components.components.first(where: { $0.name == claim.name })
      else {
        compare("components.\(claim.name)", claim.score.text, "unknown component")
        continue
      }
      if !claim.score.holds(for: component.percent * 100) {
        compare(
          "components.\(claim.name)", claim.score.text,
          Expectations.Score.exactly(component.percent * 100).text)
      }
    }
    if let new {
      compare("new", new.sorted().lines, seen.new.sorted().lines)
    }
    if let asks { compare("asks", asks.joinedLines, seen.asks.joinedLines) }
    for (index, text) in replyContains.enumerated() where !seen.replies(text) {
      compare("replyContains[\(index)]", text, seen.reply)
    }
    for (index, text) in replyLacks.enumerated() where seen.replies(text) {
      compare("replyLacks[\(index)]", "not: \(text)", seen.reply)
    }
    return found
  }
}

extension [Facet] {
  fileprivate var lines: String { map(\.description).joinedLines }
}

extension [String] {
  var joinedLines: String { isEmpty ? "(none)" : joined(separator: "\n") }
}

extension Expectations.Score {
  fileprivate var text: String {
    switch self {
    case .exactly(let points): Self.text(points)
    case .between(let low, let high): "\(Self.text(low)) to \(Self.text(high))"
    }
  }

  private static func text(_ points: Int) -> String { "\(Double(points) / 10_000)" }
}

extension Evidence {
  fileprivate var line: String {
    switch basis {
    case .quote(let quote, let turn): "\(facet): turn \(turn), \"\(quote)\""
    case .reading(let reading, let source): "\(facet): \(source), \"\(reading)\""
    case .answer(let answer): "\(facet): answer to \(answer.step), \"\(answer.text)\""
    }
  }
}

extension Expectations.CareClaim {
  fileprivate var text: String { "turn \(turn): \(kind.rawValue)" }
}

extension Expectations.Completion {
  fileprivate var text: String {
    switch self {
    case .afterTurn(let turn): "once, after turn \(turn)"
    case .never: "never"
    }
  }

  fileprivate static func text(of turns: [Int]) -> String {
    switch turns.count {
    case 0: "never"
    case 1: "once, after turn \(turns[0])"
    default: "\(turns.count) times, after turns \(turns.map(String.init).joined(separator: ", "))"
    }
  }
}

extension Expectations.PointerClaim {
  func mismatch(in document: JSONValue, path: String) -> Mismatch? {
    let found = JSONPointer(pointer).value(in: document)
    let actual = found.map { $0.stringValue ?? $0.serialized(lineWidth: 60) } ?? "(nothing)"
    let holds: Bool
    let expected: String
    switch claim {
    case .equals(let value):
      holds = found == value
      expected = value.stringValue ?? value.serialized(lineWidth: 60)
    case .contains(let text):
      let texts = found?.stringValue.map { [$0] } ?? found?.arrayValue?.map(Self.text) ?? []
      holds = texts.contains { $0.lowercased().contains(text.lowercased()) }
      expected = "… \(text) …"
    case .matches(let pattern):
      holds =
        found.map { found in
          (try? Regex(pattern)).map { Self.text(found).contains($0) } ?? false
        } ?? false
      expected = "/\(pattern)/"
    case .absent:
      holds = found == nil || found?.isNull == true
      expected = "(nothing)"
    }
    return holds ? nil : Mismatch(path: path, expected: expected, actual: actual)
  }

  private static func text(_ value: JSONValue) -> String {
    value.stringValue ?? value.serialized()
  }
}

extension JSONValue {
  /// An event of coaching in lines, or its kind.
  fileprivate var comparable: String {
    guard let members = objectValue else { return stringValue ?? serialized() }
    let kind = members["type"]?.stringValue ?? ""
    let lines = members.filter { $0.name != "type" }.map {
      "  \($0.name): \($0.value.serialized())"
    }
    return ([kind] + lines.sorted()).joined(separator: "\n")
  }
}
