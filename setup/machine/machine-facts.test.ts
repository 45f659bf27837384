import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { boundLog } from '../process/bound-log.ts';
import { defaultDevice } from './default-address.ts';
import { isStaticBinary } from './static-binary.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-facts-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('takes the default route with the smallest metric', () => {
  const table = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0',
    'eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
    'eth1\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  ].join('\n');
  expect(defaultDevice(table)).toBe('eth0');
  expect(defaultDevice('Iface\tDestination\n')).toBeUndefined();
});

it('tells a program with an interpreter, a text and nothing from a static one', () => {
  expect(isStaticBinary('/bin/sh')).toBe(false);
  const script = join(folder, 'script');
  writeFileSync(script, '#!/bin/sh\n');
  expect(isStaticBinary(script)).toBe(false);
  expect(isStaticBinary(join(folder, 'absent'))).toBe(false);
  expect(isStaticBinary(folder)).toBe(false);
});

it('finds a static ELF program by its missing interpreter segment', () => {
  // The smallest header that says: 64 bits, little-endian, one loadable segment.
  const elf = Buffer.alloc(64 + 56);
  elf.writeUInt32BE(0x7f454c46, 0);
  elf.set([2, 1, 1], 4);
  elf.writeBigUInt64LE(64n, 32);
  elf.writeUInt16LE(56, 54);
  elf.writeUInt16LE(1, 56);
  elf.writeUInt32LE(1, 64);
  const program = join(folder, 'program');
  writeFileSync(program, elf);
  expect(isStaticBinary(program)).toBe(true);
  elf.writeUInt32LE(3, 64);
  writeFileSync(program, elf);
  expect(isStaticBinary(program)).toBe(false);
});

it('puts a long log aside and lets its writer go on', () => {
  const log = join(folder, 'berth.log');
  writeFileSync(log, '0123456789');
  boundLog(log, 10);
  expect(readFileSync(log, 'utf8')).toBe('0123456789');
  boundLog(log, 9);
  writeFileSync(log, 'after', { flag: 'a' });
  expect([readFileSync(`${log}.1`, 'utf8'), readFileSync(log, 'utf8')]).toEqual(['0123456789', 'after']);
});
