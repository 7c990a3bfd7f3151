public import BatchScoring
public import ContextQuality
import OfflineScorer

/// One self-contained HTML file about many conversations: no scripts, no network access.
public struct ScoreReport {
  private let outcome: BatchOutcome
  private let rubric: Rubric
  private let table: ScoreTable
  private let names: FacetNames
  private let data: ReportData
  private let conversations: [(position: Int, element: ReportConversation)]
  private let columns: [(position: Int, element: ReportData.Column)]

  /// - Parameter outcome: The result of a run with the format ``ScoreFormat/html``.
  public init(outcome: BatchOutcome, rubric: Rubric) {
    (self.outcome, self.rubric) = (outcome, rubric)
    table = ScoreTable(rubric)
    names = FacetNames(rubric)
    data = outcome.report ?? ReportData()
    conversations = data.conversations.sample
    columns = data.columns.sample
  }

  /// Emits the file piece by piece.
  public func write(_ emit: (String) throws -> Void) rethrows {
    try emit(head.html)
    if count == 0 {
      try emit(("<p class=\"sample\">No conversations.\(failedNote)</p>" as Markup).html)
    } else {
      try emit((overview as Markup).html)
      try emit(("<section><h2>Conversations</h2>\(listNote)" as Markup).html)
      for (index, conversation) in conversations.enumerated() {
        try emit(section(index + 1, conversation.element).html)
      }
      try emit("</section>\n")
    }
    try emit((scored as Markup).html)
    try emit("</main>\n</body>\n</html>\n")
  }

  private var totals: ScoreTotals { outcome.totals }
  private var count: Int { totals.conversations }

  private func section(_ number: Int, _ conversation: ReportConversation) -> Markup {
    ConversationSection(
      conversation: conversation, number: number, isOpen: conversations.count <= 5, table: table,
      rubric: rubric, names: names
    ).markup
  }

  // MARK: Head

  private var title: Markup {
    "Context quality of \(Figures.count(count, "conversation", "conversations"))"
  }

  private var head: Markup {
    """
    \(PageHead(title: title, content: .scores).markup)\
    <body>
    <main>
    <header><h1>Context quality</h1>\
    <p class="lead">How well the user was understood in \
    \(Figures.count(count, "conversation", "conversations")), turn by turn.</p></header>

    """
  }

  // MARK: Overview

  private var overview: Markup {
    """
    \(tiles)<p class="sample">\(sampleNote)\(failedNote)</p>
    <section class="plots">\(overallFigure)\(readyFigure)\(missedFigure)</section>
    <section><h2>Components by conversation</h2><p class="note">\(columnNote)</p>\(heatMap.markup)</section>

    """
  }

  private var tiles: Markup {
    let median = Figures.median(data.overall).map(ShownFigure.score) ?? "–"
    let turn = Figures.median(totals.readyByTurn).map { $0 + 1 }
    let last = totals.readyByTurn.count
    let becameReady = turn.map { $0 == last ? "\($0)+" : "\($0)" } ?? "–"
    let unsure = totals.unsure > 0 ? ", unsure for \(Figures.count(totals.unsure))" : ""
    let ready = "\(Figures.count(totals.ready)) of \(Figures.count(count))\(unsure)"
    return """
      <dl class="tiles">\
      \(tile("mean overall", ShownFigure.score(totals.meanPoints), "median \(median)"))\
      \(tile("ready at the end", ShownFigure.share(totals.ready, of: count), ready))\
      \(tile("turns to ready", becameReady, "median, if ready"))\
      \(tile("user turns", Figures.count(totals.turns), perConversation))</dl>
      """
  }

  private var perConversation: String {
    let tenths = (totals.turns * 20 + count) / max(1, count * 2)
    return "\(tenths / 10).\(tenths % 10) per conversation"
  }

  private func tile(_ name: String, _ figure: String, _ note: String) -> Markup {
    "<div><dt>\(name)</dt><dd><b>\(figure)</b><span>\(note)</span></dd></div>"
  }

  /// Says what covers all conversations, and what a sample.
  private var sampleNote: String {
    let all = count == 1 ? "the one conversation" : "all \(Figures.count(count)) conversations"
    guard conversations.count < count else {
      return "Everything here covers \(all).\(selectionNote)\(languageNote)\(unlikeNote)"
    }
    var shown = "the list shows a sample of \(Figures.count(conversations.count))"
    if columns.count < count {
      shown = "the heat map shows a sample of \(Figures.count(columns.count)), and \(shown)"
    }
    return
      "Totals and plots cover \(all); \(shown), chosen by a hash of their content: the same "
      + "input always gives the same sample.\(selectionNote)\(languageNote)"
  }

  private var selectionNote: String {
    guard totals.leftOut > 0 else { return "" }
    return
      " \(Figures.count(totals.leftOut, "conversation was", "conversations were")) left out by "
      + "the choice of conversations."
  }

  private var languageNote: String {
    guard totals.unread > 0 else { return "" }
    let some = Figures.count(
      totals.unread, "conversation doesn’t", "conversations don’t")
    return " \(some) look like English, which the offline scorer can’t read, so "
      + "\(totals.unread == 1 ? "its score means" : "their scores mean") little."
  }

  private var unlikeNote: String {
    guard totals.unlike > 0 else { return "" }
    let some = Figures.count(totals.unlike, "conversation is", "conversations are")
    return " \(some) unlike the text that the scorer learned from, so "
      + "\(totals.unlike == 1 ? "its score means" : "their scores mean") less."
  }

  private var failedNote: String {
    guard outcome.failed > 0 else { return "" }
    return " \(Figures.count(outcome.failed, "line", "lines")) could not be scored and "
      + "\(outcome.failed == 1 ? "is" : "are") not included."
  }

  private var columnNote: String {
    columns.count < count
      ? "A sample of \(Figures.count(columns.count)) of \(Figures.count(count)) conversations, "
        + "one column each."
      : "One column per conversation."
  }

  private var listNote: Markup {
    let shown =
      conversations.count < count
      ? "A sample of \(Figures.count(conversations.count)) of \(Figures.count(count)), in input order. "
      : "In input order. "
    return """
      <p class="note">\(shown)<span class="screen">Marked words are evidence: point at them, tap them \
      or press Tab to see what they show. </span>Words that were withdrawn later are \
      <span class="was">underlined with dots</span>.</p>

      """
  }

  // MARK: Plots

  private var overallFigure: Markup {
    let plot = OverallPlot(counts: data.overall, readyAbove: rubric.readyAbove)
    let rows = plot.binned.enumerated().filter { $0.element > 0 }.map { index, number -> Markup in
      """
      <tr><th scope="row">\(plot.label(index))</th><td>\(Figures.count(number))</td>\
      <td>\(ShownFigure.share(number, of: count))</td></tr>
      """
    }
    return figure(
      "Overall score", "Each bar includes its right edge but not its left one.",
      plot.markup, columns: ["overall", "conversations", "share"], rows: rows)
  }

  private var readyFigure: Markup {
    let plot = ReadyPlot(
      conversations: count, becameReady: totals.readyByTurn, lengths: data.lengths)
    let rows = (1...plot.turns).map { turn -> Markup in
      """
      <tr><th scope="row">\(plot.label(turn))</th>\
      <td>\(ShownFigure.share(plot.readyBy(turn), of: count))</td>\
      <td>\(ShownFigure.share(plot.reached(turn), of: count))</td></tr>
      """
    }
    let legend: Markup = """
      <span class="key curve-key"></span>ready by this turn \
      <span class="key quiet-key"></span>got this far
      """
    return figure(
      "Ready by turn", legend, plot.markup, columns: ["turn", "ready", "reached"], rows: rows)
  }

  private var missedFigure: Markup {
    let plot = MissedPlot(missing: totals.missing, conversations: count, names: names)
    let rows = plot.rows.map { row -> Markup in
      """
      <tr><th scope="row">\(row.title)</th><td>\(Figures.count(row.count))</td>\
      <td>\(ShownFigure.share(row.count, of: count))</td></tr>
      """
    }
    return figure(
      "Most often missing", "Share of conversations that ended without the facet.",
      plot.markup, columns: ["facet", "conversations", "share"], rows: rows)
  }

  private func figure(
    _ title: Markup, _ note: Markup, _ plot: Markup, columns: [String], rows: [Markup]
  ) -> Markup {
    let heads = columns.map { "<th scope=\"col\">\($0)</th>" as Markup }
    return """
      <figure class="plot"><figcaption><h2>\(title)</h2><p class="note">\(note)</p></figcaption>\
      \(plot)<details class="numbers"><summary>Numbers</summary><table><thead><tr>\(heads.joined())\
      </tr></thead><tbody>\(rows.joined())</tbody></table></details></figure>
      """
  }

  private var heatMap: HeatMap {
    var numbers: [Int: Int] = [:]
    for (index, conversation) in conversations.enumerated() {
      numbers[conversation.position] = index + 1
    }
    return HeatMap(
      columns: columns.map { .init(data: $0.element, number: numbers[$0.position]) },
      componentTitles: rubric.components.map(\.title),
      means: totals.meanPercents,
      meanOverall: totals.meanPoints)
  }

  // MARK: What is scored

  private var scored: Markup {
    let components = rubric.components.map { component -> Markup in
      let facets = component.facets.map { "\($0.title) (\($0.weight)%)" }
      return """
        <div><dt>\(component.title) <span>\(component.weight)%</span></dt>\
        <dd>\(facets.joined(separator: " · "))</dd></div>
        """
    }
    return """
      <section><h2>What is scored</h2><p class="note">A facet is known only if the user’s own words \
      support it. Facets add up to their component, and components to the overall score; above \
      \(Figures.exact(rubric.readyAbove)), a conversation is ready.</p>\
      <dl class="rubric">\(components.joined())</dl></section>

      """
  }
}
