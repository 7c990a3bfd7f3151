import Coaching
import ContextQuality
import FoundationEssentials
import Intake
import Journeys
import Plans
import SessionStore
import Synchronization

/// The pack's data for coaching, read once for all conversations.
final class CoachingShelf: Sendable {
  private let kept = Mutex<CoachingPack?>(nil)

  /// - Throws: `PackError` if the data is malformed.
  func pack(of prompts: PromptPack) throws(PackError) -> CoachingPack {
    if let known = kept.withLock(\.self) { return known }
    let read = try CoachingPack(prompts, cycle: prompts.dayCycle)
    kept.withLock { $0 = read }
    return read
  }
}

extension CoachDesk {
  /// What coaches along with a conversation of this desk's person: by their clock, in their units.
  func surroundings(_ settings: PersonSettings) throws -> Surroundings {
    .coached(
      by: pack, try coaching.pack(of: pack), in: settings.zone, units: settings.chosenUnits)
  }
}

extension PersonSettings {
  var zone: TimeZone { timeZone.flatMap { TimeZone(identifier: $0) } ?? .gmt }
  var chosenUnits: Units? { units.flatMap { Units(rawValue: $0) } }
}
