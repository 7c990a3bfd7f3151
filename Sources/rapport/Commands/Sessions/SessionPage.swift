import Intake
import SessionStore
import Terminal

/// A conversation laid out on a terminal.
struct SessionPage {
  let export: SessionExport

  func show(on terminal: TTY) {
    terminal.write("Conversation \(export.session)\n", as: .bold)
    let started = export.events.first?.at.localLong ?? ""
    terminal.write("Started \(started)\n\n", as: .dim)
    for paragraph in export.paragraphs {
      for piece in MarkdownText(paragraph).pieces(width: terminal.wrappingWidth) {
        terminal.write(piece.text, as: piece.role)
      }
      terminal.write("\n\n")
    }
  }
}
