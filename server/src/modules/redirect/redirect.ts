/** Redirects by regular expression on the domains of an application (decisions 5). */
import { AppError } from '../../domain/errors.ts';
import { checkRedirect } from '../../domain/routing/redirect.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { refuseLoops, type RedirectOrigin } from './redirect-loop.ts';
import type { RedirectRecord, RedirectStore } from './store.ts';

export type RedirectInput = Pick<RedirectRecord, 'regex' | 'replacement' | 'permanent'>;

export interface Redirects {
  /** BAD_REQUEST when the replacement names a group that the regular expression lacks, or makes a circle. */
  create(organizationId: string, applicationId: string, input: RedirectInput): Promise<RedirectRecord>;
  one(redirectId: string, organizationId: string): Promise<RedirectRecord>;
  /** Newest first. */
  byApplication(applicationId: string, organizationId: string): Promise<RedirectRecord[]>;
  update(
    redirectId: string,
    organizationId: string,
    patch: { [K in keyof RedirectInput]?: RedirectInput[K] | undefined },
  ): Promise<RedirectRecord>;
  remove(redirectId: string, organizationId: string): Promise<RedirectRecord>;
}

/** `originsOf` knows where an application answers. */
export function createRedirects(
  store: RedirectStore,
  clock: Clock,
  originsOf: (applicationId: string) => Promise<RedirectOrigin[]>,
): Redirects {
  /**
   * Throws BAD_REQUEST naming `field` when it leads in a circle with the others of its application, in their
   * order.
   */
  async function refuseCircles(record: RedirectRecord, field: 'regex' | 'replacement'): Promise<void> {
    const { applicationId, organizationId, redirectId } = record;
    const all = await store.list(
      { applicationId, organizationId },
      { by: ['createdAt', 'redirectId'], direction: 'asc' },
    );
    const others = all.map((each) => (each.redirectId === redirectId ? record : each));
    const rules = others.includes(record) ? others : [...others, record];
    refuseLoops(rules, await originsOf(applicationId), field);
  }

  async function one(redirectId: string, organizationId: string): Promise<RedirectRecord> {
    const record = await store.find({ redirectId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such redirect. It may have been removed.');
    return record;
  }

  return {
    one,
    async create(organizationId, applicationId, { regex, replacement, permanent }) {
      const record: RedirectRecord = {
        redirectId: randomId(),
        organizationId,
        applicationId,
        regex,
        replacement,
        permanent,
        createdAt: isoTime(clock),
      };
      checkRedirect(record);
      await refuseCircles(record, 'replacement');
      await store.insert(record);
      return record;
    },
    byApplication: (applicationId, organizationId) =>
      store.list({ applicationId, organizationId }, { by: ['createdAt', 'redirectId'], direction: 'desc' }),
    async update(redirectId, organizationId, patch) {
      const present = await one(redirectId, organizationId);
      const changed: RedirectRecord = {
        ...present,
        regex: patch.regex ?? present.regex,
        replacement: patch.replacement ?? present.replacement,
        permanent: patch.permanent ?? present.permanent,
      };
      checkRedirect(changed);
      await refuseCircles(changed, patch.replacement === undefined ? 'regex' : 'replacement');
      await store.update({ redirectId, organizationId }, changed);
      return changed;
    },
    async remove(redirectId, organizationId) {
      const present = await one(redirectId, organizationId);
      await store.remove({ redirectId, organizationId });
      return present;
    },
  };
}
