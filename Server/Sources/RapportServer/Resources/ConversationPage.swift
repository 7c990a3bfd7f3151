import FoundationEssentials
import Hummingbird
import IncrementalJSON
import Intake
import SessionStore

/// One page of somebody's conversations, latest first.
struct ConversationPage: Sendable {
  var conversations: [SessionSummary]
  /// Where the next page begins; nil if this is the last one.
  var next: Cursor?

  /// Where a page ended: the conversation, and when that was last changed.
  ///
  /// Whatever changes meanwhile moves to the first page, so the pages after it hold no conversation twice.
  struct Cursor: Hashable, Sendable, LosslessStringConvertible {
    var updated: Int64
    var id: SessionID

    init(_ summary: SessionSummary) {
      updated = Int64((summary.updated.timeIntervalSince1970 * 1_000).rounded())
      id = summary.id
    }

    init?(_ description: String) {
      guard let point = description.firstIndex(of: "."),
        let updated = Int64(description[..<point])
      else { return nil }
      self.updated = updated
      id = SessionID(rawValue: String(description[description.index(after: point)...]))
    }

    var description: String { "\(updated).\(id.rawValue)" }
  }

  /// - Parameters:
  ///   - all: Latest first.
  ///   - cursor: Nil for the first page.
  ///   - most: Nil for all that are left.
  init(of all: [SessionSummary], after cursor: Cursor?, atMost most: Int?) {
    var rest = all[...]
    if let cursor {
      rest = rest.drop { Cursor($0).updated > cursor.updated }
      if let last = rest.firstIndex(where: { Cursor($0) == cursor }) { rest = rest[(last + 1)...] }
    }
    conversations = Array(rest.prefix(most ?? rest.count))
    if conversations.count < rest.count { next = conversations.last.map(Cursor.init) }
  }
}
