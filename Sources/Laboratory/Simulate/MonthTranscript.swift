import Simulation
import Terminal

/// A persona's month as a transcript with dates.
struct MonthTranscript {
  let terminal: TTY

  func show(_ entries: [SimulatedMonth.Entry], of persona: Persona) {
    terminal.write("\(persona.name)", as: .bold)
    terminal.write("  \(persona.about)\n", as: .dim)
    for entry in entries { show(entry) }
  }

  private func show(_ entry: SimulatedMonth.Entry) {
    switch entry {
    case .day(let day, let date, let doing):
      let words = doing.map { ", \($0.rawValue)" } ?? ""
      terminal.write("\n── \(date)  day \(day)\(words)\n", as: .bold)
    case .coach(let text): speak("Coach", text, as: .accent)
    case .person(let text): speak("You", text, as: .you)
    case .note(let text): terminal.write("\n       \(text)\n", as: .dim)
    }
  }

  private func speak(_ who: String, _ text: String, as role: TextRole) {
    guard !text.isEmpty else { return }
    terminal.write("\n\(who)  ", as: role)
    var wrapper = WordWrapper(width: min(90, max(40, terminal.size.columns - 1)))
    terminal.write(wrapper.feed(text) + wrapper.finish() + "\n")
  }
}
