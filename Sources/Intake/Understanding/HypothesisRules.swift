import ContextQuality
import IncrementalJSON
import Mustache

/// What a pack's coach may suppose and then ask about, from its `hypotheses.json`.
struct HypothesisRules: Sendable {
  struct Rule: Sendable {
    enum Basis: Sendable {
      /// A signal, and the values that it may have; nil for any.
      case signal(Signal.Kind, ClosedRange<Int>?)
      /// A part of the understanding, as long as the user has not said it plainly.
      case part(String)
    }

    var name: String
    var basis: Basis
    /// What a yes makes known.
    var facet: Facet
    var ask: PromptTemplate
  }

  private(set) var rules: [Rule] = []

  static let path = "hypotheses.json"
  /// The variables of a question.
  static let variables: Set<String> = ["n", "value", "hour"]
}

extension HypothesisRules {
  private enum Member: String, CaseIterable { case signal, between, part, facet, ask }

  /// - Parameter faults: Receives what is wrong; the rest is read.
  init(
    _ reader: PackReader, _ rubric: Rubric, _ terms: UnderstandingTerms,
    _ faults: inout PackFaults
  ) {
    guard let document = faults.gather(try reader.json(Self.path)) else { return }
    for (name, value) in document.root.objectValue ?? [:] {
      faults.gather(try document.checkKeys(of: value, Member.allCases.map(\.rawValue)))
      let ask = faults.gather { () throws(PackError) in
        let ask = try document.text(value, "ask")
        try PackReader.checkVariables(ask, Self.variables, document, at: name)
        return ask
      }
      let facet = faults.gather { () throws(PackError) in
        guard let facet = value["facet"] else { return try document.text(value, "facet") }
        return try document.facet(facet, of: "\(name): facet", rubric).description
      }
      let basis = faults.gather(try Self.basis(name, value, document, terms))
      guard let ask, let basis, let facet = facet.flatMap({ Facet($0) }) else { continue }
      rules.append(Rule(name: name, basis: basis, facet: facet, ask: PromptTemplate(ask)))
    }
  }

  private static func basis(
    _ name: String, _ value: JSONValue, _ document: PackDocument, _ terms: UnderstandingTerms
  ) throws(PackError) -> Rule.Basis {
    if let part = value["part"]?.stringValue {
      guard terms[part] != nil else {
        let hint = part.hint(among: terms.terms.map(\.id))
        throw document.wrong(
          "\(name): part: \(part) isn't in understanding.json\(hint)", at: "part", in: value)
      }
      return .part(part)
    }
    guard let kind = value["signal"]?.stringValue.flatMap({ Signal.Kind(rawValue: $0) }) else {
      let kinds = Signal.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw document.wrong(
        "\(name): expected a part, or a signal: one of \(kinds)", at: "signal", in: value)
    }
    guard let between = value["between"] else { return .signal(kind, nil) }
    let bounds = (between.arrayValue ?? []).compactMap(\.intValue)
    guard bounds.count == 2, bounds[0] <= bounds[1] else {
      throw document.wrong(
        "\(name): between: expected two numbers in order, found \(between.serialized())",
        at: "between", in: value)
    }
    return .signal(kind, bounds[0]...bounds[1])
  }
}

extension HypothesisRules.Rule {
  /// The values for its question, and what it rests on; nil if nothing suggests it.
  func holds(
    _ signals: [Signal], _ understanding: Understanding
  ) -> (values: [String: String], evidence: String)? {
    switch basis {
    case .signal(let kind, let range):
      guard let signal = signals.first(where: { $0.kind == kind }) else { return nil }
      if let range, !(signal.value.map(range.contains) ?? false) { return nil }
      return (signal.values, signal.evidence)
    case .part(let id):
      guard let part = understanding.parts.first(where: { $0.id == id }),
        part.confidence != .clear
      else { return nil }
      return ([:], "\u{201C}\(PlainText.line(part.quote))\u{201D}")
    }
  }
}

extension PromptPack {
  /// The user messages between two hypotheses.
  private static let turnsBetween = 3

  /// The hypothesis to ask about after the coach's next message; nil if none is due.
  ///
  /// Only what would change the plan is asked about: something unknown, not kept private, and never
  /// asked before. Care comes first.
  func dueHypothesis(_ state: IntakeState, _ signals: [Signal]) throws(PackError) -> Hypothesis? {
    guard state.wasCoached, !state.leavesOutSensitive, state.hypotheses.open == nil,
      let last = state.turns.last, last.care == nil,
      state.lastCareTurn.map({ last.turn - $0 >= Self.turnsBetween }) ?? true,
      state.hypotheses.lastTurn.map({ last.turn - $0 >= Self.turnsBetween }) ?? true
    else { return nil }
    let language = translation(for: state)
    for rule in hypothesisRules.rules where isOpen(rule, state) {
      guard let basis = rule.holds(signals, state.understanding) else { continue }
      let template = language?.hypothesis(rule.name) ?? rule.ask
      let text = try template.parsed("\(folder)/\(HypothesisRules.path)").render(basis.values)
      return Hypothesis(
        name: rule.name, facet: rule.facet, text: text, evidence: basis.evidence, turn: last.turn)
    }
    return nil
  }

  private func isOpen(_ rule: HypothesisRules.Rule, _ state: IntakeState) -> Bool {
    state.hypotheses.settled[rule.name] == nil && !state.ledger.known.contains(rule.facet)
      && !state.withheld.contains(rule.facet) && !state.declined.contains(rule.facet.component)
  }
}
