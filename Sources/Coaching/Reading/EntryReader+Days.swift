import HealthRecords
import Journeys

// When it was.
extension EntryReader {
  /// When a sentence says that something was.
  struct When {
    /// It may be to come; nil if none is named.
    var day: Day?
    /// Words that name a day in no way that's clear, such as "5/11" or "last week".
    var unclear: String?
    /// The words of a date, whose figures measure nothing.
    var tokens: Set<Int> = []
  }

  /// The sentences of a text. The points of "am 24.11. gelaufen" and "am 24. November" end none.
  func sentences(of text: String) -> [LogTokens] {
    var joined: [LogTokens] = []
    for sentence in LogTokens.sentences(of: text) {
      if let last = joined.last, isOpen(last, before: sentence, in: text) {
        joined[joined.count - 1] = LogTokens(
          tokens: last.tokens + sentence.tokens,
          text: text[last.text.startIndex..<sentence.text.endIndex],
          isQuestion: sentence.isQuestion)
      } else {
        joined.append(sentence)
      }
    }
    return joined
  }

  private func isOpen(_ sentence: LogTokens, before next: LogTokens, in text: String) -> Bool {
    guard let last = sentence.tokens.last, last.range.upperBound < text.endIndex,
      text[last.range.upperBound] == ".", sentence.tokens.count <= Self.mostWords
    else { return false }
    guard last.number != nil else { return isAbbreviation(sentence, before: next) }
    let place = sentence.tokens.count - 1
    let isAfter = follows(place, sentence.tokens, words.dateAfter)
    if numericDate(at: place, sentence) != nil, place == 0 || isAfter { return true }
    return last.number.map { (1...31).contains($0) } == true
      && (pack.month(next.words.first ?? "") != nil
        || follows(place, sentence.tokens, words.dayFirst))
  }

  /// The points of "Nov. 20 ran 5k" and "Sat. ran 5k".
  private func isAbbreviation(_ sentence: LogTokens, before next: LogTokens) -> Bool {
    guard let word = sentence.words.last, let behind = next.tokens.first else { return false }
    if words.shortMonths.contains(word) {
      return behind.ordinal != nil
        || behind.number.map { (1...31).contains($0) } == true
          && !isMeasured(1, next.tokens)
    }
    return sentence.tokens.count == 1 && weekday(short: word) != nil
      && words.did.begins(next.words)
  }

  /// The day that a sentence names, such as "yesterday"; it may be to come.
  func namedDay(in sentence: LogTokens, _ today: Day) -> Day? { when(sentence, today).day }

  func when(_ sentence: LogTokens, _ today: Day) -> When {
    severalDays(in: sentence) ?? date(in: sentence, today) ?? numericDate(in: sentence, today)
      ?? ago(in: sentence, today)
      ?? dayOfMonth(in: sentence, today) ?? shortWeekday(in: sentence, today)
      ?? dayInWords(sentence, today)
  }

  /// "Slept badly last week, ran 5k", "rested yesterday, ran 5k today": the day must be that of what was done.
  private func dayInWords(_ sentence: LogTokens, _ today: Day) -> When {
    let reason = reasonStart(in: sentence.words)
    let apart = pieces(of: sentence).map { Array(sentence.words[$0]) }
    let told = pieces(of: sentence).filter { $0.lowerBound < reason }.map {
      Array(sentence.words[$0.clamped(to: 0..<reason)])
    }
    let acts = told.filter { hasAct($0) }
    // "Sore after squats yesterday, walked 2 km".
    let sure = acts.filter { !words.otherDays.isIn($0) }
    let mine = sure.isEmpty ? acts : sure
    let days = mine.lazy.map { day(of: $0, today) }
    if told.count > 1, let named = days.first(where: { $0.day != nil }) { return named }
    let own = acts.isEmpty ? told : told.filter { mine.contains($0) || !words.otherDays.isIn($0) }
    var when = day(of: own.flatMap(\.self), today)
    if apart.contains(where: { words.unclearDays.isIn($0) && !hasAct($0) }),
      apart.contains(where: hasAct)
    {
      when.unclear = nil
    }
    return when
  }

  /// The day to come that the words name; nil if they name none.
  func dayToCome(in text: String, _ today: Day) -> Day? {
    sentences(of: text).lazy.compactMap { namedDay(in: $0, today) }.first { $0 > today }
  }

  private func follows(_ index: Int, _ tokens: [LogTokens.Token], _ cues: Set<String>) -> Bool {
    index > 0 && cues.contains(tokens[index - 1].text)
  }

  /// The date that is named: "2026-11-20", "20 November", "Nov 20th". Without a year, the latest one.
  private func date(in sentence: LogTokens, _ today: Day) -> When? {
    let tokens = sentence.tokens
    for text in sentence.text.split(whereSeparator: { !($0.isNumber || $0 == "-") }) {
      guard let day = Day(String(text)) else { continue }
      let place = tokens.indices.filter { text.indices.contains(tokens[$0].range.lowerBound) }
      // It may come between an activity and its figures: "ran yesterday 5k".
      if !place.isEmpty { return When(day: day, tokens: Set(place)) }
    }
    func number(_ index: Int) -> Int? {
      guard tokens.indices.contains(index) else { return nil }
      return tokens[index].ordinal ?? tokens[index].number.flatMap { Int(exactly: $0) }
    }
    for index in tokens.indices {
      guard let month = pack.month(tokens[index].text) else { continue }
      let years = [index + 1, index + 2].filter {
        number($0).map { (1_000...9_999).contains($0) } ?? false
      }
      let year = years.first.flatMap(number)
      let isJoined = tokens.indices.contains(index - 1) && words.of.contains(tokens[index - 1].text)
      let before = isJoined ? index - 2 : index - 1
      let place = number(before) != nil ? before : index + 1
      guard let date = place == before ? number(before) : dateBehind(index, tokens) else {
        continue
      }
      guard let day = Self.latest(date, month, year, today) else {
        // "Feb 30".
        guard (1...31).contains(date) else { continue }
        let (first, last) = (tokens[min(place, index)].range, tokens[max(place, index)].range)
        return When(
          unclear: String(sentence.text[first.lowerBound..<last.upperBound]),
          tokens: Set([place, index] + years.prefix(1)))
      }
      return When(day: day, tokens: Set([place, index] + years.prefix(1)))
    }
    return nil
  }

  private static func latest(_ date: Int, _ month: Int, _ year: Int?, _ today: Day) -> Day? {
    guard let day = Day(year: year ?? today.parts.year, month: month, day: date) else { return nil }
    return day <= today || year != nil
      ? day : Day(year: today.parts.year - 1, month: month, day: date)
  }

  /// "Nov 20", but not "in March 5 km".
  private func dateBehind(_ index: Int, _ tokens: [LogTokens.Token]) -> Int? {
    guard tokens.indices.contains(index + 1) else { return nil }
    if let ordinal = tokens[index + 1].ordinal { return ordinal }
    guard let number = tokens[index + 1].number else { return nil }
    return isMeasured(index + 2, tokens) ? nil : Int(exactly: number)
  }

  /// Whether a word makes the number before it a figure.
  private func isMeasured(_ index: Int, _ tokens: [LogTokens.Token]) -> Bool {
    guard tokens.indices.contains(index), !tokens[index].followsComma else { return false }
    let word = tokens[index].text
    let isClock =
      word == ":" && tokens.indices.contains(index + 1) && tokens[index + 1].number != nil
    return words.measures(word) || isClock
  }
}

// Dates in figures.
extension EntryReader {
  private struct NumericDate {
    var first: Int
    var second: Int
    var year: Int?
    var isSlashed: Bool
    var tokens: Range<Int>
  }

  /// "24.11.", "24.11.2026", "24/11", "11/24/2026".
  private func numericDate(at index: Int, _ sentence: LogTokens) -> NumericDate? {
    let tokens = sentence.tokens
    func part(_ index: Int) -> Int? {
      guard tokens.indices.contains(index), tokens[index].text.count <= 2 else { return nil }
      return Int(tokens[index].text)
    }
    func year(_ index: Int) -> Int? {
      guard tokens.indices.contains(index), [2, 4].contains(tokens[index].text.count),
        let year = Int(tokens[index].text), year >= 20
      else { return nil }
      return year < 100 ? 2_000 + year : year
    }
    let date: NumericDate
    let parts = tokens[index].text.split(separator: ".", omittingEmptySubsequences: false)
    if tokens[index].number != nil, parts.count == 2,
      parts.allSatisfy({ (1...2).contains($0.count) }),
      let first = Int(parts[0]), let second = Int(parts[1])
    {
      let end = tokens[index].range.upperBound
      let isJoined =
        tokens.indices.contains(index + 1) && end < sentence.text.endIndex
        && sentence.text[end] == "."
        && sentence.text.index(after: end) == tokens[index + 1].range.lowerBound
      let year = isJoined ? year(index + 1) : nil
      date = NumericDate(
        first: first, second: second, year: year, isSlashed: false,
        tokens: index..<index + (year == nil ? 1 : 2))
    } else if let first = part(index), tokens.indices.contains(index + 2),
      tokens[index + 1].text == "/", let second = part(index + 2)
    {
      let isLonger = tokens.indices.contains(index + 3) && tokens[index + 3].text == "/"
      let year = isLonger ? year(index + 4) : nil
      if isLonger, year == nil { return nil }
      date = NumericDate(
        first: first, second: second, year: year, isSlashed: true,
        tokens: index..<index + (isLonger ? 5 : 3))
    } else {
      return nil
    }
    let isDate = [(date.first, date.second), (date.second, date.first)].contains { day, month in
      (1...31).contains(day) && (1...12).contains(month)
    }
    guard isDate, isLabel(date.tokens, sentence) || !isMeasured(date.tokens.upperBound, tokens)
    else { return nil }
    return date
  }

  /// "24.11.: 5 km", but not "24:11".
  private func isLabel(_ date: Range<Int>, _ sentence: LogTokens) -> Bool {
    let tokens = sentence.tokens
    guard date.lowerBound == 0, tokens.indices.contains(date.upperBound),
      tokens[date.upperBound].text == ":"
    else { return false }
    let end = tokens[date.upperBound].range.upperBound
    return end == sentence.text.endIndex || sentence.text[end].isWhitespace
  }

  /// "99/99/9999".
  private func impossibleDate(at index: Int, _ tokens: [LogTokens.Token]) -> When? {
    guard index + 4 < tokens.count, tokens[index + 1].text == "/", tokens[index + 3].text == "/"
    else { return nil }
    let figures = [index, index + 2, index + 4].map { tokens[$0] }
    guard figures.allSatisfy({ $0.number != nil }), figures.map(\.text.count) == [2, 2, 4] else {
      return nil
    }
    return When(
      unclear: figures.map(\.text).joined(separator: "/"), tokens: Set(index...index + 4))
  }

  private func numericDate(in sentence: LogTokens, _ today: Day) -> When? {
    let tokens = sentence.tokens
    for index in tokens.indices {
      if numericDate(at: index, sentence) == nil, let no = impossibleDate(at: index, tokens) {
        return no
      }
      guard let date = numericDate(at: index, sentence) else { continue }
      let isNamed =
        follows(index, tokens, words.dateAfter)
        || index > 0 && words.weekdays.contains { $0.phrases.contains([tokens[index - 1].text]) }
      let isAlone = index == 0 || date.tokens.upperBound == tokens.count
      guard
        isNamed || date.year != nil || isLabel(date.tokens, sentence)
          || isAlone && isPlain(date, sentence)
      else { continue }
      let place = Set(date.tokens)
      func when(_ day: Int, _ month: Int) -> When? {
        Self.latest(day, month, date.year, today).map { When(day: $0, tokens: place) }
      }
      if date.first > 12 || date.first == date.second { return when(date.first, date.second) }
      if date.second > 12 { return when(date.second, date.first) }
      if !date.isSlashed || follows(index, tokens, words.dayFirst) {
        return when(date.first, date.second)
      }
      return When(unclear: "\(date.first)/\(date.second)", tokens: place)
    }
    return nil
  }

  /// A date without "on", such as "24/11: ran 5k"; two numbers of a list of sets are none.
  private func isPlain(_ date: NumericDate, _ sentence: LogTokens) -> Bool {
    let places = places(in: sentence.words)
    if leadsExercise(date, sentence, places) { return true }
    guard !places.isEmpty, places.allSatisfy({ $0.activity.kind != .strength }) else {
      return false
    }
    guard date.isSlashed else { return date.tokens.lowerBound == 0 }
    return (date.first, date.second) != (24, 7)
  }

  /// "11/24 squats 3x5", "24.11. squats 3x5": no list of sets, which has other figures behind it.
  private func leadsExercise(
    _ date: NumericDate, _ sentence: LogTokens, _ places: [Place]
  ) -> Bool {
    let end = sentence.tokens[date.tokens.upperBound - 1].range.upperBound
    let isPointed = end < sentence.text.endIndex && sentence.text[end] == "."
    guard date.tokens.lowerBound == 0,
      date.isSlashed ? max(date.first, date.second) > 12 : isPointed,
      let place = places.first, place.range.lowerBound == date.tokens.upperBound
    else { return false }
    return sentence.tokens[place.range.upperBound...].contains { $0.number != nil }
  }

  /// "On the 24th", "am 24.", "el 24".
  private func dayOfMonth(in sentence: LogTokens, _ today: Day) -> When? {
    let tokens = sentence.tokens
    for index in tokens.indices.dropFirst() {
      let isOrdinal =
        tokens[index].ordinal != nil && index > 1 && follows(index - 1, tokens, words.dateAfter)
      let end = tokens[index].range.upperBound
      let isPointed = end < sentence.text.endIndex && sentence.text[end] == "."
      let isLast = index == tokens.count - 1 || tokens[index + 1].followsComma
      let leads =
        isLast || words.did.begins(Array(sentence.words[(index + 1)...]))
        || words.pronouns.contains(tokens[index + 1].text)
      let isNumber =
        tokens[index].number != nil && follows(index, tokens, words.dayFirst)
        && (isPointed || leads)
      guard isOrdinal && leads || isNumber && !isMeasured(index + 1, tokens),
        let date = tokens[index].ordinal ?? tokens[index].number.flatMap({ Int(exactly: $0) }),
        let day = (0...61).lazy.map({ today + -$0 }).first(where: { $0.parts.day == date })
      else { continue }
      return When(day: day, tokens: [index])
    }
    return nil
  }
}

// Days by their distance.
extension EntryReader {
  private func weekday(short word: String) -> Int? {
    words.shortWeekdays.firstIndex { $0.contains(word) }
  }

  /// "Skipped wed and fri": two days, of which each would be an entry.
  private func severalDays(in sentence: LogTokens) -> When? {
    let said = sentence.words
    func isWeekday(_ word: String) -> Bool {
      word.count > 2 && weekday(short: word) != nil
        || words.weekdays.contains { $0.phrases.contains([word]) }
    }
    func isNear(_ word: String) -> Bool {
      words.days.contains { $0.phrases.phrases.contains([word]) }
    }
    let isDated = words.days.contains { $0.phrases.isIn(said) }
    let first = said.indices.dropLast(2).first { index in
      let (one, other) = (said[index], said[index + 2])
      guard words.and.contains(said[index + 1]), one != other else { return false }
      // "Yesterday and today", and "wed and fri" without another day.
      return isDated
        ? isNear(one) && isNear(other) || isNear(one) && isWeekday(other)
          || isWeekday(one) && isNear(other)
        : isWeekday(one) && isWeekday(other)
    }
    return first.map { When(unclear: said[$0...$0 + 2].joined(separator: " ")) }
  }

  /// "Sat: ran 5k", "Mon squats 3x5", "5k run Sun". A shorter one such as "so" needs its colon.
  private func shortWeekday(in sentence: LogTokens, _ today: Day) -> When? {
    let tokens = sentence.tokens
    guard tokens.count > 1, let first = tokens.first else { return nil }
    func when(_ weekday: Int) -> When {
      When(day: today + -((today.weekday - weekday + 7) % 7))
    }
    let next = tokens[1]
    if let weekday = weekday(short: first.text) {
      let isLong = first.text.count > 2 && pack.month(first.text) == nil
      let leads =
        next.followsComma || words.did.begins(Array(sentence.words.dropFirst()))
        || pack.activity(namedAt: 1, of: sentence.words) != nil
      if next.text == ":" || isLong && leads { return when(weekday) }
    }
    guard let last = tokens.last, last.text.count > 2, let weekday = weekday(short: last.text),
      pack.month(last.text) == nil
    else { return nil }
    let before = tokens[tokens.count - 2]
    let endsFigure = before.number != nil || words.measures(before.text)
    let endsName = places(in: sentence.words).contains { $0.range.upperBound == tokens.count - 1 }
    return endsFigure || endsName ? when(weekday) : nil
  }

  /// "3 days ago", "a week ago", "vor drei Tagen", "hace dos semanas".
  private func ago(in sentence: LogTokens, _ today: Day) -> When? {
    let (tokens, said) = (sentence.tokens, sentence.words)
    let quantities = Quantities(tokens[...], words)
    for index in tokens.indices.prefix(reasonStart(in: said)) {
      guard let days = words.dayLengths[said[index]] else { continue }
      var begin = index - 1
      if begin >= 0, words.of.contains(said[begin]) { begin -= 1 }
      guard begin >= 0 else { continue }
      let count =
        tokens[begin].number ?? words.numbers[said[begin]]
        ?? (words.article.contains(said[begin]) ? 1 : nil)
      guard let count else { continue }
      if begin > 0, words.article.contains(said[begin - 1]) { begin -= 1 }
      let isBehind = words.ago.contains(quantities.word(index + 1))
      guard isBehind || begin > 0 && words.agoBefore.contains(said[begin - 1]) else { continue }
      let place = Set((isBehind ? begin : begin - 1)...(isBehind ? index + 1 : index))
      let isRange = begin > 0 && words.range.contains(said[begin - 1])
      guard !isRange, count >= 0, let whole = Int(exactly: count), whole <= 7_300 / days else {
        let first = tokens[place.min() ?? begin].range.lowerBound
        let last = tokens[place.max() ?? index].range.upperBound
        return When(unclear: String(sentence.text[first..<last]), tokens: place)
      }
      return When(day: today + -(whole * days), tokens: place)
    }
    return nil
  }

  private func day(of words: [String], _ today: Day) -> When {
    func place(_ phrases: LogWords.Phrases) -> Range<Int>? {
      words.indices.lazy.compactMap { index in
        phrases.length(at: index, of: words).map { index..<index + $0 }
      }.first { !isCompared($0.lowerBound, words) }
    }
    if let ago = self.words.days.first(where: { place($0.phrases) != nil })?.ago {
      return When(day: today + -ago)
    }
    let unclear = place(self.words.unclearDays)
    for (weekday, phrases) in self.words.weekdays.enumerated() {
      guard let named = place(phrases) else { continue }
      let ago = (today.weekday - weekday + 7) % 7
      if place(self.words.lastWeek) != nil { return When(day: today.monday + (weekday - 7)) }
      let before = named.lowerBound > 0 ? words[named.lowerBound - 1] : ""
      if self.words.next.contains(before)
        || self.words.nextBehind.length(at: named.upperBound, of: words) != nil
      {
        return When(day: today + (7 - ago))
      }
      // "Last Tuesday" on a Tuesday.
      return When(day: today + -(ago == 0 && self.words.last.contains(before) ? 7 : ago))
    }
    return When(unclear: unclear.map { words[$0].joined(separator: " ") })
  }

  /// "Faster than on Monday" tells nothing about the day.
  private func isCompared(_ index: Int, _ words: [String]) -> Bool {
    words[..<index].suffix(2).enumerated().contains { place, word in
      self.words.compared.contains(word)
        && (place == min(index, 2) - 1 || self.words.dateAfter.contains(words[index - 1]))
    }
  }

  /// Where a reason begins; a day that stands behind it is the reason's.
  func reasonStart(in words: [String]) -> Int {
    guard let place = self.words.because.place(in: words), place.lowerBound > 0 else {
      return words.count
    }
    return place.lowerBound
  }
}

extension Day {
  /// From Monday, 0.
  var weekday: Int { (((number + 3) % 7) + 7) % 7 }
}
