import BatchScoring
import ContextQuality
import OfflineScorer

/// One conversation: its curve, its components, and its text with the evidence marked.
struct ConversationSection {
  let conversation: ReportConversation
  let number: Int
  let isOpen: Bool
  let table: ScoreTable
  let rubric: Rubric
  let names: FacetNames

  var markup: Markup {
    """
    <details class="talk"\(isOpen ? " open" as Markup : .empty)><summary>\
    <span class="no">\(number)</span><h3 dir="auto">\(conversation.id)</h3>\(curve.spark)\
    <span class="score">\(ShownFigure.score(conversation.overall))</span>\(state)</summary>\
    <div class="talk-body" id="c\(number)"><div class="overview"><figure>\(curve.markup)</figure>\
    \(components)</div>\(unsaid)<ol class="words">\(messages)</ol>\(rest)</div></details>

    """
  }

  private var curve: TurnCurve {
    TurnCurve(
      turns: conversation.turns, steps: conversation.steps, readyAbove: table.readyAbove)
  }

  private var isReady: Bool { conversation.overall > table.readyAbove }

  private var state: Markup {
    let doubts = [
      conversation.isUnread ? "not in English?" : nil,
      conversation.certainty?.isUnlike == true ? "unlike what the scorer learned from" : nil,
      conversation.certainty.map { "90% range \(range($0.range))" },
    ].compactMap(\.self)
    guard !doubts.isEmpty else { return readiness }
    return "\(readiness)<span class=\"state\">\(doubts.joined(separator: "; "))</span>"
  }

  private func range(_ range: ClosedRange<Int>) -> String {
    "\(Figures.exact(range.lowerBound))–\(Figures.exact(range.upperBound))"
  }

  private var isUnsure: Bool {
    conversation.certainty?.isUnsure(readyAbove: table.readyAbove) ?? false
  }

  private var readiness: Markup {
    if isUnsure {
      return "<span class=\"state\">\(isReady ? "ready" : "not ready"), but unsure</span>"
    }
    guard let turn = conversation.turnsToReady else {
      return "<span class=\"state\">not ready</span>"
    }
    guard isReady else {
      return "<span class=\"state\">ready after turn \(turn), not at the end</span>"
    }
    return "<span class=\"state yes\">ready after turn \(turn)</span>"
  }

  // MARK: Components

  private var components: Markup {
    let rows = rubric.components.indices.map { index -> Markup in
      let percent = table.percent(index, known: conversation.known)
      return """
        <tr><th scope="row">\(rubric.components[index].title)</th><td class="meter">\
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">\
        <rect class="track" width="100" height="8"/><rect class="ready" width="\(percent)" \
        height="8"/></svg></td><td class="figure">\(percent)%</td></tr>
        """
    }
    return """
      <table class="components"><caption>Known at the end</caption>\
      <tbody>\(rows.joined())</tbody></table>
      """
  }

  /// What the scorer thinks it may have missed.
  private func title(ofMissing facet: Int) -> String {
    guard let chance = conversation.certainty?.chances[facet], chance >= 0.1 else {
      return names.title(facet)
    }
    return "\(names.title(facet)) (said with a chance of \(Int((100 * chance).rounded()))%)"
  }

  private var unsaid: Markup {
    let missing = names.facetsByComponent.joined().filter {
      names.isScored($0) && conversation.known >> UInt32($0) & 1 == 0
    }
    guard !missing.isEmpty else { return "<p class=\"unsaid\"><b>Nothing is missing.</b></p>" }
    return """
      <p class="unsaid"><b>Unknown:</b> \(missing.map(title(ofMissing:)).joined(separator: " · "))</p>
      """
  }

  // MARK: Words

  private var messages: Markup {
    var before = 0
    return conversation.messages.map { message -> Markup in
      guard message.turn > 0 else {
        return """
          <li class="coach"><p class="who">Coach</p><p class="text" dir="auto">\
          \(message.text)\(cut(message))</p></li>
          """
      }
      defer { before = message.overall }
      return """
        <li class="user"><p class="who">User, turn \(message.turn)</p>\
        <p class="text" dir="auto">\(EvidenceText(message: message, names: names).markup)\
        \(cut(message))</p>\(gain(message, from: before))</li>
        """
    }.joined()
  }

  private func cut(_ message: ReportConversation.Message) -> Markup {
    guard message.bytesLeftOut > 0 else { return .empty }
    let bytes = Figures.count(message.bytesLeftOut, "byte", "bytes")
    return " <em class=\"cut\">[\(bytes) more were scored but are not shown]</em>"
  }

  private func gain(_ message: ReportConversation.Message, from before: Int) -> Markup {
    // The difference of the figures as shown.
    let change = message.overall / 10 - before / 10
    let sign = change > 0 ? "+" : "−"
    let difference: Markup =
      change == 0
      ? .empty : " <span class=\"change\">\(sign)\(ShownFigure.score(abs(change) * 10))</span>"
    let found = message.evidence.map { "<li>\(names.title($0.facet))</li>" as Markup }
    let lost = message.withdrawn.map { "<li class=\"lost\">\(names.title($0))</li>" as Markup }
    let list: Markup =
      found.isEmpty && lost.isEmpty ? .empty : "<ul>\(found.joined())\(lost.joined())</ul>"
    return """
      <div class="gain"><p>overall \(ShownFigure.score(message.overall))\(difference)</p>\(list)</div>
      """
  }

  private var rest: Markup {
    guard conversation.messagesLeftOut > 0 else { return .empty }
    let count = Figures.count(conversation.messagesLeftOut, "message", "messages")
    return "<p class=\"cut\">\(count) more were scored but are not shown.</p>"
  }
}
