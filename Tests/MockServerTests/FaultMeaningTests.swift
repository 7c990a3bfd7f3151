import Cassettes
import HTTPStreaming
import Intake
import LanguageModels
import MockServer
import TestSupport
import Testing
import WireFormats

/// What each fault comes to in this program: the code of the notice that a person gets.
@Suite(.integration)
struct FaultMeaningTests {
  /// Nil where the answer comes all the same.
  static let meanings: [(fault: String, code: String?)] = [
    ("split:at=30", nil), ("chunks:bytes=3", nil), ("drip:pace=0", nil), ("no-done", nil),
    ("done-held", nil), ("whole-body", nil), ("prompt-cut", nil), ("content-type", "model-failed"),
    ("silence", "model-slow"), ("mute", "model-slow"),
    ("cut", "reply-cut"), ("cut:close=clean", "reply-cut"),
    ("cut:close=reset", "reply-cut"),
    ("cut:after=0", "model-unreachable"), ("cut:after=0,close=clean", "model-failed"),
    ("stream-error", "reply-failed"), ("malformed", "reply-cut"), ("empty", "model-failed"),
    ("rate-limit", "model-busy"), ("rate-limit:long", "model-busy"),
    ("rate-limit:quota", "out-of-credit"), ("status:401", "key-missing"),
    ("status:403", "key-missing"),
    ("status:404", "model-not-found"), ("status:500", "model-server-error"),
    ("status:502", "gateway-failed"), ("status:503", "model-busy"),
    ("status:529", "model-busy"), ("html", "gateway-failed"), ("html:200", "web-page"),
    ("html:403", "web-page"), ("html:404", "model-not-found"),
    ("refusal", "model-declined"), ("length", "reply-incomplete"), ("redirect", "model-redirected"),
    ("status:400", "request-rejected"), ("unknown-model", "model-not-found"),
    ("unknown-model:400", "model-not-found"), ("proxy-trouble", "gateway-failed"),
    ("huge", "reply-endless"),
  ]

  @Test(arguments: meanings, WireFormat.allCases)
  func aFaultComesToItsNotice(
    meaning: (fault: String, code: String?), format: WireFormat
  ) async throws {
    let isSlow = meaning.code == "model-slow"
    let code = try await Self.ending(of: meaning.fault, format, isSlow: isSlow)?.code
    #expect(code == meaning.code, "\(meaning.fault) in \(format)")
  }

  @Test(arguments: WireFormat.allCases)
  func aKeyThatWasSentIsRefusedAndNotMissing(format: WireFormat) async throws {
    let key = "sk-test-0123456789"
    let refused = try await Self.ending(of: "status:401", format, key: key)
    #expect(refused?.code == "key-refused")
    #expect(try await Self.ending(of: "status:403", format, key: key)?.code == "key-refused")
  }

  /// The cause in words, what to do, and whether `/again` makes sense.
  @Test(
    arguments: [
      ("status:500", "had an internal error.", true),
      ("status:502", "gateway or proxy in front of the model's server failed", true),
      ("html", "gateway or proxy in front of the model's server failed", true),
      ("html:200", "(\"Sign in to the network\") answered instead of the model", true),
      ("html:200", "sign in there first", true),
      ("redirect", "redirects to https://elsewhere.example/v1", false),
      ("unknown-model", "doesn't know the model \"mock-coach\"", false),
      ("status:404", "doesn't know the model \"mock-coach\"", false),
      ("proxy-trouble", "gateway or proxy", true),
      ("rate-limit:quota", "Add credit there", false),
      ("status:400", "rejected my request: \"The request is not valid.\"", false),
      ("status:401", "needs a key, and none is set", false),
      ("status:403", "denied access, and no key is set", false),
      ("stream-error", "reported an error in the middle of my reply", true),
      ("rate-limit:long", "Try again in about an hour.", true),
    ], WireFormat.allCases)
  func theNoticeSaysTheCauseAndWhatToDo(
    meaning: (fault: String, words: String, again: Bool), format: WireFormat
  ) async throws {
    let notice = try #require(try await Self.ending(of: meaning.fault, format))
    #expect(notice.text.contains(meaning.words), "\(notice.text)")
    #expect(notice.canBeAskedAgain == meaning.again, "\(meaning.fault)")
    #expect(notice.text.contains("Your words are saved."))
    #expect(notice.text.firstMatch(of: /[a-z][A-Z]/) == nil, "an internal name: \(notice.text)")
    #expect(notice.detail?.isEmpty == false)
  }

  private static func ending(
    of fault: String, _ format: WireFormat, key: String? = nil, isSlow: Bool = false
  ) async throws -> SessionOutput.Notice? {
    var options = ModelAPI.Options()
    options.faults = [FaultPlan.Planned(try Fault(fault))]
    let api = ModelAPI(script: try BuiltInCoach.script(), options: options)
    // Nobody sits through a silence, and a busy machine is none.
    let patience = isSlow ? Duration.milliseconds(300) : .seconds(30)
    return try await withServer {
      api.answer($0)
    } _: { server in
      await ending(
        of: HTTPModel(
          ModelEndpoint(
            provider: "Mock", format: format, baseURL: server.baseURL,
            apiKey: key.map { Secret($0) }, model: BuiltInCoach.modelName),
          runtime: ModelRuntime(
            transport: HTTPClient(),
            limits: ModelLimits(firstByte: patience, idle: patience),
            retries: .never)))
    }
  }

  /// Nil if the answer came.
  private static func ending(of model: HTTPModel) async -> SessionOutput.Notice? {
    let request = ModelRequest(
      purpose: .ask, system: "Be kind.", messages: [ModelMessage(.user, "Hello")])
    var text = ""
    do throws(ModelError) {
      for try await event in model.reply(to: request) {
        switch event {
        case .delta(let piece): text += piece
        case .completed(let completion):
          switch completion.finish {
          case .refusal: return .init(code: "model-declined", level: .warning, text: "")
          case .length: return .init(code: "reply-incomplete", level: .warning, text: "")
          default: return nil
          }
        case .waiting: break
        }
      }
      return .init(code: "nothing", level: .warning, text: "")
    } catch {
      return SessionOutput.Notice(error, hadText: !text.isEmpty, saved: true)
    }
  }
}
