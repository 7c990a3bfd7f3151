import EncoderScorer
import OfflineScorer

/// What both scorers make of a user's turn, for calibrating.
struct TurnReadings {
  let row: Labelled

  /// One line of JSON for each conversation.
  var json: String {
    var linear = ConversationScorer()
    let encoder = EncoderModel.builtIn.map { EncoderConversation(model: $0) }
    // Knows before each turn what the labels say.
    let ahead = EncoderModel.builtIn.map { EncoderConversation(model: $0) }
    let truth = trueByTurn(row)
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
          let earlier = index == 0 ? (0, "") : (truth[index - 1], row.turns[index - 1].text)
          ahead?.begin(at: index + 1, known: earlier.0, after: earlier.1)
          if !question.isEmpty { ahead?.coachSaid(question) }
          ahead?.userSaid(text)
          return turn(index, linear, encoder, ahead)
        }
      }
    }
    return "{\"id\":\"\(row.id)\",\"source\":\"\(row.source)\",\"register\":\"\(row.register)\","
      + "\"turns\":[\(turns.joined(separator: ","))]}"
  }

  private func turn(
    _ index: Int, _ linear: borrowing ConversationScorer, _ encoder: EncoderConversation?,
    _ ahead: EncoderConversation?
  ) -> String {
    let truth = trueByTurn(row)[index]
    let words = row.turns[index].text.split(separator: " ").count
    return "{\"truth\":\(truth),\"words\":\(words),\"unknown\":\(linear.shareOfUnknownWords),"
      + "\"asked\":\(linear.askedFacets),"
      + "\"ahead\":\(ahead?.known ?? 0),"
      + "\"told\":\(ahead?.chances ?? []),"
      + "\"odds\":\(ahead.map { ahead in (0..<24).map { ahead.features($0)[1] } } ?? []),"
      + "\"linear\":\(linear.known),"
      + "\"margins\":\(linear.margins),\"encoder\":\(encoder?.known ?? 0),"
      + "\"chances\":\(encoder?.chances ?? [])}"
  }
}
