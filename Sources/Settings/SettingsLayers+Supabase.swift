extension SettingsLayers {
  /// The project's address and key, which count only together: an address from one source is never
  /// combined with a key from another.
  ///
  /// - Returns: Nil if neither is set.
  public func supabase() throws(SettingError) -> (
    url: String, key: String, source: SettingSource
  )? {
    let (urlName, keyName) = (Setting.supabaseURL.rawValue, Setting.supabaseKey.rawValue)
    for layer in layers {
      switch (layer[urlName], layer[keyName]) {
      case (nil, nil): continue
      case (let url?, let key?): return (url, key, layer.source(urlName))
      case (.some, nil):
        throw SettingError(
          setting: urlName, source: layer.source(urlName),
          expected: "set in the same place as \(keyName)", found: nil)
      case (nil, .some):
        throw SettingError(
          setting: keyName, source: layer.source(keyName),
          expected: "set in the same place as \(urlName)", found: nil)
      }
    }
    return nil
  }
}
