import ContextQuality
import FoundationEssentials

// train-scorer cv|train|dump: from Lexicon/ and the labelled text to Sources/CScorerModel/scorer.model.

let command = CommandLine.arguments.dropFirst().first ?? "cv"
let arguments = Array(CommandLine.arguments.dropFirst(2))
@MainActor func option(_ name: String) -> String? {
  guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
  return arguments[index + 1]
}
@MainActor func number(_ name: String, _ value: Double) -> Double { option(name).flatMap(Double.init) ?? value }

let lexicon = try Lexicon(folder: option("--lexicon") ?? "Lexicon")
let compiled = LexiconCompiler(lexicon)
var trainer = Trainer(slots: Array(compiled.slots.values), fingerprint: lexicon.fingerprint)
trainer.clauseSettings.decay = Float(number("--decay", Double(trainer.clauseSettings.decay)))
trainer.clauseSettings.rate = Float(number("--rate", Double(trainer.clauseSettings.rate)))
trainer.clauseSettings.passes = Int(number("--passes", Double(trainer.clauseSettings.passes)))
trainer.questionSettings.decay = Float(number("--qdecay", Double(trainer.questionSettings.decay)))
trainer.otherClauses = Float(number("--other", Double(trainer.otherClauses)))
trainer.askedAbove = Float(number("--asked", Double(trainer.askedAbove)))
trainer.leastCount = Int(number("--least", Double(trainer.leastCount)))
let price = number("--price", 0.95)

let dev = try Corpus.conversations("Fixtures/labelled/dev.jsonl")
/// A fifth of dev is looked at once in a while only.
func isHeldOut(_ row: Labelled) -> Bool { OfflineHash.word(row.id) >> 1 % 5 == 0 }
let heldOut = dev.filter(isHeldOut)
let seen = dev.filter { !isHeldOut($0) }
var extra: [Labelled] = []
for path in arguments where path.hasSuffix(".jsonl") { extra += try Corpus.conversations(path) }
for path in arguments where path.hasSuffix(".txt") { extra += try Corpus.sentences(path) }

switch command {
case "notes":
  for note in compiled.notes { print(note) }
  print(compiled.slots.count, "slots,", compiled.classNames.count, "classes")
case "dump":
  let model = ModelWriter.lexiconOnly(Array(compiled.slots.values))
  while let line = readLine() {
    model.withModel { model in
      for clause in OfflineFeatures.dump(line, model: model) {
        print(
          clause.map { token in
            token.symbol < UInt32(compiled.classNames.count)
              ? "\(token.text):\(compiled.classNames[Int(token.symbol)].uppercased())"
              : token.symbol < 400 ? "\(token.text):#\(token.symbol)" : token.text
          }.joined(separator: " "))
      }
    }
  }
case "cv":
  let readings = crossValidated()
  let agreement = judged(readings)
  describe(agreement, "cv", perFacet: arguments.contains("--facets"))
case "train":
  let thresholds = Thresholds.choose(crossValidated().flatMap(\.self), price: price)
  let bytes = trainer.train(seen + extra, thresholds: thresholds)
  let path = option("--out") ?? "Sources/CScorerModel/scorer.model"
  try Data(bytes.storage).write(to: URL(filePath: path))
  print(path, bytes.storage.count, "bytes")
case "check":
  // What a written model makes of conversations, rules included.
  let data = try Data(contentsOf: URL(filePath: option("--model") ?? "Sources/CScorerModel/scorer.model"))
  let bytes = ModelBytes(count: data.count)
  data.copyBytes(to: bytes.storage)
  let rows = arguments.contains("--held-out") ? heldOut : extra
  var agreement = Agreement(weights: Corpus.weights)
  for row in rows {
    agreement.add(truth: trueByTurn(row), guess: bytes.withModel { knownByTurn(row, $0) })
  }
  describe(agreement, "\(rows.count) rows", perFacet: arguments.contains("--facets"))
default:
  print("usage: train-scorer cv|train|dump|notes [--option value]… [FILE.jsonl|FILE.txt]…")
}

func explain(_ row: Labelled, _ reading: Reading, _ thresholds: [Int16]) {
  for facet in 0..<24 {
    let truth = row.labels[facet]
    let guess = reading.firstTurn(facet, above: thresholds[facet])
    guard truth?.turn != guess else { continue }
    if let truth { print("MISS", Corpus.facets[facet], row.id, truth.turn, guess.map(String.init) ?? "-", "|", row.turns[truth.turn - 1].question, "|", truth.quote) }
    if let guess, guess < truth?.turn ?? .max {
      print("FALSE", Corpus.facets[facet], row.id, guess, truth.map { String($0.turn) } ?? "-", "|", row.turns[guess - 1].question, "|", row.turns[guess - 1].text)
    }
  }
}

@MainActor func crossValidated() -> [[(row: Labelled, reading: Reading)]] {
  let folds = Int(number("--folds", 6))
  return (0..<folds).map { fold in
    let train = seen.enumerated().filter { $0.offset % folds != fold }.map(\.element)
    let test = seen.enumerated().filter { $0.offset % folds == fold }.map(\.element)
    return trainer.train(train + extra).withModel { model in test.map { ($0, Reading($0, model)) } }
  }
}

/// Every fold is judged by thresholds that the others chose.
@MainActor func judged(_ readings: [[(row: Labelled, reading: Reading)]]) -> Agreement {
  var agreement = Agreement(weights: Corpus.weights)
  for fold in readings.indices {
    let others = readings.enumerated().filter { $0.offset != fold }.flatMap(\.element)
    let thresholds = Thresholds.choose(others, price: price)
    for (row, reading) in readings[fold] {
      agreement.add(
        truth: trueByTurn(row),
        guess: knownByTurn(row, reading, thresholds))
      if arguments.contains("--errors") { explain(row, reading, thresholds) }
    }
  }
  return agreement
}
