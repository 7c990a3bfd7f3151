import IncrementalJSON
import Intake
import Synchronization
import Terminal

/// One JSON object a line on standard output.
struct JSONLinesView: SessionView {
  let terminal: any Terminal

  func show(_ output: SessionOutput) {
    terminal.write(output.json.serialized() + "\n", as: .coach)
  }

  func note(_ notice: SessionOutput.Notice) { show(.notice(notice)) }
}
