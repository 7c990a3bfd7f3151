import ContextQuality
import Intake
import Terminal

/// What is known, for people who want to look behind the conversation.
struct InsightText {
  /// Titles for people; files and flags have names.
  let rubric: Rubric
  let width: Int
  let alphabet: BarChart.Alphabet

  /// The components as bars, with the overall score.
  func bars(_ components: ContextComponents, _ texts: ScreenTexts) -> String {
    let bars = components.components.map {
      BarChart.Bar(
        label: rubric[component: $0.name].map(texts.title(of:)) ?? $0.name, value: $0.score)
    }
    let chart = BarChart.render(bars, width: min(width, 72), alphabet: alphabet)
    return chart + "\n" + overall(components, texts)
  }

  /// Every facet that is known, with the words that support it, and every one that is missing.
  func ledger(
    _ state: IntakeState, _ components: ContextComponents, _ texts: ScreenTexts
  ) -> String {
    var lines: [String] = [overall(components, texts), ""]
    for component in state.rubric.components {
      let percent = components[component.name]?.percent ?? 0
      lines.append("\(texts.title(of: component)): \(percent)%")
      for facet in component.facets { lines.append("  " + line(facet, state.ledger, texts)) }
    }
    return lines.joined(separator: "\n")
  }

  /// What is understood, with the words behind it, and what the way of writing may mean.
  func person(
    _ state: IntakeState, _ signals: [Signal], _ pack: PromptPack, _ texts: ScreenTexts
  ) -> String {
    let parts = state.understanding.parts.map { part -> String in
      let title = texts.title(of: part, in: pack)
      guard part.turn > 0 else { return "  + \(title): \(part.quote)" }
      return "  + "
        + texts(.insightQuote, ["title": title, "quote": part.quote, "turn": "\(part.turn)"])
    }
    let supposed = signals.map { "  ? " + texts.evidence(of: $0) }
    var lines: [String] = []
    if !parts.isEmpty { lines += ["", texts(.insightUnderstood)] + parts }
    if !supposed.isEmpty { lines += ["", texts(.insightSupposed)] + supposed }
    return lines.map { "\n" + $0 }.joined()
  }

  private func line(
    _ facet: Rubric.FacetDefinition, _ ledger: Ledger, _ texts: ScreenTexts
  ) -> String {
    let title = texts.title(of: facet)
    switch ledger.evidence(for: facet.facet)?.basis {
    case .quote(let quote, let turn)?:
      return "+ " + texts(.insightQuote, ["title": title, "quote": quote, "turn": "\(turn)"])
    case .reading(let reading, let source)?: return "+ \(title): \(reading) (\(source))"
    case .answer(let answer)?:
      return "+ \(title): \"\(answer.text)\" (\(answer.wording))"
    case nil: return "- " + texts(.insightUnknown, ["title": title])
    }
  }

  /// A facet as people call it.
  func title(of facet: Facet, _ texts: ScreenTexts) -> String {
    rubric[facet].map(texts.title(of:)) ?? facet.name
  }

  private func overall(_ components: ContextComponents, _ texts: ScreenTexts) -> String {
    texts(
      .insightOverall,
      [
        "score": components.points.shownAsScore, "bar": components.readyAbove.shownAsScore,
        "isReady": components.isReadyForCoaching ? "yes" : "",
      ])
  }
}
