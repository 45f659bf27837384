/** `berth backup coverage`: which data is backed up, and what is lacking. */
import { ago } from '../../look.ts';
import { itemsOf } from '../parts/context.ts';
import { listWord } from '../parts/rows.ts';
import { allServices, isDatabase, nameOf } from '../parts/services.ts';
import type { Word } from '../parts/word.ts';

const lackWords = {
  backup: 'no backup',
  goodBackup: 'no good backup yet',
  trial: 'never restored on trial',
  recovery: 'no recovery to any moment',
  key: 'encrypted, no key here',
} as const;

export const backupCoverageWord: Word = listWord({
  name: 'backup coverage',
  summary: 'lists databases and volumes with what their backups lack, those that lack most first',
  procedure: 'backup.coverage',
  more: ['project.all'],
  async read(client) {
    const services = new Map((await allServices(client)).map((service) => [service.id, service]));
    const rows = itemsOf(await client.backup.coverage());
    return rows.map((row) => ({ ...row, service: services.get(row.serviceId) }));
  },
  columns: (context) => [
    { title: 'service', value: ({ service, name }) => (service ? nameOf(service) : name) },
    { title: 'volume', value: ({ volumeName }) => volumeName ?? '', spare: 3 },
    {
      title: 'lacking',
      value: ({ lacking }) => lacking.map((lack) => lackWords[lack]).join(', ') || 'nothing',
    },
    {
      title: 'encrypted',
      value: ({ encrypted }) => (encrypted === null ? '' : encrypted ? 'yes' : 'no'),
      spare: 1,
    },
    {
      title: 'newest good',
      value: ({ lastGoodAt }) => (lastGoodAt === null ? 'none' : ago(lastGoodAt, context.terminal.now())),
    },
    {
      title: 'mend',
      value: ({ lacking, service }) =>
        service === undefined || !isDatabase(service) || !lacking.includes('recovery')
          ? ''
          : `berth db recovery ${nameOf(service)} --to DESTINATION`,
      spare: 2,
    },
  ],
  none: 'There is no database and no volume yet.',
});
