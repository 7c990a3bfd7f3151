import ContextQuality

/// A change to the profile after it was summarized: a correction, a wish, or a new goal.
public struct Amendment: Hashable, Sendable, Codable {
  /// JSON Pointer (RFC 6901) of the field, such as `/userGoals/primary`. A list's `-` is the place after its
  /// last item.
  public var pointer: String
  /// What stood there; nil if nothing did.
  public var old: String?
  /// What stands there now; nil for nothing.
  public var new: String?
  /// The user turn, counted from 1; nil if it was typed as a command.
  public var turn: Int?
  /// The user's words.
  public var quote: String?
  /// The review whose proposal it was.
  public var review: Int?
  /// The day of a limit that it adds, `yyyy-MM-dd`; nil for anything else.
  public var notedAt: String?

  public init(
    _ pointer: String, from old: String?, to new: String?, turn: Int? = nil, quote: String? = nil,
    review: Int? = nil
  ) {
    (self.pointer, self.old, self.new) = (pointer, old, new)
    (self.turn, self.quote, self.review) = (turn, quote, review)
  }

  public static let goal = "/userGoals/primary"
  /// What was noted beside the facts. It can be taken out, and says nothing else.
  static let notes = "/about/notes"

  package var isNewLimit: Bool { old == nil && pointer.hasPrefix("/constraints/") }
}

// Who the coach is and what code fills in can't be amended. What hurts and what passes comes and goes by events of its
// own; only its words can be put right.
extension CoachingSystem {
  private var notes: [String]? {
    get { about?.notes }
    set { about?.notes = newValue ?? [] }
  }

  private static let constraintPrefix = "/constraints/"

  private enum Place {
    case text(WritableKeyPath<CoachingSystem, String?>)
    /// `index` is the list's count for the place after the last item.
    case item(WritableKeyPath<CoachingSystem, [String]?>, index: Int)
    /// `index` is the list's count for a new one.
    case limit(WritableKeyPath<Constraints, [Constraint]>, index: Int)
  }

  private static var limitFields: [Substring: WritableKeyPath<Constraint, String?>] {
    ["impact": \.impact, "availability": \.availability]
  }

  private static let addedType = "said"
  /// The lists that can get a new limit.
  private static let growing: Set<Substring> = ["time", "resources"]

  private func place(_ pointer: String) -> Place? {
    if pointer.hasPrefix(Self.constraintPrefix) {
      return placeOfLimit(Array(pointer.split(separator: "/").dropFirst()))
    }
    let slash = pointer.lastIndex(of: "/") ?? pointer.startIndex
    let (list, name) = (pointer[..<slash], pointer[slash...].dropFirst())
    for field in ProfileField.all where field.isAmendable {
      switch field.content {
      case .text(let path) where field.pointer == pointer: return .text(path)
      case .list(let path) where field.pointer == list: return item(name, of: path)
      default: continue
      }
    }
    return list == Amendment.notes ? item(name, of: \.notes) : nil
  }

  private func item(
    _ name: Substring, of list: WritableKeyPath<CoachingSystem, [String]?>
  ) -> Place? {
    let count = self[keyPath: list]?.count ?? 0
    let index = name == "-" ? count : Int(name)
    return index.flatMap { (0...count).contains($0) ? .item(list, index: $0) : nil }
  }

  /// - Parameter parts: Such as `time`, `0` and `detail`.
  private func placeOfLimit(_ parts: [Substring]) -> Place? {
    guard parts.count > 1, let path = Constraints.lists.first(where: { $0.name == parts[0] })?.path
    else { return nil }
    let (count, grows) = (constraints[keyPath: path].count, Self.growing.contains(parts[0]))
    guard parts.count > 2 else {
      return grows && parts[1] == "-" ? .limit(path, index: count) : nil
    }
    guard let index = Int(parts[1]), index >= 0 else { return nil }
    if parts.count == 3, parts[2] == "detail" {
      return index < count + (grows ? 1 : 0) ? .limit(path, index: index) : nil
    }
    guard index < count else { return nil }
    let own: WritableKeyPath<CoachingSystem, Constraints> = \.constraints
    let one: WritableKeyPath<[Constraint], Constraint> = \.[index]
    let limit = own.appending(path: path).appending(path: one)
    if parts.count == 3 {
      return Self.limitFields[parts[2]].map { .text(limit.appending(path: $0)) }
    }
    // A limitation has a number, and not "-" for a new one.
    guard parts.count == 4, parts[2] == "limitations", Int(parts[3]) != nil else { return nil }
    return item(parts[3], of: limit.appending(path: \.limitations))
  }

  private func text(at place: Place) -> String? {
    switch place {
    case .text(let path): self[keyPath: path]
    case .item(let list, let index): (self[keyPath: list] ?? []).dropFirst(index).first
    case .limit(let path, let index):
      constraints[keyPath: path].dropFirst(index).first?.detail
    }
  }

  /// Whether this place can be amended. Limits have events of their own.
  func canSay(_ pointer: String) -> Bool {
    !pointer.hasPrefix(Self.constraintPrefix) && place(pointer) != nil
  }

  /// Whether a place says this already.
  func says(_ text: String, at pointer: String) -> Bool {
    place(pointer).map { PlainText.line(text).trimmed == (self.text(at: $0) ?? "") } ?? false
  }

  /// The amendment that gives a place a text; nil if no such place can be amended, or if it says so already.
  ///
  /// - Parameter text: Blank for nothing.
  package func amendment(_ pointer: String, to text: String) -> Amendment? {
    guard let place = place(pointer) else { return nil }
    let old = self.text(at: place)
    let new = PlainText.isBlank(text) ? nil : text.trimmed
    if new == old { return nil }
    switch place {
    // One that was added is taken out again as long as it's the last.
    case .limit(let path, let index) where new == nil:
      let limits = constraints[keyPath: path]
      guard index == limits.count - 1, limits[index].type == Self.addedType else { return nil }
      return Amendment(pointer, from: old, to: nil)
    case .text where new == nil && pointer == Amendment.goal: return nil
    case .item where new != nil && pointer.hasPrefix(Amendment.notes): return nil
    case .item(_, let index):
      // "-" is named by what it becomes.
      let list = pointer[...(pointer.lastIndex(of: "/") ?? pointer.startIndex)]
      return Amendment("\(list)\(index)", from: old, to: new)
    case .limit(_, let index) where pointer.hasSuffix("-"):
      return Amendment("\(pointer.dropLast())\(index)/detail", from: nil, to: new)
    case .text, .limit: return Amendment(pointer, from: old, to: new)
    }
  }

  /// Puts an amendment in. One whose place is gone changes nothing.
  mutating func take(_ amendment: Amendment) {
    guard let place = place(amendment.pointer) else { return }
    switch place {
    case .text(let path):
      self[keyPath: path] = amendment.new
      if amendment.pointer.hasPrefix(Self.constraintPrefix) { return }
    case .item(let list, let index):
      var items = self[keyPath: list] ?? []
      items.replaceSubrange(
        index..<min(index + 1, items.count), with: amendment.new.map { [$0] } ?? [])
      self[keyPath: list] = items
      return
    case .limit(let path, let index):
      if let new = amendment.new, index == constraints[keyPath: path].count {
        constraints[keyPath: path].append(
          Constraint(type: Self.addedType, detail: new, notedAt: amendment.notedAt ?? ""))
      } else if let new = amendment.new {
        constraints[keyPath: path][index].detail = new
      } else if constraints[keyPath: path].indices.contains(index) {
        constraints[keyPath: path].remove(at: index)
      }
    }
    let pointer =
      if case .limit = place { String(amendment.pointer.dropLast("/detail".count)) } else {
        amendment.pointer
      }
    // What they said or set themselves rests on them.
    unsupported.removeAll { $0 == pointer }
    if restsOn[pointer] != nil || amendment.turn != nil {
      restsOn[pointer] = amendment.turn.map { [$0] }
    }
    restsOnReadings?[pointer] = nil
    restsOnAnswers?[pointer] = nil
    // A goal that was typed says itself by when.
    if pointer == Amendment.goal, amendment.turn == nil {
      userGoals.timeline = nil
      restsOn["/userGoals/timeline"] = nil
    }
    missing.removeAll { $0 == pointer }
    missing += openPointers.filter { !missing.contains($0) }
  }
}
