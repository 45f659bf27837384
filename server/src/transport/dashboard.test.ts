import Fastify from 'fastify';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { addDashboard } from './dashboard.ts';

function built(): { folder: string; write(name: string, text: string): void } {
  const folder = mkdtempSync(join(tmpdir(), 'berth-dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'assets'));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write('index.html', '<p>one</p>');
  write('index.html.br', 'br');
  write('assets/app.js', 'one()');
  return { folder, write };
}

it('is sent whole after it was built anew, in a length of its own', async () => {
  const { folder, write } = built();
  const app = Fastify();
  addDashboard(app, folder);
  const page = async (encoding: string) => {
    const { statusCode, headers, body } = await app.inject({
      url: '/',
      headers: { 'accept-encoding': encoding },
    });
    return { statusCode, length: headers['content-length'], encoding: headers['content-encoding'], body };
  };
  expect(await page('br')).toEqual({ statusCode: 200, length: '2', encoding: 'br', body: 'br' });
  write('index.html', '<p>another</p>');
  rmSync(join(folder, 'index.html.br'));
  const whole = { statusCode: 200, length: '14', encoding: undefined, body: '<p>another</p>' };
  expect(await page('br')).toEqual(whole);
  expect(await page('identity')).toEqual(whole);
  rmSync(join(folder, 'assets/app.js'));
  expect((await app.inject('/assets/app.js')).body).toContain('has been rebuilt');
  await app.close();
});
