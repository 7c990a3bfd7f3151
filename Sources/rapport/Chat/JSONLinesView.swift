import IncrementalJSON
import Intake
import Terminal

/// One JSON object per line on standard output.
struct JSONLinesView: SessionView {
  let terminal: any Terminal

  func show(_ output: SessionOutput) {
    terminal.writeRecord(output.json.serialized())
  }

  func note(_ notice: SessionOutput.Notice) { show(.notice(notice)) }
  func heard() {}
}
