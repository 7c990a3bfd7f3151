public import BatchScoring
public import ContextQuality
import OfflineScorer

/// One self-contained HTML file about where a scorer and a person disagree: no scripts, no network
/// access.
public struct ComparisonReport {
  private let conversations: [ComparedConversation]
  private let wrong: [ComparedConversation]
  private let table: ScoreTable
  private let names: FacetNames
  private let curve: RoutingCurve?

  /// - Parameters:
  ///   - shown: The most conversations to show in full, those with the most errors.
  ///   - curve: What sending more on would change, for a cascade.
  public init(
    _ conversations: [ComparedConversation], rubric: Rubric, shown: Int,
    curve: RoutingCurve? = nil
  ) {
    (self.conversations, self.curve) = (conversations, curve)
    (table, names) = (ScoreTable(rubric), FacetNames(rubric))
    func errors(_ conversation: ComparedConversation) -> Int {
      conversation.count(.false) + conversation.count(.missed)
    }
    wrong = conversations.enumerated().filter { errors($0.element) > 0 }
      .sorted { (errors($1.element), $0.offset) < (errors($0.element), $1.offset) }
      .prefix(shown).map(\.element)
  }

  public var html: String { page.html }

  private var page: Markup {
    """
    \(head)\(tiles)\(routing)\(registers)\(facets)<section><h2>Conversations</h2>\(note)\
    \(wrong.enumerated().map { section($0 + 1, $1) }.joined())</section>
    </main>
    </body>
    </html>

    """
  }

  // MARK: Head

  private var head: Markup {
    let count = Figures.count(conversations.count, "conversation", "conversations")
    return """
      \(PageHead(title: "Agreement on \(count)", content: .agreement).markup)\
      <body>
      <main>
      <header><h1>Agreement with labels</h1>\
      <p class="lead">Where the scorer and the labels of \(count) differ, by register and by facet.</p></header>

      """
  }

  private var tiles: Markup {
    let all = agreement(conversations)
    let falseCount = conversations.reduce(0) { $0 + $1.count(.false) }
    let missedCount = conversations.reduce(0) { $0 + $1.count(.missed) }
    return """
      <dl class="tiles">\
      \(tile("F1 over prefixes", figure(all.figures.f1), Figures.count(all.prefixes, "prefix", "prefixes")))\
      \(tile("precision", figure(all.figures.precision), Figures.count(falseCount) + " false"))\
      \(tile("recall", figure(all.figures.recall), Figures.count(missedCount) + " missed"))\
      \(tile("error of the overall", figure(all.meanAbsoluteError), "mean, absolute"))</dl>

      """
  }

  private func tile(_ name: String, _ value: String, _ note: String) -> Markup {
    "<div><dt>\(name)</dt><dd><b>\(value)</b><span>\(note)</span></dd></div>"
  }

  // MARK: Cascade

  private var routing: Markup {
    guard let curve, !curve.points.isEmpty else { return .empty }
    let rows = curve.points.map { point -> Markup in
      """
      <tr><th scope="row">\(ShownFigure.percent(point.share))</th>\
      <td>\(ShownFigure.percent(point.wrong.value))</td>\
      <td>\(ShownFigure.percent(point.wrong.low)) to \(ShownFigure.percent(point.wrong.high))</td></tr>
      """
    }
    return """
      <section><h2>What sending on is worth</h2><p class="note">The ready decision after each user turn, \
      by the share of \(curve.sent.rawValue). The band holds 95% of the figures that come out if as many \
      conversations are drawn again.</p><figure class="plot sent">\(RoutingPlot(curve: curve).markup)\
      <details class="numbers"><summary>Numbers</summary><table><thead><tr><th scope="col">sent on</th>\
      <th scope="col">wrong</th><th scope="col">95% range</th></tr></thead><tbody>\(rows.joined())</tbody>\
      </table></details></figure></section>

      """
  }

  // MARK: Tables

  private var registers: Markup {
    let groups = Dictionary(grouping: conversations) { $0.register ?? "" }
    guard groups.count > 1 || groups.keys.contains(where: { !$0.isEmpty }) else { return .empty }
    let rows = groups.map { name, group in
      (name: name.isEmpty ? "(none)" : name, group: group, agreement: agreement(group))
    }.sorted { ($0.agreement.figures.f1, $0.name) < ($1.agreement.figures.f1, $1.name) }
    return agreementTable(
      "By register", "Worst first.", "register",
      rows.map { row in
        (
          row.name, row.agreement.figures, figure(row.agreement.meanAbsoluteError), row.group.count,
          row.group.flatMap(\.evidence)
        )
      }, columns: ["error", "conversations"])
  }

  private var facets: Markup {
    let all = agreement(conversations)
    let evidence = Dictionary(grouping: conversations.flatMap(\.evidence), by: \.facet)
    let rows = OfflineScorer.facets.indices.filter { names.isScored($0) }
      .sorted { (all.figures(of: $0).f1, $0) < (all.figures(of: $1).f1, $1) }
    return agreementTable(
      "By facet", "Worst first. Support is the number of prefixes in which the facet is known.",
      "facet",
      rows.map { facet in
        let support = all.counts[facet][2] + all.counts[facet][3]
        return (
          "\(names.componentTitle(facet)): \(names.title(facet))", all.figures(of: facet),
          figure(all.kappa(of: facet)), support, evidence[facet] ?? []
        )
      }, columns: ["kappa", "support"])
  }

  private typealias Row = (
    name: String, figures: Agreement.Figures, third: String, count: Int,
    evidence: [ComparedEvidence]
  )

  private func agreementTable(
    _ title: String, _ note: String, _ first: String, _ rows: [Row], columns: [String]
  ) -> Markup {
    let heads = ([first, "F1", "precision", "recall"] + columns + ["false", "missed"])
      .map { "<th scope=\"col\">\($0)</th>" as Markup }
    let lines = rows.map { row -> Markup in
      let cells =
        [row.figures.f1, row.figures.precision, row.figures.recall].map(figure)
        + [row.third, Figures.count(row.count)]
        + [ComparedEvidence.Kind.false, .missed].map { kind in
          Figures.count(row.evidence.count { $0.kind == kind })
        }
      return """
        <tr><th scope="row">\(row.name)</th>\(cells.map { "<td>\($0)</td>" as Markup }.joined())</tr>
        """
    }
    return """
      <section><h2>\(title)</h2><p class="note">\(note)</p><table class="agreement"><thead><tr>\
      \(heads.joined())</tr></thead><tbody>\(lines.joined())</tbody></table></section>

      """
  }

  // MARK: Conversations

  private var note: Markup {
    """
    <p class="note">\(shownNote) Right evidence is <mark>marked</mark>, false evidence \
    <mark class="false">framed</mark>, and missed evidence <mark class="missed">framed with \
    dashes</mark>. Point at it, tap it or press Tab to see what it shows.</p>

    """
  }

  private var shownNote: String {
    let all = conversations.count { $0.count(.false) + $0.count(.missed) > 0 }
    let of =
      "\(Figures.count(all)) of \(Figures.count(conversations.count, "conversation has", "conversations have")) errors"
    return wrong.count < all
      ? "\(of); here are the \(wrong.count) with the most." : of + ", most first."
  }

  private func section(_ number: Int, _ conversation: ComparedConversation) -> Markup {
    let errors = "\(conversation.count(.false)) false, \(conversation.count(.missed)) missed"
    var turn = 0
    let messages = conversation.transcript.messages.map { message -> Markup in
      guard message.speaker == .user else {
        return """
          <li class="coach"><p class="who">Coach</p><p class="text" dir="auto">\(message.text)</p></li>
          """
      }
      turn += 1
      let text = ComparedText(
        text: message.text, evidence: conversation.evidence.filter { $0.turn == turn },
        names: names)
      return """
        <li class="user"><p class="who">User, turn \(turn)</p>\
        <p class="text" dir="auto">\(text.markup)</p>\(text.list)</li>
        """
    }
    return """
      <details class="talk"\(wrong.count <= 5 ? " open" as Markup : .empty)><summary>\
      <span class="no">\(number)</span><h3 dir="auto">\(conversation.id)</h3>\
      <span class="state">\(conversation.register ?? "")</span><span class="score"></span>\
      <span class="state">\(errors)</span></summary>\
      <div class="talk-body"><ol class="words">\(messages.joined())</ol></div></details>

      """
  }

  private func agreement(_ conversations: [ComparedConversation]) -> Agreement {
    var agreement = Agreement(weights: table.points, readyAbove: table.readyAbove)
    for conversation in conversations {
      agreement.add(truth: conversation.truth, guess: conversation.guess)
    }
    return agreement
  }

  private func figure(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    let thousandths = Int((abs(value) * 1000).rounded())
    let digits = String(1000 + thousandths % 1000).dropFirst()
    return (value < 0 ? "−" : "") + "\(thousandths / 1000).\(digits)"
  }
}
