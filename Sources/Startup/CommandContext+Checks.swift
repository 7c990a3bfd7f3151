import FoundationEssentials
public import Intake
public import Settings

/// Settings as the program uses them, each checked.
extension CommandContext {
  /// The limits of a discovery, checked.
  public func intakeSettings() throws(SettingError) -> IntakeSettings {
    var intake = IntakeSettings(
      readyAbove: try settings.tenThousandths(.threshold), maxTurns: try maxTurns(),
      timeLimit: .seconds(try timeLimit()), followUp: try followUp())
    intake.readsAhead = try isOn(.readAhead)
    return intake
  }

  private func maxTurns() throws(SettingError) -> Int {
    try settings.wholeNumber(.maxTurns, 1...50)
  }

  private func timeLimit() throws(SettingError) -> Int {
    try settings.wholeNumber(.timeLimit, 10...86_400)
  }

  private func followUp() throws(SettingError) -> FollowUpPolicy {
    guard let policy = FollowUpPolicy(rawValue: settings[.followUp]?.value ?? "") else {
      let names = FollowUpPolicy.allCases.map(\.rawValue).joined(separator: " or ")
      throw settings.error(.followUp, names)
    }
    return policy
  }

  /// In seconds.
  package func idleTimeout() throws(SettingError) -> Int {
    try settings.wholeNumber(.idleTimeout, 1...3_600)
  }

  /// Whether to read drafts while they are typed.
  package func previews() throws(SettingError) -> Bool { try isOn(.preview) }

  private func isOn(_ setting: Setting) throws(SettingError) -> Bool {
    switch settings[setting]?.value {
    case "on": return true
    case "off": return false
    default: throw settings.error(setting, "on or off")
    }
  }
  /// A CA file that loads. A bad one would otherwise look like a bad server.
  package func certificateFile(at connection: Connection?) throws -> String? {
    try certificateFile(settings.certificates(at: connection?.keySource ?? .builtIn))
  }

  func certificateFile(_ found: (value: String, source: SettingSource)?) throws -> String? {
    guard let found else { return nil }
    let path = try settings.path(found.value, .certificates, found.source)
    let name = "\(path) (\(Setting.certificates.rawValue), from \(found.source))"
    let bytes: [UInt8]
    do throws(RegularFile.Failure) {
      bytes = try RegularFile.bytes(path, limit: 16 << 20)
    } catch {
      throw CommandFailure(.notConfigured, "\(name) \(error.reason).")
    }
    guard Self.hasCertificate(String(decoding: bytes, as: UTF8.self)) else {
      throw CommandFailure(.notConfigured, "\(name) contains no PEM certificate.")
    }
    return path
  }

  private static func hasCertificate(_ text: String) -> Bool {
    guard let begin = text.firstRange(of: "-----BEGIN CERTIFICATE-----"),
      let end = text[begin.upperBound...].firstRange(of: "-----END CERTIFICATE-----"),
      let bytes = Data(
        base64Encoded: String(text[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace }))
    else { return false }
    // In DER, a certificate starts with a sequence.
    return bytes.first == 0x30
  }

  /// - Throws: If the setting's value cannot be used.
  package func check(_ setting: Setting) throws {
    switch setting {
    case .threshold: _ = try settings.tenThousandths(.threshold)
    case .maxTurns: _ = try maxTurns()
    case .timeLimit: _ = try timeLimit()
    case .followUp: _ = try followUp()
    case .idleTimeout: _ = try idleTimeout()
    case .preview, .readAhead: _ = try isOn(setting)
    case .store: if try database(nil) == nil { _ = try storePath(nil) }
    case .prompts: _ = try promptPack()
    case .certificates: _ = try certificateFile(at: settings.connection().ready)
    case .supabaseURL, .supabaseKey: try checkSupabase(setting)
    // They belong to the connection, which is decided as a whole.
    case .provider, .apiKey, .baseURL, .model, .modelFast, .modelCoach, .modelDeep: break
    }
  }

  /// The settings whose values cannot be used.
  package func problems() -> [any Error] {
    let problems = Setting.allCases.compactMap { setting -> (any Error)? in
      do {
        try check(setting)
        return nil
      } catch {
        return error
      }
    }
    guard problems.isEmpty else { return problems }
    do {
      _ = try supabaseProject()
      return []
    } catch {
      return [error]
    }
  }
}
