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
  func bars(_ components: ContextComponents) -> String {
    let bars = components.components.map {
      BarChart.Bar(label: rubric[component: $0.name]?.title ?? $0.name, value: $0.score)
    }
    let chart = BarChart.render(bars, width: min(width, 72), alphabet: alphabet)
    return chart + "\n" + overall(components)
  }

  /// Every facet that is known, with the words that support it, and every one that is missing.
  func ledger(_ state: IntakeState, _ components: ContextComponents) -> String {
    var lines: [String] = [overall(components), ""]
    for component in state.rubric.components {
      let percent = components[component.name]?.percent ?? 0
      lines.append("\(component.title): \(percent)%")
      for facet in component.facets { lines.append("  " + line(facet, state.ledger)) }
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ facet: Rubric.FacetDefinition, _ ledger: Ledger) -> String {
    guard let evidence = ledger.evidence(for: facet.facet) else {
      return "- \(facet.title): not known"
    }
    switch evidence.basis {
    case .quote(let quote, let turn): return "+ \(facet.title): \"\(quote)\" (turn \(turn))"
    case .reading(let reading, let source): return "+ \(facet.title): \(reading) (\(source))"
    }
  }

  /// A facet as people call it.
  func title(of facet: Facet) -> String { rubric[facet]?.title ?? facet.name }

  private func overall(_ components: ContextComponents) -> String {
    let ready = components.isReadyForCoaching ? "ready" : "not ready yet"
    return
      "overall \(Self.score(components.points)), \(ready) (above \(Self.score(components.readyAbove)))"
  }

  /// Ten-thousandths as a fraction, rounded down: a score just short of the bar looks short of it.
  static func score(_ points: Int) -> String {
    let hundredths = points / 100
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
