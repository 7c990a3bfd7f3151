import BatchScoring
import ContextQuality
import ModelScoring
import Terminal

/// A judge card in the terminal, at most 80 columns wide.
struct JudgeText {
  let card: JudgeCard

  var text: String {
    let parts = [head, shifts, flickers, quotes, labels, cost, errors]
    return parts.compactMap(\.self).joined(separator: "\n\n") + "\n"
  }

  private var head: String {
    let changes = card.shifts.count - 1
    var reading = "each read \(card.repeats.counted("time"))"
    if changes > 0 { reading += " as it is, and \(changes) times with a change" }
    return """
      Judge card: \(card.scorer ?? "no model answered"), pack \(card.pack)
      \(card.conversations) conversations, \(reading): \(card.done) of \(card.planned) readings
      """
  }

  // MARK: Steadiness

  private static let columns = [17, 15, 15, 15, 17]

  private var shifts: String {
    let threshold = JudgeFigures.score(Double(card.readyAbove) / 10_000)
    let heads = ["", "flips at \(threshold)", "flips at end", "other facets", "overall differs"]
    let rows = card.shifts.filter { $0.conversations > 0 }.map { shift in
      [
        JudgeFigures.name(of: shift.change), JudgeFigures.share(shift.decisions),
        JudgeFigures.share(shift.endings), JudgeFigures.share(shift.facets),
        JudgeFigures.score(shift.overall),
      ]
    }
    let lines = ([heads] + rows).map { cells in
      zip(cells, Self.columns).map { $0.padded(to: $1, gap: 1) }.joined().trimmedEnd
    }
    return (["How other readings differ from the first"] + lines).joined(separator: "\n")
  }

  private var flickers: String? {
    // Without a second reading, nothing can flicker.
    guard card.repeats > 1, card.done > card.conversations else { return nil }
    let unsteady = card.flickers.filter { $0.flickered > 0 }
    guard !unsteady.isEmpty else { return "No facet flickers." }
    let shown = unsteady.prefix(8).map { flicker in
      "  " + flicker.facet.description.padded(to: 34, gap: 1)
        + "\(flicker.flickered) of \(flicker.found) conversations"
    }
    let more = unsteady.count - shown.count
    return
      (["Facets that some readings find and others don't"] + shown
      + (more > 0 ? ["  and \(more) more"] : [])).joined(separator: "\n")
  }

  // MARK: The rest

  private var quotes: String {
    let quotes = card.quotes
    guard quotes.offered > 0 else { return "No quotes were offered." }
    func part(_ count: Int) -> String {
      "\(count) (\(JudgeFigures.percent(card.share(count) ?? 0)))"
    }
    var lines = [
      "Quotes: \(quotes.offered) offered",
      "  " + "word for word".padded(to: 17, gap: 1) + part(quotes.verbatim),
      "  " + "snapped".padded(to: 17, gap: 1) + part(quotes.snapped) + Self.list(quotes.snaps),
      "  " + "refused".padded(to: 17, gap: 1) + part(quotes.refused),
    ]
    lines += quotes.refusals.map { "    \($0.count) × \(JudgeFigures.name(ofRefusal: $0.name))" }
    return lines.joined(separator: "\n")
  }

  private var labels: String? {
    guard let labels = card.labels else { return nil }
    func row(_ name: String, _ value: String) -> String {
      "  " + name.padded(to: 24, gap: 1) + value
    }
    return [
      "Agreement with \(labels.conversations) labeled conversations, \(labels.prefixes) prefixes",
      row("F1", JudgeFigures.score(labels.f1)),
      row("precision", JudgeFigures.score(labels.precision)),
      row("recall", JudgeFigures.score(labels.recall)),
      row("error of the overall", JudgeFigures.score(labels.error)),
      row("same decision", JudgeFigures.share(labels.decisions)),
    ].joined(separator: "\n")
  }

  private var cost: String {
    let cost = card.cost
    var requests = "\(cost.requests) requests"
    if cost.repairs > 0 { requests += " (\(cost.repairs) because an answer was unusable)" }
    var tokens = "\(cost.inputTokens) input and \(cost.outputTokens) output tokens"
    if cost.uncounted > 0 { tokens += " (unknown for \(cost.uncounted))" }
    return """
      Cost: \(requests)
        \(tokens)
        \(JudgeFigures.seconds(cost.medianMilliseconds)) for a reading (median), \
      \(JudgeFigures.seconds(cost.milliseconds)) for all, one after another
      """
  }

  private var errors: String? {
    guard !card.errors.isEmpty else { return nil }
    let failed = card.errors.reduce(0) { $0 + $1.count }
    return (["Failed readings: \(failed)"] + card.errors.map { "  \($0.count) × \($0.name)" })
      .joined(separator: "\n")
  }

  private static func list(_ counts: [JudgeCard.Count]) -> String {
    counts.isEmpty ? "" : ": " + counts.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
  }
}

/// A card's figures, the same in the terminal and on the page.
enum JudgeFigures {
  static func name(of change: HarmlessChange) -> String {
    switch change {
    case .again: "read again"
    case .order: "other order"
    case .wording: "reworded"
    case .coachTurn: "coach turn more"
    }
  }

  static func name(ofRefusal name: String) -> String {
    switch QuoteFitter.Rejection(rawValue: name) {
    case .empty: "empty"
    case .notVerbatim: "not the user's words"
    case .tooShort: "too short to mean anything alone"
    case nil: name
    }
  }

  /// `2.1% [0.4–4.2]`
  static func share(_ estimate: Estimate?) -> String {
    guard let estimate else { return "–" }
    func bound(_ value: Double) -> String { String(percent(value).dropLast()) }
    guard estimate.isInterval else { return percent(estimate.value) }
    return "\(percent(estimate.value)) [\(bound(estimate.low))–\(bound(estimate.high))]"
  }

  /// `0.81 [0.77–0.85]`
  static func score(_ estimate: Estimate?) -> String {
    guard let estimate else { return "–" }
    guard estimate.isInterval else { return score(estimate.value) }
    return "\(score(estimate.value)) [\(score(estimate.low))–\(score(estimate.high))]"
  }

  /// With one decimal below ten percent.
  static func percent(_ share: Double) -> String {
    let thousandths = Int((share * 1_000).rounded())
    return thousandths < 100
      ? "\(thousandths / 10).\(thousandths % 10)%" : "\(Int((share * 100).rounded()))%"
  }

  static func score(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100)." + String(100 + hundredths % 100).dropFirst()
  }

  static func seconds(_ milliseconds: Int) -> String {
    milliseconds < 60_000
      ? "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
      : "\(milliseconds / 60_000) min \(milliseconds / 1_000 % 60) s"
  }
}
