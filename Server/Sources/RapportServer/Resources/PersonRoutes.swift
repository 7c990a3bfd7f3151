import FoundationEssentials
import HTTPTypes
import Hummingbird
import IncrementalJSON
import Intake
import SessionStore

/// The person: their settings, their subscription, and deleting them.
struct PersonRoutes: Sendable {
  let desk: CoachDesk
  let conversations: Conversations

  func add(to router: RouterGroup<AppContext>) {
    router.get("me") { _, context in
      Response(try await me(context))
    }
    router.patch("me") { request, context in
      let json = try await request.json(upTo: 16 * 1024)
      let store = desk.store.belonging(to: context.caller.person)
      let changes = try Self.changes(json)
      try await store.setPersonSettings(changes, at: desk.now())
      return Response(try await me(context))
    }
    router.delete("me") { _, context in
      let receipt = try await conversations.deletePerson(context.caller)
      var response = Response([
        "deleted": .string(receipt.person.rawValue), "at": .string(receipt.at.iso8601),
        "conversations": JSONValue(receipt.sessions), "events": JSONValue(receipt.events),
        "health": .bool(receipt.hadHealth), "subscription": .bool(receipt.hadEntitlement),
      ])
      response.setCookie(.token(nil, isSecure: false))
      return response
    }
    router.get("subscription") { _, context in
      Response(try await subscription(context))
    }
    router.post("subscribe") { _, context in
      let stored = StoredEntitlement(store: desk.store.belonging(to: context.caller.person))
      _ = try await desk.purchases.provider(stored).subscribe(at: desk.now())
      return Response(try await subscription(context))
    }
  }

  private func me(_ context: AppContext) async throws -> JSONValue {
    let settings = try await desk.store.belonging(to: context.caller.person).personSettings()
    func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    return [
      "person": .string(context.caller.person.rawValue),
      "account": .bool(context.caller.hasAccount),
      "scopes": .array(context.caller.scopes.map { .string($0.rawValue) }),
      "units": text(settings.units), "time_zone": text(settings.timeZone),
      "language": text(settings.language), "terms": text(settings.terms),
      "privacy": text(settings.privacy), "consented_at": text(settings.consentedAt?.iso8601),
    ]
  }

  private func subscription(_ context: AppContext) async throws -> JSONValue {
    let store = desk.store.belonging(to: context.caller.person)
    let entitlement = try await store.entitlement()
    return [
      "active": .bool(entitlement != nil),
      "source": entitlement.map { .string($0.source) } ?? .null,
      "since": entitlement.map { .string($0.grantedAt.iso8601) } ?? .null,
      "stub": .bool(desk.purchases == .stub),
    ]
  }

  private static func changes(
    _ json: JSONValue
  ) throws(Problem) -> [PersonSettings.Name: String?] {
    guard let object = json.objectValue else {
      throw .badRequest("The body must be a JSON object.")
    }
    var changes: [PersonSettings.Name: String?] = [:]
    for (name, value) in object {
      guard let setting = PersonSettings.Name(rawValue: name) else {
        let known = PersonSettings.Name.allCases.map(\.rawValue).joined(separator: ", ")
        throw .badRequest(
          "There's no member of this name. Known: \(known).", field: String(name.prefix(64)))
      }
      let text = value.stringValue
      guard value.isNull || text.map({ (1...64).contains($0.utf8.count) }) == true else {
        throw .badRequest("\(name) takes 1 to 64 bytes of text, or null.", field: name)
      }
      switch setting {
      case .units:
        guard text == nil || ["metric", "imperial"].contains(text) else {
          throw .badRequest("units is metric or imperial.", field: name)
        }
      case .timeZone:
        guard text.map({ TimeZone(identifier: $0) != nil }) ?? true else {
          throw .badRequest("time_zone is an IANA name such as Europe/Berlin.", field: name)
        }
      case .language, .terms, .privacy: break
      }
      changes.updateValue(text, forKey: setting)
    }
    return changes
  }
}

/// Tokens for devices whose person has no account yet.
struct TokenRoutes: Sendable {
  let tokens: DeviceTokens
  let verifier: TokenVerifier
  let store: any PersonStore
  let accounts: AccountDesk?
  let limits: Limits
  let proxies: TrustedProxies
  /// Whether the page's cookie may only travel encrypted, in any case.
  let isSecure: Bool

  /// Without a token: anybody may become a person. A browser that already is one needs `anew=true`.
  func addOpen(to router: Router<AppContext>) {
    router.post("tokens") { request, context in
      try keepCookie(of: request)
      try limits.takeDevice(proxies.client(of: request, from: context.address))
      let (person, token) = try tokens.issue()
      try await store.belonging(to: person).register(at: tokens.now())
      return response(token, to: request, context)
    }
    router.post("tokens/recover") { request, context in
      try keepCookie(of: request)
      let json = try await request.json(upTo: 16 * 1024)
      guard let code = json["code"]?.stringValue.flatMap(RecoveryCode.init) else {
        throw Problem.badRequest(
          "code must be a recovery code: 16 letters and figures.", field: "code")
      }
      try limits.takeRecovery(at: proxies.client(of: request, from: context.address))
      guard let person = try await store.takeRecovery(code.digest),
        try await store.belonging(to: person).isRegistered()
      else {
        throw Problem(
          .notFound, "code-unknown",
          "I don't know this code. A code works once, and a newer one replaces it.")
      }
      return response(try tokens.token(of: person), to: request, context)
    }
  }

  /// A browser that belongs to somebody is given to somebody else only if they say so.
  private func keepCookie(of request: Request) throws(Problem) {
    guard request.uri.queryParameters["cookie"] == "true",
      request.cookies[AccessMiddleware.cookie]?.value.isEmpty == false,
      request.uri.queryParameters["anew"] != "true"
    else { return }
    throw Problem(
      .conflict, "cookie-kept",
      "This browser already has a cookie. With anew=true, what it opens can't be opened again.")
  }

  private func response(_ token: String, to request: Request, _ context: AppContext) -> Response {
    var response = Response(
      ["token": .string(token), "expires_in": JSONValue(Int(DeviceTokens.lifetime))],
      status: .created)
    if request.uri.queryParameters["cookie"] == "true" {
      response.setCookie(
        .token(token, isSecure: isSecure || proxies.isEncrypted(request, from: context.address)))
    }
    return response
  }

  /// Renews a device's token; with an account's token, takes over what the device's person has.
  func add(to router: RouterGroup<AppContext>) {
    router.post("tokens/renew") { request, context in
      // The page's cookie is renewed with use, and its scripts get no token.
      guard request.headers[.authorization] != nil,
        let token = try tokens.renewed(context.caller, always: true)
      else {
        throw Problem(.forbidden, "no-device", "Only a device's token is renewed here.")
      }
      return Response([
        "token": .string(token), "expires_in": JSONValue(Int(DeviceTokens.lifetime)),
      ])
    }
    router.post("tokens/recovery") { _, context in
      guard context.caller.tokenIssued != nil else {
        throw Problem(
          .forbidden, "no-device", "Only somebody without an account has a recovery code.")
      }
      try limits.takeRecovery(of: context.caller)
      let code = RecoveryCode()
      try await store.belonging(to: context.caller.person).setRecovery(code.digest)
      return Response(["code": .string(code.text)], status: .created)
    }
    router.post("tokens/upgrade") { request, context in
      let json = try await request.json(upTo: 16 * 1024)
      guard let token = json["device_token"]?.stringValue else {
        throw Problem.badRequest("device_token must be a string.", field: "device_token")
      }
      guard context.caller.hasAccount else {
        throw Problem(
          .forbidden, "no-account", "Sign in first, and send the account's token as the bearer.")
      }
      guard let device = try await verifier.caller(of: token), !device.hasAccount,
        try await store.belonging(to: device.person).isRegistered()
      else {
        throw Problem.badRequest("device_token isn't a valid device token.", field: "device_token")
      }
      let to = context.caller.person
      let store = store.belonging(to: device.person)
      if let accounts {
        try await accounts.alone(with: device.person) { try await store.move(to: to) }
      } else {
        try await store.move(to: to)
      }
      return Response(["person": .string(to.rawValue)])
    }
  }
}

/// Purchases that RevenueCat reports: `POST /webhooks/revenuecat`.
struct RevenueCatRoutes: Sendable {
  /// What the webhook sends as its authorization header, as set up at RevenueCat.
  let secret: String
  let store: any EntitlementStore
  let now: @Sendable () -> Date

  func add(to router: Router<AppContext>) {
    router.post("webhooks/revenuecat") { request, _ in
      guard Self.areSame(request.headers[.authorization] ?? "", secret) else {
        throw Problem.unauthorized
      }
      let event = try await request.json(upTo: 256 * 1024)["event"]
      guard let event, let type = event["type"]?.stringValue else {
        throw Problem.badRequest("event.type must be a string.", field: "event.type")
      }
      for (id, report) in reports(type, event) {
        try await store.belonging(to: id).take(report)
      }
      return Response(["received": true])
    }
  }

  private func reports(_ type: String, _ event: JSONValue) -> [(PersonID, PurchaseReport)] {
    func person(_ id: JSONValue?) -> PersonID? {
      id?.stringValue.flatMap { $0.isEmpty ? nil : PersonID(rawValue: "account:" + $0) }
    }
    func date(_ name: String) -> Date? {
      event[name]?.intValue.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
    }
    let now = now()
    let (at, end) = (date("event_timestamp_ms") ?? now, date("expiration_at_ms"))
    func all(
      _ change: PurchaseReport.Change, of people: [PersonID], isFirst: Bool = false
    ) -> [(PersonID, PurchaseReport)] {
      people.map { ($0, PurchaseReport(change, source: "revenuecat", at: at, isFirst: isFirst)) }
    }
    let buyer = [person(event["app_user_id"])].compactMap(\.self)
    // What is over isn't paid for any more, however late its report comes.
    let payer = end ?? .distantFuture > now ? buyer : []
    switch type {
    case "INITIAL_PURCHASE", "NON_RENEWING_PURCHASE", "TEMPORARY_ENTITLEMENT_GRANT":
      return all(.paid, of: payer, isFirst: true)
    case "RENEWAL", "UNCANCELLATION", "PRODUCT_CHANGE", "SUBSCRIPTION_EXTENDED":
      return all(.paid, of: payer)
    case "EXPIRATION": return all(.ended, of: buyer)
    case "TRANSFER":
      let to = (event["transferred_to"]?.arrayValue ?? []).compactMap(person)
      let from = (event["transferred_from"]?.arrayValue ?? []).compactMap(person)
      return all(.transferred(to: to), of: to.isEmpty ? [] : from.filter { !to.contains($0) })
    // A cancellation takes effect when the paid time expires.
    default: return []
    }
  }

  /// Takes the same time wherever the texts differ.
  private static func areSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    var difference = one.count ^ other.count
    for (index, byte) in other.enumerated() {
      difference |= Int((index < one.count ? one[index] : 0) ^ byte)
    }
    return difference == 0
  }
}
