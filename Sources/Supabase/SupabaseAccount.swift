import FoundationEssentials
public import LanguageModels

/// One person's account: signs in and out, and always has a token that is still good.
///
/// A refresh token is used once. Within the process, callers share one refresh; between processes,
/// they take turns, and the second one uses what the first one stored.
public actor SupabaseAccount {
  /// The least time between two codes for one address.
  public static let resendAfter = Duration.seconds(30)
  /// Tokens are refreshed so long before they expire.
  public static let margin = Duration.seconds(60)

  public nonisolated let client: SupabaseClient
  private let keeper: any SessionKeeper
  private let now: @Sendable () -> Date
  private var refreshing: Task<Result<AccountSession, SupabaseError>, Never>?
  /// Refreshed, but not stored: the disk may be full.
  private var unsaved: AccountSession?
  private var lastCode: (email: EmailAddress, at: Date)?
  /// The project asked to be left alone until then.
  private var pauses: [SupabaseError.Code: Date] = [:]

  public init(_ client: SupabaseClient, keeper: any SessionKeeper) {
    self.client = client
    self.keeper = keeper
    now = client.now
  }

  /// Sends a code to the address.
  ///
  /// - Throws: ``SupabaseError``; within ``resendAfter`` of the last code for the address, or while
  ///   the project asks for patience, nothing is sent.
  public func sendCode(to email: EmailAddress) async throws(SupabaseError) {
    let earlier = lastCode?.email == email ? lastCode : nil
    do throws(SupabaseError) {
      if let earlier {
        try refuse(.emailLimit, until: earlier.at + Double(Self.resendAfter.components.seconds))
      }
      try await pausing(.emailLimit) { client throws(SupabaseError) in
        try await client.requestCode(for: email)
      }
    } catch {
      var error = error
      error.hasEarlierCode = earlier != nil
      throw error
    }
    lastCode = (email, now())
  }

  /// Signs in with the code from the email.
  @discardableResult
  public func signIn(
    _ email: EmailAddress, code: OneTimeCode
  ) async throws(SupabaseError) -> AccountSession {
    let session = try await pausing(.tooManyRequests) { client throws(SupabaseError) in
      try await client.verify(code, for: email)
    }
    let turn = try await keeper.turn()
    defer { withExtendedLifetime(turn) {} }
    try await keeper.save(session)
    (unsaved, lastCode) = (nil, nil)
    return session
  }

  /// Who is signed in at this project; nil if nobody is.
  public func session() async throws(SupabaseError) -> AccountSession? {
    // `??` would erase the error's type.
    let session: AccountSession?
    if let unsaved { session = unsaved } else { session = try await keeper.load() }
    return session?.project == client.project.url ? session : nil
  }

  /// A token that is good for ``margin`` at least, refreshed if necessary.
  ///
  /// - Parameter refused: A token that the project did not accept; it is refreshed whatever its age.
  /// - Throws: ``SupabaseError/Code/notSignedIn``, or ``SupabaseError/Code/signedOut`` once the
  ///   session has ended, which removes it here as well.
  public func accessToken(
    replacing refused: Secret? = nil
  ) async throws(SupabaseError) -> Secret {
    guard let session = try await session() else { throw notSignedIn }
    if isGood(session, refused) { return session.accessToken }
    let task = refreshing ?? startRefresh(refused)
    refreshing = task
    let result = await task.value
    if refreshing == task { refreshing = nil }
    return try result.get().accessToken
  }

  private func startRefresh(
    _ refused: Secret?
  ) -> Task<Result<AccountSession, SupabaseError>, Never> {
    Task {
      do throws(SupabaseError) { return .success(try await refresh(refused)) } catch {
        return .failure(error)
      }
    }
  }

  private func refresh(_ refused: Secret?) async throws(SupabaseError) -> AccountSession {
    let turn = try await keeper.turn()
    defer { withExtendedLifetime(turn) {} }
    // Somebody else may have refreshed, or signed out, in the meantime.
    guard let session = try await session() else { throw notSignedIn }
    if isGood(session, refused) { return session }
    do {
      let new = try await client.refresh(session.refreshToken)
      unsaved = new
      if (try? await keeper.save(new)) != nil { unsaved = nil }
      return new
    } catch {
      if error.code == .signedOut || error.code == .banned {
        unsaved = nil
        try? await keeper.remove()
      }
      // Not refreshed in time, but not expired either.
      if error.isPassing, session.accessToken != refused, session.expiresAt > now() {
        return session
      }
      throw error
    }
  }

  private func isGood(_ session: AccountSession, _ refused: Secret?) -> Bool {
    session.accessToken != refused
      && session.expiresAt.timeIntervalSince(now()) > Double(Self.margin.components.seconds)
  }

  /// The other project whose sign-in is stored here; nil if there is none.
  public func otherProject() async throws(SupabaseError) -> String? {
    let stored = try await keeper.load()?.project
    return stored == client.project.url ? nil : stored
  }

  /// Ends the session here, and at the project if it can be reached. Another project's sign-in stays.
  ///
  /// - Returns: Nil, or why the project may still accept the old session for a while.
  /// - Throws: ``SupabaseError/Code/cannotStore`` if the tokens could not be removed.
  @discardableResult
  public func signOut() async throws(SupabaseError) -> SupabaseError? {
    var problem: SupabaseError?
    if try await session() != nil {
      do throws(SupabaseError) {
        try await client.signOut(await accessToken())
      } catch {
        let isOver = [.signedOut, .tokenRefused, .notSignedIn].contains(error.code)
        problem = isOver ? nil : error
      }
    }
    let turn = try await keeper.turn()
    defer { withExtendedLifetime(turn) {} }
    if try await otherProject() == nil { try await keeper.remove() }
    unsaved = nil
    return problem
  }

  private var notSignedIn: SupabaseError {
    SupabaseError(.notSignedIn, host: client.project.host)
  }

  /// Sends nothing while the project asks for patience, and remembers if it does.
  private func pausing<Value: Sendable>(
    _ code: SupabaseError.Code,
    _ request: (SupabaseClient) async throws(SupabaseError) -> Value
  ) async throws(SupabaseError) -> Value {
    for kind in [code, .tooManyRequests] {
      if let until = pauses[kind] { try refuse(kind, until: until) }
    }
    do { return try await request(client) } catch {
      let isLimit = error.code == .emailLimit || error.code == .tooManyRequests
      if isLimit, let wait = error.wait {
        pauses[error.code] = now() + Double(wait.components.seconds)
      }
      throw error
    }
  }

  private func refuse(_ code: SupabaseError.Code, until: Date) throws(SupabaseError) {
    let left = until.timeIntervalSince(now())
    guard left > 0 else { return }
    throw SupabaseError(code, wait: .seconds(left), host: client.project.host)
  }
}
