/// An event that can't happen in the phase it was stored in: a damaged log, or one written by
/// another version.
package struct UnexpectedEvent: Hashable, Sendable, CustomStringConvertible {
  package var position: Int
  package var kind: IntakeEvent.Kind
  package var phase: Phase.Name

  package var description: String { "\(kind.rawValue) at \(position) while \(phase.rawValue)" }
}
