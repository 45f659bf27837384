/** Compose files that are judged while they are written, through the HTTP interface. */
import { expect, it } from 'vitest';
import { composeWorlds, harmless } from '../../../../../test/http/worlds/compose-world.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { createStores } from '../../../composition/stores.ts';
import { tableStore } from '../../../db/table-store.ts';

eachDatabase('files of compose services', (test) => {
  const { begin, create } = composeWorlds(test);

  it('are judged while their file is written, and nothing is saved', async () => {
    const world = await begin();
    const { owner, database } = world;
    const composeId = await create(world, { composeFile: harmless });
    const check = (input: object): Promise<unknown> => owner.mutate('compose.check', { composeId, ...input });
    const file = (fields: string): string => `services:\n  web:\n    image: shop:1\n    ${fields}\n`;
    expect(await check({ composeFile: file('ports: ["80:8080", "127.0.0.1:9000:9000"]') })).toEqual({
      services: ['web'],
      isSavable: true,
      isDeployable: true,
      findings: [
        { kind: 'note', line: 4, text: expect.stringContaining('80 is not published') },
        { kind: 'note', line: 4, text: expect.stringContaining('9000 on the loopback address') },
      ],
    });
    expect(await check({ composeFile: file('ports: ["443:443", "443:443/udp"]') })).toMatchObject({
      isDeployable: true,
      findings: [
        { text: expect.stringContaining('443 is not published') },
        { text: expect.stringContaining('443/udp is not published') },
      ],
    });
    expect(await check({ composeFile: file('imagee: x') })).toEqual({
      services: [],
      isSavable: false,
      isDeployable: false,
      findings: [{ kind: 'refusal', line: 4, text: expect.stringContaining('Did you mean image?') }],
    });
    expect(await check({ composeFile: file('env_file: .env') })).toMatchObject({
      isSavable: true,
      isDeployable: false,
      findings: [{ kind: 'refusal', line: 4, text: expect.stringContaining('there is no .env') }],
    });
    expect(await check({ composeFile: file('command: "${WORD:?say it}"') })).toMatchObject({
      findings: [
        { kind: 'refusal', line: 4, text: expect.stringContaining('needs the variable WORD: say it') },
      ],
    });
    expect(await check({ composeFile: file('command: "${WORD:?say it}"'), env: 'WORD=run' })).toMatchObject({
      isDeployable: true,
      findings: [],
    });
    expect(await check({ composeFile: file('volumes: ["/etc:/host:ro"]') })).toMatchObject({
      isDeployable: false,
      findings: [{ kind: 'approval', line: 2, text: expect.stringContaining('/etc') }],
    });
    expect(await check({ composeFile: 'services: [' })).toMatchObject({
      isSavable: false,
      findings: [{ kind: 'refusal', line: 1 }],
    });
    expect(
      await owner.mutate('compose.check', { composeFile: file('command: "${{project.WORD}}"') }),
    ).toMatchObject({ isSavable: true, findings: [{ kind: 'note', line: null }] });
    const stores = createStores(database);
    expect(await stores.composes.find({ composeId })).toMatchObject({ composeFile: harmless, env: '' });
    const entries = await tableStore(database, 'audit').list({});
    expect(JSON.stringify(entries)).not.toContain('compose.check');
  });
});
