import { notYet } from '../../domain/errors.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { DomainRecord } from '../../db/tables.ts';
import type { Mount } from '../mount/mount.ts';
import type { Members } from '../organization/member.ts';
import type { EnvironmentOfService } from '../service/service.ts';
import { requireSource, servicesOf, type ComposeInput, type Composes } from './compose.ts';
import type { composeContract } from './contract.ts';
import { composeSourceTypes } from './record.ts';
import type { ComposeRecord } from './store.ts';

export interface ComposeDesk {
  composes: Composes;
  members: Members;
  /** BAD_REQUEST when a new service needs a server of its own and names none. */
  requireServer(serverId: string | null | undefined): Promise<void>;
  environment(environmentId: string): Promise<EnvironmentOfService>;
  domains(composeId: string, organizationId: string): Promise<DomainRecord[]>;
  mounts(composeId: string, organizationId: string): Promise<Mount[]>;
  changeRoutes: ChangeRoutes;
}

const running = 'Running compose services';

export function composeHandlers(desk: ComposeDesk): Handlers<typeof composeContract, CallContext> {
  const { composes, members } = desk;
  const found = ({ actor }: CallContext, { composeId }: { composeId: string }): Promise<ComposeRecord> => composes.one(composeId, actor.organizationId);
  const save = async ({ actor, write }: CallContext, { composeId, ...input }: ComposeInput & { composeId: string }): Promise<Shown> => shown(await write(() => composes.update(composeId, actor, input)));
  const later = async (): Promise<never> => {
    throw notYet(running);
  };
  const deployLater = async (context: CallContext, input: { composeId: string }): Promise<never> => {
    requireSource(await found(context, input));
    throw notYet(running);
  };
  return {
    async create({ actor, write }, input) {
      await desk.requireServer(input.serverId);
      return write(async () => {
        const compose = await composes.create(actor, input);
        await members.grantCreated(actor, 'accessedServices', compose.composeId);
        return shown(compose);
      });
    },
    async one(context, input) {
      const compose = await found(context, input);
      const { composeId, organizationId, environmentId } = compose;
      const [environment, domains, mounts] = await Promise.all([desk.environment(environmentId), desk.domains(composeId, organizationId), desk.mounts(composeId, organizationId)]);
      return { ...shown(compose), environment, domains, mounts };
    },
    update: save,
    saveEnvironment: save,
    refreshToken: async ({ actor, write }, { composeId }) => shown(await write(() => composes.refreshToken(composeId, actor.organizationId))),
    move: async ({ actor, write }, { composeId, targetEnvironmentId }) => shown(await write(() => composes.move(composeId, actor.organizationId, targetEnvironmentId))),
    async loadServices(context, { composeId, ...page }) {
      const compose = await found(context, { composeId });
      if (compose.sourceType !== 'raw') throw notYet('Reading compose files of repositories');
      return paginate(await servicesOf(compose), page, (name) => name);
    },
    deploy: deployLater,
    redeploy: deployLater,
    start: later,
    stop: later,
    killBuild: later,
    readLogs: later,
    // Nothing is ever queued before deployments of compose services come.
    cleanQueues: async (context, input) => shown(await found(context, input)),
    async delete(context, input) {
      const { composeId, organizationId, releasedAppName } = await found(context, input);
      if (releasedAppName !== null) throw notYet(running);
      const remove = (): Promise<ComposeRecord> => composes.remove(composeId, organizationId);
      const hasDomains = (await desk.domains(composeId, organizationId)).length > 0;
      return shown(await (hasDomains ? desk.changeRoutes(context.write, remove) : context.write(remove)));
    },
  };
}

type Shown = Omit<ComposeRecord, 'sourceType' | 'triggerType'> & { sourceType: (typeof composeSourceTypes)[number]; triggerType: 'push' | 'tag' };

/** Only known types are ever stored. */
function shown(compose: ComposeRecord): Shown {
  return { ...compose, sourceType: composeSourceTypes.find((type) => type === compose.sourceType) ?? 'raw', triggerType: compose.triggerType === 'tag' ? 'tag' : 'push' };
}
