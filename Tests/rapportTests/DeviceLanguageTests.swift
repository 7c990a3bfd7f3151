import Startup
import Testing

struct DeviceLanguageTests {
  @Test(
    arguments: [
      (["LANG": "de_AT.UTF-8"], "de"), (["LANG": "es"], "es"), (["LANG": "en_US.UTF-8"], nil),
      (["LANG": "C.UTF-8"], nil), (["LANG": "POSIX"], nil), ([:], nil),
      (["LC_ALL": "fr_FR", "LANG": "de_DE"], "fr"), (["LC_ALL": "", "LANG": "de_DE"], "de"),
      (["LC_MESSAGES": "en_GB.UTF-8", "LANG": "de_DE"], nil),
    ] as [([String: String], String?)])
  func aTerminalSaysItByItsLocale(environment: [String: String], expected: String?) {
    #expect(DeviceLanguage.code(in: environment) == expected)
  }

  @Test(
    arguments: [
      ("de-AT,de;q=0.9,en;q=0.8", "de"), ("en-US,en;q=0.5,de", nil), (" es", "es"), ("*", nil),
      ("", nil), ("zh-Hans-CN", "zh"), ("\u{0};drop", nil),
    ] as [(String, String?)])
  func aBrowserNamesTheLanguageItWantsMostFirst(header: String, expected: String?) {
    #expect(DeviceLanguage.code(accepting: header) == expected)
  }
}
