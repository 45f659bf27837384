/** The service that runs an application: found by its name and owner, its output, its end. */
import type { ApplicationRecord } from '../../db/tables.ts';
import type { Engine, LogLine, ServiceState } from '../../ports/engine.ts';

export interface ServiceOutput {
  readLogs(application: ApplicationRecord, options: { tail: number; since?: string | undefined; search?: string | undefined }): Promise<LogLine[]>;
  followLogs(application: ApplicationRecord, options: { tail: number; since?: string | undefined; signal: AbortSignal }): AsyncIterable<LogLine>;
}

/** Lines looked through for a search. */
const searchedLines = 10_000;

/** The name it runs under: that of its last release. */
export const nameOf = (application: ApplicationRecord): string => application.releasedAppName ?? application.appName;

/** The application's own service; another's under the same name is none of its business. */
export async function ownService(engine: Engine, application: ApplicationRecord): Promise<ServiceState | undefined> {
  const service = await engine.service(nameOf(application));
  return service?.labels['berth.application'] === application.applicationId ? service : undefined;
}

export function serviceOutput(engine: Engine): ServiceOutput {
  return {
    async readLogs(application, { tail, since, search }) {
      if (!(await ownService(engine, application))) return [];
      const lines: LogLine[] = [];
      for await (const line of engine.serviceLogs(nameOf(application), { tail: search === undefined ? tail : searchedLines, since, follow: false })) {
        if (search === undefined || line.text.includes(search)) lines.push(line);
      }
      return lines.slice(-tail);
    },
    async *followLogs(application, { tail, since, signal }) {
      if (await ownService(engine, application)) yield* engine.serviceLogs(nameOf(application), { tail, since, follow: true, signal });
    },
  };
}

/** Removes its services under any name, its images and, when asked, its volumes; gives the volumes that stay. */
export async function removeFromEngine(engine: Engine, { applicationId }: ApplicationRecord, { deleteVolumes }: { deleteVolumes: boolean }): Promise<string[]> {
  const mine = `berth.application=${applicationId}`;
  for (const service of await engine.services()) {
    if (service.labels['berth.application'] === applicationId) await engine.removeService(service.name);
  }
  for (const image of await engine.images(mine)) {
    for (const tag of image.tags) await engine.removeImage(tag);
  }
  const volumes = await engine.volumes(mine);
  if (!deleteVolumes) return volumes;
  for (const volume of volumes) await engine.removeVolume(volume);
  return [];
}
