/// Where a line may break without a space: around the characters of East Asian scripts, unless
/// punctuation belongs to its neighbor (the short form of UAX #14, classes CL, NS and OP).
enum LineBreaking {
  static func isAllowed(between left: Character, and right: Character) -> Bool {
    guard isIdeographic(left) || isIdeographic(right) else { return false }
    return !sticksToPrevious.contains(right) && !sticksToNext.contains(left)
  }

  private static func isIdeographic(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first else { return false }
    switch scalar.value {
    case 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x20000...0x3FFFD:
      return true
    default:
      return false
    }
  }

  private static let sticksToPrevious = Set<Character>(
    "、。，．・：；！？）」』】〕〉》〗〙〞’”ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々…—,.!?:;)]}%\u{2019}\u{201D}")
  private static let sticksToNext = Set<Character>("（「『【〔〈《〖〘〝‘“([{$¥￥")
}
