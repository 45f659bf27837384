/** The engine in memory with what the engine's suite finds on a real one. */
import { databaseImage, nodeImage, otherImage, type EngineFixture } from '../engine-suite/fixture.ts';
import { createEngineInMemory } from './engine-in-memory.ts';
import { addImage } from './images.ts';
import { unixPrograms } from './programs/programs.ts';
import { nodeProgram } from './programs/steps-program.ts';

const large = 120_000_000;

export function memoryFixture(): EngineFixture {
  const memory = createEngineInMemory();
  const { engine, api, view, state } = memory;
  const account = { username: 'somebody', password: 'of the registry' };
  memory.addImage(nodeImage, {
    programs: { ...unixPrograms, node: nodeProgram },
    command: ['node'],
    env: { PATH: '/usr/bin' },
    sizeBytes: large,
  });
  memory.addImage(otherImage, { programs: unixPrograms, command: ['true'] });
  memory.addImage(databaseImage, { programs: unixPrograms, exposedPorts: ['5432/tcp'] });
  memory.addRegistry('open.test:5000');
  memory.addRegistry('secured.test:5000', account);
  return {
    engine,
    api,
    view,
    registries: async () => ({
      open: 'open.test:5000',
      secured: 'secured.test:5000',
      ...account,
      nowhere: 'nowhere.test:1',
      makeSmallImage: async (tag) =>
        void addImage(state, tag, { programs: { '/busybox': unixPrograms['sleep'] ?? (() => 1) } }),
    }),
  };
}
