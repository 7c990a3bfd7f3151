import HealthRecords
public import IncrementalJSON
import Intake
import Plans

/// The log as files: JSON with every member, or CSV with one row an entry (RFC 4180).
public enum LogExport {
  public static let columns = [
    "number", "date", "kind", "activity", "sets", "repetitions", "kilograms", "kilometers",
    "seconds", "effort", "note", "quote", "source", "eachSet", "laps", "steps", "corrections",
  ]

  /// - Parameter entries: In the order of the file.
  public static func csv(_ entries: [LogEntry]) -> String {
    let rows = entries.map { entry in columns.map { cell(entry.json[$0]) }.joined(separator: ",") }
    return ([columns.joined(separator: ",")] + rows).map { $0 + "\r\n" }.joined()
  }

  private static func cell(_ value: JSONValue?) -> String {
    guard let value else { return "" }
    if let items = value.arrayValue {
      let texts = items.map { item in
        guard let count = item["repetitions"]?.intValue else {
          return item["quote"]?.stringValue ?? ""
        }
        return "\(count)" + (item["kilograms"].map { "@" + $0.serialized() } ?? "")
      }
      return cell(.string(texts.joined(separator: "; ")))
    }
    let text = value.stringValue ?? value.serialized()
    // A spreadsheet would run it as a formula.
    let safe =
      text.first.map { "=+-@\t\r".contains($0) } == true && value.stringValue != nil
      ? "'" + text : text
    guard safe.contains(where: { ",\"\n\r".contains($0) }) else { return safe }
    return "\"" + safe.replacing("\"", with: "\"\"") + "\""
  }
}

extension LogEntry {
  /// Everything that is known, in metric units.
  public var json: JSONValue {
    .members([
      "number": number, "date": day.description, "kind": kind.rawValue, "activity": activity,
      "sets": sets, "repetitions": repetitions, "kilograms": kilograms, "kilometers": kilometers,
      "seconds": seconds, "effort": effort?.rawValue, "note": note, "quote": quote?.text,
      "turn": quote?.turn, "source": source.rawValue,
      "eachSet": eachSet?.map(\.json), "laps": laps, "steps": steps,
      "units": units?.rawValue,
      "corrections": corrections?.map { JSONValue.members(["quote": $0.text, "turn": $0.turn]) },
    ])
  }
}

extension LogEntry.Series {
  fileprivate var json: JSONValue {
    .members(["repetitions": repetitions, "kilograms": kilograms])
  }
}
