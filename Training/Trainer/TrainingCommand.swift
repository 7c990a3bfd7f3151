import EncoderScorer
import FoundationEssentials
import OfflineScorer

/// Makes the offline scorer's model from `Lexicon/` and the labeled text.
struct TrainingCommand {
  static let usage = """
    usage: train-scorer train [--all] [--out FILE] FILE…   train, and write the model
           train-scorer cv [--facets] [--errors] FILE…     cross-validate
           train-scorer made [NUMBER]                      print turns put together by dice
           train-scorer measure [--model FILE | --encoder] [--facets] [--errors] FILE…
                                                           measure a model, or the shipped one or encoder
           train-scorer readings FILE…                     what both scorers see, turn by turn
           train-scorer calibrate                          how sure the scorers may be
           train-scorer cascade FILE…                      the price of reading fewer turns
           train-scorer guards [--errors] FILE…            labelled evidence that the guards refuse
           train-scorer notes                              check the lexicon
    FILE is .jsonl for labelled conversations, .txt for labelled sentences. `--registers FOLDER` adds the
    text of Training/registers to what a model learns from, `--made FOLDER` turns put together by dice, and
    `--unlabelled FOLDER` conversations as the encoder reads them.
    """

  private let verb: String
  private let arguments: [String]
  private static let folds = 6

  init(_ commandLine: [String]) {
    verb = commandLine.dropFirst().first ?? ""
    arguments = Array(commandLine.dropFirst(2))
  }

  func run() throws {
    // Text that may not be learned from is refused first: compiling the lexicon takes seconds.
    if verb == "made" { return try printMade() }
    let learnsFrom = ["train", "cv"].contains(verb) ? try TrainingText(arguments) : nil
    let lexicon = try Lexicon(folder: "Lexicon")
    let compiled = LexiconCompiler(lexicon)
    let trainer = Trainer(slots: Array(compiled.slots.values), fingerprint: lexicon.fingerprint)
    switch (verb, learnsFrom) {
    case ("train", let text?): try train(trainer, text)
    case ("cv", let text?): crossValidate(trainer, text)
    case ("measure", _): try measure()
    case ("readings", _):
      for file in arguments {
        for row in try Corpus.conversations(file) { print(TurnReadings(row: row).json) }
      }
    case ("calibrate", _): try CalibrationFit.printAll()
    case ("cascade", _):
      for file in arguments { CascadeCurve(rows: try Corpus.conversations(file)).printAll() }
    case ("guards", _):
      let rows = try arguments.filter { !$0.hasPrefix("-") }.flatMap(Corpus.conversations)
      for isNetwork in [false, true] {
        GuardPrice(rows, isNetwork: isNetwork).printAll(
          withErrors: arguments.contains("--errors"))
      }
    case ("notes", _):
      // Entries of the lexicon that can never fire, and the lexicon's fingerprint.
      for note in Set(compiled.notes).sorted() { print(note) }
      print("fingerprint", lexicon.fingerprint)
    default: throw CorpusError(detail: Self.usage)
    }
  }

  private func train(_ trainer: Trainer, _ text: TrainingText) throws {
    // The model that is shipped learns from the held-out fifth too; its figures come from one that
    // does not.
    let corpus = arguments.contains("--all") ? text.dev : text.seen
    let bytes = trainer.train(corpus + text.extra + text.more)
    let choosing = try Corpus.choosing()
    bytes.store(
      bytes.withModel { model in
        Thresholds.choose(choosing.map { ($0, Reading($0, model)) })
      }, as: .threshold)
    let path = arguments.value(of: "--out") ?? "Sources/CScorerModel/scorer.model"
    try Data(bytes.storage).write(to: URL(filePath: path))
    print(path, bytes.storage.count, "bytes")
  }

  /// Each file by itself. Nothing is trained, so unseen text is welcome.
  private func measure() throws {
    let model = try arguments.value(of: "--model").map(Self.model) ?? .builtIn
    let encoder =
      arguments.contains("--encoder")
      ? EncoderModel.builtIn.map { EncoderConversation(model: $0) } : nil
    for file in arguments where file.hasSuffix(".jsonl") {
      var agreement = Agreement(weights: Corpus.weights)
      var (quiet, noisy) = (0, 0)
      for row in try Corpus.conversations(file) {
        let truth = trueByTurn(row)
        let guess = encoder.map { row.knownByTurn($0) } ?? knownByTurn(row, model)
        agreement.add(truth: truth, guess: guess)
        for turn in guess.indices where !row.labels.contains(where: { $0?.turn == turn + 1 }) {
          quiet += 1
          let before = turn == 0 ? 0 : guess[turn - 1]
          let wrong = guess[turn] & ~before & ~truth[turn]
          guard wrong != 0 else { continue }
          noisy += 1
          if arguments.contains("--errors") {
            let names = Corpus.facets.indices.filter { wrong >> UInt32($0) & 1 == 1 }
              .map { Corpus.facets[$0] }
            print(
              "FALSE", names.joined(separator: " "), row.id, turn + 1, "|",
              row.turns[turn].question, "|", row.turns[turn].text)
          }
        }
      }
      describe(
        agreement, String(file.split(separator: "/").last ?? ""),
        perFacet: arguments.contains("--facets"))
      print("  evidence in \(noisy) of \(quiet) turns that say nothing new")
    }
  }

  /// Its bytes stay for as long as the program runs.
  private static func model(_ path: String) throws -> ScorerModel {
    let data = try Data(contentsOf: URL(filePath: path))
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 64)
    data.copyBytes(to: bytes)
    guard let base = bytes.baseAddress, let model = ScorerModel(checked: base, count: data.count)
    else { throw CorpusError(detail: "\(path): not a model") }
    return model
  }

  private func crossValidate(_ trainer: Trainer, _ text: TrainingText) {
    let readings = readings(trainer, text)
    describe(
      judged(readings) { $0.source == "dev.jsonl" }, "dev",
      perFacet: arguments.contains("--facets"))
    describe(judged(readings) { !Self.isExchange($0) }, "conversations")
  }

  private typealias Readings = [(row: Labelled, reading: Reading)]

  private func printMade() throws {
    let count = arguments.first.flatMap { Int($0) } ?? 20
    for row in try MadeText(folder: "Training/made").turns(count, seed: MadeText.seed) {
      let names = zip(Corpus.facets, row.labels).filter { $0.1 != nil }.map(\.0)
      print(
        row.turns[0].question, row.turns[0].text, names.joined(separator: " "), separator: " | ")
    }
  }

  /// By fold, each read by a model that the others made.
  private func readings(_ trainer: Trainer, _ text: TrainingText) -> [Readings] {
    // The mark of each fold runs through every source.
    let pool = text.seen + text.extra.filter { !$0.isSentence }
    let always = text.extra.filter(\.isSentence) + text.more
    // Only thresholds and figures come from these models, for which one member is enough.
    var trainer = trainer
    trainer.clauseSettings.members = 1
    return (0..<Self.folds).map { fold in
      let train = pool.enumerated().filter { $0.offset % Self.folds != fold }.map(\.element)
      let test = pool.enumerated().filter { $0.offset % Self.folds == fold }.map(\.element)
      return trainer.train(train + always).withModel { model in
        test.map { ($0, Reading($0, model)) }
      }
    }
  }

  /// Every fold is judged by thresholds that the others chose.
  private func judged(_ readings: [Readings], only source: (Labelled) -> Bool) -> Agreement {
    var agreement = Agreement(weights: Corpus.weights)
    for fold in readings.indices {
      let others = readings.enumerated().filter { $0.offset != fold }.flatMap(\.element)
      let thresholds = Thresholds.choose(others.filter { Self.calibrates($0.row) })
      for (row, reading) in readings[fold] where source(row) {
        agreement.add(truth: trueByTurn(row), guess: knownByTurn(row, reading, thresholds))
        if arguments.contains("--errors") { explain(row, reading, thresholds) }
      }
    }
    return agreement
  }

  private func explain(_ row: Labelled, _ reading: Reading, _ thresholds: [Int16]) {
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

  /// A question and an answer or two; thresholds are for whole conversations.
  private static func isExchange(_ row: Labelled) -> Bool {
    row.turns.count < 3 && row.source != "dev.jsonl"
  }

  /// Thresholds are for conversations as they come: not for those that were written to be hard, in
  /// which evidence is rare and its likeness common.
  private static func calibrates(_ row: Labelled) -> Bool {
    ["dev.jsonl", "conversations-a.jsonl", "conversations-b.jsonl"].contains(row.source)
  }
}

extension [String] {
  /// What follows an option.
  func value(of option: String) -> String? {
    firstIndex(of: option).flatMap { $0 + 1 < count ? self[$0 + 1] : nil }
  }
}

/// What a run trains on.
struct TrainingText {
  let dev: [Labelled]
  /// The files of the command line.
  let extra: [Labelled]
  /// Registers and made turns, which are never judged.
  let more: [Labelled]

  /// - Throws: ``CorpusError`` if any of it is unseen text.
  init(_ arguments: [String]) throws {
    let unseen = try UnseenText()
    var extra: [Labelled] = []
    for file in arguments where file.hasSuffix(".jsonl") {
      extra += try unseen.checked(file, Corpus.conversations)
    }
    for file in arguments where file.hasSuffix(".txt") {
      extra += try unseen.checked(file, Corpus.sentences)
    }
    self.extra = extra
    var more: [Labelled] = []
    if let file = arguments.value(of: "--registers") { more += try RegisterText.read(file, unseen) }
    if let file = arguments.value(of: "--unlabelled") {
      more += try UnlabelledText.read(file, unseen)
    }
    if let file = arguments.value(of: "--made") {
      more += try unseen.checked(file, MadeText.turns)
    }
    self.more = more
    dev = try unseen.checked("Fixtures/labelled/dev.jsonl", Corpus.conversations)
  }

  /// All but a fifth of dev, which is looked at once in a while only.
  var seen: [Labelled] { dev.filter { Hash.word($0.id) >> 1 % 5 != 0 } }
}
