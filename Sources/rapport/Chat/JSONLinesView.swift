import IncrementalJSON
import Intake
import Synchronization
import Terminal

/// One JSON object per line on standard output.
final class JSONLinesView: SessionView {
  let terminal: any Terminal
  private let texts = Mutex(ScreenTexts.english)

  init(terminal: any Terminal) { self.terminal = terminal }

  func show(_ output: SessionOutput) {
    terminal.writeRecord(output.json.serialized())
  }

  func note(_ notice: SessionOutput.Notice) {
    show(.notice(texts.withLock(\.self).translated(notice)))
  }

  func heard() {}
  func speak(_ texts: ScreenTexts) { self.texts.withLock { $0 = texts } }
}
