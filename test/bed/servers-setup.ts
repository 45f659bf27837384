/**
 * Vitest's second set-up of the project "integration": m1 (engine, swarm, all images, SSH) and s1 (SSH and
 * git, no engine) on the bed of the first.
 */
import type { TestProject } from 'vitest/node';
import { findBed } from './bed.ts';
import { dockerCli } from './host/golden.ts';
import { systemOfRun } from './host/systems.ts';

export interface ProvidedServers {
  /** Private key that logs in as root on m1 and s1. */
  sshKeyPath: string;
  /** Swarm manager; `engineSocket` is a path on this machine. */
  m1: { ip: string; engineSocket: string; hostKey: string };
  /** A server without an engine. */
  s1: { ip: string; hostKey: string };
}

declare module 'vitest' {
  interface ProvidedContext {
    servers: ProvidedServers;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const bed = await findBed(project.getProvidedContext().bed.name, new AbortController().signal);
  if (bed === null) throw new Error('The bed of this run is gone.');
  const system = systemOfRun(project.config.env);
  const [m1, s1] = await Promise.all([
    bed.host('m1', { index: 1, engine: true, images: true, sshd: true, system }),
    bed.host('s1', { index: 2, sshd: true, system }),
  ]);
  const swarm = await m1.exec([dockerCli, 'swarm', 'init', '--advertise-addr', m1.ip]);
  if (swarm.code !== 0) throw new Error(`m1 did not become a swarm manager: ${swarm.stderr}`);
  project.provide('servers', {
    sshKeyPath: m1.sshKeyPath,
    m1: { ip: m1.ip, engineSocket: m1.engineSocket, hostKey: m1.hostKey },
    s1: { ip: s1.ip, hostKey: s1.hostKey },
  });
}
