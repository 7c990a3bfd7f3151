import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// Records of `rapport score`.
enum ScoreRecords {
  /// The lines of JSON, each checked against the schema that the columns of the Spark job follow.
  static func parsed(
    _ output: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [JSONValue] {
    let schema = JSONSchema(
      try JSONValue(
        parsing: String(
          contentsOf: Fixtures.root.appending(path: "Examples/spark/record.schema.json"),
          encoding: .utf8)))
    return try output.split(separator: "\n").map { line in
      let record = try JSONValue(parsing: String(line))
      let problems = try schema.problems(record)
      #expect(problems == [], "\(line)", sourceLocation: sourceLocation)
      return record
    }
  }
}
