/**
 * Facts that leave Berth (decisions 17): one form, whoever learns of them; notifications and alarms are made
 * of them, and a kind of channel knows nothing else.
 */
import { AppError } from '../errors.ts';

/** How a fact is meant: bad news, good news, or neither. */
export type FactTone = 'bad' | 'good' | 'neutral';

interface EventRow {
  /** For people: the first words of a message. */
  title: string;
  tone: FactTone;
}

export const factEvents = {
  deploymentFailed: { title: 'Deployment failed', tone: 'bad' },
  deploymentDone: { title: 'Deployment done', tone: 'good' },
  serviceDown: { title: 'Service down', tone: 'bad' },
  serviceUp: { title: 'Service up again', tone: 'good' },
  backupFailed: { title: 'Backup failed', tone: 'bad' },
  backupDone: { title: 'Backup done', tone: 'good' },
  branchEnding: { title: 'Database branch ends soon', tone: 'neutral' },
  branchEnded: { title: 'Database branch removed', tone: 'neutral' },
  backupSilent: { title: 'No good backup for too long', tone: 'bad' },
  backupLocked: { title: 'Berth cannot open its backups', tone: 'bad' },
  certificateFailed: { title: 'Certificate refused', tone: 'bad' },
  certificateExpiring: { title: 'Certificate about to expire', tone: 'bad' },
  onDemandLimit: { title: "Limit of customers' host names reached", tone: 'bad' },
  serverUnreachable: { title: 'Server unreachable', tone: 'bad' },
  serverBack: { title: 'Server back', tone: 'good' },
  thresholdPassed: { title: 'Threshold passed', tone: 'bad' },
  diskNearlyFull: { title: 'Disk nearly full', tone: 'bad' },
  diskWriterStopped: { title: 'Service stopped: it filled the disk', tone: 'bad' },
  serviceUnknown: { title: 'Service without a record', tone: 'bad' },
  queueStuck: { title: 'Jobs wait for too long', tone: 'bad' },
  scheduleMissed: { title: 'Scheduled command missed', tone: 'bad' },
  scheduleFailed: { title: 'Scheduled command failed', tone: 'bad' },
  installationUpgraded: { title: 'Berth upgraded', tone: 'neutral' },
} as const satisfies Record<string, EventRow>;

export type FactEvent = keyof typeof factEvents;

export const factEventNames = Object.keys(factEvents).filter((name): name is FactEvent => name in factEvents);

export interface FactSubject {
  /** application, database, compose, previewDeployment, backup, server, domain, installation, … */
  type: string;
  id: string;
  name: string;
}

export interface Fact {
  event: FactEvent;
  organizationId: string;
  subject: FactSubject;
  /** What happened, for people; without secrets. */
  sentence: string;
}

/**
 * Where facts leave: durable with the caller's transaction, when one is open. It never throws, since what is
 * told must not depend on whether it can be.
 */
export type TellFact = (fact: Fact) => Promise<void>;

/** One name for whatever may be told once within some minutes. */
export const groupOf = ({ event, subject }: Pick<Fact, 'event' | 'subject'>): string =>
  `${event} ${subject.type}:${subject.id}`;

/** An event by its stored name. */
export function factEventOf(name: string): FactEvent {
  const found = factEventNames.find((one) => one === name);
  if (found === undefined) throw new AppError('INTERNAL_SERVER_ERROR', `There is no event named ${name}.`);
  return found;
}
