/**
 * Vitest's set-up of the projects "integration" and "e2e": one bed per run, with m1 (engine, swarm, all images, SSH), s1
 * (SSH and git, no engine) and two image registries. Tests read `inject('bed')`; further hosts of their own they make
 * with `findBed(inject('bed').name, signal)`.
 */
import type { TestProject } from 'vitest/node';
import { openBed, type Bed } from './bed.ts';
import { dockerCli } from './golden.ts';
import type { Registries } from './registry.ts';

export interface ProvidedBed {
  name: string;
  /** First three numbers of its network, such as "10.98.1". */
  net: string;
  /** This machine's address in the bed's network. */
  machineIp: string;
  /** Private key that logs in as root on m1 and s1. */
  sshKeyPath: string;
  /** Swarm manager; `engineSocket` is a path on this machine. */
  m1: { ip: string; engineSocket: string; hostKey: string };
  /** A server without an engine. */
  s1: { ip: string; hostKey: string };
  registries: Registries;
}

declare module 'vitest' {
  interface ProvidedContext {
    bed: ProvidedBed;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bed = await openBed({ name: `${project.name}-${process.pid}`, log: console.error });
  try {
    project.provide('bed', await fill(bed));
  } catch (error) {
    await bed.close();
    throw error;
  }
  return () => bed.close();
}

async function fill(bed: Bed): Promise<ProvidedBed> {
  const [m1, s1, registries] = await Promise.all([
    bed.host('m1', { index: 1, engine: true, images: true, sshd: true }),
    bed.host('s1', { index: 2, sshd: true }),
    bed.registries(),
  ]);
  const swarm = await m1.exec([dockerCli, 'swarm', 'init', '--advertise-addr', m1.ip]);
  if (swarm.code !== 0) throw new Error(`m1 did not become a swarm manager: ${swarm.stderr}`);
  return {
    name: bed.name, net: bed.net, machineIp: bed.machineIp, sshKeyPath: m1.sshKeyPath, registries,
    m1: { ip: m1.ip, engineSocket: m1.engineSocket, hostKey: m1.hostKey },
    s1: { ip: s1.ip, hostKey: s1.hostKey },
  };
}
