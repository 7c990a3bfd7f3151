import Intake
import IntakeTestSupport
import LanguageModels
import Testing

/// When to come back, said in the server's own time.
struct BusyNoticeTests {
  private func text(_ kind: ModelError.Kind, after wait: Duration?) -> String {
    let error = ModelError(kind, detail: "", retryAfter: wait)
    return SessionOutput.Notice(error, hadText: false, saved: true).text
  }

  @Test(arguments: [
    (3600, "in about an hour"), (3_300, "in about an hour"), (90, "in about 2 minutes"),
    (60, "in about a minute"), (1, "in a few seconds"), (20, "in about 20 seconds"),
    (35, "in about 40 seconds"), (300, "in about 5 minutes"), (1_800, "in about 30 minutes"),
    (7_200, "in about 2 hours"), (9_000, "in about 3 hours"), (86_400, "in about a day"),
    (259_200, "in about 3 days"), (1_000_000_000, "in a few months"),
  ])
  func theServersWaitIsSaidInWords(seconds: Int, words: String) {
    for kind in [ModelError.Kind.rateLimited, .overloaded] {
      #expect(
        text(kind, after: .seconds(seconds))
          == "The model is overloaded. Your words are saved. Try again \(words).")
    }
  }

  @Test func withoutOneItIsAMinuteOrSo() {
    #expect(text(.rateLimited, after: nil).contains("Try again in about a minute."))
  }
}
