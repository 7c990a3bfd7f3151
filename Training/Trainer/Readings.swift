import EncoderScorer
import OfflineScorer

/// What both scorers make of a user's turn, for calibrating.
struct TurnReadings {
  let row: Labelled

  /// One line of JSON for each conversation.
  var json: String {
    var linear = ConversationScorer()
    let encoder = EncoderModel.builtIn.map { EncoderConversation(model: $0) }
    encoder?.begin()
    let turns = row.turns.indices.map { index in
      var (question, text) = (row.turns[index].question, row.turns[index].text)
      return question.withUTF8 { question in
        text.withUTF8 { text in
          if !question.isEmpty {
            linear.coachSaid(question)
            encoder?.coachSaid(question)
          }
          linear.userSaid(text)
          encoder?.userSaid(text)
          return turn(index, linear, encoder)
        }
      }
    }
    return "{\"id\":\"\(row.id)\",\"source\":\"\(row.source)\",\"register\":\"\(row.register)\","
      + "\"turns\":[\(turns.joined(separator: ","))]}"
  }

  private func turn(
    _ index: Int, _ linear: borrowing ConversationScorer, _ encoder: EncoderConversation?
  ) -> String {
    let truth = trueByTurn(row)[index]
    let words = row.turns[index].text.split(separator: " ").count
    return "{\"truth\":\(truth),\"words\":\(words),\"unknown\":\(linear.shareOfUnknownWords),"
      + "\"linear\":\(linear.known),"
      + "\"margins\":\(linear.margins),\"encoder\":\(encoder?.known ?? 0),"
      + "\"chances\":\(encoder?.chances ?? [])}"
  }
}
