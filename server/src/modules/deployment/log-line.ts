/** A line of a deployment's log with what stands in it as fields. Pure. */
import type { z } from 'zod';
import { stageAt, type DeploymentStage } from '../../domain/states/lifecycle.ts';
import type { positionedLine } from '../../procedure/log-event.ts';

export type LineFields = Omit<z.infer<typeof positionedLine>, 'position'>;

const time = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) /;
const stageMark = '── ';

/** When it was written (ISO 8601); undefined for a line that says what is left out. */
export function timeOf(text: string): string | undefined {
  return time.exec(text)?.[1];
}

/** Whether the line begins a stage, which the deployment as it was read may not have yet. */
export function mayBeOfNewStage(
  { stages, finishedAt }: { stages: DeploymentStage[] | null; finishedAt: string | null },
  text: string,
): boolean {
  const at = timeOf(text);
  if (at === undefined || finishedAt !== null || !messageOf(text).startsWith(stageMark)) return false;
  const last = stages?.at(-1);
  return last === undefined || last.finishedAt !== null || last.startedAt < at;
}

/** `text` is the whole line, as it always was; `message` is it without its time. */
export function logLine(
  text: string,
  at: string | undefined,
  { stages }: { stages: DeploymentStage[] | null },
): LineFields {
  const message = messageOf(text);
  return {
    text,
    message,
    level: levelOf(message),
    ...(at === undefined ? {} : { at, stage: stageAt(stages, at) }),
  };
}

function messageOf(text: string): string {
  return text.replace(time, '');
}

const errorWords = /^(Failed: |The changes could not be undone)|\b(ERROR|FATAL|error:|npm ERR!)/;

function levelOf(message: string): 'error' | 'warning' | 'info' {
  if (errorWords.test(message)) return 'error';
  return /\b(WARN(ING)?|warning:|npm warn)/i.test(message) ? 'warning' : 'info';
}
