import CoachServer
import Foundation
import Intake
import SessionStore
import TestSupport
import Testing

/// Several real processes on one store at once.
@Suite(.integration)
struct SharedStoreTests {
  @Test func conversationsSideBySideNeitherMixNorLoseAWord() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let people = try (0..<4).map { person in
      let child = try household.start(
        "chat", "--new", "--json", "--base-url", model.baseURL, "--model", CoachServer.modelName,
        "--max-turns", "50")
      child.writeAside(Array((1...10).map { "person \(person), line \($0)\n" }.joined().utf8))
      return child
    }
    for child in people {
      let output = child.readRest()
      #expect(child.wait() == 0, "\(output.suffix(400))")
    }
    let store = try SessionStore(path: household.store)
    let said = try store.sessions().map { session in
      try store.events(of: session.id).compactMap { recorded in
        if case .userSaid(let turn) = recorded.event { turn.text } else { nil }
      }
    }
    let expected = (0..<4).map { person in (1...10).map { "person \(person), line \($0)" } }
    #expect(Set(said) == Set(expected))
  }

  @Test func manyAtOnceOnANewStoreEachGetASessionOrAreToldWhoHasIt() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let children = try (0..<6).map { _ in
      try household.start(
        "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName)
    }
    var winners = 0
    for child in children {
      child.closeInput()
      _ = child.readRest()
      let errors = child.readErrors()
      let status = child.wait()
      if status == 0 {
        winners += 1
      } else {
        #expect(status == 73 && errors.contains("is open in another rapport"), "\(errors)")
      }
    }
    let store = try SessionStore(path: household.store)
    let begun = try store.sessions().map { try store.events(of: $0.id).map(\.event?.kind) }
      .filter { !$0.isEmpty }
    #expect(winners > 0 && !begun.isEmpty)
    #expect(begun.allSatisfy { $0 == [.started, .greeted] }, "\(begun)")
  }
}
