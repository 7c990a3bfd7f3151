import CoachServer
import Foundation
import Intake
import SessionStore
import Testing

/// Several real processes on one store at once.
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
    for child in children {
      child.closeInput()
      _ = child.readRest()
      let errors = child.readErrors()
      let status = child.wait()
      #expect(
        status == 0 || (status == 73 && errors.contains("is open in another rapport")),
        "\(status): \(errors)")
    }
    let store = try SessionStore(path: household.store)
    for session in try store.sessions() {
      let kinds = try store.events(of: session.id).map(\.event?.kind)
      #expect(kinds.isEmpty || kinds == [.started, .greeted], "\(kinds)")
    }
  }
}
