import FoundationEssentials

/// The location of the store.
public enum StoreLocation {
  /// `$XDG_STATE_HOME/rapport/rapport.db`, or a path under `~/.local/state`.
  ///
  /// A relative `XDG_STATE_HOME` is ignored, as the XDG Base Directory Specification requires.
  public static func path(environment: [String: String]) throws(StoreError) -> String {
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return state + "/rapport/rapport.db"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw StoreError(.noFolder, file: "")
    }
    return home + "/.local/state/rapport/rapport.db"
  }

  /// Restricts the store's folder to its owner, in case an earlier umask left it open.
  public static func tightenFolder(of store: String) {
    PrivateFiles.tighten(store.folder, to: 0o700)
  }
}
