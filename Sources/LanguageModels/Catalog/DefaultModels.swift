/// Picks a model for each role from an account's list.
public enum DefaultModels {
  /// - Parameter ids: Newest first, as ``ModelCatalog/models()`` returns them.
  /// - Returns: Empty if none of them is a chat model.
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

  /// Whether the name looks like a chat model.
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

/// One vendor's models, and which suit each role.
private struct Family {
  let prefix: String
  /// Words in a name, best first; `""` matches a name without a size.
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

  /// The first of the vendor's sizes in the name.
  private func size(of id: String) -> String {
    sizes.first { basename(id).contains($0) } ?? ""
  }

  /// The highest version; among equals the shortest name, which has no date, and not a preview.
  private func newest(_ ids: [String]) -> String? {
    ids.enumerated().min { one, other in
      let (left, right) = (version(one.element), version(other.element))
      if left != right { return right.lexicographicallyPrecedes(left) }
      return (isPreview(one.element) ? 1 : 0, one.element.count, one.offset)
        < (isPreview(other.element) ? 1 : 0, other.element.count, other.offset)
    }?.element
  }

  private func isPreview(_ id: String) -> Bool { id.contains("preview") || id.contains("exp") }

  /// The numbers in the name that are not dates, at most two.
  private func version(_ id: String) -> [Int] {
    let numbers = basename(id).split { !$0.isASCII || !$0.isNumber }
    return numbers.prefix { $0.count <= 2 }.compactMap { Int($0) }.prefix(2).map { $0 }
  }

  /// The name without the vendor prefix that routers add.
  private func basename(_ id: String) -> String {
    (id.split(separator: "/").last.map(String.init) ?? id).lowercased()
  }
}
