/// Picks a model for each role from what an account has.
public enum DefaultModels {
  /// - Parameter ids: newest first, as ``ModelCatalog/models()`` gives them.
  /// - Returns: nothing where none of them talks.
  public static func choose(from ids: [String]) -> [ModelRole: String] {
    let talking = ids.filter(isForConversation)
    guard let first = talking.first else { return [:] }
    let families = Family.all.filter { family in talking.contains(where: family.holds) }
    var choice: [ModelRole: String] = [:]
    for role in ModelRole.allCases {
      choice[role] = families.lazy.compactMap { $0.pick(for: role, from: talking) }.first ?? first
    }
    return choice
  }

  /// Whether the name is of a model that answers conversations with text.
  public static func isForConversation(_ id: String) -> Bool {
    let name = id.lowercased()
    return !otherKinds.contains { name.contains($0) }
  }

  private static let otherKinds = [
    "embed", "whisper", "tts", "audio", "realtime", "transcribe", "image", "dall-e", "sora",
    "video",
    "moderation", "guard", "rerank", "babbage", "davinci", "curie", "-ada-", "text-ada", "search",
    "computer-use", "codex", "instruct-0914", "deep-research", "bge-", "minilm", "clip", "ocr",
    "veo", "imagen", "aqa",
  ]
}

/// The models of one maker, and which of them suit a role.
private struct Family {
  let prefix: String
  /// Words in a name, best first; `""` is a name with no word of the maker's sizes.
  let preferences: [ModelRole: [String]]
  let sizes: [String]

  static let all = [
    Family(
      prefix: "claude",
      preferences: [
        .fast: ["haiku", "sonnet", "opus"], .coach: ["sonnet", "opus", "haiku"],
        .deep: ["opus", "sonnet", "haiku"],
      ],
      sizes: ["haiku", "sonnet", "opus"]),
    Family(
      prefix: "gpt-",
      preferences: [
        .fast: ["mini", "nano", ""], .coach: ["", "chat", "mini"],
        .deep: ["", "pro", "chat", "mini"],
      ],
      sizes: ["mini", "nano", "pro", "chat", "turbo", "oss"]),
    Family(
      prefix: "gemini",
      preferences: [
        .fast: ["flash", "lite", "pro"], .coach: ["flash", "pro", "lite"],
        .deep: ["pro", "flash", "lite"],
      ],
      sizes: ["lite", "flash", "pro"]),
  ]

  func holds(_ id: String) -> Bool { basename(id).hasPrefix(prefix) }

  func pick(for role: ModelRole, from ids: [String]) -> String? {
    let own = ids.filter(holds)
    for word in preferences[role] ?? [] {
      let fitting = own.filter { size(of: $0) == word }
      if let best = newest(fitting) { return best }
    }
    return nil
  }

  /// The first of the maker's sizes that the name has.
  private func size(of id: String) -> String {
    sizes.first { basename(id).contains($0) } ?? ""
  }

  /// The highest version; of one version the shortest name, which is not pinned to a date, and not a
  /// preview.
  private func newest(_ ids: [String]) -> String? {
    ids.enumerated().min { one, other in
      let (left, right) = (version(one.element), version(other.element))
      if left != right { return right.lexicographicallyPrecedes(left) }
      return (isPreview(one.element) ? 1 : 0, one.element.count, one.offset)
        < (isPreview(other.element) ? 1 : 0, other.element.count, other.offset)
    }?.element
  }

  private func isPreview(_ id: String) -> Bool { id.contains("preview") || id.contains("exp") }

  /// The numbers of the name that are no dates, at most two.
  private func version(_ id: String) -> [Int] {
    let numbers = basename(id).split { !$0.isASCII || !$0.isNumber }
    return numbers.prefix { $0.count <= 2 }.compactMap { Int($0) }.prefix(2).map { $0 }
  }

  /// The name without the maker's folder that routers put before it.
  private func basename(_ id: String) -> String {
    (id.split(separator: "/").last.map(String.init) ?? id).lowercased()
  }
}
