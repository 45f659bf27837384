/** Memory and CPU as people write them (decisions 4). */
import { badField } from '../errors.ts';

const MiB = 1024 * 1024;
/** The engine refuses containers below this ("Minimum memory limit allowed is 6MB"). */
const minMemory = 6 * MiB;
const maxCpus = 4096;

/** Processes and threads of a task that names no limit; more has to be approved. */
export const usualPids = 4096;
/** A lower limit ends containers before their program has begun. */
export const leastPids = 16;

/**
 * Bytes of `512m`, `1g`, `1.5g` or a plain number of bytes. Throws BAD_REQUEST naming `field` for anything
 * else.
 */
export function parseMemory(text: string, field: string): number {
  const match = /^(?:([0-9]{1,15})|([0-9]{1,9}(?:\.[0-9]{1,9})?)([mg]))$/.exec(text);
  if (match === null) throw badField(field, 'must be like 512m, 1g or 1.5g, or a plain number of bytes');
  const bytes =
    match[1] === undefined
      ? Math.floor(Number(match[2]) * (match[3] === 'g' ? 1024 * MiB : MiB))
      : Number(match[1]);
  if (bytes < minMemory)
    throw badField(field, 'must be at least 6m (6291456 bytes); without a unit the number means bytes');
  if (bytes > Number.MAX_SAFE_INTEGER) throw badField(field, 'is more memory than any server has');
  return bytes;
}

/**
 * Nano-CPUs of `0.5`, `1.5`, `2` (cores) or of an integer from 1,000,000 on (nano-CPUs). Throws BAD_REQUEST
 * naming `field` for anything else.
 */
export function parseCpus(text: string, field: string): number {
  if (!/^[0-9]{1,15}(?:\.[0-9]{1,9})?$/.test(text))
    throw badField(field, 'must be a number of cores such as 0.5 or 1.5, or nano-CPUs from 1000000 on');
  const number = Number(text);
  const nanoCpus =
    number >= 1_000_000 && Number.isInteger(number) && !text.includes('.')
      ? number
      : Math.round(number * 1e9);
  if (nanoCpus < 1_000_000) throw badField(field, 'must be at least 0.001 cores');
  if (nanoCpus > maxCpus * 1e9)
    throw badField(field, `must be at most ${maxCpus} cores; nano-CPUs begin at 1000000`);
  return nanoCpus;
}

export interface Resources {
  memoryLimit: string | null;
  memoryReservation: string | null;
  cpuLimit: string | null;
  cpuReservation: string | null;
}

/** What is reserved must fit into the limit; throws BAD_REQUEST naming the reservation. */
export function checkReservations({
  memoryLimit,
  memoryReservation,
  cpuLimit,
  cpuReservation,
}: Resources): void {
  if (
    memoryLimit &&
    memoryReservation &&
    parseMemory(memoryReservation, 'memoryReservation') > parseMemory(memoryLimit, 'memoryLimit')
  ) {
    throw badField('memoryReservation', 'is more than memoryLimit');
  }
  if (
    cpuLimit &&
    cpuReservation &&
    parseCpus(cpuReservation, 'cpuReservation') > parseCpus(cpuLimit, 'cpuLimit')
  )
    throw badField('cpuReservation', 'is more than cpuLimit');
}
