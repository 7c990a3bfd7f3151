public import HealthRecords
import Intake

/// The constraints that hold, wait for a yes, or are archived. None is ever deleted.
public struct ConstraintBook: Hashable, Sendable {
  public enum Status: Hashable, Sendable {
    /// Said in passing; it is not respected yet.
    case proposed
    case active
    case archived(on: Day)
    /// The person said no.
    case refused
  }

  /// A message of the person, and the day on which it came.
  struct Said: Hashable, Sendable {
    var text: String
    var day: Day

    /// What a reading quoted of it.
    var quotes: Set<String> = []

    /// The words that a limit rests on: its own if the person said them, or the only ones that were quoted.
    func quote(about detail: String) -> String? {
      let quote = text.firstRange(of: detail).map { String(text[$0]) }
      return [quote, quotes.count == 1 ? quotes.first : nil].compactMap(\.self)
        .first { !PlainWords.split($0).isEmpty }
    }
  }

  public struct Item: Hashable, Sendable {
    public var constraint: KeptConstraint
    public var status: Status
    /// The questions about it so far.
    public var asked: [ConstraintQuestion] = []
    /// The user's words when it was settled.
    public var words: String?
  }

  public private(set) var items: [Item] = []
  /// The question that waits for an answer.
  public private(set) var open: ConstraintQuestion?

  public init() {}

  public subscript(id: String) -> Item? { items.first { $0.constraint.id == id } }

  /// Those that somebody can mean: the one with this id or this number, counted from 1 in order, or
  /// all whose detail has these words.
  package func items(named name: String) -> [Item] {
    if let item = self[name] { return [item] }
    if let number = Int(name) {
      return items.indices.contains(number - 1) ? [items[number - 1]] : []
    }
    let words = PlainWords.split(name)
    guard !words.isEmpty else { return [] }
    return items.filter { item in
      let said = PlainWords.split(item.constraint.detail)
      return said.indices.contains { said[$0...].starts(with: words) }
    }
  }

  /// Those that coaching respects now.
  public var active: [KeptConstraint] {
    items.filter { $0.status == .active }.map(\.constraint)
  }

  /// All of them with their numbers, counted from 1.
  var numbered: [(number: Int, item: Item)] { items.indices.map { ($0 + 1, items[$0]) } }

  /// Takes over a profile's. What was asked about, archived or said later stays.
  ///
  /// - Parameter said: The person's messages, by turn. A limit is of the day of the one it rests on, whatever a
  ///   model wrote.
  mutating func adopt(_ system: CoachingSystem, on day: Day, said: [Int: Said] = [:]) {
    let hidden = Set(system.unsupported)
    items.removeAll {
      $0.constraint.id.contains("/") && $0.asked.isEmpty && $0.status == .active && $0.words == nil
    }
    for (name, path) in Constraints.lists {
      guard let list = KeptConstraint.List(rawValue: name) else { continue }
      for (index, constraint) in system.constraints[keyPath: path].enumerated() {
        let pointer = "/constraints/\(name)/\(index)"
        let isKnown = items.contains {
          $0.constraint.list == list && $0.constraint.detail == constraint.detail
        }
        guard !hidden.contains(pointer), !isKnown else { continue }
        let turn = system.restsOn[pointer]?.first
        let answer = turn == nil ? system.restsOnAnswers?[pointer]?.first : nil
        let source = turn.flatMap { said[$0] }
        let told = min(Day(constraint.notedAt) ?? day, day)
        items.append(
          Item(
            constraint: KeptConstraint(
              id: freeID("\(name)/\(index)"), list: list, about: constraint.type,
              detail: constraint.detail, notedAt: source?.day ?? told,
              beginsAt: constraint.startsAt.flatMap { Day($0) },
              expiresAt: constraint.expiresAt.flatMap { Day($0) },
              origin: .init(
                turn: turn, step: answer?.step,
                quote: answer?.answer ?? source?.quote(about: constraint.detail))),
            status: .active))
      }
    }
  }

  /// An earlier constraint may have the same name.
  func freeID(_ id: String) -> String {
    var (free, number) = (id, 2)
    while self[free] != nil { (free, number) = ("\(id).\(number)", number + 1) }
    return free
  }

  private mutating func propose(_ constraint: KeptConstraint) {
    guard self[constraint.id] == nil else { return }
    items.append(Item(constraint: constraint, status: .proposed))
  }

  private mutating func ask(_ question: ConstraintQuestion) {
    guard let place = place(question.constraint) else { return }
    items[place].asked.append(question)
    open = question
  }

  private mutating func settle(_ answer: ConstraintAnswer, on day: Day) {
    if open?.constraint == answer.constraint { open = nil }
    guard let place = place(answer.constraint) else { return }
    if let words = answer.words { items[place].words = words }
    switch answer.outcome {
    case .holds:
      items[place].status = .active
      if let detail = answer.detail { items[place].constraint.detail = detail }
      if let about = answer.about { items[place].constraint.about = about }
      if let first = answer.beginsAt { items[place].constraint.beginsAt = first }
      if answer.lasts == true {
        (items[place].constraint.expiresAt, items[place].constraint.asksAt) = (nil, nil)
      }
      guard let day = answer.expiresAt else { return }
      // What was told without its last day has none now either.
      let isGuess = items[place].constraint.asksAt != nil && wasLapsed(place)
      if isGuess {
        items[place].constraint.asksAt = day
      } else {
        items[place].constraint.expiresAt = day
      }
    case .archived: items[place].status = .archived(on: day)
    case .refused: items[place].status = .refused
    case .unanswered:
      // What lapsed is archived all the same; anything else stays as it was.
      let end = items[place].constraint.expiresAt ?? items[place].constraint.asksAt
      if wasLapsed(place), let end, let asked = items[place].asked.last?.on, end < asked {
        items[place].status = .archived(on: day)
      }
    }
  }

  private func wasLapsed(_ place: Int) -> Bool { items[place].asked.last?.reason == .lapsed }

  /// Folds an event about a limit; any other changes nothing.
  mutating func apply(_ event: CoachingEvent, on day: Day) {
    switch event {
    case .constraintProposed(let constraint): propose(constraint)
    case .constraintAsked(let question): ask(question)
    case .constraintSettled(let answer): settle(answer, on: day)
    default: break
    }
  }

  /// Takes over a limit that was added to the profile, or its words that were put right.
  mutating func apply(_ amendment: Amendment, on day: Day) {
    let parts = amendment.pointer.split(separator: "/")
    guard parts.first == "constraints", parts.count == 4 else { return }
    guard let new = amendment.new else {
      let place = items.lastIndex {
        $0.constraint.list.rawValue == parts[1] && $0.constraint.detail == amendment.old
      }
      if let place { items[place].status = .archived(on: day) }
      return
    }
    if amendment.isNewLimit, let list = KeptConstraint.List(rawValue: String(parts[1])) {
      let limit = KeptConstraint(
        id: freeID("\(parts[1])/\(parts[2])"), list: list, about: "", detail: new, notedAt: day,
        origin: .init(turn: amendment.turn, quote: amendment.quote))
      items.append(Item(constraint: limit, status: .active))
    }
    guard
      let place = items.firstIndex(where: {
        $0.constraint.list.rawValue == parts[1] && $0.constraint.detail == amendment.old
      })
    else { return }
    items[place].constraint.detail = new
    items[place].constraint.origin = .init(turn: amendment.turn, quote: amendment.quote)
  }

  private func place(_ id: String) -> Int? { items.firstIndex { $0.constraint.id == id } }
}
