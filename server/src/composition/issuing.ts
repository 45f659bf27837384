/** Issuance joined with the proxy, the DNS and the log; it looks by itself each minute, and each hour at the whole store. */
import { setTimeout as wait } from 'node:timers/promises';
import { createDnsCheck } from '../modules/domain/dns-check.ts';
import { createIssuance, type Issuance } from '../modules/issuance/issuance.ts';
import type { SettingsService } from '../modules/settings/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Adapters } from './adapters.ts';
import type { Log } from './log.ts';
import type { Stores } from './stores.ts';

export interface Issuing {
  issuance: Issuance;
  stop(): void;
}

const lookMs = 60_000;
const keepMs = 3_600_000;
/** A proxy that told something while nobody listened tries again only after 10 s (Caddy's log writer), so what came until then is found in its store. */
const newsGapMs = 15_000;
/** A person waits for it; without an answer by then the authority is asked. */
const dnsLimitMs = 3_000;

export interface IssuingParts {
  stores: Stores;
  adapters: Adapters;
  settings: SettingsService;
  clock: Clock;
  log: Log;
  /** Lets the proxy follow. */
  changed(): void;
}

export function createIssuing({ stores, adapters, settings, clock, log, changed }: IssuingParts): Issuing {
  const dns = createDnsCheck({ names: adapters.names, settings: settings.get });
  const issuance = createIssuance({
    store: stores.issuance,
    clock,
    files: adapters.proxyStore,
    changed,
    warn: (sentence) => log.warn(sentence),
    whyNot: (host) => Promise.race([dns.whyNotHere(host), wait(dnsLimitMs, undefined, { ref: false })]),
  });
  const attempt = (work: () => Promise<unknown>, what: string): void =>
    void work().catch((error: unknown) => log.fault(error, what));
  const look = (): void => attempt(issuance.look, 'look at certificates');
  const keep = (): void => attempt(issuance.keep, 'copy of certificates');
  const timers = [setInterval(look, lookMs), setInterval(keep, keepMs), setTimeout(keep, newsGapMs)];
  keep();
  return {
    issuance,
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
