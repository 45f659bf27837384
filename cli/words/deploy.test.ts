import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startAnsweringServer, type AnsweringServer } from '../../test/answering-server.ts';
import { runBerth, type Ran } from '../../test/command-line.ts';
import { recordedAnswers } from '../../test/recorded-answers.ts';

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

test('a home that cannot be written to is told with its path, and not as a fault of the program', async () => {
  const environment = { HOME: '/dev/null', BERTH_URL: server.url, BERTH_API_KEY: 'key' };
  const ran = await runBerth(['link', 'shop/web'], { environment, folder: home });
  expect(ran).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^This machine refused it: .*\/dev\/null/),
  });
});

describe('which service it is', () => {
  test('is told where it is called like the folder, and kept, so that the next time nothing is said', async () => {
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
