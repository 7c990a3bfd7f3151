public import IncrementalJSON

/// What somebody means to reach, by when and why, in a document that they approve.
public struct GoalContract: Hashable, Sendable {
  public struct Milestone: Hashable, Sendable {
    public var what: String
    /// As the person said it, such as "by June".
    public var byWhen: String?
  }
  /// Empty only while the document is still being written.
  public var primary: String
  /// How progress is seen.
  public var measure: String?
  /// As the person said it, such as "by June".
  public var byWhen: String?
  /// The same as a day, `yyyy-MM-dd`.
  public var date: String?
  public var why: String?
  public var milestones: [Milestone] = []
  /// The words that it rests on.
  public var restsOn: [DocumentSupport] = []
}

extension GoalContract {
  /// Reads what is valid in it; nil without a goal.
  public init?(json: JSONValue) {
    var fields = DocumentFields()
    self = fields.goal(json)
    if primary.isEmpty { return nil }
  }

  public var json: JSONValue {
    [
      "primary": .string(primary), "measure": .optional(measure), "byWhen": .optional(byWhen),
      "date": .optional(date), "why": .optional(why),
      "milestones": .array(
        milestones.map { ["what": .string($0.what), "byWhen": .optional($0.byWhen)] }),
      "restsOn": .array(restsOn.map(\.json)),
    ]
  }
}

/// Somebody's own words, and the field of a document that they support.
public struct DocumentSupport: Hashable, Sendable {
  /// A JSON Pointer, such as `/primary`.
  public var path: String
  public var quote: String

  var json: JSONValue { ["path": .string(path), "quote": .string(quote)] }
}
