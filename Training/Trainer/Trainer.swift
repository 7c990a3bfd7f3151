import OfflineScorer

/// From labeled conversations to a model.
struct Trainer {
  var slots: [LexiconSlot]
  var fingerprint: UInt32
  var clauseSettings = LinearModel.Settings(dropout: 0.15, members: Self.members)
  var questionSettings = LinearModel.Settings(
    passes: 16, rate: 0.1, decay: 0.002, seed: 2, constants: 1)
  /// How much the other clauses of a turn count against a facet that one of them shows.
  var otherClauses: Float = 0.1
  var askedAbove: Float = -1.1
  var stronglyAbove: Float = 0.4
  var leastCount = 2
  /// How many features the table keeps, those of questions included; it must fit the processor's cache.
  var keep = 40_960
  static let scale: Float = 40
  static let members = 4
  /// A facet that the encoder did not find, but gave this chance, is left open.
  private static let unclear: Float = 0.2
  /// What one facet's margin above its threshold must exceed, or a turn says nothing new. Chosen on
  /// ``Corpus/choosing()``. More would leave fewer turns that say nothing and yet give evidence, but cost
  /// more in F1.
  static let leastMargin = ScorerModel.LeastMargin(ifAsked: 24, otherwise: 30)

  func train(_ corpus: [Labelled]) -> ModelBytes {
    let lexicon = ModelWriter.lexiconOnly(slots)
    let corpus = corpus.filter { $0.member ?? 0 < clauseSettings.members }
    return lexicon.withModel { train(corpus, seeingWith: $0) }
  }

  private func train(_ corpus: [Labelled], seeingWith model: ScorerModel) -> ModelBytes {
    let (questions, asks) = askModel(corpus, model)
    var rows: [Row] = []
    for (number, row) in corpus.enumerated() {
      for (index, turn) in row.turns.enumerated() {
        let ask = asks[number][index]
        var mask = LaneVector()
        var strong = LaneVector()
        for lane in 0..<24 {
          mask[lane] = ask[lane] > askedAbove ? 1 : 0
          strong[lane] = ask[lane] > stronglyAbove ? 1 : 0
        }
        let clauses = OfflineFeatures.clauses(
          of: turn.text, isAnswer: mask != LaneVector(), turn: row.earlierTurns + index + 1,
          known: index == 0 ? row.knownBefore : trueByTurn(row)[index - 1], model: model)
        for clause in clauses {
          let (target, weight) = targets(row, index + 1, turn.text, clause)
          rows.append((clause, mask, strong, target, weight, row.member))
        }
      }
    }
    return fit(rows, questions)
  }

  /// A clause, what the question before it asks for, and what it tells.
  private typealias Row = (
    clause: ClauseExample, asked: LaneVector, strong: LaneVector, target: LaneVector,
    weight: LaneVector, member: Int?
  )

  private func fit(_ rows: [Row], _ questions: WeightTable) -> ModelBytes {
    let index = strongest(
      of: FeatureIndex(rows.map { $0.clause.always + $0.clause.asked }, atLeast: leastCount), rows,
      beside: questions)
    let constant = Int32(index.keys.count)
    let examples = examples(rows, index)
    let model = LinearModel(examples, features: index.keys.count + 2, clauseSettings)
    var table = WeightTable(
      features: index.keys.indices.map { (index.keys[$0], Self.quantised(model[$0])) }
        .filter { $0.1.contains { $0 != 0 } })
    table.features += questions.features
    func lanes(_ table: ScorerModel.LaneTable, _ values: LaneVector) -> ModelWriter.Lanes {
      ModelWriter.Lanes(table: table, values: Self.wide(values))
    }
    var rowsOfLanes = [
      lanes(.bias, model[Int(constant)]), lanes(.askBonus, model[Int(constant) + 1]),
      lanes(.askThreshold, LaneVector(repeating: askedAbove)),
      lanes(.askStrong, LaneVector(repeating: stronglyAbove)),
    ]
    rowsOfLanes.append(
      ModelWriter.Lanes(
        table: .threshold,
        values: Array(repeating: Int16(-0.3 * Self.scale), count: 24)))
    return ModelWriter.write(
      slots, features: table, lanes: rowsOfLanes, fingerprint: fingerprint)
  }

  /// Two features are always there: the constant, and being asked.
  private func examples(_ rows: [Row], _ index: FeatureIndex) -> [Example] {
    let constant = Int32(index.keys.count)
    return rows.map { row in
      Example(
        features: index.bag(row.clause.always) + [constant],
        asked: index.bag(row.clause.asked) + [constant + 1], mask: row.asked, target: row.target,
        weight: row.weight, member: row.member)
    }
  }

  /// The features that a first model does most with, by the squares of their weights and how often they occur,
  /// as far as the table has room. The model that is kept learns without the others, so that it does not miss
  /// them.
  private func strongest(
    of index: FeatureIndex, _ rows: [Row], beside questions: WeightTable
  ) -> FeatureIndex {
    guard index.keys.count + questions.features.count > keep else { return index }
    // All members' made text, so that none misses what only it has seen.
    let examples = examples(rows, index)
    let model = LinearModel(examples, features: index.keys.count + 2, clauseSettings)
    var uses = [Float](repeating: 0, count: index.keys.count + 2)
    for example in examples {
      let share: Float = example.member == nil ? 1 : 1 / Float(clauseSettings.members)
      for feature in example.features + example.asked { uses[Int(feature)] += share }
    }
    let strengths = index.keys.indices.map { row in
      ((model[row] * model[row]).sum() * uses[row], index.keys[row])
    }
    var room = TableRoom(features: keep, beside: questions)
    return FeatureIndex(
      keys: strengths.sorted(by: >).map(\.1).filter { room.take($0) }.sorted())
  }

  static func quantised(_ weights: LaneVector) -> [Int8] {
    (0..<24).map { Int8(max(-100, min(100, (weights[$0] * scale).rounded()))) }
  }

  static func wide(_ values: LaneVector) -> [Int16] {
    (0..<24).map { Int16(max(-10_000, min(10_000, (values[$0] * scale).rounded()))) }
  }

  // MARK: Targets

  private func targets(
    _ row: Labelled, _ turn: Int, _ text: String, _ clause: ClauseExample
  ) -> (LaneVector, LaneVector) {
    var target = LaneVector()
    var weight = LaneVector()
    for facet in 0..<24 where row.knownBefore >> UInt32(facet) & 1 == 0 {
      guard let label = row.labels[facet] else {
        let chance = row.chances?[facet] ?? 0
        target[facet] = chance
        weight[facet] = chance < Self.unclear ? 1 : 0
        continue
      }
      if turn < label.turn {
        weight[facet] = 1
      } else if turn == label.turn {
        let quote = QuoteFinder.range(of: label.quote, in: text) ?? 0..<text.utf8.count
        let overlap = min(quote.upperBound, clause.end) - max(quote.lowerBound, clause.start)
        let isQuoted = 2 * overlap >= min(quote.count, clause.end - clause.start)
        target[facet] = isQuoted ? row.chances?[facet] ?? 1 : 0
        weight[facet] = isQuoted ? 1 : otherClauses
      }
    }
    return (target, weight * row.weight)
  }

  // MARK: The question before

  /// A model of what questions ask for, and its reading of each turn's question by a model that
  /// did not see that conversation.
  private func askModel(
    _ corpus: [Labelled], _ model: ScorerModel
  ) -> (WeightTable, [[LaneVector]]) {
    let folds = 5
    let bags = corpus.map { row in
      row.turns.map { OfflineFeatures.question($0.question, model: model) }
    }
    func examples(_ rows: [Int], _ index: FeatureIndex) -> [Example] {
      rows.flatMap { number -> [Example] in
        corpus[number].turns.indices.compactMap { turn in
          guard !bags[number][turn].isEmpty else { return nil }
          var example = Example(features: index.bag(bags[number][turn]) + [Int32(index.keys.count)])
          for facet in 0..<24 {
            let label = corpus[number].labels[facet]
            example.target[facet] = label?.turn == turn + 1 ? 1 : 0
            if let label, label.turn < turn + 1 { example.weight[facet] = 0 }
            if corpus[number].isSentence {
              example.weight[facet] = example.target[facet] == 1 ? 1 : 0.3
            }
          }
          return example
        }
      }
    }
    func fit(_ rows: [Int]) -> (FeatureIndex, LinearModel) {
      let rows = rows.filter { corpus[$0].teachesQuestions }
      let index = FeatureIndex(rows.flatMap { bags[$0] }, atLeast: 2)
      return (
        index, LinearModel(examples(rows, index), features: index.keys.count + 1, questionSettings)
      )
    }
    var asks = bags.map { $0.map { _ in LaneVector(repeating: -9) } }
    for fold in 0..<folds {
      let (index, fitted) = fit(corpus.indices.filter { $0 % folds != fold })
      for number in corpus.indices where number % folds == fold {
        for turn in bags[number].indices where !bags[number][turn].isEmpty {
          let example = Example(features: index.bag(bags[number][turn]) + [Int32(index.keys.count)])
          asks[number][turn] = LinearModel.sum(example, fitted.weights)
        }
      }
    }
    let (index, fitted) = fit(Array(corpus.indices))
    var table = WeightTable(
      features: index.keys.indices.map { (index.keys[$0], Self.quantised(fitted[$0])) })
    // The constant is a feature of every question's first clause, whatever it says.
    table.features.append(
      (OfflineFeatures.questionConstant, Self.quantised(fitted[index.keys.count])))
    return (table, asks)
  }
}

/// Where a quote stands in a message; white space and case may differ.
enum QuoteFinder {
  static func range(of quote: String, in text: String) -> Range<Int>? {
    let (needle, _) = folded(quote)
    let (hay, places) = folded(text)
    guard !needle.isEmpty, needle.count <= hay.count else { return nil }
    for start in 0...(hay.count - needle.count) where hay[start] == needle[0] {
      if hay[start..<start + needle.count].elementsEqual(needle) {
        return places[start]..<places[start + needle.count - 1] + 1
      }
    }
    return nil
  }

  private static func folded(_ text: String) -> (bytes: [UInt8], places: [Int]) {
    var bytes: [UInt8] = []
    var places: [Int] = []
    var isSpace = true
    for (place, byte) in text.utf8.enumerated() {
      if byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D {
        if !isSpace {
          bytes.append(0x20)
          places.append(place)
        }
        isSpace = true
      } else {
        bytes.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        places.append(place)
        isSpace = false
      }
    }
    if bytes.last == 0x20 {
      bytes.removeLast()
      places.removeLast()
    }
    return (bytes, places)
  }
}
