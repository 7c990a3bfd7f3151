import ContextQuality
import Plans

extension Journey {
  /// The flow as text, a step a line, with its conditions and jumps.
  public var outline: String {
    var lines = ["\(name) \(version): \(title)"]
    var section: String?
    for step in steps {
      if step.section != section {
        section = step.section
        if let section, let title = sections.first(where: { $0.id == section })?.title {
          lines.append("  \(title)")
        }
      }
      lines.append("    \(step.id) (\(step.kind.rawValue))  \(step.title)")
      if let when = step.when { lines.append("      when \(when.words)") }
      for edge in edges(of: step) where edge.isJump {
        lines.append("      \(edge.label.map { "\($0) " } ?? "")-> \(edge.target.name)")
      }
      for reminder in step.reminders {
        lines.append(
          "      again after \(reminder.afterDays) days: \(reminder.from) to \(reminder.to)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The flow as a Mermaid diagram.
  public var mermaid: String {
    var lines = ["flowchart TD"]
    for step in steps {
      let condition = step.when.map { "(when \($0.words))" }
      let words = [step.id, step.title, condition].compactMap(\.self).map {
        $0.replacing("\"", with: "#quot;").replacing("\n", with: " ")
      }.joined(separator: "<br/>")
      let shape = step.kind == .choice ? ("{", "}") : ("[", "]")
      lines.append("  \(node(step.id))\(shape.0)\"\(words)\"\(shape.1)")
    }
    lines.append("  \(node(Target.endName))([end])")
    for step in steps {
      for edge in edges(of: step) {
        let label = edge.label.map { "|\($0.replacing("|", with: "/"))|" } ?? ""
        lines.append("  \(node(step.id)) -->\(label) \(node(edge.target.name))")
      }
      for target in skips(of: step) {
        lines.append("  \(node(step.id)) -.-> \(node(target.name))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `end` is a word of Mermaid's own, so no node is called that.
  private func node(_ id: String) -> String { "s_" + id.replacing("-", with: "_") }

  /// Where a step leads if the steps right behind it are not shown.
  private func skips(of step: Step) -> [Target] {
    var skips: [Target] = []
    for edge in edges(of: step) {
      var target = edge.target
      while case .step(let id) = target, let next = self[step: id], next.when != nil {
        target = following(next)
        if !skips.contains(target) { skips.append(target) }
      }
    }
    return skips
  }

  private struct Edge {
    var target: Target
    var label: String?
    var isJump: Bool
  }

  private func edges(of step: Step) -> [Edge] {
    let following = following(step)
    guard case .choice(let options) = step.content else {
      return [Edge(target: following, label: nil, isJump: step.next != nil)]
    }
    return options.map { option in
      Edge(
        target: option.next ?? following, label: option.label,
        isJump: true)
    }
  }
}

extension Condition {
  /// As people say it, for charts.
  var words: String {
    switch self {
    case .all(let parts): parts.map(\.words).joined(separator: " and ")
    case .any(let parts): parts.map(\.words).joined(separator: " or ")
    case .not(let part): "not (\(part.words))"
    case .field(let name, .isOneOf(let texts)): "\(name) is \(texts.joined(separator: " or "))"
    case .field(let name, .atLeast(let least)): "\(name) is at least \(Measure.number(least))"
    case .field(let name, .atMost(let most)): "\(name) is at most \(Measure.number(most))"
    case .field(let name, .answered(let isAnswered)):
      "\(name) \(isAnswered ? "was" : "wasn't") answered"
    case .known(let facets): facets.map(\.description).joined(separator: ", ") + " known"
    case .missing(let facets): facets.map(\.description).joined(separator: ", ") + " missing"
    case .scoreBelow(let points): "the score is below \(Double(points) / 10_000)"
    case .signedIn(let isSignedIn): isSignedIn ? "signed in" : "not signed in"
    case .accounts(let areSetUp): areSetUp ? "accounts are set up" : "no accounts are set up"
    case .permission(let permission, let granted):
      "\(permission.rawValue) \(granted ? "allowed" : "not allowed")"
    }
  }
}
