import RapportTesting
import ScoreReport

/// A comparison as one self-contained HTML file: no scripts, no network access.
struct LivePage {
  let report: LiveReport

  var html: String { page.html }

  private var head: Markup {
    PageHead(title: "\(names.left) and \(names.right), compared", content: .comparison).markup
  }

  private var page: Markup {
    """
    \(head)\
    <body>
    <main>
    <header><h1>What changed</h1><p class="lead">The same user messages twice: \
    <b>\(names.left)</b> on the left, <b>\(names.right)</b> on the right. \(report.count).</p></header>
    \(totals)\(overview)\(failures)\(conversations)</main>
    </body>
    </html>

    """
  }

  private var names: SideNames { report.names }

  // MARK: Tables

  private var totals: Markup {
    let rows = report.totals.map { row -> Markup in
      """
      <tr\(row.left == row.right ? Markup.empty : " class=\"changed\"")>\
      <th scope="row">\(row.name)</th><td>\(row.left)</td><td>\(row.right)</td></tr>
      """
    }
    return """
      <section><h2>Totals</h2><table class="totals"><thead><tr><td></td>\
      <th scope="col">\(names.left)</th><th scope="col">\(names.right)</th></tr></thead>\
      <tbody>\(rows.joined())</tbody></table></section>

      """
  }

  private var overview: Markup {
    let heads = RunComparison.columns.map { column -> Markup in
      "<th scope=\"col\" class=\"c-\(column)\">\(column)</th>"
    }
    let rows = report.comparisons.enumerated().map { index, comparison -> Markup in
      let cells = zip(RunComparison.columns, comparison.cells).map { column, text -> Markup in
        let tendency = column == "ready" ? comparison.tendency.rawValue : ""
        return "<td class=\"c-\(column) \(tendency)\">\(text)</td>"
      }
      return """
        <tr><th scope="row"><a href="#c\(index + 1)">\(comparison.name)</a></th>\(cells.joined())</tr>

        """
    }
    return """
      <section><h2>Conversation by conversation</h2><p class="note">“ready” is the user turn after \
      which enough was known. “facets” counts what is known only on the right and only on the left. \
      “asked” is the number of questions.</p><table class="overview"><thead><tr>\
      <th scope="col">conversation</th>\(heads.joined())</tr></thead>
      <tbody>\(rows.joined())</tbody></table></section>

      """
  }

  private var failures: Markup {
    guard !report.failures.isEmpty else { return .empty }
    let rows = report.failures.map { failure -> Markup in
      "<li><b>\(failure.name)</b>, \(failure.side): \(failure.reason)</li>\n"
    }
    return """
      <section><h2>Not completed</h2><ul class="failures">\(rows.joined())</ul></section>

      """
  }

  private var conversations: Markup {
    let sections = report.comparisons.enumerated().map { index, comparison in
      LivePageSection(
        comparison: comparison, number: index + 1, report: report,
        isOpen: report.comparisons.count == 1
      ).markup
    }
    return "<section><h2>The conversations</h2>\n\(sections.joined())</section>\n"
  }
}
