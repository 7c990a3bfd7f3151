/// The visual role of a piece of text.
public enum TextRole: Sendable, CaseIterable {
  /// The coach's words: the terminal's default color.
  case coach
  /// The prompt in front of the user's words.
  case you
  case dim
  case notice
  case error
  case accent
  case bold
  /// The colors that a diagram names.
  case green, blue
}

/// Turns roles into terminal styles, or into nothing at all.
public struct TerminalStyle: Sendable, Equatable {
  /// What the terminal understands.
  public enum Support: Sendable, Equatable {
    /// No escape bytes, for color or anything else.
    case none
    /// The eight colors and bold, which every color terminal has.
    case basic
  }

  public let support: Support

  public init(_ support: Support) {
    self.support = support
  }

  /// Decides from the environment.
  ///
  /// `NO_COLOR` counts if it is set and not empty (no-color.org). `TERM=dumb` means no escape
  /// sequences; without `TERM`, `COLORTERM` shows that the terminal has them.
  public init(isTerminal: Bool, environment: [String: String], noColor: Bool = false) {
    let term = environment["TERM"] ?? ""
    let refuses = noColor || !(environment["NO_COLOR"] ?? "").isEmpty || term == "dumb"
    let vouches = !term.isEmpty || !(environment["COLORTERM"] ?? "").isEmpty
    self.init(isTerminal && !refuses && vouches ? .basic : .none)
  }

  public var allowsEscapes: Bool { support != .none }

  /// The text in the role's style. Each line is styled separately, so that a line that scrolls or
  /// is copied never carries its color over.
  public func callAsFunction(_ text: String, as role: TextRole) -> String {
    guard allowsEscapes, let code = role.graphicRendition, !text.isEmpty else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "\u{1B}[\(code)m\($0)\u{1B}[0m" }
      .joined(separator: "\n")
  }
}

extension TextRole {
  /// SGR parameters (ECMA-48 8.3.117); nil leaves the text as it is.
  fileprivate var graphicRendition: String? {
    switch self {
    case .coach: nil
    case .you: "1;36"
    case .dim: "2"
    case .notice: "33"
    case .error: "31"
    case .accent: "36"
    case .bold: "1"
    case .green: "32"
    case .blue: "34"
    }
  }
}
