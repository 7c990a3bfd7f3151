/// Tells whether a message may need a careful answer.
///
/// ``CareNet`` answers by itself, so it has to be right. Here the model's reading is waited for, so it may be
/// wrong, and it needs to see no more than what the net leaves.
package struct CareHints {
  private let rules: RuleSet

  package init(_ rules: SignalRules) { self.rules = rules[.hints] }

  /// - Parameter tellsOfConditions: Whether it tells of an injury, pain or a condition, or that there is
  ///   none. Those that are not listed as everyday ones may need care.
  package func mayNeedCare(_ text: String, tellsOfConditions: Bool) -> Bool {
    let sentences = Words(text).sentences
    if sentences.contains(where: rules["alarming"].matches) { return true }
    return tellsOfConditions && !sentences.contains(where: rules["everyday"].matches)
  }
}
