import Testing

@testable import RapportServer

struct StreamedMessageTests {
  @Test(arguments: [
    (["How are", " you?"], "How are you?", StreamedMessage.Rest.nothing),
    (["How are you? How are you? How"], "How are you?", .nothing),
    (["How are "], "How are you?", .more(" you?")),
    (["The user wants ", "10k."], "How have you slept?", .instead("How have you slept?")),
  ])
  func aClientGetsWhatWasWrittenInFull(
    pieces: [String], message: String, rest: StreamedMessage.Rest
  ) {
    var streamed = StreamedMessage()
    for piece in pieces { streamed.add(piece) }
    #expect(streamed.rest(of: message) == rest)
    #expect(streamed.rest(of: "Next") == .more("Next"))
  }
}
