import LanguageModels
import Supabase
import Testing

struct SignInInputTests {
  @Test(arguments: [
    "marta@example.com", " marta@example.com\n", "m.o+test@sub.example.co.uk", "o'neil@example.ie",
  ])
  func anAddressIsTakenWithoutTheSpaceAroundIt(typed: String) throws {
    let address = try #require(EmailAddress(typed))
    #expect(!address.text.contains { $0.isWhitespace })
  }

  @Test(arguments: [
    "", "marta", "marta@", "@example.com", "marta@example", "ma rta@example.com", "a@b@example.com",
    "marta@-example.com", "marta@example..com", "marta@exämple.com",
    String(repeating: "a", count: 65) + "@example.com",
  ])
  func whatCannotBeAnAddressIsRefused(typed: String) {
    #expect(EmailAddress(typed) == nil)
  }

  @Test(arguments: [
    "123456", " 123 456 ", "123-456", "123–456", "１２３４５６", "１２３ ４５６", "١٢٣٤٥٦",
    "Code: 123456", "Your code is 123 456. It ends in 10 minutes.", "123456 (valid until 12:30)",
    "Dein Code: 123-456, gültig bis 29.11.", "123456 is your code\nHello, enter 123456 to sign in.",
    "Code : 123\u{202F}456 !", "Code: 123\u{2011}456",
  ])
  func aCodeIsDigitsHoweverTheyAreWritten(typed: String) throws {
    #expect(try #require(OneTimeCode(typed)).digits == "123456")
  }

  @Test(arguments: ["1234567", "9352 5891", "1234567890"])
  func aProjectChoosesHowManyTheyAre(typed: String) throws {
    #expect(try #require(OneTimeCode(typed)).digits == typed.replacing(" ", with: ""))
  }

  @Test(arguments: [
    "", "12345", "12345678901", "12345a", "123456 or 654321", "call 1 2 3", "²²²²²²", "五五五五五五",
  ])
  func anythingElseIsNoCode(typed: String) {
    #expect(OneTimeCode(typed) == nil)
  }
}

struct SupabaseProjectTests {
  @Test(arguments: [
    "https://abc.supabase.co", "https://abc.supabase.co/", "http://127.0.0.1:54321",
  ])
  func anAddressIsKeptWithoutItsSlash(url: String) throws {
    #expect(try !SupabaseProject(url: url, key: "sb_publishable_x").url.hasSuffix("/"))
  }

  @Test(arguments: [
    "http://abc.supabase.co", "abc.supabase.co", "https://a@b.co", "https://b.co?x=1",
  ])
  func anUnsafeAddressIsRefused(url: String) {
    #expect(throws: SupabaseProject.Unusable.self) { try SupabaseProject(url: url, key: "key") }
  }

  // {"role":"service_role"}
  @Test(arguments: ["sb_secret_abc", "e30.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.sig", "", "a key"])
  func aKeyThatBypassesPoliciesIsRefusedAndNotRepeated(key: String) throws {
    let error = #expect(throws: SupabaseProject.Unusable.self) {
      try SupabaseProject(url: "https://abc.supabase.co", key: key)
    }
    #expect(error?.isAboutKey == true)
    #expect(key.isEmpty || error?.description.contains(key) == false)
  }
}
