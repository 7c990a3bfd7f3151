package import IncrementalJSON

/// Reads one object of a pack's file, and knows which members were asked for.
///
/// Only one task reads a file, so the set of members needs no lock.
package final class ObjectReader {
  package let object: JSONObject
  /// Such as `step goal`; empty for the whole file.
  package let place: String
  package let document: PackDocument
  private var asked: Set<String> = []

  package init(_ value: JSONValue, at place: String, in document: PackDocument) throws(PackError) {
    guard let object = value.objectValue else {
      let reason = "expected an object, found \(value.serialized().prefix(60))"
      throw document.wrong(place.isEmpty ? reason : "\(place): \(reason)", in: value)
    }
    (self.object, self.place, self.document) = (object, place, document)
  }

  package func wrong(_ name: String, _ expected: String) -> PackError {
    let found = object[name].map { String($0.serialized().prefix(60)) } ?? "nothing"
    return document.wrong(
      "\(path(name)): expected \(expected), found \(found)", at: name, in: .object(object))
  }

  private func path(_ name: String) -> String { place.isEmpty ? name : "\(place): \(name)" }

  /// A member of a list by its name, such as `step goal`; else by its place, such as `rows[2]`.
  private func path(_ item: JSONValue, _ index: Int, in list: String) -> String {
    guard let id = (item["id"] ?? item["name"])?.stringValue, Self.isID(id), list.hasSuffix("s")
    else { return path("\(list)[\(index)]") }
    return path("\(list.dropLast()) \(id)")
  }

  /// A member that may be missing.
  package func value(_ name: String) -> JSONValue? {
    asked.insert(name)
    return object[name]
  }

  /// Complains about a member that nothing asked for: it would be ignored silently.
  package func finish() throws(PackError) {
    var faults = PackFaults()
    for (name, _) in object where !asked.contains(name) {
      let known = asked.sorted()
      let hint = name.nearest(among: known).map { "; did you mean \($0)?" } ?? ""
      faults.add(
        document.wrong(
          "\(path(name)): no such member here; expected one of \(known.joined(separator: ", "))"
            + hint, at: name, in: .object(object)))
    }
    try faults.raise()
  }

  package static let longestText = 2_000

  package func text(_ name: String) throws(PackError) -> String {
    guard let text = try optionalText(name) else { throw wrong(name, "a text") }
    return text
  }

  package func optionalText(_ name: String) throws(PackError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.stringValue, !text.isEmpty, text.count <= Self.longestText else {
      throw wrong(name, "a text of at most \(Self.longestText) characters")
    }
    return text
  }

  package func texts(_ name: String, most: Int = 20) throws(PackError) -> [String] {
    guard let value = value(name) else { return [] }
    let texts = value.arrayValue?.compactMap(\.stringValue) ?? []
    guard let count = value.arrayValue?.count, texts.count == count, count <= most,
      texts.allSatisfy({ !$0.isEmpty && $0.count <= Self.longestText })
    else { throw wrong(name, "a list of at most \(most) texts") }
    return texts
  }

  package enum TextOrObject {
    case text(String)
    case object(ObjectReader)
  }

  /// A list whose members are texts or objects.
  package func textsOrObjects(_ name: String, most: Int) throws(PackError) -> [TextOrObject] {
    guard let items = value(name)?.arrayValue, items.contains(where: { $0.objectValue != nil })
    else { return try texts(name, most: most).map { .text($0) } }
    var members: [TextOrObject] = []
    for (index, item) in items.enumerated() {
      if item.objectValue != nil {
        members.append(
          .object(try ObjectReader(item, at: path("\(name)[\(index)]"), in: document)))
      } else if let text = item.stringValue, !text.isEmpty, text.count <= Self.longestText {
        members.append(.text(text))
      } else {
        throw wrong(name, "a list of texts and of objects with text and when")
      }
    }
    guard members.count <= most else { throw wrong(name, "a list of at most \(most) texts") }
    return members
  }

  /// A name: letters, digits and hyphens.
  package func id(_ name: String) throws(PackError) -> String {
    guard let id = try optionalID(name) else { throw wrong(name, "a name") }
    return id
  }

  package func optionalID(_ name: String) throws(PackError) -> String? {
    guard let text = try optionalText(name) else { return nil }
    guard Self.isID(text) else {
      throw wrong(name, "a name of letters, digits and hyphens, at most 60")
    }
    return text
  }

  package static func isID(_ text: String) -> Bool {
    (1...60).contains(text.utf8.count) && text.first?.isASCII == true
      && text.first?.isLetter == true
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
  }

  package func number(_ name: String) throws(PackError) -> Double {
    guard let number = try optionalNumber(name) else { throw wrong(name, "a number") }
    return number
  }

  package func optionalNumber(_ name: String) throws(PackError) -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = value.doubleValue else { throw wrong(name, "a number") }
    return number
  }

  package func integer(_ name: String, in range: ClosedRange<Int>, default fallback: Int? = nil)
    throws(PackError) -> Int
  {
    guard let value = value(name) ?? fallback.map({ JSONValue($0) }) else {
      throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    guard let number = value.intValue, range.contains(number) else {
      throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  package func flag(_ name: String, default fallback: Bool = false) throws(PackError) -> Bool {
    guard let value = value(name) else { return fallback }
    guard let flag = value.boolValue else { throw wrong(name, "true or false") }
    return flag
  }

  package func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of _: Choice.Type = Choice.self
  ) throws(PackError) -> Choice where Choice.RawValue == String {
    guard let choice: Choice = try optionalChoice(name) else { throw expected(Choice.self, name) }
    return choice
  }

  package func optionalChoice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of _: Choice.Type = Choice.self
  ) throws(PackError) -> Choice? where Choice.RawValue == String {
    guard let value = value(name) else { return nil }
    guard let choice = Choice(rawValue: value.stringValue ?? "") else {
      throw expected(Choice.self, name)
    }
    return choice
  }

  private func expected<Choice: RawRepresentable & CaseIterable>(
    _: Choice.Type, _ name: String
  ) -> PackError where Choice.RawValue == String {
    wrong(name, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
  }

  package func oneOf(_ name: String, _ words: [String]) throws(PackError) -> String? {
    guard let value = value(name) else { return nil }
    guard let word = value.stringValue, words.contains(word) else {
      throw wrong(name, "one of " + words.joined(separator: ", "))
    }
    return word
  }

  package func object(_ name: String) throws(PackError) -> ObjectReader? {
    guard let value = value(name) else { return nil }
    return try ObjectReader(value, at: path(name), in: document)
  }

  /// An object that may be missing, and is read to its last member.
  package func object<Value>(
    _ name: String, _ read: (ObjectReader) throws(PackError) -> Value
  ) throws(PackError) -> Value? {
    guard let reader = try object(name) else { return nil }
    let value = try read(reader)
    try reader.finish()
    return value
  }

  package func objects(_ name: String, most: Int) throws(PackError) -> [ObjectReader] {
    guard let value = value(name) else { return [] }
    guard let items = value.arrayValue, items.count <= most else {
      throw wrong(name, "a list of at most \(most)")
    }
    var readers: [ObjectReader] = []
    for (index, item) in items.enumerated() {
      readers.append(try ObjectReader(item, at: path(item, index, in: name), in: document))
    }
    return readers
  }

  /// A list of objects, each of which is read to its last member.
  package func objects<Value>(
    _ name: String, most: Int, _ read: (ObjectReader) throws(PackError) -> Value
  ) throws(PackError) -> [Value] {
    try objects(name, most: most).map { item throws(PackError) in
      let value = try read(item)
      try item.finish()
      return value
    }
  }

  /// Every member of an object whose names are free.
  package func members(_ name: String) throws(PackError) -> [(name: String, value: JSONValue)] {
    guard let value = value(name) else { return [] }
    guard let object = value.objectValue else { throw wrong(name, "an object") }
    return Array(object)
  }

  package func facets(_ name: String) throws(PackError) -> [Facet]? {
    guard value(name) != nil else { return nil }
    var facets: [Facet] = []
    for text in try texts(name, most: 10) {
      guard let facet = Facet(text) else { throw wrong(name, "facets such as goalClarity.outcome") }
      facets.append(facet)
    }
    return facets
  }
}
