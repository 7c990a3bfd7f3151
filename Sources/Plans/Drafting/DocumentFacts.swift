package import IncrementalJSON

/// Fingerprints of what a document rests on, by topic: the same on every device.
package struct DocumentFacts: Equatable {
  /// In the topics' order. What nothing was said about is not in it.
  private var prints: [(topic: String, print: String)] = []

  package static let goal = "goal"

  package init() {}

  /// - Returns: Nil for a text of before, which does not tell topics apart.
  package init?(_ text: String) {
    for part in text.split(separator: " ") {
      guard let sign = part.firstIndex(of: "=") else { return nil }
      prints.append((String(part[..<sign]), String(part[part.index(after: sign)...])))
    }
  }

  package var text: String { prints.map { "\($0.topic)=\($0.print)" }.joined(separator: " ") }

  package mutating func note(_ value: JSONValue, of topic: String) {
    // FNV-1a: the same on every machine.
    let hash = value.serialized().utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    prints.append((topic, String(hash, radix: 16)))
  }

  private subscript(topic: String) -> String? { prints.first { $0.topic == topic }?.print }

  /// The topics that differ.
  package func changes(since earlier: Self) -> Set<String> {
    Set((prints + earlier.prints).map(\.topic).filter { self[$0] != earlier[$0] })
  }

  package static func == (one: Self, other: Self) -> Bool { one.changes(since: other).isEmpty }
}
