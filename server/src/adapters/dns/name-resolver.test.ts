import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNameResolver } from './name-resolver.ts';

/** A name server of three names; what it does not know it denies, and `silent.test` it never answers. */
const records: Record<string, Partial<Record<number, Buffer[]>>> = {
  'shop.test': {
    1: [Buffer.from([203, 0, 113, 7]), Buffer.from([203, 0, 113, 8])],
    28: [Buffer.from('20010db8000000000000000000000007', 'hex')],
  },
  'four.test': { 1: [Buffer.from([203, 0, 113, 9])] },
  'broken.test': {},
};
const responseCodes: Record<string, number> = { 'broken.test': 2 };

let socket: Socket;
let address = '';
beforeAll(async () => {
  socket = createSocket('udp4', (message, sender) => {
    const { name, type, end } = question(message);
    if (name === 'silent.test') return;
    const answers = records[name]?.[type] ?? [];
    const head = Buffer.from(message.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (responseCodes[name] ?? (records[name] ? 0 : 3)), 2);
    head.writeUInt16BE(answers.length, 6);
    head.fill(0, 8, 12);
    const rows = answers.map((data) =>
      Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data]),
    );
    socket.send(Buffer.concat([head, message.subarray(12, end), ...rows]), sender.port, sender.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  address = `127.0.0.1:${socket.address().port}`;
});
afterAll(() => socket.close());

function question(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

const dns = createNameResolver({ timeoutMs: 200 });

test('both families are asked for', async () => {
  const { addresses, fault } = await dns.lookUp('shop.test', address);
  expect(addresses.toSorted()).toEqual(['2001:db8::7', '203.0.113.7', '203.0.113.8']);
  expect(fault).toBeUndefined();
  expect(await dns.lookUp('four.test', address)).toEqual({ addresses: ['203.0.113.9'], fault: undefined });
});

test('no such name is an answer', async () => {
  expect(await dns.lookUp('nowhere.test', address)).toEqual({ addresses: [], fault: undefined });
});

test('no answer is told apart', async () => {
  expect(await dns.lookUp('broken.test', address)).toEqual({
    addresses: [],
    fault: 'the resolver failed to look it up',
  });
  expect(await dns.lookUp('silent.test', address)).toEqual({
    addresses: [],
    fault: 'the resolver gave no answer in time',
  });
  expect(await dns.lookUp('shop.test', '127.0.0.1:1')).toMatchObject({
    addresses: [],
    fault: expect.stringContaining('resolver'),
  });
});
