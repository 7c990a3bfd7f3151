/// The head of a page that loads nothing: its title, its style sheet, no scripts.
public struct PageHead {
  /// What the page shows, which decides its style.
  public enum Content {
    case scores
    case agreement
    case comparison
    case simulation
  }

  private let title: Markup
  private let sheet: [UInt8]

  public init(title: Markup, content: Content) {
    self.title = title
    sheet =
      switch content {
      case .scores: PackageResources.report_css
      case .agreement: PackageResources.report_css + PackageResources.agreement_css
      case .comparison: PackageResources.comparison_css
      case .simulation: PackageResources.comparison_css + PackageResources.simulation_css
      }
  }

  public var markup: Markup {
    let style = String(decoding: PackageResources.page_css + sheet, as: UTF8.self)
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <style>\(Markup(stringLiteral: style))</style>
      </head>

      """
  }
}
