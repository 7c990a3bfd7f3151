import ContextQuality
import ScoreReport
import Signals
import Simulation
import Terminal

/// A simulation as one self-contained HTML file: no scripts, no network access.
struct SimulationPage {
  let report: SimulationReport

  var html: String { page.html }

  private var page: Markup {
    """
    \(PageHead(title: "Simulated conversations", content: .simulation).markup)\
    <body>
    <main>
    <header><h1>Simulated conversations</h1><p class="lead">\(lead)</p></header>
    \(figures)\(curve)\(groups)\(failures)\(conversations)</main>
    </body>
    </html>

    """
  }

  private var lead: Markup {
    let names = report.sides.map { side -> Markup in "<b>\(side.name)</b>" }
    let joined = names.dropLast().reduce(into: Markup.empty) { $0 += "\($1), " }
    let sides: Markup =
      names.count > 1
      ? " Compared: \(joined)\(names.last ?? .empty)." : " The coach: \(names.last ?? .empty)."
    let count = report.personas.count
    let people = count.counted("made-up person", "made-up people")
    let runs = report.personas.isEmpty ? 0 : report.conversations / report.personas.count
    return """
      \(people), about \(runs) conversations with each, \
      the same \(count == 1 ? "person" : "people") and seeds on every side.\(sides)
      """
  }

  // MARK: Figures

  private var figures: Markup {
    let rows = report.rows.filter { $0.estimates.contains { $0.value != nil } }
      .map { row -> Markup in
        let cells = report.sides.indices.map { cell(row, $0) }
        return "<tr><th scope=\"row\">\(row.figure.title)</th>\(cells.joined())</tr>\n"
      }
    let note: Markup =
      report.sides.count > 1
      ? """
       In color: clearly better or worse than \(report.sides[0].name), because the interval of the \
      difference, which is under it, leaves out zero.
      """ : .empty
    return """
      <section><h2>Figures</h2><p class="note">In brackets, where the figure would lie in 95 of 100 \
      such samples of people and seeds.\(note)</p>\(table("figure", rows))</section>

      """
  }

  private func cell(_ row: SimulationReport.Row, _ side: Int) -> Markup {
    let difference = row.difference(side)
    let small: Markup =
      side == 0 || difference.isEmpty ? .empty : "<small>\(difference)</small>"
    return """
      <td class="\(row.verdict(side).rawValue)">\(row.text(row.estimates[side]))\(small)</td>
      """
  }

  private func table(_ first: String, _ rows: [Markup]) -> Markup {
    let heads = report.sides.map { "<th scope=\"col\">\($0.name)</th>" as Markup }
    return """
      <div class="wide"><table class="figures"><thead><tr><th scope="col">\(first)</th>\
      \(heads.joined())</tr></thead><tbody>\(rows.joined())</tbody></table></div>
      """
  }

  private var curve: Markup {
    let turns = min(20, report.sides.flatMap { $0.runs.joined() }.map(\.turns.count).max() ?? 0)
    guard turns > 1 else { return .empty }
    let curves = report.sides.indices.map { report.curve($0, turns: turns).map { $0 * 100 } }
    let plot = FoundPlot(curves: curves, names: report.sides.map(\.name))
    return """
      <section><h2>Facts found, message by message</h2><p class="note">A conversation that is over \
      keeps what it found.</p><div class="plot">\(plot.markup)</div></section>

      """
  }

  /// Facts found at the end, by how people write and by what they are there for.
  private var groups: Markup {
    let registers = Persona.Register.allCases.map { register in
      (register.rawValue, report.of { $0.register == register })
    }
    let uses = Persona.Use.allCases.map { use in
      ("people for \(use.rawValue)", report.of { $0.use == use })
    }
    let rows = (registers + uses).filter { $0.1.conversations > 0 }.map { name, part -> Markup in
      let cells = part.rows.first { $0.figure == .found }.map { row in
        report.sides.indices.map { cell(row, $0) }
      }
      return "<tr><th scope=\"row\">\(name)</th>\((cells ?? []).joined())</tr>\n"
    }
    return """
      <section><h2>Facts found at the end, by group</h2>\(table("group", rows))</section>

      """
  }

  // MARK: Conversations

  private var failures: Markup {
    guard !report.failures.isEmpty else { return .empty }
    let rows = report.failures.map { failure -> Markup in
      "<li><b>\(failure.persona)</b>: \(failure.reason)</li>\n"
    }
    return """
      <section><h2>Not completed</h2><ul class="failures">\(rows.joined())</ul></section>

      """
  }

  /// The first conversation with everybody on the first side, those that found least first.
  private var conversations: Markup {
    guard let side = report.sides.first else { return .empty }
    let firsts = zip(report.personas, side.runs).compactMap { persona, runs in
      runs.first.map { (persona, $0) }
    }
    func share(_ one: (Persona, SimulatedRun)) -> Double {
      Double(one.1.found.count) / Double(max(1, one.0.facts.count))
    }
    let sections = firsts.sorted { share($0) < share($1) }.map(section)
    return """
      <section><h2>Conversations</h2><p class="note">The first one with everybody, with \
      \(side.name); those that found least come first.</p>
      \(sections.joined())</section>

      """
  }

  private func section(_ persona: Persona, _ run: SimulatedRun) -> Markup {
    let turns = run.turns.map { turn -> Markup in
      """
      <div class="turn"><div class="cell"><p class="who">Coach</p>\
      <p class="text">\(turn.coach)</p></div><div class="cell r"><div class="user">\
      <p class="text">\(turn.reply.text)</p></div><p class="gain">\(turn.words)</p></div></div>
      """
    }
    let missed = persona.facts.map(\.facet).filter { !run.found.contains($0) }
    let words = missed.map(\.description).joined(separator: ", ")
    return """
      <details class="talk"><summary><h3>\(persona.name)</h3>\
      <span class="state">\(run.found.count) of \(persona.facts.count)</span>\
      <span class="title">\(persona.about)</span></summary><div class="turns">\(turns.joined())\
      <div class="turn"><div class="cell"><p class="who">Coach</p>\
      <p class="text">\(run.closing)</p></div></div></div>\
      <p class="note">Ended with \(run.ending.rawValue). Not found: \(missed.isEmpty ? "nothing" : words).</p></details>

      """
  }
}

extension SimulatedRun.Turn {
  /// What came of the message, in a line.
  var words: String {
    var notes = [reply.manner.rawValue]
    if !components.isEmpty {
      notes.append("asked about " + components.joined(separator: ", "))
    }
    if isRepeated { notes.append("repeated") }
    if !found.isEmpty { notes.append("found " + Self.names(found)) }
    let unheard = reply.told.filter { !found.contains($0) }
    if !unheard.isEmpty { notes.append("unheard " + Self.names(unheard)) }
    if !care.isEmpty {
      notes.append("care " + care.map(\.rawValue).joined(separator: ", "))
    }
    if isRuleInstead { notes.append("by rule") }
    return notes.joined(separator: "; ")
  }

  private static func names(_ facets: [Facet]) -> String {
    facets.map(\.description).joined(separator: ", ")
  }
}
