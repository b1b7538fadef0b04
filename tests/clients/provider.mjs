// What both generations of the SDK ask of an OAuth client, kept in memory, with a person who approves at once.

export class Provider {
  redirectUrl = 'http://127.0.0.1:9/callback';
  // Where the person was sent back to, with the code.
  back;
  refreshed = 0;

  #person;
  #client;
  #tokens;
  #verifier;
  #state;
  #discovery;

  constructor(person, name) {
    this.#person = person;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'read contribute',
    };
  }

  state() {
    this.#state ??= crypto.randomUUID();
    return this.#state;
  }

  clientInformation() {
    return this.#client;
  }

  saveClientInformation(client) {
    this.#client = client;
  }

  tokens() {
    return this.#tokens;
  }

  saveTokens(tokens) {
    if (this.#tokens) this.refreshed += 1;
    this.#tokens = tokens;
  }

  // Makes the access token one that the server does not know; the refresh token stays.
  spoilAccessToken() {
    this.#tokens = { ...this.#tokens, access_token: 'tfp_at_of-another-time' };
  }

  saveCodeVerifier(verifier) {
    this.#verifier = verifier;
  }

  codeVerifier() {
    return this.#verifier;
  }

  saveDiscoveryState(state) {
    this.#discovery = state;
  }

  discoveryState() {
    return this.#discovery;
  }

  async redirectToAuthorization(url) {
    this.back = await this.#person.approve(url);
    if (this.back.searchParams.get('state') !== this.#state) throw new Error('the state did not come back');
    if (this.back.searchParams.get('iss') !== url.origin) throw new Error('the issuer did not come back');
  }
}
