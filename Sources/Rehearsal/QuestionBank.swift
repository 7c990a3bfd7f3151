import ContextQuality
import Signals

/// What the rehearsal coach can say: phrasings by what they are for, read from a pack's `rehearsal/`.
struct QuestionBank: Sendable {
  /// What an entry of the bank is for.
  enum Use: String, CaseIterable {
    /// Said whenever a rehearsal is opened.
    case disclosure
    case greet
    /// A question that asks for exactly its facets.
    case ask
    /// What is said first when its facet has just become known.
    case react
    case reactDeclined = "react-declined"
    case reactNothing = "react-nothing"
    case reactElsewhere = "react-elsewhere"
    case reactTalkOn = "react-talk-on"
    case reactQuestion = "react-question"
    case reactCorrected = "react-corrected"
    case reactAfterCare = "react-after-care"
    /// How somebody is who was told to get help at once: asked before anything else.
    case askAfterCare = "ask-after-care"
    /// What is said first to a message with certain words in it.
    case reply
    /// What is said first to a question that the user's health data answer; the figures follow.
    case figure
    /// What is said first, and once, to somebody whom something hard has happened to.
    case kind
    // The summary and the first coaching: each entry gives a sentence or none.
    case heard, help, first, minimal, renewed, unchanged, open
    case firstAction = "first-action"
    case coach
    case coachMore = "coach-more"
    /// What is said to a question once the conversation is paid for.
    case advice
    // The profile.
    case role, personality, philosophy
    case toneShift = "tone-shift"
    case approach, focus, style
    case redFlag = "red-flag"
    /// What words for the contact come to, such as `daily`.
    case checkIn = "check-in"
    /// Words that put right what was said before.
    case correction
    /// Words that put a summary right, and would mean nothing of the kind elsewhere.
    case objection
    /// Words by which a quote is surely about its facet; without one it is not spoken of at all, or
    /// not taken up in passing.
    case sure
    case sureInPassing = "sure-in-passing"
    /// Words that limit nothing, and words that a constraint's list is told by.
    case noLimit = "no-limit"
    case limit
    /// Words by which a facet counts as known, where no offline scorer was trained for the rubric.
    case reads
  }

  struct Entry: Sendable {
    var use: Use
    var facets: [Facet] = []
    /// What else stands in the heading, such as `daily`.
    var name = ""
    /// Said only after, or never after, such care was given.
    var after: [CareKind] = []
    var unless: [CareKind] = []
    /// Said whatever else could be.
    var isFirst = false
    var patterns: [BankPattern] = []
    var lines: [BankLine] = []
    /// What is a question, and which words say nothing by themselves.
    var rules: RuleSet
    /// Where it stands, counted from 1.
    var line = 0

    func fits(_ given: [CareKind]) -> Bool {
      (after.isEmpty || after.contains(where: given.contains))
        && !unless.contains(where: given.contains)
    }

    func matches(_ text: String) -> Bool { BankPattern.matches(patterns, text, rules) }
  }

  /// What fills the profile.
  let profile: ProfileMap
  private let entries: [Use: [Entry]]

  let signals: SignalRules
  /// How quotes are taken up.
  let quoting: RuleSet

  init(_ entries: [Entry], profile: ProfileMap, _ signals: SignalRules) {
    self.entries = Dictionary(grouping: entries, by: \.use)
    self.profile = profile
    self.signals = signals
    quoting = signals[.quoting]
  }

  func all(_ use: Use) -> [Entry] { entries[use] ?? [] }

  /// Whether somebody who was asked for a limit says that there is none; in doubt there is one.
  func saysThereIsNone(_ text: String) -> Bool {
    let isPlainNo = [["no"], ["nothing"]].contains(Words(text).all)
    return isPlainNo
      || all(.noLimit).contains { $0.matches(text) }
        && !all(.limit).contains { $0.name == "physical" && $0.matches(text) }
  }

  /// Whether a quote can be spoken of as its facet's.
  func isSure(_ facet: Facet, _ text: String, _ use: Use = .sure) -> Bool {
    let entries = all(use).filter { $0.facets.contains(facet) }
    return entries.isEmpty || entries.contains { $0.matches(text) }
  }

  /// The texts of the entries that fit.
  func lines(_ use: Use, _ given: [CareKind] = []) -> [BankLine] {
    all(use).filter { $0.fits(given) }.flatMap(\.lines)
  }
}

/// A text with places for the user's words.
struct BankLine: Hashable, Sendable {
  enum Style: String, CaseIterable {
    case usual
    /// For people who write few words.
    case short
    /// Where a question about the same brought nothing.
    case again
    /// In so many words.
    case explicit
  }

  enum Form: String, CaseIterable {
    case quoted = ""
    /// As what follows "you want to".
    case to
    /// Not said: the text is for where the words are known.
    case known = "if"
  }

  enum Part: Hashable, Sendable {
    case text(String)
    case words(Facet, Form)
  }

  var style = Style.usual
  var parts: [Part]

  /// What it sounds like whatever the words: two lines with the same are the same phrasing.
  var tune: String {
    let texts = parts.compactMap { if case .text(let text) = $0 { text } else { nil } }
    return texts.max { $0.utf8.count < $1.utf8.count }?.trimmed ?? ""
  }

  /// Whose words are said.
  var facets: [Facet] {
    parts.compactMap { part in
      if case .words(let facet, let form) = part, form != .known { facet } else { nil }
    }
  }

  /// The text with the words in their places; nil if some are not known or cannot stand there.
  func filled(with words: [Facet: UserWords]) -> String? {
    var text = ""
    for part in parts {
      switch part {
      case .text(let literal): text += literal
      case .words(let facet, let form):
        guard let said = words[facet]?.inForm(form) else { return nil }
        text += text.isEmpty ? said.capitalisedFirst : said
      }
    }
    return text
  }
}

extension UserWords {
  fileprivate func inForm(_ form: BankLine.Form) -> String? {
    switch form {
    case .quoted: quoted
    case .to: wish
    case .known: ""
    }
  }
}

extension String {
  fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
