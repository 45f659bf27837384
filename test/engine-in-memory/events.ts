/** The engine's events: of services, and of the containers of their tasks. */
import { PassThrough, type Readable } from 'node:stream';
import type { State } from './state.ts';

/** From now on, as JSON texts with line breaks between. */
export function eventStream(state: State): Readable {
  const output = new PassThrough();
  let seen = whatIs(state);
  const send = (): void => {
    const now = whatIs(state);
    for (const [name, facts] of now) {
      const before = seen.get(name);
      if (before === undefined) tell(output, 'service', 'create', { name });
      else if (before.version !== facts.version) tell(output, 'service', 'update', { name });
      if (before?.containers !== facts.containers)
        for (const container of facts.names)
          tell(output, 'container', 'start', {
            name: container,
            'com.docker.swarm.task.name': container,
            'com.docker.swarm.service.name': name,
          });
    }
    for (const name of seen.keys()) if (!now.has(name)) tell(output, 'service', 'remove', { name });
    seen = now;
  };
  state.watchers.add(send);
  output.once('close', () => state.watchers.delete(send));
  return output;
}

function tell(output: PassThrough, type: string, action: string, attributes: Record<string, string>): void {
  output.write(`${JSON.stringify({ Type: type, Action: action, Actor: { Attributes: attributes } })}\n`);
}

interface Facts {
  version: number;
  /** Of its tasks, each with how it is. */
  containers: string;
  names: string[];
}

function whatIs(state: State): Map<string, Facts> {
  const all = new Map<string, Facts>();
  for (const { id, spec, version } of state.services.values()) {
    const containers = [...state.tasks.values()]
      .filter(({ serviceId }) => serviceId === id)
      .flatMap(({ container }) => container ?? []);
    all.set(spec.Name, {
      version,
      containers: containers.map((one) => `${one.id} ${one.state} ${one.health}`).join(),
      names: containers.map(({ name }) => name),
    });
  }
  return all;
}
