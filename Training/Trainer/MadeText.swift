import FoundationEssentials

/// User turns put together by seeded dice from pieces whose facets are known from how they were
/// written, after a question that they could answer.
struct MadeText {
  /// For each member of the model.
  private static let count = 6000
  private static let weight: Float = 0.75
  static let seed: UInt64 = 1

  /// Always the same turns.
  static func turns(_ folder: String) throws -> [Labelled] {
    try MadeText(folder: folder).turns(Trainer.members * count, seed: seed)
  }

  struct Piece {
    /// The kinds of question that the words need; none if they speak for themselves.
    var asked: [String]
    var facets: [Int]
    var template: String
    var isOfOthers = false
  }

  private let words: [String: [String]]
  private let questions: [(kinds: [String], template: String)]
  private let told: [Piece]
  private let quiet: [Piece]

  init(folder: String) throws {
    func rows(_ name: String, _ parts: Int) throws -> [[String]] {
      let path = "\(folder)/\(name).txt"
      return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").enumerated()
        .filter { !$0.element.hasPrefix("#") }.map { number, line in
          let row = line.split(separator: "|", omittingEmptySubsequences: false).map {
            String($0).trimmed
          }
          guard row.count == parts else {
            throw CorpusError(detail: "\(path):\(number + 1): \(parts) parts")
          }
          return row
        }
    }
    func kinds(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
    words = Dictionary(
      uniqueKeysWithValues: try rows("words", 2).map {
        ($0[0], $0[1].split(separator: "/").map(String.init))
      })
    questions = try rows("questions", 2).map { (kinds($0[0]), $0[1]) }
    told = try rows("told", 3).map { row in
      let facets = try kinds(row[1]).filter { $0 != "quiet" }.map { name in
        guard let facet = Corpus.facets.firstIndex(where: { $0.hasSuffix("." + name) }) else {
          throw CorpusError(detail: "\(folder)/told.txt: no facet \(name)")
        }
        return facet
      }
      return Piece(asked: kinds(row[0]), facets: facets, template: row[2])
    }
    quiet = try rows("quiet", 3).map { row in
      Piece(asked: kinds(row[1]), facets: [], template: row[2], isOfOthers: row[0] == "others")
    }
    let known = Set(questions.flatMap(\.kinds))
    for piece in told + quiet {
      guard known.isSuperset(of: piece.asked) else {
        throw CorpusError(
          detail: "\(folder): no question for \(piece.asked.joined(separator: ", "))")
      }
    }
  }

  func turns(_ count: Int, seed: UInt64) -> [Labelled] {
    var dice = Generator(state: seed)
    return (0..<count).map { number in
      var row = turn(&dice)
      row.id = "made-\(number + 1)"
      row.member = (number + 1) % Trainer.members
      return row
    }
  }

  private func turn(_ dice: inout Generator) -> Labelled {
    let others = quiet.filter(\.isOfOthers)
    let said = quiet.filter { !$0.isOfOthers }
    // Only the first piece can answer a question.
    let (more, aside) = (told.filter(\.asked.isEmpty), said.filter(\.asked.isEmpty))
    var pieces: [Piece]
    switch Int.random(in: 0..<100, using: &dice) {
    case ..<20: pieces = pick(1, of: said, &dice)
    case ..<26: pieces = pick(2, of: aside, &dice)
    case ..<36: pieces = pick(Int.random(in: 1...5, using: &dice), of: others, &dice)
    case ..<68: pieces = pick(1, of: told, &dice)
    case ..<84: pieces = pick(1, of: told, &dice) + pick(1, of: more, &dice)
    case ..<90: pieces = pick(3, of: more, &dice)
    case ..<95: pieces = pick(1, of: told, &dice) + pick(1, of: aside, &dice)
    default: pieces = pick(1, of: others, &dice) + pick(1, of: more, &dice)
    }
    var seen: Set<Int> = []
    pieces = pieces.filter { piece in
      defer { seen.formUnion(piece.facets) }
      return seen.isDisjoint(with: piece.facets)
    }
    return row(pieces, question(for: pieces, &dice), &dice)
  }

  private func pick(_ count: Int, of pieces: [Piece], _ dice: inout Generator) -> [Piece] {
    (0..<count).map { _ in pieces[Int.random(in: pieces.indices, using: &dice)] }
  }

  /// Questions of these kinds come first in most conversations, and people answer them at random.
  private static let often: Set = ["outcome", "target", "motive", "barrier", "follow"]

  /// One that the first piece needs, or else one for what the pieces tell, or any.
  private func question(for pieces: [Piece], _ dice: inout Generator) -> String {
    let needed = pieces.first.map(\.asked) ?? []
    let names = pieces.flatMap(\.facets).map { Corpus.facets[$0].split(separator: ".")[1] }
      .map(String.init)
    let wanted = needed.isEmpty && Bool.random(using: &dice) ? names : needed
    let fitting = questions.filter { question in
      question.kinds.contains { wanted.contains($0) }
    }
    let isOften = fitting.isEmpty && Int.random(in: 0..<3, using: &dice) == 0
    let often = isOften ? questions.filter { !Self.often.isDisjoint(with: $0.kinds) } : questions
    let choice = fitting.isEmpty ? often : fitting
    return spoken(choice[Int.random(in: choice.indices, using: &dice)].template, &dice)
  }

  private func row(_ pieces: [Piece], _ question: String, _ dice: inout Generator) -> Labelled {
    let way = WayOfWriting.any(&dice)
    var text = ""
    var labels: [Labelled.Label?] = Array(repeating: nil, count: 24)
    for piece in pieces {
      let words = way.write(spoken(piece.template, &dice), isFirst: text.isEmpty, &dice)
      if !text.isEmpty { text += way.joint(&dice) }
      text += words
      for facet in piece.facets {
        labels[facet] = Labelled.Label(turn: 1, quote: words, until: nil)
      }
    }
    if way.endsWithStop, text.last?.isLetter ?? false { text += "." }
    var row = Labelled(
      id: "", source: "made", turns: [Labelled.Turn(question: question, text: text)],
      labels: labels)
    row.isSentence = true
    row.teachesQuestions = false
    row.weight = Self.weight
    row.earlierTurns = Int.random(in: 0...7, using: &dice)
    for facet in 0..<24 where labels[facet] == nil {
      // What was known before says how far the talk is, so it may not tell made text from real.
      if Int.random(in: 0..<14, using: &dice) < row.earlierTurns { row.knownBefore |= 1 << facet }
    }
    return row
  }

  /// One of the many ways to say a template.
  private func spoken(_ template: String, _ dice: inout Generator) -> String {
    guard let open = template.firstIndex(of: "{") else { return template }
    var depth = 0
    var options = [""]
    var index = open
    repeat {
      let character = template[index]
      if character == "}" { depth -= 1 }
      if depth == 1, character == "/" {
        options.append("")
      } else if depth > 0 {
        options[options.count - 1].append(character)
      }
      if character == "{" { depth += 1 }
      index = template.index(after: index)
    } while depth > 0 && index < template.endIndex
    let choice = options.count == 1 ? words[options[0]] ?? options : options
    let word = choice[Int.random(in: choice.indices, using: &dice)]
    return template[..<open] + spoken(word, &dice) + spoken(String(template[index...]), &dice)
  }
}

extension String {
  var trimmed: String {
    var text = Substring(self)
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
