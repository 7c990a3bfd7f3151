import ArgumentParser
import Startup
import WireFormats

/// `rapport test --live`: the two sides to compare, and how.
struct LiveOptions: ParsableArguments {
  @Flag(help: "Replay the user messages against a real model and compare (needs a key).")
  var live = false

  @Option(
    help: ArgumentHelp(
      "A second prompt pack: compare --prompts (left) with this one (right), both live.",
      valueName: "pack"),
    completion: .packs)
  var against: String?

  @Option(
    help: ArgumentHelp(
      "A second model: compare --model (left) with this one (right), both live.", valueName: "model"
    ))
  var againstModel: String?

  @Option(
    help: ArgumentHelp(
      "Write the comparison to this file as one shareable page.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var html: String?

  @Flag(name: .shortAndLong, help: "Show what changed in each conversation, side by side.")
  var verbose = false

  @OptionGroup var modelOptions: ModelOptions

  /// Rejects options that make no sense together.
  func validate(beside test: Test) throws {
    guard live else {
      if let stray = given.first {
        throw ValidationError("\(stray) needs --live.")
      }
      return
    }
    if let stray = Self.ofReplays(test).first {
      throw ValidationError(
        "--live runs a real model; \(stray) is for replaying recordings. Use one of them.")
    }
    if against != nil, againstModel != nil {
      throw ValidationError(
        "Change one thing at a time: --against for the prompts, or --against-model for the model.")
    }
    if test.json, verbose {
      throw ValidationError("--json already prints everything; leave out --verbose.")
    }
    if let jobs = test.jobs, jobs > 128 {
      throw ValidationError("--jobs must be between 1 and 128 with a model.")
    }
  }

  /// The comparison options that were given, as typed.
  private var given: [String] {
    let options = [
      ("--against", against != nil), ("--against-model", againstModel != nil),
      ("--html", html != nil), ("--verbose", verbose),
    ]
    return options.filter(\.1).map(\.0) + modelOptions.given
  }

  private static func ofReplays(_ test: Test) -> [String] {
    let options = [
      ("--wire", test.wire), ("--strict", test.strict), ("--fail-fast", test.failFast),
      ("--junit", test.junit != nil), ("--update", test.update), ("--drop", test.drop),
      ("--last-failed", test.lastFailed),
      ("--repeat", test.repeat != 1),
      ("--speed", test.speed != .none), ("--watch", test.watch),
      ("--check-secrets", test.checkSecrets),
    ]
    return options.filter(\.1).map(\.0)
  }
}
