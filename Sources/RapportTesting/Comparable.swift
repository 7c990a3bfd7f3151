import FoundationEssentials
import IncrementalJSON
import Intake

extension IntakeEvent {
  /// As text, without the error message of a failed answer, which differs over a socket.
  var comparable: String {
    var event = self
    if case .scored(var scoring) = event {
      scoring.failure?.detail = ""
      event = .scored(scoring)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(event)).map { String(decoding: $0, as: UTF8.self) } ?? "\(event)"
  }
}

extension SessionOutput {
  /// As text, without details for engineers.
  var comparable: String {
    var output = self
    switch output {
    case .notice(var notice):
      notice.detail = nil
      output = .notice(notice)
    case .scored(var report):
      report.failure = report.failure.map { ScoringFailure($0.kind, $0.kind.rawValue) }
      output = .scored(report)
    default: break
    }
    return output.json.serialized()
  }
}
