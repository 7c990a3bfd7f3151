/// Receives the features of a clause, one by one.
protocol FeatureSink {
  /// Adds a feature that counts for or against facets, whatever the question was.
  mutating func add(_ kind: UInt32, _ left: UInt32, _ right: UInt32)
  /// Adds a feature for the facets that the question before it asks for.
  mutating func addAsked(_ kind: UInt32, _ left: UInt32, _ right: UInt32)
  /// Adds a feature if a condition holds, for conditions that are true about half the time.
  mutating func add(_ kind: UInt32, _ left: UInt32, _ right: UInt32, if condition: Bool)
  mutating func addAsked(_ kind: UInt32, _ left: UInt32, _ right: UInt32, if condition: Bool)
}

extension FeatureSink {
  @inline(__always)
  mutating func add(_ kind: UInt32, _ symbol: UInt32) { add(kind, symbol, 0) }
  @inline(__always)
  mutating func addAsked(_ kind: UInt32, _ symbol: UInt32) { addAsked(kind, symbol, 0) }
}

/// Kinds of features; part of every feature's key.
enum FeatureKind {
  static let word: UInt32 = 1
  static let symbol: UInt32 = 2
  static let second: UInt32 = 3
  static let wordPair: UInt32 = 4
  static let symbolPair: UInt32 = 5
  static let symbolTriple: UInt32 = 6
  static let modeSymbol: UInt32 = 10
  static let modeWord: UInt32 = 11
  static let subjectSymbol: UInt32 = 12
  static let modeSubject: UInt32 = 13
  static let opening: UInt32 = 14
  static let openingPair: UInt32 = 15
  static let before: UInt32 = 16
  static let question: UInt32 = 18
  static let questionSymbol: UInt32 = 19
  static let length: UInt32 = 20
  static let place: UInt32 = 21
  static let modeSecond: UInt32 = 22
  static let knownBefore: UInt32 = 23
  static let turnNumber: UInt32 = 24
  static let askedWord: UInt32 = 40
  static let askedSymbol: UInt32 = 41
  static let askedOpening: UInt32 = 42
  static let askedLength: UInt32 = 43
  static let askedPair: UInt32 = 44
  static let askedMode: UInt32 = 45
  static let askedPlace: UInt32 = 46
  static let coachWord: UInt32 = 60
  static let coachSymbol: UInt32 = 61
  static let coachPair: UInt32 = 62
  static let coachOpening: UInt32 = 64
  static let coachConstant: UInt32 = 65
}

/// A clause's position and its surroundings.
struct ClauseContext {
  var clause: Clause
  var before: Clause?
  /// The clause's index in the message, from 0.
  var index: Int
  var clauseCount: Int
  var tokenCount: Int
  /// Whether the question before the message asks for a facet.
  var isAnswer: Bool
  var isFirstTurn: Bool
}

enum Features {
  /// Adds every feature of a user's clause.
  @inline(__always)
  static func of<Sink: FeatureSink>(
    _ context: ClauseContext, _ tokens: UnsafePointer<Token>, into sink: inout Sink
  ) {
    let first = Int(context.clause.first)
    let end = Int(context.clause.end)
    var mode: UInt32 = 0
    var subject: UInt32 = 0
    if !context.clause.startsSentence { carry(context.before, tokens, &mode, &subject) }
    for index in first..<end {
      let token = tokens[index]
      let isContent = token.flags.contains(.content)
      sink.add(FeatureKind.word, token.lemma)
      sink.add(FeatureKind.symbol, token.symbol, 0, if: isContent)
      sink.add(FeatureKind.modeSymbol, mode, token.symbol, if: isContent)
      sink.add(FeatureKind.modeWord, mode, token.lemma, if: isContent)
      sink.add(FeatureKind.subjectSymbol, subject, token.symbol, if: isContent)
      if context.clause.isQuestion {
        sink.add(FeatureKind.questionSymbol, token.symbol, 0, if: isContent)
      }
      if token.second != 0 {
        sink.add(FeatureKind.second, token.second)
        sink.add(FeatureKind.modeSecond, mode, token.second)
      }
      if index + 1 < end {
        pairs(token, tokens[index + 1], isContent, into: &sink)
        if index + 2 < end {
          let third = tokens[index + 2].symbol
          sink.add(
            FeatureKind.symbolTriple, Hash.pair(token.symbol, tokens[index + 1].symbol), third)
        }
      }
      if context.isAnswer { answer(token, mode, into: &sink) }
      mode = token.flags.contains(.mode) ? token.symbol : mode
      subject = token.flags.contains(.subject) ? token.symbol : subject
    }
    sink.add(FeatureKind.modeSubject, mode, subject)
    opening(context, tokens, into: &sink)
    surroundings(context, tokens, into: &sink)
  }

  /// Adds the features shared by all clauses of a message: its turn, and what was known before it.
  @inline(__always)
  static func ofTurn<Sink: FeatureSink>(_ turn: Int, known: UInt32, into sink: inout Sink) {
    sink.add(FeatureKind.turnNumber, UInt32(min(turn, 6)))
    var rest = known
    while rest != 0 {
      sink.add(FeatureKind.knownBefore, UInt32(rest.trailingZeroBitCount))
      rest &= rest &- 1
    }
  }

  /// A mood carries over a comma: "i want to lose weight, get fit".
  @inline(__always)
  private static func carry(
    _ before: Clause?, _ tokens: UnsafePointer<Token>, _ mode: inout UInt32, _ subject: inout UInt32
  ) {
    guard let before else { return }
    for index in Int(before.first)..<Int(before.end) {
      mode = tokens[index].flags.contains(.mode) ? tokens[index].symbol : mode
      subject = tokens[index].flags.contains(.subject) ? tokens[index].symbol : subject
    }
  }

  @inline(__always)
  private static func pairs<Sink: FeatureSink>(
    _ token: Token, _ next: Token, _ isContent: Bool, into sink: inout Sink
  ) {
    sink.add(FeatureKind.symbolPair, token.symbol, next.symbol)
    let nextIsContent = next.flags.contains(.content)
    sink.add(FeatureKind.wordPair, token.lemma, next.lemma, if: isContent || nextIsContent)
  }

  @inline(__always)
  private static func answer<Sink: FeatureSink>(
    _ token: Token, _ mode: UInt32, into sink: inout Sink
  ) {
    sink.addAsked(FeatureKind.askedWord, token.lemma)
    let isContent = token.flags.contains(.content)
    sink.addAsked(FeatureKind.askedSymbol, token.symbol, 0, if: isContent)
    sink.addAsked(FeatureKind.askedMode, mode, token.symbol, if: isContent)
  }

  @inline(__always)
  private static func opening<Sink: FeatureSink>(
    _ context: ClauseContext, _ tokens: UnsafePointer<Token>, into sink: inout Sink
  ) {
    let first = Int(context.clause.first)
    let symbol = tokens[first].symbol
    sink.add(FeatureKind.opening, symbol)
    if context.clause.count > 1 {
      sink.add(FeatureKind.openingPair, symbol, tokens[first + 1].symbol)
    }
    let length = lengthClass(context.clause.count)
    let whole = lengthClass(context.tokenCount)
    sink.add(FeatureKind.length, length, context.clause.isQuestion ? 1 : 0)
    sink.add(FeatureKind.place, context.isFirstTurn ? 1 : 0, whole)
    if context.clause.isQuestion { sink.add(FeatureKind.question, symbol) }
    guard context.isAnswer else { return }
    sink.addAsked(FeatureKind.askedOpening, symbol)
    sink.addAsked(FeatureKind.askedLength, length, context.clause.isQuestion ? 1 : 0)
    sink.addAsked(FeatureKind.askedPlace, UInt32(min(context.index, 3)), whole)
    if context.clauseCount == 1, context.tokenCount <= 3 {
      sink.addAsked(
        FeatureKind.askedPair, symbol, context.tokenCount > 1 ? tokens[first + 1].symbol : 0)
    }
  }

  @inline(__always)
  private static func surroundings<Sink: FeatureSink>(
    _ context: ClauseContext, _ tokens: UnsafePointer<Token>, into sink: inout Sink
  ) {
    if let before = context.before {
      for index in Int(before.first)..<Int(before.end) {
        sink.add(
          FeatureKind.before, tokens[index].symbol, 0, if: tokens[index].flags.contains(.content))
      }
    }
  }

  @inline(__always)
  private static func lengthClass(_ count: Int) -> UInt32 {
    switch count {
    case ...1: 1
    case 2: 2
    case 3...4: 3
    case 5...8: 4
    case 9...16: 5
    case 17...40: 6
    default: 7
    }
  }

  /// Adds every feature of a clause in the coach's question.
  @inline(__always)
  static func ofCoach<Sink: FeatureSink>(
    _ clause: Clause, _ tokens: UnsafePointer<Token>, into sink: inout Sink
  ) {
    let first = Int(clause.first)
    let end = Int(clause.end)
    for index in first..<end {
      let token = tokens[index]
      sink.add(FeatureKind.coachWord, token.lemma)
      sink.add(FeatureKind.coachSymbol, token.symbol, 0, if: token.flags.contains(.content))
      if index + 1 < end {
        sink.add(FeatureKind.coachPair, token.symbol, tokens[index + 1].symbol)
      }
    }
    sink.add(FeatureKind.coachOpening, tokens[first].symbol)
  }
}
