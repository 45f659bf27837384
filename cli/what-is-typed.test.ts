import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAnsweringServer, type AnsweringServer } from '../test/answering-server.ts';
import { runBerth, type Ran } from '../test/command-line.ts';
import { recordedAnswers } from '../test/recorded-answers.ts';

let server: AnsweringServer;
let home: string;
beforeEach(async () => {
  server = await startAnsweringServer(recordedAnswers);
  home = await mkdtemp(join(tmpdir(), 'berth-deploy-'));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

/** Nobody is there to be asked. */
async function deploy(folderName: string, ...argv: string[]): Promise<Ran> {
  const folder = join(home, folderName);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'index.html'), 'hello');
  const environment = { HOME: home, BERTH_URL: server.url, BERTH_API_KEY: 'key' };
  return runBerth(['deploy', ...argv], { environment, folder });
}

const changes = (): string[] => server.called.filter((path) => /create|save|drop/.test(path));

describe('what cannot be deployed is refused before anything is made', () => {
  test.each([
    [['shop/new', '--port', '0'], '--port is "0"; give a number from 1 to 65535.'],
    [['shop/new', '--image', 'a b'], '--image: is not an image name'],
    [['shop/new', '--folder', 'nowhere'], 'There is no folder '],
    [['shop/new', '--as', 'dockerfile'], 'has no Dockerfile for --as dockerfile'],
    [['blog/web', '--project', 'shop'], '"blog/web" is not in the project shop. Leave one of the two out.'],
  ])('%j', async (argv, sentence) => {
    const ran = await deploy('site', ...argv);
    expect(ran).toMatchObject({ code: 2, said: expect.stringContaining(sentence) });
    expect(changes()).toEqual([]);
  });

  test('a link that leads out of the folder', async () => {
    await mkdir(join(home, 'site'));
    await symlink('/etc/hostname', join(home, 'site/link'));
    const ran = await deploy('site', 'shop/new');
    expect(ran).toMatchObject({ code: 2, said: expect.stringContaining('link is a link out of the folder') });
    expect(changes()).toEqual([]);
  });

  test('a folder whose name is none for a service', async () => {
    const ran = await deploy('日本', '--project', 'shop');
    expect(ran).toMatchObject({
      code: 2,
      said: expect.stringContaining("has no letter or digit for a service's name"),
    });
    expect(changes()).toEqual([]);
  });
});

test('a home that cannot be written to is told with its path', async () => {
  const environment = { HOME: '/dev/null', BERTH_URL: server.url, BERTH_API_KEY: 'key' };
  const ran = await runBerth(['link', 'shop/web'], { environment, folder: home });
  expect(ran).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^This machine refused it: .*\/dev\/null/),
  });
});

describe('which service it is', () => {
  test('is told where it is called like the folder, and no more the next time', async () => {
    expect((await deploy('web', '--project', 'shop')).said).toMatch(
      /^Deploying shop\/web, which is called like the folder\.\n/,
    );
    expect((await deploy('web')).said).not.toContain('called like');
  });

  test('a linked folder goes to no other project in silence', async () => {
    await deploy('web', '--project', 'shop');
    server.called.length = 0;
    const ran = await deploy('web', '--project', 'blog');
    expect(ran).toMatchObject({
      code: 2,
      said: expect.stringContaining('linked to shop/web, which is not in the project blog'),
    });
    expect(changes()).toEqual([]);
  });
});

describe('what a word answers to what is typed', () => {
  const shop = (line: string, environment = {}, more = {}): Promise<Ran> =>
    runBerth(line.split(' '), {
      environment: { HOME: home, BERTH_URL: server.url, BERTH_API_KEY: 'key', ...environment },
      folder: home,
      ...more,
    });

  test.each([
    ['scale shop/web 1 --table', 0, 'shop/web has 1 replica.'],
    ['scale shop/web 2 --table', 0, 'shop/web has 2 replicas.'],
    ['db connect shop/web', 2, 'shop/web is an application and not a database.'],
    ['secret set shop/web TOKEN=t0ps3cret', 2, 'Give the name alone: TOKEN.'],
    ['env edit shop/web', 2, 'An editor needs a terminal.'],
    ['', 2, 'There is no command "".'],
  ])('%j', async (line, code, sentence) => {
    const ran = await shop(line);
    expect(ran.code).toBe(code);
    expect(ran.out + ran.said).toContain(sentence);
    expect(ran.out + ran.said).not.toContain('t0ps3cret');
  });

  test('a key with a line break at its end is the key, and one that no header takes is named', async () => {
    expect(await shop('status', { BERTH_API_KEY: 'key\n' })).toMatchObject({ code: 0 });
    expect(await shop('status', { BERTH_API_KEY: 'ke\ny' })).toMatchObject({
      code: 2,
      said: expect.stringMatching(/^The API key has a blank, a line break/),
    });
  });

  test('ctrl-C ends a program that runs in a container, with 130', async () => {
    const stop = new AbortController();
    const ran = shop('exec shop/web -- sleep', {}, { signal: stop.signal });
    await expect.poll(() => server.called).toContain('exec');
    stop.abort();
    expect(await ran).toMatchObject({ code: 130, said: '' });
  });
});
