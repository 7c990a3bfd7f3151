import ArgumentParser
import Foundation
import RapportServer
import Settings
import Startup

/// Limits of a discovery, and the prompts to use.
struct DiscoveryOptions: ParsableArguments {
  @Option(help: .pack, completion: .packs)
  var prompts: String?

  @OptionGroup var limits: DiscoveryLimits

  @Option(
    help: ArgumentHelp(
      "Whether the next question may begin while the model still reads a message: on or off (default).",
      valueName: "state"))
  var readAhead: String?

  var flags: [Setting: String] {
    [.prompts: prompts, .readAhead: readAhead].compactMapValues(\.self)
      .merging(limits.flags) { $1 }
  }
}

/// Who may connect, and how they prove who they are. Secrets come from files: arguments show in process
/// lists.
struct AccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Accept accounts of this Supabase project, such as https://abc.supabase.co.", valueName: "url"
    ))
  var supabase: String?

  @Option(
    help: ArgumentHelp("Accept accounts of this issuer (instead of --supabase).", valueName: "url"))
  var issuer: String?

  @Option(
    help: ArgumentHelp(
      "The issuer's published keys (default with --supabase: its own).", valueName: "url"))
  var jwks: String?

  @Option(help: ArgumentHelp("The audience that tokens must name.", valueName: "name"))
  var audience = "authenticated"

  @Option(
    help: ArgumentHelp(
      "A file with the secret of tokens that are signed with HS256.", valueName: "file"))
  var jwtSecretFile: String?

  @Flag(help: "Give tokens to devices whose person has no account yet.")
  var deviceTokens = false

  @Option(
    help: ArgumentHelp("Let pages of this origin use the server (repeatable).", valueName: "origin")
  )
  var allowOrigin: [String] = []

  @Option(
    help: ArgumentHelp(
      "Believe the X-Forwarded-For of a reverse proxy with this address (repeatable).",
      valueName: "address"))
  var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file with the authorization header of RevenueCat's webhook; replaces the stub.",
      valueName: "file"))
  var revenuecatSecretFile: String?

  func validate() throws {
    if supabase != nil, issuer != nil {
      throw ValidationError("--supabase names an issuer itself; leave out --issuer.")
    }
    if issuer != nil, jwks == nil, jwtSecretFile == nil {
      throw ValidationError("--issuer needs --jwks or --jwt-secret-file.")
    }
    if supabase == nil, issuer == nil, jwks ?? jwtSecretFile != nil {
      throw ValidationError("Name the issuer with --supabase or --issuer.")
    }
  }

  func accounts() throws -> Authentication.Accounts? {
    guard var issuer = issuer ?? supabase.map({ $0 + "/auth/v1" }) else { return nil }
    issuer = issuer.replacing("//auth/v1", with: "/auth/v1")
    let keys = jwks ?? (supabase == nil ? nil : issuer + "/.well-known/jwks.json")
    return Authentication.Accounts(
      issuer: issuer, audience: audience,
      secret: try jwtSecretFile.map { Array(try Self.secret(in: $0, atLeast: 32).utf8) },
      keys: keys.map { KeyDirectory(url: $0) })
  }

  func webhookSecret() throws -> String? {
    try revenuecatSecretFile.map { try Self.secret(in: $0, atLeast: 16) }
  }

  private static func secret(in path: String, atLeast bytes: Int) throws -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw ValidationError("\(path) can't be read.")
    }
    let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard secret.utf8.count >= bytes else {
      throw ValidationError("The secret in \(path) is shorter than \(bytes) bytes.")
    }
    return secret
  }
}

/// What one person may use.
struct LimitFlags: ParsableArguments {
  @Option(help: ArgumentHelp("Messages a person may send in a minute.", valueName: "n"))
  var turnsPerMinute = LimitOptions().turnsPerMinute

  @Option(
    help: ArgumentHelp("Model tokens that a person's replies may use in a day.", valueName: "n"))
  var tokensPerDay = LimitOptions().tokensPerDay

  @Option(
    help: ArgumentHelp(
      "How many people's messages, tokens, streams and uploads one address may use.", valueName: "n"
    ))
  var peoplePerAddress = LimitOptions().peoplePerAddress

  @Option(
    help: ArgumentHelp(
      "New people without an account that may come from one address in an hour.", valueName: "n"))
  var newPeoplePerHour = LimitOptions().newPeoplePerHour

  @Option(
    help: ArgumentHelp(
      "Recovery codes that a person may ask for in an hour, and that one address may try.",
      valueName: "n"))
  var recoveriesPerHour = LimitOptions().recoveriesPerHour

  @Option(
    help: ArgumentHelp(
      "Answers to a journey's screens that a person may send in a minute.", valueName: "n"))
  var answersPerMinute = LimitOptions().answersPerMinute

  @Option(help: ArgumentHelp("Journeys that a person may start in an hour.", valueName: "n"))
  var journeysPerHour = LimitOptions().journeysPerHour

  @Option(help: ArgumentHelp("Health uploads that a person may make in an hour.", valueName: "n"))
  var uploadsPerHour = LimitOptions().uploadsPerHour

  @Option(help: ArgumentHelp("Streams that one person may have open.", valueName: "n"))
  var streamsPerPerson = LimitOptions().streamsPerPerson

  @Option(help: ArgumentHelp("Streams that everybody together may have open.", valueName: "n"))
  var streams = LimitOptions().streams

  var options: LimitOptions {
    var options = LimitOptions()
    options.turnsPerMinute = turnsPerMinute
    options.tokensPerDay = tokensPerDay
    options.peoplePerAddress = peoplePerAddress
    options.newPeoplePerHour = newPeoplePerHour
    options.recoveriesPerHour = recoveriesPerHour
    options.answersPerMinute = answersPerMinute
    options.journeysPerHour = journeysPerHour
    options.uploadsPerHour = uploadsPerHour
    options.streamsPerPerson = streamsPerPerson
    options.streams = streams
    return options
  }
}
