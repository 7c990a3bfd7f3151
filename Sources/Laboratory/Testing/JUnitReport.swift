import RapportTesting

/// Results as JUnit XML in the form CI servers read (testsuites, testsuite, testcase, failure,
/// skipped).
struct JUnitReport {
  let totals: TestTotals
  let results: [ConversationResult]

  var text: String {
    let counts =
      "tests=\"\(results.count)\" failures=\"\(totals.failed)\" skipped=\"\(totals.skipped)\" "
      + "errors=\"0\" time=\"\(totals.duration.seconds)\""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts)>
      <testsuite name="rapport test" \(counts)>
      \(results.map(testCase).joined(separator: "\n"))
      </testsuite>
      </testsuites>

      """
  }

  private func testCase(_ result: ConversationResult) -> String {
    let head =
      "<testcase name=\"\(result.name.xml)\" classname=\"conversations\" file=\"\(result.path.xml)\" "
      + "time=\"\(result.duration.seconds)\""
    switch result.status {
    case .passed: return head + "/>"
    case .skipped(let reason): return head + "><skipped message=\"\(reason.xml)\"/></testcase>"
    case .failed(let failures):
      let parts = failures.map { failure in
        "<failure message=\"\(failure.path.xml)\">"
          + (failure.line.map { "\(result.path.xml):\($0)\n\n" } ?? "")
          + "expected\n\(failure.expected.xml)\n\nactual\n"
          + "\(failure.actual.xml)</failure>"
      }
      return head + ">" + parts.joined() + "</testcase>"
    }
  }
}

extension String {
  /// Escapes characters with a meaning in XML 1.0 and replaces forbidden ones.
  fileprivate var xml: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\t": result += "&#9;"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Duration {
  fileprivate var seconds: String { "\((self / .milliseconds(1)).rounded() / 1_000)" }
}
