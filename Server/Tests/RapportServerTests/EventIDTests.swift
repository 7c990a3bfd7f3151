import Testing

@testable import RapportServer

@Test func eventIDsAreReadBack() throws {
  let id = try #require(EventID("k3f9abcd.12.m4x2k1.7qz3ab.4"))
  #expect("\(id)" == "k3f9abcd.12.m4x2k1.7qz3ab.4")
  #expect(EventID("k3f9abcd.012.m4x2k1.7qz3ab.4") == nil)
}
