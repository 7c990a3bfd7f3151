import BatchScoring
import ContextQuality
import ModelScoring
import ScoreReport

/// A judge card as one self-contained HTML file: no scripts, no network access.
struct JudgePage {
  let card: JudgeCard

  var html: String { page.html }

  private var scorer: String { card.scorer ?? "no model answered" }

  private var page: Markup {
    """
    \(PageHead(title: "Judge card of \(scorer)", content: .agreement).markup)\
    <body>
    <main>
    <header><h1>Judge card</h1><p class="lead">How far <b>\(scorer)</b> can be trusted as a scorer: \
    \(card.conversations) conversations, pack \(card.pack), \(card.done) of \(card.planned) \
    readings.</p></header>
    \(tiles)\(shifts)\(flickers)\(quotes)\(labels)\(cost)\(errors)</main>
    </body>
    </html>

    """
  }

  private var tiles: Markup {
    let again = card.shifts.first { $0.change == .again && $0.conversations > 0 }
    let refused = card.share(card.quotes.refused).map(JudgeFigures.percent) ?? "–"
    return """
      <dl class="tiles">\
      \(tile("decisions that flip", again?.decisions.map { JudgeFigures.percent($0.value) }, "read again"))\
      \(tile("facets that differ", again?.facets.map { JudgeFigures.percent($0.value) }, "read again"))\
      \(tile("quotes refused", refused, "of \(card.quotes.offered)"))\
      \(tile("F1 with labels", card.labels?.f1.map { JudgeFigures.score($0.value) }, labeled))</dl>

      """
  }

  private var labeled: String {
    card.labels.map { "\($0.conversations) conversations" } ?? "no labels"
  }

  private func tile(_ name: String, _ value: String?, _ note: String) -> Markup {
    "<div><dt>\(name)</dt><dd><b>\(value ?? "–")</b><span>\(note)</span></dd></div>"
  }

  // MARK: Tables

  private func table(
    _ title: String, _ note: String, _ heads: [String], _ rows: [[String]]
  ) -> Markup {
    let head = heads.map { "<th scope=\"col\">\($0)</th>" as Markup }.joined()
    let body = rows.map { row -> Markup in
      let cells = row.dropFirst().map { "<td>\($0)</td>" as Markup }.joined()
      return "<tr><th scope=\"row\">\(row.first ?? "")</th>\(cells)</tr>"
    }
    return """
      <section><h2>\(title)</h2><p class="note">\(note)</p><table class="agreement"><thead><tr>\
      \(head)</tr></thead><tbody>\(body.joined())</tbody></table></section>

      """
  }

  private var shifts: Markup {
    let threshold = JudgeFigures.score(Double(card.readyAbove) / 10_000)
    return table(
      "Steadiness",
      "How other readings of a conversation differ from its first one. In brackets: the 95% "
        + "interval.",
      [
        "", "decisions at \(threshold)", "last decisions", "facets at the end",
        "overall at the end", "conversations",
      ],
      card.shifts.filter { $0.conversations > 0 }.map { shift in
        [
          JudgeFigures.name(of: shift.change), JudgeFigures.share(shift.decisions),
          JudgeFigures.share(shift.endings), JudgeFigures.share(shift.facets),
          JudgeFigures.score(shift.overall), "\(shift.conversations)",
        ]
      })
  }

  private var flickers: Markup {
    let unsteady = card.flickers.filter { $0.flickered > 0 }
    guard !unsteady.isEmpty else { return .empty }
    return table(
      "Facets that flicker",
      "Conversations in which some readings of the same words find the facet and others don't.",
      ["facet", "flickers in", "found in"],
      unsteady.map { [$0.facet.description, "\($0.flickered)", "\($0.found)"] })
  }

  private var quotes: Markup {
    let quotes = card.quotes
    func row(_ name: String, _ count: Int) -> [String] {
      [name, "\(count)", card.share(count).map(JudgeFigures.percent) ?? "–"]
    }
    func reasons(_ counts: [JudgeCard.Count]) -> [[String]] {
      counts.map { ["– \(JudgeFigures.name(ofRefusal: $0.name))", "\($0.count)", ""] }
    }
    return table(
      "Quotes",
      "A quote that isn't word for word is replaced by the user's words, or else refused.",
      ["", "quotes", "share"],
      [row("word for word", quotes.verbatim), row("snapped", quotes.snapped)]
        + reasons(quotes.snaps) + [row("refused", quotes.refused)] + reasons(quotes.refusals))
  }

  private var labels: Markup {
    guard let labels = card.labels else { return .empty }
    return table(
      "Agreement with labels",
      "\(labels.conversations) labeled conversations, \(labels.prefixes) prefixes.",
      ["", "figure"],
      [
        ["F1", JudgeFigures.score(labels.f1)], ["precision", JudgeFigures.score(labels.precision)],
        ["recall", JudgeFigures.score(labels.recall)],
        ["error of the overall", JudgeFigures.score(labels.error)],
        ["same decision", JudgeFigures.share(labels.decisions)],
      ])
  }

  private var cost: Markup {
    let cost = card.cost
    return table(
      "Cost", "As the provider counted it.", ["", "in all"],
      [
        ["requests", "\(cost.requests)"],
        ["– because an answer was unusable", "\(cost.repairs)"],
        ["input tokens", "\(cost.inputTokens)"], ["output tokens", "\(cost.outputTokens)"],
        ["answers without a count", "\(cost.uncounted)"],
        ["median time of a reading", JudgeFigures.seconds(cost.medianMilliseconds)],
        ["time, one after another", JudgeFigures.seconds(cost.milliseconds)],
      ])
  }

  private var errors: Markup {
    guard !card.errors.isEmpty else { return .empty }
    return table(
      "Failed readings", "They count nowhere above.", ["", "readings"],
      card.errors.map { [$0.name, "\($0.count)"] })
  }
}
