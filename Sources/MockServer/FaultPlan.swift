import LanguageModels
import Synchronization
public import WireFormats

/// Faults to apply to answers, in order: the first one that matches and is not used up.
public final class FaultPlan: Sendable {
  public struct Planned: Hashable, Sendable {
    public var fault: Fault
    /// How many answers it breaks; nil breaks all.
    public var times: Int?
    /// Which answers it breaks: those for a purpose, `structured`, `prose`, or `models` for the
    /// list.
    public var only: String?

    public init(_ fault: Fault, times: Int? = nil, only: String? = nil) {
      self.fault = fault
      self.times = times
      self.only = only
    }
  }

  /// The allowed values of ``Planned/only``.
  public static let targets =
    RequestPurpose.allCases.map(\.rawValue) + ["structured", "prose", "models"]

  private let planned: [Planned]
  private let used: Mutex<[Int]>

  public init(_ planned: [Planned] = []) {
    self.planned = planned
    used = Mutex(Array(repeating: 0, count: planned.count))
  }

  /// - Parameter purpose: Nil if unknown.
  func next(isStructured: Bool, purpose: RequestPurpose?) -> Fault? {
    take { planned in
      switch planned.only {
      case nil: return isStructured || !planned.fault.name.needsStructure
      case "structured": return isStructured
      case "prose": return !isStructured
      case let target: return target == purpose?.rawValue
      }
    }
  }

  func nextForModels() -> Fault? { take { $0.only == "models" } }

  private func take(_ fits: (Planned) -> Bool) -> Fault? {
    guard !planned.isEmpty else { return nil }
    return used.withLock { used in
      for (index, candidate) in planned.enumerated() where fits(candidate) {
        guard used[index] < candidate.times ?? .max else { continue }
        used[index] += 1
        return candidate.fault
      }
      return nil
    }
  }
}
