/**
 * The question to the service itself, asked within its own container, by the program of the health probe: it
 * reaches nothing but what the service reaches anyway, needs no network of Berth, and no sign-in in front of
 * the service is in the way.
 */
import { AppError } from '../../domain/errors.ts';
import { askedAbout } from '../../domain/routing/asked-path.ts';
import type { Answer } from './questions.ts';
import type { DomainRecord } from '../../db/tables.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import { runningContainer } from '../database/ask-server.ts';

/** As long as a service may think; the proxy waits for 10 s in all. */
const answerSeconds = 4;
const limitMs = (answerSeconds + 2) * 1000;

export interface AskServiceParts<Routed extends Pick<DomainRecord, 'domainId'>> {
  engineOf(serverKey: string): Promise<Pick<Engine, 'tasks' | 'exec'>>;
  /** Every domain of the server with the service that it leads to. */
  routed(serverKey: string): Promise<Routed[]>;
  /** Name in the engine of what the domain leads to; null: nothing was released. */
  leadsTo(domain: Routed): string | null;
  /** The probe's program in every container. */
  busybox: string;
}

/**
 * The first status decides; a redirect is no yes. Debian 12's busybox crashes on `wget -T`, so `timeout` sets
 * the limit. What a person chose comes in as an argument.
 */
const script = `B=$1
answer=$($B timeout ${answerSeconds} $B wget -S -q -O /dev/null --header "Host: $3" -- "$2" 2>&1)
case $answer in
*HTTP/*)
status=\${answer#*HTTP/} status=\${status#* }
echo \${status%%[!0-9]*} ;;
*) echo silent ;;
esac`;

export function createAskService<Routed extends Pick<DomainRecord, 'domainId'>>({
  engineOf,
  routed,
  leadsTo,
  busybox,
}: AskServiceParts<Routed>) {
  return async (domain: DomainRecord, host: string): Promise<Answer> => {
    const found = (await routed(domain.serverKey)).find(({ domainId }) => domainId === domain.domainId);
    const service = found ? leadsTo(found) : null;
    if (service === null) throw silent(domain, 'nothing was deployed yet');
    const engine = await engineOf(domain.serverKey);
    const url = `http://127.0.0.1:${domain.port}${askedAbout(domain.allowOnDemand ?? '/', host)}`;
    const { stdout } = await engine.exec(await runningContainer(engine, service), {
      argv: [busybox, 'sh', '-c', script, 'ask', busybox, url, domain.asciiHost],
      env: {},
      signal: AbortSignal.timeout(limitMs),
      limitMs,
    });
    const status = stdout.trim();
    if (!/^\d{3}$/.test(status)) throw silent(domain, `no answer within ${answerSeconds} s`);
    const isRedirect = status.startsWith('3') ? ', and a redirect is no yes' : '';
    return { isYes: status.startsWith('2'), said: `${domain.allowOnDemand} answered ${status}${isRedirect}` };
  };
}

const silent = ({ host, allowOnDemand }: DomainRecord, why: string): AppError =>
  new AppError('SERVICE_UNAVAILABLE', `The service of ${host} was not asked at ${allowOnDemand}: ${why}.`);
