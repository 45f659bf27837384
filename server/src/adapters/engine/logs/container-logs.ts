import type { ContainerLogOptions } from '../../../ports/engine/engine-view.ts';
import { taskIdLabel } from '../../../domain/names/labels.ts';
import type { LogLine } from '../../../ports/engine/engine.ts';
import { segment, type EngineClient } from '../client/engine-client.ts';
import { inspectedContainerAnswer } from '../view/view-answers.ts';
import { readLog } from './log-frames.ts';
import { createLineAssembler, longestLine } from './log-lines.ts';
import { logQuery } from './logs.ts';

/** The swarm's own, on the container of a task. */
const nodeLabel = 'com.docker.swarm.node.id';

/** The output of one container of this node, oldest first (see the port). */
export async function* containerLogs(
  client: EngineClient,
  containerId: string,
  options: ContainerLogOptions,
): AsyncGenerator<LogLine> {
  const path = `/containers/${segment(containerId)}`;
  const { Config } = await client.call(
    { method: 'GET', path: `${path}/json`, doing: 'reading a container' },
    inspectedContainerAnswer,
  );
  const origin = { taskId: Config.Labels[taskIdLabel] ?? '', nodeId: Config.Labels[nodeLabel] ?? '' };
  const { signal } = options;
  const closed = new AbortController();
  try {
    const body = await client.open({
      method: 'GET',
      path: `${path}/logs`,
      query: logQuery(options),
      doing: 'reading the log of a container',
      signal: AbortSignal.any([closed.signal, ...(signal ? [signal] : [])]),
    });
    const assembler = createLineAssembler();
    for await (const frame of readLog(body, longestLine))
      for (const line of assembler.push(frame)) yield { ...line, ...origin };
    for (const line of assembler.flush()) yield { ...line, ...origin };
  } catch (error) {
    if (signal?.aborted) return;
    throw error;
  } finally {
    // A reader that stops early must not leave the engine's connection open.
    closed.abort();
  }
}
