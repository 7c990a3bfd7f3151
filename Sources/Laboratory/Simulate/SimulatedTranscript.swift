import ContextQuality
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
      terminal.write("   \(turn.words)\n", as: .dim)
    }
    speak("Coach", run.closing, as: .accent)
    let missed = persona.facts.map(\.facet).filter { !run.found.contains($0) }
    let ready = run.readyAt.map { "ready after \($0) messages" } ?? "never ready"
    terminal.write(
      "\nFound \(run.found.count) of \(persona.facts.count), \(ready), ended with \(run.ending.rawValue).\n",
      as: .bold)
    if !missed.isEmpty { terminal.write("  not found: \(Self.names(missed))\n", as: .dim) }
    if let unsupported = run.unsupported, !unsupported.isEmpty {
      terminal.write(
        "  in the profile, said by nobody: \(unsupported.joined(separator: "; "))\n", as: .notice)
    }
    if !run.misheard.isEmpty {
      terminal.write("  never told: \(Self.names(run.misheard))\n", as: .notice)
    }
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
