import ContextQuality

/// Checks a journey as a whole: names, jumps, and whether every step has its place in the flow.
struct JourneyCheck {
  let journey: Journey
  let document: PackDocument
  let rubric: Rubric

  /// - Throws: `PackError` with everything that is wrong.
  func run() throws(PackError) {
    var faults = PackFaults()
    faults.gather(try checkNames())
    for step in journey.steps {
      faults.gather { () throws(PackError) in try check(step) }
    }
    // The flow of steps that aren't there can't be followed.
    try faults.raise()
    for check in [checkFlow, checkFields, checkSignIn, checkMigrations, checkProjection] {
      faults.gather(try check())
    }
    try faults.raise()
  }

  private func fail(_ place: String, _ reason: String) -> PackError {
    document.wrong("\(place): \(reason)")
  }

  func fail(_ step: Step, _ reason: String) -> PackError {
    PackError(
      file: document.file, line: document.line(whereText: "id", is: step.id),
      reason: "step \(step.id): \(reason)")
  }

  private func checkNames() throws(PackError) {
    var seen: Set<String> = [Target.endName]
    for step in journey.steps where !seen.insert(step.id).inserted {
      throw fail(
        step, step.id == Target.endName ? "that name means the end" : "another step has this id")
    }
    var sections: Set<String> = []
    for section in journey.sections where !sections.insert(section.id).inserted {
      throw fail("section \(section.id)", "another section has this id")
    }
  }

  private func check(_ step: Step) throws(PackError) {
    if let section = step.section, !journey.sections.contains(where: { $0.id == section }) {
      throw fail(step, "section \(section) doesn't exist")
    }
    try check(step.when, of: step)
    for line in step.body { try check(line.when, of: step) }
    if let next = step.next { try checkJump(step, to: next, mayGoBack: false) }
    if case .asks(_, let to?) = step.back {
      guard let place = journey.position(of: to), place < index(step) else {
        throw fail(step, "back.to: \(to) isn't an earlier step")
      }
    }
    try checkContent(step)
    for facet in facets(of: step) where rubric[facet] == nil {
      let hint = rubric.hint(for: facet.description)
      throw fail(step, "\(facet) isn't a facet of the rubric\(hint)")
    }
    try checkTexts(of: step)
  }

  private func checkContent(_ step: Step) throws(PackError) {
    switch step.content {
    case .choice(let options):
      try checkIDs(options.map(\.id), step)
      for option in options {
        if let next = option.next { try checkJump(step, to: next, mayGoBack: option.clears) }
        if option.clears, option.next == nil {
          throw fail(step, "option \(option.id) clears, so it needs a next")
        }
        try check(option.reminder, of: step)
      }
    case .select(let options): try checkIDs(options.map(\.id), step)
    case .permission(let input): try check(input.reminder, of: step)
    case .number(let input): for value in input.defaults { try check(value.when, of: step) }
    case .tour(let tips, _): try checkIDs(tips.map(\.id), step)
    case .conversation(let input): try checkIDs(input.topics.map(\.id), step)
    case .signIn(let input): try checkIDs(input.consents.map(\.id), step)
    default: break
    }
  }

  private func checkIDs(_ ids: [String], _ step: Step) throws(PackError) {
    var seen: Set<String> = []
    for id in ids where !seen.insert(id).inserted { throw fail(step, "two are called \(id)") }
  }

  private func checkJump(
    _ step: Step, to target: Target, mayGoBack: Bool
  ) throws(PackError) {
    guard case .step(let id) = target else { return }
    guard let place = journey.position(of: id) else {
      throw fail(step, "next: there is no step \(id)")
    }
    if place <= index(step), !mayGoBack {
      throw fail(step, "next: \(id) isn't a later step, so this could go on for ever")
    }
  }

  private func check(_ reminder: Step.Reminder?, of step: Step) throws(PackError) {
    guard let reminder else { return }
    guard let first = journey.position(of: reminder.from) else {
      throw fail(step, "remind.from: there is no step \(reminder.from)")
    }
    guard let last = journey.position(of: reminder.to) else {
      throw fail(step, "remind.to: there is no step \(reminder.to)")
    }
    guard first <= last else { throw fail(step, "remind.to: \(reminder.to) comes before from") }
  }

  func index(_ step: Step) -> Int { journey.position(of: step.id) ?? 0 }

  var fields: Set<String> { Set(journey.steps.compactMap(\.field?.name)) }

  private func facets(of step: Step) -> [Facet] {
    var facets = (step.field?.facets ?? []) + (step.field?.ignores ?? [])
    if case .select(let options) = step.content { facets += options.flatMap { $0.facets ?? [] } }
    if case .conversation(let input) = step.content { facets += input.topics.flatMap(\.facets) }
    return facets
  }
}

// The flow.
extension JourneyCheck {
  /// Where a step can lead, conditions aside.
  private func targets(of step: Step) -> [Target] {
    var targets: [Target] = []
    let following = journey.following(step)
    switch step.content {
    case .choice(let options):
      targets += options.map { $0.next ?? following }
      // Skipped by its condition, it leads on all the same.
      if step.when != nil { targets.append(following) }
    default: targets.append(following)
    }
    return targets
  }

  private func checkFlow() throws(PackError) {
    if let last = journey.steps.last, last.next == nil, targets(of: last).contains(.end) {
      throw fail(last, "a dead end: the last step needs \"next\": \"end\"")
    }
    // Nil: the end.
    let leads = journey.steps.map { step in
      targets(of: step).map { target -> Int? in
        if case .step(let id) = target { journey.position(of: id) } else { nil }
      }
    }
    let reachable = spread(from: [0]) { leads[$0].compactMap(\.self) }
    let reminded = Set(remindedPlaces.joined())
    for (place, step) in journey.steps.enumerated()
    where !reachable.contains(place) && !reminded.contains(place) {
      throw fail(step, "no way leads here")
    }
    let ending = spread(from: leads.indices.filter { leads[$0].contains(nil) }) { place in
      leads.indices.filter { leads[$0].contains(place) }
    }
    for (place, step) in journey.steps.enumerated() where !ending.contains(place) {
      throw fail(step, "a dead end: no way leads from here to the end")
    }
  }

  private var remindedPlaces: [ClosedRange<Int>] {
    journey.steps.flatMap(\.reminders).compactMap { reminder in
      guard let first = journey.position(of: reminder.from),
        let last = journey.position(of: reminder.to)
      else { return nil }
      return first...last
    }
  }

  /// The places, with all that are next to one of them.
  private func spread(from start: [Int], _ next: (Int) -> [Int]) -> Set<Int> {
    var seen = Set(start)
    var waiting = start
    while let place = waiting.popLast() {
      for other in next(place) where seen.insert(other).inserted {
        waiting.append(other)
      }
    }
    return seen
  }

  /// Two steps may share a field only if their conditions keep them apart.
  private func checkFields() throws(PackError) {
    var first: [String: Step] = [:]
    for step in journey.steps {
      guard let name = step.field?.name else { continue }
      guard let other = first[name] else {
        first[name] = step
        continue
      }
      guard areApart(other.when, step.when) else {
        throw fail(step, "step \(other.id) fills the field \(name) too, and both can be shown")
      }
    }
  }

  func areApart(_ one: Condition?, _ other: Condition?) -> Bool {
    guard let one, let other else { return false }
    if one == .not(other) || other == .not(one) { return true }
    switch (one, other) {
    case (.field(let mine, .isOneOf(let values)), .field(let theirs, .isOneOf(let others))):
      return mine == theirs && Set(values).isDisjoint(with: others)
    case (.field(let mine, .answered(let has)), .field(let theirs, .answered(let hasToo))):
      return mine == theirs && has != hasToo
    case (.signedIn(let mine), .signedIn(let theirs)): return mine != theirs
    case (.permission(let mine, let has), .permission(let theirs, let hasToo)):
      return mine == theirs && has != hasToo
    default: return false
    }
  }

  private func checkSignIn() throws(PackError) {
    for step in journey.steps {
      if case .verifyCode = step.content {
        guard index(step) > 0, case .signIn = journey.steps[index(step) - 1].content else {
          throw fail(step, "a code comes right after its signIn step")
        }
      }
      for case .step(let id) in jumps(of: step)
      where journey[step: id]?.kind == .verifyCode && !step.isSignIn {
        throw fail(step, "jumps into the sign-in at \(id); jump to its signIn step")
      }
    }
    guard journey.isLocalUntilSignIn else { return }
    guard let signIn = journey.steps.firstIndex(where: \.isSignIn) else {
      throw fail("network", "afterSignIn, but no step signs in")
    }
    for step in journey.steps[signIn...].prefix(2) where step.isSignIn || step.kind == .verifyCode {
      guard step.when == nil || step.when == .signedIn(false) else {
        throw fail(step, "when: could pass over the sign-in that network: afterSignIn promises")
      }
    }
    for step in journey.steps[..<signIn] where step.sendsRequests {
      throw fail(step, "sends requests, but comes before the sign-in")
    }
    for step in journey.steps[..<signIn] {
      for case .step(let id) in jumps(of: step) where journey.position(of: id) ?? 0 > signIn {
        throw fail(step, "jumps over the sign-in to \(id)")
      }
    }
  }

  private func jumps(of step: Step) -> [Target] {
    var jumps = step.next.map { [$0] } ?? []
    if case .choice(let options) = step.content { jumps += options.compactMap(\.next) }
    return jumps
  }

  private func checkMigrations() throws(PackError) {
    var seen: Set<Int> = []
    for migration in journey.migrations {
      let place = "migration from \(migration.from)"
      guard seen.insert(migration.from).inserted else { throw fail(place, "there are two") }
      guard migration.from < journey.version else {
        throw fail(place, "expected a version below \(journey.version)")
      }
      let later = journey.migrations.filter { $0.from > migration.from }
        .sorted { $0.from < $1.from }
      for id in migration.steps.values.sorted() {
        let now = later.reduce(id) { $1.steps[$0] ?? $0 }
        guard journey[step: now] == nil else { continue }
        throw fail(place, "there is no step \(now)")
      }
      for name in migration.fields.values.map(\.name).sorted() {
        let now = later.reduce(name) { $1.fields[$0]?.name ?? $0 }
        guard !fields.contains(now) else { continue }
        throw fail(place, "no step fills the field \(now)")
      }
    }
  }

  private func checkProjection() throws(PackError) {
    guard let projection = journey.projection else { return }
    var seen: Set<String> = ["id"]
    for column in projection.columns {
      let place = "projection column \(column.name)"
      guard seen.insert(column.name).inserted else { throw fail(place, "the name is taken") }
      if column.since > journey.version {
        throw fail(place, "since: expected at most \(journey.version)")
      }
      guard let name = column.field else {
        if column.kind != .boolean { throw fail(place, "without a field, expected a boolean") }
        continue
      }
      guard let step = journey.step(filling: name) else {
        throw fail(place, "no step fills the field \(name)")
      }
      if (step.kind == .timeRange) != (column.part != nil) {
        throw fail(place, "expected field.start or field.end for a time range, and only there")
      }
    }
  }
}

extension Step {
  var isSignIn: Bool { if case .signIn = content { true } else { false } }

  var sendsRequests: Bool {
    switch content {
    case .conversation, .draft, .review: true
    default: field?.meanwhile != nil
    }
  }

  var reminders: [Reminder] {
    switch content {
    case .choice(let options): options.compactMap(\.reminder)
    case .permission(let input): [input.reminder].compactMap(\.self)
    default: []
    }
  }
}
