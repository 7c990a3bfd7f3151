import Intake

/// Shows a session's outputs to a person or a program.
protocol SessionView: Sendable {
  /// Called in order, from one pass at a time.
  func show(_ output: SessionOutput)
  /// Shows a note about the program rather than the conversation.
  func note(_ notice: SessionOutput.Notice)
  /// The person has typed a line.
  func heard()
  /// What the program itself says is in this language from now on.
  func speak(_ texts: ScreenTexts)
}
