/// The language that a device is set to, as the code that a pack's languages have.
public enum DeviceLanguage {
  /// Of a locale such as `de_AT.UTF-8`, or of a language tag such as `de-AT` (RFC 5646).
  ///
  /// - Returns: `de`; nil for English, and for a locale without a language.
  public static func code(_ locale: String?) -> String? {
    let code = (locale ?? "").prefix { $0.isASCII && $0.isLetter }.lowercased()
    return (2...3).contains(code.count) && code != "en" ? code : nil
  }

  /// Of a terminal, by the variables of POSIX (XBD 8.2): the first that is set counts.
  public static func code(in environment: [String: String]) -> String? {
    ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      .flatMap { code($0) }
  }

  /// Of a browser, by its `Accept-Language` (RFC 9110, 12.5.4). Browsers name the one they want most first.
  public static func code(accepting header: String) -> String? {
    code(header.split(separator: ",").first.map { $0.drop { $0 == " " } }.map(String.init))
  }
}
