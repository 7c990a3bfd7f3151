import ContextQuality
import IncrementalJSON

/// The words people use for a weight they want to reach, from `target` in a pack's `signals/measures.json`.
struct TargetWords: Sendable {
  /// Such as "weigh".
  private(set) var weigh: [[String]] = []
  /// Such as "get to", which may be about a lift.
  private(set) var reach: [[String]] = []
  /// What makes a weight one that is lifted.
  private(set) var lifts: [[String]] = []
  /// Whose weight is not the person's own.
  private(set) var others: [[String]] = []
  /// What makes a weight a difference: "5 kg less".
  private(set) var differences: Set<String> = []
  /// Beside feet alone, as in "six foot tall".
  private(set) var tall: Set<String> = []

  private enum Key: String, CaseIterable { case weigh, reach, lifts, others, differences, tall }

  init() {}

  init(_ value: JSONValue, _ document: PackDocument) throws(PackError) {
    try document.checkKeys(of: value, Key.allCases.map(\.rawValue))
    func phrases(_ key: Key) throws(PackError) -> [[String]] {
      try document.texts(value, key.rawValue).map { Words($0).all }
    }
    (weigh, reach, lifts) = (try phrases(.weigh), try phrases(.reach), try phrases(.lifts))
    others = try phrases(.others)
    differences = Set(try phrases(.differences).flatMap(\.self))
    tall = Set(try phrases(.tall).flatMap(\.self))
  }
}

extension MeasureWords {
  /// The body's weight that somebody wants to get to, in kilograms: "weigh 70 kg", "bajar a 60 kg"; nil if
  /// a text names none.
  package func targetWeight(in text: String) -> Double? {
    Words(text).sentences.lazy.compactMap { targetWeight(in: $0) }.first
  }

  private func targetWeight(in said: [String]) -> Double? {
    guard target.others.allSatisfy({ place(of: $0, in: said) == nil }) else { return nil }
    let isLift = target.lifts.contains { place(of: $0, in: said) != nil }
    let cues = target.weigh + (isLift ? [] : target.reach)
    for cue in cues.compactMap({ place(of: $0, in: said) }) {
      // Behind the word, or as in German right before it.
      let places = Array(cue.upperBound..<cue.upperBound + 4) + [cue.lowerBound - 2]
      for index in places where index >= 0 && index + 1 < said.count {
        guard let number = Double(said[index]) ?? value(said[index]),
          let unit = units[said[index + 1]], unit.kind == .weight,
          // "Weigh in and squat 60 kg".
          index < cue.upperBound
            || !target.lifts.contains(where: {
              place(of: $0, in: Array(said[cue.upperBound..<index])) != nil
            }),
          index + 2 >= said.count || !target.differences.contains(said[index + 2])
        else { continue }
        // "Perder medio kilo por semana" names no weight of a body.
        guard let weight = unit.metric([number]), BodyFacts.weights.contains(weight) else {
          continue
        }
        return weight
      }
    }
    return nil
  }

  private func place(of phrase: [String], in said: [String]) -> Range<Int>? {
    guard !phrase.isEmpty, said.count >= phrase.count else { return nil }
    return (0...said.count - phrase.count).first { said[$0...].starts(with: phrase) }
      .map { $0..<$0 + phrase.count }
  }

  /// A height that a text tells in passing, in centimeters: "I'm 1.70 m", "5'7"; nil if it tells none.
  package func height(in text: String) -> Double? {
    let tokens = tokens(PlainText.visible(text))
    for (index, token) in tokens.enumerated() {
      guard let number = token.number, index + 1 < tokens.count, let unit = tokens[index + 1].unit,
        unit.kind == .height
      else { continue }
      let next = index + 2 < tokens.count ? tokens[index + 2] : nil
      let part = next?.number.flatMap { unit.metric([number, $0]) }
      let isTall = tokens.contains { target.tall.contains($0.text) }
      let height: Double? =
        switch unit {
        case .centimetre: number
        case .metre where number != number.rounded(): number * 100
        case .metre: part
        case .foot: part ?? (isTall ? unit.metric([number]) : nil)
        default: isTall ? unit.metric([number]) : nil
        }
      if let height, Self.adultHeights.contains(height) { return height }
    }
    return nil
  }

  private static let adultHeights = 130.0...220.0
}
