package import ContextQuality
public import Intake
import Signals

extension PromptPack {
  /// Whether the pack includes a question bank.
  package var hasQuestionBank: Bool { rehearsalFiles[BankReader.file] != nil }

  /// The question bank.
  ///
  /// - Throws: `PackError` if there is no question bank or it is malformed.
  func questionBank() throws(PackError) -> QuestionBank {
    guard hasQuestionBank else {
      throw PackError(
        file: "\(folder)/\(BankReader.file)",
        reason: "the file is missing: without a question bank this pack cannot rehearse")
    }
    return try BankReader(
      rubric: rubric, kinds: careNotes.kinds, signals: signals, folder: folder
    ).bank(rehearsalFiles)
  }

  /// Reads the question bank, if any, so that mistakes are reported early.
  package func checkRehearsal() throws(PackError) {
    if hasQuestionBank { _ = try questionBank() }
  }
}

extension CoachChoice {
  /// No model: the offline scorer, the pack's question bank, and a profile in the user's words.
  public static let rehearsal = CoachChoice { try RehearsalCoach(pack: $0) }

  /// A rehearsal that reads with the bank's patterns alone, as for a rubric that the encoder does not know.
  package static let patternRehearsal = CoachChoice {
    try RehearsalCoach(pack: $0, encodes: false)
  }
}
