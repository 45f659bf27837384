/** A preview that a person asks for: made where there is none, deployed anew where there is one. */
import { AppError } from '../../../domain/errors.ts';
import type { CallContext } from '../../../procedure/context.ts';
import type { Queue } from '../../../ports/queue.ts';
import type { Accepting, Deployments } from '../../deployment/deployment.ts';
import type { PreviewFacts } from '../preview-deployment.ts';
import {
  calledPreview,
  previewedRef,
  type AnyPreview,
  type Made,
  type Previewed,
  type PreviewKind,
  type PreviewKinds,
} from '../previewed.ts';

export interface MakeOrRenewDeps {
  kinds: PreviewKinds;
  deployments: Pick<Deployments, 'all'>;
  queue: Pick<Queue, 'wake'>;
}

export interface WantedPreview {
  facts: PreviewFacts;
  accepting: Accepting;
  /** Inside the transaction, before anything is changed; refuses by throwing. */
  check?(): Promise<void>;
}

/** Resolves with the preview as it is once its deployment was accepted. */
export async function makeOrRenew(
  { kinds, deployments, queue }: MakeOrRenewDeps,
  context: CallContext,
  service: Previewed,
  wanted: WantedPreview,
): Promise<AnyPreview> {
  const { kind } = previewedRef(service);
  const previews = kinds[kind];
  const { facts, accepting } = wanted;
  const find = (): Promise<AnyPreview | undefined> => findBy(previews, service, facts);
  const present = await find();
  if (present) await renew(context, previews, service, { ...wanted, present });
  else
    await previews.create(service, facts, accepting, {
      write: context.write,
      isSuperseded: async () => {
        await wanted.check?.();
        await requireFree(previews, service, facts);
        return false;
      },
    });
  const made = await find();
  if (!made) throw new AppError('NOT_FOUND', `The ${calledPreview(facts)} was removed meanwhile.`);
  queue.wake();
  const [newest] = await deployments.all(previews.ref(made));
  if (newest) context.announce(newest.deploymentId);
  return made;
}

function findBy(
  previews: PreviewKind,
  service: Previewed,
  { number, name }: PreviewFacts,
): Promise<AnyPreview | undefined> {
  const { serviceId } = previewedRef(service);
  return name === null ? previews.ofPullRequest(serviceId, number ?? 0) : previews.ofName(serviceId, name);
}

/** As it is within the transaction: it may have been removed a moment ago. */
async function renew(
  { write }: CallContext,
  previews: PreviewKind,
  service: Previewed,
  { present, facts, accepting, check }: WantedPreview & { present: AnyPreview },
): Promise<void> {
  const again = async (): Promise<Made> => {
    await check?.();
    const found = await findBy(previews, service, facts);
    if (found?.previewDeploymentId !== present.previewDeploymentId)
      throw new AppError(
        'CONFLICT',
        `The ${calledPreview(facts)} of ${service.name} was removed at this moment. Call again to make it.`,
      );
    requireSameTrust(service, found, facts);
    await previews.renew(service, found, facts, accepting);
    return { previewDeploymentId: found.previewDeploymentId };
  };
  await write(again, { isPresent: true });
}

/**
 * A deployment that still waits would get the variables of the new one, and its volumes hold what the other
 * one wrote.
 */
function requireSameTrust({ name }: Previewed, present: AnyPreview, facts: PreviewFacts): void {
  const { isTrusted } = facts;
  if (present.isTrusted === isTrusted) return;
  const [has, wanted] = isTrusted ? ['without', 'with'] : ['with', 'without'];
  const way = facts.name === null ? 'Delete it first' : 'Give another name, or delete it first';
  throw new AppError(
    'CONFLICT',
    `The ${calledPreview(facts)} of ${name} runs ${has} the variables of previews, so it cannot become one ` +
      `${wanted} them. ${way} (previewDeployment.delete).`,
  );
}

/** Inside the transaction that makes it. */
async function requireFree(previews: PreviewKind, service: Previewed, facts: PreviewFacts): Promise<void> {
  if (await findBy(previews, service, facts))
    throw new AppError(
      'CONFLICT',
      `Another call made the ${calledPreview(facts)} of ${service.name} at this moment. Call again to ` +
        'deploy it.',
    );
  const count = await previews.countOf(previewedRef(service).serviceId);
  if (count >= service.previewLimit)
    throw new AppError(
      'CONFLICT',
      `${service.name} has ${count} previews, and previewLimit is ${service.previewLimit}. Delete one ` +
        '(previewDeployment.delete), or raise previewLimit.',
    );
}
