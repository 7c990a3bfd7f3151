import FoundationEssentials

/// Where the store is kept.
public enum StoreLocation {
  /// `$XDG_STATE_HOME/rapport/rapport.db`, or under `~/.local/state`.
  ///
  /// A relative `XDG_STATE_HOME` does not count, as the XDG Base Directory Specification says.
  public static func path(environment: [String: String]) throws(StoreError) -> String {
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return state + "/rapport/rapport.db"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw StoreError(.noFolder, file: "")
    }
    return home + "/.local/state/rapport/rapport.db"
  }

  /// Closes the store's own folder to others, where an earlier umask left it open.
  public static func tightenFolder(of store: String) {
    PrivateFiles.tighten(store.folder, to: 0o700)
  }
}
