extension SettingsLayers {
  /// A setting that names a file or folder. `~/` is the home folder: in a file, no shell expands it.
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
        ? "a path that begins with /, as HOME is not set"
        : "a path, in which only ~/ stands for a home folder"
      throw SettingError(
        setting: setting.rawValue, source: source, expected: expected, found: shown(value))
    }
    return path
  }

  /// Nil for a home folder that is not known here.
  func expanded(_ path: String) -> String? {
    guard path.hasPrefix("~") else { return path }
    guard let home, path == "~" || path.hasPrefix("~/") else { return nil }
    return home + path.dropFirst()
  }

  /// A file of authorities to trust; nil means the system's.
  ///
  /// Only the key's own source, or a stronger one, may say whom to trust with the key.
  public func certificates(
    at connection: Connection?
  ) -> (value: String, source: SettingSource)? {
    let strongest = layers.prefix((connection?.keySource ?? .builtIn).rank + 1)
    return strongest.lazy.compactMap { layer in
      let name = Setting.certificates.rawValue
      return layer[name].map { ($0, layer.source(name)) }
    }.first
  }

  var ignoredCertificates: String? {
    guard let connection = connection().ready, let key = connection.keySource,
      let set = self[.certificates], certificates(at: connection) == nil
    else { return nil }
    return "RAPPORT_CA_FILE (from \(set.source)) is not used: the key comes from \(key), and only "
      + "there, or in a stronger place, can be said whom to trust with it"
  }
}
