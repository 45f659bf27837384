/**
 * Certificates of ACME authorities: the state of each, when the authority is asked again, and a copy of all
 * of them in case the proxy's store is lost.
 */
import { explainFault, explainProblem } from '../../domain/certificates/acme-problem.ts';
import { AppError, sentenceOf } from '../../domain/errors.ts';
import type { FactEvent, TellFact } from '../../domain/states/fact.ts';
import type { CertificateNews, KeptFile, ProxyStore } from '../../ports/certificates/certificate-news.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import {
  authorityOf,
  certificatePath,
  folderOf,
  hostOf,
  issuedIn,
  type AskedAuthority,
  type IssuedCertificate,
} from './issued.ts';
import type { IssuanceRecord, IssuanceStore } from './store.ts';
import { oneAtATime } from '../../domain/time/one-at-a-time.ts';

export interface IssuanceNeighbours {
  store: IssuanceStore;
  clock: Clock;
  /** The store of the proxy. */
  files: ProxyStore;
  /** Why an authority could not reach this host; undefined when it can be asked. */
  whyNot(host: string): Promise<string | undefined>;
  /** Called when the proxy may ask for other hosts than before. */
  changed(): void;
  /** Called for certificates that are about to expire, and for news that could not be stored. */
  warn(sentence: string): void;
  /** Called for refusals of an authority, and for certificates that are about to expire. */
  tell?: TellFact;
}

export interface Issuance {
  /** The state of a host's certificate of this authority; undefined before it was asked. */
  of(host: string, asked: AskedAuthority): Promise<IssuanceRecord | undefined>;
  /** Hosts for which no authority may be asked at present. */
  withheld(): Promise<Set<string>>;
  /**
   * Checks that an authority could reach the host before the proxy asks for a certificate; forgets earlier
   * refusals, so that the authority is asked at once.
   */
  prepare(host: string): Promise<void>;
  /** Stores the news of the proxy, one after the other; calls `warn` for news that cannot be stored. */
  hear(news: CertificateNews): Promise<void>;
  /** Copies all files of the proxy's store into the database; resolves with the number of new ones. */
  keep(): Promise<number>;
  /** Restores files that the proxy's store has lost; resolves with their number. */
  putBack(): Promise<number>;
  /**
   * Forgets the account, so that the next order creates it again with its account binding of that time; its
   * certificates stay. On a server that cannot be reached its files are removed once the server answers
   * again.
   */
  forgetAccount(account: string): Promise<void>;
  /**
   * Checks hosts again that no authority could reach, forgets those that nobody needs any more, and warns of
   * certificates that are about to expire.
   */
  look(): Promise<void>;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Pauses after refusals, of which authorities allow few (Let's Encrypt: five an hour for a host). */
const retryMs = [10, 30, 60, 180, 360, 720, 1440].map((minutes) => minutes * minuteMs);
/** Pauses between checks of the DNS, which no authority counts. */
const lookMs = [1, 2, 5, 10].map((minutes) => minutes * minuteMs);

/** News of the proxy that wait to be stored. */
const mostWaiting = 1000;

export function createIssuance(neighbours: IssuanceNeighbours): Issuance {
  const { store, clock, files, warn } = neighbours;
  const { keepFiles, refused, lookAt } = createNotes(neighbours);
  const look = createLook(neighbours, lookAt);
  const inTurn = oneAtATime();
  let waiting = 0;
  const accounts = forgetting(files, store);

  return {
    look,
    async of(host, asked) {
      const authority = authorityOf(asked);
      const found = await store.find({ host });
      if (found?.authority === '' || found?.authority === authority) return found;
      // A certificate that this authority issued before the domain named another one is served again, and the
      // proxy sends no news of that.
      const kept = await store.file(certificatePath(asked, host));
      const [former] = kept === undefined ? [] : issuedIn([kept]);
      return former && former.expiresAt > clock.now()
        ? { ...nothingYet(host, clock), ...issuedRecord(former) }
        : undefined;
    },
    async withheld() {
      const refusals = await store.list({ status: 'failed' });
      return new Set(
        refusals
          .filter(({ authority, nextAt }) => authority === '' || nextAt > clock.now())
          .map(({ host }) => host),
      );
    },
    async prepare(host) {
      const present = await store.find({ host });
      if (present?.status === 'issued' && (present.expiresAt ?? 0) > clock.now()) return;
      if (await lookAt(host, 0)) await store.forget(host);
    },
    hear(news) {
      // A proxy may send news without end; `keep` finds in its files what was left out.
      if (waiting >= mostWaiting) return Promise.resolve();
      waiting += 1;
      const take = async (): Promise<void> =>
        news.kind === 'failed' ? refused(news) : void (await keepFiles(await files.files(news.host)));
      return inTurn(take)
        .catch((error: unknown) =>
          warn(
            `What the proxy reported about the certificate of ${news.host} could not be stored: ` +
              `${sentenceOf(error)}`,
          ),
        )
        .finally(() => (waiting -= 1));
    },
    async keep() {
      // First, because files that are still there would be copied again.
      await accounts.forgetOwed();
      return keepFiles(await files.files());
    },
    putBack: () => putBack(neighbours),
    async forgetAccount(account) {
      await store.forgetAccount(account, { certificates: false });
      await accounts.forget(account);
    },
  };
}

async function putBack({ store, clock, files }: IssuanceNeighbours): Promise<number> {
  const kept = (await store.filePaths()).filter(
    ({ expiresAt }) => expiresAt === null || expiresAt > clock.now(),
  );
  if (kept.length === 0) return 0;
  const present = await files.folders();
  const lost = kept.filter(({ path }) => !present.has(folderOf(path)));
  const found = await Promise.all(lost.map(({ path }) => store.file(path)));
  await files.putBack(found.filter((file) => file !== undefined));
  return lost.length;
}

/**
 * Forgets accounts on the disk of a server: at once, or when it can be reached again, even after a restart of
 * Berth.
 */
function forgetting(files: ProxyStore, store: IssuanceStore) {
  async function forgetOwed(): Promise<void> {
    for (const account of await store.owedAccounts()) {
      await files.forget(account, { certificates: false });
      await store.settleAccount(account);
    }
  }
  return {
    forgetOwed,
    async forget(account: string): Promise<void> {
      await store.oweAccount(account);
      await forgetOwed().catch((error: unknown) => {
        // The server cannot be reached, or its organization may no longer use its address.
        if (!(error instanceof AppError)) throw error;
        if (error.code !== 'SERVICE_UNAVAILABLE' && error.code !== 'PRECONDITION_FAILED') throw error;
      });
    },
  };
}

interface Notes {
  /** Resolves with the number of new files. */
  keepFiles(found: readonly KeptFile[]): Promise<number>;
  refused(news: CertificateNews & { kind: 'failed' }): Promise<void>;
  /** Whether an authority could reach the host; stores why not. */
  lookAt(host: string, attempts: number): Promise<boolean>;
}

function nothingYet(host: string, clock: Clock): IssuanceRecord {
  return {
    host,
    authority: '',
    status: 'failed',
    issuer: null,
    expiresAt: null,
    warnAt: null,
    error: null,
    attempts: 0,
    nextAt: 0,
    changedAt: isoTime(clock),
  };
}

/** The warning is due when a sixth of its lifetime is left; it should have been renewed at a third. */
function issuedRecord({ authority, issuer, notBefore, expiresAt }: IssuedCertificate) {
  return {
    authority,
    status: 'issued',
    issuer,
    expiresAt,
    warnAt: expiresAt - (expiresAt - notBefore) / 6,
  } as const;
}

/** Tells each organization that has the host. */
async function tellOwners(
  { store, tell }: Pick<IssuanceNeighbours, 'store' | 'tell'>,
  event: FactEvent,
  host: string,
  sentence: string,
): Promise<void> {
  if (!tell) return;
  for (const organizationId of await store.ownersOf(host))
    await tell({ event, organizationId, subject: { type: 'host', id: host, name: host }, sentence });
}

/** What is stored about each host. */
function createNotes(neighbours: IssuanceNeighbours): Notes {
  const { store, clock, whyNot } = neighbours;
  const record = (host: string, change: Partial<IssuanceRecord>): Promise<void> =>
    store.put({ ...nothingYet(host, clock), ...change });
  async function note(certificate: IssuedCertificate): Promise<void> {
    const { host, authority, notBefore, expiresAt } = certificate;
    const present = await store.find({ host });
    if (present?.status === 'issued' && present.expiresAt === expiresAt && present.authority === authority)
      return;
    // The refusal of an authority that the domain names now outweighs the certificate of the former one.
    if (
      present &&
      present.status === 'failed' &&
      present.authority !== authority &&
      Date.parse(present.changedAt) > notBefore
    )
      return;
    await record(host, issuedRecord(certificate));
  }

  return {
    async keepFiles(found) {
      const issued = issuedIn(found);
      const end = new Map(issued.map(({ folder, expiresAt }) => [folder, expiresAt]));
      const count = await store.keepFiles(
        found.map(({ path, content }) => ({
          path,
          content,
          host: hostOf(path) ?? null,
          expiresAt: end.get(folderOf(path)) ?? null,
        })),
      );
      for (const certificate of latest(issued)) await note(certificate);
      return count;
    },
    async refused({ host, authority, words, problem }) {
      const error = problem ? explainProblem(problem, host) : explainFault(words, host);
      const present = await store.find({ host });
      const attempts = (present?.authority === authority ? present.attempts : 0) + 1;
      const nextAt = clock.now() + (retryMs[attempts - 1] ?? dayMs);
      const stillServes =
        present?.status === 'issued' &&
        present.authority === authority &&
        (present.expiresAt ?? 0) > clock.now();
      await (stillServes
        ? store.put({ ...present, error, attempts, changedAt: isoTime(clock) })
        : record(host, { authority, error, attempts, nextAt }));
      if (attempts === 1 || present?.error !== error)
        await tellOwners(neighbours, 'certificateFailed', host, error);
    },
    async lookAt(host, attempts) {
      const error = await whyNot(host);
      if (error === undefined) return true;
      await record(host, {
        error,
        attempts: attempts + 1,
        nextAt: clock.now() + (lookMs[attempts] ?? lookMs.at(-1) ?? minuteMs),
      });
      return false;
    },
  };
}

function createLook(neighbours: IssuanceNeighbours, lookAt: Notes['lookAt']): Issuance['look'] {
  const { store, clock, files, changed, warn } = neighbours;
  const warned = new Map<string, number>();
  /** Resolves with whether the proxy may ask now. */
  async function lookAgain({ host, attempts, nextAt }: IssuanceRecord): Promise<boolean> {
    if (nextAt > clock.now() || !(await lookAt(host, attempts))) return false;
    await store.forget(host);
    return true;
  }
  async function warnOfEnd({ host, expiresAt, warnAt, error }: IssuanceRecord): Promise<void> {
    const now = clock.now();
    if (warnAt === null || warnAt > now || (warned.get(host) ?? 0) + dayMs > now) return;
    warned.set(host, now);
    const sentence = endSentence(host, expiresAt, error, now);
    warn(sentence);
    await tellOwners(neighbours, 'certificateExpiring', host, sentence);
  }

  /**
   * Forgets accounts of resolvers that were removed. A resolver exists before its account, so the accounts
   * are read first: one without a resolver afterwards is left over.
   */
  async function forgetAccounts(): Promise<void> {
    const found = new Set([...(await files.accounts()), ...(await store.accounts())]);
    if (found.size === 0) return;
    const wanted = new Set(await store.wantedAccounts());
    for (const account of [...found].filter((each) => !wanted.has(each))) {
      await store.forgetAccount(account, { certificates: true });
      await files.forget(account, { certificates: true });
    }
  }

  return async () => {
    const wanted = new Set(await store.wantedHosts());
    let isChanged = false;
    for (const record of await store.list({})) {
      if (!wanted.has(record.host)) {
        if (record.status === 'failed') await store.forget(record.host);
      } else if (record.status === 'issued') await warnOfEnd(record);
      else if (record.authority === '') isChanged = (await lookAgain(record)) || isChanged;
    }
    await store.forgetFiles(clock.now() - 14 * dayMs);
    await forgetAccounts();
    if (isChanged) changed();
  };
}

/** For each host, the certificate that is valid longest of those that several authorities issued. */
function latest(issued: readonly IssuedCertificate[]): IssuedCertificate[] {
  return [
    ...new Map(
      issued
        .toSorted((left, right) => left.expiresAt - right.expiresAt)
        .map((certificate) => [certificate.host, certificate]),
    ).values(),
  ];
}

/** The warning about a certificate that should have been renewed by now. */
export function endSentence(
  host: string,
  expiresAt: number | null,
  error: string | null,
  now: number,
): string {
  const day = new Date(expiresAt ?? 0).toISOString();
  const what =
    (expiresAt ?? 0) <= now
      ? `The certificate of ${host} ended at ${day}`
      : `The certificate of ${host} ends at ${day} and has not been renewed yet`;
  return (
    `${what}. ` +
    `${error ?? 'The authority is asked again automatically; check that the proxy can reach it.'}`
  );
}
