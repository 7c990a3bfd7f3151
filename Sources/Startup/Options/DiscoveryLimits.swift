public import ArgumentParser
public import Settings

/// When the coach has heard enough.
public struct DiscoveryLimits: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp("The coach is ready above this overall score, 0 to 1.", valueName: "score"))
  var threshold: String?

  @Option(help: ArgumentHelp("User turns before the coach offers to wrap up.", valueName: "n"))
  var maxTurns: String?

  @Option(help: ArgumentHelp("Seconds before the coach offers to wrap up.", valueName: "seconds"))
  var timeLimit: String?

  public init() {}

  public var flags: [Setting: String] {
    [.threshold: threshold, .maxTurns: maxTurns, .timeLimit: timeLimit].compactMapValues(\.self)
  }
}
