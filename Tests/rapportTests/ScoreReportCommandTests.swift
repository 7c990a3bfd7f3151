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

  @Test func aComparisonIsAPageWithTheErrorsMarked() throws {
    let household = try Household()
    try household.write(
      #"""
      {"id":"<b>1</b>","register":"forum","messages":[{"role":"user","content":"I want to lose 20 pounds by June & <i>zorble</i> the fandango"}],"facets":{"goalClarity.outcome":{"turn":1,"quote":"I want to lose 20 pounds"},"supportSystem.people":{"turn":1,"quote":"<i>zorble</i> the fandango"}}}
      {"id":"2","source":"sms","messages":[{"role":"user","content":"hello"}],"facets":{}}

      """#, to: "labels.jsonl")
    let result = try household.run("score", "--compare", "labels.jsonl", "--format", "html")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let page = result.output
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    #expect(
      page.contains(#"<th scope="row">forum</th>"#) && page.contains(#"<th scope="row">sms</th>"#))
    #expect(page.contains("class=\"missed\" tabindex=\"0\" role=\"note\" aria-label=\"missed: "))
    #expect(page.contains("&lt;i&gt;zorble&lt;/i&gt; the fandango</mark>"))
    #expect(page.contains("class=\"false\""), "by June is a date that the labels lack")
    #expect(page.contains("&lt;b&gt;1&lt;/b&gt;"))
    #expect(!page.contains("<i>") && !page.contains("<script") && !page.contains("http:"))
    #expect(page.contains("1 of 2 conversations have errors, most first."))
    try household.write("", to: "none.jsonl")
    let empty = try household.run("score", "--compare", "none.jsonl", "--format", "html")
    #expect(empty.output.contains("0 of 0 conversations have errors"))
  }
}
