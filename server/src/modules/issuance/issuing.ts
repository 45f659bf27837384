/**
 * Issuance on each server joined with its proxy, the DNS and the log; it looks by itself each minute, and
 * each hour at the whole store.
 */
import { AppError } from '../../domain/errors.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { TellFact } from '../../domain/states/fact.ts';
import { createIssuance, type Issuance } from './issuance.ts';
import type { ProxyStore } from '../../ports/certificates/certificate-news.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IssuanceStore } from './store.ts';

export interface Issuing {
  begin(serverKey: string, files: ProxyStore): Issuance;
  issuanceOf(serverKey: string): Issuance;
  /** On every server: the next order of this account makes it anew. */
  forgetAccount(account: string): Promise<void>;
  stop(): void;
}

const lookMs = 60_000;
const keepMs = 3_600_000;
/**
 * A proxy that told something while nobody listened tries again only after 10 s (Caddy's log writer), so what
 * came until then is found in its store.
 */
const newsGapMs = 15_000;
/** A person waits for it; without an answer by then the authority is asked. */
const dnsLimitMs = 3_000;

const absentStore: ProxyStore = {
  files: async () => [],
  folders: async () => new Set(),
  putBack: async () => undefined,
  accounts: async () => [],
  forget: async () => undefined,
};

export interface IssuingParts {
  stores: { issuance(serverKey: string): IssuanceStore };
  clock: Clock;
  log: { warn(sentence: string): void; fault(error: unknown, where: string): unknown };
  /** Why the host does not lead to the server; undefined when it does, or when nobody can tell. */
  whyNotHere(host: string, serverKey: string): Promise<string | undefined>;
  tell: TellFact;
  /** Lets the proxy of the server follow. */
  changed(serverKey: string): void;
}

export function createIssuing({ stores, clock, log, whyNotHere, tell, changed }: IssuingParts): Issuing {
  const watched = new Map<string, Issuance>();
  const timers: NodeJS.Timeout[] = [];

  function issuanceOn(serverKey: string, files: ProxyStore): Issuance {
    return createIssuance({
      store: stores.issuance(serverKey),
      clock,
      files,
      changed: () => changed(serverKey),
      warn: (sentence) => log.warn(sentence),
      tell,
      whyNot: async (host) =>
        Promise.race([whyNotHere(host, serverKey), wait(dnsLimitMs, undefined, { ref: false })]),
    });
  }
  const attempt = (work: () => Promise<unknown>, what: string): void =>
    void work().catch((error: unknown) => {
      // The store of a server that cannot be reached is looked at the next time.
      if (!(error instanceof AppError)) log.fault(error, what);
    });
  return {
    begin(serverKey, files) {
      const issuance = issuanceOn(serverKey, files);
      watched.set(serverKey, issuance);
      const look = (): void => attempt(issuance.look, 'look at certificates');
      const keep = (): void => attempt(issuance.keep, 'copy of certificates');
      timers.push(setInterval(look, lookMs), setInterval(keep, keepMs), setTimeout(keep, newsGapMs));
      keep();
      return issuance;
    },
    // Of a server without a proxy there are the records alone.
    issuanceOf: (serverKey) => watched.get(serverKey) ?? issuanceOn(serverKey, absentStore),
    async forgetAccount(account) {
      for (const issuance of watched.values()) await issuance.forgetAccount(account);
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
