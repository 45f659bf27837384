/** The lists of a service of the family's: domains, mounts, ports, redirects, backups, schedules. */
import type { DatabaseKindName } from '../../server/src/domain/database-kind.ts';
import { arrayOf, asSet, entryFields } from '../file/installed.ts';
import { canonical, listRows, type Fields, type ListRow } from '../file/kinds.ts';
import { textOf } from './imported.ts';

export interface ImportedLists {
  kind: 'application' | 'compose' | DatabaseKindName;
  /** What the service stands under in the file. */
  key: string;
  /** Destination of this Berth that backups go to; absent: they are left out. */
  destination: string | undefined;
  /** Takes what could not be taken. */
  notes: string[];
}

export function listsOf(service: ImportedLists, record: Fields): Fields {
  const lists: Record<string, Fields[]> = {};
  for (const row of listRows) {
    const present = arrayOf(record[row.list]);
    if (present.length > 0 && !hasList(service.kind, row.list)) {
      service.notes.push(`${service.key}: ${present.length} of ${row.list} were left out.`);
      continue;
    }
    const entries = present.flatMap((entry) => entryOf(service, row, entry));
    if (entries.length > 0) lists[row.list] = entries;
  }
  return lists;
}

/** As berth.yml has them. */
function hasList(kind: ImportedLists['kind'], list: string): boolean {
  if (list === 'mounts') return true;
  if (kind === 'application') return list !== 'backups';
  if (kind === 'compose') return list === 'domains' || list === 'schedules';
  return list === 'backups';
}

/** What an entry of one of the lists is here; none where it is left out, which is noted. */
const taken: Readonly<Record<string, (service: ImportedLists, entry: Fields) => readonly Fields[]>> = {
  backups({ key, destination, notes }, entry) {
    if (destination !== undefined) return [{ ...entry, destinationId: destination }];
    notes.push(`${key}: the backup ${textOf(entry['schedule'])} was left out; --destination NAME takes it.`);
    return [];
  },
  mounts({ key, notes }, entry) {
    if (entry['type'] !== 'bind') return [entry];
    notes.push(`${key}: the folder ${textOf(entry['hostPath'])} of the server was left out.`);
    return [];
  },
  domains({ key, notes }, entry) {
    for (const field of ['customEntrypoint', 'middlewares', 'forwardAuthEnabled'])
      if (entry[field] && canonical(entry[field]) !== 'null')
        notes.push(`${key}: ${field} of ${textOf(entry['host'])} was left out.`);
    return [{ ...entry, port: asSet('domains', 'port', entry) }];
  },
  schedules: ({ key, notes }, entry) => {
    // One of ours, by the same words.
    if (entry['cron'] !== undefined) return [entry];
    const name = textOf(entry['name']);
    if (textOf(entry['script']) !== '') {
      notes.push(`${key}: the script of the schedule ${name} was left out; put it into the image.`);
      return [];
    }
    const shell = entry['shellType'] === 'sh' ? 'sh' : 'bash';
    return [
      {
        ...entry,
        cron: entry['cronExpression'],
        timeZone: entry['timezone'],
        command: [shell, '-c', textOf(entry['command'])],
      },
    ];
  },
};

function entryOf(service: ImportedLists, row: ListRow, entry: Fields): Fields[] {
  return (taken[row.list]?.(service, entry) ?? [entry]).map((one) =>
    Object.fromEntries(
      (entryFields[row.list] ?? []).flatMap((field) => {
        if (field === 'serviceName' && service.kind !== 'compose') return [];
        const value = one[field];
        const isUsual =
          value === undefined ||
          canonical(value) === canonical(row.usual[field] ?? null) ||
          (field === 'certificateType' && one['https'] !== true);
        return isUsual || value === null ? [] : [[field, value]];
      }),
    ),
  );
}
