import ContextQuality
import IncrementalJSON

/// Whether words look like English, by the small words that every language repeats.
///
/// Good enough to decide what to put beside somebody's words, and for nothing else: short texts and
/// rare languages stay unclear.
package enum LanguageGuess: Hashable {
  case english, other, unclear

  package init(_ text: String) {
    let words = Words(text).all.filter { $0.contains(where: \.isLetter) }
    let letters = text.unicodeScalars.filter(\.properties.isAlphabetic)
    let latin = letters.count { $0.value < 0x250 || (0x1E00..<0x1F00).contains($0.value) }
    let english = words.count(where: Self.englishWords.contains)
    let foreign = words.count(where: Self.foreignWords.contains)
    if latin * 2 < letters.count || foreign > english {
      self = .other
    } else if english > 0 {
      self = .english
    } else {
      // An English sentence has one of its small words among five.
      self = words.count > 4 ? .other : .unclear
    }
  }

  // Words that are common in several languages ("in", "will", "so", "me") say nothing.
  private static let englishWords = set(
    """
    i im ive id ill my the and to of for with it its is be been have has had need get getting want \
    would like but not dont cant never that this these you your they what when how about from by at \
    on lose losing lost weight feel feeling time more too much most always every day days week weeks \
    months year years work working kids pounds lbs fat run running sleep stronger better healthy \
    again back out up just really since after before because without
    """)

  private static let foreignWords = set(
    """
    quiero quisiera necesito tengo tenemos perder bajar peso estoy soy mas mucho poco muy para por \
    con sin los las una pero porque que del desde cuando anos dias mi mis hijos trabajo dormir el y \
    je j'ai jai suis voudrais veux perdre poids mon ma mes et des les une pas avec pour dans du depuis \
    plus trop mais parce travail sans beaucoup kilos enfants fois \
    ich mochte moechte abnehmen mein meine mir mich habe bin und der das den dem ein eine einen mit \
    fur fuer nicht aber weil keine kein zeit sehr schlafen mehr zu seit viel kinder arbeite wieder \
    voglio vorrei ho sono perdere dimagrire il gli della di e non ma perche anche troppo molto figli \
    eu quero preciso tenho estou emagrecer meu minha nao muito filhos os um uma com sem \
    ik wil afvallen mijn heb ben niet maar een het met geen veel graag meer kinderen werk tijd voor \
    jag vill mitt min har och att inte men det vikt mycket jeg ikke vekt og mye \
    chce chcialbym schudnac mam jestem nie ale bardzo czasu sie mam dzieci \
    haluan laihtua olen minulla mutta ja en ei kiloa istiyorum kilo vermek ve cok icin
    """)

  private static func set(_ words: String) -> Set<String> {
    Set(words.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}
