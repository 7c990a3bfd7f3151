import ArgumentParser

/// `rapport test --live`: which two sides are compared, and how.
struct LiveOptions: ParsableArguments {
  @Flag(name: .long, help: "Say to a real model what the users said, and compare (needs a key).")
  var live = false

  @Option(
    name: .long,
    help: "A second prompt pack: live with --prompts on the left, live with this on the right.")
  var against: String?

  @Option(
    name: .long,
    help: "A second model: live with --model on the left, live with this on the right.")
  var againstModel: String?

  @Option(name: .long, help: "Write the comparison to this file, as one page to read and pass on.")
  var html: String?

  @Flag(name: .shortAndLong, help: "Show what changed in each conversation, side by side.")
  var verbose = false

  @OptionGroup var modelOptions: ModelOptions

  /// Refuses what means nothing together.
  func validate(beside test: Test) throws {
    guard live else {
      if let stray = given.first {
        throw ValidationError("\(stray) belongs to a comparison; add --live.")
      }
      return
    }
    if let stray = Self.ofReplays(test).first {
      throw ValidationError("--live compares; \(stray) is for replaying recordings. Which is it?")
    }
    if against != nil, againstModel != nil {
      throw ValidationError(
        "Change one thing at a time: --against for the prompts, or --against-model for the model.")
    }
    if test.json, verbose {
      throw ValidationError("--json prints everything already; leave out --verbose.")
    }
    if let jobs = test.jobs, jobs > 128 {
      throw ValidationError("--jobs is 1 to 128 with a model.")
    }
  }

  /// The options of a comparison that were used, as they are typed.
  private var given: [String] {
    let options = [
      ("--against", against != nil), ("--against-model", againstModel != nil),
      ("--html", html != nil), ("--verbose", verbose),
    ]
    return options.filter(\.1).map(\.0) + modelOptions.given
  }

  private static func ofReplays(_ test: Test) -> [String] {
    var isPaced = true
    if case .none = test.speed { isPaced = false }
    let options = [
      ("--wire", test.wire), ("--strict", test.strict), ("--fail-fast", test.failFast),
      ("--junit", test.junit != nil), ("--update", test.update), ("--repeat", test.repeat != 1),
      ("--speed", isPaced), ("--watch", test.watch), ("--check-secrets", test.checkSecrets),
    ]
    return options.filter(\.1).map(\.0)
  }
}
