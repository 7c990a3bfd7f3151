/// The program's exit codes; numbers follow `sysexits.h` where it defines one.
public enum ExitStatus: Int32, CaseIterable, Sendable {
  case fine = 0
  /// A recorded conversation failed its checks.
  case failedTests = 1
  /// The command line is invalid.
  case usage = 64
  /// Invalid input: a profile, a prompt pack or a store.
  case badData = 65
  /// The model is unreachable or refused the request, or the port to serve on is in use.
  case modelUnreachable = 69
  /// A bug in the program itself.
  case ownFault = 70
  case cannotWrite = 73
  /// No model is set up, or a setting is invalid.
  case notConfigured = 78
  case interrupted = 130

  public var meaning: String {
    switch self {
    case .fine: "success"
    case .failedTests: "a recorded conversation failed its checks"
    case .usage: "invalid command line"
    case .badData: "invalid input, such as a profile, a prompt pack or a store"
    case .modelUnreachable: "the model is unreachable or refused the request, or a port is in use"
    case .ownFault: "internal error"
    case .cannotWrite: "a file can't be written"
    case .notConfigured: "no model is set up, or a setting is invalid"
    case .interrupted: "interrupted"
    }
  }
}
