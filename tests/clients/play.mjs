// The whole play for one generation of the SDK: connect as strangers, do the job, live through a lost access token.

import assert from 'node:assert/strict';

import { review, step, work } from './journey.mjs';
import { Person } from './person.mjs';
import { Provider } from './provider.mjs';

// `connect(url, provider)` answers a connected agent as in journey.mjs, with `provider` used for what OAuth needs.
export async function play(name, connect) {
  // A client that hangs fails the test instead of the whole run.
  setTimeout(() => fail(new Error('it took more than two minutes')), 120_000).unref();
  try {
    const { TFP_BASE: base, TFP_PASSWORD: password, TFP_WORKER: worker, TFP_REVIEWER: reviewer } = process.env;
    const arrive = async (handle) => {
      const provider = new Provider(new Person({ base, handle, password }), `${name} of ${handle}`);
      const agent = await connect(new URL('/mcp', base), provider);
      assert.ok(provider.back, 'the person was asked');
      step(`connected for ${handle}: ${agent.version}`);
      return { agent, provider };
    };
    const author = await arrive(worker);
    const handed = await work(author.agent, worker);
    const judge = await arrive(reviewer);
    await review(author.agent, judge.agent, handed);

    author.provider.spoilAccessToken();
    const { envelope } = await author.agent.call('whoami', {});
    assert.equal(envelope.user.handle, worker);
    assert.equal(author.provider.refreshed, 1, 'the client exchanged its refresh token, once');
    step('refreshed by itself after a 401, and went on');
    await author.agent.close();
    await judge.agent.close();
    step('done');
  } catch (error) {
    fail(error);
  }
}

function fail(error) {
  console.error(error);
  process.exit(1);
}

// A tool's result as the journey sees it; the text must say the same as the structured content.
export function envelopeOf(tool, result) {
  assert.equal(result.content.length, 1, `${tool} answers one text`);
  const envelope = JSON.parse(result.content[0].text);
  assert.deepEqual(result.structuredContent, envelope, `${tool}: text and structured content agree`);
  return { envelope, refused: result.isError === true };
}

// The text of a resource that is one text.
export function textOf(uri, { contents }) {
  assert.equal(contents.length, 1);
  assert.equal(contents[0].uri, uri);
  return contents[0].text;
}
