/// Tells questions that offer a fact ("so you train at home?") from those that ask for one, and
/// converts an offer into what the user would have said.
struct OfferReader {
  /// How much more weight than usual an offered fact needs.
  static let caution: Int16 = 4

  let classes: GuardClasses
  private static let i = Hash.word("i")
  private static let my = Hash.word("my")
  private static let im = Hash.word("im")
  private static let your = Hash.word("your")
  private static let youre = Hash.word("youre")

  /// "Did I get that right?", "Correct?": offers only what was said before.
  func isCheck(_ tokens: borrowing FlatBuffer<Token>) -> Bool {
    var says = false
    for index in 0..<tokens.count {
      let token = tokens[index]
      if token.symbol == classes.yes || Words.isCheck(token.lemma) {
        says = true
      } else if token.flags.contains(.content) {
        return false
      }
    }
    return says && tokens.count <= 9
  }

  /// Not "what …?", "shall I …?", "would you like …?".
  func isOffer(_ tokens: borrowing FlatBuffer<Token>) -> Bool {
    guard tokens.count > 0, !Words.asksOpenly(tokens[0].lemma) else { return false }
    for index in 0..<tokens.count where Words.asksForFact(tokens[index].lemma) { return false }
    return true
  }

  func turnAround(_ tokens: inout FlatBuffer<Token>) {
    for index in 0..<tokens.count where tokens[index].symbol == classes.you {
      switch tokens[index].lemma {
      case Self.your: tokens.base[index].lemma = Self.my
      case Self.youre: tokens.base[index].lemma = Self.im
      default: tokens.base[index].lemma = Self.i
      }
      tokens.base[index].symbol = classes.me
    }
  }
}
