// The second generation of the TypeScript SDK, in the era that TFP_ERA names: `legacy`, `auto`, or a revision to insist on.

import assert from 'node:assert/strict';

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

import { envelopeOf, play, textOf } from './play.mjs';

const era = process.env.TFP_ERA;
const named = era === 'legacy' || era === 'auto';
const mode = named ? era : { pin: era };

await play(`TypeScript SDK 2 (${era})`, async (url, authProvider) => {
  const connect = async () => {
    const client = new Client({ name: 'modern-client', version: '1.0.0' }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(url, { authProvider });
    try {
      await client.connect(transport);
      return client;
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      await transport.finishAuth(authProvider.back.searchParams);
      return undefined;
    }
  };
  const client = (await connect()) ?? (await connect());
  const version = client.getNegotiatedProtocolVersion();
  assert.equal(version, era === 'legacy' ? '2025-11-25' : '2026-07-28', 'the newest revision of the era is agreed on');
  return {
    version,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    call: async (name, args) => envelopeOf(name, await client.callTool({ name, arguments: args })),
    read: async (uri) => textOf(uri, await client.readResource({ uri })),
    close: () => client.close(),
  };
});
