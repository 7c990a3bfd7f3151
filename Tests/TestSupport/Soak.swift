import Glibc

/// Tests over many random inputs have a short form, and a long one that `make soak` runs.
public enum Soak {
  public static let isOn = getenv("RAPPORT_SOAK") != nil

  /// How many inputs to try.
  public static func rounds(_ usual: Int, soak: Int) -> Int { isOn ? soak : usual }
}
