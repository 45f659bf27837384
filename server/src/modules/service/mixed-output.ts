/** The output of services of any kind together: each line with the name of its service, first by time. */
import { composeServiceLabel } from '../../domain/names/labels.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { ownerOfLabels, serviceKey } from '../../domain/names/service-ref.ts';
import { earlierLeftOut, newestLines } from '../../domain/text/line-limits.ts';
import type { Engine, LogLine } from '../../ports/engine/engine.ts';
import { woven, type ServiceOutput } from './output-events.ts';
import { refOfService } from './record-lists.ts';
import type { PlacedService } from './service.ts';

type AskedEngine = Pick<Engine, 'services' | 'serviceLogs'>;

export interface MixingParts {
  /** Undefined for a server that was never connected: nothing runs there. */
  engineOf(serverKey: string): Promise<AskedEngine | undefined>;
  /** Bytes of output in one answer. */
  logAnswerBytes(): Promise<number>;
}

interface MixedLine extends LogLine {
  serviceName: string;
}

/** A service as its engine has it. */
interface Member {
  engine: AskedEngine;
  name: string;
  /** As lines name it: a compose service's by both of its names. */
  shown: string;
}

/** Of these services the newest `tail` lines each. */
export function mixedOutput(
  parts: MixingParts,
  services: readonly PlacedService[],
  tail: number,
): ServiceOutput {
  const read = async (members: readonly Member[], since: string | undefined): Promise<MixedLine[]> =>
    readAll(members, { tail, since, bytes: await parts.logAnswerBytes() });
  return {
    read: async ({ since }) => read(await membersOf(parts, services), since),
    async *follow({ since, signal }) {
      const members = await membersOf(parts, services);
      const last = new Map<string, string>();
      for (const line of await read(members, since)) {
        last.set(line.serviceName, line.at);
        yield line;
      }
      yield* woven(members.map((member) => followOne(member, last.get(member.shown) ?? since, signal)));
    },
  };
}

/** SERVICE_UNAVAILABLE when an engine does not answer. */
async function membersOf(parts: MixingParts, services: readonly PlacedService[]): Promise<Member[]> {
  const released = services.filter(({ liveDeploymentId }) => liveDeploymentId !== null);
  const found = await Promise.all(
    [...Map.groupBy(released, serverKeyOf)].map(async ([serverKey, placed]) => {
      const engine = await parts.engineOf(serverKey);
      const names = new Map(placed.map((service) => [serviceKey(refOfService(service)), service.name]));
      return engine ? membersOn(engine, names) : [];
    }),
  );
  return found.flat();
}

async function membersOn(engine: AskedEngine, names: ReadonlyMap<string, string>): Promise<Member[]> {
  return (await engine.services()).flatMap(({ name, labels }) => {
    const owner = ownerOfLabels(labels);
    const own = owner && names.get(serviceKey(owner));
    if (own === undefined) return [];
    const inFile = labels[composeServiceLabel];
    return { engine, name, shown: inFile === undefined ? own : `${own}/${inFile}` };
  });
}

async function readAll(
  members: readonly Member[],
  { tail, since, bytes }: { tail: number; since: string | undefined; bytes: number },
): Promise<MixedLine[]> {
  const newest = newestLines<MixedLine>({ lines: tail * members.length, bytes });
  await Promise.all(
    members.map(async ({ engine, name, shown }) => {
      for await (const line of engine.serviceLogs(name, { tail, since }))
        newest.add({ ...line, serviceName: shown });
    }),
  );
  const { lines, leftOut } = newest.result();
  const [first] = lines;
  if (leftOut > 0 && first) lines.unshift({ ...first, text: earlierLeftOut(leftOut, bytes) });
  return lines;
}

/** Of one that has written nothing yet everything is new. */
async function* followOne(
  { engine, name, shown }: Member,
  since: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<MixedLine> {
  for await (const line of engine.serviceLogs(name, { since, signal, follow: true }))
    if (since === undefined || line.at > since) yield { ...line, serviceName: shown };
}
