package import ArgumentParser
import FoundationEssentials
import Glibc
import IncrementalJSON
import Intake
import Startup
package import Terminal

/// A command that runs on the terminal. An error is reported on standard error, and the program exits with
/// its code.
package protocol TerminalCommand: AsyncParsableCommand {
  var noColor: Bool { get }
  /// Whether an error is also reported on standard output, as the outputs of a failed pass.
  var reportsAsJSON: Bool { get }

  func run(on terminal: TTY) async throws
}

extension TerminalCommand {
  package var noColor: Bool { false }
  package var reportsAsJSON: Bool { false }

  package func run() async throws {
    let terminal = TTY(
      program: "rapport", environment: ProcessInfo.processInfo.environment, noColor: noColor)
    defer { terminal.restoreModes() }
    do {
      try await run(on: terminal)
      if let reason = terminal.writeFailure {
        // A reader that has seen enough, such as `head`, needs no message.
        if reason == EPIPE { throw ExitStatus.cannotWrite.exit }
        throw CommandFailure(
          .cannotWrite,
          "I couldn't write everything to standard output: \(String(cString: strerror(reason))).")
      }
    } catch  where error is ExitCode || error is CleanExit {
      throw error
    } catch {
      let failure = ReportedFailure(error)
      report(failure, on: terminal)
      throw failure.status.exit
    }
  }

  private func report(_ failure: ReportedFailure, on terminal: TTY) {
    if reportsAsJSON {
      for output in [SessionOutput.notice(failure.notice), .done(.notStarted)] {
        terminal.writeRecord(output.json.serialized())
      }
    }
    terminal.writeNote(failure.notice.text, as: .error)
    if let detail = failure.notice.detail, failure.status == .ownFault {
      terminal.writeNote(detail, as: .dim)
    }
  }
}

extension ExitStatus {
  package var exit: ExitCode { ExitCode(rawValue) }
}
