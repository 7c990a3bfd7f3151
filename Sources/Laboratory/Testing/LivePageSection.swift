import ContextQuality
import RapportTesting
import ScoreReport
import Terminal

/// One conversation on the page: what was found, asked and understood, and both transcripts.
struct LivePageSection {
  let comparison: RunComparison
  let number: Int
  let report: LiveReport
  let isOpen: Bool

  var markup: Markup {
    """
    <details class="talk" id="c\(number)"\(isOpen ? " open" as Markup : .empty)><summary>\
    <h3>\(comparison.name)</h3><span class="title">\(comparison.title)</span>\
    <span class="state \(comparison.tendency.rawValue)">\(state)</span></summary>
    \(facets)\(synthesis)\(questions)\(transcript)</details>

    """
  }

  private var state: String {
    func words(_ side: RunSummary) -> String {
      side.turnsToReady.map { "ready after turn \($0)" } ?? "not ready"
    }
    return Figure.change(words(comparison.left), words(comparison.right))
  }

  // MARK: What was understood

  private var facets: Markup {
    func list(_ evidence: [Evidence], _ heading: Markup, _ kind: Markup) -> Markup {
      guard !evidence.isEmpty else { return .empty }
      let items = evidence.map { item -> Markup in
        """
        <li><b>\(report.title(item.facet))</b> <q dir="auto">\(item.text)</q> \
        <span class="soft">\(item.place)</span></li>
        """
      }
      return "<div class=\"\(kind)\"><h4>\(heading)</h4><ul>\(items.joined())</ul></div>"
    }
    let lists: Markup = """
      \(list(comparison.lost, "Known only with \(report.names.left)", "lost"))\
      \(list(comparison.gained, "Known only with \(report.names.right)", "gained"))
      """
    guard !comparison.lost.isEmpty || !comparison.gained.isEmpty else {
      return "<p class=\"note\">Both know the same facets.</p>\n"
    }
    return "<div class=\"facets\">\(lists)</div>\n"
  }

  private var synthesis: Markup {
    let (left, right) = (comparison.left.profile, comparison.right.profile)
    guard left != nil || right != nil else {
      return "<p class=\"note\">Neither reached a synthesis.</p>\n"
    }
    var names: [String] = []
    for part in (left?.parts ?? []) + (right?.parts ?? []) where !names.contains(part.name) {
      names.append(part.name)
    }
    let rows = names.map { name -> Markup in
      let one = Self.text(name, left)
      let other = Self.text(name, right)
      let kind: Markup = one == other ? "" : " changed"
      return """
        <div class="pair\(kind)"><p class="subject">\(name)</p>\(cell(one, isLeft: true))\
        \(cell(other, isLeft: false))</div>
        """
    }
    return "<h4>What was written down</h4>\n<div class=\"pairs\">\(rows.joined())</div>\n"
  }

  private static func text(_ part: String, _ profile: RunSummary.Profile?) -> String {
    guard let profile else { return "no synthesis" }
    return profile.parts.first { $0.name == part }?.text ?? "–"
  }

  private func cell(_ text: Markup, isLeft: Bool) -> Markup {
    """
    <div class="cell \(isLeft ? "l" : "r")"><p class="side">\
    \(isLeft ? report.names.left : report.names.right)</p>\(text)</div>
    """
  }

  private func cell(_ text: String, isLeft: Bool) -> Markup {
    cell("<p class=\"text\" dir=\"auto\">\(text)</p>" as Markup, isLeft: isLeft)
  }

  // MARK: Questions

  private var questions: Markup {
    let (left, right) = (comparison.left.asks, comparison.right.asks)
    guard !left.isEmpty || !right.isEmpty else { return .empty }
    let rows = (0..<max(left.count, right.count)).map { index -> Markup in
      let one = index < left.count ? left[index] : nil
      let other = index < right.count ? right[index] : nil
      return """
        <div class="pair"><p class="subject">question \(index + 1)</p>\
        \(cell(markup(one), isLeft: true))\(cell(markup(other), isLeft: false))</div>
        """
    }
    return "<h4>What was asked</h4>\n<div class=\"pairs\">\(rows.joined())</div>\n"
  }

  private func markup(_ ask: RunSummary.Ask?) -> Markup {
    guard let ask else { return "<p class=\"text soft\">–</p>" }
    let about =
      ask.components.isEmpty
      ? ask.isCheckIn ? "how they are" : "what is wrong with the summary"
      : ask.components.map { report.title(component: $0) }.joined(separator: " + ")
    let known: Markup =
      ask.known.isEmpty
      ? .empty
      : """
      <p class="known">Already known: \(ask.known.map(report.title).joined(separator: ", "))</p>
      """
    return "<p class=\"about\">\(about)</p><p class=\"text\" dir=\"auto\">\(ask.text)</p>\(known)"
  }

  // MARK: Transcripts

  private var transcript: Markup {
    let greeting: Markup = """
      <div class="turn">\(cell(comparison.left.greeting ?? "–", isLeft: true))\
      \(cell(comparison.right.greeting ?? "–", isLeft: false))</div>

      """
    let turns = comparison.turns.map { pair -> Markup in
      """
      <div class="turn">\(user(pair))\(coach(pair.left, comparison.left, isLeft: true))\
      \(coach(pair.right, comparison.right, isLeft: false))</div>

      """
    }
    return "<h4>What was said</h4>\n<div class=\"turns\">\(greeting)\(turns.joined())</div>\n"
  }

  /// If both said the same, it appears once.
  private func user(_ pair: RunComparison.TurnPair) -> Markup {
    guard let left = pair.left, let right = pair.right, left.text == right.text else {
      return .empty
    }
    let number =
      left.turn == right.turn ? "turn \(left.turn)" : "turn \(left.turn) and turn \(right.turn)"
    return "<div class=\"user both\">\(words(left.text, number))</div>"
  }

  private func words(_ text: String, _ number: String) -> Markup {
    "<p class=\"who\">User, \(number)</p><p class=\"text\" dir=\"auto\">\(text)</p>"
  }

  private func coach(
    _ turn: ConversationRun.Turn?, _ side: RunSummary, isLeft: Bool
  ) -> Markup {
    guard let turn else { return cell("<p class=\"text soft\">–</p>" as Markup, isLeft: isLeft) }
    let isShared = comparison.turns.contains { pair in
      pair.left != nil && pair.right != nil
        && (isLeft ? pair.left?.turn : pair.right?.turn) == turn.turn
        && pair.left?.text == pair.right?.text
    }
    let said: Markup =
      isShared ? .empty : "<div class=\"user\">\(words(turn.text, "turn \(turn.turn)"))</div>"
    let reply: Markup =
      turn.reply.isEmpty
      ? .empty
      : """
      <p class="who">Coach</p><p class="text" dir="auto">\(turn.reply.withoutLastLineEnds)</p>
      """
    return cell("\(said)\(gain(turn, side))\(reply)" as Markup, isLeft: isLeft)
  }

  /// What the turn revealed, with the user's words for it.
  private func gain(_ turn: ConversationRun.Turn, _ side: RunSummary) -> Markup {
    let items = turn.new.map { facet -> Markup in
      let quote = side.heard.first { $0.facet == facet && $0.turn == turn.turn }?.text
      let words: Markup = quote.map { " <q dir=\"auto\">\($0)</q>" } ?? .empty
      return "<li>\(report.title(facet))\(words)</li>"
    }
    let list: Markup = items.isEmpty ? .empty : "<ul>\(items.joined())</ul>"
    return """
      <div class="gain"><p>overall \(turn.components.points.shownAsScore)</p>\(list)</div>
      """
  }
}

extension String {
  fileprivate var withoutLastLineEnds: Substring {
    var rest = self[...]
    while rest.last?.isNewline == true { rest = rest.dropLast() }
    return rest
  }
}
