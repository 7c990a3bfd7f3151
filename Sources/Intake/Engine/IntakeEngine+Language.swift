import ContextQuality
import Signals

// What code says is in the language that the user writes, as far as the pack has it.
extension IntakeEngine {
  /// The user's language; nil for English, or if the pack has no texts in it.
  var translation: Translation? { translation(hearing: "") }

  /// - Parameter text: What the user has just written.
  func translation(hearing text: String) -> Translation? {
    pack.translation(for: state, hearing: text, on: deviceLanguage)
  }

  /// Nil in a rehearsal, whose questions are in English.
  var deviceLanguage: String? { coach.source == nil ? settings.language : nil }

  /// A fixed text in the user's language.
  func fixed(
    _ name: TemplateName, _ show: Show, _ values: [String: Any] = [:]
  ) throws(PackError) -> String {
    let translation = translation
    if translation?.template(name) == nil { sayFallback(show) }
    return try pack.render(name, values, in: translation)
  }

  /// Says once that a text comes in English to somebody who writes in another language.
  func sayFallback(_ show: Show) {
    guard !saidFallback, isForeign(state.turns.map(\.text)) else { return }
    saidFallback = true
    show(.notice(.inEnglish(translation)))
  }

  /// Shows notices in the user's language.
  ///
  /// - Parameter text: What the user has just written.
  @inline(never)
  func translating(_ show: @escaping Show, hearing text: String = "") -> Show {
    guard let translation = translation(hearing: text) else { return show }
    return { output in
      if case .notice(let notice) = output {
        show(.notice(translation.translated(notice)))
      } else {
        show(output)
      }
    }
  }

  /// A notice of the program in the user's language.
  public func translated(_ notice: SessionOutput.Notice) -> SessionOutput.Notice {
    translation?.translated(notice) ?? notice
  }

  /// Says once that a rehearsal cannot read the user's language.
  @inline(never)
  func sayIfUnread(before: [String], _ show: Show) {
    guard coach.source == .rehearsal, !isForeign(before), isForeign(state.turns.map(\.text)) else {
      return
    }
    show(.notice(.rehearsalLanguage))
  }

  func isEnglish(_ message: String) -> Bool { LanguageGuess(message, pack.signals) == .english }

  private func isForeign(_ messages: [String]) -> Bool {
    LanguageGuess(messages.joined(separator: "\n"), pack.signals) == .other
      || pack.translations.language(of: messages, pack.signals) != nil
  }
}

extension SessionOutput.Notice {
  fileprivate static func inEnglish(_ translation: Translation?) -> Self {
    Self(
      code: "language-fallback", level: .info,
      text: translation?.fallback ?? "There are a few things that I can only say in English.")
  }

  fileprivate static let rehearsalLanguage: Self = {
    let plain =
      "I only understand English when I rehearse. With a model, I can talk with you in your language"
    var notice = Self(
      code: "rehearsal-language", level: .info, text: plain + ": `rapport setup`.")
    notice.personal = Personal(code: "rehearsal-language", text: plain + ".")
    return notice
  }()
}
