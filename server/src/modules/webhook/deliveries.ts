/** Deliveries as a person sees them, and judged again. */
import { AppError } from '../../domain/errors.ts';
import { isGitProvider } from '../../domain/git/git-host.ts';
import { randomId } from '../../ports/clock.ts';
import type { DeploymentStarter } from '../../domain/states/lifecycle.ts';
import { composeHooked, hookedApplication, requireAutoDeploy, type Hooked } from './hooked.ts';
import { firstQueued, type Outcomes } from './outcomes.ts';
import type { ReceiptRecord, ReceiptStore } from './store.ts';
import type { Receipts } from './receipts.ts';

export type ShownDelivery = Omit<ReceiptRecord, 'organizationId' | 'events' | 'source' | 'sequence'> & {
  canReplay: boolean;
};

export interface Deliveries {
  /** Newest first. */
  all(
    owner: { applicationId?: string | null | undefined; composeId?: string | null | undefined },
    organizationId: string,
  ): Promise<ShownDelivery[]>;
  one(webhookDeliveryId: string, organizationId: string): Promise<ShownDelivery>;
  /** PRECONDITION_FAILED for one whose events were not kept, or that the service does not take now. */
  replay(
    webhookDeliveryId: string,
    by: { organizationId: string; ip: string; startedBy: DeploymentStarter },
  ): Promise<ShownDelivery>;
}

export function createDeliveries(
  store: ReceiptStore,
  { once, carryOut }: Outcomes,
  receipts: Receipts,
): Deliveries {
  const found = async (webhookDeliveryId: string, organizationId: string): Promise<ReceiptRecord> => {
    const record = await store.find({ webhookDeliveryId, organizationId });
    if (record) return record;
    throw new AppError('NOT_FOUND', 'There is no such delivery. The last hundred of a service are kept.');
  };
  return {
    async all({ applicationId, composeId }, organizationId) {
      const owner = applicationId ? { applicationId } : { composeId: composeId ?? '' };
      const order = { by: ['sequence' as const], direction: 'desc' as const };
      return (await store.list({ ...owner, organizationId }, order)).map(shown);
    },
    one: async (webhookDeliveryId, organizationId) => shown(await found(webhookDeliveryId, organizationId)),
    async replay(webhookDeliveryId, { organizationId, ip, startedBy }) {
      const former = await found(webhookDeliveryId, organizationId);
      const { events, source } = former;
      if (events === null)
        throw new AppError(
          'PRECONDITION_FAILED',
          'What this delivery contained was not kept: it was refused before it was read, or is larger than ' +
            '64 KiB. Send it again from the git host, or deploy by hand.',
        );
      const hooked = await hookedOf(store, former);
      if (events.some(({ kind }) => kind === 'push')) asState(() => requireAutoDeploy(hooked));
      const provider =
        former.provider !== null && isGitProvider(former.provider) ? former.provider : undefined;
      const receipt = {
        webhookDeliveryId: randomId(),
        hooked,
        provider,
        hostDeliveryId: former.hostDeliveryId ?? undefined,
        events,
        source,
        replayOf: webhookDeliveryId,
      };
      const noted: ReceiptRecord[] = [];
      await once({ key: undefined, receipt, noted: (record) => noted.push(record) }, () =>
        firstQueued(events, (event) =>
          carryOut(hooked, provider, event, {
            ip,
            source,
            startedBy,
            webhookDeliveryId: receipt.webhookDeliveryId,
          }),
        ),
      );
      await receipts.prune(hooked);
      const [record] = noted;
      if (!record) throw new AppError('PRECONDITION_FAILED', 'A ping has nothing to process again.');
      return shown(record);
    },
  };
}

async function hookedOf(store: ReceiptStore, { applicationId, composeId }: ReceiptRecord): Promise<Hooked> {
  const application = applicationId === null ? undefined : await store.application(applicationId);
  if (application) return hookedApplication(application);
  const compose = composeId === null ? undefined : await store.compose(composeId);
  if (compose) return composeHooked(compose);
  throw new AppError('NOT_FOUND', 'The service of this delivery no longer exists.');
}

/** What a git host is told as a bad request is a rule of state for a person. */
function asState(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError('PRECONDITION_FAILED', error.message, { cause: error });
  }
}

function shown(record: ReceiptRecord): ShownDelivery {
  const { organizationId: _own, events, source: _source, sequence: _sequence, ...rest } = record;
  return { ...rest, canReplay: events !== null };
}
