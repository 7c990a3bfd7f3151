import Journeys
import Plans
import Terminal

/// A journey's screen as lines for a terminal.
struct ScreenLines {
  struct Line: Equatable {
    /// What stands before the text, which wraps beside it.
    var lead = ""
    var text: String
    var role: TextRole
  }

  var screen: JourneyScreen
  let alphabet: BarChart.Alphabet
  /// The option that the arrows stand on; nil where nothing is chosen with arrows.
  var chosen: Int?
  /// A stepper's value while it is changed.
  var value: Double?
  /// Whether options are chosen by number; if not, by their ids, because digits are an answer.
  var numbersOptions = true
  /// Whether the program draws every key, so that arrows and Esc work.
  var hasKeys = false
  /// Whether a line is typed in an editor, where Tab picks a suggestion and Esc goes back.
  var hasEditor = true
  /// The tip of a tour that is shown; nil for all of them.
  var tip: Int?

  var lines: [Line] {
    var lines = header
    lines.append(Line(text: screen.title, role: .bold))
    lines += screen.body.map { Line(text: $0, role: .coach) }
    lines += screen.bullets.map { Line(text: "\(bullet) \($0)", role: .coach) }
    lines += diagram + figure
    lines += screen.rows.map {
      Line(text: "\($0.label): \($0.value)", role: $0.isHeading == true ? .bold : .coach)
    }
    lines += screen.tips.enumerated().filter { tip == nil || $0.offset == tip }.map {
      Line(text: "\($0 + 1). \($1.value)", role: .coach)
    }
    lines += screen.diff.map(Self.line)
    lines += screen.consents.map { consent in
      let url = (consent.url ?? consent.note).map { " (\($0))" } ?? ""
      return Line(
        text: "[\(consent.isGiven ? "x" : " ")] \(consent.label)\(url)", role: .coach)
    }
    if let refusal = screen.refusal { lines.append(Line(text: refusal, role: .error)) }
    lines += input
    lines += options
    if let info = screen.info { lines.append(Line(text: "? \(info)", role: .notice)) }
    if let problem = screen.problem { lines.append(Line(text: problem, role: .error)) }
    if let waiting = screen.waiting { lines.append(Line(text: waiting, role: .dim)) }
    return lines
  }

  private var bullet: String { alphabet == .ascii ? "-" : "•" }

  private var header: [Line] {
    var lines: [Line] = []
    if let place = screen.place {
      lines.append(Line(text: "Step \(place.number) of \(place.total)", role: .dim))
    }
    let title = screen.section ?? ""
    let bar = screen.segments.map(cell).joined(separator: alphabet == .ascii ? "" : " ")
    if screen.kind == .conversation {
      lines += screen.segments.map {
        Line(text: "\(cell($0)) \($0.title)", role: .dim)
      }
    } else if !title.isEmpty || !bar.isEmpty {
      let text = [title, bar].filter { !$0.isEmpty }.joined(separator: "  ")
      lines.append(Line(text: text, role: .dim))
    }
    return lines
  }

  /// How full a conversation's topics are.
  var topics: String {
    screen.segments.map { "\(cell($0)) \($0.title)" }.joined(separator: "   ")
  }

  /// One character: how full a segment is.
  private func cell(_ segment: JourneyScreen.Segment) -> String {
    if alphabet == .ascii {
      return segment.fill >= 1 ? "#" : segment.fill > 0 ? "+" : segment.isCurrent ? "o" : "."
    }
    guard segment.fill > 0 else { return segment.isCurrent ? "▁" : "░" }
    let heights = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    return heights[min(max(Int(segment.fill * 8), 1), 8) - 1]
  }

  private var figure: [Line] {
    guard screen.figure == "flame" else { return [] }
    return ["    (", "   ) \\", "  ( ) )", "   \\_/"].map { Line(text: $0, role: .accent) }
  }

  private var diagram: [Line] {
    guard !screen.diagram.isEmpty else { return [] }
    let block = alphabet == .ascii ? "#" : "■"
    return screen.diagram.map { part in
      Line(
        text: String(repeating: block, count: part.days) + "  \(part.label): "
          + (part.days.counted("day")),
        role: part.color.flatMap { Self.colors[$0] } ?? .accent)
    }
  }

  private static let colors: [String: TextRole] = [
    "green": .green, "blue": .blue, "orange": .notice, "gray": .dim,
  ]

  private var input: [Line] {
    switch screen.input {
    case .stepper(let input):
      let text = input.text(value ?? input.value)
      return [Line(text: hasKeys ? "  - \(text) +" : "  \(text)", role: .accent)]
    case .number(_, _, _, let unit, let value?):
      let number = Int(exactly: value).map { "\($0)" } ?? "\(value)"
      let text = [number, unit].compactMap(\.self).joined(separator: " ")
      return [Line(text: "  \(text)", role: .accent)]
    case .number(_, _, _, let unit?, nil): return [Line(text: "  in \(unit)", role: .dim)]
    case .timeRange(let range, let length):
      return [
        Line(
          text: "  \(ClockRange.text(range.start)) to \(ClockRange.text(range.end)), \(length)",
          role: .accent)
      ]
    case .open(_, let pills, _, _) where !pills.isEmpty:
      let open = pills.map { "(\($0))" }.joined(separator: " ")
      return [Line(text: open, role: .dim)]
    case .code(_, let seconds) where seconds > 0:
      return [Line(text: "A new code in \(seconds) s", role: .dim)]
    default: return []
    }
  }

  private var options: [Line] {
    screen.options.enumerated().map { index, option in
      let mark = numbersOptions ? "\(index + 1)" : option.id
      let pointer = hasKeys && screen.kind != .tour ? (chosen == index ? "> " : "  ") : ""
      let icon = option.icon.map { alphabet == .ascii ? "" : "\($0) " } ?? ""
      let detail = option.detail.map { ": \($0)" } ?? ""
      return Line(
        lead: "\(pointer)[\(mark)] ", text: "\(icon)\(option.label)\(detail)",
        role: chosen == index ? .accent : .coach)
    }
  }

  private static func line(_ line: DocumentEdit.Line) -> Line {
    switch line.change {
    case .same: Line(text: "  \(line.text)", role: .dim)
    case .removed: Line(text: "- \(line.text)", role: .error)
    case .added: Line(text: "+ \(line.text)", role: .accent)
    }
  }

  /// What can be typed here, in rows that break between two ways.
  func hint(columns: Int) -> [String] { ways.rows(columns: columns) }

  private var ways: [String] {
    var parts: [String] = []
    if let button = screen.button, button.isEnabled || chosen != nil {
      parts.append("Enter: \(button.label)")
    }
    if hasKeys, screen.button == nil, !screen.options.isEmpty { parts.append("Enter: choose") }
    switch screen.input {
    case .stepper(let input):
      let low = input.text(input.min)
      let unit = input.unit.map { " \($0)" } ?? ""
      let least = low.hasSuffix(unit) ? String(low.dropLast(unit.count)) : low
      let range = "\(least) to \(input.text(input.max))"
      parts.append(hasKeys ? "arrows or a number" : "or type a number, \(range)")
    case .select where hasKeys: parts.append("arrows or a number")
    case .timeRange: parts.append("or type 12:00 to 20:00")
    case .number(_, _, _, _, .some): parts.append("or type a number")
    case .email(let placeholder, nil):
      parts.append(placeholder ?? "Type your email")
    case .edit:
      if !screen.diff.isEmpty, let first = screen.options.first {
        parts.append("Enter: \(first.label)")
      }
      parts.append("Type a change, or a word in brackets")
    case .open(_, let pills, _, _) where !pills.isEmpty && hasEditor:
      parts.append("Tab: a suggestion")
    default: break
    }
    if screen.hasUnits { parts.append("u: \(screen.units == .metric ? "ft and lb" : "cm and kg")") }
    // On a line, a character acts only once it's sent.
    let isLine = hasEditor && !hasKeys
    func way(_ sign: String, escapes: Bool) -> String {
      if isLine { return (escapes ? "Esc, or " : "") + sign + " and Enter" }
      return escapes && hasKeys ? sign + " or Esc" : sign
    }
    // Esc closes an open tip first.
    let isOpen = screen.info != nil
    if screen.back != .none { parts.append(way("<", escapes: !isOpen) + ": back") }
    if screen.hasInfo { parts.append(way("?", escapes: isOpen) + (isOpen ? ": close" : ": why")) }
    return parts
  }
}
