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
    ("stream-error", "reply-cut"), ("malformed", "reply-cut"), ("empty", "model-failed"),
    ("rate-limit", "model-busy"), ("rate-limit:long", "model-busy"),
    ("rate-limit:quota", "out-of-credit"), ("status:401", "key-refused"),
    ("status:404", "model-not-found"), ("status:500", "model-busy"), ("status:503", "model-busy"),
    ("status:529", "model-busy"), ("html", "model-busy"), ("html:200", "model-failed"),
    ("refusal", "model-declined"), ("length", "reply-incomplete"), ("redirect", "model-failed"),
    ("huge", "reply-endless"),
  ]

  @Test(arguments: meanings, WireFormat.allCases)
  func aFaultComesToItsNotice(
    meaning: (fault: String, code: String?), format: WireFormat
  ) async throws {
    let fault = try Fault(meaning.fault)
    var options = ModelAPI.Options()
    options.faults = [FaultPlan.Planned(fault)]
    let api = ModelAPI(script: try BuiltInCoach.script(), options: options)
    // Nobody sits through a silence, and a busy machine is none.
    let patience = meaning.code == "model-slow" ? Duration.milliseconds(300) : .seconds(30)
    let code = try await withServer {
      api.answer($0)
    } _: { server in
      await Self.code(
        of: HTTPModel(
          ModelEndpoint(
            provider: "Mock", format: format, baseURL: server.baseURL, apiKey: nil,
            model: BuiltInCoach.modelName),
          runtime: ModelRuntime(
            transport: HTTPClient(),
            limits: ModelLimits(firstByte: patience, idle: patience),
            retries: .never)))
    }
    #expect(code == meaning.code, "\(meaning.fault) in \(format)")
  }

  private static func code(of model: HTTPModel) async -> String? {
    let request = ModelRequest(
      purpose: .ask, system: "Be kind.", messages: [ModelMessage(.user, "Hello")])
    var text = ""
    do throws(ModelError) {
      for try await event in model.reply(to: request) {
        switch event {
        case .delta(let piece): text += piece
        case .completed(let completion):
          switch completion.finish {
          case .refusal: return "model-declined"
          case .length: return "reply-incomplete"
          default: return nil
          }
        case .waiting: break
        }
      }
      return "nothing"
    } catch {
      return SessionOutput.Notice(error, hadText: !text.isEmpty, saved: true).code
    }
  }
}
