import ArgumentParser

/// What the program's exit codes mean; the numbers are those of `sysexits.h` where it has one.
enum ExitStatus: Int32, CaseIterable {
  case fine = 0
  /// A recorded conversation came out differently.
  case failedTests = 1
  /// The command line was not understood.
  case usage = 64
  /// Input that is not what it should be: a profile, a pack, a store.
  case badData = 65
  /// The model could not be reached, or refused.
  case modelUnreachable = 69
  /// A fault of the program itself.
  case ownFault = 70
  case cannotWrite = 73
  /// No model is set up, or a setting cannot be used.
  case notConfigured = 78
  case interrupted = 130

  var meaning: String {
    switch self {
    case .fine: "fine"
    case .failedTests: "a recorded conversation came out differently"
    case .usage: "the command line was not understood"
    case .badData: "bad data: a profile, a prompt pack or a store that cannot be read"
    case .modelUnreachable: "the model could not be reached, or refused"
    case .ownFault: "a fault of the program itself"
    case .cannotWrite: "a file could not be written"
    case .notConfigured: "no model is set up, or a setting cannot be used"
    case .interrupted: "interrupted"
    }
  }

  var exit: ExitCode { ExitCode(rawValue) }
}
