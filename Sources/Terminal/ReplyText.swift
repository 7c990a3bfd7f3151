/// A reply on its way to the screen: filtered, then wrapped.
public struct ReplyText: Sendable {
  private var filter = OutputFilter()
  private var wrapper: WordWrapper

  /// - Parameter width: Columns of a line; nil where the output is no terminal.
  public init(width: Int?) {
    wrapper = WordWrapper(width: width)
  }

  /// Columns of a line; set it when the window changes.
  public var width: Int? {
    get { wrapper.width }
    set { wrapper.width = newValue }
  }

  /// What can be written now that the next piece has come.
  public mutating func feed(_ delta: String) -> String {
    wrapper.feed(filter.filter(delta))
  }

  /// What is left to write at the end of the reply.
  public mutating func finish() -> String {
    filter.finish()
    return wrapper.finish()
  }
}
