import ContextQuality
import IncrementalJSON

/// A pack's suggestions, the same for every user.
struct StarterSet: Hashable, Sendable {
  struct Group: Hashable, Sendable {
    var category: Starters.Category
    var title: String
    /// The component that the category covers. Once any of it is known, the category is not
    /// suggested.
    var covers: String?
    var suggestions: [Starters.Suggestion]
  }

  var groups: [Group]

  var titles: [Starters.Category: String] {
    Dictionary(groups.map { ($0.category, $0.title) }, uniquingKeysWith: { first, _ in first })
  }

  /// The suggestions that still apply, given what is known of the user; nil if none do.
  func starters(
    for state: IntakeState, in categories: [Starters.Category]
  ) -> Starters? {
    let known = Set(state.ledger.known.map(\.component))
    let open = groups.filter { group in
      categories.contains(group.category) && !(group.covers.map(known.contains) ?? false)
    }
    guard !open.isEmpty else { return nil }
    return Starters(
      source: .generic, turn: state.turns.count, suggestions: open.flatMap(\.suggestions),
      titles: titles)
  }
}

extension PackReader {
  /// `starters.json`: `{"categories": [{"id", "title", "covers"?, "suggestions": [{"label", "text"}]}]}`;
  /// nil if the pack has none.
  func starters(_ path: String, _ rubric: Rubric) throws(PackError) -> StarterSet? {
    guard files[path] != nil else { return nil }
    return try StarterSet(json(path), rubric)
  }
}

extension StarterSet {
  fileprivate init(_ document: PackDocument, _ rubric: Rubric) throws(PackError) {
    groups = []
    try document.checkKeys(of: document.root, ["categories"])
    guard let items = document.root["categories"]?.arrayValue, !items.isEmpty else {
      throw document.wrong("categories: expected a list of categories", at: "categories")
    }
    var faults = PackFaults()
    for item in items {
      let group = faults.gather(try document.starterGroup(item, rubric))
      guard let group else { continue }
      if groups.contains(where: { $0.category == group.category }) {
        faults.add(
          document.wrong("\(group.category.rawValue): expected once, found twice", in: item))
      }
      groups.append(group)
    }
    try faults.raise()
  }
}

extension StarterSet {
  /// The same categories with other titles and suggestions, by category:
  /// `{"goals": {"title", "suggestions": […]}}`.
  func translated(_ object: JSONValue, _ document: PackDocument) throws(PackError) -> StarterSet {
    try document.checkKeys(of: object, groups.map(\.category.rawValue))
    var set = self
    set.groups = []
    for group in groups {
      guard let item = object[group.category.rawValue] else { continue }
      try document.checkKeys(of: item, ["title", "suggestions"])
      var group = group
      group.title = try document.text(item, "title")
      group.suggestions = try (item["suggestions"]?.arrayValue ?? []).map {
        item throws(PackError) in try document.starter(item, group.category)
      }
      set.groups.append(group)
    }
    return set
  }
}

extension PackDocument {
  fileprivate func starterGroup(
    _ item: JSONValue, _ rubric: Rubric
  ) throws(PackError) -> StarterSet.Group {
    let id = try text(item, "id")
    guard let category = Starters.Category(rawValue: id) else {
      let known = Starters.Category.allCases.map(\.rawValue)
      throw wrong(
        "id: expected one of \(known.joined(separator: ", ")), found \"\(id)\""
          + id.hint(among: known), at: "id", in: item)
    }
    var faults = PackFaults()
    faults.gather(try checkKeys(of: item, ["id", "title", "covers", "suggestions"]))
    let covers = item["covers"]?.stringValue
    if let found = item["covers"], covers.flatMap({ rubric[component: $0] }) == nil {
      faults.add(
        wrong(
          "\(id).covers: expected a component, found \(found.serialized())"
            + rubric.hint(forComponent: covers ?? ""), at: "covers", in: item))
    }
    let suggestions = item["suggestions"]?.arrayValue ?? []
    if !(1...Starters.mostInCategory).contains(suggestions.count) {
      faults.add(
        wrong(
          "\(id).suggestions: expected 1 to \(Starters.mostInCategory), found \(suggestions.count)",
          at: "suggestions", in: item))
    }
    let title = faults.gather(try text(item, "title"))
    let read = faults.gather(each: suggestions) { item throws(PackError) in
      try starter(item, category)
    }
    try faults.raise()
    return StarterSet.Group(
      category: category, title: title ?? "", covers: covers, suggestions: read)
  }

  fileprivate func starter(
    _ item: JSONValue, _ category: Starters.Category
  ) throws(PackError) -> Starters.Suggestion {
    try checkKeys(of: item, ["label", "text"])
    let label = try text(item, "label")
    let words = try text(item, "text")
    guard let suggestion = Starters.Suggestion(category, offered: label, words) else {
      throw wrong(
        "\(category.rawValue): expected one line, a label of at most \(Starters.longestLabel) and a "
          + "text of at most \(Starters.longestText) characters in words, no question, found "
          + "\(item.serialized())", in: item)
    }
    return suggestion
  }
}

extension Starters.Suggestion {
  /// Nil if the text cannot go into a line.
  init?(_ category: Starters.Category, offered label: String, _ text: String) {
    guard Self.isPlain(label), Self.isPlain(text) else { return nil }
    let label = Self.tidied(label)
    let text = Self.tidied(text)
    guard label.count <= Starters.longestLabel, text.count <= Starters.longestText,
      Self.weight(of: label) >= 3, Self.wordCount(of: text) >= 2
    else { return nil }
    self.init(category, label: label, text: text)
  }

  /// Whether it is one line of words: no question, command, markup or terminal control.
  private static func isPlain(_ text: String) -> Bool {
    PlainText.visible(text) == text && !text.trimmed.hasPrefix("/")
      && !text.trimmed.contains { $0.isNewline || "\t?\u{FF1F}[]{}<>\\|`*_#=~^@".contains($0) }
  }

  /// Counts letters and digits. A character that is a word by itself counts twice.
  private static func weight(of label: String) -> Int {
    guard label.contains(where: \.isLetter) else { return 0 }
    return label.reduce(0) { count, character in
      guard character.isLetter || character.isNumber else { return count }
      return count + (character.isWordByItself ? 2 : 1)
    }
  }

  private static func wordCount(of text: String) -> Int {
    let words = text.split(whereSeparator: \.isWhitespace).filter { $0.contains(where: \.isLetter) }
    return words.reduce(0) { $0 + max(1, $1.count(where: \.isWordByItself)) }
  }

  /// Removes the final punctuation, because several are joined into a sentence.
  private static func tidied(_ text: String) -> String {
    var rest = text.trimmed[...]
    while let last = rest.last, ".,;:!…".contains(last) || last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}

extension Character {
  /// Whether its script has no spaces between words.
  fileprivate var isWordByItself: Bool {
    unicodeScalars.contains { scalar in
      scalar.properties.isIdeographic || (0x0E00...0x0EFF).contains(scalar.value)
        || (0x3040...0x30FF).contains(scalar.value)
    }
  }
}
