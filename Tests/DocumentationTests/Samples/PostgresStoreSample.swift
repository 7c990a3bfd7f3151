import PostgresStore
import SessionStore
import Testing

@Suite struct PostgresStoreSample {
  func open() async throws -> any ConversationStore {
    let address = try PostgresAddress("postgres://rapport@db.example.com/rapport")
    let store = try await PostgresStore(address)
    return store
  }

  @Test func anAddressIsShownWithoutItsPassword() throws {
    let address = try PostgresAddress("postgres://rapport:hush@db.example.com/rapport")
    #expect(!"\(address)".contains("hush"))
    #expect("\(address)".contains("db.example.com"))
  }
}
