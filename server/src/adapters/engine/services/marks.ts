/** Reads and sets labels of services themselves, by which installations know whose a service is. */
import type { EngineMarks } from '../../../ports/engine/service-mark.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { othersThings } from '../view/others-things.ts';
import { ownedLabels } from './ownership.ts';
import { change, findService } from './services.ts';

export function engineMarks(client: EngineClient): EngineMarks {
  return {
    othersThings: () => othersThings(client),
    async labelService(name, labels, options = { takesForeign: false }) {
      await change(
        client,
        name,
        `labelling the service ${name}`,
        ({ Labels, ...spec }) => ({ ...spec, Labels: { ...ownedLabels(client, Labels), ...labels } }),
        options,
      );
    },
    async markOf(name) {
      const service = await findService(client, name);
      if (service === undefined) return undefined;
      const { Labels: labels, TaskTemplate: template } = service.Spec;
      const mounts = template.ContainerSpec?.Mounts ?? [];
      const folders = mounts.flatMap(({ Type, Source }) => (Type === 'bind' ? [Source] : []));
      return { id: service.ID, labels, folders };
    },
  };
}
