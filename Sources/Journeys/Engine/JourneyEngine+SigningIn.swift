import ContextQuality
import FoundationEssentials
import IncrementalJSON
import LanguageModels

// Signing in.
extension JourneyEngine {
  func signIn(_ value: JSONValue, _ input: Step.SignIn, at step: Step) async throws {
    let local = ScreenOptions.signIn(input)
    let typed = value.stringValue ?? value["email"]?.stringValue
    if value.objectValue == nil, typed?.contains("@") != true,
      ScreenOptions.id(value, local) != nil || !providers.account.isAvailable
    {
      try await keepLocal()
      return try await goOn(from: step)
    }
    // What isn't shown without a service can't be agreed to.
    let consents = providers.account.isAvailable ? input.consents : []
    let hasChanged = try await settle(consents, value["consents"], at: step)
    let known = state.account.email
    if let typed { typedEmail = PlainText.isBlank(typed) ? nil : typed.trimmed }
    guard let email = typed?.trimmed ?? typedEmail ?? known, Self.isEmail(email) else {
      if typed != nil || !hasChanged { problem = input.invalid ?? JourneyProblems.email }
      return
    }
    let missing = flow.missingConsents(input)
    guard missing.isEmpty else {
      problem = JourneyProblems.consents(missing.map(\.label))
      return
    }
    if email == known {
      typedEmail = nil
      return try await goOn(from: step)
    }
    if try await sendCode(to: email) { try await goOn(from: step) }
  }

  /// The ids that are sent are all that is agreed to; without any list, nothing changes.
  ///
  /// - Returns: Whether something was agreed to or taken back.
  private func settle(
    _ consents: [Step.SignIn.Consent], _ sent: JSONValue?, at step: Step
  ) async throws -> Bool {
    guard let given = sent?.arrayValue?.compactMap(\.stringValue) else { return false }
    let held = state.account.consents
    let agreed = consents.filter { given.contains($0.id) && held[$0.id] == nil }
    let withdrawn = consents.map(\.id).filter { !given.contains($0) && held[$0] != nil }
    guard !agreed.isEmpty || !withdrawn.isEmpty else { return false }
    let items = Dictionary(agreed.map { ($0.id, $0.label) }, uniquingKeysWith: { one, _ in one })
    try await store(
      .consented(
        .init(step: step.id, items: items, withdrawn: withdrawn.isEmpty ? nil : withdrawn)))
    return true
  }

  /// From here on nothing of this session is sent, and nobody is signed in without knowing it.
  private func keepLocal() async throws {
    try await providers.sync.withdraw()
    if await account != nil { await providers.account.signOut() }
    try await store(.keptLocal)
  }

  func sendCode(to email: String) async throws -> Bool {
    do throws(AccountError) {
      try await providers.account.sendCode(to: email)
    } catch {
      problem = error.words
      guard error.code == AccountError.tooSoon, hasCode(email) else { return false }
      // The one they have works, so they come to where it's entered.
      if state.account.pending == email { return true }
      problem = JourneyProblems.codeStillGood
    }
    try await store(.codeSent(email: email))
    typedEmail = nil
    return true
  }

  /// How long a code is taken, in seconds: an hour, as Supabase sets it by default.
  private static let codeLife = 3_600.0

  private func hasCode(_ email: String) -> Bool {
    guard let last = state.account.lastCode else { return false }
    return last.email == email
      && providers.now().timeIntervalSince(last.sentAt) < Self.codeLife
  }

  /// Whether it can be an address. Nobody is asked to agree to anything before it is.
  package static func isEmail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, text.utf8.count <= 254, parts[0].utf8.count <= 64 else { return false }
    let name = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return name.allSatisfy { !$0.isEmpty && !$0.contains(where: isForbidden) }
      && labels.count > 1 && labels.allSatisfy(isLabel)
      && (labels.last ?? "").count > 1 && labels.last?.allSatisfy(\.isNumber) == false
  }

  private static func isForbidden(_ character: Character) -> Bool {
    character.isWhitespace || ",<>()[]:;\\\"".contains(character)
  }

  /// Providers take a domain in its ASCII form only.
  private static func isLabel(_ label: Substring) -> Bool {
    !label.isEmpty && label.utf8.count <= 63 && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
  }

  func verify(
    _ value: JSONValue, _ input: Step.VerifyCode, at step: Step
  ) async throws {
    guard let email = state.account.pending else { return try await goOn(from: step) }
    // A code is digits, so an option is chosen by its id or label only.
    let typed = value.stringValue ?? value.intValue.map(String.init) ?? ""
    // The project decides how long its codes are, and which one is right.
    let code =
      CodeText.digits(in: typed, lengths: 6...10)
      ?? CodeText.digits(in: typed, lengths: input.digits...input.digits)
    guard let code else {
      let choice = ScreenOptions.id(value, ScreenOptions.code(input))
      switch choice.flatMap(CodeChoice.init(rawValue:)) {
      case .resend: return try await resend(to: email, input)
      case .different: return try await useDifferentEmail()
      case nil: problem = JourneyProblems.digits(input.digits)
      }
      return
    }
    do throws(AccountError) {
      let account = try await providers.account.verify(code, for: email)
      await signedIn(account)
    } catch {
      problem = error.words
      return
    }
    guard problem == nil else { return }
    if try await !bringOver() { try await goOn(from: step) }
  }

  func signedIn(_ account: Account) async {
    do {
      try await store(.signedIn(email: account.email))
    } catch {
      problem = "You're signed in, but I couldn't save that: \(error)"
    }
  }

  func resend(to email: String, _ input: Step.VerifyCode) async throws {
    let left = flow.resendIn(input, at: providers.now())
    guard left == 0 else {
      problem = JourneyProblems.wait(left)
      return
    }
    _ = try await sendCode(to: email)
  }

  func useDifferentEmail() async throws {
    try await store(.codeDropped)
    if let signIn = state.trail.last(where: { journey[step: $0]?.isSignIn == true }) {
      try await store(.moved(.init(to: signIn, way: .back)))
    }
  }
}
