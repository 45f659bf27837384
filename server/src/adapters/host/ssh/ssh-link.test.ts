import { expect, test, vi } from 'vitest';
import { Secret } from '../../../domain/secrets/secret.ts';
import { unreachable, wrongKey, type SshFault } from './ssh-fault.ts';
import type { SshClient, SshTarget } from './ssh-client.ts';
import { createSshLink, type SshLink } from './ssh-link.ts';

const target: SshTarget = {
  serverName: 'the server far',
  ipAddress: '192.0.2.7',
  address: '192.0.2.7',
  port: 22,
  username: 'root',
  privateKey: new Secret('none'),
  hostKey: null,
};
const silence = unreachable(target, new Error('Timed out while waiting for handshake'));

/** A link whose attempts end as told, one after another. */
function linkWith(...ends: (SshFault | 'open')[]) {
  const cuts: ((reason: SshFault) => void)[] = [];
  let attempts = 0;
  const link: SshLink = createSshLink({
    target: async () => target,
    prepare: async () => undefined,
    waitMs: async () => 60_000,
    async connect() {
      const end = ends[attempts] ?? 'open';
      attempts += 1;
      if (end !== 'open') throw end;
      const ended = Promise.withResolvers<SshFault>();
      cuts.push(ended.resolve);
      return { target, hostKey: 'SHA256:x', ended: ended.promise, end: () => undefined } as SshClient;
    },
  });
  return { link, attempts: () => attempts, cut: () => cuts.at(-1)?.(silence) };
}

test('everybody shares one connection; after a cut the next use makes another', async () => {
  const { link, attempts, cut } = linkWith();
  await Promise.all([link.client(), link.client(), link.client()]);
  await link.client();
  expect(attempts()).toBe(1);
  cut();
  await vi.waitFor(() => expect(link.fault()?.message).toContain('Unreachable since'));
  await link.client();
  expect([attempts(), link.fault()]).toEqual([2, undefined]);
});

test('after a failure whoever asks too soon is told why, and nothing is tried', async () => {
  const { link, attempts } = linkWith(silence, silence);
  await expect(link.client()).rejects.toThrow('does not answer');
  await expect(link.client()).rejects.toThrow('Unreachable since');
  expect(attempts()).toBe(1);
  link.reset();
  await expect(link.client()).rejects.toThrow('does not answer');
  expect(attempts()).toBe(2);
});

test('waiting goes on over silence, and ends with what a person has to mend', async () => {
  const signal = new AbortController().signal;
  const told: string[] = [];
  const onWait = (fault: Error): void => void told.push(fault.message);
  await linkWith(silence).link.reachable({ signal, onWait });
  expect(told).toEqual([expect.stringContaining('does not answer')]);
  const { link } = linkWith(wrongKey(target, new Error('refused')));
  await expect(link.reachable({ signal, onWait })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  expect(told).toHaveLength(1);
});
