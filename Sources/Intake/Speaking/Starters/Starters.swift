import IncrementalJSON

/// Short first-person suggestions for what the user could say next.
///
/// The user can edit them in the input line. A suggestion alone says nothing about the user.
/// Suggestions are not stored and cost no turn.
public struct Starters: Hashable, Sendable {
  public enum Category: String, Hashable, Sendable, CaseIterable {
    case goals, context, challenges, preferences
  }

  /// Where the suggestions come from.
  public enum Source: String, Hashable, Sendable { case model, generic }

  public struct Suggestion: Hashable, Sendable {
    public var category: Category
    /// A short label.
    public var label: String
    /// The text for the line.
    public var text: String

    public init(_ category: Category, label: String, text: String) {
      (self.category, self.label, self.text) = (category, label, text)
    }
  }

  public static let mostInCategory = 4
  static let mostShown = 9
  static let longestLabel = 24
  static let longestText = 80

  public let source: Source
  /// User turns so far: 0 at the greeting.
  public let turn: Int
  /// In category order.
  public let suggestions: [Suggestion]
  /// The title of each category.
  public let titles: [Category: String]

  public init(
    source: Source, turn: Int, suggestions: [Suggestion], titles: [Category: String] = [:]
  ) {
    self.source = source
    self.turn = turn
    self.suggestions = Category.allCases.flatMap { category in
      suggestions.filter { $0.category == category }.prefix(Self.mostInCategory)
    }
    self.titles = titles
  }

  public subscript(category: Category) -> [Suggestion] {
    suggestions.filter { $0.category == category }
  }

  /// The suggestions shown beside a line: at most nine, as many per category as fit.
  public var shown: [Suggestion] {
    let groups = Category.allCases.map { self[$0] }
    var counts = groups.map { _ in 0 }
    var left = Self.mostShown
    for _ in 0..<Self.mostInCategory {
      for index in groups.indices where left > 0 && counts[index] < groups[index].count {
        counts[index] += 1
        left -= 1
      }
    }
    return zip(groups, counts).flatMap { $0.prefix($1) }
  }

  public func title(of category: Category) -> String {
    titles[category] ?? category.rawValue.prefix(1).uppercased() + category.rawValue.dropFirst()
  }
}

extension Starters {
  var json: JSONValue {
    let categories = Category.allCases.filter { !self[$0].isEmpty }
    return [
      "type": "starters", "turn": JSONValue(turn), "source": .string(source.rawValue),
      "categories": .array(
        categories.map { category in
          [
            "id": .string(category.rawValue), "title": .string(title(of: category)),
            "suggestions": .array(
              self[category].map { ["label": .string($0.label), "text": .string($0.text)] }),
          ]
        }),
    ]
  }
}
