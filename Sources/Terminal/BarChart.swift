/// Labeled horizontal bars, one per line.
public enum BarChart {
  public struct Bar: Sendable {
    public let label: String
    /// 0 to 1. A value outside the range is clamped, and NaN counts as 0.
    public let value: Double

    public init(label: String, value: Double) {
      self.label = label
      self.value = value
    }
  }

  /// The characters that bars are drawn with.
  public enum Alphabet: Sendable, Equatable {
    /// `#` and `.`
    case ascii
    /// Block elements, in steps of an eighth of a column.
    case unicode

    /// Unicode, unless the locale names another character set.
    public init(environment: [String: String]) {
      let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      let name = (locale ?? "UTF-8").lowercased()
      self = name.contains("utf-8") || name.contains("utf8") ? .unicode : .ascii
    }
  }

  /// The bars, each as `label  bar  percent`, in lines of at most `width` columns if the labels
  /// leave room for bars of four columns. No trailing newline.
  public static func render(_ bars: [Bar], width: Int, alphabet: Alphabet) -> String {
    let labelWidth = bars.map { displayWidth(of: $0.label) }.max() ?? 0
    let barWidth = min(max(width - labelWidth - 8, 4), 40)
    return bars.map { bar in
      let padding = String(repeating: " ", count: labelWidth - displayWidth(of: bar.label))
      let value = bar.value.isFinite ? min(max(bar.value, 0), 1) : 0
      // Rounded down, so that a score just short of a threshold never seems to reach it.
      let percent = String(Int(value * 100 + 1e-9))
      let number = String(repeating: " ", count: 3 - percent.count) + percent
      return "\(bar.label)\(padding)  \(Self.bar(value, width: barWidth, alphabet))  \(number)%"
    }.joined(separator: "\n")
  }

  /// - Parameter value: 0 to 1.
  static func bar(_ value: Double, width: Int, _ alphabet: Alphabet) -> String {
    switch alphabet {
    case .ascii:
      let filled = Int((value * Double(width)).rounded())
      return String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    case .unicode:
      let eighths = Int((value * Double(width * 8)).rounded())
      let part = eighths % 8 == 0 ? "" : String(partialBlocks[eighths % 8 - 1])
      let full = String(repeating: "█", count: eighths / 8)
      let empty = width - eighths / 8 - part.count
      return full + part + String(repeating: "·", count: empty)
    }
  }

  private static let partialBlocks = Array("▏▎▍▌▋▊▉")
}
