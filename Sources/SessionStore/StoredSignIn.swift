public import FoundationEssentials
import GRDB

// Who has signed in to an account elsewhere.
extension SessionStore {
  public func signIn() throws(StoreError) -> String? {
    try reading {
      try String.fetchOne(
        $0, sql: "SELECT json FROM sign_in WHERE person = ?", arguments: [person.rawValue])
    }
  }

  public func setSignIn(_ text: String?) throws(StoreError) {
    try writing { database in
      if let text {
        try database.execute(
          sql: "INSERT OR REPLACE INTO sign_in (person, json) VALUES (?, ?)",
          arguments: [person.rawValue, text])
      } else {
        try database.execute(
          sql: "DELETE FROM sign_in WHERE person = ?", arguments: [person.rawValue])
      }
    }
  }

  public func peopleWithRows(dueBy date: Date) throws(StoreError) -> [PersonID] {
    try reading { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT DISTINCT person FROM outbox
          WHERE state = 'waiting' AND next_ms <= :now AND (person = :local
            OR EXISTS (SELECT 1 FROM sign_in WHERE sign_in.person = outbox.person))
          ORDER BY person
          """,
        arguments: ["now": date.milliseconds, "local": PersonID.local.rawValue]
      ).map { PersonID(rawValue: $0) }
    }
  }
}
