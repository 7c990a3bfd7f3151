import ArgumentParser
import Coaching
import Commands
import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import SessionStore
import Settings
import Startup
import Terminal

/// `rapport profile`: prints a profile, or validates a profile file.
struct Profile: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Print what the coach understood, or check a profile file.",
    usage: "rapport profile [<options>]",
    discussion: """
      Examples:
        rapport profile
        rapport profile --json > profile.json
        rapport profile --validate profile.json
        rapport profile --json | rapport profile --validate -
      """)

  @OptionGroup(title: "Store") var storeOptions: SharedStoreOptions
  @OptionGroup var packOptions: PackOptions

  @Option(
    help: ArgumentHelp(
      "A conversation's id, or its first characters (default: the latest with a profile).",
      valueName: "id"),
    completion: .sessions)
  var session: String?

  @Flag(help: "Print PersonaProfile, UserGoals, Constraints and CoachingPlan as JSON.")
  var json = false

  @Option(
    help: ArgumentHelp("Check this file instead; - is standard input.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var validate: String?

  func run(on terminal: TTY) async throws {
    if let validate { return try check(validate, terminal) }
    let context = try CommandContext(flags: packOptions.flags)
    let store = try await context.existingAnyStore(storeOptions)
    guard let store, let (synthesis, text) = try await synthesis(in: store, context) else {
      throw CommandFailure(
        .usage, "There's no profile yet. I write one when I understand you well enough.")
    }
    terminal.write(
      json
        ? synthesis.system.json.serialized(pretty: true) + "\n"
        : terminal.wrapped(text.page(synthesis)))
  }

  private func synthesis(
    in store: any ConversationStore, _ context: CommandContext
  ) async throws -> (Synthesis, ProfileText)? {
    let ids =
      if let session { [try await store.session(matching: session)] } else {
        try await store.sessions().map(\.id)
      }
    for id in ids {
      let events = try await store.events(of: id)
      guard events.contains(where: \.isSynthesis) else { continue }
      let pack = try context.promptPack(of: events)
      let state = pack.state(after: events)
      guard var synthesis = state.synthesis else { continue }
      synthesis.system = try CoachingState(events: events).updating(synthesis.system)
      return (synthesis, ProfileText(rubric: pack.rubric) { pack.label($0, for: state) })
    }
    return nil
  }

  private func check(_ path: String, _ terminal: any Terminal) throws {
    let isInput = path == "-"
    let name = isInput ? "standard input" : path
    let bytes =
      isInput ? RegularFile.bytes(0) : FileManager.default.contents(atPath: path).map(Array.init)
    guard let bytes else { throw CommandFailure(.badData, "\(name): can't be read") }
    if let encoding = bytes.withUnsafeBytes(otherEncoding(of:)) {
      throw CommandFailure(.badData, "\(name): expected UTF-8, found \(encoding)")
    }
    let problems = ProfileValidation.problems(in: String(decoding: bytes, as: UTF8.self))
    guard !problems.isEmpty else { return terminal.write("\(name): valid\n") }
    throw CommandFailure(.badData, problems.map { "\(name): \($0)" }.joined(separator: "\n"))
  }
}

extension RecordedEvent {
  fileprivate var isSynthesis: Bool { if case .synthesised = event { true } else { false } }
}

/// A profile formatted for reading, in the person's language.
struct ProfileText {
  let rubric: Rubric
  /// A label in the person's language; nil for English.
  let translated: (String) -> String?

  func page(_ synthesis: Synthesis) -> String {
    let system = synthesis.system
    let hidden = Set(system.unsupported)
    func shown(_ pointer: String, _ text: String?) -> String? {
      hidden.contains(pointer) ? nil : text
    }
    var lines: [String] = []
    if system.source == .rehearsal {
      lines += [
        "From a rehearsal without a model: everything about you is in your own words.", "",
      ]
    }
    if synthesis.isMinimal { lines += [label("A careful start: I don't know you well yet."), ""] }
    let (coach, goals, plan) = (system.personaProfile, system.userGoals, system.coachingPlan)
    lines += section(
      "Your coach",
      [
        ("role", coach.role), ("personality", coach.personality?.joined(separator: ", ")),
        ("philosophy", coach.philosophy), ("speaks", coach.communicationStyle),
      ])
    lines += section(
      "Your goal",
      [
        ("goal", shown("/userGoals/primary", goals.primary)),
        ("timeline", shown("/userGoals/timeline", goals.timeline)),
        ("behind it", shown("/userGoals/deeper", goals.deeper)),
        ("milestones", goals.milestones?.joined(separator: "; ")),
      ])
    lines += section("What it takes into account", constraints(system.constraints, hidden))
    lines += section(
      "How it starts",
      [
        ("approach", plan.approach), ("first", plan.firstAction),
        ("focus", plan.initialFocus?.joined(separator: ", ")),
        ("check-ins", plan.checkInFrequency),
        ("red flags", plan.redFlags?.joined(separator: "; ")),
      ])
    if let about = system.about { lines += section("What you told", facts(about)) }
    if !system.missing.isEmpty {
      let missing = system.missing.map(words(for:)).joined(separator: ", ")
      lines += [label("Still unknown") + ": " + missing, ""]
    }
    if let disclaimer = coach.medicalDisclaimer { lines.append(disclaimer) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func label(_ english: String) -> String {
    translated("profile." + english) ?? english
  }

  private func facts(_ about: PersonFacts) -> [(String, String?)] {
    func joined(_ texts: [String]) -> String? {
      texts.isEmpty ? nil : texts.map { "\"\($0)\"" }.joined(separator: ", ")
    }
    let said = rubric.components.map { component in
      let words = component.facets.flatMap { about.said[$0.facet.description] ?? [] }
      let unique = words.enumerated().filter { words.firstIndex(of: $0.element) == $0.offset }
      return (
        translated(component.name) ?? component.title, joined(unique.map(\.element))
      )
    }
    return [
      ("age", about.age.map(String.init)),
      ("height", about.heightCentimetres.map { "\(Int($0.rounded())) cm" }),
      ("weight", about.weightKilograms.map { "\(($0 * 10).rounded() / 10) kg" }),
      ("medical", joined(about.medical)),
    ] + said + [("besides", joined(about.notes))]
  }

  /// - Parameter pointer: Of a field, such as `/userGoals/timeline`.
  private func words(for pointer: String) -> String {
    let names = pointer.split(separator: "/").map(String.init).filter { Int($0) == nil }
    let name = names.last ?? pointer
    return Self.fields[name].map(label) ?? name
  }

  private static let fields = [
    "role": "what the coach is for you", "communicationStyle": "how the coach speaks",
    "primary": "your goal", "timeline": "by when", "deeper": "what's behind it",
    "physical": "physical limits", "time": "when you have time", "resources": "what you have there",
    "temporary": "what's temporary", "approach": "the approach", "firstAction": "the first step",
    "initialFocus": "the focus", "checkInFrequency": "how often to check in",
    "redFlags": "red flags",
  ]

  private func constraints(
    _ constraints: Constraints, _ hidden: Set<String>
  ) -> [(String, String?)] {
    Constraints.lists.flatMap { name, path in
      constraints[keyPath: path].enumerated()
        .filter { !hidden.contains("/constraints/\(name)/\($0.offset)") }
        .map { _, item in
          let span = [
            item.startsAt.map { "\(label("from")) \($0)" },
            item.expiresAt.map { "\(label("until")) \($0)" },
          ].compactMap(\.self).joined(separator: " ")
          return (name, item.detail + (span.isEmpty ? "" : " (\(span))"))
        }
    }
  }

  /// A heading, and a row for each value that is there.
  private func section(_ title: String, _ rows: [(String, String?)]) -> [String] {
    let present = rows.compactMap { name, value in
      value.flatMap { $0.isEmpty ? nil : (label(name), $0) }
    }
    guard !present.isEmpty else { return [] }
    let width = max(12, present.map(\.0.count).max() ?? 0)
    return [label(title)] + present.map { "  " + $0.padded(to: width + 1) + $1 } + [""]
  }
}
