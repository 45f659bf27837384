/** `berth mcp` as an assistant's program starts it, by the protocol's own client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

let program: Program;
let world: World;

beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
});
afterAll(() => program[Symbol.asyncDispose]());

const cli = join(import.meta.dirname, '../../cli/main.ts');

/** `answers`: what the person says to each question; without it the assistant's program cannot ask. */
async function assistant(argv: readonly string[], answers?: boolean[]): Promise<Client & AsyncDisposable> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: answers === undefined ? {} : { elicitation: {} } },
  );
  if (answers !== undefined)
    client.setRequestHandler(ElicitRequestSchema, () => ({
      action: 'accept',
      content: { sure: answers.shift() ?? false },
    }));
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, 'mcp', ...argv],
      env: {
        HOME: tmpdir(),
        BERTH_URL: program.url,
        BERTH_API_KEY: world.people.owner.byKey['x-api-key'] ?? '',
      },
    }),
  );
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

async function called(
  client: Client,
  name: string,
  procedure: string,
  input: object = {},
): Promise<{ isError: boolean; text: string }> {
  const { content, isError } = Object(await client.callTool({ name, arguments: { procedure, input } }));
  return { isError: isError === true, text: content[0].text };
}

it('reads, and without --write has nothing that changes', async () => {
  await using client = await assistant([]);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['application_read', 'project_read', 'database_read']),
  );
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  expect(tools.find(({ name }) => name === 'application_read')?.description).toContain(
    '- application.one {applicationId}: The application with',
  );
  const all = await called(client, 'project_read', 'project.all');
  expect(JSON.parse(all.text)).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'Shop' })]));
  expect(
    await called(client, 'application_read', 'application.one', { applicationId: 'none' }),
  ).toMatchObject({ isError: true });
  // An unknown tool is a fault of the protocol, an unknown procedure an answer of the tool.
  await expect(called(client, 'project_change', 'project.create', { name: 'x' })).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining('Unknown tool: project_change'),
  });
  expect(await called(client, 'project_read', 'all')).toMatchObject({
    isError: true,
    text: expect.stringContaining('It has: project.all'),
  });
  expect((await called(client, 'procedure_input', 'application.one')).text).toContain(
    '- applicationId: string',
  );
  expect(await called(client, 'procedure_input', 'application.update')).toMatchObject({
    isError: true,
    text: expect.stringContaining('without --write'),
  });
  expect(await client.callTool({ name: 'project_read', arguments: {} })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^procedure is required.*It has: project\.all/) }],
  });
});

it('takes an input that the assistant sent as the text of its JSON, and asks a person as ever', async () => {
  await using client = await assistant(['--write'], [false]);
  const call = async (procedure: string, input: string): Promise<{ isError?: boolean; content: unknown }> =>
    Object(await client.callTool({ name: 'project_change', arguments: { procedure, input } }));
  const { projectId } = world.own;
  const renamed = await call('project.update', JSON.stringify({ projectId, description: 'as text' }));
  expect(renamed.isError).toBeUndefined();
  expect((await called(client, 'project_read', 'project.one', { projectId })).text).toContain('as text');
  expect(await call('project.remove', JSON.stringify({ projectId }))).toMatchObject({ isError: true });
  expect(await call('project.update', 'no JSON')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('must be an object, not a string') }],
  });
});

it('changes with --write; what destroys is done only when a person says so', async () => {
  await using client = await assistant(['--write'], [false, true]);
  const made = JSON.parse((await called(client, 'project_change', 'project.create', { name: 'Short' })).text);
  const { projectId } = made.project;
  const there = async (): Promise<boolean> =>
    !(await called(client, 'project_read', 'project.one', { projectId })).isError;
  expect(await called(client, 'project_change', 'project.remove', { projectId })).toMatchObject({
    isError: true,
  });
  expect(await there()).toBe(true);
  await using mute = await assistant(['--write']);
  expect(await called(mute, 'project_change', 'project.remove', { projectId })).toMatchObject({
    isError: true,
    text: expect.stringContaining('did not confirm'),
  });
  expect(await there()).toBe(true);
  expect(await called(client, 'project_change', 'project.remove', { projectId })).toMatchObject({
    isError: false,
  });
  expect(await there()).toBe(false);
});
