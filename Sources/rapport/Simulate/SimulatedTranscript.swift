import ContextQuality
import Signals
import Simulation
import Terminal

/// A simulated conversation, word for word, with what came of each answer.
struct SimulatedTranscript {
  let terminal: TTY

  func show(_ run: SimulatedRun, _ persona: Persona, _ side: String) {
    terminal.write("\n\(persona.name)", as: .bold)
    terminal.write("  \(persona.about) (\(side), seed \(run.seed))\n", as: .dim)
    for (index, turn) in run.turns.enumerated() {
      speak("Coach", turn.coach, as: .accent)
      speak("\(index + 1)", turn.reply.text, as: .you)
      note(turn)
    }
    speak("Coach", run.closing, as: .accent)
    let missed = persona.facts.map(\.facet).filter { !run.found.contains($0) }
    let ready = run.readyAt.map { "ready after \($0) messages" } ?? "never ready"
    terminal.write(
      "\nFound \(run.found.count) of \(persona.facts.count), \(ready), ended with \(run.ending.rawValue).\n",
      as: .bold)
    if !missed.isEmpty { terminal.write("  not found: \(Self.names(missed))\n", as: .dim) }
    if !run.misheard.isEmpty {
      terminal.write("  never told: \(Self.names(run.misheard))\n", as: .notice)
    }
  }

  private func note(_ turn: SimulatedRun.Turn) {
    var notes = [turn.reply.manner.rawValue]
    if !turn.components.isEmpty {
      notes.append("asked about " + turn.components.joined(separator: ", "))
    }
    if turn.isRepeated { notes.append("repeated") }
    let unheard = turn.reply.told.filter { !turn.found.contains($0) }
    if !turn.found.isEmpty { notes.append("found " + Self.names(turn.found)) }
    if !unheard.isEmpty { notes.append("unheard " + Self.names(unheard)) }
    if !turn.care.isEmpty {
      notes.append("care " + turn.care.map(\.rawValue).joined(separator: ", "))
    }
    if turn.isRuleInstead { notes.append("by rule") }
    terminal.write("   \(notes.joined(separator: "; "))\n", as: .dim)
  }

  private func speak(_ who: String, _ text: String, as role: TextRole) {
    guard !text.isEmpty else { return }
    terminal.write("\n\(who)  ", as: role)
    var wrapper = WordWrapper(width: min(100, max(40, terminal.size.columns - 1)))
    terminal.write(wrapper.feed(text) + wrapper.finish() + "\n")
  }

  private static func names(_ facets: [Facet]) -> String {
    facets.map(\.description).joined(separator: ", ")
  }
}
