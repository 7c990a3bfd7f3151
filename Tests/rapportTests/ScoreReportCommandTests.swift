import TestSupport
import Testing

@Suite(.integration)
struct ScoreReportCommandTests {
  private let good =
    #"{"id":"a","messages":[{"role":"user","content":"I want to lose 20 pounds by June."}]}"# + "\n"

  @Test func aPageGoesToStandardOutputAndBadLinesToStandardError() throws {
    let result = try Household().run("score", "--format", "html", typing: good + "{oops\n")
    #expect(result.output.hasPrefix("<!DOCTYPE html>\n"))
    #expect(result.output.hasSuffix("</html>\n"))
    #expect(result.output.contains("1 line could not be scored and is not included."))
    #expect(result.errors.contains("standard input:2:"))
    #expect(result.status == 65)
  }

  @Test func moreThanTheSampleIsSummedUpAndOnlyTheSampleIsShown() throws {
    let lines = (1...20).map { good.replacing("\"a\"", with: "\"c\($0)\"") }.joined()
    let result = try Household().run("score", "--format", "html", "--sample", "4", typing: lines)
    #expect(result.output.contains("over all 20 conversations"))
    #expect(result.output.split(separator: "<details class=\"talk\"").count == 5)
    #expect(result.status == 0)
  }

  @Test(arguments: [["--summary"], ["--sample", "0"], ["--sample", "1001"], ["--inline-errors"]])
  func whatAReportCannotDoIsRefused(flags: [String]) throws {
    let result = try Household().run(["score", "--format", "html"] + flags, typing: good)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
  }
}
