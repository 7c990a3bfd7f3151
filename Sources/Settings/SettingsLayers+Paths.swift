extension SettingsLayers {
  /// A setting that names a file or folder. Expands `~/`, which no shell does inside a file.
  public func path(_ setting: Setting) throws(SettingError) -> String? {
    guard let found = self[setting] else { return nil }
    return try path(found.value, setting, found.source)
  }

  public func path(
    _ value: String, _ setting: Setting, _ source: SettingSource
  ) throws(SettingError) -> String {
    guard let path = expanded(value), !path.isEmpty else {
      let expected =
        value == "~" || value.hasPrefix("~/")
        ? "a path that starts with / (HOME is not set)"
        : "a path (only ~/ stands for a home folder)"
      throw SettingError(
        setting: setting.rawValue, source: source, expected: expected, found: shown(value))
    }
    return path
  }

  /// Nil if this user's home folder is unknown.
  func expanded(_ path: String) -> String? {
    guard path.hasPrefix("~") else { return path }
    guard let home, path == "~" || path.hasPrefix("~/") else { return nil }
    return home + path.dropFirst()
  }

  /// A file of certificate authorities to trust; nil means the system's.
  ///
  /// Only the key's own source, or a higher one, may choose whom to trust with the key.
  public func certificates(
    at connection: Connection?
  ) -> (value: String, source: SettingSource)? {
    certificates(at: connection?.keySource ?? .builtIn)
  }

  /// The same for a key from any source, such as a Supabase project's; nil if there is no key.
  public func certificates(
    at source: SettingSource?
  ) -> (value: String, source: SettingSource)? {
    let strongest = layers.prefix((source ?? .builtIn).rank + 1)
    return strongest.lazy.compactMap { layer in
      let name = Setting.certificates.rawValue
      return layer[name].map { ($0, layer.source(name)) }
    }.first
  }

  var ignoredCertificates: String? {
    let keys = [connection().ready?.keySource, (try? supabase())??.source].compactMap(\.self)
    guard let set = self[.certificates],
      let key = keys.first(where: { certificates(at: $0) == nil })
    else { return nil }
    return
      "RAPPORT_CA_FILE (from \(set.source)) is ignored: the key comes from \(key), and only that "
      + "source or a higher one may set it"
  }
}
