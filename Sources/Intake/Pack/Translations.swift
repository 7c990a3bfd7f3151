import ContextQuality
import IncrementalJSON
import Signals
import Synchronization

/// A pack's languages other than English, read when somebody first writes in one.
final class Translations: Sendable {
  private let shared: [String: String]
  private let own: [String: String]
  private let folder: String
  private let starters: StarterSet?
  private let read = Mutex<[Translation]?>(nil)

  init(
    shared: [String: String], own: [String: String], folder: String, starters: StarterSet?
  ) {
    (self.shared, self.own, self.folder, self.starters) = (shared, own, folder, starters)
  }

  /// All of them, by code. One that cannot be read is left out; ``check(_:_:)`` says why.
  var all: [Translation] {
    read.withLock { read in
      if let read { return read }
      let all = codes.compactMap { try? translation($0) }
      read = all
      return all
    }
  }

  /// The language of the last message that clearly shows one, or of the last that hints at one.
  ///
  /// - Parameter otherwise: The code of the language if no message shows any; nil for English.
  /// - Returns: nil for English, and for a language without texts.
  func language(
    of messages: [String], _ rules: SignalRules, otherwise: String? = nil
  ) -> Translation? {
    var hint: Verdict?
    for message in messages.reversed() {
      let verdict = verdict(on: message, rules)
      if verdict.hits >= Self.enoughHits { return verdict.language }
      if verdict.hits > 0, hint == nil { hint = verdict }
    }
    if let hint { return hint.language }
    return otherwise.flatMap { code in all.first { $0.code == code } }
  }

  /// The same for words that need care in the last message, which decide if they show a language.
  ///
  /// - Parameter heard: The sentence, and its language as the care net knows it.
  func language(
    of messages: [String], _ rules: SignalRules, hearing heard: (words: String, language: String?)?,
    otherwise: String?
  ) -> Translation? {
    if let code = heard?.language { return all.first { $0.code == code } }
    if let words = heard?.words {
      let verdict = verdict(on: words, rules)
      if verdict.hits > 0 { return verdict.language }
    }
    return language(of: messages, rules, otherwise: otherwise)
  }

  /// One small word can be in several languages, so it decides only if no message says more.
  private static let enoughHits = 2

  private struct Verdict {
    /// Nil for English.
    var language: Translation?
    /// How many words show it; 0 if it is unclear.
    var hits = 0
  }

  private func verdict(on message: String, _ rules: SignalRules) -> Verdict {
    // One word that comes again and again shows no more than one.
    let words = Set(Words(message).all)
    let (english, foreign) = (rules[.language]["english"], rules[.language]["foreign"])
    let englishHits = words.count(where: english.contains)
    // Most messages are in English, and need no other language's file.
    if englishHits > 0, !words.contains(where: foreign.contains) {
      return Verdict(hits: englishHits)
    }
    let counts = all.map { translation in
      let hits = words.count(where: translation.words.contains)
      let others = words.count { foreign.contains($0) && !translation.words.contains($0) }
      return (translation: translation, hits: hits, others: others)
    }
    guard let best = counts.max(by: { $0.hits < $1.hits }) else { return Verdict() }
    if englishHits > best.hits { return Verdict(hits: englishHits) }
    let isAlone = counts.count { $0.hits == best.hits } == 1
    guard isAlone, best.hits > englishHits, best.hits > best.others,
      best.hits >= Self.enoughHits || words.count <= 3
    else { return Verdict() }
    return Verdict(language: best.translation, hits: best.hits)
  }

  /// Reads all files, so that mistakes are reported early.
  func check(_ names: Translation.Names, _ faults: inout PackFaults) {
    for code in codes {
      let documents = faults.gather(try self.documents(code))
      for (document, _) in documents ?? [] { Translation.check(document, names, &faults) }
      let read = faults.gather(try self.translation(code))
      guard let translation = read else { continue }
      if translation.words.isEmpty || translation.and.isEmpty || translation.fallback.isEmpty {
        faults.add(
          PackError(
            file: "\(folder)/\(Self.path(code))", reason: "expected words, and, fallback"))
      }
    }
  }

  /// Names what is missing from the pack's own language files.
  func checkWhole(_ names: Translation.Names, _ faults: inout PackFaults) {
    for code in codes where own[Self.path(code)] != nil {
      for name in (try? translation(code))?.missing(names, starters) ?? [] {
        faults.add(PackError(file: "\(folder)/\(Self.path(code))", reason: "\(name) is missing"))
      }
    }
  }

  private static func path(_ code: String) -> String { "languages/\(code).json" }

  private var codes: [String] {
    Set(
      (Array(shared.keys) + Array(own.keys)).compactMap { path in
        path.hasPrefix("languages/") && path.hasSuffix(".json")
          ? String(path.dropFirst("languages/".count).dropLast(".json".count)) : nil
      }
    ).sorted()
  }

  /// The shared file, then the pack's.
  private func documents(_ code: String) throws(PackError) -> [(PackDocument, isOwn: Bool)] {
    let path = Self.path(code)
    var documents: [(PackDocument, isOwn: Bool)] = []
    if let text = shared[path] {
      documents.append((try PackDocument(text, file: "shared/\(path)"), false))
    }
    if let text = own[path] {
      documents.append((try PackDocument(text, file: "\(folder)/\(path)"), true))
    }
    return documents
  }

  private func translation(_ code: String) throws(PackError) -> Translation {
    var translation = Translation(code: code)
    for (document, isOwn) in try documents(code) {
      try translation.add(document) { path in
        isOwn || own["\(path).mustache"] == nil && own["\(path).md"] == nil
      }
      if isOwn { try translation.add(starters: document, like: starters) }
    }
    return translation
  }
}
