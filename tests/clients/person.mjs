// A person at a browser, as far as signing in and approving an app need one: cookies, forms and redirects.

import assert from 'node:assert/strict';

export class Person {
  #base;
  #handle;
  #password;
  #cookies = new Map();

  constructor({ base, handle, password }) {
    this.#base = new URL(base);
    this.#handle = handle;
    this.#password = password;
  }

  // Opens the address that an app sends people to, signs in on the way, and approves. Answers where that leads.
  async approve(authorize) {
    assert.equal(authorize.origin, this.#base.origin, 'the app sends the person to the server');
    const signIn = await this.#open(authorize);
    assert.equal(signIn.url.pathname, '/sign-in', 'nobody has signed in yet');
    const consent = await this.#send(signIn, form(signIn, 'password'), {
      name: this.#handle,
      password: this.#password,
    });
    assert.equal(consent.url.pathname, '/oauth/authorize', 'after signing in the person is asked');
    const back = await this.#send(consent, form(consent, 'decision=approve'), { decision: 'approve' });
    assert.ok(back.away, `approving leads to ${back.url}`);
    return back.url;
  }

  async #open(url) {
    return this.#follow(url, await this.#fetch(url, {}));
  }

  async #send(page, { action, fields }, filled) {
    const body = new URLSearchParams(fields.filter(([name]) => !(name in filled)));
    for (const [name, value] of Object.entries(filled)) body.append(name, value);
    const url = new URL(action, page.url);
    const answer = await this.#fetch(url, { method: 'POST', body, headers: { origin: this.#base.origin } });
    return this.#follow(url, answer);
  }

  async #follow(from, answer) {
    let url = from;
    for (let hops = 0; hops < 5; hops++) {
      if (answer.status < 300 || answer.status > 399) {
        const html = await answer.text();
        assert.ok(answer.ok, `${url} answers ${answer.status}: ${html}`);
        return { url, html };
      }
      url = new URL(answer.headers.get('location'), url);
      if (url.origin !== this.#base.origin) return { url, away: true };
      answer = await this.#fetch(url, {});
    }
    throw new Error(`${url} keeps redirecting`);
  }

  async #fetch(url, { headers = {}, ...request }) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { ...headers, cookie }, ...request });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      this.#cookies.set(name, value);
    }
    return answer;
  }
}

// The page's form that has an input of this name, or a button with this `name=value`, with what a browser would send.
function form(page, part) {
  for (const [, tag, content] of page.html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)) {
    const parts = [];
    const fields = [];
    for (const [, element, control] of content.matchAll(/<(input|button)\b([^>]*)>/g)) {
      const name = attribute(control, 'name');
      if (name === undefined) continue;
      const kind = attribute(control, 'type');
      const value = attribute(control, 'value') ?? '';
      if (element === 'button' || kind === 'submit') {
        parts.push(`${name}=${value}`);
        continue;
      }
      parts.push(name);
      const untouched = kind === 'checkbox' || kind === 'radio' ? attribute(control, 'checked') !== undefined : true;
      if (untouched && attribute(control, 'disabled') === undefined) fields.push([name, value]);
    }
    if (parts.includes(part)) return { action: attribute(tag, 'action') ?? '', fields };
  }
  throw new Error(`${page.url} has no form with ${part}: ${page.html}`);
}

const ENTITIES = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };

function attribute(tag, name) {
  for (const [, known, value = ''] of tag.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)) {
    if (known !== name) continue;
    return value.replace(/&(?:#(\d+)|[a-z]+);/g, (all, code) => (code ? String.fromCodePoint(code) : ENTITIES[all] ?? all));
  }
  return undefined;
}
