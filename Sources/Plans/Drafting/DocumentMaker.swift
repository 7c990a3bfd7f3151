import ContextQuality
import FoundationEssentials
import IncrementalJSON

/// Makes a document from JSON: what is valid and true to the person's words, with its rows.
struct DocumentMaker {
  let kind: DocumentKind
  let facts: DraftFacts
  let limits: ProgramLimits

  struct Made {
    var document: DraftedDocument
    /// What should be repaired.
    var problems: [DocumentProblem]
    /// Whether there is enough to show.
    var isUsable: Bool
  }

  init(_ kind: DocumentKind, _ facts: DraftFacts) throws(PackError) {
    (self.kind, self.facts) = (kind, facts)
    limits = ProgramLimits(try DocumentRules(facts.pack), facts)
  }

  /// - Parameters:
  ///   - isPartial: It is still arriving, so nothing is wrong with it yet.
  ///   - change: The words that asked for a change. What they contradict stays, and the result says so.
  func make(
    _ root: JSONValue, source: String, isPartial: Bool = false, change: String? = nil
  ) -> Made {
    var fields = DocumentFields()
    switch kind {
    case .goal:
      var goal = fields.goal(root)
      let unheard = drop(&goal.restsOn)
      let document = self.document(
        goal.json, rows: goal.rows, values: ["primary": goal.primary], source: source)
      return Made(
        document: document, problems: isPartial ? [] : fields.problems + unheard,
        isUsable: !goal.primary.isEmpty)
    case .program:
      var program = fields.program(root)
      var unheard = drop(&program.restsOn)
      if !isPartial { unheard += reword(&program.adaptations, change) }
      var note: String?
      let broken = isPartial ? [] : limits.problems(of: program)
      if change == nil, !isPartial {
        let kept = limits.kept(program)
        program = kept.program
        if !kept.changes.isEmpty { note = DocumentWords.left(kept.changes) }
      }
      let document = self.document(
        program.json, rows: program.rows, values: values(of: program), source: source, note: note)
      return Made(
        document: document, problems: isPartial ? [] : fields.problems + unheard + broken,
        isUsable: !program.sessions.isEmpty)
    }
  }

  private func document(
    _ json: JSONValue, rows: [DocumentRow], values: [String: String], source: String,
    note: String? = nil
  ) -> DraftedDocument {
    DraftedDocument(
      kind: kind, json: json.serialized(), rows: rows, values: values, source: source, note: note)
  }

  /// Quotes that nobody said support nothing.
  private func drop(_ supports: inout [DocumentSupport]) -> [DocumentProblem] {
    let said = facts.words
    var problems: [DocumentProblem] = []
    supports = supports.enumerated().compactMap { index, support in
      if said.contains(where: { QuoteFitter.refusal(of: support.quote, in: $0) == nil }) {
        return support
      }
      problems.append(
        .init(pointer: "/restsOn/\(index)/quote", words: "expected their exact words"))
      return nil
    }
    return problems
  }

  /// What a program deals with is shown as a quote, so it stands in their words or not at all.
  private func reword(
    _ adaptations: inout [TrainingProgram.Adaptation], _ change: String?
  ) -> [DocumentProblem] {
    let said = (facts.words + [change].compactMap(\.self)).map(FoldedText.init)
    var problems: [DocumentProblem] = []
    adaptations = adaptations.enumerated().compactMap { index, adaptation in
      let constraint = FoldedText(adaptation.constraint)
      if !constraint.isEmpty, said.contains(where: { $0.contains(constraint) }) {
        return adaptation
      }
      problems.append(
        .init(pointer: "/adaptations/\(index)/constraint", words: "expected their exact words"))
      return limits.words(naming: adaptation.constraint).map {
        .init(constraint: $0, how: adaptation.how)
      }
    }
    return problems
  }

  private func values(of program: TrainingProgram) -> [String: String] {
    var values = ["title": program.title, "weeks": "\(program.weeks)"]
    let zone = TimeZone(identifier: facts.timeZone) ?? .gmt
    let schedule = ProgramSchedule(program, activatedAt: facts.now, timeZone: zone)
    if let first = schedule.sessions.first?.session {
      values["first"] = "\(first.title), \(DocumentWords.time(of: first))"
    }
    return values
  }
}

extension GoalContract {
  var rows: [DocumentRow] {
    let pairs = [
      (DocumentWords.goal, primary), (DocumentWords.measure, measure),
      (DocumentWords.byWhen, (byWhen ?? date).map { DocumentWords.without("by", $0) }),
      (DocumentWords.why, why.map { DocumentWords.without("because", $0) }),
    ]
    var rows = pairs.compactMap { label, value in
      value.flatMap { $0.isEmpty ? nil : DocumentRow(label: label, value: $0) }
    }
    rows += milestones.map {
      .init(
        label: DocumentWords.milestone,
        value: [$0.what, $0.byWhen].compactMap(\.self).joined(separator: ", "))
    }
    return rows + restsOn.rows
  }
}

extension TrainingProgram {
  var rows: [DocumentRow] {
    guard !title.isEmpty else { return [] }
    var rows = [DocumentRow(label: DocumentWords.program, value: title, isHeading: true)]
    if !sessions.isEmpty {
      rows.append(.init(label: DocumentWords.length, value: DocumentWords.length(self)))
    }
    for session in sessions {
      rows.append(
        .init(label: DocumentWords.time(of: session), value: session.title, isHeading: true))
      rows += session.exercises.map { .init(label: $0.name, value: DocumentWords.load(of: $0)) }
    }
    rows += progression.enumerated().map {
      .init(label: DocumentWords.fromWeek($1.week), value: $1.change, isHeading: $0 == 0)
    }
    rows += adaptations.map { .init(label: DocumentWords.because($0.constraint), value: $0.how) }
    return rows + restsOn.rows
  }
}

extension [DocumentSupport] {
  fileprivate var rows: [DocumentRow] {
    var quotes: [String] = []
    for support in self where !quotes.contains(support.quote) { quotes.append(support.quote) }
    return quotes.map { .init(label: DocumentWords.restsOn, value: "“\($0)”") }
  }
}

extension DocumentEdit {
  /// The lines of both documents, with what goes and what comes.
  package static func diff(from old: DraftedDocument, to new: DraftedDocument) -> [Line] {
    let (before, after) = (old.rows.map(\.line), new.rows.map(\.line))
    var (removed, added): (Set<Int>, Set<Int>) = ([], [])
    for change in after.difference(from: before) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var (lines, next) = ([Line](), 0)
    for (index, line) in before.enumerated() {
      if removed.contains(index) {
        lines.append(Line(.removed, line))
        continue
      }
      while next < after.count, added.contains(next) {
        lines.append(Line(.added, after[next]))
        next += 1
      }
      lines.append(Line(.same, line))
      next += 1
    }
    lines += after[min(next, after.count)...].map { Line(.added, $0) }
    let headings = Set((old.rows + new.rows).filter { $0.isHeading == true }.map(\.line))
    return lines.slid { headings.contains($0) }
  }
}

extension [DocumentEdit.Line] {
  /// Moves a run of added or removed lines so that it begins with a heading, where the lines around it
  /// allow that: a new session is then one block instead of the ends of two.
  fileprivate func slid(to isHeading: (String) -> Bool) -> Self {
    var lines = self
    var start = 0
    while start < lines.count {
      let change = lines[start].change
      var end = start + 1
      while end < lines.count, lines[end].change == change { end += 1 }
      if change != .same, let place = lines.headed(start..<end, isHeading) {
        let moved = place - start
        if moved > 0 {
          for step in 0..<moved {
            lines[start + step].change = .same
            lines[end + step].change = change
          }
        } else {
          for step in 0..<(-moved) {
            lines[start - 1 - step].change = change
            lines[end - 1 - step].change = .same
          }
        }
        end = Swift.max(end, end + moved)
      }
      start = end
    }
    return lines
  }

  /// Where a run can begin with a heading, nearest first; nil if it does already, or cannot.
  private func headed(_ run: Range<Int>, _ isHeading: (String) -> Bool) -> Int? {
    guard !isHeading(self[run.lowerBound].text) else { return nil }
    var (down, up) = (run.lowerBound, run.lowerBound)
    while down + run.count < count, self[down + run.count].change == .same,
      self[down + run.count].text == self[down].text
    {
      down += 1
      if isHeading(self[down].text) { return down }
    }
    while up > 0, self[up - 1].change == .same, self[up - 1].text == self[up + run.count - 1].text {
      up -= 1
      if isHeading(self[up].text) { return up }
    }
    return nil
  }
}

extension DocumentRow {
  fileprivate var line: String { "\(label): \(value)" }
}
