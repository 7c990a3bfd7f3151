import CEncoder
import EncoderScorer
import TestSupport
import Testing

/// What a message does, read without a model.
struct ActReaderTests {
  private static let figures = Result { try ActFigures(reader()) }

  private static func reader() throws -> ActReader {
    let model = try #require(EncoderModel.builtIn)
    return try #require(ActReader(model: model))
  }

  private func reader() throws -> ActReader { try Self.reader() }

  @Test func theFiguresAreThoseOnFile() throws {
    let figures = try Self.figures.get().checked()
    #expect(
      figures.now == figures.onFile,
      "The figures have changed. If that's intended: make quality RECORD=1")
  }

  /// These change the course at once. Of the messages that don't do them, a third were written to mislead.
  @Test(arguments: ["summary agrees", "coaching agrees", "offer goes-on", "question stops"])
  func hardlyAnythingIsTakenForConsent(act: String) throws {
    #expect(try #require(Self.figures.get().counts[act]).wrong <= 2)
  }

  @Test func nothingIsTakenForASubscription() throws {
    #expect(try Self.figures.get().counts["wall continues"]?.wrong == 0)
  }

  @Test(arguments: ActMoment.allCases)
  func nothingToReadDoesNothing(moment: ActMoment) throws {
    for text in ["", "   ", "\n"] {
      let found = try reader().read(text, after: "Is that right?", at: moment)
      let reading = try #require(found)
      #expect(reading.sure.isEmpty && reading.possible.isEmpty && reading.isDecided)
    }
  }

  @Test(arguments: [
    "das stimmt leider überhaupt nicht, meine Knie tun weh", "да, верно", "非常好", "はい",
  ])
  func anotherLanguageIsNotRead(text: String) throws {
    #expect(try reader().read(text, after: "Is that right?", at: .summary) == nil)
  }

  @Test func aMessageOfAnyLengthIsRead() throws {
    let talk = String(repeating: "The bus was late and it rained through the roof. ", count: 200)
    let found = try reader().read(talk, after: "Is that right?", at: .summary)
    let reading = try #require(found)
    #expect(!reading.sure.contains("agrees"))
  }

  @Test func whatOnlyAddsToWhatIsKnownDecidesNothing() {
    #expect(ActReading(sure: [], possible: ["reports", "changes-goal"]).isDecided)
    #expect(!ActReading(sure: ["reports"], possible: ["low"]).isDecided)
  }

  @Test func everyKindOfProcessorComesToTheSameOdds() throws {
    let encoder = try Encoder()
    for message in try ActFigures.messages().prefix(20) {
      let (ids, head) = encoder.ids(of: message)
      let kinds = (0...ENCODER_AVX512_VNNI.rawValue).map { encoder_kind($0) }
      let odds = kinds.filter { encoder_has($0) != 0 }.map { encoder.odds(ids, head, $0) }
      #expect(odds[0].contains { $0 > 0 })
      #expect(odds.allSatisfy { $0 == odds[0] }, "\(message.text)")
    }
  }

  /// The sum is that of the readings before there were acts.
  @Test func facetsAreReadAsBeforeByteForByte() throws {
    let encoder = try Encoder()
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for row in try Fixtures.rows("Training/acts/w03.jsonl") {
      let message = try #require(ActFigures.Message(row))
      let (ids, head) = encoder.ids(of: message)
      encoder.withFacets(ids, head) { bytes in
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
      }
    }
    #expect(sum == 0xa6bc_26d7_af2d_07e0)
  }

  @Test func bytesThatAreNoActsAreRefused() throws {
    let encoder = try Encoder()
    var bytes = [UInt8](
      UnsafeRawBufferPointer(start: encoder_acts_bytes(), count: Int(encoder_acts_size())))
    var acts = encoder_acts()
    #expect(encoder_acts_open(bytes, 20, &encoder.model, &acts) == 0)
    #expect(encoder_acts_open(bytes, UInt(bytes.count - 4), &encoder.model, &acts) == 0)
    bytes[8] = 9
    #expect(encoder_acts_open(bytes, UInt(bytes.count), &encoder.model, &acts) == 0)
  }
}

/// The encoder's own interface, without the reader around it.
private final class Encoder {
  var model = encoder_model()
  private var acts = encoder_acts()
  private let memory = UnsafeMutableRawPointer.allocate(
    byteCount: Int(encoder_memory_size()), alignment: 64)

  init() throws {
    try #require(encoder_open(encoder_model_bytes(), encoder_model_size(), &model) != 0)
    try #require(
      encoder_acts_open(encoder_acts_bytes(), encoder_acts_size(), &model, &acts) != 0)
  }

  deinit { memory.deallocate() }

  /// What the coach said and the message as pieces, and where the message begins.
  func ids(of message: ActFigures.Message) -> (ids: [Int32], head: Int) {
    let head = [model.first] + pieces(of: message.coach).suffix(64) + [model.separator]
    return (head + pieces(of: message.text) + [model.separator], head.count)
  }

  private func pieces(of text: String) -> [Int32] {
    let bytes = Array(text.utf8)
    var pieces = [encoder_piece](repeating: encoder_piece(), count: bytes.count)
    let count = encoder_split(&model, bytes, bytes.count, &pieces, pieces.count)
    return pieces.prefix(count).map(\.id)
  }

  func odds(_ ids: [Int32], _ head: Int, _ kind: encoder_kind) -> [Float] {
    var odds = [Float](repeating: 0, count: ActReading.names.count)
    let words = odds
    _ = encoder_act(&model, &acts, kind, memory, ids, ids.count, head, 0, words, &odds)
    return odds
  }

  func withFacets(_ ids: [Int32], _ head: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    var reading = encoder_reading()
    encoder_read(
      &model, encoder_best_kind(), memory, ids, ids.count, head, 5, nil, &reading)
    withUnsafeBytes(of: reading, body)
  }
}
