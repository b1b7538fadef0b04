// The main job through a client: find a problem, work on it in the open, hand in, be judged. `agent` is what an SDK's client
// looks like to both: `tools()`, `templates()`, `call(tool, arguments)` → { envelope, refused }, `read(uri)` → text.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

const ANSWER = '# Answer\n\nShort, checkable, and not only ASCII: ∑ é 🎈\n';

export function step(line) {
  console.log(line);
}

async function must(agent, tool, args = {}) {
  const { envelope, refused } = await agent.call(tool, args);
  assert.equal(refused, false, `${tool} was refused: ${JSON.stringify(envelope)}`);
  return envelope;
}

async function refusal(agent, tool, args) {
  const { envelope, refused } = await agent.call(tool, args);
  assert.equal(refused, true, `${tool} was not refused: ${JSON.stringify(envelope)}`);
  return envelope.error;
}

// From `whoami` to a submission that waits for its judgment.
export async function work(agent, handle) {
  const tools = await agent.tools();
  for (const name of ['whoami', 'start_attempt', 'claim_review']) assert.ok(tools.includes(name), `${name} is listed`);
  assert.ok((await agent.templates()).includes('tfp://artifacts/{artifact_id}'), 'the template of artifacts is listed');
  step(`lists: ${tools.length} tools`);

  const me = await must(agent, 'whoami');
  assert.equal(me.user.handle, handle);
  assert.deepEqual(me.scopes, ['read', 'contribute']);
  step(`whoami: ${me.user.handle}`);

  const { problems, cursor } = await must(agent, 'search_problems', { limit: 10 });
  assert.equal(cursor, null, 'the example fits on a page');
  const [pick] = (await must(agent, 'pick_problem')).problems;
  assert.ok(problems.some(({ id }) => id === pick.problem.id), 'what is picked can be searched');
  assert.ok(pick.reason.length > 0);
  const problem = pick.problem.id;
  const before = await must(agent, 'get_problem', { problem });
  assert.equal(before.problem.id, problem);
  step(`pick_problem: ${pick.problem.title}`);

  const start = { problem, operation_key: 'client-test-start' };
  const { attempt } = await must(agent, 'start_attempt', start);
  assert.equal(attempt.revision_id, before.revision.id);
  const again = await must(agent, 'start_attempt', start);
  assert.equal(again.attempt.id, attempt.id, 'a repeated start is the same attempt');
  assert.equal(again.operation.replayed, true);
  const during = await must(agent, 'get_problem', { problem });
  assert.equal(during.attempt_summary.active, before.attempt_summary.active + 1);
  step(`start_attempt: ${attempt.id}`);

  const bad = await refusal(agent, 'add_note', { attempt_id: attempt.id, body: 'x' });
  assert.equal(bad.code, 'invalid_input');
  assert.ok(bad.details.fields.length > 0, 'it says which field');
  const { note } = await must(agent, 'add_note', {
    attempt_id: attempt.id,
    topic: 'approach',
    body_md: 'Read it twice, then write.',
  });
  step(`add_note: ${note.id}`);

  const { artifact } = await must(agent, 'create_artifact', {
    attempt_id: attempt.id,
    filename: 'answer.md',
    media_type: 'text/markdown',
    text: ANSWER,
  });
  assert.equal(artifact.content_hash, `sha256:${createHash('sha256').update(ANSWER).digest('hex')}`);
  assert.equal(artifact.size_bytes, Buffer.byteLength(ANSWER));
  const uri = `tfp://artifacts/${artifact.id}`;
  assert.equal(await agent.read(uri), ANSWER, 'the bytes come back as they were');
  step(`create_artifact and resources/read: ${uri}`);

  const { submission } = await must(agent, 'create_submission', { attempt_id: attempt.id, artifact_ids: [artifact.id] });
  assert.equal(submission.status, 'in_review', "the example's problem has a reviewer");
  await must(agent, 'end_attempt', { attempt_id: attempt.id, outcome: 'submitted', note_md: 'It is in answer.md.' });
  const ended = await must(agent, 'get_attempt', { attempt_id: attempt.id });
  assert.equal(ended.attempt.status, 'ended');
  assert.equal(ended.notes.length, 2, 'the working note and the summary');
  const stored = await must(agent, 'get_submission', { submission_id: submission.id });
  assert.deepEqual(stored.submission.artifact_ids, [artifact.id]);
  step(`create_submission and end_attempt: ${submission.id}`);
  return { submission: submission.id, uri };
}

// The judgment of it, by someone else.
export async function review(author, reviewer, { submission, uri }) {
  assert.deepEqual((await must(author, 'pick_review')).reviews, [], 'nobody is offered their own work');
  const [{ review_process_id, node_id }] = (await must(reviewer, 'pick_review')).reviews;
  const seat = { review_process_id, node_id };
  const { rubric, materials } = await must(reviewer, 'get_review_case', seat);
  assert.ok(materials.some((material) => material.resource_uri === uri), 'the file is among the materials');
  const { assignment } = await must(reviewer, 'claim_review', seat);
  assert.ok(Date.parse(assignment.hold_until) > Date.now(), 'the seat is held for a while');
  assert.equal(await reviewer.read(uri), ANSWER, 'a reviewer reads the whole file');
  step(`claim_review: held until ${assignment.hold_until}`);

  const empty = { ...seat, response: { criteria: {}, citations: [] } };
  assert.equal((await refusal(reviewer, 'submit_review_response', empty)).code, 'invalid_response');
  const criteria = Object.fromEntries(rubric.map(({ key, answer }) => [key, best(answer)]));
  const response = { criteria, citations: [uri], comment_md: 'Good.' };
  const done = await must(reviewer, 'submit_review_response', { ...seat, response });
  assert.equal(done.review_process.status, 'closed', 'its one seat is handed in');
  const judged = await must(author, 'get_submission', { submission_id: submission });
  assert.equal(judged.submission.status, 'accepted', 'the judgment decides');
  step(`submit_review_response: the submission is ${judged.submission.status}`);
}

// The answer that speaks best of the work, whatever its kind: options stand from best to worst in the example.
function best({ kind, max, options }) {
  switch (kind) {
    case 'score':
      return max;
    case 'choice':
      return options[0];
    case 'boolean':
      return true;
    default:
      return 'It meets the statement, and says how.';
  }
}
