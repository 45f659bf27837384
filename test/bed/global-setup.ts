/**
 * Vitest's set-up of the projects on the bed: one bed per run. Hosts and image registries tests make with
 * `bedOfRun()`.
 */
import type { TestProject } from 'vitest/node';
import { openBed } from './bed.ts';

export interface ProvidedBed {
  name: string;
  /** First three numbers of its network, such as "10.98.1". */
  net: string;
  /** This machine's address in the bed's network. */
  machineIp: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    bed: ProvidedBed;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bed = await openBed({ name: `${project.name}-${process.pid}`, log: console.error });
  project.provide('bed', { name: bed.name, net: bed.net, machineIp: bed.machineIp });
  return () => bed.close();
}
