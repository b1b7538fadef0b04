// node grant.mjs BASE HANDLE PASSWORD: the suite's scenarios for authorization servers, with a person who answers the browser
// flow that the second one begins.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { Person } from '../clients/person.mjs';

const [base, handle, password] = process.argv.slice(2);
const suite = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const port = 18473;
const redirect = `http://127.0.0.1:${port}/callback`;

const registered = await fetch(`${base}/oauth/register`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ client_name: 'The conformance suite', redirect_uris: [redirect] }),
});
const { client_id: client } = await registered.json();
const options = ['--url', base, '--client-id', client, '--resource', `${base}/mcp`, '--port', String(port)];
const run = spawn(process.execPath, [suite, 'authorization', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
const late = setTimeout(() => run.kill(), 60_000);

let said = '';
let asked = false;
run.stdout.on('data', async (chunk) => {
  said += chunk;
  process.stdout.write(chunk);
  const [address] = said.match(/https?:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/) ?? [];
  if (asked || address === undefined) return;
  asked = true;
  const back = await new Person({ base, handle, password }).approve(new URL(address));
  await fetch(back);
});
run.on('exit', (code) => {
  clearTimeout(late);
  if (!asked) console.error('the suite sent nobody to approve');
  process.exit(asked ? (code ?? 1) : 1);
});
