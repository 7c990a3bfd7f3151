import HTTPStreaming
import TestSupport
import Testing

@Suite(
  .integration,
  .enabled(if: TLSPeer.isAvailable, "needs the openssl command to make certificates"))
struct CertificateTests {
  @Test func aCertificateOfTheGivenAuthorityIsAccepted() async throws {
    let peer = try TLSPeer(.none)
    let client = HTTPClient(configuration: .init(certificateFile: peer.authorityFile))
    let response = try await client.send(HTTPRequest(url: peer.url))
    #expect(response.status == 200)
  }

  @Test(arguments: TLSPeer.Flaw.allCases.filter { $0 != .none })
  func aFlawIsRefusedEvenWithTheAuthority(_ flaw: TLSPeer.Flaw) async throws {
    let peer = try TLSPeer(flaw)
    let client = HTTPClient(configuration: .init(certificateFile: peer.authorityFile))
    await expect(.tls) { try await client.send(HTTPRequest(url: peer.url)) }
  }

  @Test func anAuthorityTheSystemDoesNotKnowIsRefused() async throws {
    let peer = try TLSPeer(.none)
    await expect(.tls) { try await HTTPClient().send(HTTPRequest(url: peer.url)) }
  }

  @Test func aMissingAuthorityFileIsAnErrorNotAnExcuse() async throws {
    let peer = try TLSPeer(.none)
    let client = HTTPClient(configuration: .init(certificateFile: peer.authorityFile + ".missing"))
    await expect(.tls) { try await client.send(HTTPRequest(url: peer.url)) }
  }
}
