extension PageFile {
  /// The page's files, by the address where the browser asks for them. A new file is also named in
  /// Package.swift, which puts it into the program.
  static let all = [
    PageFile("/", "text/html; charset=utf-8", PackageResources.index_html),
    PageFile("/style.css", "text/css; charset=utf-8", PackageResources.style_css),
    PageFile("/icon.svg", "image/svg+xml", PackageResources.icon_svg),
    PageFile("/app.js", "text/javascript; charset=utf-8", PackageResources.app_js),
    PageFile("/cards.css", "text/css; charset=utf-8", PackageResources.cards_css),
    PageFile("/cards.js", "text/javascript; charset=utf-8", PackageResources.cards_js),
    PageFile("/cardwords.js", "text/javascript; charset=utf-8", PackageResources.cardwords_js),
    PageFile("/composer.js", "text/javascript; charset=utf-8", PackageResources.composer_js),
    PageFile(
      "/conversation.js", "text/javascript; charset=utf-8", PackageResources.conversation_js),
    PageFile("/health.js", "text/javascript; charset=utf-8", PackageResources.health_js),
    PageFile("/insight.js", "text/javascript; charset=utf-8", PackageResources.insight_js),
    PageFile("/menu.js", "text/javascript; charset=utf-8", PackageResources.menu_js),
    PageFile("/orb.js", "text/javascript; charset=utf-8", PackageResources.orb_js),
    PageFile("/outbox.js", "text/javascript; charset=utf-8", PackageResources.outbox_js),
    PageFile("/paywall.js", "text/javascript; charset=utf-8", PackageResources.paywall_js),
    PageFile("/plots.js", "text/javascript; charset=utf-8", PackageResources.plots_js),
    PageFile("/stream.js", "text/javascript; charset=utf-8", PackageResources.stream_js),
    PageFile("/text.js", "text/javascript; charset=utf-8", PackageResources.text_js),
    PageFile("/fields.js", "text/javascript; charset=utf-8", PackageResources.fields_js),
    PageFile("/figures.js", "text/javascript; charset=utf-8", PackageResources.figures_js),
    PageFile("/journey.js", "text/javascript; charset=utf-8", PackageResources.journey_js),
    PageFile("/steps.js", "text/javascript; charset=utf-8", PackageResources.steps_js),
    PageFile("/recovery.js", "text/javascript; charset=utf-8", PackageResources.recovery_js),
    PageFile("/tour.js", "text/javascript; charset=utf-8", PackageResources.tour_js),
    PageFile("/words.js", "text/javascript; charset=utf-8", PackageResources.words_js),
  ]
}
