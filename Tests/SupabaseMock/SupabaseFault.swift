import IncrementalJSON

/// A way for a Supabase project to fail.
public struct SupabaseFault: Hashable, Sendable, CustomStringConvertible {
  public enum Name: String, CaseIterable, Sendable {
    case wrongCode = "wrong-code"
    case emailInvalid = "email-invalid"
    case emailLimit = "email-limit"
    case signupsOff = "signups-off"
    case rateLimit = "rate-limit"
    case sessionEnded = "session-ended"
    case expiredToken = "expired-token"
    case rowPolicy = "row-policy"
    case badRow = "bad-row"
    case serverError = "server-error"
    case gateway
    case slow
    case lostReply = "lost-reply"
    case wrongKey = "wrong-key"

    /// What goes wrong, and what the number after the colon means.
    public var summary: String {
      switch self {
      case .wrongCode: "403 otp_expired, whatever the code"
      case .emailInvalid: "400 email_address_invalid"
      case .emailLimit: "429 over_email_send_rate_limit (:SECONDS to wait, default 41)"
      case .signupsOff: "422 otp_disabled"
      case .rateLimit: "429 over_request_rate_limit (:SECONDS to wait, default 20)"
      case .sessionEnded: "400 refresh_token_already_used"
      case .expiredToken: "401 PGRST303, as for a token that has expired"
      case .rowPolicy: "403 42501, as for a row policy that refuses the row"
      case .badRow: "400 PGRST204, as for a column that doesn't exist"
      case .serverError: "500 unexpected_failure (:STATUS)"
      case .gateway: "502 with a page of HTML, as from the gateway in front"
      case .slow: "the answer comes late (:SECONDS, default 5)"
      case .lostReply: "the request is carried out, but its answer never arrives"
      case .wrongKey: "401, as for a wrong anon key"
      }
    }

    /// The requests that it breaks unless `--only` names others.
    fileprivate var defaultTargets: [SupabaseTarget] {
      switch self {
      case .wrongCode: [.verify]
      case .emailInvalid, .emailLimit, .signupsOff: [.otp]
      case .rateLimit: [.otp, .verify, .refresh]
      case .sessionEnded: [.refresh]
      case .expiredToken, .rowPolicy, .badRow: [.rows]
      case .serverError, .gateway, .slow, .lostReply, .wrongKey: SupabaseTarget.allCases
      }
    }
  }

  public var name: Name
  /// Seconds or a status, depending on the fault.
  public var number: Int?

  public init(_ name: Name, _ number: Int? = nil) {
    self.name = name
    self.number = number
  }

  /// `NAME` or `NAME:NUMBER`. Nil if it is neither.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = Name(rawValue: String(parts[0])) else { return nil }
    self.init(name)
    guard parts.count == 2 else { return }
    let range = name == .serverError ? 500...599 : 0...86_400
    guard [.emailLimit, .rateLimit, .serverError, .slow].contains(name), let number = Int(parts[1]),
      range.contains(number)
    else { return nil }
    self.number = number
  }

  public var description: String { name.rawValue + (number.map { ":\($0)" } ?? "") }

  func breaks(_ target: SupabaseTarget, only: SupabaseTarget?) -> Bool {
    only.map { $0 == target } ?? name.defaultTargets.contains(target)
  }
}

/// What a request to a project is for.
public enum SupabaseTarget: String, CaseIterable, Sendable {
  case otp, verify, refresh, logout, user, rows
}

/// Faults to apply to answers, in order: the first one that matches and is not used up.
public struct SupabaseFaultPlan: Sendable {
  public struct Planned: Hashable, Sendable {
    public var fault: SupabaseFault
    /// How many answers it breaks; nil breaks all.
    public var times: Int?
    /// Breaks every n-th matching answer.
    public var every: Int
    public var only: SupabaseTarget?

    public init(
      _ fault: SupabaseFault, times: Int? = nil, every: Int = 1, only: SupabaseTarget? = nil
    ) {
      self.fault = fault
      self.times = times
      self.every = max(1, every)
      self.only = only
    }
  }

  private struct Entry {
    var plan: Planned
    var seen = 0
    var used = 0
  }

  private var entries: [Entry]

  public init(_ planned: [Planned] = []) { entries = planned.map { Entry(plan: $0) } }

  mutating func next(for target: SupabaseTarget) -> SupabaseFault? {
    for index in entries.indices {
      let plan = entries[index].plan
      guard plan.fault.breaks(target, only: plan.only) else { continue }
      entries[index].seen += 1
      guard entries[index].seen % plan.every == 0, entries[index].used < plan.times ?? .max else {
        continue
      }
      entries[index].used += 1
      return plan.fault
    }
    return nil
  }
}
