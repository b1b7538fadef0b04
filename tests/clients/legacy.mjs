// The first generation of the TypeScript SDK: handshake, then requests.

import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { envelopeOf, play, textOf } from './play.mjs';

await play('TypeScript SDK 1', async (url, authProvider) => {
  const connect = async () => {
    const client = new Client({ name: 'legacy-client', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(url, { authProvider });
    try {
      await client.connect(transport);
      return client;
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      await transport.finishAuth(authProvider.back.searchParams.get('code'));
      return undefined;
    }
  };
  const client = (await connect()) ?? (await connect());
  return {
    version: client.transport.protocolVersion,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    call: async (name, args) => envelopeOf(name, await client.callTool({ name, arguments: args })),
    read: async (uri) => textOf(uri, await client.readResource({ uri })),
    close: () => client.close(),
  };
});
