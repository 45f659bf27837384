/** What a scheduled command is made of: the live release of its service. */
import type { ApplicationRecord, ComposeRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { ScheduleRecord } from './store.ts';
import { notDeployedYet } from '../../domain/not-deployed.ts';

export interface ReleasePorts {
  application(applicationId: string): Promise<ApplicationRecord | undefined>;
  compose(composeId: string): Promise<ComposeRecord | undefined>;
  liveSpec(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  liveServices(compose: ComposeRecord): Promise<{ service: string; spec: ServiceSpec }[]>;
}

export interface LiveRelease {
  /** The record of the service; NOT_FOUND when it is gone. */
  service(owner: Owner): Promise<{ serverId: string | null }>;
  /** PRECONDITION_FAILED when nothing of it is released. */
  spec(schedule: ScheduleRecord): Promise<ServiceSpec>;
}

interface Owner {
  applicationId?: string | null | undefined;
  composeId?: string | null | undefined;
}

export function liveReleaseOf({ application, compose, liveSpec, liveServices }: ReleasePorts): LiveRelease {
  const foundApplication = async (id: string): Promise<ApplicationRecord> => present(await application(id));
  const foundCompose = async (id: string): Promise<ComposeRecord> => present(await compose(id));
  return {
    service: async ({ applicationId, composeId }) =>
      applicationId ? foundApplication(applicationId) : foundCompose(composeId ?? ''),
    async spec({ applicationId, composeId, serviceName }) {
      if (applicationId !== null) {
        const record = await foundApplication(applicationId);
        return released(await liveSpec(record), record.name);
      }
      const record = await foundCompose(composeId ?? '');
      const services = await liveServices(record);
      if (services.length === 0) return released(undefined, record.name);
      const named = services.find(({ service }) => service === serviceName);
      if (named) return named.spec;
      throw new AppError(
        'PRECONDITION_FAILED',
        `${record.name} has no service ${serviceName ?? ''}; there are ` +
          `${services.map(({ service }) => service).join(', ')}.`,
      );
    },
  };
}

function present<T>(record: T | undefined): T {
  if (record === undefined) throw new AppError('NOT_FOUND', 'The service of this schedule no longer exists.');
  return record;
}

function released(spec: ServiceSpec | undefined, name: string): ServiceSpec {
  if (spec) return spec;
  throw notDeployedYet(name);
}
