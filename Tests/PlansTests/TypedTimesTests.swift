import Plans
import Testing

/// Hours and numbers as people type them.
struct TypedTimesTests {
  @Test(arguments: [
    "noon til 8pm", "12.00-20.00", "1200-2000", "no breakfast, 12 to 8pm", "12:00 to 20:00",
  ])
  func anEatingWindowIsRead(words: String) {
    #expect(ClockRange(typed: words) == ClockRange(start: 720, end: 1_200))
  }

  @Test(arguments: ["12345-2000", "no breakfast", "12.75-20.00"])
  func whatIsNoWindowIsNotRead(words: String) {
    #expect(ClockRange(typed: words) == nil)
  }
}
