import ContextQuality
import Signals

/// A change to a goal that rules can make. The new text is always the person's own.
struct GoalEdit {
  /// The fields that a pack's rules can name.
  enum Field: String, CaseIterable { case primary, measure, byWhen, why, milestones }

  private let text: PlacedText
  private let rules: DocumentRules

  init(_ words: String, _ rules: DocumentRules) {
    self.rules = rules
    text = PlacedText(words)
  }

  /// Nil if the words ask for nothing that rules can do.
  ///
  /// - Throws: If they name an amount that the goal has no place for.
  func applied(to goal: GoalContract) throws(DraftError) -> GoalContract? {
    var changed = goal
    var isChanged = remove(from: &changed)
    if !isChanged { isChanged = try changeMilestone(in: &changed) }
    isChanged = isChanged || replace(rules.goalEdits.cues, in: &changed)
    if !isChanged {
      // Its amount isn't the goal's.
      if isAboutMilestones { return nil }
      isChanged = swap(in: &changed)
    }
    if !isChanged, let amount = lonelyAmount {
      throw DraftError(words: DocumentWords.noPlace(for: amount))
    }
    isChanged = isChanged || !isVague && replace(rules.goalEdits.otherwise, in: &changed)
    guard isChanged else { return nil }
    // What a quote supported no longer stands there.
    let replaced = Field.allCases.filter { changed[$0] != goal[$0] }
    changed.restsOn.removeAll { support in
      replaced.contains { support.path.hasPrefix("/\($0.rawValue)") }
    }
    if changed.byWhen != goal.byWhen { changed.date = nil }
    return changed
  }

  /// By when, if the words say so: "by June".
  var time: String? { text.first(rules.goalEdits.times).map { text[$0] } }

  private func remove(from goal: inout GoalContract) -> Bool {
    guard
      let field = rules.goalEdits.names.first(where: { text.says(rules.refused, of: $0.phrases) })?
        .field, field != .primary
    else { return false }
    goal[field] = ""
    return true
  }

  private var isAboutMilestones: Bool {
    let amounts = text.all(rules.goalEdits.amounts)
    return rules.goalEdits.names.filter { $0.field == .milestones }.flatMap { text.all($0.phrases) }
      .contains { name in !amounts.contains { $0.overlaps(name) } }
  }

  /// - Throws: If there are several, and it could be any of them.
  private func changeMilestone(in goal: inout GoalContract) throws(DraftError) -> Bool {
    guard let place = text.first(rules.goalEdits.milestoneChanges), let new = text.behind(place)
    else { return false }
    guard goal.milestones.count < 2 else {
      throw DraftError(words: DocumentWords.severalMilestones)
    }
    goal.milestones = [.init(what: PlacedText.sentence(new))]
    return true
  }

  /// "Make it more ambitious" and "make it realistic" name no goal.
  private var isVague: Bool {
    let edits = rules.goalEdits
    guard let cue = edits.otherwise.lazy.compactMap({ text.first($0.phrases) }).first,
      let rest = text.behind(cue)
    else { return false }
    return edits.vague.match(rest)
  }

  /// What somebody wants, where they begin with what they don't: "I don't want to lose weight, just feel less
  /// tired". Nil if they don't begin so, or say nothing else.
  static func wanted(in text: String, _ rules: DocumentRules) -> String? {
    guard rules.goalEdits.unwanted.match(text) else { return nil }
    let clauses = text.replacing(/\s+but\s+/, with: ",").split(separator: ",").map {
      String($0).trimmed
    }
    guard let clause = clauses.first(where: { !rules.goalEdits.unwanted.match($0) }) else {
      return nil
    }
    let placed = PlacedText(clause)
    let rest = placed.first(rules.goalEdits.leadIns).map { placed.behind($0) } ?? clause
    return rest.map(PlacedText.sentence)
  }

  /// Takes what stands behind a cue.
  private func replace(_ cues: [DocumentRules.Named], in goal: inout GoalContract) -> Bool {
    for cue in cues {
      guard let place = text.first(cue.phrases), let new = text.behind(place) else { continue }
      if cue.field == .milestones {
        goal.milestones.append(.init(what: PlacedText.sentence(new)))
      } else {
        goal[cue.field] = cue.field == .byWhen ? new : PlacedText.sentence(new)
      }
      if cue.field == .primary {
        if let time = text.first(rules.goalEdits.times) { goal.byWhen = text[time] }
        // It measured the goal that was there.
        goal.measure = nil
      }
      return true
    }
    return false
  }

  /// Puts another time or amount where the goal has one.
  private func swap(in goal: inout GoalContract) -> Bool {
    let (times, amounts) = (rules.goalEdits.times, rules.goalEdits.amounts)
    var isChanged = false
    if let time = text.first(times).map({ text[$0] }) ?? span {
      goal.byWhen = time
      let primary = PlacedText(goal.primary)
      if let place = primary.first(times) { goal.primary = primary.replacing(place, with: time) }
      isChanged = true
    }
    if let place = text.first(amounts) {
      let isInGoal = put(place, into: &goal.primary, orUnnamed: true)
      var measure = goal.measure ?? ""
      if put(place, into: &measure, orUnnamed: false, evenLevel: !isInGoal) {
        goal.measure = measure
        isChanged = true
      }
      isChanged = isChanged || isInGoal
    }
    return isChanged
  }

  /// Puts an amount where a text has one of the same unit, or a thing that it can stand for.
  private func put(
    _ place: Range<Int>, into text: inout String, orUnnamed: Bool, evenLevel: Bool = true
  ) -> Bool {
    let (old, new) = (PlacedText(text), self.text)
    let isWeight = rules.goalEdits.unnamedAmounts.match(new[place])
    if let there = old.first(rules.goalEdits.amounts),
      old.unit(there) == new.unit(place)
        || isWeight && rules.goalEdits.unnamedAmounts.match(old[there])
    {
      guard evenLevel || !old.follows(rules.goalEdits.levels, there) else { return false }
      text = old.replacing(there, with: new[place])
      return true
    }
    guard orUnnamed, isWeight, let there = old.first(rules.goalEdits.unnamed)
    else { return false }
    // The verb stays.
    text = old.replacing(there.lowerBound + 1..<there.upperBound, with: new[place])
    return true
  }

  /// An amount in words that say nothing else: "make it 8 kg, please".
  private var lonelyAmount: String? {
    let edits = rules.goalEdits
    guard let cue = edits.otherwise.lazy.compactMap({ text.first($0.phrases) }).first,
      let rest = text.behind(cue).map(PlacedText.init), let amount = rest.first(edits.amounts),
      rest.holds(nothingBut: [edits.amounts, edits.times, edits.fillers])
    else { return nil }
    return rest[amount]
  }

  /// "Six months" as "in six months".
  private var span: String? {
    guard let prefix = rules.goalEdits.spanPrefix, let place = text.first(rules.goalEdits.spans)
    else { return nil }
    return "\(prefix) \(text[place])"
  }
}

extension GoalContract {
  /// A field's text; empty if it has none. Setting nothing leaves it out.
  fileprivate subscript(field: GoalEdit.Field) -> String {
    get {
      switch field {
      case .primary: primary
      case .measure: measure ?? ""
      case .byWhen: byWhen ?? ""
      case .why: why ?? ""
      case .milestones: milestones.map(\.what).joined(separator: "\n")
      }
    }
    set {
      let text = newValue.isEmpty ? nil : newValue
      switch field {
      case .primary: primary = newValue
      case .measure: measure = text
      case .byWhen: byWhen = text
      case .why: why = text
      case .milestones: milestones = []
      }
    }
  }
}

/// A text whose words know where they stand, so that what a phrase finds can be quoted and replaced.
private struct PlacedText {
  private let tokens: [Substring]
  private var words: [String] = []
  /// The token of each word: "10kg" is two words.
  private var places: [Int] = []

  init(_ text: String) {
    tokens = text.split(whereSeparator: \.isWhitespace)
    for (index, token) in tokens.enumerated() {
      for word in Words(String(token)).all {
        words.append(word)
        places.append(index)
      }
    }
  }

  /// The first and longest place of any of the phrases, in tokens.
  func first(_ phrases: Phrases) -> Range<Int>? {
    found(phrases).map { places[$0.lowerBound]..<places[$0.upperBound - 1] + 1 }
  }

  func all(_ phrases: Phrases) -> [Range<Int>] {
    phrases.places(in: words).filter { !$0.isEmpty }.map {
      places[$0.lowerBound]..<places[$0.upperBound - 1] + 1
    }
  }

  /// Whether one phrase stands just before another: "no milestones", "drop the two milestones".
  func says(_ phrases: Phrases, of others: Phrases) -> Bool {
    let ends = phrases.places(in: words).map(\.upperBound)
    return others.places(in: words).contains { other in
      ends.contains { (0..<Self.reach).contains(other.lowerBound - $0) }
    }
  }

  private static let reach = 3

  /// Whether one of the phrases stands right before a place.
  func follows(_ phrases: Phrases, _ place: Range<Int>) -> Bool {
    phrases.places(in: words).contains { places[$0.upperBound - 1] == place.lowerBound - 1 }
  }

  func holds(nothingBut phrases: [Phrases]) -> Bool {
    let known = Set(phrases.flatMap { $0.places(in: words) }.flatMap { Array($0) })
    return words.indices.allSatisfy(known.contains)
  }

  private func found(_ phrases: Phrases) -> Range<Int>? {
    phrases.places(in: words).filter { !$0.isEmpty }
      .min { ($0.lowerBound, -$0.upperBound) < ($1.lowerBound, -$1.upperBound) }
  }

  subscript(_ place: Range<Int>) -> String {
    Self.trimmed(tokens[place].joined(separator: " "))
  }

  /// Nil if nothing stands there.
  func behind(_ place: Range<Int>) -> String? {
    let text = self[place.upperBound..<tokens.count]
    return text.isEmpty ? nil : text
  }

  /// The words behind a place's number.
  func unit(_ place: Range<Int>) -> [String] {
    zip(words, places).filter { place.contains($0.1) && PhrasePattern.value($0.0) == nil }
      .map(\.0)
  }

  func replacing(_ place: Range<Int>, with text: String) -> String {
    let ending = tokens[place].last?.reversed().prefix { $0.isPunctuation }.reversed() ?? []
    return
      (tokens[..<place.lowerBound].map(String.init) + [text + String(ending)]
      + tokens[place.upperBound...].map(String.init)).joined(separator: " ")
  }

  static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  private static func trimmed(_ text: String) -> String {
    let front = text.drop { $0.isPunctuation || $0.isWhitespace }
    return String(front.reversed().drop { $0.isPunctuation || $0.isWhitespace }.reversed())
  }
}
