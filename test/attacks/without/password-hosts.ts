/** Berth composed so that a stored password goes to whatever host is named later; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    registries(store, ...parts) {
      const real = walls.registries(store, ...parts);
      return {
        ...real,
        async update(registryId, organizationId, patch) {
          const present = await store.find({ registryId, organizationId });
          return real.update(registryId, organizationId, { password: present?.password, ...patch });
        },
      };
    },
    applications(store, ...parts) {
      const real = walls.applications(store, ...parts);
      return {
        ...real,
        async update(applicationId, organizationId, patch) {
          const present = await store.find({ applicationId, organizationId });
          return real.update(applicationId, organizationId, { password: present?.password, ...patch });
        },
      };
    },
  },
});
