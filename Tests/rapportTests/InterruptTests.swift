import Foundation
import IncrementalJSON
import Intake
import SessionStore
import TestSupport
import Testing

/// Ctrl-C on a real terminal while the real program streams a reply.
@Suite(.serialized, .integration)
struct InterruptTests {
  private static let points = Soak.rounds(50, soak: 1_000)

  /// The reply never ends by itself, so nothing but Ctrl-C can bring the prompt back.
  @Test func controlCIsCleanAtAnyPoint() async throws {
    let coach = try EndlessCoach()
    defer { coach.stop() }
    var random = SeededGenerator(seed: 10)
    var presses = 0
    while presses < Self.points {
      let household = try Household()
      // The silence after the last word must outlast a machine that is busy with other tests.
      household.environment["RAPPORT_IDLE_TIMEOUT"] = "3600"
      let terminal = try household.startOnTerminal(
        "chat", "--base-url", coach.baseURL, "--model", "endless")
      var (shown, modes) = (0, [UInt8]())
      for turn in 0..<10 {
        let requests = coach.replies.value
        if turn > 0 { terminal.type(turn == 1 ? "I want to run\r" : "/again\r") }
        // Now and then before the first word, mostly in the middle.
        if Int.random(in: 0..<10, using: &random) == 0 {
          await coach.replies.reaches(requests + 1)
        } else {
          try terminal.expect("word\(Int.random(in: 0..<EndlessCoach.most, using: &random))")
          shown += 1
        }
        terminal.type("\u{3}")
        try terminal.expect("I stopped")
        try terminal.expect("You\u{1B}[0m")
        presses += 1
        if modes.isEmpty { modes = terminal.modeBytes }
        #expect(terminal.modeBytes == modes, "the prompt's modes")
      }
      terminal.type("\u{4}")
      #expect(try terminal.expectExit() == 0)
      #expect(terminal.hasItsModesBack)
      try expectCutReplies(household, atLeast: shown)
    }
  }

  /// Every reply whose words were seen is in the log, marked as cut, with no word made up.
  private func expectCutReplies(_ household: Household, atLeast shown: Int) throws {
    let replies = try Walkthrough.events(household).compactMap { recorded in
      switch recorded.event {
      case .greeted(let reply): reply
      case .asked(let question): question.reply
      default: nil
      }
    }
    #expect(replies.count >= shown)
    for reply in replies {
      #expect(reply.cut == .cancelled)
      #expect(EndlessCoach.text.hasPrefix(reply.text))
    }
    let said = try Walkthrough.events(household).filter { $0.event?.kind == .userSaid }
    #expect(said.count == 1)
  }

  @Test func afterAReplyThatWasStoppedTheNextMessageIsHelpedWithAsAnyOther() throws {
    let coach = try EndlessCoach()
    defer { coach.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "chat", "--insight", "--no-health", "--base-url", coach.baseURL, "--model", "endless")
    try terminal.expect("word3 ")
    terminal.type("\u{3}")
    try terminal.expect("I stopped")
    try terminal.expect("lose fat")
    try terminal.expect("You\u{1B}[0m")
    terminal.type("I want to run a 10k by June")
    try terminal.expect("+ what you want to achieve")
    terminal.type("\u{15}\u{4}")
    #expect(try terminal.expectExit() == 0)
  }

  @Test func whatWasTypedWhenAReplyWasStoppedIsKept() throws {
    let coach = try EndlessCoach()
    defer { coach.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", coach.baseURL, "--model", "endless")
    try terminal.expect("word3 ")
    terminal.type("I want to run\u{3}")
    try terminal.expect("I stopped")
    try terminal.expect("You\u{1B}[0m")
    try terminal.expect("I want to run")
    terminal.type("\u{15}\u{4}")
    try terminal.expect("`rapport chat`")
    #expect(try terminal.expectExit() == 0)
    #expect(!terminal.screen.lowercased().contains("saved"))
    #expect(try Walkthrough.said(household) == [])
  }

  /// A second Ctrl-C in the moment after the first was meant for the reply, too.
  @Test func aDraftSurvivesAControlCJustAfterAReply() throws {
    let coach = try EndlessCoach()
    defer { coach.stop() }
    var said: [[String]] = []
    // The moment is short, and a busy machine may miss it.
    while said.count < 50, said.last != ["I want to run"] {
      let household = try Household()
      let terminal = try household.startOnTerminal(
        "chat", "--no-health", "--base-url", coach.baseURL, "--model", "endless")
      try terminal.expect("word3 ")
      terminal.type("I want\u{3}")
      try terminal.expect("I stopped")
      terminal.type("\u{3}")
      try terminal.expect("You\u{1B}[0m")
      terminal.type(" to run\r")
      try terminal.expect("word3 ")
      terminal.type("\u{3}")
      try terminal.expect("I stopped")
      try terminal.expect("You\u{1B}[0m")
      terminal.type("\u{4}")
      #expect(try terminal.expectExit() == 0)
      said.append(try Walkthrough.said(household))
    }
    #expect(said.last == ["I want to run"], "\(said)")
  }

  @Test func whatWasEndedWithEnterBeforeAReplyWasStoppedIsNotSent() throws {
    let coach = try EndlessCoach()
    defer { coach.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "chat", "--no-health", "--base-url", coach.baseURL, "--model", "endless")
    try terminal.expect("word3 ")
    terminal.type("I want to run\rand\u{1B}[A to swim\r\u{3}")
    try terminal.expect("I stopped")
    try terminal.expect("and to swim")
    terminal.type(" a lot\r")
    try terminal.expect("word3 ")
    terminal.type("\u{3}")
    try terminal.expect("I stopped")
    try terminal.expect("You\u{1B}[0m")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
    #expect(try Walkthrough.said(household) == ["I want to run\nand to swim a lot"])
  }

  @Test func aRequestToEndDuringAReplyIsFollowedAndTheConversationKept() throws {
    let coach = try EndlessCoach()
    defer { coach.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", coach.baseURL, "--model", "endless")
    try terminal.expect("word3 ")
    terminal.signal(SIGTERM)
    #expect(try terminal.expectExit() >> 8 == 130)
    #expect(terminal.hasItsModesBack)
    try expectEndedGreeting(household)
  }

  private func expectEndedGreeting(_ household: Household) throws {
    guard case .greeted(let reply) = try Walkthrough.events(household).last?.event else {
      Issue.record("no greeting")
      return
    }
    #expect(reply.cut == .cancelled)
  }

  @Test func aProgramThatInterruptsGetsItsExitCode() throws {
    let coach = try EndlessCoach()
    defer { coach.stop() }
    let household = try Household()
    let streaming = try household.start(
      "chat", "--json", "--base-url", coach.baseURL, "--model", "endless")
    while let line = streaming.readLine(), !line.contains("word3 ") {}
    kill(streaming.pid, SIGINT)
    _ = streaming.readRest()
    #expect(streaming.wait() == 130)
    try expectEndedGreeting(household)
  }
}

/// A model whose replies never end: some words, then silence for as long as anybody listens.
private final class EndlessCoach: Sendable {
  /// Few enough that no limit on a reply holds them back.
  static let most = 40
  static let text = (0..<most).map { "word\($0) " }.joined()

  /// Replies asked for so far, scoring apart.
  let replies: Counter
  let scorings: Counter
  private let server: LoopbackServer

  var baseURL: String { server.url("/v1") }

  init() throws {
    let (replies, scorings) = (Counter(), Counter())
    (self.replies, self.scorings) = (replies, scorings)
    server = try LoopbackServer { exchange in
      let request = try JSONValue(parsing: exchange.request.text)
      try exchange.startChunks()
      if request["response_format"] != nil {
        scorings.increment()
        try exchange.sendEvent(Self.chunk(#"{\"evidence\":[],\"retracted\":[],\"care\":\"none\"}"#))
        try exchange.sendEvent(#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#)
        try exchange.sendEvent("[DONE]")
        return try exchange.endChunks()
      }
      replies.increment()
      for number in 0..<Self.most { try exchange.sendEvent(Self.chunk("word\(number) ")) }
      exchange.waitForClientToClose()
      exchange.close()
    }
  }

  func stop() { server.stop() }

  private static func chunk(_ text: String) -> String {
    #"{"choices":[{"index":0,"delta":{"content":"\#(text)"},"finish_reason":null}]}"#
  }
}
