public import ContextQuality
public import Intake
import Plans

extension PromptPack {
  /// The names of the pack's journeys, sorted.
  public var journeyNames: [String] {
    journeyFiles.keys.compactMap { path in
      let name = path.dropFirst("journeys/".count)
      return name.hasSuffix(".json") && !name.contains("/") ? String(name.dropLast(5)) : nil
    }.sorted()
  }

  /// Reads and checks one of the pack's journeys; nil if it has none of that name.
  public func journey(_ name: String) throws(PackError) -> Journey? {
    let path = "journeys/\(name).json"
    guard let text = journeyFiles[path] else { return nil }
    return try Journey(json: text, named: name, file: "\(folder)/\(path)", rubric: rubric)
  }

  /// What a journey is called and says of itself in a language; in its own words if it is not translated.
  public func texts(
    of journey: Journey, in language: String?
  ) -> (title: String, summary: String?) {
    func text(_ member: String, _ own: String) -> String {
      journeyText("\(journey.name).\(member)", in: language) ?? own
    }
    return (text("title", journey.title), journey.summary.map { text("summary", $0) })
  }

  /// Reads the pack's journeys and what their documents come from, so that mistakes are reported early.
  package func checkJourneys(_ faults: inout PackFaults) {
    let journeys = journeyNames.compactMap { name in
      faults.gather { () throws(PackError) in try journey(name) } ?? nil
    }
    faults.gather { () throws(PackError) in _ = try DocumentRules(self) }
    let places = journeys.flatMap { journey in
      journey.steps.compactMap { step in
        step.document.map { ($0, (journey: journey.name, step: step.id)) }
      }
    }
    DocumentCheck(self, shownAt: Dictionary(places) { first, _ in first }).run(&faults)
  }

  /// Whether any of the pack's journeys leads to a program. One that cannot be read does not.
  package var hasProgram: Bool {
    journeyNames.contains { name in
      (try? journey(name))?.steps.contains { $0.drafts == .program } == true
    }
  }
}

extension Journey {
  /// Reads and checks a journey whose file has its name.
  package init(
    json text: String, named name: String, file: String, rubric: Rubric
  ) throws(PackError) {
    try self.init(json: text, file: file, rubric: rubric)
    guard self.name == name else {
      throw PackError(file: file, reason: "name: expected \(name), as the file is called")
    }
  }
}
