/// An event that cannot happen in its phase, because the log is damaged or was written by
/// another version.
package struct UnexpectedEvent: Hashable, Sendable, CustomStringConvertible {
  package var position: Int
  package var kind: IntakeEvent.Kind
  package var phase: Phase.Name

  package var description: String { "\(kind.rawValue) at \(position) while \(phase.rawValue)" }
}
