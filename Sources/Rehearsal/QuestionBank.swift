import ContextQuality
import Intake
import Signals

/// The rehearsal coach's phrasings, grouped by use and read from a pack's `rehearsal/`.
struct QuestionBank: Sendable {
  /// How a bank entry is used.
  enum Use: String, CaseIterable {
    /// Said at the start of a rehearsal.
    case disclosure
    case greet
    /// A question that asks for exactly its facets.
    case ask
    /// A question that opens a conversation after a form, so it names what it speaks of.
    case askFirst = "ask-first"
    /// Said first when its facet just became known.
    case react
    case reactDeclined = "react-declined"
    case reactNothing = "react-nothing"
    case reactElsewhere = "react-elsewhere"
    case reactTalkOn = "react-talk-on"
    case reactQuestion = "react-question"
    case reactCorrected = "react-corrected"
    case reactAfterCare = "react-after-care"
    /// Asks how the user is after the coach sent them for help. Comes first.
    case askAfterCare = "ask-after-care"
    /// Said first if the message contains certain words.
    case reply
    /// Said first if the user's health data answers a question; the figures follow.
    case figure
    /// Said first, once, if something hard has happened to the user.
    case kind
    // The summary and first coaching: each entry adds at most one sentence.
    case heard, help, first, minimal, renewed, added, unchanged, open
    /// Said before a sentence that puts a part of other words right.
    case beside
    case firstAction = "first-action"
    case coach
    case coachMore = "coach-more"
    /// Answers a message that told what was done.
    case coachNoted = "coach-noted"
    /// Answers a question once the conversation is paid for.
    case advice
    // The profile.
    case role, personality, philosophy
    case toneShift = "tone-shift"
    case approach, focus, style
    case redFlag = "red-flag"
    /// What words about contact mean, such as `daily`.
    /// Words that correct earlier words.
    case correction
    /// Words that correct a summary, but do not mean a correction elsewhere.
    case objection
    /// Words that make sure a quote is about its facet. Without one, the coach does not mention it,
    /// or not in passing.
    case sure
    case sureInPassing = "sure-in-passing"
    /// Words that set no limit, and words that mark a list of constraints.
    case noLimit = "no-limit"
    case limit
    /// Words that make a facet known if no offline scorer was trained for the rubric.
    case reads
    /// Words that keep a topic private: none of its facets is asked for.
    case withholds
  }

  struct Entry: Sendable {
    var use: Use
    var facets: [Facet] = []
    /// The rest of the heading, such as `daily`.
    var name = ""
    /// Said only after, or never after, this care.
    var after: [CareKind] = []
    var unless: [CareKind] = []
    /// Takes precedence.
    var isFirst = false
    var patterns: [BankPattern] = []
    var lines: [BankLine] = []
    /// What is a question, and which words mean nothing alone.
    var rules: RuleSet
    /// The line number, from 1.
    var line = 0
    /// Whether one of its lines is malformed, so that nothing is missing because of it.
    var isDamaged = false

    func fits(_ given: [CareKind]) -> Bool {
      (after.isEmpty || after.contains(where: given.contains))
        && !unless.contains(where: given.contains)
    }

    func matches(_ text: String) -> Bool { BankPattern.matches(patterns, text, rules) }
  }

  /// Fills the profile.
  let profile: ProfileMap
  private let entries: [Use: [Entry]]

  let signals: SignalRules
  /// How to use quotes.
  let quoting: RuleSet

  init(_ entries: [Entry], profile: ProfileMap, _ signals: SignalRules) {
    self.entries = Dictionary(grouping: entries, by: \.use)
    self.profile = profile
    self.signals = signals
    quoting = signals[.quoting]
  }

  func all(_ use: Use) -> [Entry] { entries[use] ?? [] }

  /// Whether the user, asked for a limit, says there is none. If in doubt, false.
  func saysThereIsNone(_ text: String) -> Bool {
    let isPlainNo = [["no"], ["nothing"]].contains(Words(text).all)
    return isPlainNo
      || all(.noLimit).contains { $0.matches(text) }
        && !all(.limit).contains { $0.name == "physical" && $0.matches(text) }
  }

  /// Whether a quote clearly belongs to its facet.
  func isSure(_ facet: Facet, _ text: String, _ use: Use = .sure) -> Bool {
    let entries = all(use).filter { $0.facets.contains(facet) }
    return entries.isEmpty || entries.contains { $0.matches(text) }
  }

  /// The matching entries' texts.
  func lines(_ use: Use, _ given: [CareKind] = []) -> [BankLine] {
    all(use).filter { $0.fits(given) }.flatMap(\.lines)
  }
}

/// A text with slots for user words.
struct BankLine: Hashable, Sendable {
  enum Style: String, CaseIterable {
    case usual
    /// For users who write little.
    case short
    /// If the same question got no answer before.
    case again
    /// Stated directly.
    case explicit
  }

  enum Form: String, CaseIterable {
    case quoted = ""
    /// Follows "you want to".
    case to
    /// Not said: requires the words to be known.
    case known = "if"
  }

  enum Part: Hashable, Sendable {
    case text(String)
    case words(Facet, Form)
  }

  var style = Style.usual
  var parts: [Part]

  /// The text without the words. Two lines with equal tunes are the same phrasing.
  var tune: String {
    let texts = parts.compactMap { if case .text(let text) = $0 { text } else { nil } }
    return texts.max { $0.utf8.count < $1.utf8.count }?.trimmed ?? ""
  }

  /// The quoted facets.
  var facets: [Facet] {
    parts.compactMap { part in
      if case .words(let facet, let form) = part, form != .known { facet } else { nil }
    }
  }

  /// The text with its slots filled; nil if some words are unknown, do not fit, or would come twice.
  func filled(with words: [Facet: UserWords]) -> String? {
    var text = ""
    var quoted: Set<String> = []
    for part in parts {
      switch part {
      case .text(let literal): text += literal
      case .words(let facet, let form):
        guard let said = words[facet]?.inForm(form) else { return nil }
        guard said.isEmpty || quoted.insert(said).inserted else { return nil }
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
