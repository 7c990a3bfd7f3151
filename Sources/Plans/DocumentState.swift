public import FoundationEssentials

/// A document with what somebody did to it: the fold over its events.
public struct DocumentState: Hashable, Sendable {
  public package(set) var document: DraftedDocument
  public package(set) var proposed: DocumentEdit?
  /// Before each edit that was not undone, the latest last.
  public package(set) var earlier: [DraftedDocument] = []
  public package(set) var isApproved = false
  /// When it was last approved, on whichever device.
  public package(set) var approvedAt: Date?
  /// A fingerprint of what it rests on; nil if that is not known.
  public package(set) var facts: String?

  /// How many of those before are from when the person's answers were others.
  fileprivate var outdated = 0

  /// Nil if it is not known, such as in logs of before.
  package var restsOn: DocumentFacts? { facts.flatMap { DocumentFacts($0) } }

  /// Whether undoing brings one of them back.
  package var isOutdated: Bool { earlier.count <= outdated }

  /// Whether somebody changed it, or is about to.
  package var isEdited: Bool { !earlier.isEmpty || proposed != nil }

  fileprivate mutating func applyEdit() {
    guard let proposed else { return }
    if proposed.isUndo == true { return undo() }
    earlier.append(document)
    (document, self.proposed, isApproved) = (proposed.document, nil, false)
  }

  fileprivate mutating func keep(_ facts: String) {
    if self.facts != nil { outdated = earlier.count }
    self.facts = facts
  }

  fileprivate mutating func undo() {
    guard let previous = earlier.popLast() else { return }
    outdated = min(outdated, earlier.count)
    // What was approved is what was on screen.
    (document, proposed, isApproved) = (previous, nil, false)
  }
}

extension [DocumentKind: DocumentState] {
  package mutating func apply(_ event: PlanEvent, at date: Date) {
    switch event {
    case .started, .unitsChosen: break
    case .drafted(let document):
      self[document.kind] = DocumentState(document: document, facts: document.facts)
    case .documentDropped(let kind): self[kind] = nil
    case .documentKept(let kind, let facts): self[kind]?.keep(facts)
    case .editProposed(let edit): self[edit.document.kind]?.proposed = edit
    case .editDropped(let kind): self[kind]?.proposed = nil
    case .edited(let kind): self[kind]?.applyEdit()
    case .editUndone(let kind): self[kind]?.undo()
    case .approved(let kind, let earlier):
      self[kind]?.isApproved = true
      self[kind]?.approvedAt = earlier ?? date
    }
  }
}
