/** Hetzner, whose zones are part of the Cloud API. */
import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import { zoneValue, type ZoneRecord } from '../../../domain/dns/zone.ts';
import { bearer, defineKind, firstZone, nameInZone, recordsOfSets, token, type ProviderWay } from './kind.ts';

const api = 'https://api.hetzner.cloud/v1';
const shownZone = z.object({ zone: z.object({ id: z.number(), name: z.string() }) });
const rrsets = z.object({
  rrsets: z.array(z.object({ type: z.string(), records: z.array(z.object({ value: z.string() })) })),
});
const action = z.object({ action: z.object({ id: z.number(), status: z.string() }) });

export const hetzner = defineKind({
  label: 'Hetzner',
  rights:
    'A token of the Cloud project that has the zones, with read and write; a project may hold zones alone',
  source: 'https://docs.hetzner.cloud/reference/cloud#zone-rrset-actions',
  fields: { apiToken: token().describe('API token of the project; never shown') },
  secrets: ['apiToken'],
  example: { apiToken: 'a-token-of-its-own' },
  origin: () => api,
  connect({ apiToken }, way) {
    const headers = bearer(apiToken);
    const change = async (record: ZoneRecord, what: string): Promise<void> => {
      const [zone, name] = [record.zone.id, nameInZone(record)].map(encodeURIComponent);
      const url = `${api}/zones/${zone}/rrsets/${name}/${record.type}/actions/${what}`;
      const body = { records: [{ value: zoneValue(record) }] };
      const absent = what === 'remove_records' ? [404] : [];
      const begun = await way.ask(action, { method: 'POST', url, headers, body, absent });
      if (begun) await ended(way, headers, begun.action);
    };
    return {
      find: (candidates) =>
        firstZone(candidates, async (name) => {
          const url = `${api}/zones/${encodeURIComponent(name)}`;
          const found = await way.ask(shownZone, { method: 'GET', url, headers, absent: [404, 422] });
          return found && { id: String(found.zone.id), name: found.zone.name };
        }),
      async read(place) {
        const [zone, name] = [place.zone.id, nameInZone(place)].map(encodeURIComponent);
        const url = `${api}/zones/${zone}/rrsets?per_page=50&name=${name}`;
        const found = await way.ask(rrsets, { method: 'GET', url, headers });
        return recordsOfSets(
          (found?.rrsets ?? []).map(({ type, records }) => ({
            type,
            values: records.map(({ value }) => value),
          })),
        );
      },
      add: (record) => change(record, 'add_records'),
      remove: (record) => change(record, 'remove_records'),
    };
  },
});

const mostLooks = 60;

/** A change goes on after its answer. */
async function ended(
  way: ProviderWay,
  headers: Record<string, string>,
  { id, status }: { id: number; status: string },
): Promise<void> {
  let present = status;
  for (let looks = 0; present === 'running' && looks < mostLooks; looks += 1) {
    await way.pause(500);
    const found = await way.ask(action, { method: 'GET', url: `${api}/actions/${id}`, headers });
    present = found?.action.status ?? 'error';
  }
  if (present === 'success') return;
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    `Hetzner did not carry the change of the zone out (${present}). It is tried again automatically.`,
  );
}
