/// What a stretch of text is, for the eye.
public enum TextRole: Sendable, CaseIterable {
  /// The coach's words: the terminal's own colour.
  case coach
  /// The prompt in front of the user's words.
  case you
  case dim
  case notice
  case error
  case accent
  case bold
}

/// Turns roles into terminal styles, or into nothing at all.
public struct TerminalStyle: Sendable, Equatable {
  /// What the terminal understands.
  public enum Support: Sendable, Equatable {
    /// Not one escape byte is written, for colour or anything else.
    case none
    /// The eight colours and bold, which every terminal with colour has.
    case basic
  }

  public let support: Support

  public init(_ support: Support) {
    self.support = support
  }

  /// Decides from the surroundings.
  ///
  /// `NO_COLOR` counts when it is set and not empty (no-color.org). `TERM=dumb` means no escape
  /// sequences; without `TERM`, `COLORTERM` still vouches for a terminal that has them.
  public init(isTerminal: Bool, environment: [String: String], noColor: Bool = false) {
    let term = environment["TERM"] ?? ""
    let refuses = noColor || !(environment["NO_COLOR"] ?? "").isEmpty || term == "dumb"
    let vouches = !term.isEmpty || !(environment["COLORTERM"] ?? "").isEmpty
    self.init(isTerminal && !refuses && vouches ? .basic : .none)
  }

  public var allowsEscapes: Bool { support != .none }

  /// The text in the role's style. Each line is styled by itself, so that a line that scrolls or
  /// is copied never carries its colour over.
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
    }
  }
}
