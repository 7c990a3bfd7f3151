import ArgumentParser
import Coaching
import Commands
import ContextQuality
import Intake
import Journeys
import ModelScoring
import Rehearsal
import Startup
import Terminal

struct PackCheck: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Name everything that is wrong with a pack.",
    discussion: """
      Each line has the file, the line if it is known, what is wrong, and what there is instead. The exit \
      code is 65 if anything is.

      Example:
        rapport pack check tutor
      """)

  @Argument(help: ArgumentHelp("The pack's folder.", valueName: "folder"), completion: .directory)
  var folder: String

  func run(on terminal: TTY) async throws {
    var faults = PackFaults()
    let files = faults.gather { () throws(PackError) in try PackFolder.files(folder) } ?? [:]
    let pack = files.isEmpty ? nil : PackFolder.read(files, folder, &faults)
    if let pack {
      pack.checkWhole(files, &faults)
      pack.checkJourneys(&faults)
      faults.gather { () throws(PackError) in _ = try CoachingPack(pack) }
      faults.gather { () throws(PackError) in _ = try HarmlessChanges(pack) }
    } else if faults.isEmpty {
      faults.add(PackError(file: folder, reason: "the folder is empty"))
    }
    guard faults.isEmpty, let pack else {
      throw CommandFailure(.badData, faults.inOrder.map(\.description).joined(separator: "\n"))
    }
    terminal.write(
      "\(folder): \(files.count) files, nothing is wrong. \(Self.contents(of: pack))\n")
  }

  private static func contents(of pack: PromptPack) -> String {
    let rubric = pack.rubric
    var parts = ["\(rubric.components.count) components with \(rubric.facets.count) facets"]
    parts.append(pack.hasQuestionBank ? "a rehearsal" : "no rehearsal")
    if !pack.journeyNames.isEmpty {
      parts.append("journeys: " + pack.journeyNames.joined(separator: " and "))
    }
    return parts.joined(separator: ", ") + "."
  }
}

extension PackFaults {
  /// By file and line.
  fileprivate var inOrder: [PackError] {
    all.sorted { ($0.file, $0.line ?? 0) < ($1.file, $1.line ?? 0) }
  }
}
