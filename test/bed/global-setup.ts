/** Vitest's set-up of the projects on the bed: one bed per run, with two image registries. Hosts tests make with `findBed(inject('bed').name, signal)`. */
import type { TestProject } from 'vitest/node';
import { openBed } from './bed.ts';
import type { Registries } from './registry.ts';

export interface ProvidedBed {
  name: string;
  /** First three numbers of its network, such as "10.98.1". */
  net: string;
  /** This machine's address in the bed's network. */
  machineIp: string;
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
    project.provide('bed', { name: bed.name, net: bed.net, machineIp: bed.machineIp, registries: await bed.registries() });
  } catch (error) {
    await bed.close();
    throw error;
  }
  return () => bed.close();
}
