import BatchScoring
import ContextQuality
import FoundationEssentials
import OfflineScorer

// train-scorer cv|train|dump: from Lexicon/ and the labelled text to Sources/CScorerModel/scorer.model.

let command = CommandLine.arguments.dropFirst().first ?? "cv"
let arguments = Array(CommandLine.arguments.dropFirst(2))
@MainActor func option(_ name: String) -> String? {
  guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
  return arguments[index + 1]
}
@MainActor func number(_ name: String, _ value: Double) -> Double {
  option(name).flatMap(Double.init) ?? value
}

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
if let left = option("--leave") {
  trainer.without = Set(left.split(separator: ",").compactMap { UInt32($0) })
}
trainer.clauseSettings.dropout = Float(number("--dropout", Double(trainer.clauseSettings.dropout)))
trainer.clauseSettings.members = Int(number("--members", Double(trainer.clauseSettings.members)))
trainer.keep = Int(number("--keep", Double(trainer.keep)))
let price = number("--price", 0.97)

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
  // Entries of the lexicon that can never fire, and the lexicon's fingerprint.
  for note in Set(compiled.notes).sorted() { print(note) }
  print("fingerprint", lexicon.fingerprint)
case "dump":
  let model = ModelWriter.lexiconOnly(Array(compiled.slots.values))
  while let line = readLine() {
    model.withModel { model in
      for clause in OfflineFeatures.dump(line, model: model) {
        print(
          clause.map { token in
            compiled.classNames[token.symbol].map { "\(token.text):\($0.uppercased())" }
              ?? (token.symbol < 400 ? "\(token.text):#\(token.symbol)" : token.text)
          }.joined(separator: " "))
      }
    }
  }
case "cv":
  let readings = crossValidated()
  describe(
    judged(readings) { $0.source == "dev.jsonl" }, "dev", perFacet: arguments.contains("--facets"))
  describe(judged(readings) { !isExchange($0) }, "conversations")
case "train":
  let thresholds = Thresholds.choose(
    crossValidated().flatMap(\.self).filter { calibrates($0.row) }, price: price)
  // The model that is shipped learns from the held-out fifth too; its figures come from one that
  // does not.
  let corpus = arguments.contains("--all") ? dev : seen
  let bytes = trainer.train(corpus + extra, thresholds: thresholds)
  let path = option("--out") ?? "Sources/CScorerModel/scorer.model"
  try Data(bytes.storage).write(to: URL(filePath: path))
  print(path, bytes.storage.count, "bytes")
case "check":
  // What a written model makes of conversations, rules included.
  let data = try Data(
    contentsOf: URL(filePath: option("--model") ?? "Sources/CScorerModel/scorer.model"))
  let bytes = ModelBytes(count: data.count)
  data.copyBytes(to: bytes.storage)
  let rows = arguments.contains("--held-out") ? heldOut : extra
  var agreement = Agreement(weights: Corpus.weights)
  for row in rows {
    agreement.add(truth: trueByTurn(row), guess: bytes.withModel { knownByTurn(row, $0) })
  }
  describe(agreement, "\(rows.count) rows", perFacet: arguments.contains("--facets"))
case "show":
  let rubric = try Rubric(
    json: String(contentsOfFile: "Prompts/fitness/rubric.json", encoding: .utf8))
  var sink = PrintSink()
  _ = try await BatchRun(table: ScoreTable(rubric), options: BatchOptions()).score(
    arguments.filter { $0.hasSuffix(".jsonl") }, into: &sink)
case "batch":
  let rubric = try Rubric(
    json: String(contentsOfFile: "Prompts/fitness/rubric.json", encoding: .utf8))
  var options = BatchOptions()
  options.jobs = Int(number("-j", 1))
  var sink = NullSink()
  let begin = ContinuousClock.now
  let outcome = try await BatchRun(table: ScoreTable(rubric), options: options).score(
    arguments.filter { $0.hasSuffix(".jsonl") }, into: &sink)
  let elapsed = begin.duration(to: .now) / .seconds(1)
  print(
    outcome.totals.conversations, "conversations,", Int(Double(sink.read) / elapsed / 1e6), "MB/s,",
    sink.written, "bytes written")
default:
  print(
    "usage: train-scorer cv|train|check|dump|notes|batch [--option value]… [FILE.jsonl|FILE.txt]…")
}

func explain(_ row: Labelled, _ reading: Reading, _ thresholds: [Int16]) {
  for facet in 0..<24 {
    let truth = row.labels[facet]
    let guess = reading.firstTurn(facet, above: thresholds[facet])
    guard truth?.turn != guess else { continue }
    if let truth {
      print(
        "MISS", Corpus.facets[facet], row.id, truth.turn, guess.map(String.init) ?? "-", "|",
        row.turns[truth.turn - 1].question, "|", truth.quote)
    }
    if let guess, guess < truth?.turn ?? .max {
      print(
        "FALSE", Corpus.facets[facet], row.id, guess, truth.map { String($0.turn) } ?? "-", "|",
        row.turns[guess - 1].question, "|", row.turns[guess - 1].text)
    }
  }
}

@MainActor func crossValidated() -> [[(row: Labelled, reading: Reading)]] {
  let folds = Int(number("--folds", 6))
  // The mark of each fold runs through every source.
  let pool = seen + extra.filter { !$0.isSentence }
  let sentences = extra.filter(\.isSentence)
  return (0..<folds).map { fold in
    let train = pool.enumerated().filter { $0.offset % folds != fold }.map(\.element)
    let test = pool.enumerated().filter { $0.offset % folds == fold }.map(\.element)
    return trainer.train(train + sentences).withModel { model in
      test.map { ($0, Reading($0, model)) }
    }
  }
}

/// Every fold is judged by thresholds that the others chose.
@MainActor func judged(
  _ readings: [[(row: Labelled, reading: Reading)]], only source: (Labelled) -> Bool
) -> Agreement {
  var agreement = Agreement(weights: Corpus.weights)
  for fold in readings.indices {
    let others = readings.enumerated().filter { $0.offset != fold }.flatMap(\.element)
    let thresholds = Thresholds.choose(others.filter { calibrates($0.row) }, price: price)
    for (row, reading) in readings[fold] where source(row) {
      agreement.add(truth: trueByTurn(row), guess: knownByTurn(row, reading, thresholds))
      if arguments.contains("--errors") { explain(row, reading, thresholds) }
    }
  }
  return agreement
}

/// A question and an answer or two; thresholds are for whole conversations.
func isExchange(_ row: Labelled) -> Bool { row.turns.count < 3 && row.source != "dev.jsonl" }

/// Thresholds are for conversations as they come: not for those that were written to be hard, in
/// which evidence is rare and its likeness common.
func calibrates(_ row: Labelled) -> Bool {
  ["dev.jsonl", "conversations-a.jsonl", "conversations-b.jsonl"].contains(row.source)
}

/// Counts what it is given.
struct NullSink: BatchSink, Sendable {
  var written = 0
  var read = 0
  mutating func write(_ records: UnsafeRawBufferPointer) { written += records.count }
  mutating func report(_ problem: LineProblem) { print(problem) }
  mutating func progress(_ progress: BatchProgress) { read = progress.bytesRead }
}

struct PrintSink: BatchSink, Sendable {
  mutating func write(_ records: UnsafeRawBufferPointer) {
    print(String(decoding: records, as: UTF8.self))
  }
  mutating func report(_ problem: LineProblem) { print(problem) }
  mutating func progress(_ progress: BatchProgress) {}
}
