import Foundation
import TestSupport
import Testing

/// What a make target or a page promises runs somewhere: `.ci/commands` says in which step.
struct CommandStepsTests {
  private struct Step: Hashable {
    let script: String
    let name: String
  }

  /// The step of each command.
  private let steps: [String: Step]

  init() throws {
    let lines = try Self.text(".ci/commands").split(separator: "\n").filter { !$0.hasPrefix("#") }
    var steps: [String: Step] = [:]
    for line in lines {
      let columns = try #require(line.wholeMatch(of: /(commit|nightly) +([a-z-]+) +(.+)/))
      let script = columns.output.1 == "commit" ? ".ci/run" : ".ci/nightly"
      for command in columns.output.3.components(separatedBy: ", ") {
        steps[command] = Step(script: script, name: String(columns.output.2))
      }
    }
    self.steps = steps
  }

  @Test func everyMakeTargetRunsInAStep() throws {
    let targets = try Self.targets
    #expect(targets.count > 30)
    for target in targets where target != "make nightly" {
      #expect(steps[target] != nil, "add \(target) to .ci/commands")
    }
  }

  @Test(arguments: MarkdownDocument.all.filter { $0.path != "docs/commands.md" })
  func everyCommandShownRunsInAStep(document: MarkdownDocument) {
    for command in Self.commands(document) {
      #expect(steps[command] != nil, "\(document.path) shows \(command): add it to .ci/commands")
    }
  }

  @Test func everyStepIsInItsScript() throws {
    for step in Set(steps.values) {
      let words = try Self.text(step.script).split(separator: "\n")
        .filter { $0.hasPrefix("step ") || $0.hasPrefix("with ") || $0.hasPrefix("  \"") }
        .flatMap { $0.split(separator: " ") }
      #expect(words.contains { $0 == step.name }, "\(step.script) has no step \(step.name)")
    }
  }

  @Test func nothingOfNobodyIsListed() throws {
    let known = try Self.targets.union(MarkdownDocument.all.flatMap(Self.commands))
    for command in steps.keys { #expect(known.contains(command), "nothing shows \(command)") }
  }

  /// The targets that `make` lists, and all of the benchmarks'.
  private static var targets: Set<String> {
    get throws {
      let listed = try text("Makefile").matches(of: /(?m)^([a-z-]+):.*##/).map {
        "make \($0.output.1)"
      }
      let benchmarks = try #require(try text("Benchmarks/Makefile").firstMatch(of: /\.PHONY: (.+)/))
      return Set(
        listed + benchmarks.output.1.split(separator: " ").map { "make -C Benchmarks \($0)" })
    }
  }

  /// What a page's shell blocks run: a program, and for those with subcommands also the first of them.
  private static func commands(_ document: MarkdownDocument) -> [String] {
    let lines = document.fences.filter { $0.language == "sh" }.flatMap { fence in
      fence.lines.joined(separator: "\n").replacing(/\\\n */, with: "")
        .split(separator: "\n")
    }
    return lines.flatMap { line in
      let code = line.prefix(upTo: line.firstRange(of: "  #")?.lowerBound ?? line.endIndex)
      return code.split(separator: " | ").compactMap { command($0) }
    }
  }

  private static func command(_ text: Substring) -> String? {
    guard !text.contains(/^[A-Z_]+="[^"]*"$/) else { return nil }
    var words = text.split(separator: " ").drop { $0.contains(/^[A-Z_]+=/) || $0 == "sudo" }
    guard let program = words.popFirst()?.split(separator: "/").last else { return nil }
    if program == "make", words.first == "-C" {
      let target = words.dropFirst(2).first { !$0.contains("=") } ?? "startup"
      return "make -C Benchmarks \(target)"
    }
    guard ["make", "rapport", "swift"].contains(program), let next = words.first else {
      return String(program)
    }
    return "\(program) \(next)"
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Fixtures.root.appending(path: path), encoding: .utf8)
  }
}
